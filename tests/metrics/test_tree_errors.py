"""What the metrics of trees say of wrong arguments."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from agathis import Kauri
from agathis.metrics import (
    explanation_table,
    weighted_average_depth,
    weighted_average_explanation_size,
)

FUNCTIONS = [weighted_average_depth, weighted_average_explanation_size, explanation_table]


@pytest.mark.parametrize("function", FUNCTIONS)
class TestErrors:
    def test_models(self, function, iris):
        reduced = make_pipeline(PCA(2), Kauri(2, max_leaf_nodes=None)).fit(iris)
        with pytest.raises(
            TypeError, match=r"model\['pca'\] must be a fitted step that can be inverted"
        ):
            function(reduced, iris)
        with pytest.raises(NotFittedError, match="not fitted"):
            function(Kauri(2, max_leaf_nodes=None), iris)
        for thing in (None, "tree", np.zeros(3)):
            with pytest.raises(TypeError):
                function(thing, iris)
        other = DecisionTreeClassifier().fit(iris, iris[:, 0] > 5)
        with pytest.raises(TypeError, match=r"model must be .* DecisionTreeClassifier"):
            function(other, iris)

    def test_rows(self, function, iris):
        model = Kauri(2, max_leaf_nodes=None).fit(iris)
        for given_model in (model, model.tree_):
            with pytest.raises(ValueError, match=r"0 sample"):
                function(given_model, iris[:0])
            with pytest.raises(ValueError, match=r"X"):
                function(given_model, iris[:, :3])
            with pytest.raises(ValueError, match=r"X must be numeric"):
                function(given_model, [["a"] * 4])
        with pytest.raises(ValueError, match=r"X contains NaN"):
            function(model, np.full((1, 4), np.nan))

    def test_weights(self, function, iris):
        model = Kauri(2, max_leaf_nodes=None).fit(iris)
        with pytest.raises(ValueError, match="sample_weight must have shape"):
            function(model, iris, sample_weight=[1.0, 2.0])
        with pytest.raises(ValueError, match="sample_weight is zero for every row"):
            function(model, iris, sample_weight=np.zeros(150))
        with pytest.raises(ValueError, match="sample_weight goes with X"):
            function(model, sample_weight=np.ones(150))
