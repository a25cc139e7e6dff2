"""Whether answers would be heard: who is in the groups that may give them, and whether a socket would be opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .canary import Finding
from .pen import SlackPen, fault


def groups(pen: SlackPen, ids: Sequence[str]) -> Iterator[Finding]:
    for group in ids:
        try:
            found = pen.ask("usergroups.users.list", {"usergroup": group}).get("users") or ()
        except Exception as error:  # noqa: BLE001  # the client lets through whatever the network raises
            said = fault("usergroups.users.list", error).message
            yield Finding("fail", "people", f"{said}: nobody in {group} can answer (scope usergroups:read)")
        else:
            state = "ok" if found else "warn"
            yield Finding(state, "people", f"{len(found)} in {group} may answer")  # type: ignore[arg-type]


def socket(pen: SlackPen) -> Finding:
    """`pen` holds the app token. The address is asked for and not used."""
    try:
        pen.ask("apps.connections.open", {})
    except Exception as error:  # noqa: BLE001  # the client lets through whatever the network raises
        said = fault("apps.connections.open", error).message
        return Finding("fail", "socket", f"{said}: no press is heard (app token, scope connections:write)")
    return Finding("ok", "socket", "Slack gives an address for Socket Mode")
