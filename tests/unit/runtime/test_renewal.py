"""New jobs come into force in the loop's own turn; what is bad never replaces what is good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.domain.absent import Absent
from daemon.domain.plan import Step
from daemon.ports import StoreUnavailable
from daemon.runtime.duty import Service
from daemon.runtime.renewal import Jobs, Renewal, in_force
from daemon.runtime.scheduler import Scheduler
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan

JOB = make_job(make_plan([Step("a", "look")], job="hourly"))
OTHER = replace(JOB, id="other")


def test_a_job_whose_file_went_bad_stays_as_it_was() -> None:
    found = in_force({"hourly": JOB, "other": OTHER}, Jobs({}, Absent({"hourly": "jobs/hourly.yaml:1:1: bad"})))
    assert found.by_id == {"hourly": JOB}


def test_while_a_file_cannot_be_read_no_job_counts_as_removed() -> None:
    assert in_force({"hourly": JOB}, Jobs({}, Absent(unreadable="jobs/x.yaml:1:1: not YAML"))).by_id == {"hourly": JOB}


def test_a_removed_job_is_gone_and_a_changed_one_counts() -> None:
    changed = replace(JOB, description="new")
    assert in_force({"hourly": JOB, "other": OTHER}, Jobs({"hourly": changed})).by_id == {"hourly": changed}


def test_of_two_renewals_the_newest_is_taken_once() -> None:
    renewal, newest = Renewal(), Jobs({"other": OTHER})
    renewal.offer(Jobs({"hourly": JOB}))
    renewal.offer(newest)
    assert renewal.take() is newest
    assert renewal.take() is None


def test_a_renewal_that_meets_a_store_that_is_away_is_tried_again() -> None:
    stage, renewal = Stage(), Renewal()
    scheduler = Scheduler(stage.outside, stage.plans, stage.executor, {}, ZONE_DATA)
    service = Service(stage.outside, stage.executor, scheduler, renewal)
    service.take_over()
    renewal.offer(Jobs({"hourly": JOB}))

    def away(name: str) -> None:
        stage.store.before_commit = lambda _: None
        raise StoreUnavailable(f"{name}: away")

    stage.store.before_commit = away
    with pytest.raises(StoreUnavailable):
        service.tick()
    service.tick()
    assert [revision.job for revision in stage.store.revisions()] == ["hourly"]
