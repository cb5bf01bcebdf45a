"""What a user's editor is told: the types that the most used calls give. Read by mypy and pyright.

Nothing here runs: ``make lint`` reads it, and a call that gives ``Any`` is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.pipeline import Pipeline

import agathis
from agathis import Kauri, KernelKMeans, Tree, baselines, datasets, export

if TYPE_CHECKING:
    from typing_extensions import assert_type


def types(X: np.ndarray, path: Path) -> None:
    """Ask for the type of each call."""
    model = Kauri(3, max_leaf_nodes=None).fit(X)
    assert_type(model, Kauri)
    assert_type(model.tree_, Tree)
    assert_type(model.n_leaves_, int)
    assert_type(model.objective_, float)
    assert_type(model.predict(X), np.ndarray)
    assert_type(model.labels_, np.ndarray)
    assert_type(model.fit_predict(X), np.ndarray)
    assert_type(KernelKMeans(3).fit(X), KernelKMeans)
    assert_type(baselines.IMM(3).fit(X), baselines.IMM)
    assert_type(baselines.KMeansTree(3, max_leaf_nodes=None).fit(X), baselines.KMeansTree)
    assert_type(agathis.refine(model, X), Kauri)
    assert_type(agathis.fit_file(path, 3), Kauri)
    assert_type(agathis.fit_table(X, 3), Pipeline)

    assert_type(export.to_json(model), str)
    assert_type(export.to_json(model, path), None)
    assert_type(export.from_json(path), export.FittedModel)
    assert_type(export.from_json(path).predict(X), np.ndarray)
    assert_type(export.to_sql(model), str)
    assert_type(export.to_text(model), str)

    assert_type(datasets.make_atom(), tuple[np.ndarray, np.ndarray])
