"""Prompt templates: data, not code. Each has a version in its front matter, which every decision records."""
