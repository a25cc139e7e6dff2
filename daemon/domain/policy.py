"""Placeholder until the policy arrives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """What a decider is asked."""
