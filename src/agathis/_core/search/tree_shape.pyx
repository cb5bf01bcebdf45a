# The nodes of a tree that a search changes: who is whose child, and what its leaves hold.
#
# Nodes are places in arrays. Those that are free have no parent and are not the root, node 0. What
# is asked of a subtree goes along a list of its nodes: trees may be deeper than Python recurses.
import numpy as np

from libc.stdint cimport int32_t


cdef class TreeShape:
    """A tree of a single leaf.

    Parameters
    ----------
    capacity : int
        The most nodes that there may be.
    """

    def __init__(self, int capacity):
        self.capacity, self.n_leaves = capacity, 1
        self.left, self.right = np.full(capacity, -1, np.int32), np.full(capacity, -1, np.int32)
        self.parent, self.cluster = np.full(capacity, -1, np.int32), np.zeros(capacity, np.int32)
        self.depth = np.zeros(capacity, np.int32)
        self.count, self.weight = np.zeros(capacity, np.int64), np.zeros(capacity)
        self.listed = np.zeros(capacity, np.int32)

    cdef Py_ssize_t list_under(self, Py_ssize_t node) noexcept nogil:
        """List a node and those below it, parents first and left before right; how many."""
        cdef Py_ssize_t at = node, n = 0
        while True:
            self.listed[n] = <int32_t>at
            n += 1
            if self.left[at] >= 0:
                at = self.left[at]
                continue
            while at != node and self.right[self.parent[at]] == at:
                at = self.parent[at]
            if at == node:
                return n
            at = self.right[self.parent[at]]

    def nodes(self):
        """The nodes from the root down, every parent before its children."""
        return np.asarray(self.listed)[:self.list_under(0)].tolist()

    def leaves(self):
        """The leaves, from left to right."""
        return self.leaves_under(0)

    def is_used(self, Py_ssize_t node):
        """Whether a number is that of a node of the tree."""
        return node == 0 or self.parent[node] >= 0

    def is_leaf(self, Py_ssize_t node):
        return self.left[node] < 0

    def children(self, Py_ssize_t node):
        return self.left[node], self.right[node]

    def cluster_of(self, Py_ssize_t node):
        return self.cluster[node]

    def depth_of(self, Py_ssize_t node):
        return self.depth[node]

    def size_of(self, Py_ssize_t node):
        """Samples and weight of a leaf."""
        return self.count[node], self.weight[node]

    def weight_under(self, Py_ssize_t node):
        """Weight of the rows of a node."""
        cdef Py_ssize_t i, at, n = self.list_under(node)
        cdef double[::1] total = np.empty(self.capacity)
        for i in range(n - 1, -1, -1):
            at = self.listed[i]
            total[at] = (
                self.weight[at] if self.left[at] < 0
                else total[self.left[at]] + total[self.right[at]])
        return total[node]

    def main_cluster(self, Py_ssize_t node):
        """The cluster of the heaviest leaf under a node."""
        best = max(self.leaves_under(node), key=lambda leaf: self.weight[leaf])
        return self.cluster[best]

    def leaves_under(self, Py_ssize_t node):
        """The leaves under a node, from left to right."""
        cdef Py_ssize_t i, at
        leaves = []
        for i in range(self.list_under(node)):
            at = self.listed[i]
            if self.left[at] < 0:
                leaves.append(at)
        return leaves

    def deepest_under(self, Py_ssize_t node):
        """The depth of the deepest leaf under a node."""
        cdef Py_ssize_t i, n = self.list_under(node)
        cdef int32_t deepest = self.depth[node]
        for i in range(n):
            deepest = max(deepest, self.depth[self.listed[i]])
        return deepest

    def _free_node(self, Py_ssize_t parent):
        """Take a free node, for a child of another one."""
        cdef Py_ssize_t node
        for node in range(1, self.capacity):
            if self.parent[node] < 0:
                self.parent[node] = <int32_t>parent
                return node
        raise RuntimeError("a mutable tree has no free node left")

    cdef void deepen(self, Py_ssize_t node) noexcept:
        """Set the depths from a node down."""
        cdef Py_ssize_t i, at
        for i in range(self.list_under(node)):
            at = self.listed[i]
            self.depth[at] = 0 if self.parent[at] < 0 else self.depth[self.parent[at]] + 1

    cdef void free_below(self, Py_ssize_t node) noexcept:
        """Free the nodes below a node."""
        cdef Py_ssize_t i, at, n = self.list_under(node)
        for i in range(1, n):
            at = self.listed[i]
            self.parent[at] = self.left[at] = self.right[at] = -1
        self.n_leaves -= (n - 1) // 2
