"""Pure values and rules. Nothing here reads a clock, a file, the environment or the network."""
