# A tree that a search changes: which rows each leaf has, and the sums of leaves and clusters.
#
# Sums are always those of the rows as they lie now, those of a leaf added up in the order of its
# rows and those of a cluster in the order of its leaves' numbers, and never what is left after
# something was taken off: rounding does not pile up along the way. `save` copies all of it and
# `restore` brings it back. A change of a tree bumps `version` of the leaves whose rows it changes,
# and `cluster_version` of the clusters. What a change would gain is in move_gains.pyx and the two
# files of cuts.
import numpy as np

from libc.string cimport memcpy, memset

from agathis._core.search.tree_shape cimport TreeShape


#: Bytes of a condition: the dtype ``CONDITION`` of agathis._search.local.mutable_trees has as many.
CONDITION_BYTES = sizeof(search_condition)


cdef const search_condition* condition_from(const uint8_t[::1] asks) except NULL:
    """The condition that some bytes are."""
    if asks.shape[0] != <Py_ssize_t>sizeof(search_condition):
        raise ValueError(
            f"a condition has {sizeof(search_condition)} bytes, and these are {asks.shape[0]}.")
    return <const search_condition*>&asks[0]


cdef class MutableTree(TreeShape):
    """A tree of a single leaf, to be cut and changed.

    Parameters
    ----------
    rows : agathis._search.rows.SearchRows
    max_leaves, max_clusters : int
    threads : int
    """

    def __init__(self, rows, int max_leaves, int max_clusters, int threads=1):
        self.rows, self.threads = rows, threads
        self.max_leaves, self.max_clusters = max_leaves, max_clusters
        cdef Py_ssize_t n = rows.points.shape[0], width = rows.points.shape[1]
        cdef int capacity = 2 * max_leaves + 2
        cdef const double[:, ::1] points = rows.points, values = rows.values
        cdef const double[::1] weight = rows.weight
        cdef const int32_t[:, ::1] order = rows.order, place = rows.place, rank = rows.rank
        cdef const int32_t[:, ::1] category = rows.category
        cdef const int32_t[::1] present = rows.present, n_categories = rows.n_categories
        self.view.n, self.view.width = n, width
        self.view.columns, self.view.sources = rows.n_columns, rows.n_category_groups
        self.view.point, self.view.weight = &points[0, 0], &weight[0]
        if rows.n_columns:
            self.view.order, self.view.place = &order[0, 0], &place[0, 0]
            self.view.rank, self.view.present = &rank[0, 0], &present[0]
            if values.shape[0]:
                self.view.value = &values[0, 0]
        if rows.n_category_groups:
            self.view.category, self.view.n_categories = &category[0, 0], &n_categories[0]

        TreeShape.__init__(self, capacity)
        self.version, self.sum = np.zeros(capacity, np.int64), np.zeros((capacity, width))
        self.asks = np.zeros((capacity, sizeof(search_condition)), np.uint8)
        self.leaf = np.zeros(n, np.int32)
        self.cluster_sum = np.zeros((max_clusters, width))
        self.mean = np.zeros((max_clusters, width))
        self.size, self.kernel_sum = np.zeros(max_clusters), np.zeros(max_clusters)
        self.share, self.square = np.zeros(max_clusters), np.zeros(max_clusters)
        self.leaves_in = np.zeros(max_clusters, np.int32)
        self.cluster_version = np.zeros(max_clusters, np.int64)
        self.arrays = list(map(np.asarray, [
            self.left, self.right, self.parent, self.cluster, self.depth, self.count,
            self.version, self.weight, self.sum, self.asks, self.leaf, self.cluster_sum,
            self.mean, self.size, self.kernel_sum, self.share, self.square, self.leaves_in,
            self.cluster_version,
        ]))

        self.under, self.touched = np.zeros(capacity, np.uint8), np.zeros(max_clusters, np.uint8)
        self.ids = np.zeros(n, np.int32)
        self.way_left, self.way_right = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.to_left, self.to_right = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.change = np.zeros(n)
        self.shift, self.shift_size = np.zeros((max_clusters, width)), np.zeros(max_clusters)
        self.old_sum, self.old_size = np.zeros((max_clusters, width)), np.zeros(max_clusters)
        self.new_weight, self.new_count = np.zeros(capacity), np.zeros(capacity, np.int64)
        self.fields = np.zeros((threads, (n + 63) // 64 + 1), np.uint64)
        self.places = np.zeros((threads, n), np.int32)

        self.under[0] = 1
        cdef Py_ssize_t m = self.rows_under(0)
        self.resum(m)
        self.refresh()

    # ---- what the tree is ------------------------------------------------------------------

    @property
    def objective(self):
        """Sum over clusters of kernel sum over size."""
        cdef double total = 0.0
        cdef Py_ssize_t k
        for k in range(self.max_clusters):
            total += self.share[k]
        return total

    @property
    def n_clusters(self):
        return int(np.count_nonzero(self.leaves_in))

    def empty_cluster(self):
        """A cluster that has no leaf; -1 where all have one."""
        cdef Py_ssize_t k
        for k in range(self.max_clusters):
            if self.leaves_in[k] == 0:
                return k
        return -1

    def condition_of(self, Py_ssize_t node):
        """What an inner node asks, as the bytes of a condition."""
        return bytes(self.asks[node])

    def state_of(self, Py_ssize_t node):
        """It changes when the rows of a leaf under a node do, or one of the clusters of these."""
        cdef Py_ssize_t i, at
        cdef int64_t state = 0
        for i in range(self.list_under(node)):
            at = self.listed[i]
            if self.left[at] < 0:
                state = max(state, self.version[at], self.cluster_version[self.cluster[at]])
        return state

    def cluster_state(self, Py_ssize_t cluster):
        """It changes when the rows of a cluster do."""
        return self.cluster_version[cluster]

    def labels(self):
        """The cluster of each row."""
        return np.asarray(self.cluster)[np.asarray(self.leaf)]

    def leaf_rows(self, Py_ssize_t node):
        """The rows under a node."""
        return np.asarray(self.ids)[:self.rows_under(node)].copy()

    def sides(self, Py_ssize_t leaf, const uint8_t[::1] asks):
        """How many rows of a leaf a cut would send left, and how many right."""
        cdef const search_condition* condition = condition_from(asks)
        cdef Py_ssize_t m = self.rows_under(leaf), i, left = 0
        for i in range(m):
            left += goes_left(&self.view, condition, self.ids[i])
        return left, m - left

    def save(self):
        """All that `restore` needs."""
        return [array.copy() for array in self.arrays], self.n_leaves, self.clock

    def restore(self, saved):
        """Bring back what was saved, bit by bit, of this tree or another one of its size."""
        arrays, n_leaves, clock = saved
        for own, old in zip(self.arrays, arrays):
            own[...] = old
        self.n_leaves = n_leaves
        # A number that was given once is never given again.
        self.clock = max(self.clock, clock)

    # ---- changes ---------------------------------------------------------------------------

    def cut(self, Py_ssize_t leaf, const uint8_t[::1] asks, int left_cluster, int right_cluster):
        """Give a leaf two children; their nodes."""
        cdef const search_condition* condition = condition_from(asks)
        cdef Py_ssize_t m, i, first, second
        cdef int32_t row
        if self.left[leaf] >= 0 or self.n_leaves >= self.max_leaves:
            raise ValueError(f"node {leaf} cannot be cut")
        first = self._free_node(leaf)
        second = self._free_node(leaf)
        m = self.rows_under(leaf)
        self.left[leaf], self.right[leaf] = <int32_t>first, <int32_t>second
        self.condition(leaf)[0] = condition[0]
        self.cluster[first], self.cluster[second] = left_cluster, right_cluster
        self.depth[first] = self.depth[second] = self.depth[leaf] + 1
        for i in range(m):
            row = self.ids[i]
            if goes_left(&self.view, self.condition(leaf), row):
                self.leaf[row] = <int32_t>first
            else:
                self.leaf[row] = <int32_t>second
        self.n_leaves += 1
        self._settle(leaf)
        return first, second

    def split_off(self, Py_ssize_t node, const uint8_t[::1] asks, bint leaf_left, int cluster):
        """Make a leaf of the rows that a question sends to one side; all others go down as before.

        Leaves that are left without rows are taken away. The node of the new leaf.
        """
        cdef const search_condition* condition = condition_from(asks)
        cdef Py_ssize_t m, i, below, leaf
        if self.left[node] < 0 or self.n_leaves >= self.max_leaves:
            raise ValueError(f"no leaf can be split off above node {node}")
        below = self._free_node(node)
        leaf = self._free_node(node)
        m = self.rows_under(node)
        self.left[below], self.right[below] = self.left[node], self.right[node]
        self.parent[self.left[below]] = self.parent[self.right[below]] = <int32_t>below
        self.condition(below)[0] = self.condition(node)[0]
        self.left[node] = <int32_t>(leaf if leaf_left else below)
        self.right[node] = <int32_t>(below if leaf_left else leaf)
        self.condition(node)[0] = condition[0]
        self.cluster[leaf] = cluster
        self.deepen(node)
        for i in range(m):
            if goes_left(&self.view, self.condition(node), self.ids[i]) == leaf_left:
                self.leaf[self.ids[i]] = <int32_t>leaf
        self.n_leaves += 1
        self._settle(node)
        self.drop_empty(node)
        return leaf

    def assign(self, Py_ssize_t leaf, int cluster):
        """Move a leaf to another cluster."""
        self.cluster[leaf] = cluster
        self.refresh()

    def prune(self, Py_ssize_t leaf):
        """Take a leaf away: its rows go down its sibling, which takes its parent's place.

        The node that the sibling is then.
        """
        cdef Py_ssize_t parent = self.parent[leaf], sibling, m, i
        sibling = self.right[parent] if self.left[parent] == leaf else self.left[parent]
        m = self.rows_under(leaf)
        for i in range(m):
            self.leaf[self.ids[i]] = self.descend(sibling, self.ids[i])
        self.parent[leaf] = -1
        sibling = self.replace(parent, sibling)
        self.n_leaves -= 1
        self._settle(sibling)
        return sibling

    def collapse(self, Py_ssize_t node, int cluster):
        """Make a node a leaf of a cluster."""
        cdef Py_ssize_t m = self.rows_under(node), i
        if self.left[node] < 0:
            return
        self.free_below(node)
        self.left[node] = self.right[node] = -1
        self.cluster[node] = cluster
        for i in range(m):
            self.leaf[self.ids[i]] = <int32_t>node
        self._settle(node)

    def resplit(self, Py_ssize_t node, const uint8_t[::1] asks, bint swapped):
        """Let a node ask something else, with its two subtrees as they are, or swapped.

        Leaves that are left without rows are taken away.
        """
        cdef const search_condition* condition = condition_from(asks)
        cdef Py_ssize_t m = self.rows_under(node), i
        if swapped:
            self.left[node], self.right[node] = self.right[node], self.left[node]
        self.condition(node)[0] = condition[0]
        for i in range(m):
            self.leaf[self.ids[i]] = self.descend(node, self.ids[i])
        self._settle(node)
        self.drop_empty(node)

    def _settle(self, Py_ssize_t node):
        """Work out the sums under a node anew."""
        cdef Py_ssize_t at, m = self.rows_under(node)
        self.clock += 1
        for at in range(self.capacity):
            if self.under[at]:
                self.version[at] = self.clock
        self.resum(m)
        self.refresh()

    # ---- the parts of it -------------------------------------------------------------------

    cdef search_condition* condition(self, Py_ssize_t node) noexcept nogil:
        return <search_condition*>&self.asks[node, 0]

    cdef Py_ssize_t rows_under(self, Py_ssize_t node) noexcept nogil:
        """Mark the nodes under a node, and list their rows; how many these are."""
        cdef Py_ssize_t i, r, m = 0
        self.work += self.view.n // 2 + self.capacity
        memset(&self.under[0], 0, self.capacity)
        for i in range(self.list_under(node)):
            self.under[self.listed[i]] = 1
        for r in range(self.view.n):
            if self.under[self.leaf[r]]:
                self.ids[m] = <int32_t>r
                m += 1
        return m

    cdef int32_t descend(self, Py_ssize_t node, int32_t row) noexcept nogil:
        """The leaf that a row comes to from a node."""
        while self.left[node] >= 0:
            if goes_left(&self.view, self.condition(node), row):
                node = self.left[node]
            else:
                node = self.right[node]
        return <int32_t>node

    cdef void resum(self, Py_ssize_t m) noexcept nogil:
        """Sum the leaves that are marked; `ids` has their m rows."""
        cdef Py_ssize_t at, i, j, width = self.view.width
        cdef int32_t row
        cdef double w
        cdef double* total
        cdef const double* x
        for at in range(self.capacity):
            if self.under[at]:
                self.count[at], self.weight[at] = 0, 0.0
                memset(&self.sum[at, 0], 0, width * sizeof(double))
        for i in range(m):
            row = self.ids[i]
            at = self.leaf[row]
            w = self.view.weight[row]
            self.count[at] += 1
            self.weight[at] += w
            total, x = &self.sum[at, 0], self.view.point + row * width
            for j in range(width):
                total[j] += w * x[j]

    cdef void refresh(self) noexcept nogil:
        """Sums of the clusters, from those of their leaves."""
        cdef Py_ssize_t at, j, k, width = self.view.width
        cdef bint changed
        memcpy(&self.old_sum[0, 0], &self.cluster_sum[0, 0],
               self.max_clusters * width * sizeof(double))
        memcpy(&self.old_size[0], &self.size[0], self.max_clusters * sizeof(double))
        memset(&self.cluster_sum[0, 0], 0, self.max_clusters * width * sizeof(double))
        for k in range(self.max_clusters):
            self.size[k], self.leaves_in[k] = 0.0, 0
        for at in range(self.capacity):
            if self.left[at] < 0 and (self.parent[at] >= 0 or at == 0):
                k = self.cluster[at]
                self.size[k] += self.weight[at]
                self.leaves_in[k] += 1
                for j in range(width):
                    self.cluster_sum[k, j] += self.sum[at, j]
        for k in range(self.max_clusters):
            changed = self.size[k] != self.old_size[k]
            self.kernel_sum[k] = self.square[k] = 0.0
            for j in range(width):
                changed |= self.cluster_sum[k, j] != self.old_sum[k, j]
                self.kernel_sum[k] += self.cluster_sum[k, j] * self.cluster_sum[k, j]
            self.share[k] = self.kernel_sum[k] / self.size[k] if self.size[k] > 0.0 else 0.0
            for j in range(width):
                self.mean[k, j] = (
                    self.cluster_sum[k, j] / self.size[k] if self.size[k] > 0.0 else 0.0)
                self.square[k] += self.mean[k, j] * self.mean[k, j]
            if changed:
                self.clock += 1
                self.cluster_version[k] = self.clock

    cdef void clear_shift(self) noexcept nogil:
        memset(&self.shift[0, 0], 0, self.max_clusters * self.view.width * sizeof(double))
        memset(&self.shift_size[0], 0, self.max_clusters * sizeof(double))
        memset(&self.touched[0], 0, self.max_clusters)

    cdef void shift_row(self, int32_t row, int32_t source, int32_t target) noexcept nogil:
        """Note that a row goes from one cluster to another."""
        cdef Py_ssize_t j, width = self.view.width
        cdef double w = self.view.weight[row]
        cdef const double* x = self.view.point + row * width
        cdef double* out = &self.shift[source, 0]
        cdef double* into = &self.shift[target, 0]
        if source == target:
            return
        for j in range(width):
            out[j] -= w * x[j]
            into[j] += w * x[j]
        self.shift_size[source] -= w
        self.shift_size[target] += w
        self.touched[source] = self.touched[target] = 1

    cdef double shift_gain(self) noexcept nogil:
        """What the noted shifts add to the objective."""
        cdef Py_ssize_t k, j
        cdef double gain = 0.0, size, kernel_sum, total
        for k in range(self.max_clusters):
            if not self.touched[k]:
                continue
            size, kernel_sum = self.size[k] + self.shift_size[k], 0.0
            for j in range(self.view.width):
                total = self.cluster_sum[k, j] + self.shift[k, j]
                kernel_sum += total * total
            # A cluster that loses all its rows is gone; what rounding leaves of it is nothing.
            if size > 1e-9 * self.size[k] and size > 0.0:
                gain += kernel_sum / size
            gain -= self.share[k]
        return gain

    cdef void drop_empty(self, Py_ssize_t node) noexcept:
        """Take leaves without rows away that are under a node."""
        cdef Py_ssize_t at, parent, sibling
        cdef bint more = True, dropped = False
        self.rows_under(node)
        while more:
            more = False
            for at in range(1, self.capacity):
                if (self.under[at] and self.left[at] < 0 and self.parent[at] >= 0
                        and self.count[at] == 0):
                    parent = self.parent[at]
                    sibling = self.left[parent] if self.right[parent] == at else self.right[parent]
                    self.parent[at] = -1
                    self.replace(parent, sibling)
                    self.n_leaves -= 1
                    more = dropped = True
        if dropped:
            self.refresh()

    cdef Py_ssize_t replace(self, Py_ssize_t node, Py_ssize_t heir) noexcept:
        """Put the subtree of `heir` in the place of a node above it; the node that it is then."""
        cdef Py_ssize_t above = self.parent[node], at
        if above >= 0:
            if self.left[above] == node:
                self.left[above] = <int32_t>heir
            else:
                self.right[above] = <int32_t>heir
            self.parent[heir] = <int32_t>above
            self.parent[node] = self.left[node] = self.right[node] = -1
            self.deepen(heir)
            return heir
        # The root is always node 0.
        self.parent[heir] = -1
        self.left[node], self.right[node] = self.left[heir], self.right[heir]
        self.cluster[node] = self.cluster[heir]
        self.condition(node)[0] = self.condition(heir)[0]
        self.count[node], self.weight[node] = self.count[heir], self.weight[heir]
        self.sum[node, :] = self.sum[heir, :]
        if self.left[heir] >= 0:
            self.parent[self.left[heir]] = self.parent[self.right[heir]] = <int32_t>node
        self.left[heir] = self.right[heir] = -1
        for at in range(self.view.n):
            if self.leaf[at] == heir:
                self.leaf[at] = <int32_t>node
        self.version[node] = self.version[heir]
        self.deepen(node)
        return node
