"""Pure values and rules: nothing in here reads a clock, a file, the environment or the network."""
