"""Depths and sizes where splits are on sums of two columns."""

import numpy as np
import pytest
from helpers.models import SEEDS
from helpers.pair_trees import pair_builder, pair_model
from hypothesis import given

from agathis._trees.builder import TreeBuilder
from agathis.metrics import (
    explanation_table,
    weighted_average_depth,
    weighted_average_explanation_size,
)


class TestSums:
    """A cut of a sum of two columns counts for both."""

    def model(self, *cuts):
        X = np.random.default_rng(0).normal(size=(80, 3))
        builder = TreeBuilder()
        for node, terms, threshold in cuts:
            builder.cut(node, terms[0][0], threshold, terms=terms if len(terms) > 1 else ())
        for cluster, leaf in enumerate(i for i, c in enumerate(builder.children_left) if c < 0):
            builder.cluster[leaf] = cluster
        return pair_model(X, builder), X

    def test_one_cut(self):
        model, X = self.model((0, ((0, 1.0), (2, 0.43)), 0.1))
        assert weighted_average_depth(model, X) == 3
        assert weighted_average_explanation_size(model, X) == 2

    def test_a_plain_sum(self):
        """It is one of numbers: the model knows that it has no categories."""
        model, X = self.model((0, ((0, 1.0), (2, 1.0)), 0.5))
        assert weighted_average_explanation_size(model, X) == 2

    @given(SEEDS)
    def test_row_by_row(self, seed):
        random = np.random.default_rng(seed)
        X = random.normal(size=(30, 3))
        model = pair_model(X, pair_builder(random, X, 6))
        tree = model.tree_
        depth, size = [], []
        for path in tree.decision_path(X):
            asked, conditions = 0, set()
            for node in path.indices:
                if tree.is_leaf[node]:
                    continue
                terms = tree.terms(node)
                side = tree.children_left[node] in path.indices
                asked += len(terms) or 1
                for f in [f for f, _ in terms] or [tree.feature[node]]:
                    conditions.add((terms, f, side))
            depth.append(asked + 1)
            size.append(len(conditions))
        assert weighted_average_depth(model, X) == pytest.approx(np.mean(depth))
        assert weighted_average_explanation_size(model, X) == pytest.approx(np.mean(size))
        table = explanation_table(model, X)
        assert sum(row["share"] * row["depth"] for row in table) == pytest.approx(np.mean(depth))
