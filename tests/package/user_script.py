"""What a user writes: every public name once, in a script that mypy reads in full strictness.

``test_user_script.py`` runs it, but for what takes minutes or a download.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline

import agathis
from agathis import (
    Kauri,
    KernelKMeans,
    TableEncoder,
    Tree,
    baselines,
    compare,
    dask,
    datasets,
    evidence,
    explain,
    export,
    fit_file,
    fit_table,
    metrics,
    plot,
    refine,
    report,
    suggest,
)

iris = load_iris()
X: np.ndarray = iris.data
y: np.ndarray = iris.target
names: list[str] = list(iris.feature_names)


def estimators() -> None:
    """Grow trees, and ask them."""
    model: Kauri = Kauri(n_clusters=3, max_leaf_nodes=4, random_state=0).fit(X)
    labels: np.ndarray = model.predict(X)
    leaves: np.ndarray = model.apply(X)
    distances: np.ndarray = model.transform(X)
    tree: Tree = model.tree_
    again: Tree = Tree.from_dict(tree.to_dict())
    value: float = model.score(X) - model.objective_
    depth: int = model.get_depth() + model.get_n_leaves()
    engine: str = model.engine_
    centres: KernelKMeans = KernelKMeans(n_clusters=3, random_state=0).fit(X)
    print(
        labels.shape, leaves.shape, distances.shape, again, value, depth, engine, centres.inertia_
    )
    print(agathis.__version__)


def others() -> None:
    """The other trees."""
    for rival in (
        baselines.KMeansTree(3, random_state=0, max_leaf_nodes=None),
        baselines.IMM(3, random_state=0),
        baselines.ExKMC(3, random_state=0),
        baselines.ExShallow(3, random_state=0),
        baselines.RDM(3, random_state=0),
        baselines.ICOT(3, random_state=0),
    ):
        tree: Tree = rival.fit(X).tree_
        print(type(rival).__name__, tree.n_leaves)
    better: Kauri = refine(baselines.IMM(3, random_state=0).fit(X), X)
    gap: float = metrics.optimality_gap(better, X).gap
    print(better.search_path_[-1].move, gap)


def side_by_side() -> None:
    """Which method, and how many groups."""
    table = compare(X, y, n_clusters=3, n_runs=1, random_state=0)
    print(table)
    found = suggest(X)
    print(found)
    rules: str = str(explain(X, y, random_state=0).rules())
    print(rules, evidence(Kauri(found.n_clusters).fit(X), X, random_state=0).pvalue)


def numbers() -> None:
    """Measure a tree."""
    model = Kauri(3, max_leaf_nodes=3).fit(X)
    table = metrics.explanation_table(model, feature_names=names)
    print(table)
    values: list[float] = [
        metrics.kernel_kmeans_score(X, model.labels_),
        metrics.relative_kmeans_score(X, model.labels_, random_state=0),
        metrics.mmd_gemini(X, model.labels_),
        metrics.unsupervised_accuracy(y, model.labels_),
        metrics.weighted_average_depth(model),
        metrics.weighted_average_explanation_size(model),
    ]
    print(values)


def other_forms(folder: Path) -> None:
    """The tree for people and for machines."""
    model = Kauri(3, max_leaf_nodes=3).fit(X)
    texts: list[str] = [
        export.to_text(model, feature_names=names),
        str(export.to_rules(model, feature_names=names)),
        export.to_sql(model, feature_names=names),
        export.to_python(model, feature_names=names),
        export.to_dot(model, feature_names=names),
        export.to_json(model, feature_names=names),
    ]
    loaded: export.FittedModel = export.from_json(texts[-1])
    onnx: bytes = export.to_onnx(model)
    named: export.FittedModel = export.renamed(loaded, {0: "first"})
    print(loaded.predict(X[:2]), export.to_sklearn(model), len(onnx), named.cluster_names_)
    (folder / "rules.txt").write_text("\n".join(texts), encoding="utf-8")


def pictures() -> None:
    """Pictures, and the plain data behind them."""
    model = Kauri(3, max_leaf_nodes=3).fit(X)
    plot.plot_tree(model)
    plot.plot_clusters(model, X)
    plot.plot_profile(model, X)
    plot.plot_gains(model)
    print(plot.layout_tree(model), plot.cluster_points(model, X), plot.cluster_profile(model, X))
    print(plot.gain_curve(model), plot.cluster_style(3))


def pages(folder: Path) -> None:
    """A page about a tree."""
    model = Kauri(3, max_leaf_nodes=3).fit(X)
    report.write(model, X, folder / "report.html", cluster_names=["a", "b", "c"])
    summary: dict[str, object] = report.summarise(model, X)
    print(sorted(summary))


def files(folder: Path) -> None:
    """A table in a file."""
    path = folder / "rows.csv"
    np.savetxt(path, X, delimiter=",", header="a,b,c,d", comments="")
    model: Kauri = fit_file(path, 3, max_leaf_nodes=4)
    print(model.n_leaves_)


def raw_tables() -> None:
    """A table as people have it."""
    table = pa.table({"size": X[:, 0], "kind": ["ab"[i % 2] for i in range(len(X))]})
    model: Pipeline = fit_table(table, 3, scale={"size": "log"}, weight="equal")
    print(export.to_rules(model, table))
    encoder = TableEncoder(keep=["size"]).fit(table)
    names: np.ndarray = encoder.get_feature_names_out()
    print(encoder.columns_, names)


def on_a_cluster() -> None:
    """Rows in partitions, which other machines may hold."""
    import dask.dataframe as dd
    from dask.distributed import Client

    table = pa.table({"size": X[:, 0], "kind": ["ab"[i % 2] for i in range(len(X))]}).to_pandas()
    rows = dd.from_pandas(table, npartitions=2)
    with Client(processes=False, n_workers=1, dashboard_address=":0"):
        encoder: dask.TableEncoder = dask.TableEncoder().fit(rows)
        model: dask.Kauri = dask.Kauri(3, max_leaf_nodes=4).fit(encoder.transform(rows))
        some = dask.sample_rows(rows, 10)
    local: Kauri = model.to_local()
    near: TableEncoder = encoder.to_local()
    labels: np.ndarray = local.predict(near.transform(some))
    print(labels.shape, near.get_feature_names_out())


def data() -> None:
    """Generated data sets."""
    for make in (
        datasets.make_atom,
        datasets.make_chainlink,
        datasets.make_engytime,
        datasets.make_hepta,
        datasets.make_imm,
        datasets.make_lsun,
        datasets.make_rotated_gaussians,
        datasets.make_target,
        datasets.make_tetra,
        datasets.make_two_diamonds,
        datasets.make_wing_nut,
    ):
        rows, groups = make(n_samples=60, random_state=0)
        print(rows.shape, groups.shape)
