# The best cut of a leaf: one side stays in its cluster, the other goes to another or founds one.
#
# Gains are exact. To keep the work small a side may go only to the clusters that pull most, those
# with the most to gain from rows that are nearer to them than to their own centre; and of many
# columns only those with the highest bounds are evaluated (column_choice.c).
import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from agathis._core.search.mutable_tree cimport (
    MAX_GROUP_CATEGORIES, MutableTree, search_condition, search_rows, split_candidate,
)
from agathis._core.shared.limits cimport limits_from, tree_limits


cdef extern from "search/leaf_splits.h":
    enum:
        MAX_TARGETS
        CROSSES
        LEADS

    ctypedef struct leaf_view:
        const double* sum
        double self, weight
        double own_kernel_sum, own_size, own_share
        Py_ssize_t targets
        double* kernel_sum
        double* size
        double* share
        double* leaf_cross
        const double* cross
        double* lead_sum
        bint may_found
        const tree_limits* limits

    void leaf_column_split(
        const search_rows* rows, Py_ssize_t column, const leaf_view* leaf, const int32_t* ids,
        Py_ssize_t m, uint64_t* field, int32_t* places, double* scratch, split_candidate* out) nogil
    void leaf_categories_split(
        const search_rows* rows, Py_ssize_t source, const leaf_view* leaf, const int32_t* ids,
        Py_ssize_t m, double* scratch, split_candidate* out) nogil
    void row_crosses(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* vectors,
        double* cross) nogil
    void leaf_leads(
        const search_rows* rows, leaf_view* leaf, const int32_t* ids, Py_ssize_t m, double* axis,
        double* lead) nogil
    double column_gain_bound(
        const search_rows* rows, Py_ssize_t column, const leaf_view* leaf, const double* lead,
        const int32_t* ids, Py_ssize_t m, uint64_t* field, int32_t* places) nogil
    void leaf_pulls(
        const search_rows* rows, const int32_t* ids, Py_ssize_t m, const double* mean,
        const double* square, Py_ssize_t clusters, Py_ssize_t own, double* pull) nogil

# Fewer products than this are worked out by one thread.
cdef double SMALL_WORK = 1_000_000.0
# Of more columns than this only those with the highest bounds are evaluated, and at least so many.
cdef Py_ssize_t MANY_COLUMNS = 20
cdef Py_ssize_t LOOKED_AT = 8


