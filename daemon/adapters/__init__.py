"""One outside thing each, behind a port."""
