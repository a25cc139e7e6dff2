"""Write the daily sales report as Markdown: headline, main comparison, tables, what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import AwareDatetime, Field

from atomic_tools import Artifact, Effect, ToolContext, ToolInput, ToolOutput, tool
from atomic_tools._report_body import FULL, MESSAGE, Facts, compose
from atomic_tools._report_figures import Change, changes, figures_of, mark, read_mark
from atomic_tools._report_headline import headline
from atomic_tools._report_numbers import LocaleName
from atomic_tools._report_text import one_line
from atomic_tools._report_words import Voice
from atomic_tools._sales import SalesKpis

_MESSAGE_BYTES = 5_000


class Input(ToolInput):
    """The day's figures and what belongs around them."""

    kpis: SalesKpis
    """The figures of one day, from `calculate_kpis`."""
    chart: Artifact | None = None
    """The picture of the same day; may be absent, and the report then says so."""
    chart_expected: bool = True
    """False for a job that draws no chart at all."""
    alt_text: str | None = None
    """The chart in words, for who cannot see it."""
    title: str | None = None
    """Names the shop or report in the heading and at the start of the headline."""
    locale: LocaleName = "en_US"
    """Numbers and dates in any locale that Babel knows; words in Chinese for `zh`, else English."""
    as_of: AwareDatetime | None = None
    """When the figures were read; the figures' own time where it is not given."""
    missing: tuple[str, ...] = ()
    """What could not be had, and why, beside what the figures themselves name."""
    previous_report: Artifact | None = None
    """An earlier report; where it told other figures for the same day, this one is marked as a correction."""


class Output(ToolOutput):
    """The report as a file, and the short form of it that a message carries."""

    report: Artifact
    """The whole report, Markdown in UTF-8."""
    headline: str = Field(max_length=300)
    """One plain sentence for a notification."""
    message_markdown: str = Field(max_length=6_000)
    """The short form for a message, Markdown."""
    corrected: bool
    missing_count: int = Field(ge=0)

    def summary(self) -> str:
        """The headline."""
        return one_line(self.headline, 200)


@tool(effect=Effect.NONE)
def format_markdown_report(request: Input, context: ToolContext) -> Output:
    """Write the report of one day."""
    voice = Voice(request.locale)
    changed, unreadable = _corrections(request, context)
    missing = _missing(request, voice, unreadable=unreadable)
    facts = Facts(
        kpis=request.kpis,
        voice=voice,
        title=one_line(request.title or voice.say("title"), 140),
        headline=headline(request.kpis, voice, _flags(voice, missing, changed)),
        as_of=request.as_of or request.kpis.as_of,
        missing=missing,
        changes=changed,
        chart=request.chart,
        alt_text=(request.alt_text or ""),
    )
    name = one_line(request.title or "", 40)
    text = f"{compose(facts, FULL)}\n\n{mark(figures_of(request.kpis))}\n"
    return Output(
        report=context.save(f"report-{request.kpis.day.date}.md", text.encode(), "text/markdown"),
        headline=one_line(f"{name}: {facts.headline}" if name else facts.headline, 300),
        message_markdown=_bounded(compose(facts, MESSAGE)),
        corrected=bool(changed),
        missing_count=len(missing),
    )


def _corrections(request: Input, context: ToolContext) -> tuple[tuple[Change, ...], bool]:
    if request.previous_report is None:
        return (), False
    before = read_mark(context.path(request.previous_report).read_bytes().decode(errors="replace"))
    if before is None:
        return (), True
    return (changes(before, figures_of(request.kpis)) if before.day == request.kpis.day.date else ()), False


def _missing(request: Input, voice: Voice, *, unreadable: bool) -> tuple[str, ...]:
    chart = request.chart_expected and request.chart is None and not request.missing
    own = [("missing_chart", chart), ("previous_unreadable", unreadable)]
    said = [*request.missing, *request.kpis.missing, *(voice.say(key) for key, holds in own if holds)]
    return tuple(dict.fromkeys(said))


def _flags(voice: Voice, missing: Sequence[str], changed: Sequence[Change]) -> tuple[str, ...]:
    flags = {"incomplete": missing, "correction": changed}
    return tuple(voice.say(key) for key, holds in flags.items() if holds)


def _bounded(text: str) -> str:
    """Whole lines of `text` within the bytes that a step's output may carry."""
    kept: list[str] = []
    room = _MESSAGE_BYTES
    for line in text.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            return "\n".join([*kept, "…"])
        kept.append(line)
    return text
