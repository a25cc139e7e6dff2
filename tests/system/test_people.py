"""The daemon and its people, for real: alerts out, a press in, over real processes and loopback connections."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from daemon.testing.fake_slack import Channel, FakeSlack
from daemon.testing.fake_slack.workspace import APP_TOKEN, TOKEN
from tests.integration.loopback import Loopback
from tests.system.cli_folder import Folder, stop, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SECRETS = {"bot": TOKEN, "app": APP_TOKEN, "signing": "signing-system-test"}
OPS = Channel("C0123456789", "ops")
PEOPLE = {"U0123ABCD", *(f"U000000{number:02d}" for number in range(49))}
ASKS = """
id: gated
goal: A person agrees.
timezone: UTC
owner: U0123ABCD
steps:
  - {id: first, use: linger, with: {seconds: 0.0}, approve: true}
"""
FAILS = """
id: fails
goal: It fails.
timezone: UTC
runbook: https://wiki.example.com/fails
steps:
  - {id: first, use: linger, with: {seconds: 30}, timeout: 1s, retry: {attempts: 1}, on_exhausted: fail}
"""


@dataclass
class Office:
    folder: Folder
    slack: FakeSlack
    hook: Loopback
    port: int
    seen: dict[str, str] = field(default_factory=dict)
    """The values of the buttons: the message loses them once it is answered."""

    def hooked(self) -> list[str]:
        """What the webhook got."""
        return [sent["title"] for method, sent, _ in self.hook.calls if method == "alerts"]

    def whispered(self) -> dict[str, str]:
        """What only one user was told, by user."""
        return {each["user"]: each["text"] for each in self.slack.workspace.whispers}

    def told(self) -> list[Any]:
        """Messages in the channel, not what lies in their threads."""
        return [each for each in self.slack.workspace.channels[OPS.id].messages if not each.get("thread_ts")]

    def buttons(self) -> dict[str, str]:
        """By label, with their values."""
        for message in self.told():
            for block in message["blocks"]:
                if block["type"] == "actions":
                    self.seen.update({each["text"]["text"]: each.get("value", "") for each in block["elements"]})
        return self.seen

    def payload(self, label: str, user: str) -> dict[str, Any]:
        action = {"action_id": "clockwright.approve", "block_id": "b", "type": "button", "value": self.seen[label]}
        about = {"channel": {"id": OPS.id}, "trigger_id": "t", "team": {"id": "T1"}}
        return {"type": "block_actions", "user": {"id": user, "username": f"name-{user}"}, "actions": [action], **about}

    def post(self, payload: Any, secret: str = SECRETS["signing"]) -> int:
        content = urlencode({"payload": json.dumps(payload)}).encode()
        at = str(int(time.time()))
        signed = hmac.new(secret.encode(), b"v0:" + at.encode() + b":" + content, hashlib.sha256).hexdigest()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/slack/interactions", content)
        request.add_header("X-Slack-Request-Timestamp", at)
        request.add_header("X-Slack-Signature", f"v0={signed}")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    folder, hook, port = Folder.make(tmp_path / "config"), Loopback(), free_port()
    slack = FakeSlack()
    slack.workspace.add(Channel(OPS.id, OPS.name))
    for name, value in SECRETS.items():
        (folder.root / name).write_text(value)
    (folder.root / "hook").write_text(hook.url.replace("http://", "json://user:hunter2@") + "alerts")
    names = ", ".join(f"{name}: {{file: {name}}}" for name in (*SECRETS, "hook"))
    people = ", ".join(sorted(PEOPLE))
    (folder.root / "clockwright.yaml").write_text(
        f"state: state\ntools: [tools]\nhttp: {{port: {port}}}\nsecrets: {{{names}}}\n"
        f"slack: {{token: bot, app_token: app, signing_secret: signing, people: [{people}], api: '{slack.url}'}}\n"
        "alerts:\n  channel: '#ops'\n  second: [hook]\n  page: https://cw.example.com\n"
        "  routes: [{topics: [failed], second: true}]\n"
    )
    (folder.root / "jobs" / "gated.yaml").write_text(ASKS)
    (folder.root / "jobs" / "fails.yaml").write_text(FAILS)
    with slack:
        yield Office(folder, slack, hook, port)
    hook.close()


def test_a_question_is_posted_and_answered_by_a_press_and_by_nobody_else(office: Office) -> None:
    serve = office.folder.start("serve")
    wait_for(lambda: bool(office.slack.sockets.lines))
    asked = office.folder.start("run", "gated")
    wait_for(lambda: "Approve" in office.buttons())
    assert set(office.buttons()) == {"Approve", "Reject", "Abort", "Open the run"}
    assert office.post(office.payload("Approve", "U0123ABCD"), secret="another") == 401  # noqa: S106
    assert office.post(office.payload("Approve", "U9999ABCD")) == 200
    wait_for(lambda: bool(office.slack.workspace.whispers))
    assert office.slack.sockets.press(office.payload("Approve", "U0123ABCD")) < 1.0
    wait_for(lambda: [run["state"] for run in office.folder.json("runs", "list")] == ["succeeded"])
    assert office.post(office.payload("Approve", "U0123ABCD")) == 200
    wait_for(lambda: len(office.slack.workspace.whispers) == 2)
    whispers = [each["text"] for each in office.slack.workspace.whispers]
    assert whispers[0].startswith("You may not answer this.")
    assert whispers[1].startswith("Already decided: approve, by name-U0123ABCD at ")
    [question] = office.folder.json("escalations", "list", "--all")
    assert (question["option"], question["closed_by"]) == ("approve", "name-U0123ABCD")
    asked.communicate(timeout=60)
    code, out, err = stop(serve)
    assert code == 0
    _expect_no_secret(office, out + err)


def test_of_fifty_who_answer_at_once_one_wins_and_everybody_else_is_told(office: Office) -> None:
    """By Socket Mode, by signed HTTP, and on the command line."""
    serve = office.folder.start("serve")
    wait_for(lambda: bool(office.slack.sockets.lines))
    asked = office.folder.start("run", "gated")
    wait_for(lambda: "Approve" in office.buttons())
    [question] = office.folder.json("escalations", "list")
    people = sorted(PEOPLE)

    def answer(number: int) -> str:
        """Who was told at once that theirs does not count; everybody else hears later, or has won."""
        if number % 10 == 9:
            code, _, err = office.folder.run("escalations", "answer", question["id"], "reject", "--by", people[number])
            return people[number] if code == 2 and ("not taken" in err or "closed" in err) else ""
        sent = office.payload("Approve", people[number])
        assert (office.slack.sockets.press(sent) < 5.0) if number % 2 else office.post(sent) == 200
        return ""

    with ThreadPoolExecutor(50) as pool:
        told = set(filter(None, pool.map(answer, range(50))))
    wait_for(lambda: len(told) + len(office.whispered()) >= 49)
    [question] = office.folder.json("escalations", "list", "--all")
    winner = question["closed_by"].removeprefix("name-")
    assert winner in people
    assert told | office.whispered().keys() == set(people) - {winner}
    assert all(text.startswith("Already decided: ") for text in office.whispered().values())
    asked.communicate(timeout=60)
    stop(serve)


def test_a_failed_run_is_told_once_over_a_kill_of_the_daemon(office: Office) -> None:
    serve = office.folder.start("serve")
    wait_for(lambda: bool(office.slack.sockets.lines))
    office.folder.run("run", "fails")
    wait_for(lambda: bool(office.hooked()))
    serve.kill()
    _, err = serve.communicate()
    again = office.folder.start("serve")
    wait_for(lambda: len(office.slack.sockets.lines) == 2)
    time.sleep(2.0)
    [message] = office.told()
    assert message["text"].startswith("fails for ")
    assert office.hooked() == [message["text"]]
    labels = [each["text"]["text"] for block in message["blocks"] for each in block.get("elements", ())]
    assert labels == ["Open the run", "Runbook"]
    _, _, later = stop(again)
    _expect_no_secret(office, err + later)


def _expect_no_secret(office: Office, said: str) -> None:
    state = office.folder.root / "state"
    kept = b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())
    for secret in (*SECRETS.values(), "hunter2"):
        assert secret not in said
        assert secret.encode() not in kept
        assert all(secret not in json.dumps(sent) for _, sent in office.slack.calls)
