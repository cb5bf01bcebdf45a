"""Kauri for distributed rows on a Dask cluster.

:meth:`Kauri.fit` is the same as in :class:`agathis.Kauri`, with a dataset whose sums are computed
by the workers (:mod:`agathis.dask._dataset`).
"""

from __future__ import annotations

from functools import partial
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.engines import AUTO, BINNED
from agathis._checks.parameters import CLUSTER_CONSTRAINTS
from agathis._fit.fit import fit
from agathis._kauri import Kauri as LocalKauri
from agathis._model.spec import FitSpec
from agathis._utils.extras import needed
from agathis._utils.progress import Progress
from agathis.dask._actors import Cluster
from agathis.dask._dataset import dataset_on
from agathis.dask._partitions import is_collection, mapped, partitions_of
from agathis.dask._prediction import called, score_of
from agathis.dask._short_thresholds import short_thresholds


def _with_timeout(local: Signature) -> Signature:
    timeout = Parameter("timeout", Parameter.KEYWORD_ONLY, default=600, annotation="float")
    return local.replace(parameters=[*local.parameters.values(), timeout])


class Kauri(LocalKauri):
    """A decision tree for clustering rows that are distributed over a Dask cluster.

    The tree is bitwise identical to that of :class:`agathis.Kauri` with ``engine="binned"`` on the
    same rows in the same order, for any partitions and workers. Rows stay on the worker that reads
    their partition. A split takes one round trip, in which each worker sends the sums of the
    smaller side.

    Parameters are those of :class:`agathis.Kauri` and ``timeout``. Not supported is what needs all
    rows in one place: ``kernel="precomputed"``, engines other than ``"binned"``, searches other
    than ``"greedy"``, ``split="pair"`` and ``keep_training_data``.

    Parameters
    ----------
    n_clusters : int, default=8
        The maximum number of clusters.
    timeout : float, default=600
        The maximum time in seconds for a step of a worker, such as reading a partition or summing a
        leaf, and for an answer of the scheduler. The fit then fails with an error.
    **params
        See :class:`agathis.Kauri`.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : Dask collection
        The cluster of each row, lazy, with the partitions and the index of X.
    n_clusters_, n_leaves_, objective_, inertia_, n_features_in_, feature_names_in_ :
        See :class:`agathis.Kauri`. They are computed during the fit, not lazily.

    Notes
    -----
    If a worker is lost, the others read its partitions again and apply the splits so far; the tree
    is the same. Partitions must therefore be the same each time they are computed.

    If a worker process is stopped, the fit fails with an error that names it, after 60 seconds
    without a heartbeat to the scheduler (``agathis.worker-timeout`` in the Dask configuration).
    Busy workers send heartbeats.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from dask.distributed import Client
    >>> from agathis.dask import Kauri
    >>> X = np.random.default_rng(0).normal(size=(300, 2)).round(2)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(da.from_array(X, chunks=(100, 2)))
    ...     labels = model.labels_.compute()
    >>> local = model.to_local()
    >>> bool((local.predict(X) == labels).all())
    True
    """

    _parameter_constraints: ClassVar[dict] = CLUSTER_CONSTRAINTS

    def __init__(self, n_clusters: int = 8, *, timeout: float = 600, **params: Any) -> None:
        super().__init__(n_clusters, **params)
        self.timeout = timeout

    # scikit-learn and ``help`` read the parameters from the signature.
    __init__.__signature__ = _with_timeout(signature(LocalKauri.__init__))  # type: ignore[attr-defined]

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        gram: Any = None,
        sample_weight: Any = None,
        start: object = None,
        client: Any = None,
    ) -> Kauri:
        """Fit the tree.

        Parameters
        ----------
        X : dask.array.Array, dask.dataframe.DataFrame or list of Delayed
            The samples. Chunk sizes may be unknown, and partitions may be empty.
        y : Ignored
            Not used, present for API consistency.
        gram : None
            Not supported, present for API consistency.
        sample_weight : dask.array.Array, dask.dataframe.Series or list of Delayed, optional
            The weights, with the partitions of X.
        start : Tree or fitted estimator of the package, optional
            An initial tree.
        client : distributed.Client, optional
            If None, the current client.

        Returns
        -------
        self : Kauri
            Fitted estimator.
        """
        needed("dask.dataframe", "dask", "agathis.dask")
        self._check_possible(gram)
        partitions = partitions_of(X, sample_weight)
        spec = FitSpec.of(self)
        with (
            checks.last_fit_kept(self),
            Cluster(client, self.timeout) as cluster,
            Progress(self.verbose, spec.max_leaves, self.n_clusters) as progress,
        ):
            cluster.load(partitions)
            dataset = dataset_on(cluster, self, X, partitions.n_features)
            result = fit(dataset, spec, start=start, progress=progress, shorten=short_thresholds)
        result.set_attributes(self)
        return self

    def _check_possible(self, gram: object) -> None:
        if self.kernel == "precomputed" or gram is not None:
            raise ValueError(
                "kernel='precomputed' and gram need a matrix of all rows in one place; on a "
                "cluster kernels are computed from X."
            )
        if self.engine not in (AUTO, BINNED):
            raise ValueError(
                f"engine={self.engine!r} needs all rows in one place; on a cluster it is "
                f"{BINNED!r}, which {AUTO!r} means here."
            )
        possible = {"search": "greedy", "split": "axis", "keep_training_data": False}
        for name, value in possible.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} needs all rows in one place; on a cluster "
                    f"only {name}={value!r} is possible. agathis.refine improves the tree on a "
                    "sample of the rows."
                )
        kernel_checks.check_engine(BINNED, kernel_checks.kernel_of(self), self.n_components)

    def predict(self, X: Any) -> Any:
        """Predict the cluster of each row; lazy for Dask collections.

        Parameters
        ----------
        X : Dask collection, or array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : Dask collection, or ndarray of shape (n_samples,)
        """
        return self._mapped(X, "predict")

    def apply(self, X: Any) -> Any:
        """Return the leaf of each row, as a node id of ``tree_``; lazy for Dask collections.

        Parameters
        ----------
        X : Dask collection, or array-like of shape (n_samples, n_features)

        Returns
        -------
        leaves : Dask collection, or ndarray of shape (n_samples,)
        """
        return self._mapped(X, "apply")

    def transform(self, X: Any, *, gram: Any = None, gram_diagonal: Any = None) -> Any:
        """Compute the distance of each row to each cluster centre; lazy for Dask collections.

        Parameters
        ----------
        X : Dask collection, or array-like of shape (n_samples, n_features)
        gram, gram_diagonal : None
            Not supported, present for API consistency.

        Returns
        -------
        distances : Dask collection, or ndarray of shape (n_samples, n_clusters_)
        """
        return self._mapped(X, "transform", gram=gram, gram_diagonal=gram_diagonal)

    def _mapped(self, X: Any, method: str, **given: Any) -> Any:
        check_is_fitted(self, "tree_")
        if not is_collection(X):
            return getattr(super(), method)(X, **given)
        columns = None
        if method == "transform":
            columns = [str(name) for name in self.get_feature_names_out()]
        return mapped(X, partial(called, self.to_local(), method), columns)

    def score(
        self, X: Any, y: object = None, *, gram: Any = None, sample_weight: Any = None
    ) -> Any:
        """Compute the objective of the predicted clusters of X; lazy for Dask collections.

        ``float(score)`` or ``score.compute()`` of a lazy score reads X and raises errors in it;
        ``dask.compute`` reads X once for several scores.

        Parameters
        ----------
        X : Dask collection, or array-like of shape (n_samples, n_features)
        y : Ignored
            Not used, present for API consistency.
        gram : None
            Not supported, present for API consistency.
        sample_weight : Dask collection with the partitions of X, or array-like, optional

        Returns
        -------
        score : Delayed, or float
        """
        check_is_fitted(self, "tree_")
        if not is_collection(X):
            return super().score(X, y, gram=gram, sample_weight=sample_weight)
        return score_of(self.to_local(), partitions_of(X, sample_weight), self.timeout)

    def to_local(self) -> LocalKauri:
        """Convert to an :class:`agathis.Kauri` in memory, for example for exports and reports.

        It has no ``labels_``, as its rows are not in memory.

        Returns
        -------
        model : agathis.Kauri
        """
        check_is_fitted(self, "tree_")
        params = self.get_params(deep=False)
        del params["timeout"]
        model = LocalKauri(**params)
        fitted = {
            name: value
            for name, value in vars(self).items()
            if name not in params and name not in ("labels_", "timeout")
        }
        model.__dict__.update(fitted)
        return model

    def __getstate__(self) -> dict[str, Any]:
        """Without ``labels_``, which may hold futures of a cluster."""
        state = dict(super().__getstate__())
        state.pop("labels_", None)
        return state
