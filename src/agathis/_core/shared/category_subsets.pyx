# Ways to part the categories of a leaf: for the engines, which have sums of their own, and from
# plain arrays.
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from agathis._core.shared.scan cimport scan_clusters, scan_leaf

#: Items up to which every way is looked at.
EXACT = SUBSET_EXACT


cdef uint8_t[::1] first_subset(
    const scan_leaf* leaf, const scan_clusters* clusters, const subset_items* items, double floor,
    double tolerance,
):
    """Which items go right in the first of the ways that gain ``floor``."""
    cdef double[::1] work = np.empty(subset_work(clusters.count, items.count))
    cdef uint8_t[::1] right = np.zeros(items.count, dtype=np.uint8)
    subset_search(
        leaf, clusters, items, SUBSET_EXACT, floor, tolerance, &work[0], NULL, NULL, &right[0])
    if not np.asarray(right).any():
        raise RuntimeError(f"no subset gains {floor}")
    return right


def best_subset(
    const double[::1] weight, const double[:, ::1] cross, const double[:, ::1] kernel_sum,
    const double[::1] cluster_size, const double[::1] cluster_kernel_sum, int own, double leave_all,
    int more_clusters, double min_leaf=0.0, int categories=-1, bint missing=False,
    int exact=SUBSET_EXACT, double floor=INFINITY, double tolerance=0.0,
):
    """The best gain of parting the items of a leaf, and which of them go right.

    Parameters
    ----------
    weight : ndarray of shape (m,)
    cross : ndarray of shape (m, K)
        Kernel sums of the items with the clusters.
    kernel_sum : ndarray of shape (m, m)
        And with each other.
    cluster_size, cluster_kernel_sum : ndarray of shape (K,)
    own : int
        The leaf's cluster.
    leave_all : float
        What is gained when all of the leaf leaves it; -inf where it is all of the cluster.
    more_clusters : int
        How many more there may be.
    min_leaf : float
    categories : int
        How many of the items have a column; all by default, but for a missing one.
    missing : bool
        Whether the last item is of missing values.
    exact : int
        Items up to which every way is looked at.
    floor, tolerance : float
        The first split with a gain of at least ``floor`` is returned.
    """
    cdef int32_t m = <int32_t>weight.shape[0], K = <int32_t>cluster_size.shape[0], k
    cdef Py_ssize_t i
    cdef double[::1] share = np.asarray(cluster_kernel_sum) / np.asarray(cluster_size)
    cdef double[::1] whole = np.zeros(K)
    cdef double[::1] work = np.empty(subset_work(K, m)), samples = np.ones(m)
    cdef uint8_t[::1] right = np.zeros(m, dtype=np.uint8)
    cdef scan_clusters clusters
    cdef scan_leaf leaf
    cdef subset_items items
    leaf.weight = 0.0
    for i in range(m):
        leaf.weight += weight[i]
        for k in range(K):
            whole[k] += cross[i, k]
    clusters.count, clusters.kernel_sum = K, &cluster_kernel_sum[0]
    clusters.size, clusters.share, clusters.id = &cluster_size[0], &share[0], NULL
    leaf.n, leaf.own, leaf.cross, leaf.leave_all = m, own, &whole[0], leave_all
    leaf.open_one = 0.0 if more_clusters >= 1 else -INFINITY
    leaf.open_two = 0.0 if more_clusters >= 2 else -INFINITY
    leaf.min_leaf = min_leaf
    items.count, items.missing = m, missing
    items.categories = categories if categories >= 0 else m - missing
    items.weight, items.samples, items.cross, items.kernel_sum = (
        &weight[0], &samples[0], &cross[0, 0], &kernel_sum[0, 0])
    gain = subset_search(
        &leaf, &clusters, &items, exact, floor, tolerance, &work[0], NULL, NULL, &right[0])
    return gain, np.asarray(right).view(bool)
