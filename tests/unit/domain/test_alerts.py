"""Folding, incidents, recovery, reminders, quiet hours and routes: all of it is a table over values and time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from daemon.domain.alert_words import words
from daemon.domain.alerts import Alert, State, Subject, Topic, Trouble, closed, cured, raised
from daemon.domain.manners import Daily, Manners, Quiet, Route
from daemon.domain.severity import Severity
from daemon.domain.telling import Telling, What, arrived, began, failed, in_doubt, lies_at, owed
from daemon.domain.timing import Blackout
from tests.builders import T0, a_question, after

WINDOW = timedelta(minutes=10)
MANNERS = Manners(channel="#ops", again=timedelta(minutes=15), remind=timedelta(hours=4), window=WINDOW)


def trouble(job: str = "daily", at: float = 0, upstream: str = "", **values: object) -> Trouble:
    made = Trouble(
        source=f"run/{job}/{at}",
        topic=Topic.FAILED,
        at=after(at),
        text=f"{job} for 2026-02-28 failed: query: transient: no connection",
        cause="query: transient: no connection",
        next="nothing more is tried by itself",
        severity=Severity.CRITICAL,
        subject=Subject(job),
        step="query",
        run=f"{job}-run",
        upstream=upstream,
    )
    return replace(made, **values)  # type: ignore[arg-type]


def alert(*troubles: Trouble) -> Alert:
    """What these, one after the other, become where all of them belong together."""
    made = raised([], troubles[0], WINDOW)
    for one in troubles[1:]:
        made = raised([made], one, WINDOW)
    return made


def told(made: Alert, at: float = 0, what: What = What.OPENED) -> Alert:
    return arrived(made, Telling(what, after(at)), after(at), "slack")


class TestFolding:
    def test_the_same_trouble_of_the_same_job_is_counted(self) -> None:
        folded = alert(trouble(), trouble(at=60), trouble(at=120))
        assert (folded.count, folded.ever, folded.opened_at, folded.trouble.at) == (3, 1, T0, after(120))

    @pytest.mark.parametrize("other", [trouble("weekly"), trouble(topic=Topic.DEGRADED), trouble(step="send")])
    def test_other_trouble_is_an_alert_of_its_own(self, other: Trouble) -> None:
        first = alert(trouble())
        assert raised([first], other, WINDOW).id != first.id

    def test_what_comes_back_after_it_was_closed_is_new(self) -> None:
        first = closed(alert(trouble()), after(60), "recovered")
        assert raised([first], trouble(at=120), WINDOW).count == 1

    def test_every_question_is_one_of_its_own(self) -> None:
        one, two = (trouble(topic=Topic.ASKED, question=a_question(name)) for name in ("ask-1", "ask-2"))
        assert one.fingerprint != two.fingerprint


class TestIncidents:
    def test_many_jobs_that_fail_for_one_cause_are_one_incident(self) -> None:
        folded = alert(*(trouble(f"job-{n}", n * 20, "transient: refused") for n in range(30)))
        assert (folded.count, folded.ever, folded.incident) == (30, 30, True)
        assert "30 jobs" in words(folded, Telling(What.OPENED, T0), MANNERS).headline

    @pytest.mark.parametrize(
        ("upstream", "at"), [("", 5), ("denied: no", 5), ("transient: refused", WINDOW.total_seconds() + 1)]
    )
    def test_another_cause_no_cause_or_another_time_is_none(self, upstream: str, at: float) -> None:
        first = alert(trouble(upstream="transient: refused"))
        assert raised([first], trouble("weekly", at, upstream), WINDOW).id != first.id

    def test_a_job_that_fails_again_is_counted_in_the_incident_that_it_is_in(self) -> None:
        first = alert(trouble("a", 0, "x"), trouble("b", 1, "x"))
        again = raised([first], trouble("a", 3600, "x"), WINDOW)
        assert (again.id, again.count, again.ever) == (first.id, 3, 2)

    def test_it_recovers_when_the_last_of_its_jobs_has(self) -> None:
        both = alert(trouble("a", 0, "x"), trouble("b", 1, "x"))
        [left] = cured([both], "a", after(60), "recovered")
        assert left.open
        [well] = cured([left], "b", after(90), "recovered")
        assert (well.state, well.closed_at) == (State.CLOSED, after(90))


class TestRecovery:
    @pytest.mark.parametrize("topic", [Topic.FAILED, Topic.DEGRADED, Topic.OVERDUE, Topic.BUDGET])
    def test_a_good_run_closes_what_was_wrong_with_the_job(self, topic: Topic) -> None:
        assert not cured([alert(trouble(topic=topic))], "daily", after(60), "recovered")[0].open

    @pytest.mark.parametrize("topic", [Topic.ASKED, Topic.STREAK, Topic.STORE, Topic.SLACK, Topic.RELOAD])
    def test_it_closes_nothing_else(self, topic: Topic) -> None:
        assert cured([alert(trouble(topic=topic))], "daily", after(60), "recovered") == []

    def test_nor_another_job_nor_what_went_wrong_after_it(self) -> None:
        open_one = alert(trouble(at=100))
        assert cured([open_one], "weekly", after(200), "recovered") == []
        assert cured([open_one], "daily", after(99), "recovered") == []


OPEN = alert(trouble())
TWICE = alert(trouble(), trouble(at=60))
ASKED = alert(trouble(topic=Topic.ASKED, question=a_question()))
NOTE = alert(trouble(severity=Severity.INFO))
SHUT = closed(told(OPEN), after(3600), "recovered")


class TestWhatIsOwed:
    @pytest.mark.parametrize(
        ("made", "what", "at"),
        [
            (OPEN, What.OPENED, 0),
            (told(OPEN), What.REMINDER, 4 * 3600),
            (replace(TWICE, told=told(OPEN).told), What.AGAIN, 15 * 60),
            (told(TWICE), What.REMINDER, 4 * 3600),
            (told(ASKED), What.REMINDER, 2 * 3600),
            (SHUT, What.CLOSED, 3600),
        ],
    )
    def test_the_next_message_and_when(self, made: Alert, what: What, at: float) -> None:
        assert owed(made, MANNERS) == Telling(what, after(at))

    @pytest.mark.parametrize(
        "made",
        [
            told(SHUT, 3601, What.CLOSED),
            closed(OPEN, after(5), "recovered"),
            told(NOTE),
            told(told(ASKED), 7200, What.REMINDER),
            told(alert(trouble(topic=Topic.DIGEST))),
        ],
        ids=["told that it is well", "well before anybody was told", "a mere note", "reminded once", "summed up"],
    )
    def test_nothing_more(self, made: Alert) -> None:
        assert owed(made, MANNERS) is None

    def test_a_message_that_failed_is_owed_again_later_and_later(self) -> None:
        once = failed(OPEN, after(10))
        assert owed(once, MANNERS) == Telling(What.OPENED, after(40))
        assert owed(failed(once, after(40)), MANNERS) == Telling(What.OPENED, after(100))

    def test_slack_says_when_it_may_be_tried_again_within_bounds(self) -> None:
        assert owed(failed(OPEN, T0, 120.0), MANNERS) == Telling(What.OPENED, after(120))
        assert owed(failed(OPEN, T0, 1e6), MANNERS) == Telling(What.OPENED, after(900))

    def test_what_may_be_on_its_way_is_asked_about_once_it_can_come_no_more(self) -> None:
        flying = began(OPEN, "key", after(30))
        assert owed(flying, MANNERS) == Telling(What.OPENED, after(40))
        assert owed(in_doubt(flying, after(40)), MANNERS) == Telling(What.OPENED, after(80))

    def test_later_messages_go_below_the_first(self) -> None:
        first = lies_at(OPEN, "C1", "1.0", "link")
        assert lies_at(first, "C2", "2.0", "").told.stamp == "1.0"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


NIGHT = Quiet(Blackout(time(22), time(7)), "Europe/Berlin")


class TestQuietHours:
    @pytest.mark.parametrize(
        ("asked", "severity", "told_at"),
        [
            ("2026-01-10T12:00", Severity.WARNING, "2026-01-10T12:00"),
            ("2026-01-10T21:30", Severity.WARNING, "2026-01-11T06:00"),
            ("2026-01-10T03:00", Severity.WARNING, "2026-01-10T06:00"),
            ("2026-01-10T03:00", Severity.CRITICAL, "2026-01-10T03:00"),
            ("2026-03-28T23:00", Severity.INFO, "2026-03-29T05:00"),
        ],
        ids=["by day", "in the evening", "before dawn", "critical", "the night of the clock change"],
    )
    def test_the_unimportant_waits_for_the_morning(self, asked: str, severity: Severity, told_at: str) -> None:
        assert NIGHT.after(at(asked), severity) == at(told_at)

    def test_a_telling_waits_too(self) -> None:
        made = raised([], replace(trouble(severity=Severity.WARNING), at=at("2026-01-10T23:00")), WINDOW)
        telling = owed(made, replace(MANNERS, quiet=NIGHT))
        assert telling == Telling(What.OPENED, at("2026-01-11T06:00"))


class TestRoutes:
    @pytest.mark.parametrize(
        ("route", "taken"),
        [
            (Route("#x"), True),
            (Route("#x", jobs=frozenset({"daily"})), True),
            (Route("#x", jobs=frozenset({"weekly"})), False),
            (Route("#x", tags=frozenset({"finance", "other"})), True),
            (Route("#x", tags=frozenset({"other"})), False),
            (Route("#x", topics=frozenset({Topic.FAILED})), True),
            (Route("#x", severities=frozenset({Severity.INFO})), False),
            (Route("#x", jobs=frozenset({"daily"}), tags=frozenset({"other"})), False),
        ],
    )
    def test_a_route_takes_what_matches_all_that_it_names(self, route: Route, *, taken: bool) -> None:
        made = alert(trouble(subject=Subject("daily", tags=("finance",))))
        found = replace(MANNERS, routes=(route,)).route(made)
        assert found.channel == ("#x" if taken else "#ops")

    def test_it_may_change_the_severity_and_keep_the_channel(self) -> None:
        manners = replace(MANNERS, routes=(Route(severity=Severity.INFO, jobs=frozenset({"daily"})),))
        assert manners.severity(alert(trouble())) is Severity.INFO
        assert manners.route(alert(trouble())).channel == "#ops"


class TestDaily:
    @pytest.mark.parametrize(
        ("now", "last"),
        [("2026-01-10T06:59", "2026-01-09T07:00"), ("2026-01-10T07:00", "2026-01-10T07:00")],
    )
    def test_it_is_due_at_its_local_time(self, now: str, last: str) -> None:
        assert Daily(time(8), "Europe/Berlin").last(at(now)) == at(last)

    def test_the_next_one_keeps_its_wall_time_over_a_clock_change(self) -> None:
        assert Daily(time(8), "Europe/Berlin").next(at("2026-03-28T10:00")) == at("2026-03-29T06:00")


class TestWords:
    def test_it_names_job_date_step_cause_next_and_run(self) -> None:
        made = alert(trouble(data_date="2026-02-28", subject=Subject("daily", "ada", "https://wiki.example.com/x")))
        text = words(made, Telling(What.OPENED, T0), replace(MANNERS, page="https://cw.example.com/")).markdown
        for wanted in (
            "Job: daily for 2026-02-28",
            "Step: query",
            "Cause: query: transient: no connection",
            "Next: nothing more is tried by itself",
            "Run: [daily-run](https://cw.example.com/runs/daily-run)",
            "Owner: ada",
            "Runbook: [open](https://wiki.example.com/x)",
        ):
            assert wanted in text

    @pytest.mark.parametrize(("owner", "mentions"), [("<@U0123ABCD>", ("U0123ABCD",)), ("data team", ())])
    def test_an_owner_is_mentioned_where_it_is_somebody_in_slack(self, owner: str, mentions: tuple[str, ...]) -> None:
        made = alert(trouble(subject=Subject("daily", owner)))
        assert words(made, Telling(What.OPENED, T0), MANNERS).mentions == mentions
        assert words(made, Telling(What.AGAIN, T0), MANNERS).mentions == ()

    def test_data_is_no_markup(self) -> None:
        made = alert(trouble(cause="<!channel> *bold* [x](http://evil)", subject=Subject("daily", "", "javascript:1")))
        text = words(made, Telling(What.OPENED, T0), MANNERS).markdown
        assert r"\<!channel\> \*bold\* \[x\](http://evil)" in text
        assert "[open]" not in text
