"""The second channel against receivers on loopback: a webhook and a mail server."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator

import pytest

from daemon.adapters.second_channel import AppriseChannel, address
from daemon.config.secrets import SecretMissing
from daemon.ports import Severity
from tests.integration.loopback import Loopback

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning"),  # in a library of Apprise
]


@pytest.fixture
def hook() -> Iterator[Loopback]:
    made = Loopback()
    yield made
    made.close()


class Mail(socketserver.ThreadingTCPServer):
    """The least of a mail server."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        self.received: list[str] = []
        super().__init__(("127.0.0.1", 0), _Session)


class _Session(socketserver.StreamRequestHandler):
    server: Mail

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().strip():
            if line.upper().startswith("DATA"):
                self._say("354 go on")
                self.server.received.append(self._letter())
            if line.upper().startswith("QUIT"):
                self._say("221 bye")
                return
            self._say("250 fine")

    def _letter(self) -> str:
        lines = []
        while (line := self.rfile.readline().decode()) not in {".\r\n", ""}:
            lines.append(line)
        return "".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@pytest.fixture
def mail() -> Iterator[Mail]:
    with Mail() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def channel(**urls: str) -> AppriseChannel:
    def secret(name: str) -> str:
        if not urls[name]:
            raise SecretMissing(f"the secret {name!r} is empty")
        return urls[name]

    return AppriseChannel(lambda: tuple(urls), secret)


def webhook(hook: Loopback, password: str = "hunter2") -> str:  # noqa: S107
    return hook.url.replace("http://", f"json://user:{password}@") + "alerts"


def test_a_webhook_gets_title_text_and_severity(hook: Loopback) -> None:
    assert channel(hook=webhook(hook)).send("daily failed", "- Cause: no", Severity.CRITICAL) == ""
    [(_, sent, _)] = hook.calls
    assert (sent["title"], sent["type"]) == ("daily failed", "failure")
    assert "Cause: no" in sent["message"]


def test_mail_arrives(mail: Mail) -> None:
    port = mail.server_address[1]
    url = f"mailto://127.0.0.1:{port}?from=clockwright@example.com&to=ops@example.com&mode=insecure"
    assert channel(mail=url).send("daily failed", "- Cause: no", Severity.WARNING) == ""
    [letter] = mail.received
    assert "Subject: daily failed" in letter
    assert "ops@example.com" in letter


def test_whoever_is_reached_is_enough(hook: Loopback) -> None:
    assert channel(hook=webhook(hook), nobody="json://127.0.0.1:1/x").send("a", "b", Severity.INFO) == ""


@pytest.mark.parametrize(
    ("url", "why"),
    [("json://user:hunter2@127.0.0.1:1/x", "it was not taken"), ("nonsense", "no address"), ("", "is empty")],
)
def test_what_cannot_be_sent_names_the_secret_and_never_its_value(
    url: str, why: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    refused = channel(pager=url).send("a", "b", Severity.INFO)
    assert refused.startswith("pager: ") or "'pager'" in refused
    assert why in refused
    output = capfd.readouterr()
    assert "hunter2" not in refused + output.out + output.err + caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "mailtos://user:password@mail.example.com?to=ops@example.com",
        "jsons://example.com/hook",
        "dingtalk://0123456789abcdef/13800138000",
        "workflows://prod-1.westeurope.logic.azure.com:443/0123456789abcdef0123456789abcdef/abcdefghijklmnopqrstuvwxyz",
        "pagerduty://0123456789abcdef0123456789abcdef@0123456789abcdef",
    ],
    ids=["mail", "webhook", "DingTalk", "Teams", "PagerDuty"],
)
def test_the_usual_receivers_have_addresses(url: str) -> None:
    assert address(url) is not None
