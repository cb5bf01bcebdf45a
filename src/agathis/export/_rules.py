"""Export one rule per cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from agathis._checks import data as checks
from agathis._model.fitted_model import FittedModel
from agathis._rules.boxes import n_conditions
from agathis._rules.described_tree import Described, describe
from agathis._rules.rows_in_units import table_of
from agathis._rules.rules import cluster_boxes, rule_text
from agathis._rules.titles import cluster_titles
from agathis._trees.tree import Tree
from agathis._utils.result_table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from agathis._rules.described_tree import Names

# Rules of at most this many conditions need no title.
_SHORT = 2


class Rules(Table):
    """The rules of a tree, one row per cluster; as text one sentence per cluster."""

    def __str__(self) -> str:
        total = sum(row["size"] for row in self)
        return "\n".join(_sentence(row, total) for row in self)

    __repr__ = __str__


def to_rules(
    model: BaseEstimator | Tree,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    **names: Unpack[Names],
) -> Rules:
    """Export one rule per cluster.

    Adjacent leaves of a cluster are merged, and redundant conditions are dropped. The rules are
    exact: a row satisfies the rule of its cluster and no other. They mention missing values only
    where training rows had some. Unknown categories are not mentioned: all their columns are 0,
    which in a tree with categorical splits leads to the child with more samples.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    X : array-like of shape (n_samples, n_features), optional
        Rows to count, in the units of the rules; with a scaler, before scaling. For a model read
        from a file also a raw table, as for its ``predict``. By default the training rows.
    y : array-like of shape (n_samples,), optional
        Classes of the rows of X, to add the most frequent class of each cluster and its purity,
        the fraction of rows of that class.
    **names : optional
        ``scaler``, ``feature_names``, ``cluster_names``, ``one_hot``, ``value_names``, ``digits``
        and ``numbers``, as for :func:`agathis.export.to_text`.

    Returns
    -------
    rules : Rules
        A table with one row per cluster: ``cluster``, ``rule``, ``conditions`` (their number),
        ``size`` (number of rows), ``share`` (fraction of all rows), ``title`` (a short unique
        form of the rule); for a model with evidence ``pvalue``, that of the cluster; with ``y``
        also ``class`` and ``purity``. As text, one sentence per cluster. It has ``to_markdown``,
        ``to_csv``, ``to_dict`` and ``to_pandas``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.export import to_rules
    >>> iris = load_iris()
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(iris.data)
    >>> rules = to_rules(model, feature_names=["sl", "sw", "petal", "pw"])
    >>> print(rules)
    cluster 0 is where petal <= 3.4: 53 of 150 rows (35.3 %).
    cluster 1 is where 3.4 < petal <= 5.15: 63 of 150 rows (42.0 %).
    cluster 2 is where petal > 5.15: 34 of 150 rows (22.7 %).
    >>> rules[0]["rule"]
    'petal <= 3.4'
    """
    described = describe(model, **names)
    tree = described.tree
    labels, classes = _labels(described, X, y)
    if labels is None:
        leaf = tree.is_leaf
        size = np.bincount(
            tree.cluster[leaf], tree.n_node_samples[leaf], minlength=tree.n_clusters
        ).astype(np.int64)
    else:
        size = np.bincount(labels, minlength=tree.n_clusters)
    rows, titles = [], cluster_titles(described)
    evidence = getattr(model, "evidence_", None)
    for cluster, boxes in enumerate(cluster_boxes(described)):
        row: dict[str, Any] = {
            "cluster": described.clusters[cluster] if described.named_clusters else cluster,
            "rule": rule_text(boxes),
            "conditions": sum(map(n_conditions, boxes)),
            "size": int(size[cluster]),
            "share": float(size[cluster] / max(1, size.sum())),
            "title": titles[cluster],
        }
        if evidence is not None and evidence.rules:
            row["pvalue"] = evidence.rules[cluster].pvalue
        if classes is not None:
            row |= _most_frequent(classes[labels == cluster])
        rows.append(row)
    return Rules(rows)


def _labels(
    described: Described, X: ArrayLike | None, y: ArrayLike | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    if X is None:
        if y is not None:
            raise ValueError("y requires X, the rows whose classes it holds.")
        return None, None
    model = described.model
    if isinstance(model, FittedModel) and model.has_names(X):
        rows = model._rows_of_frame(X)
    else:
        rows = table_of(described, X, missing=True)
    labels = described.tree.predict(rows, checks.n_threads(None))
    if y is None:
        return labels, None
    classes = np.asarray(y)
    if classes.shape != labels.shape:
        raise ValueError(
            f"y must have a class for each row of X, {labels.shape}; it has shape {classes.shape}."
        )
    return labels, classes


def _most_frequent(classes: np.ndarray) -> dict[str, object]:
    if not len(classes):
        return {"class": None, "purity": None}
    names, counts = np.unique(classes, return_counts=True)
    best = int(np.argmax(counts))
    return {"class": names[best], "purity": float(counts[best] / len(classes))}


def _sentence(row: Mapping[str, Any], total: int) -> str:
    cluster = row["cluster"]
    name = f"cluster {cluster}" if isinstance(cluster, int) else cluster
    if isinstance(cluster, int) and row["conditions"] > _SHORT:
        name += f" ({row['title']})"
    where = "" if row["rule"] in ("all rows", "no row at all") else "where "
    counts = f"{row['size']} of {total} rows ({100 * row['share']:.1f} %)"
    if row.get("class") is not None:
        counts += f", {100 * row['purity']:.1f} % of them of class {row['class']}"
    # A name may have several lines, a sentence is one.
    return " ".join(f"{name} is {where}{row['rule']}: {counts}.".splitlines())
