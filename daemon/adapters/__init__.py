"""One outside thing each. Adapters know the ports and the domain, and never each other."""
