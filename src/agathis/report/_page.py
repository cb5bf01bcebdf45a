"""The dict of ``_summary`` as one HTML file.

Texts reach the page in two ways: written by the template, which escapes them, or as JSON in an
element that no browser runs, from which the scripts set them as text. The page carries a policy
that lets it load nothing and run only its own style and script, told by their hashes.
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
from agathis.report._wording import in_words

# In the order in which they are read: later ones use what earlier ones define.
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
    """Write a page about a tree and its clusters: one HTML file that asks for nothing else.

    It shows each cluster in words, the tree to fold and zoom, how good the clusters are and what
    they come from, each column as small distributions, the rows in the plane, what more leaves
    would buy, the tree as SQL and Python, and the path of each row. Clusters can be renamed there.
    It works from a mail or a stick, in any recent browser, and prints.

    **What is inside.** Without ``rows=True`` no row of X is in the file: counts, means, quartiles,
    histograms with round edges, bins of the plane, and for each row the number of its leaf. Of
    groups of fewer than 5 rows neither means, quartiles nor classes are told. The page says so.
    This keeps tables out of the file; it is no proof that nobody can be recognised, for a bin may
    hold a single row. With ``rows=True`` the whole table is inside, the plane shows points, and
    the path of a row shows its values.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator of the package, a pipeline of scalers and one, what
        :func:`agathis.export.from_json` gave, or a tree itself.
    X : array-like of shape (n_samples, n_features)
        The rows to tell of, in the units that people know: with a scaler, from before scaling.
        Mostly the training rows. They are numbered by their position, from 0, whatever index a
        data frame has. Missing values are taken where ``predict`` takes them. Of a collection of
        Dask a sample of 50,000 rows is shown, and the page says so.
    path : str or PathLike
        The file, which is replaced as a whole.
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
    shown = sampled_rows(X, {"y": y, "ids": options.get("ids"), "show": options.get("show")})
    options["provenance"] = shown.provenance(options.get("provenance"))
    summary = summarise(as_local(model), shown.rows, y, cluster_names, **options)
    # A name may hold half a character, which no encoding has; a browser shows a sign for it.
    write_atomic(path, render(summary).encode("utf-8", "xmlcharrefreplace"))


def render(summary: Mapping[str, object]) -> str:
    """The page of a dict that :func:`summarise` gave."""
    environment = _environment(_jinja2())
    style = environment.get_template("_style.css").render(summary)
    script = "(() => {\n'use strict';\n" + "\n".join(map(_file, SCRIPTS)) + "})();\n"
    return environment.get_template("_page.html.j2").render(
        summary,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=as_data(summary),
    )


@cache
def _environment(jinja2: ModuleType) -> Any:
    """The templates, compiled once a process: that takes as long as the rest of a small page."""
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
        words=in_words,
        times=times,
        decimals=decimals,
        how_far_apart=how_far_apart,
        again=again,
        buys=buys,
        steps=steps,
    )
    return environment


def as_data(summary: object) -> str:
    """JSON that cannot end the element that it stands in, in ASCII.

    >>> as_data("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(summary, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _hash(text: str) -> str:
    """A source of the policy: this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _file(name: str) -> str:
    return files("agathis.report").joinpath(name).read_text(encoding="utf-8")


def _jinja2() -> ModuleType:
    return needed("jinja2", "report", "a report")
