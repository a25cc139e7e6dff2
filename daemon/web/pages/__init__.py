"""The pages that people look at, one file each."""
