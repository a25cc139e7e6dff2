"""An index that finds the plans which no run follows any more."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_index("runs_plan", "runs", ["plan"])
