"""Distances to the clusters in the kernel's space, against their definition."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from agathis import Kauri

KERNELS = {
    "linear": {},
    "cosine": {},
    "rbf": {"gamma": 0.3},
    "laplacian": {"gamma": 0.2},
    "polynomial": {"gamma": 0.1, "degree": 2, "coef0": 1},
    "poly": {"degree": 3, "coef0": 0.5},
    "sigmoid": {"gamma": 0.01, "coef0": 0.1},
    "chi2": {"gamma": 0.5},
    "additive_chi2": {},
}


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


def by_definition(train, cross, diagonal, labels, weight=None):
    """Distances of rows to the weighted means of clusters, from kernel values alone.

    Parameters
    ----------
    train : array of shape (n_train, n_train)
    cross : array of shape (n_rows, n_train)
    diagonal : array of shape (n_rows,)
        Kernel value of each row with itself.
    """
    weight = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=float)
    squared = []
    for k in range(labels.max() + 1):
        share = np.where(labels == k, weight, 0.0)
        share /= share.sum()
        squared.append(diagonal - 2 * cross @ share + share @ train @ share)
    return np.sqrt(np.maximum(np.column_stack(squared), 0.0))


def close(actual, expected):
    # A squared distance of 0 is one but for rounding, whose root is near 1e-8.
    np.testing.assert_allclose(actual, expected, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", KERNELS)
def test_by_name(iris, kernel, weighted):
    train, rows, params = iris[::2], iris[1::2], KERNELS[kernel]
    rng = np.random.default_rng(0)
    weight = rng.uniform(0, 3, len(train)) * (rng.random(len(train)) < 0.8) if weighted else None
    model = Kauri(4, kernel=kernel, keep_training_data=True, max_leaf_nodes=None, **params)
    model.fit(train, sample_weight=weight)
    gram = pairwise_kernels(train, metric=kernel, **params)
    cross = pairwise_kernels(rows, train, metric=kernel, **params)
    diagonal = np.diagonal(pairwise_kernels(rows, metric=kernel, **params))
    distances = model.transform(rows)
    assert distances.shape == (len(rows), model.n_clusters_)
    close(distances, by_definition(gram, cross, diagonal, model.labels_, weight))
    close(
        model.transform(train),
        by_definition(gram, gram, np.diagonal(gram), model.labels_, weight),
    )


@pytest.mark.parametrize("engine", ["gram", "blocks"])
def test_the_engine_does_not_matter(iris, engine):
    model = Kauri(4, kernel="rbf", keep_training_data=True, engine=engine, max_leaf_nodes=None).fit(
        iris
    )
    gram = rbf_kernel(iris)
    close(model.transform(iris), by_definition(gram, gram, np.diagonal(gram), model.labels_))


def cubed(a, b, shift=0.0):
    return float((a @ b + shift) ** 3)


def test_callable(iris):
    train, rows = iris[::3], iris[1::3]
    params = {"shift": 0.5}
    model = Kauri(
        3, kernel=cubed, kernel_params=params, keep_training_data=True, max_leaf_nodes=None
    ).fit(train)
    gram = pairwise_kernels(train, metric=cubed, **params)
    cross = pairwise_kernels(rows, train, metric=cubed, **params)
    diagonal = np.array([cubed(row, row, **params) for row in rows])
    expected = by_definition(gram, cross, diagonal, model.labels_)
    np.testing.assert_allclose(model.transform(rows), expected, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_precomputed(iris, weighted):
    train, rows = iris[::2], iris[1::2]
    weight = np.random.default_rng(0).integers(0, 3, len(train)) if weighted else None
    gram, cross = rbf_kernel(train), rbf_kernel(rows, train)
    model = Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(
        train, gram=gram, sample_weight=weight
    )
    distances = model.transform(rows, gram=cross, gram_diagonal=np.ones(len(rows)))
    close(distances, by_definition(gram, cross, np.ones(len(rows)), model.labels_, weight))


@pytest.mark.parametrize("weighted", [False, True])
def test_fit_transform_of_a_precomputed_kernel(iris, weighted):
    weight = np.random.default_rng(0).integers(0, 3, len(iris)) if weighted else None
    gram = rbf_kernel(iris)
    model = Kauri(4, kernel="precomputed", max_leaf_nodes=None)
    distances = model.fit_transform(iris, gram=gram, sample_weight=weight)
    close(distances, by_definition(gram, gram, np.diagonal(gram), model.labels_, weight))


@pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf"])
def test_fit_transform_is_fit_then_transform(iris, kernel):
    model = Kauri(4, kernel=kernel, keep_training_data=True, max_leaf_nodes=None)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(iris))
    close(
        model.fit_transform(iris, sample_weight=weight),
        model.fit(iris, sample_weight=weight).transform(iris),
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_data_far_from_the_origin(kernel):
    # Whole numbers over 64: the shift itself loses no digits.
    X = np.round(make_blobs(100, 3, random_state=0)[0] * 64) / 64
    near = Kauri(4, kernel=kernel, keep_training_data=True, max_leaf_nodes=None).fit(X)
    far = Kauri(4, kernel=kernel, keep_training_data=True, max_leaf_nodes=None).fit(X + 1e6)
    np.testing.assert_array_equal(far.labels_, near.labels_)
    np.testing.assert_allclose(far.transform(X + 1e6), near.transform(X), rtol=1e-7, atol=1e-7)


def test_linear_distances_are_those_to_the_means(iris):
    model = Kauri(3, max_leaf_nodes=None).fit(iris)
    for k, column in enumerate(model.transform(iris).T):
        centre = iris[model.labels_ == k].mean(axis=0)
        np.testing.assert_allclose(column, np.linalg.norm(iris - centre, axis=1), atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "laplacian"])
def test_a_row_that_is_a_cluster_is_at_no_distance_from_it(kernel):
    X = np.random.default_rng(0).normal(size=(8, 3))
    model = Kauri(8, kernel=kernel, keep_training_data=True, max_leaf_nodes=None).fit(X)
    assert model.n_clusters_ == 8
    own = model.transform(X)[np.arange(8), model.labels_]
    np.testing.assert_allclose(own, 0, atol=1e-9)


def test_float32_rows(iris):
    model = Kauri(3, kernel="rbf", keep_training_data=True, max_leaf_nodes=None).fit(iris)
    rows = iris.astype(np.float32)
    close(model.transform(rows), model.transform(rows.astype(np.float64)))


def test_rows_do_not_depend_on_one_another(iris):
    model = Kauri(3, kernel="rbf", keep_training_data=True, max_leaf_nodes=None).fit(iris)
    every = model.transform(iris)
    close(np.vstack([model.transform(row[None]) for row in iris[:20]]), every[:20])


def test_fitted_rows_are_a_copy():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = Kauri(3, kernel="rbf", keep_training_data=True, max_leaf_nodes=None).fit(X)
    rows = X.copy()
    before = model.transform(rows)
    X[:] = 0
    np.testing.assert_array_equal(model.transform(rows), before)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "sigmoid", "chi2", cubed])
def test_says_what_to_do_without_training_rows(iris, kernel):
    model = Kauri(3, kernel=kernel, max_leaf_nodes=None).fit(iris[::3])
    with pytest.raises(
        ValueError, match=r"(?s)^transform with kernel=.* fit with keep_training_data=True"
    ):
        model.transform(iris)
    assert model.predict(iris).shape == (150,)


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_no_training_rows_needed(iris, kernel):
    assert Kauri(3, kernel=kernel, max_leaf_nodes=None).fit(iris).transform(iris).shape == (150, 3)


class TestPrecomputedErrors:
    @pytest.fixture
    def model(self, iris):
        return Kauri(3, kernel="precomputed", max_leaf_nodes=None).fit(iris, gram=rbf_kernel(iris))

    @pytest.mark.parametrize("given", [{}, {"gram": 0}, {"gram_diagonal": 1}])
    def test_missing(self, model, iris, given):
        values = [rbf_kernel(iris), np.ones(150)]
        given = {name: values[place] for name, place in given.items()}
        with pytest.raises(ValueError, match=r"needs transform\(X, gram=K, gram_diagonal=k\)"):
            model.transform(iris, **given)

    @pytest.mark.parametrize(
        ("cross", "diagonal"), [((150, 149), 150), ((149, 150), 150), ((150, 150), 149)]
    )
    def test_wrong_shape(self, model, iris, cross, diagonal):
        with pytest.raises(ValueError, match=r"gram(_diagonal)? must have shape \(150,"):
            model.transform(iris, gram=np.ones(cross), gram_diagonal=np.ones(diagonal))

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_not_finite(self, model, iris, value):
        cross, diagonal = rbf_kernel(iris), np.ones(150)
        with pytest.raises(ValueError, match="gram_diagonal contains"):
            model.transform(iris, gram=cross, gram_diagonal=np.full(150, value))
        cross[3, 4] = value
        with pytest.raises(ValueError, match="gram contains"):
            model.transform(iris, gram=cross, gram_diagonal=diagonal)


def test_a_gram_with_another_kernel_is_an_error(iris):
    model = Kauri(3, max_leaf_nodes=None).fit(iris)
    with pytest.raises(ValueError, match="gram"):
        model.transform(iris, gram=iris @ iris.T)


def test_fit_transform_says_no_before_it_fits():
    model = Kauri(2, kernel="rbf", max_leaf_nodes=None)
    with pytest.raises(ValueError, match="keep_training_data=True"):
        model.fit_transform(np.arange(12.0).reshape(6, 2))
    assert not hasattr(model, "tree_")


def test_rows_cannot_be_asked_for_afterwards():
    X = np.arange(12.0).reshape(6, 2)
    model = Kauri(2, kernel="rbf", max_leaf_nodes=None).fit(X).set_params(keep_training_data=True)
    with pytest.raises(ValueError, match="keep_training_data=True"):
        model.transform(X)
