"""Comparison of methods: names, protocol, worker processes."""
