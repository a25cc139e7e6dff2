"""The tool sandbox: a zygote, its single-use workers, and the supervisor that outlives them all."""