cdef class LeafSplits:
    """Finds the best splits of leaves of mutable trees, with a workspace for the rows.

    Parameters
    ----------
    tree : MutableTree
    """

    cdef double[:, ::1] cross, vectors, scratch, lead
    cdef double[::1] pull, gain_bound, axis
    cdef int32_t[::1] chosen

    def __init__(self, MutableTree tree):
        cdef Py_ssize_t width = tree.view.width
        self.cross = np.zeros((tree.view.n, CROSSES))
        self.vectors = np.zeros((CROSSES, width))
        self.scratch = np.zeros((tree.threads, (MAX_GROUP_CATEGORIES + 3) * width))
        self.pull = np.zeros(tree.max_clusters)
        cdef Py_ssize_t columns = tree.view.columns
        self.chosen, self.gain_bound = np.arange(columns, dtype=np.int32), np.zeros(columns)
        self.lead = np.zeros((tree.view.n if columns > MANY_COLUMNS else 0, LEADS))
        self.axis = np.zeros(2 * width)

    def best(
        self, MutableTree tree, Py_ssize_t leaf, const tree_limits[::1] limits=None,
        bint only_found=False,
    ):
        """The best cut of a leaf; with ``only_found`` one that founds a cluster.

        ``limits`` is a ``Limits.record``.

        Returns
        -------
        tuple or None
            The gain, the bytes of the condition, the clusters of both sides; ``None`` where the
            leaf cannot be cut.
        """
        cdef Py_ssize_t m, c, k, j, width = tree.view.width, columns = tree.view.columns
        cdef Py_ssize_t sources = tree.view.sources, best, n_cuts = columns + sources
        cdef int32_t own = tree.cluster[leaf], empty = -1, target
        cdef int32_t[MAX_TARGETS] targets
        cdef leaf_view view
        cdef Py_ssize_t looked_at, i
        cdef int t, threads = 1
        view.limits = limits_from(limits)
        if tree.count[leaf] < 2 or tree.weight[leaf] < 2.0 * view.limits.min_leaf:
            return None
        cdef uint8_t[::1] memory = np.empty(n_cuts * sizeof(split_candidate), dtype=np.uint8)
        cdef split_candidate* cuts = <split_candidate*>&memory[0]
        with nogil:
            m = tree.rows_under(leaf)
            looked_at = columns if columns <= MANY_COLUMNS else max(LOOKED_AT, columns // 8)
            tree.work += m * (looked_at + sources) * (width + CROSSES)
            if looked_at < columns:
                tree.work += m * (4 * columns + 8 * width)
            if not only_found:
                tree.work += m * tree.max_clusters * width
            if not only_found:
                leaf_pulls(
                    &tree.view, &tree.ids[0], m, &tree.mean[0, 0], &tree.square[0],
                    tree.max_clusters, own, &self.pull[0])
            for k in range(tree.max_clusters):
                if tree.leaves_in[k] == 0 and empty < 0:
                    empty = <int32_t>k
                if only_found or k == own or tree.leaves_in[k] == 0:
                    self.pull[k] = -1.0
            view.targets = 0
            memset(&self.vectors[0, 0], 0, CROSSES * width * sizeof(double))
            while view.targets < MAX_TARGETS:
                best = -1
                for k in range(tree.max_clusters):
                    if self.pull[k] > 0.0 and (best < 0 or self.pull[k] > self.pull[best]):
                        best = k
                if best < 0:
                    break
                self.pull[best] = -1.0
                targets[view.targets] = <int32_t>best
                view.kernel_sum[view.targets] = tree.kernel_sum[best]
                view.size[view.targets] = tree.size[best]
                view.share[view.targets] = tree.share[best]
                memcpy(&self.vectors[view.targets, 0], &tree.cluster_sum[best, 0],
                       width * sizeof(double))
                view.targets += 1
            memcpy(&self.vectors[MAX_TARGETS, 0], &tree.cluster_sum[own, 0],
                   width * sizeof(double))
            memcpy(&self.vectors[MAX_TARGETS + 1, 0], &tree.sum[leaf, 0],
                   width * sizeof(double))
            row_crosses(
                &tree.view, &tree.ids[0], m, &self.vectors[0, 0], &self.cross[0, 0])
            view.sum, view.weight = &tree.sum[leaf, 0], tree.weight[leaf]
            view.self = 0.0
            for j in range(width):
                view.self += tree.sum[leaf, j] * tree.sum[leaf, j]
            view.own_kernel_sum, view.own_size = tree.kernel_sum[own], tree.size[own]
            view.own_share = tree.share[own]
            for c in range(CROSSES):
                view.leaf_cross[c] = 0.0
                for j in range(width):
                    view.leaf_cross[c] += self.vectors[c, j] * tree.sum[leaf, j]
            view.cross, view.may_found = &self.cross[0, 0], empty >= 0
            if m * columns * (width + CROSSES) > SMALL_WORK:
                threads = tree.threads
            if looked_at < columns:
                self.choose(tree, &view, m, looked_at, threads)
                for c in range(columns):
                    cuts[c].gain = -INFINITY
            for i in prange(looked_at, num_threads=threads, schedule="dynamic"):
                t = threadid()
                c = self.chosen[i]
                leaf_column_split(
                    &tree.view, c, &view, &tree.ids[0], m, &tree.fields[t, 0],
                    &tree.places[t, 0], &self.scratch[t, 0], &cuts[c])
            for c in range(sources):
                leaf_categories_split(&tree.view, c, &view, &tree.ids[0], m,
                                      &self.scratch[0, 0], &cuts[columns + c])
            best = -1
            for c in range(n_cuts):
                if cuts[c].gain > -INFINITY and (best < 0 or cuts[c].gain > cuts[best].gain):
                    best = c
        if best < 0:
            return None
        target = empty if cuts[best].target == view.targets else targets[cuts[best].target]
        asks = (<char*>&cuts[best].asks)[:sizeof(search_condition)]
        if cuts[best].side:
            return cuts[best].gain, asks, target, own
        return cuts[best].gain, asks, own, target

    cdef void choose(
        self, MutableTree tree, leaf_view* view, Py_ssize_t m, Py_ssize_t count, int threads,
    ) noexcept nogil:
        """List the columns with the highest bounds."""
        cdef Py_ssize_t c, i, at, columns = tree.view.columns
        cdef int t
        leaf_leads(&tree.view, view, &tree.ids[0], m, &self.axis[0], &self.lead[0, 0])
        for c in prange(columns, num_threads=threads, schedule="dynamic"):
            t = threadid()
            self.gain_bound[c] = column_gain_bound(
                &tree.view, c, view, &self.lead[0, 0], &tree.ids[0], m, &tree.fields[t, 0],
                &tree.places[t, 0])
        for i in range(count):
            at = 0
            for c in range(columns):
                if self.gain_bound[c] > self.gain_bound[at]:
                    at = c
            self.chosen[i] = <int32_t>at
            self.gain_bound[at] = -1.0
