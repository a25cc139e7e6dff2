"""Slack on loopback, as far as messages, files and their faults go: `with FakeSlack() as slack: ...`."""

from .faults import Fault
from .server import FakeSlack
from .workspace import Channel, Message, Refusal, Workspace

__all__ = ["Channel", "FakeSlack", "Fault", "Message", "Refusal", "Workspace"]
