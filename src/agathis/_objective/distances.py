"""``transform`` of estimators: distances to the cluster centres in the kernel's space.

An estimator sets ``_centres`` (see :mod:`agathis._objective.centres`) in ``fit``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from agathis._checks import kernels as kernel_checks
from agathis._objective.centres import Centres, SampleCentres


class DistancesMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """A clustering estimator whose ``transform`` gives distances to its clusters."""

    _centres: Centres | None

    def transform(
        self,
        X: ArrayLike,
        *,
        gram: ArrayLike | None = None,
        gram_diagonal: ArrayLike | None = None,
    ) -> np.ndarray:
        """Compute the distance of each row to each cluster centre, in the kernel's space.

        Squared distances that are negative, with an indefinite kernel, become 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        gram : array-like of shape (n_samples, n_train), optional
            For ``kernel="precomputed"``: kernel values with the training rows.
        gram_diagonal : array-like of shape (n_samples,), optional
            For ``kernel="precomputed"``: kernel value of each row with itself.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        rows: np.ndarray
        rows, threads = self._rows_and_threads(X)
        if isinstance(self._centres, SampleCentres):
            cross, diagonal = kernel_checks.check_cross_gram(
                gram, gram_diagonal, len(rows), len(self._centres.labels)
            )
            return self._centres.distances(cross, diagonal, self._centres.shares())
        kernel = kernel_checks.kernel_of(self)
        kernel_checks.check_no_gram(kernel, gram=gram, gram_diagonal=gram_diagonal)
        if self._centres is None:
            raise self._training_rows_error()
        kernel_checks.check_domain(self._centres.kernel, rows)
        return self._centres.distances(rows, threads)

    def fit_transform(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        gram: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> np.ndarray:
        """Fit, and compute the distance of each row to each cluster centre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix, for ``kernel="precomputed"``.
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            Other arguments of ``fit``.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        if not self._keeps_centres():
            raise self._training_rows_error()
        self.fit(X, gram=gram, sample_weight=sample_weight, **fit_params)
        if gram is None:
            return self.transform(X)
        return self.transform(X, gram=gram, gram_diagonal=np.diagonal(np.asarray(gram)))

    def _keeps_centres(self) -> bool:
        """Whether a fit with these parameters keeps the data that distances need."""
        return True

    def _training_rows_error(self) -> ValueError:
        return ValueError(
            f"transform with kernel={self.kernel!r} needs the training rows, which the model does "
            "not keep: fit with keep_training_data=True, or with n_components."
        )

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_
