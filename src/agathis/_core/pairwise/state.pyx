# The arrays that the modules of this package share, and how they start: one leaf, one cluster.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from agathis._core.pairwise.scan cimport MOVE_KINDS, SUM_CLUSTER, SUM_WEIGHT
from agathis._core.shared.scan cimport SCAN_LANES
from agathis._core.shared.sorted cimport SortedSamples

# Fewer steps than this, each a pair of samples and a feature, are done by one thread: waking
# another costs more, as it turns for milliseconds afterwards, waiting for the next.
cdef double SMALL_WORK = 20_000_000.0


cdef class State(SortedSamples):
    """The samples, leaves and clusters of a tree that grows.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        The data, feature by feature.
    weight : ndarray of shape (n_samples,)
        Positive weights.
    half : ndarray of shape (n_samples,)
        Half of the kernel's diagonal.
    max_clusters, max_leaves, threads : int
    positive : bool
        Whether the kernel is known to be positive, or conditionally so.
    prefix_scanned : bool
        Whether kernel sums along features come from prefix-sum scans: then they are stored in the
        order of the feature, and ranks are not needed.
    """

    def __init__(
        self, values, weight, half, int max_clusters, Py_ssize_t max_leaves, int threads, *,
        bint positive=False, bint prefix_scanned=False,
    ):
        super().__init__(values, threads)
        cdef Py_ssize_t n = self.n_samples, d = self.n_features
        self.max_clusters = max_clusters
        self.n_leaves, self.n_clusters = 1, 1
        self.positive, self.prefix_scanned = positive, prefix_scanned
        self.largest_weight = np.max(weight)

        self.rank = None
        if not prefix_scanned:
            rank = np.empty((d, n), dtype=np.int32)
            np.put_along_axis(
                rank, np.asarray(self.order), np.arange(n, dtype=np.int32)[None], axis=1)
            self.rank = rank
        self.alpha = np.zeros((d, n))
        self.within = np.zeros(n)
        # A multiple of the scan's lanes, so that it may read past the last cluster.
        width = SUM_CLUSTER + (max_clusters + SCAN_LANES - 1) // SCAN_LANES * SCAN_LANES
        rows = np.zeros((n, width))
        rows[:, SUM_WEIGHT] = weight
        self.rows, self.weight, self.half = rows, weight, half
        self.leaf_of = np.zeros(n, dtype=np.int32)

        self.cluster = np.zeros(max_leaves, dtype=np.int32)
        self.leaf_weight = np.zeros(max_leaves)
        self.leaf_self = np.zeros(max_leaves)
        self.best = np.empty((max_leaves, d))
        self.kind_gain = np.full((max_leaves, MOVE_KINDS), -np.inf)
        self.kind_spread = np.empty((max_leaves, MOVE_KINDS))
        self.kind_slack = np.empty((max_leaves, MOVE_KINDS))
        self.gain = np.full(max_leaves, -np.inf)
        self.bound = np.full(max_leaves, np.inf)
        self.partial = np.zeros(max_leaves, dtype=np.uint8)

        self.kernel_sum = np.zeros(max_clusters)
        self.size = np.zeros(max_clusters)
        self.share = np.zeros(max_clusters)
        self.leaves_in = np.zeros(max_clusters, dtype=np.int32)
        self.leaves_in[0] = 1

    cdef bint founding(self) noexcept nogil:
        """Whether every cluster is one leaf, and the next split is sure to found another.

        By a positive kernel a side never gains more by joining a cluster than by founding one.
        So until there are as many clusters as allowed each leaf is a cluster, its best split
        founds one, and what that gains depends on nothing outside the leaf.
        """
        return (
            self.positive and self.n_clusters < self.max_clusters
            and self.n_leaves == self.n_clusters)

    cdef int threads_for(self, double work) noexcept nogil:
        return self.threads if work > SMALL_WORK else 1

    cdef double alpha_at(self, Py_ssize_t f, Py_ssize_t position) noexcept nogil:
        """That of the sample at a place in the order of f."""
        return self.alpha[f, position if self.prefix_scanned else self.order[f, position]]

    def arrays(self):
        """What is kept of samples and leaves, by name, as views; for looking into it."""
        views = {
            "order": self.order, "rank": self.rank, "cut": self.cut, "alpha": self.alpha,
            "within": self.within, "rows": self.rows, "start": self.start, "stop": self.stop,
            "leaf_self": self.leaf_self,
        }
        return {name: np.asarray(view) for name, view in views.items() if view is not None}

    def leaf_size(self, Py_ssize_t leaf_index):
        """Samples and weight of a leaf."""
        return self.stop[leaf_index] - self.start[leaf_index], self.leaf_weight[leaf_index]

    def has_threshold(self, Py_ssize_t leaf_index):
        """Whether the rows of a leaf differ, feature by feature."""
        return np.asarray(self.cut)[:, self.start[leaf_index]:self.stop[leaf_index]].any(axis=1)

    def feature_gains(self, Py_ssize_t leaf_index):
        """The best gain along each feature at the last search of a leaf, as a view."""
        return np.asarray(self.best)[leaf_index]

    def gains(self):
        """Best gain of each leaf at its last search, and what it cannot exceed now; views."""
        return np.asarray(self.gain), np.asarray(self.bound)

    def cluster_of(self, Py_ssize_t leaf_index):
        return self.cluster[leaf_index]

    def is_whole_cluster(self, Py_ssize_t leaf_index):
        """Whether the leaf is all of its cluster."""
        return self.leaves_in[self.cluster[leaf_index]] == 1

    def cluster_kernel_sums(self, Py_ssize_t k):
        """Each sample's kernel sum with cluster k, as a view."""
        return np.asarray(self.rows)[:, SUM_CLUSTER + k]

    def objective(self):
        """The sum over clusters of kernel sum over size, in distance form."""
        return float(np.sum(np.asarray(self.share)[:self.n_clusters]))

    def cluster_means(self):
        """Mean kernel value within each cluster, in distance form."""
        k = self.n_clusters
        return np.asarray(self.kernel_sum)[:k] / np.asarray(self.size)[:k] ** 2

    def cluster_averages(self, values):
        """Weighted average of ``values``, one a sample, in each cluster."""
        k = self.n_clusters
        cluster = np.asarray(self.cluster)[np.asarray(self.leaf_of)]
        total = np.bincount(cluster, np.asarray(self.weight) * values, minlength=k)
        return total / np.asarray(self.size)[:k]


