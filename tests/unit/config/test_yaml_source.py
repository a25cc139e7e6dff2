"""YAML that means something else is kept as written or refused at its place, never read as a surprise."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.faults import ConfigError
from daemon.config.yaml_source import parse, read, scalar
from tests.unit.config.workshop import CB_066


def test_cb_066_keeps_what_the_person_wrote() -> None:
    (job,) = parse(CB_066, "x").plain()["jobs"]

    assert job == {
        "id": "daily",
        "at": "10:00",
        "country": "NO",
        "on": "monday",
        "channel": None,
        "retries": "3",
        "code": "010",
        "ratio": "1_000",
        "cron": "0 10 * * *",
    }


@pytest.mark.parametrize(
    "text",
    ["yes", "off", "Null", "TRUE", "0x1F", "0o17", "1e3", ".inf", "2026-01-01", "12:30:45", "+", "1.", "=", "９"],
)
def test_a_word_that_looks_special_stays_text(text: str) -> None:
    assert scalar(text) == text


@pytest.mark.parametrize(("text", "value"), [("~", None), ("true", True), ("-7", -7), ("0", 0), ("1.50", 1.5)])
def test_plain_json_words_have_their_meaning(text: str, value: object) -> None:
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


def test_every_value_knows_its_place() -> None:
    found = parse("a:\n  - b: 1\n    'c': [x, y]\n", "f.yaml").find(("a", 0, "c", 1))

    assert (str(found.place), found.value) == ("f.yaml:3:14", "y")


def test_a_missing_part_gives_the_place_on_the_way_to_it() -> None:
    assert str(parse("a:\n  b: 1\n", "f").find(("a", "zzz", 3)).start) == "f:1:1"


FAULTS = [
    ("a: 1\na: 2\n", "f:2:1: the key 'a' is written twice (first on line 1)"),
    ("a:\n\tb: 1\n", "f:2:1: a tab is used for indentation (indent with spaces)"),
    ("a: b: c\n", "f:1:5: not valid YAML: mapping values are not allowed here (quote a value that holds ': ')"),
    ("a: @x\n", "f:1:4: not valid YAML: found character '@' that cannot start any token"),
    ("a: [1\nb: 2\n", "f:2:2: not valid YAML: expected ',' or ']', but got ':' (while parsing a flow sequence that"),
    ("a: !!python/name:os.system x\n", "f:1:4: the tag"),
    ("a: 1\n---\nb: 2\n", "f:2:1: there is a second document"),
    ("a: *nowhere\n", "f:1:4: there is no finished anchor 'nowhere'"),
    ("a: &a [*a]\n", "f:1:8: there is no finished anchor 'a'"),
    ("x: &x {a: 1}\ny:\n  <<: *x\n", "f:3:3: merge keys (<<) are not supported"),
    ("{[a]: 1}\n", "f:1:2: a key must be a plain word"),
    ("", "f:1:1: the file is empty"),
    ("# only a comment\n", "f:1:1: the file is empty"),
    ("a: \x07\n", "f: not valid YAML"),
    ("[" * 50, "f:1:42: more than 40 levels deep"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[text[:20] for text, _ in FAULTS])
def test_what_cannot_be_meant_is_refused_at_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text, "f")

    assert str(refused.value).startswith(message)


def test_an_alias_repeats_a_value() -> None:
    assert parse("a: &x [1, 2]\nb: *x\n", "f").plain() == {"a": [1, 2], "b": [1, 2]}


def test_an_alias_bomb_is_refused_without_being_built() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]

    with pytest.raises(ConfigError, match="every alias counted"):
        parse("\n".join(lines), "f")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xef\xbb\xbfa: 1\n", "f:1:1: the file starts with a byte order mark"),
        ("a: 1\n".encode("utf-16"), "f:1:1: the file starts with a byte order mark"),
        (b"a: 1\nb: caf\xe9\n", "f:2:7: the file is not UTF-8"),
        (b"a: " + b"x" * 1_000_001, "f: the file is larger than 1,000,000 bytes"),
    ],
)
def test_bytes_that_are_no_plain_utf_8_are_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "f.yaml").write_bytes(raw)

    with pytest.raises(ConfigError) as refused:
        read(tmp_path / "f.yaml", "f")

    assert str(refused.value).startswith(message)


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^f: cannot be read: No such file"):
        read(tmp_path / "f.yaml", "f")


@given(st.text(max_size=60))
def test_no_text_whatever_raises_anything_but_a_config_error(text: str) -> None:
    try:
        parse(text, "f").plain()
    except ConfigError as error:
        assert error.faults  # noqa: PT017 - either ending is right
