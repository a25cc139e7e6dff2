"""Tells people: in Slack while it works, by the second channel where it does not, each message once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from ..domain.alert_words import Words, words
from ..domain.alerts import Alert
from ..domain.digests import digest
from ..domain.doubt import MAX_ASKS
from ..domain.errors import RULES, Kind
from ..domain.manners import Manners
from ..domain.model import Failed, Reconciled, Verdict
from ..domain.presses import Button
from ..domain.telling import OUTBOX, SECOND, SLACK, Telling, What, arrived, began, failed, in_doubt, lies_at, of_slack
from ..ports import Clock, Courier, Letter, LetterReceipt, Notice, Pen, SecondChannel, Severity

SECONDS = timedelta(seconds=30)
"""How long one message may take to be sent."""
PATIENCE = 2
"""Failed tries in Slack after which the second channel is told."""
_GONE = frozenset({Kind.MISCONFIGURED, Kind.INVALID_INPUT})
"""A message that cannot be edited, now or later."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How people can be reached. All None: the files of the outbox are all there is."""

    courier: Courier | None = None
    pen: Pen | None = None
    second: SecondChannel | None = None


class Teller:
    """`save` stores an alert before anything is sent for it; `notice` hears of Slack's trouble."""

    def __init__(
        self,
        clock: Clock,
        ways: Callable[[], Ways],
        manners: Callable[[], Manners],
        buttons: Callable[[Alert], tuple[Button, ...]],
        notice: Callable[[Notice], None],
    ) -> None:
        self._clock = clock
        self._ways = ways
        self._manners = manners
        self._buttons = buttons
        self._notice = notice

    def tell(self, alert: Alert, telling: Telling, save: Callable[[Alert], None]) -> Alert:
        """The alert as it is once this message was sent, or was not. Raises StoreError, before it sends."""
        ways, manners = self._ways(), self._manners()
        said = words(alert, telling, manners)
        channel = alert.told.channel or manners.route(alert).channel
        if not channel or of_slack(alert) or ways.courier is None:
            return self._otherwise(alert, telling, said)
        letter = self._letter(alert, channel, said)
        if telling.what is What.CLOSED and alert.asks and alert.told.stamp and ways.pen:
            return self._edited(alert, telling, ways.pen.edit(letter, alert.told.stamp))
        told = self._posted(alert, letter, telling, ways.courier, save)
        if told.told.posts == alert.told.posts and self._given_up(told, telling):
            return self._otherwise(told, telling, said)
        if told.told.posts > alert.told.posts and manners.route(alert).second:
            self._aloud(said, alert)
        return told

    def aloud(self, alert: Alert, telling: Telling) -> bool:
        """Say it at once, without the store; whether somebody could be reached."""
        return self._aloud(words(alert, telling, self._manners()), alert) == ""

    def _letter(self, alert: Alert, channel: str, said: Words) -> Letter:
        first = not alert.told.stamp
        in_place = alert.asks and not alert.open
        return Letter(
            channel=channel,
            headline=said.headline,
            markdown=said.markdown,
            mentions=said.mentions,
            thread="" if first or in_place else alert.told.stamp,
            buttons=self._buttons(alert) if alert.open and first else (),
        )

    def _posted(
        self, alert: Alert, letter: Letter, telling: Telling, courier: Courier, save: Callable[[Alert], None]
    ) -> Alert:
        if alert.told.sending:
            outcome = courier.ask(letter, alert.told.sending.key)
            if isinstance(outcome, Failed):
                return in_doubt(alert, self._clock.now())
        else:
            until = self._clock.now() + SECONDS
            key = digest(["alert", alert.id, alert.told.posts])[:32]
            alert = began(alert, key, until)
            save(alert)
            outcome = courier.post(letter, key, until)
        return self._after(alert, telling, outcome)

    def _after(self, alert: Alert, telling: Telling, outcome: LetterReceipt | Reconciled | Failed) -> Alert:
        now = self._clock.now()
        if isinstance(outcome, LetterReceipt):
            self._notice(Notice("slack_answers", "Slack takes messages", Severity.INFO))
            return lies_at(arrived(alert, telling, now, SLACK), outcome.channel, outcome.stamp, outcome.link)
        if isinstance(outcome, Reconciled):
            return self._unsettled(alert, outcome)
        if RULES[outcome.kind].unknown:
            return alert  # it is asked about once it can come no more
        if outcome.kind is not Kind.TRANSIENT or alert.told.tries >= PATIENCE:
            message = f"Slack does not take messages: {outcome.kind}: {outcome.message}"
            self._notice(Notice("slack_trouble", message, Severity.CRITICAL))
        tries = PATIENCE if outcome.kind is not Kind.TRANSIENT else alert.told.tries
        alert = replace(alert, told=replace(alert.told, tries=max(tries, alert.told.tries)))
        return failed(alert, now, outcome.retry_after)

    def _unsettled(self, alert: Alert, said: Reconciled) -> Alert:
        """Not there, so that it is sent again; or Slack cannot tell, so that it is asked again, a few times."""
        if said.verdict is Verdict.NOT_FOUND:
            return replace(alert, told=replace(alert.told, sending=None))
        return in_doubt(alert, self._clock.now())

    def _given_up(self, alert: Alert, telling: Telling) -> bool:
        """Whether this message goes another way. A question that was told another way waits for Slack."""
        told = alert.told
        if self._ways().second is None or (alert.trouble.question and telling.what is What.AGAIN):
            return False
        return told.tries > PATIENCE or (told.sending is not None and told.sending.asks >= MAX_ASKS)

    def _otherwise(self, alert: Alert, telling: Telling, said: Words) -> Alert:
        now = self._clock.now()
        if self._ways().second is None:
            return arrived(alert, telling, now, OUTBOX)
        refused = self._aloud(said, alert)
        return failed(alert, now) if refused else arrived(alert, telling, now, SECOND)

    def _aloud(self, said: Words, alert: Alert) -> str:
        second = self._ways().second
        if second is None:
            return "there is no second channel"
        refused = second.send(said.headline, said.markdown, self._manners().severity(alert))
        if refused:
            self._notice(Notice("second_channel", f"the second channel did not take an alert: {refused}"))
        return refused

    def _edited(self, alert: Alert, telling: Telling, refused: Failed | None) -> Alert:
        now = self._clock.now()
        if refused is None or refused.kind in _GONE:
            return arrived(alert, telling, now, SLACK)
        return failed(alert, now, refused.retry_after)
