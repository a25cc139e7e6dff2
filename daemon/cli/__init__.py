"""The command line: one file for each group of commands. What is heavy is imported where it is used."""
