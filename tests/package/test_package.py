"""The package as installed: its names, version, types, and the examples in its docstrings."""

import doctest
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import agathis

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ["agathis", *(m.name for m in pkgutil.walk_packages(agathis.__path__, "agathis."))]
)


def run(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_version_to_cite():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    assert cited.group(1) == agathis.__version__


def test_version_of_the_installed_package():
    assert importlib.metadata.version("agathis") == agathis.__version__


def test_names():
    classes = ["Kauri", "KernelKMeans", "TableEncoder", "Tree"]
    classes += ["compare", "evidence", "explain", "fit_file", "fit_table", "refine", "suggest"]
    parts = ["dask", "datasets", "export", "metrics", "plot", "report", "baselines"]
    assert dir(agathis) == sorted(classes + parts)
    assert sorted(agathis.__all__) == sorted([*classes, "__version__"])
    for name in dir(agathis):
        assert getattr(agathis, name) is not None


@pytest.mark.parametrize("part", ["dask", "datasets", "export", "plot", "report", "baselines"])
def test_names_of_a_part(part):
    module = getattr(agathis, part)
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert callable(getattr(module, name))
    with pytest.raises(AttributeError, match=f"module 'agathis.{part}' has no attribute 'nothing'"):
        _ = module.nothing


def test_star_import():
    names = {}
    exec("from agathis import *", names)
    assert names["Kauri"] is agathis.Kauri
    assert names["Tree"] is agathis.Tree


def test_unknown_name():
    with pytest.raises(AttributeError, match="module 'agathis' has no attribute 'Kaurie'"):
        agathis.Kaurie  # noqa: B018


def test_import_is_lazy():
    imported = run("import agathis, sys; print(*sys.modules)").split()
    assert "agathis" in imported
    assert {"sklearn", "scipy", "numpy", "agathis._kauri"}.isdisjoint(imported)


@pytest.mark.slow
def test_first_name_imports_what_it_needs():
    assert run("import agathis; print(agathis.Kauri(3))") == "Kauri(n_clusters=3)"


def test_optional_packages_are_not_imported():
    code = (
        "import sys; from agathis import Kauri; Kauri(2).fit([[0.0], [1.0]]); print(*sys.modules)"
    )
    imported = run(code).split()
    assert "sklearn" in imported
    assert {"gemclus", "polars", "matplotlib", "hypothesis"}.isdisjoint(imported)


def test_is_typed():
    assert importlib.resources.files("agathis").joinpath("py.typed").is_file()


def test_public_signatures_are_annotated():
    from inspect import signature

    from agathis import export

    writers = [getattr(export, name) for name in export.__all__ if name != "FittedModel"]
    methods = ["fit", "predict", "apply", "decision_path", "score", "transform", "__init__"]
    parts = (agathis.plot, agathis.datasets, agathis.report)
    functions = [*writers, *(getattr(part, name) for part in parts for name in part.__all__)]
    functions += [
        agathis.compare,
        agathis.fit_file,
        agathis.fit_table,
        agathis.refine,
        agathis.suggest,
    ]
    for function in [*functions, *(getattr(agathis.Kauri, name) for name in methods)]:
        given = signature(function)
        assert given.return_annotation is not given.empty, function
        for name, parameter in given.parameters.items():
            assert name == "self" or parameter.annotation is not parameter.empty, (function, name)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_is_importable_and_says_what_it_is(name):
    module = importlib.import_module(name)
    if not name.startswith("agathis._core."):  # compiled: their heads are comments
        assert module.__doc__


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize(
    "name",
    [
        "agathis",
        "agathis:compare",
        "agathis:fit_table",
        "agathis:suggest",
        "agathis._kauri.Kauri",
        "agathis._kernel_kmeans.KernelKMeans",
        "agathis.baselines._kmeans_tree.KMeansTree",
        *(f"agathis.plot:{name}" for name in agathis.plot.__all__),
        *(f"agathis.export:{name}" for name in agathis.export.__all__),
        *(f"agathis.datasets:{name}" for name in agathis.datasets.__all__),
        *(f"agathis.report:{name}" for name in agathis.report.__all__),
    ],
)
def test_public_docstrings_have_an_example(name):
    thing = pkgutil.resolve_name(name)
    assert ">>>" in thing.__doc__


@pytest.mark.parametrize("name", ["Kauri", "KernelKMeans", "baselines:KMeansTree"])
def test_every_parameter_and_attribute_is_documented(name):
    from sklearn.datasets import load_iris

    home, _, own = name.rpartition(":")
    estimator = getattr(importlib.import_module(f"agathis.{home}".rstrip(".")), own)
    model = estimator(3).fit(load_iris(as_frame=True).data)
    text = inspect.getdoc(estimator)
    for name in model.get_params():
        assert re.search(rf"^{name} : ", text, re.M), name
    public = [n for n in vars(model) if n.endswith("_") and not n.startswith("_")]
    if hasattr(model, "feature_importances_"):
        public.append("feature_importances_")
    for name in public:
        assert re.search(rf"^{name} : ", text, re.M), name
