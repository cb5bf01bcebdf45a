"""What the page says about a tree that explains labels."""

import numpy as np
from sklearn.datasets import load_iris

from agathis import explain
from agathis.report import summarise, write


def test_agreement_instead_of_clustering_scores(tmp_path):
    data = load_iris(as_frame=True)
    labels = data.target_names[data.target].astype(object)
    labels[0] = "<b>"
    model = explain(data.data, labels, random_state=0)
    summary = summarise(model, data.data)
    shown = summary["agreement"]["labels"]
    assert [each["label"] for each in shown] == model.classes_.tolist()
    assert summary["agreement"]["summary"] == model.agreement.summary()
    assert summary["quality"]["explained"] is None
    assert summary["quality"]["silhouette"] is None
    write(model, data.data, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert model.agreement.summary() in page
    assert "Explains the labels" not in page.replace(model.agreement.summary(), "")
    # One row has the label without a rule: the page does not name it.
    assert "&lt;b&gt;" not in page
    assert "No rule predicts a label" in page or model.n_clusters_ == 4


def test_other_models_have_none():
    from agathis import Kauri

    X = np.arange(8.0)[:, None]
    assert summarise(Kauri(2).fit(X), X)["agreement"] is None
