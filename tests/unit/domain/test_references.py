"""`${...}`: a whole value keeps its type, an embedded one makes text, and nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.references import Reference, Unresolved, parse, references, resolve, unparse

SCOPE = {
    "run": {"id": "r1", "local_date": "2026-03-01"},
    "job": {"goal": "Tell"},
    "steps": {
        "count": {"output": {"rows": 7, "top": [{"name": "茶"}], "none": None}, "summary": "7 rows", "missing": None},
        "chart": {"output": None, "summary": None, "missing": "chart failed: no font"},
    },
}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("${steps.count.output.rows}", 7),
        ("${steps.count.output}", {"rows": 7, "top": [{"name": "茶"}], "none": None}),
        ("${steps.count.output.top[0].name} sells", "茶 sells"),
        ("${steps.count.output.rows} rows", "7 rows"),
        ("${steps.count.output.none}", None),
        ("${steps.count.summary} on ${run.local_date}", "7 rows on 2026-03-01"),
        ("${steps.count.missing}", None),
        ("${steps.chart.output.file}", None),
        ("${steps.chart.summary}", None),
        ("${steps.chart.missing}", "chart failed: no font"),
        ("see ${steps.chart.output.file}", "see [missing: chart failed: no font]"),
        ("costs $5 {net} $$", "costs $5 {net} $$"),
        ("$${run.id}", "${run.id}"),
        ("$$${run.id}", "$r1"),
        ("", ""),
        ({"a": ["${run.id}", 3, None, True]}, {"a": ["r1", 3, None, True]}),
    ],
)
def test_a_template_resolves_to(template: object, value: object) -> None:
    assert resolve(template, SCOPE) == value


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("${run.nope}", "${run.nope} points at nothing: there is no 'nope'"),
        ("x ${steps.gone.output}", "${steps.gone.output} points at nothing: there is no 'gone'"),
        ("${steps.count.output.top[1]}", "${steps.count.output.top[1]} points at nothing: there is no item 1"),
        ("${steps.count.output.rows.x}", "${steps.count.output.rows.x} points at nothing: there is no 'x'"),
    ],
)
def test_a_reference_to_nothing_is_named(template: str, reason: str) -> None:
    with pytest.raises(Unresolved) as error:
        resolve(template, SCOPE)

    assert str(error.value) == reason


@pytest.mark.parametrize("text", ["${", "${}", "${run.id", "${ run.id }", "${run..id}", "${1}", "${a[x]}", "${a.b()}"])
def test_what_is_no_reference_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a reference"):
        parse(f"before {text}")


def test_every_reference_of_a_template_is_found() -> None:
    template = {"a": "${run.id} and ${job.goal}", "b": [{"c": "${steps.x.output[2]}"}]}

    assert list(map(str, references(template))) == ["${run.id}", "${job.goal}", "${steps.x.output[2]}"]


NAMES = st.from_regex(r"[a-z_][a-z0-9_-]{0,5}", fullmatch=True)
REFERENCES = st.tuples(NAMES, st.lists(NAMES | st.integers(0, 99), max_size=4)).map(lambda p: Reference((p[0], *p[1])))
TEXTS = st.text(alphabet="$a{}. ", min_size=1, max_size=8)


@given(st.lists(REFERENCES | TEXTS, max_size=6))
def test_parts_survive_being_written_and_read(parts: list[Reference | str]) -> None:
    joined: list[Reference | str] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)

    assert list(parse(unparse(parts))) == (joined or [""])


@given(st.text(alphabet="$a{}b.", max_size=20))
def test_text_that_is_escaped_comes_out_unchanged(text: str) -> None:
    assert resolve(unparse([text]), {}) == text


@given(st.text(max_size=30))
def test_text_without_a_dollar_brace_is_left_alone(text: str) -> None:
    assert resolve(text.replace("${", ""), {}) == text.replace("${", "")