def partition(
    State s, Py_ssize_t leaf_index, Py_ssize_t feature, Py_ssize_t position, goes_left=None
):
    """Cut a leaf after ``position`` in the order of ``feature``; the index of the right child.

    Both children are in the cluster of the leaf.

    With ``goes_left``, a mark for each sample, ``position`` is how many of the leaf go left, less
    one, and they need not be the first in any order.
    """
    cdef Py_ssize_t right = s.n_leaves, p
    cdef int32_t i
    if goes_left is None:
        s.split(leaf_index, right, feature, position + 1)
    else:
        s.split_marked(leaf_index, right, goes_left, position + 1)
    s.leaf_weight[leaf_index] = s.leaf_weight[right] = 0.0
    for p in range(s.start[leaf_index], s.stop[leaf_index]):
        s.leaf_weight[leaf_index] += s.weight[s.order[feature, p]]
    for p in range(s.start[right], s.stop[right]):
        i = s.order[feature, p]
        s.leaf_of[i] = <int32_t>right
        s.leaf_weight[right] += s.weight[i]
    s.cluster[right] = s.cluster[leaf_index]
    s.leaves_in[s.cluster[leaf_index]] += 1
    s.n_leaves += 1
    s.bound[leaf_index] = s.bound[right] = INFINITY
    return right
