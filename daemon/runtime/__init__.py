"""The moving parts. They act on the world only through the ports."""
