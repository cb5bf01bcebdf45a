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
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from types import ModuleType
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._support.extras import needed
from agathis._support.files import target_of, write_whole
from agathis._support.numbers import number
from agathis._trees.tree import Tree
from agathis.report._summary import summarise
from agathis.report._wording import in_words

# In the order in which they are read: later ones use what earlier ones define.
SCRIPTS = ("_dom.js", "_charts.js", "_panel.js", "_layout.js", "_tree.js", "_lookup.js", "_main.js")


def write(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    path: str | os.PathLike[str],
    y: ArrayLike | None = None,
    cluster_names: Sequence[str] | None = None,
    *,
    title: str | None = None,
    rows: bool = False,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    digits: int = 4,
) -> None:
    """Write a page about a tree and its clusters: one HTML file that asks for nothing else.

    It shows each cluster in words, the tree to fold and zoom, profiles, the rows in the plane,
    the objective, the tree as SQL and Python, and the path of each row by its position. It works
    from a mail or a stick, in any recent browser, and prints.

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
        data frame has. Missing values are taken where ``predict`` takes them.
    path : str or PathLike
        The file, which is replaced as a whole.
    y : array-like of shape (n_samples,), optional
        Classes of the rows, where they are known: the page then shows their mix in each cluster
        and node.
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    title : str, optional
        What stands on top.
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
    summary = summarise(
        model,
        X,
        y,
        cluster_names,
        title=title,
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
    environment = _jinja2().Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters.update(number=figure, percent=percent, words=in_words, level=level)
    style = environment.from_string(_file("_style.css")).render(summary)
    script = "(() => {\n'use strict';\n" + "\n".join(map(_file, SCRIPTS)) + "})();\n"
    return environment.from_string(_file("_page.html.j2")).render(
        summary,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=as_data(summary),
    )


def as_data(summary: object) -> str:
    """JSON that cannot end the element that it stands in, in ASCII.

    >>> as_data("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(summary, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def figure(value: float | None) -> str:
    """A number for reading.

    >>> figure(12345.678), figure(0.5), figure(None) == "\\u2013", figure(-0.25) == "\\u22120.25"
    ('12,350', '0.5', True, True)
    """
    if value is None:
        return "\u2013"
    short = float(number(value, 4)) if abs(value) < 1e4 else float(f"{value:.4g}")
    text = f"{short:,.10g}" if 1e-4 <= abs(short) < 1e15 or short == 0 else f"{short:g}"
    return text.replace("-", "\u2212")


def percent(share: float) -> str:
    """A share for reading.

    >>> percent(0.4237), percent(0.305), percent(0.0042), percent(0.00001)
    ('42\\xa0%', '31\\xa0%', '0.4\\xa0%', '< 0.1\\xa0%')
    """
    if 0 < share < 0.0005:
        return "< 0.1\u00a0%"
    # Half up, as browsers do: the scripts of the page write shares too.
    step = Decimal("0.1" if 0 < share < 0.0995 else "1")
    return f"{Decimal(100 * share).quantize(step, ROUND_HALF_UP)}\u00a0%"


def level(apart: float | None) -> str:
    """The class of a cell of the profile: from ``z-8`` to ``z8``, full at two deviations.

    >>> level(0.26), level(-9.0), level(None)
    ('z1', 'z-8', 'zx')
    """
    return "zx" if apart is None else f"z{max(-8, min(8, round(4 * apart)))}"


def _hash(text: str) -> str:
    """A source of the policy: this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _file(name: str) -> str:
    return files("agathis.report").joinpath(name).read_text(encoding="utf-8")


def _jinja2() -> ModuleType:
    return needed("jinja2", "report", "a report")
