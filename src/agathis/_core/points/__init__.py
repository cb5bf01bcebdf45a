"""Sums of points: tables of leaves, bins, their search."""
