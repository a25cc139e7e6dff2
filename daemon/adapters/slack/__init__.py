"""Slack as the place where people answer: editing, whispering, and hearing presses."""
