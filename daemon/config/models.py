"""From the `model` section to the domain's value, and what cannot be about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..domain.draft import Toolbox
from ..domain.llm import Azure, Budget, Endpoint, Llm, Mode, Prices, Scope
from ..domain.nearest import did_you_mean
from ..domain.references import Key
from .sections import ModelSection

Complaint = tuple[tuple[Key, ...], str, str]
"""Path within the section, message, hint."""


def model_of(section: ModelSection, folder: Path) -> Llm | None:
    """None where the job is left to the rule."""
    if not section.use or section.model is None:
        return None
    return Llm(
        endpoint=_endpoint(section, section.model),
        timeout=section.timeout,
        temperature=section.temperature,
        max_tokens=section.max_tokens,
        prices=Prices(section.prices.input, section.prices.output) if section.prices else None,
        budgets=_budgets(section),
        cache=section.cache,
        prompts={name: str(folder / file) for name, file in _prompts(section)},
        ask_person=section.ask_person,
    )


def complaints(section: ModelSection, toolbox: Toolbox, folder: Path) -> Iterator[Complaint]:
    """What a schema cannot say."""
    if not section.use:
        return
    if section.model is None:
        yield (), "no model is named", "write its name under 'model', or 'use: false' to leave the job to the rule"
    if section.azure and section.base_url:
        yield ("base_url",), "an Azure model has its endpoint under 'azure'", "leave base_url out"
    yield from _unset_secrets(section, toolbox)
    yield from _unpriced(section)
    yield from _unusable(section, folder)


def _unset_secrets(section: ModelSection, toolbox: Toolbox) -> Iterator[Complaint]:
    for path, name in _secrets(section):
        if name not in toolbox.secrets:
            hint = did_you_mean(name, toolbox.secrets) or "add it under 'secrets' of clockwright.yaml"
            yield path, f"no secret {name!r} is configured", hint


def _unpriced(section: ModelSection) -> Iterator[Complaint]:
    for scope, budget in _budgets(section).items():
        if budget.money is not None and section.prices is None:
            yield ("budgets", scope.value, "money"), "a budget in money needs prices", "add them under 'prices'"


def _unusable(section: ModelSection, folder: Path) -> Iterator[Complaint]:
    """Prompts that are not there, or that no decider could use."""
    for name, file in _prompts(section):
        if not (folder / file).is_file():
            yield ("prompts", name), f"there is no file {folder / file}", "the path is relative to the config folder"
        elif why := _fault(name, folder / file):
            yield ("prompts", name), f"the prompt {folder / file} cannot be used: {why}", "start from the shipped one"


def _fault(name: str, path: Path) -> str:
    from ..domain.prompt import parse  # noqa: PLC0415 - only who has prompts of their own needs Jinja

    try:
        parse(name, path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def _prompts(section: ModelSection) -> Iterator[tuple[str, str]]:
    for name, file in section.prompts:
        if file is not None:
            yield name, file


def _secrets(section: ModelSection) -> Iterator[tuple[tuple[Key, ...], str]]:
    if section.api_key:
        yield ("api_key",), section.api_key
    if section.azure and section.azure.ad_token:
        yield ("azure", "ad_token"), section.azure.ad_token


def _endpoint(section: ModelSection, model: str) -> Endpoint:
    azure = section.azure
    return Endpoint(
        model=model,
        base_url=section.base_url,
        api_key=section.api_key or "",
        azure=Azure(azure.endpoint, azure.api_version, azure.deployment, azure.ad_token or "") if azure else None,
        mode=Mode(section.mode) if section.mode else None,
    )


def _budgets(section: ModelSection) -> Mapping[Scope, Budget]:
    written: Mapping[str, Any] = dict(section.budgets)
    return {Scope(name): Budget(budget.tokens, budget.money) for name, budget in written.items() if budget}
