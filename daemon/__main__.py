"""`python -m daemon` and the command `clockwright` are the same."""

from __future__ import annotations

import sys

from .cli.application import main as run_command


def main() -> None:
    sys.exit(run_command())


if __name__ == "__main__":
    main()
