"""A message as files of one folder, each flushed to the disk before anything names it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from atomic_tools._delivery import Attachment, Delivery, Receipt
from atomic_tools._slack_blocks import with_picture
from atomic_tools._slack_page import page


def write_message(folder: Path, delivery: Delivery, place: Path) -> Receipt:
    """The whole message in `folder`, flushed; the receipt names the place that it is going to."""
    payload, files = _with_files(delivery)
    attached = [*([delivery.picture] if delivery.picture else []), *delivery.documents]
    further = {str(each["metadata"]["event_payload"]["part"]): each for each in delivery.further}
    receipt = Receipt(
        key=delivery.key,
        channel=delivery.payload["channel"],
        location=str(place / "index.html"),
        parts=("message", *further, *(each.artifact.name for each in attached)),
    )
    (folder / "files").mkdir()
    for each in attached:
        _write_file(folder / "files" / each.artifact.name, each.path.read_bytes())
    for name, form in {"message": payload, **further}.items():
        _write_file(folder / f"{name}.json", json.dumps(form, ensure_ascii=False, indent=2).encode())
    blocks = [block for each in (payload, *further.values()) for block in each["blocks"]]
    _write_file(folder / "index.html", page({**payload, "blocks": blocks}, files).encode())
    _write_file(folder / "receipt.json", receipt.model_dump_json(indent=2).encode())
    flush_folder(folder / "files")
    flush_folder(folder)
    return receipt


def _with_files(delivery: Delivery) -> tuple[dict[str, Any], dict[str, str]]:
    """The final payload, and where the page finds each file: by an id shaped like Slack's."""
    attached = [*([delivery.picture] if delivery.picture else []), *delivery.documents]
    files = {_file_id(each): f"files/{each.artifact.name}" for each in attached}
    if delivery.picture is None:
        return dict(delivery.payload), files
    blocks = with_picture(delivery.payload["blocks"], _file_id(delivery.picture), delivery.alt_text)
    return {**delivery.payload, "blocks": blocks}, files


def _file_id(attachment: Attachment) -> str:
    return f"F{attachment.artifact.sha256[:10].upper()}"


def _write_file(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def flush_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
