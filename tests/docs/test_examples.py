"""Every example in the documentation is right: YAML is validated, Python is run, commands are parsed."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from daemon.cli.application import APP, main
from daemon.config import read_settings
from daemon.config.sections import JobSection
from daemon.config.settings_section import SettingsSection
from daemon.config.yaml_source import parse
from daemon.registry import run_describer
from tests.docs.blocks import BLOCKS, MENTIONED, ROOT, Block, of

COMMAND = typer.main.get_command(APP)
WORDS_BEFORE = re.compile(r"^(?:runuser -u \w+ -- |env |[A-Z_]+=\S* )*(?:\S*/)?clockwright ")
BASE = {"goal": "An example", "timezone": "Europe/Berlin"}
BASH = shutil.which("bash") or "bash"
STEP = {"id": "only", "use": "http_post", "with": {"url": "https://example.com", "body": {}}}
SECRETS = [
    "slack_token",
    "slack_app_token",
    "slack_signing",
    "ops_mail",
    "pager",
    "slack",
    "database_url",
    "page_operator",
    "page_reader",
]


def test_every_block_says_its_language() -> None:
    known = {"yaml", "sh", "python", "ini", "mermaid", "text"}
    assert [str(block) for block in BLOCKS if block.language not in known] == []


# -- YAML


def plain(block: Block) -> Any:
    """A list alone is that of a job's steps."""
    found = parse(block.text, str(block)).plain()
    return {"steps": found} if isinstance(found, list) else found


def kind(block: Block) -> str:
    keys = set(plain(block))
    if "display_information" in keys:
        return "manifest"
    return "settings" if keys <= set(SettingsSection.model_fields) - {"model"} else "job"


YAML = of("yaml")
SETTINGS = [block for block in YAML if kind(block) == "settings"]
JOBS = [block for block in YAML if kind(block) == "job"]


@pytest.mark.parametrize("block", SETTINGS, ids=str)
def test_settings_can_be_read(block: Block, tmp_path: Path) -> None:
    named = [name for name in SECRETS if name not in plain(block).get("secrets", {})]
    secrets = "" if "secrets" in plain(block) else "secrets:\n" + "".join(f"  {name}: {{env: X}}\n" for name in named)
    (tmp_path / "clockwright.yaml").write_text(secrets + block.text)
    (tmp_path / "tools").mkdir()
    read_settings(tmp_path, environ={})


def whole(block: Block) -> dict[str, Any]:
    """A fragment becomes a job: what it does not say is said for it."""
    document = {**BASE, **plain(block)}
    document.setdefault("steps", [STEP])
    names = {field.alias or name for name, field in JobSection.model_fields.items()}
    assert set(document) <= names, f"{block}: neither settings nor a job: {sorted(set(document) - names)}"
    return {"id": f"example_{block.page.removesuffix('.md').replace('-', '_')}_{block.line}", **document}


def test_jobs_are_valid_with_the_tools_of_the_documentation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "clockwright.yaml").write_text(
        "tools: [tools]\nsecrets: {database_url: {env: HOME}, token: {env: HOME}}\n"
    )
    write_python(tmp_path)
    jobs = [whole(block) for block in JOBS]
    named = {job["schedule"]["after"] for job in jobs if "after" in job.get("schedule", {})} - {
        job["id"] for job in jobs
    }
    jobs += [{"id": name, "steps": [STEP], **BASE} for name in sorted(named)]
    for job in jobs:
        (tmp_path / "jobs" / f"{job['id']}.yaml").write_text(yaml(job))
    code = main(["--config", str(tmp_path), "validate"])
    assert code == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    assert f"{len(jobs)} jobs, 0 faults" in said.replace("\n", " ")


def yaml(document: Any) -> str:
    """JSON is YAML."""
    import json

    return json.dumps(document, ensure_ascii=False, default=str)


# -- Python

FILE = re.compile(r"^# ((?:tools|tests)/\w+\.py)\n")
FILES = [block for block in of("python") if FILE.match(block.text)]
TOOLS = [block for block in of("python") if "\n@tool(" in block.text]


def write_python(folder: Path) -> list[str]:
    """Each file by the name in its first line."""
    names = [FILE.sub(r"\1\0", block.text, count=1).partition("\0")[0] for block in FILES]
    for name, block in zip(names, FILES, strict=True):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(block.text)
    return names


@pytest.mark.parametrize("block", TOOLS, ids=str)
def test_a_tool_is_found_and_whole(block: Block, tmp_path: Path) -> None:
    [name] = re.findall(r"^def (\w+)\(request: Input, context: ToolContext\) -> Output", block.text, re.MULTILINE)
    (tmp_path / f"{name}.py").write_text(block.text)
    answers = run_describer([tmp_path], [tmp_path / f"{name}.py"])
    assert [answer.get("problem") or answer["spec"]["name"] for answer in answers] == [name]


@pytest.mark.slow
def test_the_tool_of_the_documentation_passes_its_own_test(tmp_path: Path) -> None:
    assert "tests/test_count_lines.py" in write_python(tmp_path)
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path / 'tools'}:{ROOT}"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tmp_path / "tests")],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, "2 passed" in ran.stdout) == (0, True), ran.stdout + ran.stderr


@pytest.mark.parametrize("block", [b for b in of("python") if b not in FILES + TOOLS], ids=str)
def test_the_other_python_runs(block: Block) -> None:
    exec(compile(block.text, str(block), "exec"), {"__name__": "example"})  # noqa: S102 - our own text


# -- commands


@pytest.mark.parametrize("block", of("sh"), ids=str)
def test_shell_is_shell(block: Block) -> None:
    checked = subprocess.run([BASH, "-n"], input=block.text, text=True, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr


def commands() -> list[tuple[str, str]]:
    """Place and words of every call of ours."""
    lines = [(str(block), line) for block in of("sh") for line in block.text.replace("\\\n", " ").splitlines()]
    return [(place, WORDS_BEFORE.sub("", line)) for place, line in lines if WORDS_BEFORE.match(line)]


@pytest.mark.parametrize(("place", "line"), commands())
def test_a_command_is_one_that_there_is(place: str, line: str) -> None:
    parsed(shlex.split(line, comments=True))


@pytest.mark.parametrize(("page", "words"), MENTIONED)
def test_a_command_in_a_sentence_exists(page: str, words: str) -> None:
    command: Any = COMMAND
    for word in words.split():
        if not hasattr(command, "commands"):
            break
        assert word in command.commands, f"{page}: clockwright {words}"
        command = command.commands[word]


def test_every_target_of_make_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {target for block in of("sh") for target in re.findall(r"^make ([\w-]+)", block.text, re.MULTILINE)}
    assert named
    assert [target for target in named if f"\n{target}:" not in makefile] == []


def parsed(arguments: list[str]) -> None:
    """Through the real parser, down to the command's own options; nothing is done."""
    command: Any = COMMAND
    context = command.make_context("clockwright", arguments)
    while hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)


# -- the rest


@pytest.mark.parametrize("block", of("ini"), ids=str)
def test_units_are_units(block: Block) -> None:
    parser = configparser.RawConfigParser(strict=False, comment_prefixes="#")
    parser.read_string(block.text)
    assert parser.sections() == ["Service"]
