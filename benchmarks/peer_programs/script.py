"""What cron starts: a script of steps, one after the other. It remembers nothing."""

from __future__ import annotations

from work import STEPS, hang, measured, nothing, post, said, task


def five() -> None:
    for _ in range(STEPS):
        nothing()


def main() -> None:
    asked = task()
    if asked.what == "cost":
        measured(five, asked.runs)
    elif asked.what == "hang":
        hang(asked.url)
    else:
        post(asked.url)
        said(ended=True)


if __name__ == "__main__":
    main()
