"""What a notebook shows of a model: tree and rules beside scikit-learn's box, all of it escaped."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
import sklearn
from helpers.plot_trees import MODELS
from sklearn.base import clone
from sklearn.utils import estimator_html_repr

from agathis import Kauri
from agathis._model.conversion import fitted_model
from agathis._rules.described_tree import describe
from agathis.export import from_json, to_json, to_rules

EVIL = "<script>alert('x')</script>&\"]]>"


@pytest.mark.parametrize("name", MODELS)
def test_every_method_shows_its_tree_and_rules(name, blobs):
    X, _ = blobs
    model = clone(MODELS[name])
    assert model._repr_mimebundle_()["text/html"].count("<svg") == (
        estimator_html_repr(model).count("<svg")
    )
    model.fit(X)
    for each in (model, from_json(to_json(model))):
        page = each._repr_mimebundle_()["text/html"]
        assert page.count("The tree") == 1
        for rule in to_rules(each):
            assert rule["rule"].replace("<", "&lt;").replace(">", "&gt;") in page
        assert "sk-container" in page
        assert each._repr_html_().count('role="img"') == 1
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(model, "_repr_html_")


def test_names_are_escaped():
    table = pd.DataFrame({EVIL: [0.0, 1.0, 5.0, 9.0], "b": [1.0, 2.0, 3.0, 4.0]})
    text = to_json(Kauri(2, max_leaf_nodes=None).fit(table), cluster_names=[EVIL, "b"])
    page = from_json(text)._repr_html_()
    assert EVIL not in page
    ours = page[: page.index("sk-container")]
    assert "<script" not in ours.split("</table>")[0]


def test_each_node_is_a_line():
    X = np.random.default_rng(0).normal(size=(300, 3))
    for leaves in (2, 8, 24):
        model = fitted_model(Kauri(2, max_leaf_nodes=leaves).fit(X), feature_names=[EVIL, "b", "c"])
        root = ET.fromstring(re.search(r"<pre.*?</pre>", model._repr_html_(), re.DOTALL)[0])
        lines = "".join(root.itertext()).splitlines()
        assert len(lines) == model.tree_.node_count - 1
        assert len(root.findall("b")) == model.n_leaves_
        assert all(line in " ".join(lines) for line in described_conditions(model))


def described_conditions(model):
    return {node.condition for node in describe(model).nodes()}


def test_large_trees_are_cut():
    X = np.random.default_rng(0).normal(size=(400, 3))
    page = Kauri(8, max_leaf_nodes=120).fit(X)._repr_html_()
    assert "The upper part of the tree" in page
    assert re.search(r", \d+ leaves", page)
    assert page[: page.index("</pre>")].count("\n") < 60


@pytest.mark.slow
def test_nothing_is_imported_before_it_is_displayed():
    code = (
        "import sys, agathis; agathis.Kauri(2).fit([[0.0], [9.0]]);"
        "assert 'agathis._rules.rules' not in sys.modules, 'rules';"
        "assert 'matplotlib' not in sys.modules and 'jinja2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
