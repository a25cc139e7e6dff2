"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    _runs()
    _parts()
    _effects()
    _escalations()
    _inbox()
    _jobs()
    _leases()


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=null)


def _number(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=null, autoincrement=False)


def _runs() -> None:
    op.create_table(
        "runs",
        *map(_text, ("id", "job")),
        *map(_number, ("instant", "revision")),
        *map(_text, ("data_date", "plan", "cause", "state")),
        _number("open"),
        *map(_text, ("reason", "owner")),
        *map(_number, ("epoch", "version", "queued_at")),
        *(_number(name, null=True) for name in ("started_at", "ended_at", "wake_at")),
        _text("body"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("runs_occurrence", "runs", ["job", "instant", "revision"], unique=True)
    op.create_index("runs_queued_at", "runs", ["queued_at"])
    _partial("runs_open", "runs", ["wake_at", "id"], "open = 1")


def _parts() -> None:
    op.create_table(
        "steps",
        *map(_text, ("run", "step")),
        _number("position"),
        *map(_text, ("state", "body")),
        sa.PrimaryKeyConstraint("run", "step"),
    )
    op.create_table(
        "events",
        _text("run"),
        *map(_number, ("seq", "at")),
        _text("kind"),
        _text("step", null=True),
        _text("body"),
        sa.PrimaryKeyConstraint("run", "seq"),
        sqlite_with_rowid=False,
    )


def _effects() -> None:
    op.create_table(
        "effects",
        *map(_text, ("key", "state", "run", "step")),
        *map(_number, ("attempt", "deadline")),
        _text("receipt", null=True),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("effects_run", "effects", ["run"])


def _escalations() -> None:
    op.create_table(
        "escalations",
        *map(_text, ("run", "id")),
        *map(_number, ("open", "asked_at", "expires_at")),
        _number("closed_at", null=True),
        *map(_text, ("option", "closed_by", "body")),
        sa.PrimaryKeyConstraint("run", "id"),
    )
    _partial("escalations_open", "escalations", ["asked_at"], "open = 1")


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        *map(_text, ("run", "kind")),
        *map(_number, ("at", "folded")),
        _text("body"),
        sqlite_autoincrement=True,
    )
    _partial("inbox_unread", "inbox", ["run"], "folded = 0")


def _jobs() -> None:
    op.create_table(
        "ledger",
        _text("job"),
        _number("instant"),
        _text("disposition"),
        _text("run", null=True),
        _number("recorded_at", null=True),
        _text("body"),
        sa.PrimaryKeyConstraint("job", "instant"),
    )
    op.create_table("jobs", _text("job"), _number("watermark"), sa.PrimaryKeyConstraint("job"))
    op.create_table("plans", *map(_text, ("digest", "body")), sa.PrimaryKeyConstraint("digest"))


def _leases() -> None:
    op.create_table(
        "leases",
        *map(_text, ("name", "owner")),
        _number("epoch"),
        _text("boot_id"),
        *map(_number, ("pid", "pid_started")),
        sa.Column("expires", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _partial(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
