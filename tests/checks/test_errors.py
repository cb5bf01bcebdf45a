"""Bad input: the error names the argument, and says what came and what is accepted."""

import re
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils._param_validation import InvalidParameterError

import agathis
from agathis import Kauri

X = np.random.default_rng(0).normal(size=(20, 3))
GRAM = X @ X.T
ONES = np.ones(20)
PAIR = ([4, 9], [9, 4])  # a place in a matrix and its mirror image

METHODS = ["predict", "apply", "decision_path", "score", "transform"]


def with_entry(array, place, value):
    out = np.array(array, dtype=np.result_type(array, type(value)))
    out[place] = value
    return out


@pytest.fixture(scope="module")
def model():
    return Kauri(3, max_leaf_nodes=None).fit(X)


class TestX:
    BAD: ClassVar = {
        "NaN": (with_entry(X, (3, 1), np.nan), ValueError, "X contains NaN"),
        "inf": (with_entry(X, (3, 1), np.inf), ValueError, "X contains infinity"),
        "-inf": (with_entry(X, (3, 1), -np.inf), ValueError, "X contains infinity"),
        "float32 inf": (np.full((20, 3), np.float32(np.inf)), ValueError, "X contains infinity"),
        "sparse matrix": (sparse.csr_matrix(X), TypeError, "parse data was passed for X.*dense"),
        "sparse array": (sparse.csr_array(X), TypeError, "parse data was passed for X.*dense"),
        "1-D": (X[:, 0], ValueError, "Expected 2D array, got 1D array"),
        "scalar": (3.0, ValueError, "Expected 2D array, got scalar array"),
        "3-D": (X[None], ValueError, "dim 3"),
        "no rows": (X[:0], ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) .* minimum of 1"),
        "no columns": (X[:, :0], ValueError, r"0 feature\(s\) \(shape=\(20, 0\)\) .* minimum of 1"),
        "complex": (X + 1j, ValueError, "Complex data not supported"),
        "strings": ([["a", "b", "c"]] * 20, ValueError, r"\bX\b.*'a'"),
        "string array": (np.array([["red", "1", "2"]] * 20), ValueError, r"\bX\b.*'red'"),
        "one string": (
            with_entry(X.astype(object), (3, 1), "red"),
            ValueError,
            r"\bX\b.*'red'",
        ),
        "column of strings": (
            pd.DataFrame({"a": ["u", "v"] * 10, "b": 1, "c": 2}),
            ValueError,
            r"\bX\b.*'a' \(text\).*make_pipeline\(agathis.TableEncoder\(\), Kauri",
        ),
    }

    @pytest.mark.parametrize("name", BAD)
    def test_fit(self, name):
        bad, error, match = self.BAD[name]
        # With "auto" missing values are no error.
        engine = "features" if name == "NaN" else "auto"
        with pytest.raises(error, match=match):
            Kauri(3, engine=engine, max_leaf_nodes=None).fit(bad)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("name", [name for name in BAD if "column of" not in name])
    def test_after_fit(self, model, method, name):
        bad, error, match = self.BAD[name]
        with pytest.raises(error, match=match):
            getattr(model, method)(bad)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("columns", [2, 4])
    def test_other_number_of_columns(self, model, method, columns):
        match = rf"X has {columns} features, but Kauri is expecting 3 features"
        with pytest.raises(ValueError, match=match):
            getattr(model, method)(np.zeros((5, columns)))

    @pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
    def test_negative_values_with_chi2(self, kernel):
        positive = np.abs(X)
        bad = with_entry(positive, (4, 2), -0.25)
        match = rf"kernel='{kernel}' needs non-negative X; the minimum of X is -0\.25"
        with pytest.raises(ValueError, match=match):
            Kauri(3, kernel=kernel, max_leaf_nodes=None).fit(bad)
        fitted = Kauri(3, kernel=kernel, keep_training_data=True, max_leaf_nodes=None).fit(positive)
        with pytest.raises(ValueError, match=match):
            fitted.score(bad)
        with pytest.raises(ValueError, match=match):
            fitted.transform(bad)
        # A tree's conditions hold for any number.
        assert fitted.predict(bad).shape == (20,)


