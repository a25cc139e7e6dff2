"""Buttons under a question, the form behind one of them, and what a press in Slack says: plain data both ways."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .actions import ABORT, APPROVE, DELIVERED, REJECT, RETRY, SKIP
from .alert_words import LINK, run_address
from .alerts import Alert, Topic
from .model import Json

PREFIX: Final = "clockwright."
CHANGE, RESUME = "change", "resume"
"""What a press may want besides one of the question's options."""
_LABELS: Mapping[str, str] = {
    RETRY: "Retry",
    SKIP: "Skip",
    ABORT: "Abort",
    APPROVE: "Approve",
    REJECT: "Reject",
    DELIVERED: "It was delivered",
    CHANGE: "Retry with changes…",
    RESUME: "Resume the job",
}
_STYLES: Mapping[str, str] = {RETRY: "primary", APPROVE: "primary", ABORT: "danger", REJECT: "danger"}
_CONFIRMS: Mapping[str, str] = {ABORT: "The run ends here, and what it has not delivered is not delivered."}
MOST_FIELDS = 20
_VALUE_CHARS = 2900


@dataclass(frozen=True, slots=True)
class Button:
    """`value` comes back with a press. `confirm` is asked before it counts; empty asks nothing."""

    label: str
    action: str
    value: str = ""
    style: str = ""
    confirm: str = ""
    url: str = ""
    """What it opens, instead of coming back."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a button is about. `nonce` is the alert that it stood under."""

    run: str = ""
    question: str = ""
    digest: str = ""
    job: str = ""
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    """Who pressed what, where. `changes` come from the form, as JSON texts by field."""

    user: str
    name: str
    wish: str
    mark: Mark
    channel: str = ""
    trigger: str = ""
    changes: Mapping[str, str] = field(default_factory=dict)


def buttons(alert: Alert, open_fields: Sequence[str] = ()) -> tuple[Button, ...]:
    """Those that answer what the alert asks; most ask nothing."""
    return tuple(_buttons(alert, open_fields))


def links(alert: Alert, page: str) -> tuple[Button, ...]:
    """Those that open something: the run, and what to do about it."""
    trouble = alert.trouble
    places = {
        "Open the run": run_address(trouble.run, page) if trouble.run and page else "",
        "Runbook": trouble.subject.runbook if LINK.fullmatch(trouble.subject.runbook) else "",
    }
    return tuple(
        Button(name, f"{PREFIX}open.{number}", url=url) for number, (name, url) in enumerate(places.items()) if url
    )


def _buttons(alert: Alert, open_fields: Sequence[str]) -> Iterator[Button]:
    trouble = alert.trouble
    if trouble.topic is Topic.STREAK:
        yield _button(RESUME, Mark(job=trouble.subject.job, nonce=alert.id))
    if asked := trouble.question:
        mark = Mark(trouble.run, asked.id, asked.digest, trouble.subject.job, alert.id)
        for option in asked.options:
            yield _button(option, mark)
            if option == RETRY and open_fields:
                yield _button(CHANGE, mark)


def _button(wish: str, mark: Mark) -> Button:
    return Button(_LABELS.get(wish, wish), PREFIX + wish, packed(mark), _STYLES.get(wish, ""), _CONFIRMS.get(wish, ""))


def packed(mark: Mark) -> str:
    values = {"r": mark.run, "q": mark.question, "d": mark.digest, "j": mark.job, "n": mark.nonce}
    return json.dumps({name: value for name, value in values.items() if value}, separators=(",", ":"))


def unpacked(text: Json) -> Mark | None:
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    run, question, digest, job, nonce = (str(found.get(name, "")) for name in "rqdjn")
    return Mark(run, question, digest, job, nonce)


def press(payload: Json) -> Press | None:
    """What Slack sent, as far as it is ours and whole; None for anything else."""
    try:
        return _form(payload) if payload["type"] == "view_submission" else _action(payload)
    except (KeyError, TypeError, IndexError, AttributeError):
        return None


def _action(payload: Json) -> Press | None:
    action = payload["actions"][0]
    mark = unpacked(action.get("value"))
    if payload["type"] != "block_actions" or mark is None or not action["action_id"].startswith(PREFIX):
        return None
    channel = (payload.get("channel") or payload.get("container") or {}).get("id", "")
    user, name = _who(payload)
    return Press(user, name, action["action_id"].removeprefix(PREFIX), mark, channel, payload.get("trigger_id", ""))


def _form(payload: Json) -> Press | None:
    view = payload["view"]
    about = json.loads(view["private_metadata"]) if view["callback_id"] == PREFIX + CHANGE else {}
    mark = unpacked(about.get("value"))
    if mark is None:
        return None
    changes = {
        name: entered["value"]["value"]
        for name, entered in view["state"]["values"].items()
        if entered["value"].get("value") not in (None, about.get("shown", {}).get(name))
    }
    user, name = _who(payload)
    return Press(user, name, RETRY, mark, about.get("channel", ""), changes=changes)


def _who(payload: Json) -> tuple[str, str]:
    user = payload["user"]
    return user["id"], user.get("username") or user.get("name") or user["id"]


def form(pressed: Press, values: Mapping[str, Json]) -> Json:
    """The form that asks for new values of the open inputs; `values` are those of the last try."""
    shown = {name: json.dumps(value, ensure_ascii=False) for name, value in list(values.items())[:MOST_FIELDS]}
    shown = {name: text for name, text in shown.items() if len(text) <= _VALUE_CHARS}
    about = {"value": packed(pressed.mark), "channel": pressed.channel}
    whole = json.dumps({**about, "shown": shown}, ensure_ascii=False)
    return {
        "type": "modal",
        "callback_id": PREFIX + CHANGE,
        "private_metadata": whole if len(whole) <= _VALUE_CHARS else json.dumps(about),
        "title": {"type": "plain_text", "text": "Retry with changes"},
        "submit": {"type": "plain_text", "text": "Retry"},
        "close": {"type": "plain_text", "text": "Cancel"},
        "blocks": [_field(name, text) for name, text in shown.items()],
    }


def _field(name: str, text: str) -> Json:
    return {
        "type": "input",
        "block_id": name,
        "optional": True,
        "label": {"type": "plain_text", "text": name},
        "hint": {"type": "plain_text", "text": "JSON: text needs quotes"},
        "element": {"type": "plain_text_input", "action_id": "value", "initial_value": text, "multiline": True},
    }
