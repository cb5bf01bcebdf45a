"""Partitions of rows: objective, cost, centres and distances to them."""
