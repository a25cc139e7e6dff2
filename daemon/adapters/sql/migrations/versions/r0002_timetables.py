"""The schedules that jobs have had, and the pauses of jobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "schedules",
        sa.Column("job", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("job", "since"),
    )
    op.create_table(
        "pauses",
        sa.Column("job", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("open", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("ended_by", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("job", "since"),
    )
    op.create_index(
        "pauses_open", "pauses", ["job"], sqlite_where=sa.text("open = 1"), postgresql_where=sa.text("open = 1")
    )
