# The nodes of a tree that a search changes: who is whose child, and what its leaves hold.
#
# Nodes are places in arrays. Those that are free have no parent and are not the root, node 0.
import numpy as np


cdef class TreeShape:
    """A tree of a single leaf.

    Parameters
    ----------
    room : int
        The most nodes that there may be.
    """

    def __init__(self, int room):
        self.room, self.n_leaves = room, 1
        self.left, self.right = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
        self.parent, self.cluster = np.full(room, -1, np.int32), np.zeros(room, np.int32)
        self.depth = np.zeros(room, np.int32)
        self.count, self.weight = np.zeros(room, np.int64), np.zeros(room)

    def nodes(self):
        """The nodes from the root down, every parent before its children."""
        out, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            out.append(node)
            if self.left[node] >= 0:
                waiting.append(self.right[node])
                waiting.append(self.left[node])
        return out

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

    def parent_of(self, Py_ssize_t node):
        return self.parent[node]

    def cluster_of(self, Py_ssize_t node):
        return self.cluster[node]

    def depth_of(self, Py_ssize_t node):
        return self.depth[node]

    def size_of(self, Py_ssize_t node):
        """Samples and weight of a leaf."""
        return self.count[node], self.weight[node]

    def weight_under(self, Py_ssize_t node):
        """Weight of the rows of a node."""
        if self.left[node] < 0:
            return self.weight[node]
        return self.weight_under(self.left[node]) + self.weight_under(self.right[node])

    def main_cluster(self, Py_ssize_t node):
        """The cluster of the heaviest leaf under a node."""
        best = max(self.leaves_under(node), key=lambda leaf: self.weight[leaf])
        return self.cluster[best]

    def leaves_under(self, Py_ssize_t node):
        """The leaves under a node, from left to right."""
        if self.left[node] < 0:
            return [node]
        return self.leaves_under(self.left[node]) + self.leaves_under(self.right[node])

    def deepest_under(self, Py_ssize_t node):
        """The depth of the deepest leaf under a node."""
        if self.left[node] < 0:
            return self.depth[node]
        return max(self.deepest_under(self.left[node]), self.deepest_under(self.right[node]))

    def _free_node(self):
        cdef Py_ssize_t node
        for node in range(1, self.room):
            if self.parent[node] < 0:
                return node
        raise RuntimeError("a draft has no node left")

    cdef void deepen(self, Py_ssize_t node) noexcept:
        """Set the depths from a node down."""
        self.depth[node] = 0 if self.parent[node] < 0 else self.depth[self.parent[node]] + 1
        if self.left[node] >= 0:
            self.deepen(self.left[node])
            self.deepen(self.right[node])

    cdef void free_below(self, Py_ssize_t node) noexcept:
        """Free the nodes below a node."""
        cdef Py_ssize_t first = self.left[node], second = self.right[node]
        if first < 0:
            return
        self.free_below(first)
        self.free_below(second)
        self.n_leaves -= 1
        self.parent[first] = self.parent[second] = -1
        self.left[first] = self.right[first] = self.left[second] = self.right[second] = -1
