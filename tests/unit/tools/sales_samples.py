"""Days of sales for the report tools' tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from atomic_tools import Artifact, ToolContext
from atomic_tools._sales import (
    Comparison,
    CurrencyKpis,
    Finding,
    HourSales,
    LocalDay,
    ProductSales,
    SalesKpis,
)

DAY = date(2026, 3, 10)
ZONE = "Europe/Berlin"
_SHAPE = (0, 0, 0, 0, 0, 1, 2, 5, 9, 14, 18, 22, 25, 21, 17, 16, 19, 24, 28, 26, 15, 8, 4, 2)
NASTY_NAMES = (
    "Ba$$in Kit",
    "$$",
    "Cost $5 - $10",
    "Deluxe $x^2 pack",
    "A_B^C",
    "Back\\slash \\frac",
    "100% {braces}",
    "Tom & Jerry $\\frac$",
    "_hidden",
    "#1 <b>",
)
PING_NAMES = (
    "<!channel> SALE",
    "<!here>",
    "<!everyone>",
    "<@U012AB3CD> set",
    "<!subteam^S012|team>",
    "@here now",
    "Tom & Jerry",
    "a < b > c",
    "&lt;!here&gt;",
    "*bold* _it_ ~no~ `code`",
)


def context(folder: Path, key: str | None = "key-1", left: timedelta = timedelta(minutes=1)) -> ToolContext:
    return ToolContext(workdir=folder, deadline=datetime.now(UTC) + left, effect_key=key)


def as_input(folder: Path, artifact: Artifact) -> Artifact:
    """Put an artifact of an earlier step where the next one finds its inputs."""
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / artifact.sha256).write_bytes((folder / "out" / artifact.name).read_bytes())
    return artifact


def local_day(day: date = DAY, zone: str = ZONE) -> LocalDay:
    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
    following = day + timedelta(days=1)
    end = datetime(following.year, following.month, following.day, tzinfo=ZoneInfo(zone))
    return LocalDay(date=day, timezone=zone, start=start.astimezone(UTC), end=end.astimezone(UTC))


def hours(day: LocalDay, unit: Decimal = Decimal("17.31")) -> tuple[HourSales, ...]:
    count = int((day.end - day.start) / timedelta(hours=1))
    starts = [day.start + timedelta(hours=index) for index in range(count)]
    local = [start.astimezone(ZoneInfo(day.timezone)) for start in starts]
    doubled = {each.hour for each in local if [other.hour for other in local].count(each.hour) > 1}
    return tuple(
        HourSales(
            label=f"{each:%H:%M}{each.isoformat()[-6:] if each.hour in doubled else ''}",
            start=start,
            amount=_SHAPE[each.hour] * unit,
            orders=_SHAPE[each.hour],
        )
        for start, each in zip(starts, local, strict=True)
    )


def products(names: Sequence[str]) -> tuple[ProductSales, ...]:
    return tuple(
        ProductSales(product=name, amount=Decimal(1000 - 83 * index) + Decimal("0.5"), quantity=Decimal(40 - 3 * index))
        for index, name in enumerate(names)
    )


def comparison(net: Decimal, base: Decimal = Decimal("4925.00")) -> Comparison:
    by_hour = tuple(each * Decimal("16.49") for each in (*_SHAPE[1:], 1))
    return Comparison(
        against="same_weekday_last_week",
        base=base,
        difference=net - base,
        percent=(net - base) / base * 100,
        by_hour=by_hour,
    )


def currency(
    code: str = "EUR",
    names: Sequence[str] = ("Espresso beans 1 kg", "Filter papers", "Kettle"),
    by_hour: tuple[HourSales, ...] | None = None,
) -> CurrencyKpis:
    by_hour = hours(local_day()) if by_hour is None else by_hour
    gross = sum((each.amount for each in by_hour), Decimal(0)) + Decimal("60.00")
    net = gross - 60
    none = Comparison(against="previous_day", base=None, difference=None, percent=None, reason="no orders on that day")
    return CurrencyKpis(
        currency=code,
        orders=276,
        gross=gross,
        refunds=Decimal("-60.00"),
        adjustments=Decimal(0),
        net=net,
        average_order_value=gross / 276,
        top_products=products(names),
        by_hour=by_hour,
        comparisons=(none, comparison(net)),
    )


def sales(*currencies: CurrencyKpis, day: LocalDay | None = None, findings: tuple[Finding, ...] = ()) -> SalesKpis:
    return SalesKpis(
        day=day or local_day(),
        no_data=False,
        currencies=currencies or (currency(),),
        findings=findings,
        as_of=datetime(2026, 3, 11, 9, 0, 3, tzinfo=UTC),
    )


def empty_day(day: LocalDay | None = None) -> SalesKpis:
    return SalesKpis(day=day or local_day(), no_data=True, currencies=(), as_of=datetime(2026, 3, 11, 1, 0, tzinfo=UTC))
