"""Alerts, what they were raised for, and what became of a person's message."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_OPEN = sa.text("open = 1")
_ENDED = sa.text("ended_at IS NOT NULL")
_UNSTARTED = sa.text("disposition IN ('missed_expired', 'blocked_invalid')")


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.BigInteger, nullable=False, autoincrement=False) for name in ("open", "opened_at")),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("alerts_open", "alerts", ["opened_at"], sqlite_where=_OPEN, postgresql_where=_OPEN)
    op.create_table(
        "alert_sources",
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False, autoincrement=False),
    )
    op.create_index("alert_sources_at", "alert_sources", ["at"])
    op.create_index("runs_ended_at", "runs", ["ended_at"], sqlite_where=_ENDED, postgresql_where=_ENDED)
    op.create_index("ledger_unstarted", "ledger", ["recorded_at"], sqlite_where=_UNSTARTED, postgresql_where=_UNSTARTED)
    op.add_column("inbox", sa.Column("reply", sa.Text, nullable=True))
