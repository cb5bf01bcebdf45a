"""Tuned constants of comparisons and of their advice, with what each trades."""

from __future__ import annotations

# --- Work.
# The fraction of the rows that a run draws: runs with fewer differ more, and tell more of chance.
SHARE = 0.8
# All methods go through so many numbers in less than a minute, on two cores.
CELLS = 2_000_000
# A run has at least so many rows, if there are as many: a fraction of fewer is a small table.
FEWEST = 2000

# --- Advice: what counts as a difference. Wider bounds prefer shorter rules over lower costs.
# A cost that is higher by that fraction is not near any more.
NEAR = 0.05
# Rules that are longer by that many conditions are not short any more.
AS_SHORT = 0.25
# Costs that differ by less than that fraction are the same to anyone.
SAME = 0.005
# Standard errors of a paired difference that chance may make.
BY_CHANCE = 2.0
# Trees that cost so much more than KMeans have too few leaves to follow it.
FAR = 1.25
