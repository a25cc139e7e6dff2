"""One day of the demo shop, from its seed and its date alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

HOUR = 3600
# by wall-clock hour: night owls, a morning rise, a lunch dip, the evening peak
HOURS = (2, 1, 1, 1, 1, 1, 2, 4, 7, 9, 10, 9, 7, 7, 8, 9, 9, 10, 12, 15, 16, 13, 8, 4)
WEEKDAYS = (0.9, 0.85, 0.9, 1.0, 1.15, 1.4, 1.25)
MONTHS = (0.8, 0.75, 0.85, 0.9, 1.0, 0.95, 0.85, 0.8, 0.95, 1.05, 1.4, 1.7)
ORDERS = 18
PRODUCTS = (
    ("Notebook A5, dotted", 1290),
    ("Fountain pen “Möwe”", 3450),
    ("墨汁 100ml", 890),
    ("和紙レターセット", 1580),
    ("한지 노트", 1120),
    ("دفتر ملاحظات", 990),
    ("מחברת קטנה", 760),
    ("Sticker sheet 🐙✨", 350),
    ("Gift wrap 👩‍🎨 edition", 540),
    ("Ruler 30 cm", 425),
    ("Pencil set_2B $5 ^special^", 500),
    ("Ink cartridge, blue-black", 299),
    ("Desk lamp", 7999),
)
LOCAL_CURRENCY, OTHER_CURRENCY = "EUR", "JPY"
YEN_PER_CENT = 1.6
_LINES = (1, 1, 1, 2, 2, 3)
_PIECES = (1, 1, 1, 1, 2, 2, 3)


@dataclass(frozen=True, slots=True)
class Line:
    """A product, how many (negative when given back), and what one costs in the currency's minor unit."""

    product: str
    quantity: int
    price: int


@dataclass(frozen=True, slots=True)
class Order:
    """A final order. `deliveries`: how often its row arrives; `revised`: an unpaid version came before."""

    order_id: str
    at: datetime
    status: str
    currency: str
    lines: tuple[Line, ...]
    deliveries: int = 1
    revised: bool = False

    @property
    def total(self) -> int:
        """In the currency's minor unit."""
        return sum(line.quantity * line.price for line in self.lines)


def is_closed(day: date) -> bool:
    """The one day of the year without any order."""
    return (day.month, day.day) == (12, 25)


def has_outlier(day: date) -> bool:
    """The one day of the year on which a school buys five hundred lamps."""
    return (day.month, day.day) == (9, 1)


def orders_of(day: date, timezone: str, seed: int, *, newest: bool = False) -> list[Order]:
    """The day's orders in the order of time. The newest day of a shop is never closed and has no outlier."""
    random = Random(f"{seed}/{day.isoformat()}")  # noqa: S311 - a demo, to be repeated exactly
    if is_closed(day) and not newest:
        return []
    instants = list(_instants(day, timezone, random))
    orders = [_order(f"{day:%y%m%d}-{number:03d}", at, random) for number, at in enumerate(instants, 1)]
    if has_outlier(day) and not newest:
        lamps = (Line("Desk lamp", 500, 7999),)
        orders.append(Order(f"{day:%y%m%d}-900", instants[0], "paid", LOCAL_CURRENCY, lamps))
    return orders


def _instants(day: date, timezone: str, random: Random) -> Iterator[datetime]:
    zone = ZoneInfo(timezone)
    start, end = (datetime.combine(each, time(), zone).astimezone(UTC) for each in (day, day + timedelta(1)))
    hours = [start + timedelta(hours=n) for n in range(max(1, (end - start) // timedelta(hours=1)))]
    weights = [HOURS[hour.astimezone(zone).hour] for hour in hours]
    count = max(6, round(ORDERS * WEEKDAYS[day.weekday()] * MONTHS[day.month - 1] * random.uniform(0.8, 1.2)))
    chosen = random.choices(hours, weights, k=count)
    return iter(sorted(hour + timedelta(seconds=int(random.random() * HOUR)) for hour in chosen))


def _order(order_id: str, at: datetime, random: Random) -> Order:
    currency = LOCAL_CURRENCY if random.random() < 0.85 else OTHER_CURRENCY
    chance = random.random()
    if chance < 0.05:
        return Order(f"R{order_id}", at, "refunded", currency, (_line(currency, random, -1),))
    lines = tuple(_line(currency, random, 1) for _ in range(_LINES[int(random.random() * 6)]))
    status = "cancelled" if chance < 0.09 else ("paid" if random.random() < 0.6 else "shipped")
    return Order(order_id, at, status, currency, lines, 2 if 0.09 <= chance < 0.12 else 1, 0.12 <= chance < 0.15)


def _line(currency: str, random: Random, sign: int) -> Line:
    product, cents = PRODUCTS[int(random.random() ** 1.7 * len(PRODUCTS))]
    price = cents if currency == LOCAL_CURRENCY else round(cents * YEN_PER_CENT)
    return Line(product, sign * _PIECES[int(random.random() * 7)], price)
