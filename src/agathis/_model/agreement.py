"""The agreement of a tree with the labels that it explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agathis._columns.errors import Cells, Note
from agathis._columns.wording import count
from agathis._trees.tree import Tree

#: Labels and rules below this agreement are mentioned.
LOW = 0.7


@dataclass(frozen=True)
class LabelAgreement:
    """How well the rules of a label agree with it.

    Attributes
    ----------
    label : str
    n_samples : int
        The rows with this label.
    n_leaves : int
    agreement : float
        The fraction of the rows with this label that its rules reach.
    precision : float or None
        The fraction with this label of the rows that its rules reach.
    held_out : float or None
        ``agreement`` of rows that the tree was not fitted to.
    n_noise : int
        The rows of noise that its rules reach.
    """

    label: str
    n_samples: int
    n_leaves: int
    agreement: float
    precision: float | None = None
    held_out: float | None = None
    n_noise: int = 0


@dataclass(frozen=True)
class LeafAgreement:
    """The rows of a leaf, those of them with its label as a fraction, and those of noise."""

    node: int
    n_samples: int
    agreement: float
    n_noise: int = 0


@dataclass(frozen=True)
class Agreement:
    """How well a tree agrees with the labels that it explains.

    Fractions count rows by weight, numbers of rows do not. Rows of noise are in ``n_noise`` only.

    Attributes
    ----------
    agreement : float
        The fraction of the rows whose label is that of their leaf, the label with the largest
        weight in it.
    labels : tuple of LabelAgreement
        First those of the clusters, in their order, then those without a leaf.
    leaves : tuple of LeafAgreement
    method : str
        How the tree was found: "greedy", "local", "optimal" or "CART".
    integers : bool
        Whether the labels are integers.
    column : str or None
        The column of the labels.
    held_out : float or None
        The agreement of rows that the tree was not fitted to.
    n_held_out, n_folds : int
        Their number, and that of the trees.
    n_noise : int
        The rows labelled -1, which have weight 0.
    """

    agreement: float
    labels: tuple[LabelAgreement, ...]
    leaves: tuple[LeafAgreement, ...]
    method: str
    integers: bool = False
    column: str | None = None
    held_out: float | None = None
    n_held_out: int = 0
    n_folds: int = 0
    n_noise: int = 0

    @classmethod
    def of(
        cls,
        tree: Tree,
        label_of: np.ndarray,
        names: Sequence[str],
        X: np.ndarray,
        labels: np.ndarray,
        weight: np.ndarray | None,
        held_out: np.ndarray,
        **known: Any,
    ) -> Agreement:
        """The agreement of a tree with the labels of some rows.

        Parameters
        ----------
        tree : Tree
        label_of : ndarray of int
            The label of each cluster.
        names : sequence of str
        X : ndarray of shape (n_samples, n_features)
        labels : ndarray of int of shape (n_samples,)
        weight : ndarray of shape (n_samples,) or None
        held_out : ndarray of int of shape (n_samples,)
            Predictions of trees that were not fitted to the row; -1 if there is none.
        **known
            Other attributes.
        """
        n = len(names)
        leaves, is_leaf, tested = tree.apply(X), np.flatnonzero(tree.is_leaf), held_out >= 0
        of_leaf = label_of[tree.cluster[is_leaf]]

        def table(rows: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
            """The weight of each label (columns) for rows in some groups."""
            height = max(n, tree.node_count)
            cells = np.bincount(rows * n + labels, weight, minlength=height * n)
            return cells.reshape(height, n)

        by_leaf, counts = table(leaves, weight)[is_leaf], table(leaves, None)
        right = by_leaf[np.arange(len(is_leaf)), of_leaf]
        right_of = np.bincount(of_leaf, right, minlength=n)
        reached = np.bincount(of_leaf, by_leaf.sum(axis=1), minlength=n)
        share = weight if weight is not None else np.ones(len(labels))
        by_prediction = table(np.maximum(held_out, 0), np.where(tested, share, 0.0))[:n]
        right_held_out = np.diagonal(by_prediction)
        without = np.setdiff1d(np.arange(n), label_of)
        return cls(
            float(right.sum() / by_leaf.sum()),
            tuple(
                LabelAgreement(
                    names[label],
                    int(counts[:, label].sum()),
                    int((of_leaf == label).sum()),
                    float(right_of[label] / by_leaf[:, label].sum()),
                    _ratio(right_of[label], reached[label]),
                    _ratio(right_held_out[label], by_prediction[:, label].sum()),
                )
                for label in [*label_of.tolist(), *without.tolist()]
            ),
            tuple(
                LeafAgreement(int(leaf), int(counts[leaf].sum()), float(some / all_of_them))
                for leaf, some, all_of_them in zip(is_leaf, right, by_leaf.sum(axis=1), strict=True)
            ),
            held_out=_ratio(right_held_out.sum(), by_prediction.sum()),
            n_held_out=int(tested.sum()),
            **known,
        )

    def with_noise(self, tree: Tree, leaves: np.ndarray) -> Agreement:
        """The same with the rows of noise, given their leaves."""
        of_rule = np.bincount(tree.cluster[leaves], minlength=len(self.labels)).tolist()
        of_leaf = np.bincount(leaves, minlength=tree.node_count).tolist()
        labels = zip(self.labels, of_rule, strict=True)
        return replace(
            self,
            labels=tuple(replace(label, n_noise=n) for label, n in labels),
            leaves=tuple(replace(leaf, n_noise=of_leaf[leaf.node]) for leaf in self.leaves),
        )

    def classes(self, n_clusters: int) -> np.ndarray:
        """The given label of each cluster."""
        labels = [each.label for each in self.labels[:n_clusters]]
        return np.array([int(label) for label in labels] if self.integers else labels)

    def summary(self) -> str:
        """One sentence about the agreement."""
        what = "the given labels" if self.column is None else f"the labels of column {self.column}"
        text = f"Explains {what}; agrees with {percent(self.agreement)} of the rows"
        if self.held_out is not None:
            text += f", and with {percent(self.held_out)} of held-out rows"
        return f"{text}."

    def on_page(self) -> dict[str, Any]:
        """The agreement as strings for a page, without labels that no rule predicts."""
        return {
            "summary": self.summary(),
            "labels": [
                {
                    "label": each.label,
                    "agreement": percent(each.agreement),
                    "precision": percent(each.precision or 0.0),
                    "held_out": None if each.held_out is None else percent(each.held_out),
                    "n_noise": each.n_noise,
                }
                for each in self.labels
                if each.n_leaves
            ],
        }

    def notes(self) -> Iterator[Note]:
        """Which rows the rules do not reach, and the rows of noise."""
        if self.n_noise:
            yield Note((f"Noise, labelled -1: {count(self.n_noise, 'row')}, of weight 0.",))
        for each in self.labels:
            name = f"label {each.label}"
            if not each.n_leaves:
                # A page does not name what few rows have.
                rare = Cells(f"{name} ({count(each.n_samples, 'row')})", "a label")
                yield Note(("No rule predicts ", rare, ": allow more leaves."), True)
            elif each.agreement < LOW:
                text = f"Short rules reach only {percent(each.agreement)} of the rows of {name}."
                yield Note((text,), True)
            elif each.precision is not None and each.precision < LOW:
                text = f"Only {percent(each.precision)} of the rows in the rule of {name} have it."
                yield Note((text,), True)


def _ratio(part: float, total: float) -> float | None:
    return float(part / total) if total > 0 else None


def percent(share: float) -> str:
    """Format a fraction; only all rows are 100 %.

    >>> percent(0.9996), percent(1.0), percent(0.5)
    ('99.9 %', '100 %', '50.0 %')
    """
    if share >= 1:
        return "100 %"
    return f"{min(100 * share, 99.9):.1f} %"
