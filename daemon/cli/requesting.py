"""From a job's name and a date on the command line to the run that stands for them."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from ..domain.nearest import did_you_mean
from .trouble import Misuse, Refused

if TYPE_CHECKING:
    from ..config import Loaded
    from ..domain.job import Job


def job_named(config: Loaded, name: str) -> Job:
    """Raises Misuse for an unknown name, Refused for a job that cannot run."""
    if job := config.by_id.get(name):
        if job.broken:
            raise Refused(f"job {name!r} cannot run: {job.broken}")
        return job
    own = [str(fault) for fault in config.faults if fault.file == f"jobs/{name}.yaml" or repr(name) in fault.message]
    if own:
        raise Refused("\n".join(own))
    others = " (some job files have faults: see 'clockwright validate')" if config.faults else ""
    raise Misuse(f"there is no job {name!r}{others}", did_you_mean(name, config.by_id))


def day_named(text: str | None, job: Job, now: datetime) -> date:
    """The local day to report on; yesterday where none is named. Raises Misuse, Declined."""
    from ..runtime.requests import day_asked, yesterday

    latest = yesterday(job, now)
    if text is None or text == "yesterday":
        return latest
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Misuse(f"{text!r} is not a date", f"write it as YYYY-MM-DD, for example {latest}") from None
    return day_asked(job, day, now)
