"""What jobs need of others: models and databases. Nothing is sent and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...config import Settings
from ...config.secrets import SecretMissing, Secrets
from ...domain.checkup import Finding, fail, ok, warn
from ...domain.job import Job
from ...domain.llm import Mode

if TYPE_CHECKING:
    from sqlalchemy import URL

    from ...app import Daemon

CONNECT_SECONDS = 5


def models(daemon: Daemon) -> Iterator[Finding]:
    """Asks each endpoint one small question."""
    office = daemon.staff.office
    if office is None:
        yield ok("model", "no job has a model: the rule decides")
        return
    for model, said in office.examine().items():
        if said in set(Mode):
            yield ok("model", f"{model} answers ({said})")
        else:
            yield warn(
                "model", f"{model}: {said}", "until it answers the rule decides; check base_url, key and network"
            )


def slack(settings: Settings) -> Iterator[Finding]:
    """Asks Slack who we are; posts nothing."""
    if not settings.slack.token:
        text = f"no token is configured: messages only go to {settings.outbox}"
        yield warn("slack", text, "name a secret in slack.token of clockwright.yaml")
        return
    try:
        yield _greeted(settings.secrets(settings.slack.token), settings.slack.api)
    except SecretMissing:
        return  # said with the secrets
    if not settings.slack.answers:
        yield warn(
            "slack",
            "nobody can answer questions there: 'clockwright escalations answer' and the page remain",
            "set slack.app_token or slack.signing_secret, and slack.people or slack.groups",
        )


def _greeted(token: str, api: str) -> Finding:
    from ...adapters.slack.pen import SlackPen, fault
    from ...domain.errors import Kind

    try:
        told = SlackPen(lambda: token, api).ask("auth.test", {})
    except Exception as error:  # noqa: BLE001 - the client lets through whatever the network raises
        failed = fault("auth.test", error)
        if failed.kind is Kind.TRANSIENT:
            return warn("slack", failed.message, "alerts wait in the store meanwhile; check the network")
        return fail("slack", failed.message, "make a new token for the app, and put it into the secret")
    return ok(
        "slack", f"it knows us as {told.get('user')} in {told.get('team')}; 'clockwright slack check' tries a message"
    )


def databases(jobs: Iterable[Job], secrets: Secrets) -> Iterator[Finding]:
    """Every database that a step names by its URL or by a secret whose name ends in `_url`."""
    found: dict[str, set[str]] = {}
    for job in jobs:
        for address in _addresses(job, secrets):
            found.setdefault(address, set()).add(job.id)
    for address, users in sorted(found.items(), key=lambda item: sorted(item[1])):
        yield _reached(address, f"for {', '.join(sorted(users))}")


def _addresses(job: Job, secrets: Secrets) -> Iterator[str]:
    for step in job.plan.steps:
        url = step.inputs.get("url")
        if isinstance(url, str) and "://" in url and "${" not in url and not url.startswith("http"):
            yield url
        for tools_name, name in step.secrets.items():
            if tools_name.endswith("_url"):
                try:
                    yield secrets(name)
                except SecretMissing:
                    continue  # said with the secrets


def _reached(address: str, users: str) -> Finding:
    from sqlalchemy import create_engine, make_url, pool, text
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    try:
        url = make_url(address)
    except ArgumentError:
        return fail("database", f"a URL {users} cannot be read", "such as postgresql+psycopg://user@host/shop")
    shown = f"{url.render_as_string(hide_password=True)} {users}"
    try:
        engine = create_engine(_reading(url), poolclass=pool.NullPool, connect_args=_patience(url))
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except FileNotFoundError:
        return fail("database", f"{shown}: there is no such file", "check the path in the URL")
    except (SQLAlchemyError, ImportError) as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())[:200]
        return fail("database", f"{shown}: {reason}", "check address, account, rights and driver")
    return ok("database", f"{shown} answers")


def _reading(url: URL) -> URL:
    """A SQLite file is never made by looking for it."""
    if url.get_backend_name() != "sqlite":
        return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url
    path = Path(url.database or "")
    if not path.is_file():
        raise FileNotFoundError(path)
    return url.set(database=f"file:{quote(str(path.absolute()))}", query={"mode": "ro", "uri": "true"})


def _patience(url: URL) -> dict[str, int]:
    return {"connect_timeout": CONNECT_SECONDS} if url.get_backend_name() in {"postgresql", "mysql", "mariadb"} else {}
