"""Markdown into Slack's own dialect, so that text can neither ping, link, nor break out of a table.

Nothing that this module makes contains an angle bracket: Slack reads pings and links only between those.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_BREAK = "\u200b"
"""Shows nothing, and keeps Slack from reading the next character as markup."""
_EMPHASIS = re.compile(r"`|(?<![^\W_])[*_~]|[*_~](?![^\W_])")
"""A marker inside a word is left alone: Slack does not read it, and the word stays copyable."""
_QUOTE = re.compile(r"(?m)^(?=&gt;)")
_UNWANTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff]")
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_MARKS = {"strong": "*", "em": "_", "s": "~"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of escaped text: running text, preformatted text without its fences, title or heading."""

    text: str
    kind: Literal["text", "fixed", "title", "heading"] = "text"


def escaped(text: str) -> str:
    """`text` for any Slack field: readable back by unescaping `&lt; &gt; &amp;` once."""
    clean = _UNWANTED.sub("", text)
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def literal(text: str) -> str:
    """`text` for running text: escaped, and its asterisks and the like shown as they are."""
    return _QUOTE.sub(_BREAK, _EMPHASIS.sub(lambda match: _BREAK + match.group(), escaped(text)))


def pieces(markdown: str) -> list[Piece]:
    """The blocks of a Markdown text in order, without empty ones."""
    tree = SyntaxTreeNode(_PARSER.parse(_UNWANTED.sub("", markdown)))
    title, rest = _title(tree.children)
    made = [*title, *(piece for node in rest for piece in _block(node))]
    return [piece for piece in made if piece.text.strip()]


def _title(nodes: Sequence[SyntaxTreeNode]) -> tuple[list[Piece], Sequence[SyntaxTreeNode]]:
    """A first-level heading that comes first, for the header's plain text; any later one is a heading."""
    if not nodes or nodes[0].tag != "h1":
        return [], nodes
    return [Piece(escaped(_plain(nodes[0])), "title")], nodes[1:]


def _block(node: SyntaxTreeNode) -> Iterator[Piece]:
    match node.type:
        case "heading":
            text = literal(_plain(node))
            yield Piece(f"*{text}*" if text.strip() else "", "heading")
        case "fence" | "code_block":
            yield Piece(_fenceless(escaped(node.content.rstrip("\n"))), "fixed")
        case "table":
            yield Piece(_fenceless(_aligned(list(_rows(node)))), "fixed")
        case "hr":
            yield Piece("———")
        case _:
            yield Piece("\n".join(_lines(node)))


def _lines(node: SyntaxTreeNode) -> Iterator[str]:
    """A paragraph, list or quotation as lines of running text."""
    if node.type in {"bullet_list", "ordered_list"}:
        yield from _items(node)
    elif node.type == "blockquote":
        yield from (f"&gt; {line}" for child in node.children for line in _text(child))
    else:
        yield _inline(node)


def _text(node: SyntaxTreeNode) -> Iterator[str]:
    """Any block as lines, for one that stands inside another."""
    for piece in _block(node):
        yield from piece.text.split("\n")


def _items(node: SyntaxTreeNode) -> Iterator[str]:
    first = int(node.attrs.get("start", 1))
    for index, item in enumerate(node.children):
        sign = "•" if node.type == "bullet_list" else f"{first + index}."
        lines = [line for child in item.children for line in _text(child)]
        yield f"{sign} {lines[0] if lines else ''}"
        yield from (f"    {line}" for line in lines[1:])


def _inline(node: SyntaxTreeNode) -> str:
    match node.type:
        case "text":
            return literal(node.content)
        case "softbreak" | "hardbreak":
            return "\n"
        case "code_inline":
            return literal(node.content) if "`" in node.content else f"`{escaped(node.content)}`"
        case "image":
            return literal(node.content)
        case "link":
            target, shown = literal(str(node.attrs.get("href", ""))), _children(node)
            return shown if shown == target else f"{shown} ({target})"
        case _:
            mark = _MARKS.get(node.type, "")
            return f"{mark}{_children(node)}{mark}"


def _children(node: SyntaxTreeNode) -> str:
    return "".join(_inline(child) for child in node.children)


def _plain(node: SyntaxTreeNode) -> str:
    """The characters of a node without any markup."""
    if node.type in {"text", "code_inline", "image"}:
        return node.content
    if node.type in {"softbreak", "hardbreak"}:
        return " "
    return "".join(_plain(child) for child in node.children)


def _fenceless(text: str) -> str:
    """`text` that cannot end the fence it is put into."""
    return text.replace("```", f"`{_BREAK}`{_BREAK}`")


def _rows(node: SyntaxTreeNode) -> Iterator[list[str]]:
    for row in (row for part in node.children for row in part.children):
        yield [_plain(cell) for cell in row.children]


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns, the first to the left and the others to the right; characters escaped."""
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(_cell(row, widths)).rstrip() for row in rows)


def _cell(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for column, (text, width) in enumerate(zip(row, widths, strict=True)):
        padding = " " * (width - _width(text))
        yield padding + escaped(text) if column else escaped(text) + padding


def _width(text: str) -> int:
    """Columns of a fixed-width font: two for an East Asian character, none for a combining one."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)
