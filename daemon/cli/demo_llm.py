"""`clockwright demo-llm`: the daily sales report with a scripted model on loopback, through the real client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain import wording
from ..domain.events import Decided, Event
from ..domain.model import Run
from . import printing, templates
from .carrying import Bulletin
from .demo import JOB, build_shop
from .session import Session
from .trouble import Unavailable

if TYPE_CHECKING:
    from ..config import Loaded
    from ..testing.scripted_endpoint import Body, Reply


def register(app: typer.Typer) -> None:
    app.command("demo-llm")(demo_llm)


def demo_llm(
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="A real OpenAI-compatible endpoint instead of the scripted one.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME", help="The model's name there.")] = "scripted",
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Every run gets a folder of its own in it.")] = Path(
        ".demo-llm"
    ),
) -> int:
    """Run the daily sales report with a model that decides every step, and print each decision as it is made."""
    fresh = folder.absolute() / f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    with _endpoint(base_url) as url:
        return _run(fresh, url, model)


@contextmanager
def _endpoint(base_url: str | None) -> Iterator[str]:
    """The scripted one stumbles on purpose: what a model does wrong must not harm the report."""
    from ..testing.scripted_endpoint import ScriptedEndpoint

    if base_url:
        yield base_url
        return
    with ScriptedEndpoint(Clumsy()) as endpoint:
        yield endpoint.url


def _run(folder: Path, url: str, model: str) -> int:
    from ..app import wire
    from ..runtime.requests import yesterday
    from .errand import Errand

    templates.write(folder)
    config = _with_model(Session(folder).config(), url, model)
    aloud = Aloud()
    with closing(wire(config, [aloud])) as daemon:
        job = config.by_id.get(JOB)
        if job is None or job.broken:
            raise Unavailable("\n".join(map(str, config.faults)) or f"the shipped job {JOB!r} is missing")
        build_shop(config.settings, job)
        return Errand(daemon, aloud, as_json=False).run(job, yesterday(job, datetime.now(UTC)))


def _with_model(config: Loaded, url: str, model: str) -> Loaded:
    from ..domain.llm import Endpoint, Llm

    llm = Llm(Endpoint(model, url))
    return replace(config, jobs=tuple(replace(job, model=llm) for job in config.jobs))


class Aloud(Bulletin):
    """On a terminal the table shows states; this says above it what the model said, when it said it."""

    def emit(self, run: Run, event: Event) -> None:
        if isinstance(event, Decided) and printing.console().is_terminal:
            typer.echo(f"  decision about {event.step}: {wording.decision(event.decision)}")
        super().emit(run, event)


class Clumsy:
    """A model that agrees, after it has shown what models do: it thinks aloud, invents tools, cuts itself short."""

    def __init__(self) -> None:
        self._asked = 0

    def __call__(self, request: Body) -> Reply:
        from ..testing.scripted_endpoint import completion, error

        self._asked += 1
        good = _agreement(request)
        stumbles = {
            2: error(429, "slow down", retry_after="0"),
            3: completion(f"<think>The figures look fine.</think>\n{good}"),
            4: completion(good.replace('"tool_to_use": "', '"tool_to_use": "send_email_and_')),
            6: completion('{"decision": "A", "reason": "the total match', finish="length"),
            8: completion("I would go on, but C is also possible."),
            9: completion(None, refusal="I cannot help with that."),
        }
        return stumbles.get(self._asked) or completion(good)


def _agreement(request: dict[str, Any]) -> str:
    """The first letter that is allowed, about the tool that is asked about."""
    members = request["response_format"]["json_schema"]["schema"]["properties"]
    answer = {
        "reason": "Nothing speaks against it.",
        "decision": members["decision"]["enum"][0],
        "tool_to_use": members["tool_to_use"]["enum"][0],
        "tool_input": dict.fromkeys(members["tool_input"]["properties"]),
    }
    return json.dumps(answer)
