"""Clockwright's daemon. Nothing may read a name from here: python-daemon ships a package of this name."""
