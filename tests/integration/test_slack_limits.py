"""Whatever a report holds, Slack refuses no request: text of any length, any number of parts, nasty names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomic_tools._slack_faults import PayloadError
from daemon.testing.fake_slack import FakeSlack, Fault, Message
from tests.integration.slack_post import KEY, near, reports, request, send
from tests.unit.tools.sales_samples import NASTY_NAMES, PING_NAMES

pytestmark = pytest.mark.slow
NAMES = (*NASTY_NAMES, *PING_NAMES, "```", "\u202eabc", "名前 🛒", "\ud800", "| a | b |", "x" * 7_000, "\n\n# H\n\n")
LIVE = ("<!channel", "<!here", "<!everyone", "<@U012AB3CD", "<!subteam")


@pytest.fixture(scope="module")
def slack() -> Iterator[FakeSlack]:
    with FakeSlack() as made:
        yield made


def sent(slack: FakeSlack, folder: Path, text: str, markdown: str) -> list[Message]:
    """The message and what goes on below it, taken out again."""
    before = len(slack.refused)
    send(request(text=text, markdown=markdown, channel="C000000002"), near(slack, folder, seconds=60.0))
    assert slack.refused[before:] == []
    made = [message for _, message in slack.workspace.with_key(KEY)]
    assert len(reports(slack)) == 1
    slack.workspace.channels["C000000002"].messages.clear()
    assert not any(ping in json.dumps(made) for ping in LIVE)
    return made


def blocks(count: int, name: str) -> str:
    kinds = ("# {}", "## {}", "{}", "- {}\n- {}", "| {} | b |\n|---|---|\n| 1 | 2 |", "```\n{}\n```", "> {}", "---")
    return "\n\n".join(kinds[at % len(kinds)].format(name, at) for at in range(count))


@given(
    text=st.sampled_from(NAMES).filter(lambda name: bool(name.strip("\ud800 \n"))),
    markdown=st.one_of(
        st.builds(blocks, st.integers(0, 200), st.sampled_from(NAMES)),
        st.builds(
            lambda unit, length: (unit * length)[:length], st.text(min_size=1, max_size=40), st.integers(1, 200_000)
        ),
    ),
    refusals=st.integers(0, 2),
)
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_report_is_ever_refused(slack: FakeSlack, tmp_path: Path, text: str, markdown: str, refusals: int) -> None:
    """In none of the forms, and in nothing that goes on below them."""
    slack.faults["chat.postMessage"].extend([Fault.refusal("invalid_blocks")] * refusals)
    sent(slack, tmp_path, text, markdown)


@pytest.mark.parametrize("length", [2999, 3000, 3001, 4001, 12001, 40001, 200_000], ids=lambda size: f"CB-041 {size}")
def test_a_text_of_any_length_is_taken(slack: FakeSlack, tmp_path: Path, length: int) -> None:
    made = sent(slack, tmp_path, "x" * length, ("word " * length)[:length])
    assert len(made) == min(-(-length // 9000), 6)


@pytest.mark.parametrize("name", PING_NAMES, ids=lambda name: f"CB-043 {name}")
@pytest.mark.parametrize("refusals", range(3))
def test_no_name_pings_in_any_form(slack: FakeSlack, tmp_path: Path, name: str, refusals: int) -> None:
    slack.faults["chat.postMessage"].extend([Fault.refusal("invalid_blocks")] * refusals)
    sent(slack, tmp_path, name, f"# {name}\n\n{name}")


TOO_MUCH = {
    "51 blocks": {"blocks": [{"type": "divider"}] * 51},
    "header of 151": {"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}]},
    "section of 3001": {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}]},
    "empty section": {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": ""}}]},
    "11 fields": {"blocks": [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 11}]},
    "all blocks": {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2900}}] * 5},
    "text of 40001": {"text": "x" * 40_001},
    "nothing": {"text": ""},
    "metadata without a type": {"text": "x", "metadata": {}},
}


@pytest.mark.parametrize("arguments", TOO_MUCH.values(), ids=TOO_MUCH)
def test_the_stand_in_refuses_what_slack_refuses(slack: FakeSlack, tmp_path: Path, arguments: Message) -> None:
    from atomic_tools._slack_client import Slack

    with pytest.raises(PayloadError):
        Slack(slack.token, lambda: 5.0, slack.url).send(
            "chat.postMessage", {"channel": "#sales", "text": "x", **arguments}
        )
