"""The shape of a job file. Editors get it as JSON Schema through `job_schema`."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from ..domain import defaults
from ..domain.plan import Fresh
from ..domain.timing import Timing
from .amounts import amount
from .durations import Duration

NAME = r"^[a-z][a-z0-9_]{0,59}$"
JOB_NAME = r"^[a-z][a-z0-9_-]{0,119}$"
Name = Annotated[str, Field(pattern=NAME)]
Line = Annotated[str, Field(max_length=500)]
Text = Annotated[str, Field(min_length=1, max_length=4000)]
Amount = Annotated[Decimal, BeforeValidator(amount), WithJsonSchema({"type": ["number", "string"], "minimum": 0})]
Decision = Literal["always", "on_exception"]
OnExhausted = Literal["escalate", "fail", "skip"]
_RETRY = defaults.Retry()
_LIMITS = defaults.Limits()
_TIMING = Timing()
_FRESH = Fresh("")
TimeOfDay = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", examples=["22:00"])]
IsoDate = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", examples=["2026-12-24"])]
Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


class Section(BaseModel):
    """Strict: a number in quotes is text, and an unknown key is refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)


class BlackoutSection(Section):
    from_: TimeOfDay = Field(alias="from")
    to: TimeOfDay
    """Not later than 'from' means: over midnight."""
    days: list[Weekday] = []
    """Days on which the window begins; every day where none is named."""


class CalendarSection(Section):
    business_days: bool = False
    """Not on Saturdays and Sundays."""
    holidays: str = ""
    """Country, and after a dash its part, whose public holidays are left out: DE, DE-BE, US-CA."""
    include: list[IsoDate] = []
    """Dates that count although the rules above leave them out."""
    exclude: list[IsoDate] = []
    blackouts: list[BlackoutSection] = []
    """Local times at which nothing starts."""


class ScheduleSection(Section):
    """Exactly one of cron, every and after."""

    cron: str | None = None
    """Five fields (minute hour day month weekday) or an alias such as @daily."""
    every: Duration | None = None
    """An interval of at least a second. One of whole days keeps its wall time, any other is real time."""
    after: str | None = None
    """The id of a job: this one is due when that one has succeeded, for the same date."""
    anchor: str | None = None
    """Local time that 'every' is counted from, such as 2026-01-05T10:15; Monday 2024-01-01 at midnight without it."""
    timezone: str | None = None
    """IANA zone in which the schedule is read; the job's own where it is not set."""
    gap: Literal["shift", "skip"] | None = None
    """What becomes of a time that a clock change leaves out; shifted to the first one after it, unless hourly."""
    fold: Literal["first", "second", "both"] | None = None
    """Which counts of a time that a clock change shows twice; the first, unless hourly."""
    catch_up: Literal["latest", "none", "all"] = "latest"
    """Which owed instants still run, whatever kept them from it."""
    catch_up_window: Duration = _TIMING.window
    """What is owed for longer is missed."""
    catch_up_limit: int = Field(default=_TIMING.limit, ge=1, le=1000)
    """How many owed instants 'all' runs at most."""
    overlap: Literal["skip", "queue", "allow"] = "skip"
    """What becomes of an instant while an earlier run of the job goes on."""
    queue: int = Field(default=_TIMING.queue, ge=1, le=1000)
    """How many instants wait at most, with 'overlap: queue'."""
    start_within: Duration | None = None
    """A run that has not begun this long after it was due does not begin any more, and that is told."""
    finish_within: Duration | None = None
    """A run that has not ended this long after it was due is told about."""
    jitter: Duration | None = None
    """Runs start up to this much later, always the same for one job, so that many jobs do not start at once."""
    priority: int = Field(default=0, ge=-100, le=100)
    """Of what is due at once, the higher goes first."""
    calendar: CalendarSection = CalendarSection()


class RetrySection(Section):
    attempts: int = Field(default=_RETRY.attempts, ge=1, le=20)
    """How many times the step is tried in all."""
    first: Duration = _RETRY.first
    """The first wait; it doubles from try to try."""
    cap: Duration = _RETRY.cap
    """The longest wait."""
    within: Duration | None = None
    """While the other side is down, the step is tried for so long, however many times that is."""


class LimitsSection(Section):
    active: Duration = _LIMITS.active
    """How long tools and deciders may work in all."""
    deadline: Duration = _LIMITS.deadline
    """How long the run may take in all, waiting included."""
    steps: int = Field(default=_LIMITS.steps, ge=1, le=_LIMITS.steps)
    parallel: int = Field(default=_LIMITS.parallel, ge=1, le=64)
    """How many steps may run at once."""
    crashes: int = Field(default=_LIMITS.crashes, ge=1, le=20)
    """How many times a step may take the daemon down with it before it fails for good."""
    answer_within: Duration = _LIMITS.answer_within
    """How long a question to a person stays open before its default counts."""


class RetentionSection(Section):
    runs: Duration = defaults.RETENTION
    """How long a run is kept after its end. The ledger and the receipts of deliveries are kept for good."""


class RepairSection(Section):
    use: str
    """The tool that may mend bad data, once."""
    with_: dict[str, Any] = Field(default={}, alias="with")


class FreshSection(Section):
    """Wait until the source is complete, or for so long and then go on; the run is degraded then."""

    use: str
    """The tool that looks at the source: a probe. It may change nothing."""
    with_: dict[str, Any] = Field(default={}, alias="with")
    until: str = ""
    """CEL over the variable `output`, for example output.count >= 1000; without it the probe's success is enough."""
    every: Duration = _FRESH.every
    at_most: Duration = _FRESH.at_most


class PricesSection(Section):
    """Money for a million tokens, in the currency of the budgets. Text or a number."""

    input: Amount
    output: Amount


