"""Tuned constants of the local search, with what each trades.

What they give together is measured by ``benchmarks/search.py`` on the 19 data sets of the paper,
and written in ``benchmarks/RESULTS.md``: the cost left over that of KMeans is 0.63 times the greedy
tree's with one leaf per cluster and 0.37 times with four, in nine times its seconds. How a single
value was chosen is said where it is known. None of them decides whether a tree is valid; changing
one changes which tree is found, and the golden file shows it.

What rounding allows (``descent.LEAST_GAIN``, ``local.SAME``) stays beside the code.
"""

from __future__ import annotations

# --- Work: an effort of 1 is a budget of numbers looked at, so that results do not depend on time.
# A fixed part, and a part for each value times each component of a row. More of it finds lower
# costs; with these an effort of 1 takes a few times the seconds of the greedy tree.
FIXED_WORK = 2_000_000
WORK_PER_VALUE = 15
# The same where there is one leaf per cluster: such trees are small, and depend more on luck.
FIXED_WORK_OF_FEW = 4_000_000
WORK_PER_VALUE_OF_SMALL = 25
# How many times as much for each value with three leaves: so small a tree begins anew most of the
# time, which takes some turns for each column.
TIMES_OF_FEW = 3
# What each unit of effort beyond the first adds: some hundredths of a second, also for few rows,
# and more where points have more components than ``WIDE``.
PATIENT_WORK = 20_000_000
WIDE = 32
# What a round costs besides the numbers that it looks at.
ROUND_WORK = 100_000
# What KMeans and a tree between its centres look at, for each row, cluster and component.
START_WORK = 13

# --- Samples: of more rows a sample is searched, and its best trees are improved with all rows.
# Larger samples lose less on the way back, and leave fewer rounds for the same work: with 120
# rows per leaf avila with 4 K leaves has an excess of 0.014 to 0.035, with 60 of 0.020 to 0.043.
SAMPLE = 2500
ROWS_PER_LEAF = 120
# Trees of a sample that are improved with all rows, and sweeps of each: a sample left little to do.
BROUGHT = 2
ALL_ROWS_SWEEPS = 10

# --- Starts: runs of KMeans whose clusters are made trees to begin with, for an effort of 1. With
# one leaf per cluster the tree depends more on where it begins, and starts are cheap.
STARTS_OF_SMALL, STARTS = 8, 2
# Runs of KMeans of which the best is taken, where there are more leaves than clusters: such a tree
# comes close to the clusters that it learns.
RUNS_OF_A_START = 3
# Iterations of KMeans: a start need not be settled to the last row.
MOST_ITERATIONS = 30
# Sweeps over a start: enough to tell which ones are worth more.
START_SWEEPS = 3
# The share of all work that starts may take. With more effort it is less where there is one leaf
# per cluster, as random changes of the best find more then, and more where there are more leaves.
SHARE_OF_STARTS = 0.5
# What a level of depth may cost in a tree between centres, as a share of a node's cost, as
# in ExShallow.
DEPTH_FACTOR = 0.03

# --- Local optima: how many random changes begin with. The best third goes on until one is left.
VALLEYS = 3
# The share of the work for the last one, over the number of rounds; the others share the rest.
SHARE_OF_LAST = 1.2
# With one leaf per cluster and more effort: by what share of its cost a tree may be worse than the
# last one at the beginning, and how many times as much worse than the best. Zero is pure descent;
# more leaves local optima sooner and returns later.
SLACK = 0.05
FARTHEST = 5

# --- Local improvement.
# Sweeps over a tree at most; nearly all end by themselves.
MOST_SWEEPS = 50
# Leaves that are pruned in vain before that is given up: so many, or this share of all.
SPENT_IN_VAIN = 3
SHARE_IN_VAIN = 0.05

# --- Random changes.
# Of the best splits of a node, how many one is drawn from at random.
DRAWN_SPLITS = 6
# Columns that are looked at where a leaf is split off above a node, at least; a quarter is enough.
COLUMNS = 8
# Trees with at most so many leaves begin anew more often: they are little else than their root.
FEW_LEAVES = 6

# --- Simplification: what shorter explanations may cost where there are more leaves than clusters,
# a share of the cost and of what the search gained over the best tree that it began with.
PLAIN_SHARE = 1.5e-3
PLAIN_SHARE_OF_GAIN = 0.5
# More effort is for lower costs: both shares shrink with it, and from this effort on are zero.
LOWEST_COSTS = 10
# Splits of a node that are tried, and passes over the tree.
SIMPLER_SPLITS = 16
PASSES = 4

# --- Splits on two columns.
# Passes over a tree for such splits, with a local improvement after each.
PAIR_ROUNDS = 10
# What such a split must gain more than the split on one column that it replaces, as a share of the
# inertia of all rows: it is harder to read.
PAIR_PRICE = 0.01
# Columns of a node that pairs are made of, and sums whose exact gain is worked out.
MOST_COLUMNS = 8
MOST_CHECKED = 6

# --- Points of kernels that are not factored exactly.
# Components of the feature map that is searched: more follow the kernel closer and take longer.
MAP_COMPONENTS = 256
