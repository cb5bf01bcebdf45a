"""Tuned constants of the local search, with what each trades.

What they give together is measured by ``benchmarks/search.py`` on the 19 data sets of the paper,
and written in ``benchmarks/RESULTS.md``: the cost left over that of KMeans is 0.63 times the greedy
tree's with one leaf per cluster and 0.37 times with four, in nine times its seconds. How a single
value was chosen is noted if known. None of them decides whether a tree is valid; changing
one changes which tree is found, and the golden file shows it.

Tolerances for rounding (``improvement.MIN_GAIN``, ``local.SAME``) are beside the code.
"""

from __future__ import annotations

# --- Work: the budget counts operations, so that results do not depend on time. It has a fixed
# part and one per value and component of a row. With these an effort of 1 takes a few times as long
# as the greedy tree.
FIXED_WORK = 2_000_000
WORK_PER_VALUE = 15
# The same where there is one leaf per cluster: such trees are small, and depend more on luck.
FIXED_WORK_OF_FEW = 4_000_000
WORK_PER_VALUE_OF_SMALL = 25
# The factor per value with three leaves: small trees mostly restart, several times per column.
TIMES_OF_FEW = 3
# Added per unit of effort beyond the first: some hundredths of a second, also for few rows, and
# more if points have more components than ``WIDE``.
PATIENT_WORK = 20_000_000
WIDE = 32
# The overhead of a round.
ROUND_WORK = 100_000
# The work of KMeans and the tree between its centres, per row, cluster and component.
START_WORK = 13

# --- Samples: of more rows a sample is searched, and its best trees are improved with all rows.
# Larger samples lose less on the way back, and leave fewer rounds for the same work: with 120
# rows per leaf avila with 4 K leaves has an excess of 0.014 to 0.035, with 60 of 0.020 to 0.043.
SAMPLE = 2500
ROWS_PER_LEAF = 120
# Trees of a sample that are improved with all rows, and sweeps of each: a sample left little to do.
BROUGHT = 2
ALL_ROWS_SWEEPS = 10

# --- Starts: the number of KMeans runs for initial trees, for an effort of 1. With one leaf per
# cluster the result depends more on the initial tree, and these are cheap.
STARTS_OF_SMALL, STARTS = 8, 2
# Runs of KMeans of which the best is taken, if there are more leaves than clusters: such a tree
# approximates its clusters closely.
RUNS_OF_A_START = 3
# Iterations of KMeans: an initial tree does not need full convergence.
MAX_ITERATIONS = 30
# Sweeps over a start: enough to tell which ones are worth more.
START_SWEEPS = 3
# The fraction of the budget for initial trees. With more effort it is lower with one leaf per
# cluster, where perturbations of the best trees find more, and higher with more leaves.
SHARE_OF_STARTS = 0.5
# The penalty per level of depth in a tree between centres, as a fraction of the cost of the node,
# as in ExShallow.
DEPTH_FACTOR = 0.03

# --- Local optima: how many trees are perturbed. The best third is kept until one is left.
LOCAL_OPTIMA = 3
# The fraction of the work for the last one, times the number of rounds; the others share the rest.
SHARE_OF_LAST = 1.2
# With one leaf per cluster and more effort: the initial tolerance for worse trees, as a fraction of
# the cost, and the factor of it for the distance to the best tree. With zero only improvements are
# accepted; higher values leave local optima sooner and return later.
SLACK = 0.05
FARTHEST = 5

# --- Local improvement.
# The number of splits of a node, the best with fixed centres, whose exact gain is computed.
PROPOSALS = 4
# The maximum number of sweeps over a tree; nearly all converge earlier.
MAX_SWEEPS = 50
# The number of failed prunings before ``spend`` stops: an absolute one, or a fraction of leaves.
SPENT_IN_VAIN = 3
SHARE_IN_VAIN = 0.05

# --- Random changes.
# The number of best splits of a node from which one is sampled.
DRAWN_SPLITS = 6
# The minimum number of columns tried for splitting off a leaf above a node, else a quarter.
COLUMNS = 8
# Trees with at most so many leaves restart from the root more often.
FEW_LEAVES = 6

# --- Simplification: the cost of shorter explanations with more leaves than clusters, as fractions
# of the cost and of the improvement over the best initial tree.
PLAIN_SHARE = 1.5e-3
PLAIN_SHARE_OF_GAIN = 0.5
# More effort is for lower costs: both fractions decrease with it, to zero at this effort.
LOWEST_COSTS = 10
# Splits of a node that are tried, and passes over the tree.
SIMPLER_SPLITS = 16
PASSES = 4

# --- Splits on two columns.
# Passes over a tree for such splits, with a local improvement after each.
PAIR_ROUNDS = 10
# The minimum gain over the split on one column, as a fraction of the inertia of all rows, because
# sums are harder to read.
PAIR_PRICE = 0.01
# Columns of a node that are combined, and sums whose exact gain is computed.
MOST_COLUMNS = 8
MAX_CHECKED = 6

# --- Points of kernels that are not factored exactly.
# Components of the feature map: more approximate the kernel better and take longer.
MAP_COMPONENTS = 256
