"""Say a word back."""

from atomic_tools import ToolContext, ToolInput, ToolOutput, tool


class Input(ToolInput):
    """A word."""

    word: str


class Output(ToolOutput):
    """The word again."""

    word: str

    def summary(self) -> str:
        """The word."""
        return self.word


@tool()
def echoes(request: Input, context: ToolContext) -> Output:
    """Say a word back."""
    return Output(word=request.word)
