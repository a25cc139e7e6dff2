"""A job whose report goes to Slack: through the command, the sandbox and the real client, into the stand-in."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.testing.fake_slack import FakeSlack, Fault

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
JOB = """
id: report
goal: Everyone is told.
timezone: UTC
steps:
  - id: post
    use: slack_send_message
    with: {channel: "#sales", text: Done, markdown: "# Done", corrects: "${earlier.post.output}"}
    retry: {attempts: 4, first: 200ms, cap: 1s}
"""


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    with FakeSlack() as made:
        yield made


def configured(folder: Path, slack: FakeSlack) -> list[str]:
    """The command that runs the job."""
    (folder / "jobs").mkdir(exist_ok=True)
    (folder / "jobs" / "report.yaml").write_text(JOB)
    (folder / "token").write_text(slack.token)
    (folder / "clockwright.yaml").write_text(
        f"state: state\nsecrets: {{bot: {{file: token}}}}\nslack: {{token: bot, api: '{slack.url}'}}\n"
    )
    return [sys.executable, "-m", "daemon", "--config", str(folder), "run", "report", "--json"]


def run(folder: Path, slack: FakeSlack, *more: str) -> tuple[dict[str, Any], str]:
    command = [*configured(folder, slack), *more]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=90)
    assert ended.stdout, ended.stderr
    return json.loads(ended.stdout), ended.stdout + ended.stderr


def posts(slack: FakeSlack) -> list[dict[str, Any]]:
    return [message for channel in slack.workspace.channels.values() for message in channel.messages]


def test_the_report_is_in_the_channel_and_the_run_knows_where(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults["chat.postMessage"].append(Fault.limited("1", body=False))
    document, said = run(tmp_path, slack)
    [message] = posts(slack)
    assert document["state"] == "succeeded"
    assert f"https://example.slack.com/archives/C000000002/p{message['ts'].replace('.', '')}" in said
    assert slack.counted("chat.postMessage") == 2
    assert slack.token not in said
    kept = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert slack.token.encode() not in kept


def test_a_lost_answer_is_asked_about_and_not_sent_again(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults["chat.postMessage"].append(Fault.dropped(done=True))
    document, _ = run(tmp_path, slack)
    assert (document["state"], len(posts(slack)), slack.counted("chat.postMessage")) == ("succeeded", 1, 1)


def test_a_daemon_killed_in_the_middle_of_the_post_delivers_once(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults["chat.postMessage"].append(Fault.late(60.0))
    with subprocess.Popen(configured(tmp_path, slack), cwd=ROOT, stdout=subprocess.DEVNULL) as killed:
        until = time.monotonic() + 60.0
        while not posts(slack):
            assert time.monotonic() < until, "it did not come to the post"
            time.sleep(0.02)
        killed.kill()
    document, _ = run(tmp_path, slack)
    assert (document["state"], len(posts(slack)), slack.counted("chat.postMessage")) == ("succeeded", 1, 1)


@pytest.mark.parametrize("taken", [False, True], ids=["not sent", "sent, and the answer lost"])
def test_slack_that_goes_away_and_comes_back_has_one_report(slack: FakeSlack, tmp_path: Path, taken: bool) -> None:
    """However often it is asked meanwhile, no person is."""
    if taken:
        slack.faults["chat.postMessage"].append(Fault.dropped(done=True))
    command = configured(tmp_path, slack)
    (tmp_path / "jobs" / "report.yaml").write_text(JOB.replace("attempts: 4,", "attempts: 2, within: 5m,"))
    slack.away = not taken
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        try:
            until = time.monotonic() + 60.0
            while (taken and not slack.away) or len(slack.calls) < 5:
                slack.away = slack.away or bool(posts(slack))
                assert time.monotonic() < until, f"it did not go on asking: {slack.calls}"
                time.sleep(0.02)
            slack.away = False
            document = json.loads(running.communicate(timeout=90)[0])
        finally:
            running.kill()
    assert (document["state"], document["escalations"], len(posts(slack))) == ("succeeded", [], 1)


def test_a_report_that_arrived_in_part_degrades_its_run(slack: FakeSlack, tmp_path: Path) -> None:
    slack.faults["chat.postMessage"].append(Fault.refusal("invalid_blocks"))
    document, _ = run(tmp_path, slack)
    assert (document["state"], len(posts(slack))) == ("degraded", 2), "the message, and its text as a file"
    why = "Slack refused the formatted message; it was posted as plain text"
    assert document["reason"] == f"post: {why}"
    [delivery] = document["deliveries"]
    assert (delivery["state"], delivery["reason"]) == ("degraded", why)
    show = [*configured(tmp_path, slack)[:-3], "runs", "show", document["run"]]
    said = subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout
    assert f"degraded   post: {delivery['where']} ({why}) (key " in said


def test_a_run_made_again_sends_nothing_and_one_sent_again_follows_the_first_up(
    slack: FakeSlack, tmp_path: Path
) -> None:
    run(tmp_path, slack)
    document, _ = run(tmp_path, slack, "--resend")
    first, second = posts(slack)
    assert document["state"] == "succeeded"
    assert (second["thread_ts"], second["reply_broadcast"]) == (first["ts"], True)
    assert second["text"] == "Correction of an earlier report: Done"
    run(tmp_path, slack)
    assert len(posts(slack)) == 2


def test_a_dry_run_stays_at_home(slack: FakeSlack, tmp_path: Path) -> None:
    document, _ = run(tmp_path, slack, "--dry-run")
    assert document["state"] == "succeeded"
    assert slack.calls == []
