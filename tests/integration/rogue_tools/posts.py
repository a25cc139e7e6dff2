"""An external effect whose receiver says what it is told to say."""

from __future__ import annotations

from atomic_tools import CannotTell, Found, NotFound, Partial, ToolContext, ToolInput, ToolOutput, tool
from atomic_tools import Reconciled as Verdict


class Input(ToolInput):
    """What the receiver will say."""

    receiver: str


class Output(ToolOutput):
    """The receiver's own id of the post."""

    post: str

    def summary(self) -> str:
        """The id."""
        return f"posted {self.post}"


def ask(request: Input, context: ToolContext) -> Verdict:
    """The receiver's answer about the effect key."""
    answers: dict[str, Verdict] = {
        "has it": Found(Output(post=str(context.effect_key))),
        "has a part": Partial(("picture",)),
        "does not": NotFound(),
        "is away": CannotTell("the receiver does not answer"),
    }
    return answers[request.receiver]


@tool(effect="external", reconcile=ask, destination=("receiver",))
def posts(request: Input, context: ToolContext) -> Output:
    """An external effect whose receiver says what it is told to say."""
    return Output(post=str(context.effect_key))
