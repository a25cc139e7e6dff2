"""Which language model decides for a job, and what it may cost. Plain data from the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum

from .defaults import DECISION_TIMEOUT


class Mode(StrEnum):
    """How an answer is asked for, the strongest first."""

    SCHEMA = "schema"
    TOOL = "tool"
    JSON = "json"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Azure:
    """`deployment` stands in for the model's name; `ad_token` is the name of a secret, instead of an API key."""

    endpoint: str
    api_version: str
    deployment: str
    ad_token: str = ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model answers. `api_key` is the name of a secret; a local server needs none."""

    model: str
    base_url: str = ""
    api_key: str = ""
    azure: Azure | None = None
    mode: Mode | None = None
    """Found out by a probe where it is not set."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens."""

    input: Decimal
    output: Decimal

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        return (self.input * tokens_in + self.output * tokens_out) / 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent; no limit where it is None."""

    tokens: int | None = None
    money: Decimal | None = None


class Scope(StrEnum):
    """What a budget is for. A job's budget and the day's are for one UTC day."""

    DECISION = "decision"
    RUN = "run"
    JOB = "job"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class Llm:
    """`prompts` are files that stand in for shipped ones, by name; `cache` is for how long an answer is kept."""

    endpoint: Endpoint
    timeout: timedelta = DECISION_TIMEOUT
    temperature: float = 0.0
    max_tokens: int = 400
    prices: Prices | None = None
    budgets: Mapping[Scope, Budget] = field(default_factory=dict)
    cache: timedelta | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    ask_person: bool = False
    """Where neither model nor rule has a clear answer, a person is asked."""
