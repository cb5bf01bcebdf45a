"""Clusters that people can read: decision trees grown without labels.

>>> from sklearn.datasets import load_iris
>>> from agathis import Kauri
>>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(load_iris().data)
>>> model.n_clusters_, model.n_leaves_
(3, 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

__version__ = "0.1.0"
__all__ = [
    "Kauri",
    "KernelKMeans",
    "TableEncoder",
    "Tree",
    "__version__",
    "compare",
    "evidence",
    "explain",
    "fit_file",
    "fit_table",
    "refine",
    "suggest",
]

# Imported on first use, so that `import agathis` costs nothing.
_HOMES = {
    "Kauri": "agathis._kauri",
    "KernelKMeans": "agathis._kernel_kmeans",
    "TableEncoder": "agathis._encoding.table_encoder",
    "Tree": "agathis._trees.tree",
    "compare": "agathis._compare.comparison",
    "evidence": "agathis._evidence",
    "explain": "agathis._explain",
    "fit_file": "agathis._fit_file",
    "fit_table": "agathis._fit_table",
    "refine": "agathis._refine",
    "suggest": "agathis._suggest",
}
# Parts that are modules; ``agathis.metrics`` needs no import of its own.
_PARTS = ("dask", "datasets", "export", "metrics", "plot", "report", "baselines")

if TYPE_CHECKING:
    from agathis._compare.comparison import compare
    from agathis._encoding.table_encoder import TableEncoder
    from agathis._evidence import evidence
    from agathis._explain import explain
    from agathis._fit_file import fit_file
    from agathis._fit_table import fit_table
    from agathis._kauri import Kauri
    from agathis._kernel_kmeans import KernelKMeans
    from agathis._refine import refine
    from agathis._suggest import suggest
    from agathis._trees.tree import Tree

__getattr__, __dir__ = lazy(__name__, _HOMES, _PARTS)
