"""The part of the composition root that reaches people and hears them: alerts out, presses in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .adapters.second_channel import AppriseChannel
from .adapters.slack.pen import SlackPen
from .adapters.slack.requests import SlackRequests
from .config import Settings
from .domain.alerts import Alert
from .domain.job import Job
from .domain.manners import Manners
from .domain.presses import Button, buttons, links
from .ports import AlertBook, Commands, Notice, Queries, Severity
from .runtime.alert_intake import AlertIntake
from .runtime.alerter import Alerter
from .runtime.courier import ToolCourier
from .runtime.open_inputs import OpenInputs
from .runtime.outside import Outside
from .runtime.plans import Plans
from .runtime.prepare import step_inputs
from .runtime.press_desk import Counter, People, PressDesk
from .runtime.teller import Teller, Ways

if TYPE_CHECKING:
    from .adapters.slack.socket import SlackSocket

CALLS_AT_ONCE = 4


@dataclass(frozen=True)
class Reception:
    """`settings` and `jobs` are those in force now."""

    outside: Outside
    queries: Queries
    book: AlertBook
    plans: Plans
    commands: Commands
    settings: Callable[[], Settings]
    jobs: Callable[[], Mapping[str, Job]]

    @cached_property
    def alerter(self) -> Alerter:
        outside, notice = self.outside, self.outside.sink.notice
        intake = AlertIntake(self.book, outside.store, self.queries, self.jobs)
        teller = Teller(outside.clock, self._ways, self._manners, self._buttons, notice)
        return Alerter(self.book, intake, teller, self._manners, outside.clock, outside.fence)

    @cached_property
    def desk(self) -> PressDesk:
        counter = Counter(self.commands, self.outside.store, self.book, self._inputs, self.outside.clock)
        return PressDesk(counter, self._people, self._pen, self.outside.sink.notice, self._calls.submit)

    def interactions(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """What a web server answers to `POST /slack/interactions`. Names of headers may come in any case."""
        status, text = self._requests.handle(body, {name.lower(): value for name, value in headers.items()})
        return status, {"content-type": "text/plain; charset=utf-8"}, text.encode()

    def open(self) -> None:
        """Begin to listen, where Slack is configured for it; say what is not."""
        slack, notice = self.settings().slack, self.outside.sink.notice
        if not slack.token:
            where = self.settings().outbox
            notice(Notice("without_slack", f"no Slack token is configured: messages go to {where}", Severity.INFO))
        elif not slack.answers:
            hint = "set app_token or signing_secret, and people or groups, under 'slack'"
            notice(Notice("without_buttons", f"questions cannot be answered in Slack: {hint}", Severity.INFO))
        if slack.token and slack.answers and slack.app_token:
            self.socket.start()

    def close(self) -> None:
        if "socket" in self.__dict__:
            self.socket.stop()
        if "_calls" in self.__dict__:
            self._calls.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def socket(self) -> SlackSocket:
        from .adapters.slack.socket import SlackSocket  # noqa: PLC0415 - only who listens needs Bolt

        return SlackSocket(self._app_token, self.settings().slack.api, self.desk.arrived, self.outside.sink.notice)

    @cached_property
    def _requests(self) -> SlackRequests:
        def seconds() -> float:
            return self.outside.clock.now().timestamp()

        return SlackRequests(self._signing_secret, self.desk.arrived, seconds)

    @cached_property
    def _calls(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="slack")

    @cached_property
    def _people(self) -> People:
        return People(
            users=lambda: self.settings().slack.people,
            groups=lambda: self.settings().slack.groups,
            members=self._slack_pen.members,
            boot=self.outside.clock.boot,
        )

    @cached_property
    def _slack_pen(self) -> SlackPen:
        return SlackPen(self._token, self.settings().slack.api)

    @cached_property
    def _second(self) -> AppriseChannel:
        return AppriseChannel(lambda: self.settings().second, self.outside.secret)

    @cached_property
    def _courier(self) -> ToolCourier:
        return ToolCourier(self.outside)

    @cached_property
    def _inputs(self) -> OpenInputs:
        return OpenInputs(
            self.outside.store, self.plans, lambda plan, run, step: step_inputs(self.outside, plan, run, step)
        )

    def _pen(self) -> SlackPen | None:
        return self._slack_pen if self.settings().slack.token else None

    def _ways(self) -> Ways:
        settings = self.settings()
        second = self._second if settings.second else None
        return Ways(self._courier if settings.slack.token else None, self._pen(), second)

    def _manners(self) -> Manners:
        return self.settings().manners

    def _buttons(self, alert: Alert) -> tuple[Button, ...]:
        shown = links(alert, self.settings().manners.page)
        if not self.settings().slack.answers:
            return shown
        asked = alert.trouble.question
        opened = self._inputs.names(alert.trouble.run, asked.id) if asked else ()
        return (*buttons(alert, opened), *shown)

    def _token(self) -> str:
        return self.outside.secret(self.settings().slack.token)

    def _app_token(self) -> str:
        return self.outside.secret(self.settings().slack.app_token)

    def _signing_secret(self) -> str:
        return self.outside.secret(self.settings().slack.signing_secret)
