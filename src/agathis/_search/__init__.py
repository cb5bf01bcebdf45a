"""Searches for better trees than the greedy one: local search, and the provable optimum."""
