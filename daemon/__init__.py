"""Clockwright's daemon. Nothing may ever read a name from here: python-daemon ships a package of this name."""
