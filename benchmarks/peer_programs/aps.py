"""APScheduler with its SQLite job store: one job that was due now; a second start takes up what the store holds."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from apscheduler.events import EVENT_JOB_EXECUTED
from apscheduler.schedulers.background import BackgroundScheduler
from work import hang, post, said, task


def main() -> None:
    asked = task()
    ended = threading.Event()
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_jobstore("sqlalchemy", url=f"sqlite:///{asked.folder}/aps.db")
    scheduler.add_listener(lambda _: ended.set(), EVENT_JOB_EXECUTED)
    scheduler.start()
    if asked.what != "again":
        work = {"send": post, "hang": hang}[asked.what]
        at = datetime.now(UTC) + timedelta(seconds=0.5)
        scheduler.add_job(work, "date", run_date=at, args=[asked.url], misfire_grace_time=None)
    ended.wait(600 if asked.what != "again" else 15)
    said(ended=ended.is_set(), left=len(scheduler.get_jobs()))


if __name__ == "__main__":
    main()
