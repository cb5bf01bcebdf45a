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

from agathis._support.extras import needed
from agathis._support.files import target_of, write_whole
from agathis._trees.tree import Tree
from agathis.dask._shown import as_local, shown_rows
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
from agathis.report._summary import summarise
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
    *,
    title: str | None = None,
    target_name: str | None = None,
    ids: ArrayLike | None = None,
    id_name: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    fit_rows: ArrayLike | None = None,
    show: Any = None,
    rows: bool = False,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    digits: int = 4,
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
    y : array-like of shape (n_samples,), optional
        Classes of the rows, where they are known: the page then shows their mix in each cluster
        and node.
    cluster_names : sequence of str, optional
        By default short titles of what tells each from the others, such as "flipper > 206".
    title : str, optional
        What stands on top.
    target_name : str, optional
        What y is: the page says "67 % survived: yes". By default the name of y, where that is a
        column of a data frame.
    ids : array-like of shape (n_samples,), optional
        An identifier of each row, by which it is found on the page. Up to 5000 rows have theirs
        in the file, and the page says so.
    id_name : str, optional
        What the identifiers are; by default the name of ``ids``.
    provenance : mapping, optional
        Where the rows come from, for the page to tell: ``source``, ``rows_read``, ``rows_used``,
        ``rows_why`` (why some are not used), ``scaling`` in words, and ``columns``, a list of
        mappings with ``column``, ``kind``, ``became`` (what was made of it), ``why`` and ``used``
        (False where it was left out, None where it is only shown).
    fit_rows : array-like of shape (n_samples, n_columns), optional
        The rows as the method saw them, encoded and scaled. How good the clusters are, and the
        plane, is told of these. By default found by the scaler or the pipeline; of a tree from a
        file numbers are standardised.
    show : DataFrame of pandas or polars, or pyarrow.Table, optional
        Columns that the tree knows nothing of, with the rows of X: they are shown beside its own.
        By default those that :class:`agathis.TableEncoder` was told to show.
    rows : bool, default=False
        Whether the values of the rows, and their classes, are put into the file.
    scaler, feature_names, one_hot, value_names, digits : optional
        As for :func:`agathis.export.to_text`. By default features have the names of the data
        frame.

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
    by_row = {"y": y, "ids": ids, "fit_rows": fit_rows, "show": show}
    shown = shown_rows(X, by_row)
    summary = summarise(
        as_local(model),
        shown.rows,
        y,
        cluster_names,
        title=title,
        target_name=target_name,
        ids=ids,
        id_name=id_name,
        provenance=shown.provenance(provenance),
        fit_rows=fit_rows,
        show=show,
        rows=rows,
        scaler=scaler,
        feature_names=feature_names,
        one_hot=one_hot,
        value_names=value_names,
        digits=digits,
    )
    # A name may hold half a character, which no encoding has; a browser shows a sign for it.
    write_whole(path, render(summary).encode("utf-8", "xmlcharrefreplace"))


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
