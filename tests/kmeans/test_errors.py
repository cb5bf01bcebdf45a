"""What kernel KMeans says of wrong parameters and data."""

import re

import numpy as np
import pytest
from helpers.kernel_kmeans_problems import ALGORITHMS
from sklearn import config_context
from sklearn.exceptions import NotFittedError

from agathis import KernelKMeans


class TestErrors:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("n_clusters", 0),
            ("kernel", "unknown"),
            ("algorithm", "elkan"),
            ("n_init", 0),
            ("n_init", "many"),
            ("max_iter", 0),
            ("tol", -1.0),
            ("gamma", -1.0),
            ("random_state", "seed"),
        ],
    )
    def test_parameters(self, iris, name, value):
        model = KernelKMeans().set_params(**{name: value})
        with pytest.raises(ValueError, match=f"'{name}' parameter of KernelKMeans must be"):
            model.fit(iris)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"X": [[1.0, np.nan]] * 3}, "Input X contains NaN"),
            ({"X": [[1.0, np.inf]] * 3}, "infinity"),
            ({"X": [[1.0, 2.0]]}, "n_samples=1 should be >= n_clusters=2"),
            ({"X": [[1e200], [-1e200], [0.0]]}, "X is too large"),
            ({"X": [[1.0], [2.0]], "sample_weight": [1.0]}, "sample_weight must have shape"),
            ({"X": [[1.0], [2.0]], "sample_weight": [1.0, -1.0]}, "must not be negative"),
            ({"X": [[1.0], [2.0]], "sample_weight": [0.0, 0.0]}, "zero for every row"),
            ({"X": [[1.0], [2.0]], "gram": np.eye(2)}, "with kernel='precomputed'"),
        ],
    )
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_data(self, arguments, message, algorithm):
        with pytest.raises(ValueError, match=re.escape(message)):
            KernelKMeans(2, algorithm=algorithm).fit(**arguments)

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_kernels(self, algorithm):
        with pytest.raises(ValueError, match="needs non-negative X; the minimum of X is -1"):
            KernelKMeans(2, kernel="chi2", algorithm=algorithm).fit([[-1.0], [2.0]])
        with pytest.raises(ValueError, match="gives NaN or infinity for some rows of X"):
            KernelKMeans(2, kernel="poly", algorithm=algorithm).fit([[1e150], [2.0], [3.0]])
        with (
            config_context(working_memory=1e-6),
            pytest.raises(ValueError, match="gives NaN or infinity for some rows of X"),
        ):
            KernelKMeans(2, kernel="poly", algorithm="lloyd").fit([[1e150], [2.0], [3.0]])
        with pytest.raises(ValueError, match="is only for a callable kernel"):
            KernelKMeans(2, kernel_params={"a": 1}, algorithm=algorithm).fit([[1.0], [2.0]])

    def test_precomputed(self, iris):
        model = KernelKMeans(3, kernel="precomputed")
        with pytest.raises(ValueError, match="needs the kernel matrix as keyword, gram=K"):
            model.fit(iris)
        gram = iris @ iris.T
        model.fit(iris, gram=gram)
        with pytest.raises(ValueError, match=r"needs gram=K, the kernel of X with the training"):
            model.predict(iris)
        with pytest.raises(ValueError, match=r"gram must have shape \(2, 150\), one column per"):
            model.predict(iris[:2], gram=gram[:2, :2])
        with pytest.raises(ValueError, match=r"needs cross_gram=K"):
            model.score(iris[:2], gram=gram[:2, :2])
        with pytest.raises(ValueError, match="needs transform"):
            model.transform(iris)
        with pytest.raises(ValueError, match="gram contains NaN"):
            model.fit(iris, gram=np.full((150, 150), np.nan))

    def test_gram_without_precomputed(self, iris):
        model = KernelKMeans(3).fit(iris)
        for name in ("predict", "transform", "score"):
            with pytest.raises(ValueError, match="with kernel='precomputed'"):
                getattr(model, name)(iris, gram=np.eye(150))
        with pytest.raises(ValueError, match="with kernel='precomputed'"):
            model.score(iris, cross_gram=np.eye(150))

    def test_not_fitted(self, iris):
        for name in ("predict", "transform", "score"):
            with pytest.raises(NotFittedError):
                getattr(KernelKMeans(), name)(iris)

    def test_much_memory_is_warned_of(self, iris):
        with (
            config_context(working_memory=0.1),
            pytest.warns(UserWarning, match="needs 0 GB for the kernel between 149 distinct rows"),
        ):
            KernelKMeans(3, kernel="rbf").fit(iris)
