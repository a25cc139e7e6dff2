"""The audit log; and an index for the newest runs of a job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "deeds",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("at", sa.BigInteger, nullable=False, autoincrement=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("by", "origin", "verb", "job", "run", "detail")),
        sa.Column("key", sa.Text, nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("deeds_at", "deeds", ["at"])
    op.create_index("deeds_key", "deeds", ["key"], unique=True)
    op.create_index("runs_job_queued_at", "runs", ["job", "queued_at", "id"])
