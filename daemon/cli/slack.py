"""`clockwright slack`: try the real one, or serve a stand-in."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from . import printing
from .exit_codes import ExitCode
from .session import Session
from .trouble import Refused, Unavailable

if TYPE_CHECKING:
    from ..adapters.slack.canary import Finding

ENDS: Final = frozenset({signal.SIGINT, signal.SIGTERM})


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Try Slack, or a stand-in for it.", no_args_is_help=True)
    group.command()(check)
    group.command()(simulate)
    app.add_typer(group, name="slack")


def check(
    context: typer.Context,
    channel: Annotated[
        str, typer.Argument(metavar="[CHANNEL]", help="Id or name; without it the channel of the alerts.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Try what reports need of Slack, with one message that is deleted again."""
    findings: list[Finding] = []
    for finding in _findings(context.obj, channel):
        findings.append(finding)
        if not as_json:
            typer.echo(f"{finding.state:5} {finding.about:9} {finding.detail}")
    failed = any(finding.state == "fail" for finding in findings)
    if as_json:
        printing.say_json({"ok": not failed, "findings": [asdict(finding) for finding in findings]})
    return ExitCode.FAILED if failed else ExitCode.OK


def _findings(session: Session, channel: str) -> Iterator[Finding]:
    """Raises Refused without a token, SecretMissing where it cannot be read."""
    from ..adapters.slack import hearing
    from ..adapters.slack.canary import Canary
    from ..adapters.slack.pen import SlackPen

    settings = session.settings()
    slack, secrets = settings.slack, settings.secrets
    if not slack.token:
        raise Refused("no Slack token is configured; name its secret in slack.token (docs/slack.md)")
    bot, app = secrets(slack.token), secrets(slack.app_token) if slack.app_token else ""
    pen = SlackPen(lambda: bot, slack.api)
    yield from Canary(pen).findings(channel or settings.manners.channel)
    yield from hearing.groups(pen, slack.groups)
    if app:
        yield hearing.socket(SlackPen(lambda: app, slack.api))


def simulate(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 0,
) -> int:
    """Serve a stand-in for Slack on loopback until Ctrl-C."""
    from ..testing.fake_slack import FakeSlack

    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)  # before any thread begins, which would inherit it open
    try:
        slack = FakeSlack(port=port)
    except OSError as error:
        raise Unavailable(f"port {port} cannot be used: {error.strerror}") from error
    with slack:
        names = ", ".join(f"#{channel.name}" for channel in slack.workspace.channels.values())
        typer.echo(f"base URL  {slack.url}\ntoken     {slack.token}\napp token {slack.app_token}\nchannels  {names}")
        typer.echo(f"in clockwright.yaml:  slack: {{token: slack_token, api: {slack.url}}}")
        signal.sigwait(ENDS)
    typer.echo("stopped")
    return ExitCode.OK
