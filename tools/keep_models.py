"""``python tools/keep_models.py``: model files of this version, which all later ones must read.

Run once for each release; what is there is never written again: ``tests/export/models`` has a file
of every version of the format, with rows and the cluster and leaf of each.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

import agathis
from agathis import fit_table
from agathis.export import from_json, to_json

FOLDER = Path(__file__).parent.parent / "tests" / "export" / "models"


def table():
    """Categories, missing values, dates and a column that is left out."""
    random = np.random.default_rng(0)
    group = np.arange(80) % 3
    frame = pd.DataFrame(
        {
            "size": random.normal(size=80) + 6.0 * group,
            "weight": random.normal(size=80) - 4.0 * group,
            "kind": np.array(["red", "green", "blue", "none"])[(group + (random.random(80) < 0.1))],
            "code": [f"K-{i}" for i in range(80)],
        }
    )
    frame.loc[::9, "weight"] = None
    model = fit_table(frame, 3, scale={"size": "log", "weight": "rank"}, split="pair")
    return to_json(model, cluster_names=list("abc")), model[0].encode(frame).X


def main():
    FOLDER.mkdir(exist_ok=True)
    text, X = table()
    data, model = json.loads(text), from_json(text)
    path = FOLDER / f"agathis-{agathis.__version__}-format-{data['version']}.json"
    if path.exists():
        print(f"{path.name} is there already")
        return
    kept = {"model": data, "rows": X.tolist(), "clusters": model.predict(X).tolist()}
    path.write_text(json.dumps({**kept, "leaves": model.apply(X).tolist()}) + "\n", "utf-8")
    print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
