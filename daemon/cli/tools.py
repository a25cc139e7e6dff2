"""`clockwright tools`: what steps can use, and trying one alone."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain import times
from ..domain.nearest import did_you_mean
from . import printing
from .schema_table import fields
from .session import Session
from .trouble import Misuse, Refused

if TYPE_CHECKING:
    from ..domain.draft import Toolbox
    from ..domain.tool import BrokenTool, ToolSpec

TOOLS = typer.Typer(help="What steps can use, and trying one alone.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The tool's name.")]


def register(app: typer.Typer) -> None:
    app.add_typer(TOOLS, name="tools")


@TOOLS.command("list")
def list_tools(context: typer.Context, as_json: AsJson = False) -> None:
    """Every tool, and every broken file with its line."""
    session: Session = context.obj
    toolbox = session.toolbox()
    if as_json:
        broken = [asdict(each) | {"broken": True} for each in toolbox.broken.values()]
        printing.say_json([*map(_document, toolbox.tools.values()), *broken])
        return
    rows = [
        (each.name, each.effect.value, times.length(each.timeout.total_seconds()), _first_line(each.description))
        for each in toolbox.tools.values()
    ]
    rows += [(each.name, "broken", "", f"{_place(each)}: {each.message}") for each in toolbox.broken.values()]
    printing.say_table(("tool", "effect", "timeout", "what it does"), rows, "no tools")


@TOOLS.command("show")
def show_tool(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """A tool's contract: inputs, outputs, effect, timeout, secrets."""
    session: Session = context.obj
    spec = tool_named(session.toolbox(), name)
    if as_json:
        printing.say_json(_document(spec) | {"input": spec.input_schema, "output": spec.output_schema})
        return
    typer.echo(f"{spec.name} {spec.version}: {spec.description}\n")
    typer.echo(f"effect   {spec.effect}; timeout {times.length(spec.timeout.total_seconds())}; {spec.path}")
    if spec.secrets:
        typer.echo(f"secrets  {', '.join(_marked(name, spec) for name in spec.secrets)}")
    for heading, schema in (("input", spec.input_schema), ("output", spec.output_schema)):
        typer.echo()
        printing.say_table((heading, "type", "needed", "what it is"), fields(schema), f"no {heading}")


@TOOLS.command("try")
def try_tool(
    context: typer.Context,
    name: Name,
    input_: Annotated[str, typer.Option("--input", metavar="JSON", help="The input; @FILE reads it from a file.")],
    secret: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A secret that the tool declares; may be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run a tool once in the real sandbox, in a folder of its own."""
    from .trial import try_once

    session: Session = context.obj
    settings = session.settings()
    spec = tool_named(session.toolbox(), name)
    return try_once(settings, spec, _input(input_), dict(_secret(each) for each in secret or []), as_json=as_json)


def tool_named(toolbox: Toolbox, name: str) -> ToolSpec:
    """Raises Refused for a broken tool, Misuse for an unknown one."""
    if spec := toolbox.tools.get(name):
        return spec
    if broken := toolbox.broken.get(name):
        raise Refused(f"the tool {name!r} is broken: {_place(broken)}: {broken.message}")
    raise Misuse(f"there is no tool {name!r}", did_you_mean(name, toolbox.tools))


def _input(text: str) -> dict[str, Any]:
    try:
        content = Path(text[1:]).read_text() if text.startswith("@") else text
        value = json.loads(content)
    except OSError as error:
        raise Misuse(f"--input {text}: {error.strerror}") from None
    except ValueError as error:
        raise Misuse(f"--input is not JSON: {error}", """for example --input '{"rows": 3}'""") from None
    if not isinstance(value, dict):
        raise Misuse("--input must be a JSON object", """for example --input '{"rows": 3}'""")
    return value


def _secret(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise Misuse("--secret needs a value", "write NAME=VALUE")
    return name, value


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


def _marked(name: str, spec: ToolSpec) -> str:
    return f"{name} (optional)" if name in spec.optional_secrets else name


def _place(tool: BrokenTool) -> str:
    return f"{tool.path}:{tool.line}" if tool.line else tool.path


def _document(spec: ToolSpec) -> dict[str, Any]:
    kept = ("name", "description", "effect", "version", "secrets", "destination", "reconcile", "digest", "path")
    return {name: getattr(spec, name) for name in kept} | {"timeout": spec.timeout.total_seconds(), "broken": False}
