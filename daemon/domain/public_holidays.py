"""Public holidays by country, as the `holidays` library computes them. No file and no network is read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache


def known(code: str) -> bool:
    """Whether there is such a country, or such a part of it: DE, DE-BE."""
    import holidays  # noqa: PLC0415 - slow to import, and few jobs need it

    country, _, part = code.partition("-")
    countries = holidays.list_supported_countries(include_aliases=True)
    return country in countries and (not part or part in countries[country])


def holiday(code: str, day: date) -> str:
    """The holiday's name in English where it has one; empty on other days."""
    return _year(code, day.year).get(day, "")


@lru_cache(maxsize=256)
def _year(code: str, year: int) -> Mapping[date, str]:
    import holidays  # noqa: PLC0415 - see `known`

    country, _, part = code.partition("-")
    return dict(holidays.country_holidays(country, subdiv=part or None, years=year, language="en_US"))
