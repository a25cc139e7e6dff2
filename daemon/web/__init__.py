"""The status page and its API: what ran, what runs, what is overdue and why, and what people are asked.

It sees the ports and the domain. Only `clockwright serve` imports it, and only where a port is set.
"""