class TestNumberOfSamples:
    @pytest.mark.parametrize("n", [1, 2, 7])
    def test_fewer_than_clusters(self, n):
        with pytest.raises(ValueError, match=rf"n_samples={n} should be >= n_clusters=8"):
            Kauri(8, max_leaf_nodes=None).fit(X[:n])

    def test_weights_of_0_leave_too_few(self):
        weight = np.zeros(20)
        weight[[3, 8]] = 1.0
        match = r"n_samples=2 should be >= n_clusters=3 \(rows of weight 0 do not count\)"
        with pytest.raises(ValueError, match=match):
            Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=weight)
        assert Kauri(2, max_leaf_nodes=None).fit(X, sample_weight=weight).n_clusters_ == 2


class TestGram:
    BAD: ClassVar = {
        "missing": (None, r"kernel='precomputed' needs the kernel matrix .*gram=K.*\(20, 20\)"),
        "not square": (GRAM[:, :9], r"gram must be square .*\(20, 20\); it has shape \(20, 9\)"),
        "short": (GRAM[:9, :9], r"gram must .* row of X, \(20, 20\); it has shape \(9, 9\)"),
        "long": (np.eye(30), r"gram must .* row of X, \(20, 20\); it has shape \(30, 30\)"),
        "empty": (GRAM[:0, :0], r"gram must .*\(20, 20\); it has shape \(0, 0\)"),
        "not symmetric": (
            with_entry(GRAM, (2, 5), 1000.0),
            "gram must be symmetric; it differs from its transpose by up to",
        ),
        "upper half": (np.triu(np.ones((20, 20))), "gram must be symmetric"),
        "NaN": (with_entry(GRAM, (0, 0), np.nan), "gram contains NaN or infinity"),
        "NaN twice": (with_entry(GRAM, PAIR, np.nan), "gram contains NaN or infinity"),
        "NaN once": (with_entry(GRAM, (4, 9), np.nan), "gram contains NaN or infinity"),
        "inf": (with_entry(GRAM, (19, 19), np.inf), "gram contains NaN or infinity"),
        "-inf": (with_entry(GRAM, PAIR, -np.inf), "gram contains NaN or infinity"),
        "float32 NaN": (
            with_entry(GRAM.astype(np.float32), PAIR, np.float32(np.nan)),
            "gram contains NaN or infinity",
        ),
        "1-D": (GRAM[0], "gram"),
        "3-D": (GRAM[None], "gram"),
        "strings": ([["a"] * 20] * 20, "gram"),
        "complex": (GRAM + 1j, "gram"),
    }

    @pytest.mark.parametrize("name", BAD)
    def test_fit(self, name):
        gram, match = self.BAD[name]
        with pytest.raises(ValueError, match=match):
            Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=gram)

    @pytest.mark.parametrize("name", BAD)
    def test_score(self, name):
        gram, match = self.BAD[name]
        model = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=GRAM)
        with pytest.raises(ValueError, match=match):
            model.score(X, gram=gram)

    def test_a_matrix_alone(self):
        """Splits are on columns, which a kernel matrix does not have."""
        line = r"Kauri\(kernel='precomputed'\).fit\(X, gram=K\)"
        with pytest.raises(ValueError, match=rf"square matrix .*\(20, 20\) in place.* {line}"):
            Kauri(3, kernel="precomputed").fit(GRAM)
        with pytest.raises(ValueError, match=rf"needs the kernel matrix as keyword.* {line}"):
            Kauri(3, kernel="precomputed").fit(X)

    def test_sparse(self):
        with pytest.raises(TypeError, match=r"[Ss]parse data was passed for gram"):
            Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=sparse.csr_matrix(GRAM))

    @pytest.mark.parametrize("n", [20, 63, 64, 65, 200, 300])
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_one_bad_value_anywhere(self, n, value, order):
        rows = np.random.default_rng(n).normal(size=(n, 2))
        places = [(0, 0), (0, n - 1), (n - 1, n - 1), (n // 2, n // 3), (n - 1, n // 2)]
        for i, j in places:
            gram = np.array(rbf_kernel(rows), order=order)
            gram[i, j] = gram[j, i] = value
            with pytest.raises(ValueError, match="gram contains NaN or infinity"):
                Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(rows, gram=gram)

    @pytest.mark.parametrize("n", [20, 63, 64, 65, 200, 300])
    def test_one_asymmetric_pair_anywhere(self, n):
        rows = np.random.default_rng(n).normal(size=(n, 2))
        for i, j in [(0, 1), (0, n - 1), (n - 1, 0), (n // 2, n // 3), (n - 1, n - 2)]:
            gram = rbf_kernel(rows)
            gram[i, j] += 0.01
            with pytest.raises(ValueError, match=r"gram must be symmetric; .* by up to 0\.01"):
                Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(rows, gram=gram)

    def test_asymmetry_of_rounding_is_accepted(self):
        rng = np.random.default_rng(0)
        gram = GRAM * (1 + 1e-14 * rng.normal(size=GRAM.shape))
        assert (
            Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=gram).n_clusters_ == 3
        )
        single = (GRAM * (1 + 1e-7 * rng.normal(size=GRAM.shape))).astype(np.float32)
        assert (
            Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=single).n_clusters_ == 3
        )

    @pytest.mark.parametrize("kernel", ["linear", "rbf", lambda a, b: float(a @ b)])
    def test_with_another_kernel(self, kernel):
        match = r"gram can only be used with kernel='precomputed'; kernel=.* is computed from X"
        with pytest.raises(ValueError, match=match):
            Kauri(3, kernel=kernel, max_leaf_nodes=None).fit(X, gram=GRAM)
        with pytest.raises(ValueError, match=match):
            Kauri(3, kernel=kernel, max_leaf_nodes=None).fit(X).score(X, gram=GRAM)

    def test_is_keyword_only(self):
        with pytest.raises(TypeError, match="positional"):
            Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, None, GRAM)


class TestSampleWeight:
    BAD: ClassVar = {
        "negative": (-np.ones(20), "sample_weight must not be negative; its smallest value is -1"),
        "one negative": (with_entry(ONES, 3, -1e-9), "sample_weight must not be negative"),
        "zero": (0 * ONES, "sample_weight is zero for every row"),
        "NaN": (with_entry(ONES, 3, np.nan), "sample_weight contains NaN"),
        "inf": (with_entry(ONES, 3, np.inf), "sample_weight contains infinity"),
        "short": (ONES[:19], r"sample_weight must .* \(20,\); it has shape \(19,\)"),
        "long": (np.ones(21), r"sample_weight must .* \(20,\); it has shape \(21,\)"),
        "column": (ONES[:, None], r"sample_weight must .*\(20,\); it has shape \(20, 1\)"),
        "3-D": (np.ones((2, 2, 5)), "sample_weight"),
        "empty": ([], "sample_weight"),
        "strings": (["a"] * 20, "sample_weight"),
        "string": ("heavy", "sample_weight"),
        "negative scalar": (-1.0, "sample_weight must not be negative"),
        "zero scalar": (0.0, "sample_weight is zero for every row"),
    }

    @pytest.mark.parametrize("name", BAD)
    def test_fit(self, name):
        weight, match = self.BAD[name]
        with pytest.raises(ValueError, match=match):
            Kauri(3, max_leaf_nodes=None).fit(X, sample_weight=weight)

    @pytest.mark.parametrize("name", BAD)
    def test_score(self, model, name):
        weight, match = self.BAD[name]
        with pytest.raises(ValueError, match=match):
            model.score(X, sample_weight=weight)


class TestKernel:
    @pytest.mark.parametrize("kernel", ["rfb", "RBF", "", "nearest", None, 3, ["rbf"]])
    def test_unknown(self, kernel):
        with pytest.raises(InvalidParameterError, match="'kernel' parameter of Kauri") as raised:
            Kauri(3, kernel=kernel, max_leaf_nodes=None).fit(X)
        for name in ("'linear'", "'rbf'", "'precomputed'", "callable", repr(kernel)):
            assert name in str(raised.value)

    @pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
    def test_kernel_params_with_a_name(self, kernel):
        match = re.escape(f"kernel_params={{'gamma': 2}} is only for a callable kernel; {kernel=}")
        with pytest.raises(ValueError, match=match):
            Kauri(3, kernel=kernel, kernel_params={"gamma": 2}, max_leaf_nodes=None).fit(
                X, gram=None
            )

    def test_kernel_params_that_a_callable_does_not_take(self):
        model = Kauri(
            3, kernel=lambda a, b: float(a @ b), kernel_params={"depth": 2}, max_leaf_nodes=None
        )
        with pytest.raises(TypeError, match="depth"):
            model.fit(X)

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_callable_that_is_not_finite(self, value, engine):
        with pytest.raises(ValueError, match=r"kernel.*(NaN|infinity|finite)"):
            Kauri(3, kernel=lambda a, b: value, engine=engine, max_leaf_nodes=None).fit(X)

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    def test_callable_that_is_not_finite_for_one_pair(self, engine):
        def kernel(a, b):
            return np.nan if {a[0], b[0]} == {X[2, 0], X[7, 0]} else float(a @ b)

        with pytest.raises(ValueError, match=r"kernel.*(NaN|infinity|finite)"):
            Kauri(3, kernel=kernel, engine=engine, max_leaf_nodes=None).fit(X)

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    @pytest.mark.parametrize("kernel", ["linear", "poly"])
    def test_values_that_overflow(self, kernel, engine):
        with (
            np.errstate(all="ignore"),
            pytest.raises(ValueError, match=f"kernel='{kernel}'.*(NaN|infinity|finite)"),
        ):
            Kauri(3, kernel=kernel, engine=engine, max_leaf_nodes=None).fit(X * 1e200)

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    def test_rows_that_are_too_far_apart_to_be_alike(self, engine):
        """To the rbf kernel the farthest rows are only not alike: nothing overflows."""
        far = Kauri(3, kernel="rbf", engine=engine, max_leaf_nodes=None).fit(X * 1e200)
        apart = Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=np.eye(len(X)))
        np.testing.assert_array_equal(far.labels_, apart.labels_)

    @pytest.mark.parametrize("engine", ["gram", "blocks"])
    def test_a_power_that_is_not_a_number(self, engine):
        with np.errstate(all="ignore"), pytest.raises(ValueError, match="kernel='poly'"):
            Kauri(3, kernel="poly", degree=2.5, engine=engine, max_leaf_nodes=None).fit(X)


