"""Jobs that follow other ones, as the whole configuration sees them."""

from __future__ import annotations

from tests.unit.config.workshop import DAILY, Workshop

CRON = '  cron: "0 10 * * *"\n'


def job(name: str, schedule: str) -> str:
    return DAILY.replace("id: daily", f"id: {name}").replace(CRON, f"  {schedule}\n")


def test_a_job_may_follow_another_one(workshop: Workshop) -> None:
    workshop.job(DAILY)
    workshop.job(job("tell", "after: daily"), "tell")
    loaded = workshop.load()
    assert loaded.faults == ()
    assert (loaded.by_id["tell"].after, loaded.by_id["tell"].schedule) == ("daily", None)
    assert not loaded.by_id["tell"].plan.shares_dates


def test_whoever_follows_a_job_that_is_due_often_shares_its_dates(workshop: Workshop) -> None:
    workshop.job(job("daily", "every: 1h"))
    workshop.job(job("tell", "after: daily"), "tell")
    workshop.job(job("last", "after: tell"), "last")
    jobs = workshop.load().by_id
    assert [jobs[name].plan.shares_dates for name in ("daily", "tell", "last")] == [True, True, True]
    assert len({jobs[name].plan.digest for name in jobs}) == 3


def test_the_head_of_a_chain_fixes_the_days_of_all_who_follow(workshop: Workshop) -> None:
    workshop.job(DAILY)
    workshop.job(job("tell", "after: daily"), "tell")
    workshop.job(job("last", "after: tell"), "last")
    jobs = workshop.load().by_id
    assert jobs["daily"].head is None
    assert jobs["last"].head == jobs["tell"].head == jobs["daily"].dating


def test_an_unknown_job_cannot_be_followed(workshop: Workshop) -> None:
    workshop.job(DAILY)
    workshop.job(job("tell", "after: dayly"), "tell")
    [fault] = workshop.load().faults
    assert str(fault).startswith("jobs/tell.yaml:5:3: there is no job 'dayly' to follow")
    assert "daily" in fault.hint


def test_jobs_cannot_follow_each_other_in_a_circle(workshop: Workshop) -> None:
    workshop.job(job("daily", "after: last"))
    workshop.job(job("tell", "after: daily"), "tell")
    workshop.job(job("last", "after: tell"), "last")
    loaded = workshop.load()
    assert loaded.jobs == ()
    assert [fault.message for fault in loaded.faults] == [
        "jobs follow each other in a circle: daily after last after tell after daily",
        "jobs follow each other in a circle: last after tell after daily after last",
        "jobs follow each other in a circle: tell after daily after last after tell",
    ]


def test_a_job_cannot_follow_itself(workshop: Workshop) -> None:
    workshop.job(job("daily", "after: daily"))
    assert "in a circle: daily after daily" in workshop.faults()[0]


def test_what_has_no_effect_on_a_follower_is_refused(workshop: Workshop) -> None:
    workshop.job(DAILY)
    workshop.job(job("tell", "after: daily\n  catch_up: all\n  overlap: skip"), "tell")
    assert [fault.message for fault in workshop.load().faults] == [
        "'catch_up' has no effect here",
        "'overlap: skip' has no effect here",
    ]
