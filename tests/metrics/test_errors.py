"""What the measures of labels say of wrong arguments."""

from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.label_costs import METRICS
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri, metrics
from agathis.metrics import (
    mmd_gemini,
    relative_kmeans_score,
    unsupervised_accuracy,
)

X5 = np.arange(10.0).reshape(5, 2)
Y5 = [0, 0, 1, 1, 1]


@pytest.mark.parametrize("metric", METRICS[:4])
class TestErrors:
    def test_lengths(self, metric):
        with pytest.raises(ValueError, match=r"labels has 4 values; X has 5 rows"):
            metric(X5, Y5[:4])
        with pytest.raises(ValueError, match=r"sample_weight must have shape"):
            metric(X5, Y5, sample_weight=[1.0, 2.0])

    def test_weights(self, metric):
        with pytest.raises(ValueError, match="sample_weight must not be negative"):
            metric(X5, Y5, sample_weight=[1, 1, 1, 1, -1])
        with pytest.raises(ValueError, match="sample_weight is zero for every row"):
            metric(X5, Y5, sample_weight=np.zeros(5))

    @pytest.mark.parametrize(
        "labels",
        [
            [0, 0, 1, np.nan, 1],
            [0, 0, 1, np.inf, 1],
            [0, 0, 1, 0.5, 1],
            ["a", "a", "b", None, "b"],
            np.array(["a", "a", "b", np.nan, "b"], dtype=object),
            pd.Series([0, 0, 1, pd.NA, 1], dtype="Int64"),
            pl.Series([0, 0, 1, None, 1]),
            pl.Series(["a", "a", "b", None, "b"]),
        ],
    )
    def test_missing_and_fractional_labels(self, metric, labels):
        with pytest.raises(ValueError, match=r"labels must be integers or strings.*\[3\] is"):
            metric(X5, labels)

    def test_labels_of_a_wrong_kind(self, metric):
        with pytest.raises(ValueError, match=r"labels must be integers.*dtype complex128"):
            metric(X5, np.array(Y5) * 1j)
        with pytest.raises(ValueError, match=r"labels must have shape.*\(5, 2\)"):
            metric(X5, np.zeros((5, 2)))
        with pytest.raises(ValueError, match=r"labels must have shape.*\(\)"):
            metric(X5, 3)

    def test_empty(self, metric):
        with pytest.raises(ValueError, match=r"X.*0 sample|0 sample.*X"):
            metric(np.zeros((0, 2)), [])
        with pytest.raises(ValueError, match="labels is empty"):
            metric(X5, [])

    def test_rows(self, metric):
        with pytest.raises(ValueError, match="X contains NaN"):
            metric(np.where(X5 == 3, np.nan, X5), Y5)
        with pytest.raises(ValueError, match="X must be numeric"):
            metric([["a", "b"]] * 5, Y5)
        with pytest.raises(ValueError, match="X is too large"):
            metric(X5 * 1e200, Y5)
        with pytest.raises(ValueError, match="minimum of X is -9"):
            metric(-X5, Y5, kernel="chi2")

    def test_kernels(self, metric):
        with pytest.raises(ValueError, match=r"'kernel' parameter of \w+ must be.*Got 'rbff'"):
            metric(X5, Y5, kernel="rbff")
        with pytest.raises(ValueError, match=r"'gamma' parameter of \w+ must be.*Got -1"):
            metric(X5, Y5, kernel="rbf", gamma=-1)
        with pytest.raises(TypeError, match="unexpected keyword argument 'sigma'; kernel='rbf'"):
            metric(X5, Y5, kernel="rbf", sigma=1)
        with pytest.raises(ValueError, match=r"X must be the square kernel matrix.*\(5, 2\)"):
            metric(X5, Y5, kernel="precomputed")
        with pytest.raises(ValueError, match=r"X must be symmetric; .* by up to 16"):
            metric(np.arange(25.0).reshape(5, 5), Y5, kernel="precomputed")


@pytest.mark.parametrize("mode", ["OVA", "all", None])
def test_wrong_mode(mode):
    with pytest.raises(ValueError, match="'mode' parameter of mmd_gemini"):
        mmd_gemini(X5, Y5, mode=mode)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reference", "best"),
        ("reference", -1.0),
        ("reference", np.nan),
        ("n_clusters", 0),
        ("n_init", 0),
        ("random_state", "a"),
    ],
)
def test_wrong_arguments_of_the_relative_score(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of relative_kmeans_score"):
        relative_kmeans_score(X5, Y5, **{"reference": 1.0, name: value})


def test_wrong_models_of_the_relative_score():
    pipeline = make_pipeline(MinMaxScaler(), Kauri(2, max_leaf_nodes=None)).fit(X5)
    with pytest.raises(ValueError, match=r"labels must be the labels themselves.*Pipeline"):
        relative_kmeans_score(X5 @ X5.T, pipeline, "precomputed", reference=1.0)
    model = Kauri(2, max_leaf_nodes=None).fit(X5)
    with pytest.raises(ValueError, match=r"labels must be the labels themselves.*Kauri"):
        relative_kmeans_score(X5 @ X5.T, model, "precomputed", reference=1.0)
    with pytest.raises(ValueError, match="not fitted"):
        relative_kmeans_score(X5, Kauri(2, max_leaf_nodes=None), reference=1.0)
    with pytest.raises(ValueError, match="X has 3 features"):
        relative_kmeans_score(np.zeros((5, 3)), model, reference=1.0)


def test_errors_of_the_accuracy():
    with pytest.raises(ValueError, match="labels has 2 values; y_true has 3 rows"):
        unsupervised_accuracy([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match=r"y_true must be integers.*y_true\[1\] is nan"):
        unsupervised_accuracy([0, np.nan], [0, 1])
    with pytest.raises(ValueError, match="y_true is empty"):
        unsupervised_accuracy([], [])
    with pytest.raises(ValueError, match="sample_weight must have shape"):
        unsupervised_accuracy([0, 1], [0, 1], [1.0])


@pytest.mark.parametrize("name", metrics.__all__)
def test_public_functions_are_annotated_and_have_an_example(name):
    function = getattr(metrics, name)
    assert ">>>" in function.__doc__
    given = signature(function)
    assert given.return_annotation is not given.empty
    for parameter in given.parameters.values():
        assert parameter.annotation is not parameter.empty, parameter
