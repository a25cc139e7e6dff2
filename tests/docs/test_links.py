"""What the documentation links to is there, headings too."""

from __future__ import annotations

import re

from tests.docs.blocks import PAGES

_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere() -> None:
    lost = []
    for path in PAGES:
        for found in _LINK.finditer(path.read_text()):
            target, _, anchor = (found[1] or found[2]).partition("#")
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            file = (path.parent / target) if target else path
            if not file.exists() or (anchor and anchor not in anchors(file.read_text())):
                lost.append(f"{path.name}: {found[0]}")
    assert lost == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    readme = PAGES[0].read_text()
    assert [page.name for page in PAGES[2:] if f"docs/{page.name}" not in readme] == []