class TestStocks:
    @pytest.mark.parametrize("engine", ["bins", "feature", "Gram", None, 1])
    def test_unknown(self, engine):
        with pytest.raises(InvalidParameterError, match="'engine' parameter of Kauri") as raised:
            Kauri(3, engine=engine, max_leaf_nodes=None).fit(X)
        for name in ("'auto'", "'gram'", "'blocks'", "'features'", "'binned'", repr(engine)):
            assert name in str(raised.value)

    def test_blocks_of_a_given_matrix(self):
        match = "engine='blocks' computes the kernel from X, which kernel='precomputed' does"
        with pytest.raises(ValueError, match=match):
            Kauri(3, kernel="precomputed", engine="blocks", max_leaf_nodes=None).fit(X, gram=GRAM)


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("n_clusters", [0, -1, 2.0, "3", None]),
            ("gamma", [-0.1, np.nan, np.inf, "scale"]),
            ("degree", [-1, np.nan, "3", None]),
            ("coef0", [np.nan, np.inf, "1", None]),
            ("kernel_params", [3, "gamma", ["gamma"]]),
            ("max_leaf_nodes", [1, 0, -1, 2.5, "3", "all"]),
            ("max_features", [0, -1, 0.0, 1.5, -0.5, "auto", "half"]),
            ("max_depth", [0, -1, 1.5, "3"]),
            ("min_samples_split", [1, 0, -1, 0.0, 1.5, "2", None]),
            ("min_samples_leaf", [0, -1, 0.0, 1.0, 1.5, "2", None]),
            ("keep_training_data", ["yes", 2, None]),
            ("n_jobs", [1.5, "2"]),
            ("verbose", [-1, "yes", None]),
            ("random_state", [-1, "seed", 0.5]),
        ],
    )
    def test_wrong_type_or_range(self, name, values):
        for value in values:
            with pytest.raises(
                InvalidParameterError, match=f"The '{name}' parameter of Kauri must be"
            ) as raised:
                Kauri(**{"n_clusters": 3, name: value}).fit(X)
            assert repr(value) in str(raised.value)

    @pytest.mark.parametrize("method", ["fit", "predict"])
    def test_no_jobs(self, model, method):
        with pytest.raises(ValueError, match=r"n_jobs=0 .* use None for all cores"):
            getattr(Kauri(3, max_leaf_nodes=None).fit(X).set_params(n_jobs=0), method)(X)

    def test_more_features_than_there_are(self):
        with pytest.raises(ValueError, match="max_features=4 is more than the 3 features of X"):
            Kauri(3, max_features=4, max_leaf_nodes=None).fit(X)

    def test_unknown_parameter(self):
        with pytest.raises(TypeError, match="n_cluster"):
            Kauri(n_cluster=3, max_leaf_nodes=None)
        with pytest.raises(ValueError, match="Invalid parameter 'n_cluster' for estimator Kauri"):
            Kauri(max_leaf_nodes=None).set_params(n_cluster=3)

    @pytest.mark.parametrize("value", [np.int64(2), np.int32(2), True])
    def test_whole_numbers_of_numpy_are_numbers(self, value):
        model = Kauri(
            np.int64(3), max_depth=value, min_samples_leaf=np.int32(2), max_leaf_nodes=None
        ).fit(X)
        assert model.tree_.max_depth == int(value)


