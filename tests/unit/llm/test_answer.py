"""What is a decision, and what only looks like one."""

from __future__ import annotations

import pytest

from daemon.domain.answer import Cause, Unusable, parse

CLEAR = {
    "fenced json": ('```json\n{"decision": "B", "reason": "timeout, try again"}\n```', "B"),
    "fence without language": ('```\n{"decision":"C"}\n```', "C"),
    "prose and brackets around": (
        'Sure! Based on the snapshot:\n{"decision": "A", "reason": "all 3 checks passed"}\nSee note [1] and {docs}.',
        "A",
    ),
    "think block": ('<think>Could be {"decision":"A"}, but the total is null.</think>\n{"decision":"B"}', "B"),
    "closing think tag only": ('The total is null, so retry.</think>{"decision":"B"}', "B"),
    "lower case": ('{"decision":"b"}', "B"),
    "byte order mark": ('\ufeff{"decision":"B"}', "B"),
    "extra keys": ('{"decision":"B","confidence":0.7,"notes":["x"],"next":null}', "B"),
    "braces inside a string": ('{"reason":"product is \\"Ring {L} }\\" and `code`","decision":"C"}', "C"),
    "other fence first": ('```sql\nSELECT {x}\n```\n```json\n{"decision":"C"}\n```', "C"),
    "spaces": ('{"decision":" B "}', "B"),
    "key in capitals": ('{"Decision":"B"}', "B"),
    "a think tag inside a string": ('{"reason":"it says </think>{\\"decision\\":\\"A\\"}","decision":"C"}', "C"),
}
UNCLEAR = {
    "trailing comma": '{"decision": "B", "reason": "lock",}',
    "python dict": "{'decision': 'B', 'reason': None, 'final': True}",
    "curly quotes": "{“decision”: “B”, “reason”: “retry”}",
    "letter with text": '{"decision":"B) retry"}',
    "word instead of letter": '{"decision":"retry"}',
    "raw newline in a string": '{"decision":"B","reason":"line one\nline two"}',
    "list of one": '[{"decision":"B"}]',
    "string of json": '"{\\"decision\\":\\"B\\"}"',
    "two letters": '{"decision":"A|B"}',
    "list of letters": '{"decision":["A","B"]}',
    "a number": '{"decision":1}',
    "no letter": '{"decision":null}',
    "a Greek capital alpha": '{"decision":"Α"}',
    "two answers": '{"decision":"A"}\n{"decision":"C"}',
    "the same answer twice": '{"decision":"A"}\n{"decision":"A"}',
    "an answer and the beginning of another": '{"decision":"A"}\n{"decision":"C"',
    "doubled key": '{"decision":"A","decision":"C"}',
    "doubled key in another case": '{"decision":"A","Decision":"C"}',
    "doubled key further in": '{"decision":"A","tool_input":{"day":"1","day":"2"}}',
    "prose with a stray letter": 'I would rather choose C.\n{"decision":"A"}',
    "prose only": "A is the right choice here.",
    "a bare letter": "A",
    "quoted in a sentence": 'The product is called {"decision":"A"} and looks odd.',
    "quoted with a mark": '> {"decision":"A"}',
    "quoted in a block": 'The name of the file:\n```\n{"decision":"A"}\n```\nI cannot say.',
    "a block of text": '```text\n{"decision":"A"}\n```',
    "nested": '{"answer":{"decision":"A"}}',
    "only thoughts": '<think>{"decision":"A"}</think>',
    "thoughts without end": '<think>{"decision":"A"}',
    "cut in the middle": '{"decision":"A","reason":"the total match',
    "cut one brace early": '{"decision":"A"',
    "not a number": '{"decision":"A","confidence":NaN}',
    "too large a number": '{"decision":"A","confidence":1e999}',
    "infinity": '{"decision":"A","confidence":-Infinity}',
    "nothing": "",
    "white space": " \n\t ",
    "very deep": "[" * 9000,
    "very long": '{"decision":"A","reason":"' + "x" * 70_000 + '"}',
}


@pytest.mark.parametrize(("raw", "letter"), CLEAR.values(), ids=[f"CB-049 {name}" for name in CLEAR])
def test_a_clear_answer_is_read(raw: str, letter: str) -> None:
    assert parse(raw).letter == letter


@pytest.mark.parametrize("raw", UNCLEAR.values(), ids=UNCLEAR)
def test_what_can_be_read_in_two_ways_or_in_none_is_no_decision(raw: str) -> None:
    with pytest.raises(Unusable):
        parse(raw)


def test_several_different_letters_are_called_ambiguous() -> None:
    with pytest.raises(Unusable) as refused:
        parse(UNCLEAR["two answers"])
    assert refused.value.cause is Cause.AMBIGUOUS


def test_an_empty_answer_is_told_apart_from_a_wrong_one() -> None:
    with pytest.raises(Unusable) as refused:
        parse("<think>hm</think>")
    assert refused.value.cause is Cause.EMPTY


def test_a_reason_is_one_line_of_bounded_length() -> None:
    answer = parse('{"decision":"C","reason":"' + "word\\n" * 500 + '"}')
    assert len(answer.reason) <= 300
    assert "\n" not in answer.reason