class BudgetSection(Section):
    tokens: int | None = Field(default=None, ge=1)
    money: Amount | None = None


class BudgetsSection(Section):
    """The most that may be spent; at the limit decisions are made by rule. `job` and `day` are for one UTC day."""

    decision: BudgetSection | None = None
    run: BudgetSection | None = None
    job: BudgetSection | None = None
    day: BudgetSection | None = None
    """Of all jobs together, and of finding out what an endpoint understands."""


class AzureSection(Section):
    endpoint: str = Field(min_length=1)
    api_version: str = Field(min_length=1)
    deployment: str = Field(min_length=1)
    ad_token: Name | None = None
    """Name of a secret that holds an Entra ID token, instead of an API key."""


class PromptsSection(Section):
    """Files that stand in for the shipped prompts; relative to the config folder."""

    decide: str | None = None
    reflect: str | None = None
    repair: str | None = None


class ModelSection(Section):
    """The language model that decides, on a short lead. Without a model the rule decides."""

    use: bool = True
    """`false` leaves a job to the rule."""
    model: str | None = Field(default=None, min_length=1, max_length=200)
    """The model's name, as its server knows it."""
    base_url: str = ""
    """Of any OpenAI-compatible server, for example http://127.0.0.1:11434/v1; OpenAI itself where it is not set."""
    api_key: Name | None = None
    """Name of a secret. A local server needs none."""
    azure: AzureSection | None = None
    timeout: Duration = defaults.DECISION_TIMEOUT
    """Of a whole decision: all questions, retries and waits."""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0, strict=False)
    max_tokens: int = Field(default=400, ge=32, le=8192)
    """Of one answer."""
    prices: PricesSection | None = None
    """Costs are unknown where it is not set; they are never guessed."""
    budgets: BudgetsSection = BudgetsSection()
    mode: Literal["schema", "tool", "json", "text"] | None = None
    """How answers are asked for; found out by a probe where it is not set."""
    cache: Duration | None = None
    """How long an answer is used again for the same question; off where it is not set."""
    prompts: PromptsSection = PromptsSection()
    ask_person: bool = False
    """Ask a person where neither the model nor the rule has a clear answer."""


class AcceptSection(Section):
    """One or more rules for the part of the output at `path`."""

    path: str = ""
    """For example kpis.top[0].name; the whole output where it is not set."""
    schema_: dict[str, Any] | bool | None = Field(default=None, alias="schema")
    required: list[str] | None = None
    type: str | list[str] | None = None
    length: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    min: int | float | str | None = None
    max: int | float | str | None = None
    contains: Any = None
    forbids: Any = None
    regex: str | None = None
    equals: Any = None
    expression: str | None = None
    """CEL over the variable `output`, for example output.rows > 0."""


class StepSection(Section):
    id: Name
    title: Line = ""
    use: str
    """The tool."""
    with_: dict[str, Any] = Field(default={}, alias="with")
    """The tool's inputs; ${steps.ID.output.field} and ${run.local_date} are filled in at run time."""
    needs: list[str] = []
    """Steps that must be done before; a step that an input refers to is needed without being listed."""
    needs_weak: list[str] = []
    """Steps that may be missing: this one then runs without them and says so."""
    accept: list[AcceptSection] = []
    timeout: Duration | None = None
    """At most what the tool's contract says."""
    retry: RetrySection = RetrySection()
    repair: RepairSection | None = None
    fresh: FreshSection | None = None
    """What the step waits for before it starts."""
    approve: bool = False
    """A person must agree before the step runs."""
    optional: bool = False
    """The run may succeed without it."""
    fallback: Name | None = None
    """A step that stands in once this one has failed for good; who needs this one then gets that one's output."""
    on_exhausted: OnExhausted = "escalate"
    """What happens when all attempts are used up."""
    open: list[str] = []
    """Inputs that a decider may change; all others are locked."""
    secrets: dict[str, str] = {}
    """The tool's name for a secret to the name configured in clockwright.yaml."""


class JobSection(Section):
    id: str = Field(pattern=JOB_NAME)
    description: Line = ""
    owner: Line = ""
    runbook: Line = ""
    """A link to what to do when it fails."""
    tags: list[Name] = []
    goal: Text
    """One sentence: what the job is for. A decider reads it."""
    schedule: ScheduleSection | None = None
    timezone: str | None = None
    """IANA zone of the job's days."""
    decide: Decision = "on_exception"
    limits: LimitsSection = LimitsSection()
    retention: RetentionSection = RetentionSection()
    model: ModelSection = ModelSection(use=False)
    """Over what clockwright.yaml says under `model`."""
    fresh: FreshSection | None = None
    """What the whole job waits for: each step that needs no other one does."""
    steps: list[StepSection] = Field(min_length=1)
    environments: dict[str, dict[str, Any]] = {}
    """What differs in an environment: mappings are merged, steps by id, anything else is replaced."""
    matrix: dict[str, list[Any]] = {}
    """One job for each value: `shop: [berlin, paris]` makes ID-berlin and ID-paris; ${matrix.shop} is the value."""


class DefaultsSection(Section):
    """What every job has unless it says otherwise."""

    description: Line | None = None
    owner: Line | None = None
    runbook: Line | None = None
    tags: list[Name] | None = None
    timezone: str | None = None
    decide: Decision | None = None
    limits: LimitsSection | None = None
    retention: RetentionSection | None = None
    step: StepDefaultsSection | None = None


class StepDefaultsSection(Section):
    """What every step of every job has unless it says otherwise."""

    retry: RetrySection | None = None
    on_exhausted: OnExhausted | None = None


def job_schema() -> dict[str, Any]:
    """JSON Schema of a job file, for editors."""
    schema = JobSection.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Clockwright job"}
