"""One attempt in a process of its own, which dies at a named point of a named request."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atomic_tools import ToolContext, ToolError
from atomic_tools._slack_client import Slack
from atomic_tools.slack_send_message import Input, slack_send_message


def attempt(asked: Input, at: ToolContext, strike: tuple[str, str], ended: Path) -> None:
    """`strike` is (moment, method); leaves the kind of its failure in `ended`, or nothing in it for a delivery."""
    moment, struck = strike
    real = Slack.send

    def send(self: Slack, method: str, arguments: Mapping[str, Any], most: float = 30.0) -> Any:
        if (moment, method) == ("before", struck):
            os.kill(os.getpid(), signal.SIGKILL)
        answer = real(self, method, arguments, most)
        if (moment, method) == ("answered", struck):
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    Slack.send = send  # type: ignore[method-assign]  # the process is about to end
    try:
        slack_send_message(asked, at)
    except ToolError as error:
        ended.write_text(error.kind)
    else:
        ended.write_text("")
