"""The README's pictures of the page: `python -m tests.system.web.pictures CHART.png` writes them to docs/images."""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.house import House
from tests.system.web.conftest import serving, visiting

IMAGES = Path(__file__).parents[3] / "docs" / "images"
DESK = {"viewport": {"width": 1180, "height": 760}}
PHONE = {"viewport": {"width": 390, "height": 760}, "is_mobile": True, "device_scale_factor": 1.5}


def take(chromium: Browser, base: str, name: str, path: str, **options: Any) -> None:
    with visiting(chromium, base, **options) as visit:
        content = visit.go(path).screenshot()
    with Image.open(BytesIO(content)) as picture:
        picture.convert("RGB").quantize(96).save(IMAGES / f"{name}.png", optimize=True)


def main(chart: bytes) -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        house = House(Path(scratch), picture=chart).furnish(45)
        run = house.asks.runs("churn_features", limit=1)[0].id
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with serving(house) as base:
            take(chromium, base, "jobs", "/", **DESK)
            take(chromium, base, "run", f"/runs/{run}", **{**DESK, "viewport": {"width": 1180, "height": 810}})
            take(chromium, base, "job-dark", "/jobs/daily_sales_report", **DESK, color_scheme="dark")
            take(chromium, base, "inbox-phone", "/inbox", **PHONE)
            take(chromium, base, "jobs-phone-dark", "/", **PHONE, color_scheme="dark")
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_bytes())
