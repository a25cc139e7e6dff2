"""What Alembic runs for every command."""

from __future__ import annotations

from alembic import context

from daemon.adapters.sql.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, transactional_ddl=False)
context.run_migrations()
