"""The reading commands over another daemon's API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.cli.application import main
from daemon.cli.exit_codes import ExitCode
from daemon.web.application import build
from daemon.web.server import Server
from tests.house import READER, House

Said = tuple[int, str, str]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path).furnish(4)


@pytest.fixture
def url(house: House) -> Iterator[str]:
    server = Server(build(house.site), "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.start()}"
    server.stop()


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Said:
    code = main(words)
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_what_is_there_is_read_from_elsewhere(
    url: str, house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCKWRIGHT_TOKEN", READER)
    newest = house.asks.runs("churn_features", limit=1)[0].id
    for words, expected in (
        (("jobs", "list"), "invoice_reminders"),
        (("runs", "list", "--job", "churn_features", "--limit", "1"), newest),
        (("runs", "show", newest), "no answer from the warehouse"),
        (("escalations", "list"), "the channel #finance is archived"),
    ):
        code, out, err = said(capsys, "--url", url, *words)
        assert (code, expected in out, err) == (ExitCode.OK, True, ""), out
        assert expected in json.dumps(json.loads(said(capsys, "--url", url, *words, "--json")[1]))
    assert said(capsys, "--url", url, "runs", "show", "nothing")[0] == ExitCode.USAGE


@pytest.mark.parametrize(
    ("token", "words", "code", "why"),
    [
        ("", ("runs", "list"), ExitCode.CONFIG, "--url needs a token of that daemon in CLOCKWRIGHT_TOKEN"),
        ("wrong", ("runs", "list"), ExitCode.CONFIG, "does not know the token"),
        (READER, ("run", "report"), ExitCode.USAGE, "--url goes with: jobs list, runs list"),
    ],
)
def test_what_cannot_be_is_one_line(
    url: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    words: tuple[str, ...],
    code: int,
    why: str,
) -> None:
    monkeypatch.setenv("CLOCKWRIGHT_TOKEN", token)
    found, out, err = said(capsys, "--url", url, *words)
    assert (found, out, why in err, err.count("\n")) == (code, "", True, 1), err


def test_nobody_there_is_unavailable(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOCKWRIGHT_TOKEN", READER)
    for url in ("http://127.0.0.1:9", "nonsense"):
        code, _, err = said(capsys, "--url", url, "runs", "list")
        assert (code, "does not answer" in err) == (ExitCode.UNAVAILABLE, True), err
