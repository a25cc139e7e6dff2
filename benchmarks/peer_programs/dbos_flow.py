"""DBOS on SQLite as it is shipped: a workflow of steps; a second start recovers what was pending."""

from __future__ import annotations

import time

from dbos import DBOS, SetWorkflowID, SetWorkflowTimeout
from work import OUTPUT, STEPS, TIMEOUT, hang, measured, post, said, task

ASKED = task()
DBOS(config={"name": "peer", "system_database_url": f"sqlite:///{ASKED.folder}/dbos.db", "log_level": "ERROR"})


@DBOS.step()
def no_work() -> dict[str, str]:
    return OUTPUT


@DBOS.step()
def send(url: str) -> str:
    return post(url)


@DBOS.step()
def waits(url: str) -> str:
    return hang(url)


@DBOS.workflow()
def five() -> None:
    for _ in range(STEPS):
        no_work()


@DBOS.workflow()
def sending(url: str) -> None:
    no_work()
    send(url)
    no_work()


@DBOS.workflow()
def hanging(url: str) -> None:
    waits(url)


def main() -> None:
    DBOS.launch()
    if ASKED.what == "cost":
        measured(five, ASKED.runs)
    elif ASKED.what == "hang":
        with SetWorkflowTimeout(TIMEOUT):
            hanging(ASKED.url)
    elif ASKED.what == "send":
        with SetWorkflowID("report"):
            sending(ASKED.url)
    else:
        said(ended=_recovered())
    DBOS.destroy()


def _recovered() -> bool:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        status = DBOS.get_workflow_status("report")
        if status is not None and status.status == "SUCCESS":
            return True
        time.sleep(0.1)
    return False


if __name__ == "__main__":
    main()
