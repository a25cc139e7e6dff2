"""LangGraph with its SQLite checkpointer, durability sync: a graph of nodes; a second start goes on in its thread."""

from __future__ import annotations

import sqlite3
from itertools import count, pairwise
from typing import Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from work import OUTPUT, STEPS, TIMEOUT, hang, measured, post, said, task


class State(TypedDict, total=False):
    url: str
    output: dict[str, str]


def no_work(_: State) -> dict[str, Any]:
    return {"output": OUTPUT}


def send(state: State) -> dict[str, Any]:
    return {"output": {"status": post(state["url"])}}


def waits(state: State) -> dict[str, Any]:
    return {"output": {"status": hang(state["url"])}}


def graph(saver: SqliteSaver, *nodes: Any) -> Any:
    made = StateGraph(State)
    names = [START, *(f"step-{number}" for number in range(len(nodes))), END]
    for name, node in zip(names[1:-1], nodes, strict=True):
        made.add_node(name, node)
    for before, after in pairwise(names):
        made.add_edge(before, after)
    return made.compile(checkpointer=saver)


def main() -> None:
    asked = task()
    saver = SqliteSaver(sqlite3.connect(asked.folder / "graph.db", check_same_thread=False))
    thread = {"configurable": {"thread_id": "report"}}
    if asked.what == "cost":
        five, number = graph(saver, *[no_work] * STEPS), count()
        measured(
            lambda: five.invoke({}, {"configurable": {"thread_id": str(next(number))}}, durability="sync"), asked.runs
        )
    elif asked.what == "hang":
        hanging = graph(saver, waits)
        hanging.step_timeout = TIMEOUT
        hanging.invoke({"url": asked.url}, thread, durability="sync")
    else:
        sending = graph(saver, no_work, send, no_work)
        sending.invoke({"url": asked.url} if asked.what == "send" else None, thread, durability="sync")
        said(ended=not sending.get_state(thread).next)


if __name__ == "__main__":
    main()
