"""Write the dict of ``_page_data`` as one HTML file.

Strings reach the page in two ways: through the template, which escapes them, or as JSON in an
element that is not executed, from which the scripts create text nodes. The content security policy
of the page allows it to load nothing and to run only its own style and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._trees.tree import Tree
from agathis._utils.extras import needed
from agathis._utils.files import target_of, write_atomic
from agathis.dask._sampled_rows import as_local, sampled_rows
from agathis.report._figures import (
    again,
    buys,
    decimals,
    figure,
    how_far_apart,
    percent,
    steps,
    times,
)
from agathis.report._page_data import summarise

# In order: later ones use the definitions of earlier ones.
SCRIPTS = (
    "_dom.js", "_names.js", "_charts.js", "_panel.js", "_layout.js", "_tree.js", "_picture.js",
    "_lookup.js", "_main.js",
)  # fmt: skip


def write(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    path: str | os.PathLike[str],
    y: ArrayLike | None = None,
    cluster_names: Sequence[str] | None = None,
    **options: Any,
) -> None:
    """Write a report of a tree and its clusters: one self-contained HTML file.

    It shows the rule of each cluster, an interactive tree, metrics and provenance, small histograms
    of each column, a scatter plot, the explained variance of trees with more leaves, the tree as
    SQL and Python, and the path of each row. Clusters can be renamed there. It works offline in any
    recent browser, and prints.

    **Privacy.** Without ``rows=True`` no row of X is in the file: it holds counts, means,
    quartiles, histograms with round edges, bins of the scatter plot, and the leaf of each row.
    Means, quartiles and classes of groups of fewer than 5 rows are left out. The page says so.
    This is a summary, not an anonymised data set, as a bin may hold a single row. With
    ``rows=True`` the file holds the entire table, the scatter plot shows points, and the path of a
    row its values.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator of the package, a pipeline of scalers and one, the result of
        :func:`agathis.export.from_json`, or a tree itself.
    X : array-like of shape (n_samples, n_features)
        The rows to describe, usually the training rows; with a scaler, from before scaling. They
        are numbered by their position, from 0, whatever the index of a data frame. Missing values
        are accepted if ``predict`` accepts them. Of a Dask collection 50,000 rows are sampled at
        random, and the page says so.
    path : str or PathLike
        The file, which is replaced.
    y, cluster_names, **options
        As for :func:`agathis.report.summarise`: ``title``, ``ids``, ``show``, ``rows`` and others.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri, report
    >>> iris = load_iris(as_frame=True)
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=4).fit(iris.data)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.html")
    ...     report.write(model, iris.data, path, title="Iris")
    ...     with open(path, encoding="utf-8") as file:
    ...         print(repr(file.readline()))
    '<!doctype html>\\n'
    """
    path = target_of(path)
    _jinja2()
    sampled = sampled_rows(X, {"y": y, "ids": options.get("ids"), "show": options.get("show")})
    options["provenance"] = sampled.provenance(options.get("provenance"))
    summary = summarise(as_local(model), sampled.rows, y, cluster_names, **options)
    # A name may contain a lone surrogate, which UTF-8 cannot encode.
    write_atomic(path, render(summary).encode("utf-8", "xmlcharrefreplace"))


def page_of(template: str, summary: Mapping[str, object], **more: object) -> str:
    """Return a page with the style of reports."""
    environment = _environment(_jinja2())
    style = environment.get_template("_style.css").render(summary)
    return environment.get_template(template).render(
        summary, style=style, style_hash=_hash(style), **more
    )


def render(summary: Mapping[str, object]) -> str:
    """Return the page of the result of :func:`summarise`."""
    script = "(() => {\n'use strict';\n" + "\n".join(map(_file, SCRIPTS)) + "})();\n"
    more = {"script": script, "script_hash": _hash(script), "data": as_data(summary)}
    return page_of("_page.html.j2", summary, **more)


@cache
def _environment(jinja2: ModuleType) -> Any:
    """The templates; compiling them takes as long as the rest of a small page."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        number=figure,
        percent=percent,
        times=times,
        decimals=decimals,
        how_far_apart=how_far_apart,
        again=again,
        buys=buys,
        steps=steps,
    )
    return environment


def as_data(summary: object) -> str:
    """Return ASCII JSON that cannot close the element around it.

    >>> as_data("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    content = json.dumps(summary, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        content = content.replace(sign, f"\\u{ord(sign):04x}")
    return content


def _hash(source: str) -> str:
    """The hash of a style or script in the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode("ascii")


def _file(name: str) -> str:
    return files("agathis.report").joinpath(name).read_text(encoding="utf-8")


def _jinja2() -> ModuleType:
    return needed("jinja2", "report", "a report")