class TestNotFitted:
    @pytest.mark.parametrize("method", METHODS)
    def test_method(self, method):
        with pytest.raises(NotFittedError, match="This Kauri instance is not fitted yet"):
            getattr(Kauri(max_leaf_nodes=None), method)(X)

    @pytest.mark.parametrize("method", METHODS)
    def test_before_X_is_looked_at(self, method):
        with pytest.raises(NotFittedError, match="This Kauri instance is not fitted yet"):
            getattr(Kauri(max_leaf_nodes=None), method)("nonsense")

    def test_feature_names_out(self):
        with pytest.raises(NotFittedError, match="This Kauri instance is not fitted yet"):
            Kauri(max_leaf_nodes=None).get_feature_names_out()

    def test_feature_importances(self):
        with pytest.raises(NotFittedError, match="This Kauri instance is not fitted yet"):
            Kauri(max_leaf_nodes=None).feature_importances_  # noqa: B018
        assert not hasattr(Kauri(max_leaf_nodes=None), "feature_importances_")

    def test_a_fit_that_failed_leaves_no_model(self):
        model = Kauri(3, engine="features", max_leaf_nodes=None)
        with pytest.raises(ValueError, match="NaN"):
            model.fit(with_entry(X, (0, 0), np.nan))
        with pytest.raises(NotFittedError):
            model.predict(X)


def test_a_fit_that_failed_is_no_fit():
    model = Kauri(2, kernel=lambda a, b: np.inf, max_leaf_nodes=None)
    with pytest.raises(ValueError, match="kernel"):
        model.fit(X)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize(
    "function", [agathis.suggest, lambda table: agathis.compare(table, n_clusters=2)]
)
def test_words_in_a_table_that_belongs_to_no_estimator(function):
    table = pd.DataFrame({"size": [1.0, 2.0, 9.0, 8.0], "kind": list("abab")})
    message = r"'kind' \(text\).*agathis\.TableEncoder\(\)\.fit_transform\(df\)"
    with pytest.raises(ValueError, match=message):
        function(table)
