"""Decisions by a language model, behind the Decider port: on a short lead, never the reason why a report is missing."""
