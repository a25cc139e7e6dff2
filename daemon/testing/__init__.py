"""Fakes of everything that stands behind a port, for our tests and for yours."""
