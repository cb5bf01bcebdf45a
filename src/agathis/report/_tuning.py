"""Constants of a report: what is shown, how many rows a metric uses, how much work it may take."""

from __future__ import annotations

#: Privacy: of fewer values than these only their number is shown, as a mean is nearly a value.
FEW = 5
#: The maximum number of rows whose identifiers are part of the page.
MAX_IDS = 5000
#: The maximum number of points of the scatter plot, if rows may be shown.
MAX_POINTS = 4000

#: Columns in the profile of the clusters.
MAX_PROFILE = 20
#: Columns whose values are shown for a node.
MAX_NODE_COLUMNS = 6
#: Classes that are shown separately, and categories of a column.
MAX_CLASSES, MAX_CATEGORIES = 12, 10
#: Columns that are typical of a cluster, and the minimum difference from the overall mean, in
#: standard deviations.
MAX_TYPICAL, MIN_DIFFERENCE = 3, 0.5

#: Where the mean of a column is more standard deviations of most values from its median than this,
#: on average over the groups, or twice as many for all rows, the page has medians.
SKEWED = 0.2
#: The distance of the quartiles of a normal distribution, in standard deviations.
IQR_OF_NORMAL = 1.349
#: Values are rounded to a power of ten of which a standard deviation has at least this many.
STEPS = 4

#: Bins of the histogram of a split and of the profile; rounding the step may change their number.
SPLIT_BINS, PROFILE_BINS = 24, 18
#: The minimum and maximum number of bins along each side of the scatter plot.
PLANE_BINS = (12, 44)

#: The maximum number of rows of metrics, and of metrics of all pairs of rows.
MAX_ROWS, MAX_PAIRWISE_ROWS = 4000, 2000
#: Eigenvalues of a kernel matrix below this fraction of the largest are rounding errors.
EIGENVALUE_ROUNDING = 1e-10
#: Costs below this fraction of the total are rounding errors.
COST_ROUNDING = 1e-9
#: Initialisations of the KMeans that clusters are compared with.
KMEANS_N_INIT = 5
#: Trees fitted to halves of the rows.
N_HALVES = 8
#: Maximum numbers of leaves of further trees, as multiples of the number of clusters.
LEAF_MULTIPLES = (1, 2, 4)
#: The maximum settings of a fit for a page, which may have the settings of a file from elsewhere.
MAX_SETTINGS = {"search_effort": 1.0, "n_init": 100}
#: The maximum number of leaves of a tree that is compared with the optimal one, and the work of
#: that search: some seconds. It is counted in operations, so that pages do not depend on the
#: machine.
MAX_PROVEN_LEAVES = 4
PROOF_WORK = 5e9
