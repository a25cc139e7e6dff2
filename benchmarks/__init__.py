"""The numbers that we quote, each by one command: `python -m benchmarks.NAME`."""
