"""A page that shows a Slack payload about as Slack would: for the outbox, where nobody has Slack open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = """
body { margin: 0; background: #f4f4f5; color: #1d1c1d;
  font: 15px/1.5 Lato, "Noto Sans", system-ui, sans-serif }
main { max-width: 44rem; margin: 2rem auto; background: #fff; border: 1px solid #ddd; border-radius: 8px;
  padding: 1rem 1.5rem }
.where { color: #616061; font-size: 13px; border-bottom: 1px solid #eee; padding-bottom: .5rem }
h1 { font-size: 1.2rem } .quiet { color: #616061; font-size: 13px }
p { white-space: pre-wrap; overflow-wrap: anywhere }
pre { background: #f8f8f8; border: 1px solid #e4e4e4; border-radius: 4px; padding: .5rem; overflow-x: auto;
  font: 13px/1.45 "Noto Sans Mono", ui-monospace, monospace }
img { max-width: 100%; border: 1px solid #eee; border-radius: 6px }
""".strip()
_POLICY = "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'"
_OPEN, _CLOSE = r"(?<![\w\u200b{0}]){0}(?![\s{0}])", r"(?<![\s\u200b]){0}(?!\w)"
_TAGS = {"*": "strong", "_": "em", "~": "s", "`": "code"}
_EMPHASIS = {
    tag: re.compile(f"{_OPEN.format(re.escape(mark))}([^\n]+?){_CLOSE.format(re.escape(mark))}")
    for mark, tag in _TAGS.items()
}


def page(payload: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """The payload as HTML; `files` maps the ids of uploaded files to links beside the page."""
    text = _plain(payload["text"])
    body = "\n".join(_block(block, files) for block in payload["blocks"])
    links = " · ".join(f'<a href="{escape(link)}">{escape(link)}</a>' for link in files.values())
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{text}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>\n'
        f'<div class="where">Not sent: this is the local outbox. To {escape(payload["channel"])}; '
        f"notification: “{text}”</div>\n{body}\n"
        f'<p class="quiet">{links}</p>\n</main></body></html>\n'
    )


def _block(block: Mapping[str, Any], files: Mapping[str, str]) -> str:
    match block["type"]:
        case "header":
            return f'<h1 dir="auto">{_plain(block["text"]["text"])}</h1>'
        case "image":
            source, alt = files[block["slack_file"]["id"]], _plain(block["alt_text"])
            return f'<img src="{escape(source)}" alt="{alt}">'
        case "context":
            return "".join(f'<p class="quiet">{_plain(each["text"])}</p>' for each in block["elements"])
        case "actions":
            labels = " · ".join(_plain(each["text"]["text"]) for each in block["elements"])
            return f'<p class="quiet">Buttons: {labels}</p>'
        case _:
            return _section(block["text"]["text"])


def _section(text: str) -> str:
    """Running text and preformatted text in turn."""
    parts = [part.strip("\n") for part in text.split("```")]
    shown = (_fixed(part) if index % 2 else _running(part) for index, part in enumerate(parts))
    return "\n".join(shown)


def _fixed(text: str) -> str:
    return f"<pre>{_plain(text)}</pre>"


def _running(text: str) -> str:
    shown = _plain(text)
    for tag, pattern in _EMPHASIS.items():
        shown = pattern.sub(rf"<{tag}>\1</{tag}>", shown)
    return f'<p dir="auto">{shown}</p>' if shown.strip() else ""


def _plain(text: str) -> str:
    """Slack's escaping undone and HTML's done."""
    return escape(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
