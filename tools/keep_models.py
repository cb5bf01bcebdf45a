"""``python tools/keep_models.py``: model files of this version, which all later ones must read.

Run once for each release; what is there is never written again. For each version of the format a
tree, the rows that it was grown from and the cluster and leaf of each: ``tests/export/models``.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import agathis
from agathis import Kauri
from agathis.export import from_json, to_json

FOLDER = Path(__file__).parent.parent / "tests" / "export" / "models"


def plain():
    """Version 1 of the format: a column and a threshold a split."""
    iris = load_iris()
    model = Kauri(3, max_leaf_nodes=5).fit(iris.data)
    return to_json(model, feature_names=iris.feature_names, cluster_names=list("abc")), iris.data


def categories():
    """Version 2: splits on several categories of a source."""
    kind = np.arange(60) % 6
    hot = (kind[:, None] == np.arange(6)).astype(float)
    X = np.column_stack([hot, kind // 2 * 3.0 + np.arange(60) % 7 / 10])
    names = [*(f"kind_{i}" for i in range(6)), "size"]
    model = Kauri(3, max_leaf_nodes=4, one_hot={"kind": list(range(6))}, split_features=range(6))
    one_hot = {"kind": {name: name[-1] for name in names[:6]}}
    return to_json(model.fit(X), feature_names=names, one_hot=one_hot), X


def steps():
    """Version 3: sums of columns, each with what a scaler does to it."""
    X = load_iris().data[:, :2]
    model = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=4, split="pair")).fit(X)
    return to_json(model, feature_names=["length", "width"]), X


def main():
    FOLDER.mkdir(exist_ok=True)
    for number, make in enumerate((plain, categories, steps), 1):
        text, X = make()
        path = FOLDER / f"agathis-{agathis.__version__}-format-{number}.json"
        if path.exists():
            print(f"{path.name} is there already")
            continue
        data, model = json.loads(text), from_json(text)
        if data["version"] != number:
            raise SystemExit(f"{path.name} would be of format {data['version']}")
        kept = {"model": data, "rows": X.tolist(), "clusters": model.predict(X).tolist()}
        path.write_text(json.dumps({**kept, "leaves": model.apply(X).tolist()}) + "\n", "utf-8")
        print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
