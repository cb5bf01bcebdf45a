"""Methods of all fitted estimators with a ``tree_``: predictions, paths and importances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from agathis._checks import data as checks
from agathis._checks.kernels import kernel_and_matrix
from agathis._checks.roles import EncodedRows
from agathis._objective.centres import PointCentres
from agathis._objective.objective import kernel_objective, objective, point_kernel_sums
from agathis._trees.tree import Tree


def tree_of(model: BaseEstimator | Tree) -> Tree:
    """The tree of a fitted estimator, or the tree itself."""
    if isinstance(model, Tree):
        return model
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        if hasattr(model, "named_steps"):
            raise TypeError("model is a Pipeline; pass its step with the tree, such as model[-1].")
        if isinstance(model, type) or not hasattr(model, "fit"):
            description = repr(model)
        else:
            check_is_fitted(model)
            how = "without tree_" if tree is None else "whose tree_ is another kind of tree"
            description = f"a {type(model).__name__}, {how}"
        raise TypeError(
            f"model must be a fitted estimator of agathis, or a Tree; it is {description}."
        )
    return tree


class TreeModel(ClusterMixin):
    """A clustering estimator with a ``tree_``."""

    tree_: Tree

    if TYPE_CHECKING:  # scikit-learn's has no types

        def fit_predict(self, X: ArrayLike, y: object = None, **params: object) -> np.ndarray: ...

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Predict the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        X, threads = self._rows_on_their_way(X)
        return self.tree_.predict(X, threads)

    def apply(self, X: ArrayLike) -> np.ndarray:
        """Return the leaf of each row, as a node id of ``tree_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
        """
        X, threads = self._rows_on_their_way(X)
        return self.tree_.apply(X, threads)

    def decision_path(self, X: ArrayLike) -> sparse.csr_matrix:
        """Return the decision path of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
        """
        X, threads = self._rows_on_their_way(X)
        return self.tree_.decision_path(X, threads)

    def get_depth(self) -> int:
        """Return the depth of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances()

    @property
    def _takes_missing(self) -> bool:
        """Whether the fitted tree supports missing values."""
        return False

    def _rows_on_their_way(self, X: ArrayLike) -> tuple[np.ndarray, int]:
        """Validate rows to apply the tree to.

        Encoded rows may have missing values that were not seen in the fit; they go to the larger
        child, as in exported models.
        """
        if not isinstance(X, EncodedRows):
            return self._rows_and_threads(X)
        check_is_fitted(self, "tree_")
        threads = checks.n_threads(self.n_jobs)
        X, _ = checks.check_X(self, X, reset=False, missing=True, threads=threads)
        return X, threads

    def _rows_and_threads(self, X: ArrayLike) -> tuple[np.ndarray, int]:
        check_is_fitted(self, "tree_")
        threads = checks.n_threads(self.n_jobs)
        missing = self._takes_missing
        X, _ = checks.check_X(self, X, reset=False, missing=missing, threads=threads)
        return X, threads


class TreeEstimator(TreeModel):
    """An estimator that fits a tree, with the kernel KMeans objective as score."""

    def score(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        gram: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """The kernel KMeans objective of the predicted clusters; higher is better.

        For the training rows and weights it equals ``objective_``. With ``n_components`` it is the
        objective of the feature map's kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix of X, for ``kernel="precomputed"``.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
        """
        X, threads = self._rows_and_threads(X)
        weight = checks.check_sample_weight(sample_weight, len(X))
        labels = self.tree_.predict(X, threads)
        roles = getattr(self, "roles_", None)
        columns = None if roles is None else roles.kernel_columns
        kernel, matrix = kernel_and_matrix(self, X, gram, threads, columns)
        centres = getattr(self, "_centres", None)
        if isinstance(centres, PointCentres):
            return objective(*point_kernel_sums(centres.space, X, labels, weight, threads))
        return kernel_objective(kernel, X, labels, weight, threads, matrix)
