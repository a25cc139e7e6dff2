"""`clockwright prompts`: stored decisions become cases, and a model is measured on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.application import main
from daemon.domain.llm import Endpoint, Llm, Mode
from daemon.testing.scripted_endpoint import Body, Reply, ScriptedEndpoint, completion
from tests.integration.llm.test_endpoint_faults import agree
from tests.integration.llm.workroom import Workroom, daily

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A configuration whose state holds one run that a model decided."""
    (tmp_path / "clockwright.yaml").write_text("state: .\n")
    with ScriptedEndpoint(agree) as endpoint:
        room = Workroom(tmp_path, Llm(Endpoint("scripted", endpoint.url, mode=Mode.SCHEMA)))
        room.run(daily())
        room.close()
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> tuple[int, str, str]:
    code = main(["--config", str(folder), "prompts", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def exported(capsys: pytest.CaptureFixture[str], folder: Path) -> Path:
    _, out, _ = run(capsys, folder, "export")
    (folder / "cases.jsonl").write_text(out)
    return folder / "cases.jsonl"


def evaluated(capsys: pytest.CaptureFixture[str], folder: Path, script: Any, *more: str) -> tuple[int, Any]:
    cases = exported(capsys, folder)
    with ScriptedEndpoint(script) as endpoint:
        where = ("--model", "other", "--base-url", endpoint.url)
        code, out, _ = run(capsys, folder, "eval", "--cases", str(cases), *where, *more)
    return code, json.loads(out)


def test_stored_decisions_become_cases(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    cases = [json.loads(line) for line in exported(capsys, folder).read_text().splitlines()]
    assert [(case["accepted"], case["prompt"], case["rule"]) for case in cases] == [(["A"], "decide", "A")] * 5
    assert cases[0]["snapshot"]["current_step_index"] == 0


def test_a_model_that_agrees_passes_every_time(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, report = evaluated(capsys, folder, agree, "--repeat", "3")
    assert code == 0
    assert (report["cases"], report["tries"], report["valid"], report["pass^3"]) == (5, 15, 1.0, 1.0)
    assert report["cost"] is None


def test_a_model_that_is_right_now_and_then_does_not_pass_k_times(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    asked: list[Body] = []

    def fickle(request: Body) -> Reply:
        asked.append(request)
        return agree(request) if len(asked) % 2 else completion("perhaps")

    code, report = evaluated(capsys, folder, fickle, "--repeat", "2")
    assert code == 1
    assert (report["valid"], report["agreement"], report["pass^2"]) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [("not json", "cases.jsonl:1: this is no case"), ('{"prompt": "decide"}', "this is no case")],
)
def test_a_line_that_is_no_case_is_named(
    capsys: pytest.CaptureFixture[str], folder: Path, text: str, said: str
) -> None:
    (folder / "cases.jsonl").write_text(text)
    where = ("--cases", str(folder / "cases.jsonl"), "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    code, _, err = run(capsys, folder, "eval", *where)
    assert code == 1
    assert said in err


def test_without_any_model_it_says_how_to_name_one(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "cases.jsonl").write_text("")
    code, _, err = run(capsys, folder, "eval", "--cases", str(folder / "cases.jsonl"))
    assert (code, "--model" in err) == (78, True)
