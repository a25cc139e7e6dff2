"""Prefect with the server that it starts by itself: tasks whose results are kept, and used again by a second call."""

from __future__ import annotations

import os

from work import OUTPUT, STEPS, TIMEOUT, hang, measured, post, said, task

ASKED = task()
os.environ.update(
    PREFECT_HOME=str(ASKED.folder / "prefect"), PREFECT_LOGGING_LEVEL="ERROR", PREFECT_SERVER_ANALYTICS_ENABLED="false"
)

from prefect import flow, task as step  # it reads its settings when it is imported
from prefect.cache_policies import INPUTS, TASK_SOURCE

KEPT = {"persist_result": True, "cache_policy": INPUTS + TASK_SOURCE}


@step
def no_work() -> dict[str, str]:
    return OUTPUT


@step(**KEPT)
def prepare(url: str) -> str:
    return url


@step(**KEPT)
def send(url: str) -> str:
    return post(url)


@step(timeout_seconds=TIMEOUT)
def waits(url: str) -> str:
    return hang(url)


@flow
def five() -> None:
    for _ in range(STEPS):
        no_work()


@flow
def sending(url: str) -> None:
    send(prepare(url))


@flow
def hanging(url: str) -> None:
    waits(url)


def main() -> None:
    if ASKED.what == "cost":
        measured(five, ASKED.runs)
    elif ASKED.what == "hang":
        hanging(ASKED.url)
    else:
        sending(ASKED.url)
        said(ended=True)


if __name__ == "__main__":
    main()
