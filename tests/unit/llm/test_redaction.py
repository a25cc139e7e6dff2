"""Secrets are found by value, by look, and inside encodings."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.redaction import HIDDEN, Redactor

KNOWN = "s3cr3t/+pass word!é"
RAW = KNOWN.encode()
WRITTEN = {
    "as it is": KNOWN,
    "in a URL": quote(KNOWN, safe=""),
    "as a form field": quote_plus(KNOWN),
    "in JSON": json.dumps(KNOWN),
    "in hex": RAW.hex(),
    "in base64": base64.b64encode(RAW).decode(),
    "in base64 for URLs": base64.urlsafe_b64encode(RAW).decode(),
    "in base64 after one byte": base64.b64encode(b":" + RAW + b"after").decode(),
    "in base64 after two bytes": base64.b64encode(b"u:" + RAW + b"x").decode(),
    "in base64 in a URL": quote(base64.b64encode(b"user:" + RAW).decode(), safe=""),
    "cut by someone else": KNOWN[:-4],
    "cut with a mark": KNOWN[:9] + "…",
}
LOOKS = {
    "Slack bot token": "xoxb-1234-5678-abcdefghij",
    "Slack app token": "xapp-1-A0-123-abcdef",
    "Slack webhook": "https://hooks.slack.com/services/T000/B000/XXXX1234",
    "API key": "sk-proj-abcdefghijklmnop1234",
    "bearer": "Authorization: Bearer abc.def-ghi_jkl",
    "basic": "authorization: basic dXNlcjpwYXNzd29yZA==",
    "password in a URL": "postgres://shop:hunter22@db/orders",
    "password in a query": "?user=x&password=hunter22&x=1",
    "password in JSON": '{"db_password": "hunter22"}',
    "AWS key": "AKIAIOSFODNN7EXAMPLE",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "private key": "-----BEGIN PRIVATE KEY-----\nMIIEv\nabc",
    "token in a URL encoding": quote("xoxb-1234-5678-abcdefghij", safe="") + "%20" + quote("a b"),
    "token in base64": base64.b64encode(b"token is xoxb-1234-5678-abcdefghij").decode(),
}
TELLING = ("s3cr3t", "hunter22", "xoxb", "abcdefghij", "XXXX1234", "abc.def", "AKIA", "eyJ", "MIIEv", "dXNlcjpw")


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_a_known_secret_is_found_however_it_is_written(text: str) -> None:
    clean = Redactor([KNOWN])(f"the answer was {text}")
    assert HIDDEN in clean
    assert not any(form in clean for form in (KNOWN[:8], RAW.hex()[8:24], quote(KNOWN, safe="")[:12]))
    assert base64.b64encode(RAW).decode()[4:16] not in clean


@pytest.mark.parametrize("text", LOOKS.values(), ids=LOOKS)
def test_what_looks_like_a_credential_is_hidden(text: str) -> None:
    clean = Redactor()(f"it said {text}")
    assert HIDDEN in clean
    assert not any(part in clean for part in TELLING)


@pytest.mark.parametrize(
    "text",
    [
        "1,204 orders, 12,345.67 EUR, sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "2026-03-10T10:00:00+01:00 Europe/Berlin",
        "tokens: 1234, the query returned no rows",
        "relation public.orders_2026_archive does not exist",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redactor(["another"])(text) == text


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_value_is_hidden_wherever_it_stands(before: str, after: str) -> None:
    assert "Zq9#mn42!x" not in Redactor(["Zq9#mn42!x"])(f"{before}Zq9#mn42!x{after}")


def test_keys_and_values_of_json_are_redacted() -> None:
    clean = Redactor(["geheim42"]).json({"geheim42": ["x geheim42", {"a": 1}]})
    assert clean == {HIDDEN: [f"x {HIDDEN}", {"a": 1}]}


def test_a_redactor_does_not_show_what_it_hides() -> None:
    assert "geheim42" not in repr(Redactor(["geheim42"]))


@pytest.mark.parametrize("piece", ["a", "😀", "a.", "%4", "eyJ-", "://", "password", "xoxb", "-----BEGIN ", "A1b2"])
def test_no_text_can_hold_it_up(piece: str) -> None:
    """A pattern that backtracks over the whole text would take minutes, and the test's own limit would end it."""
    Redactor(["geheim42"])(piece * 20_000)
