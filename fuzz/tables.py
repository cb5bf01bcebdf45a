"""Random raw tables from the fit to every way to predict: ``python fuzz/tables.py --seconds 60``.

A table with planted groups (``table_cases.py``) is clustered by ``fit_table``. On its rows, and on
new ones beside each threshold, with unseen categories and missing values, these have to give the
cluster of every row that the fitted pipeline gives: the model file read by ``from_json``; the
command ``agathis predict`` on a CSV and on a Parquet file; SQL in DuckDB and SQLite; the Python
export; and a reader of the model file that shares no code with the package (``json_model.py``). The
labels of the fit are those of ``predict``, a second fit gives the same model file, and ``agathis
fit`` the same tree. Where groups are planted far apart in all columns, the clusters are the groups.

Exports get what they document to take: SQL has typed columns and NULL, never the string NA; SQLite
gets no infinite numbers. What is refused by design is counted.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import files
import json_model
import table_cases
from table_cases import Column, cleaned, frame_of, new_rows

COUNTED: Counter[str] = Counter()
#: What the errors say with which a table may be refused.
REFUSALS = ("has no column left", "leaves no other column", "more than there are rows", "misses")
#: Clusters of clear groups must agree with them at least so well.
MIN_ARI = 0.999
make = table_cases.make_case

SQL_TYPES = {
    "float": "DOUBLE", "number text": "DOUBLE", "int": "BIGINT", "Int": "BIGINT",
    "codes": "BIGINT", "bool": "BOOLEAN", "boolean": "BOOLEAN", "date": "TIMESTAMP",
}  # fmt: skip


def check(case: dict[str, Any]) -> str | None:
    """What is wrong with the answers for a table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _check(case)


def _check(case: dict[str, Any]) -> str | None:
    from agathis import export, fit_table
    from agathis._columns.errors import BadTable

    frame = frame_of(case["columns"])
    try:
        model = fit_table(frame, n_jobs=1, **case["options"])
    except BadTable as error:
        expected = any(words in str(error) for words in REFUSALS)
        if case["clear"] or not expected:
            return f"fit_table refuses the table: {error}"
        COUNTED["fit: refused"] += 1
        return None
    try:
        text = export.to_json(model)
    except ValueError as error:
        if "stands in a sum" not in str(error):
            raise
        COUNTED["json: refused, a sum of logarithms or ranks"] += 1
        return None
    record = json.loads(text)
    COUNTED[f"{record['n_clusters']} clusters"] += 1
    wrong = _of_the_fit(case, frame, model, text)
    if wrong:
        return wrong
    for rows, columns in (("training", case["columns"]), ("new", new_rows(case, record))):
        if not columns[0]["values"]:
            continue
        expected = model.predict(frame_of(columns)).tolist()
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            for route, answer in ROUTES.items():
                found = answer(case, columns, model, text, folder)
                if found is None:
                    COUNTED[f"{route}: not defined"] += 1
                    continue
                if found != expected:
                    return (
                        f"{route} disagrees with predict: {_first(columns, expected, found, rows)}"
                    )
                COUNTED[f"{route}: {rows} rows"] += len(found)
    return None


def _first(columns: list[Column], expected: list[int], found: list[Any], rows: str) -> str:
    """The first row that differs."""
    if len(found) != len(expected):
        return f"{len(found)} answers for {len(expected)} {rows} rows"
    i = next(i for i, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1])
    row = {column["name"]: column["values"][i] for column in columns}
    return f"{found[i]!r} for {expected[i]!r} in {rows} row {i}, {row}"


def _of_the_fit(case: dict[str, Any], frame: Any, model: Any, text: str) -> str | None:
    """What is wrong with the labels, with a second fit and with that of the command."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score

    from agathis import export, fit_table

    options = case["options"]
    predicted, labels = model.predict(frame), model[-1].labels_
    used = np.ones(len(frame), dtype=bool)
    if options.get("missing") == "drop":
        used = ~np.isnan(model[0].encode(frame).X).any(axis=1)
    if predicted[used].tolist() != labels.tolist():
        return f"labels_ are not what predict gives: {predicted[used].tolist()}, {labels.tolist()}"
    if case["clear"]:
        score = adjusted_rand_score(case["group"], predicted)
        COUNTED["clear groups"] += 1
        if not score >= MIN_ARI:
            return f"the planted groups are not found: adjusted Rand index {score}"
    if case["twice"]:
        if export.to_json(fit_table(frame, n_jobs=1, **options)) != text:
            return "a second fit gives another model file: the same table and options"
        COUNTED["second fit"] += 1
    if case["fit_by_command"]:
        return _of_the_command(case, frame, predicted.tolist(), text)
    return None


def _of_the_command(
    case: dict[str, Any], frame: Any, predicted: list[int], text: str
) -> str | None:
    """What is wrong with the model of ``agathis fit``: it has the tree of ``fit_table``."""
    kind = case["fit_by_command"]
    if kind == "csv" and "categorical" in case["options"]:
        # The command reads such columns as text: categories in another order may break ties.
        COUNTED["agathis fit csv: not comparable"] += 1
        return None
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path, target = os.path.join(folder, f"t.{kind}"), os.path.join(folder, "m.json")
        more = _written(case, case["columns"], path)
        ended, said = files.run(["fit", path, *_arguments(case["options"]), *more, "-o", target])
        if ended not in (0, 4):  # 4: no groups could be shown
            return f"agathis fit of {kind} ended with {ended}: {said[-400:]}"
        written = json.loads(Path(target).read_text(encoding="utf-8"))
        record = json.loads(text)
        labels = _command(case, case["columns"], target, folder, kind)
    # The command writes sums of raw columns, and rounds thresholds of clipped columns further.
    if kind == "parquet" and "split" not in case["options"]:
        del written["rounded"]
        if case["options"].get("scale") not in ("minmax", "none"):
            del written["nodes"]["threshold"], record["nodes"]["threshold"]
        # Only the command knows the file that the rows are of.
        del written["provenance"]
        different = [key for key in written if written[key] != record.get(key)]
        if different:
            return f"agathis fit writes another model: {different}"
    if labels != predicted:
        return f"agathis fit of {kind} disagrees with fit_table: {predicted}, {labels}"
    COUNTED[f"agathis fit {kind}"] += 1
    return None


def _arguments(options: dict[str, Any]) -> list[str]:
    """Arguments of ``fit_table`` as those of the command."""
    named = {"n_clusters": "-k", "max_leaf_nodes": "--leaves", "min_samples_leaf": "--min-leaf"}
    named |= {"search_effort": "--search-effort", "random_state": "--seed"}
    out = ["--jobs", "1", "-q"]
    for key, value in options.items():
        name = named.get(key, "--" + key.replace("_", "-"))
        if key == "split":
            out.append("--pairs")
        elif isinstance(value, dict):
            out += [part for one, how in value.items() for part in (name, f"{one}={how}")]
        elif isinstance(value, list):
            out += [part for one in value for part in (name, one)]
        else:
            out += [name, str(value)]
    return out


def _written(case: dict[str, Any], columns: list[Column], path: str) -> list[str]:
    """Write a table as a file; the options to read it with."""
    frame = frame_of(columns)
    if path.endswith("parquet"):
        frame.to_parquet(path)
        return []
    separator = case["separator"]
    frame.to_csv(path, index=False, sep=separator, na_rep=case["mark"])
    return ["--sep", "tab" if separator == "\t" else separator, "--decimal", "."]


def _command(
    case: dict[str, Any], columns: list[Column], model: str, folder: str, kind: str
) -> list[Any]:
    """What ``agathis predict`` writes for a table as a file."""
    path, target = os.path.join(folder, f"new.{kind}"), os.path.join(folder, "labels.csv")
    more = _written(case, columns, path)
    ended, said = files.run(["predict", model, path, *more, "-q", "-o", target])
    if ended != 0:
        return [f"agathis predict ended with {ended}: {said[-400:]}"]
    return [int(line) for line in Path(target).read_text(encoding="utf-8").splitlines()[1:]]


def _by_command(kind: str) -> Callable[..., list[Any] | None]:
    def answer(case, columns, model, text, folder):
        path = os.path.join(folder, "m.json")
        Path(path).write_text(text, encoding="utf-8")
        return _command(case, columns, path, folder, kind)

    return answer


def _loaded(case, columns, model, text, folder) -> list[Any]:
    from agathis import export

    return export.from_json(text, takes_missing=True).predict(frame_of(columns)).tolist()


def _rows(columns: list[Column]) -> list[dict[str, Any]]:
    """Rows as a program has them."""
    names = [column["name"] for column in columns]
    made = [cleaned(column) if column["type"] == "date" else column["values"] for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*made, strict=True)]


def _json(case, columns, model, text, folder) -> list[Any]:
    record = json.loads(text)
    return [json_model.cluster_of(record, row) for row in _rows(columns)]


def _python(case, columns, model, text, folder) -> list[Any]:
    from agathis import export

    space: dict[str, Any] = {}
    exec(compile(export.to_python(model), "export", "exec"), space)
    return [space["cluster_of"](row) for row in _rows(columns)]


def _sql(dialect: str) -> Callable[..., list[Any] | None]:
    def answer(case, columns, model, text, folder) -> list[Any] | None:
        from agathis import export

        values = [cleaned(column) for column in columns]
        if dialect == "sqlite" and any(
            isinstance(value, float) and math.isinf(value) for some in values for value in some
        ):
            return None
        try:
            expression = export.to_sql(model, dialect=dialect)
        except ValueError as error:
            if "that no database reads" not in str(error):
                raise
            return None
        connection = _connection(dialect)
        kinds = [_sql_type(column) for column in columns]
        if dialect == "sqlite":
            values = [[None if v is None else _plain(v) for v in some] for some in values]
        quoted = ['"' + column["name"].replace('"', '""') + '"' for column in columns]
        made = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute(f"CREATE TABLE t ({made}, place INTEGER)")
        rows = [[*row, i] for i, row in enumerate(zip(*values, strict=True))]
        marks = "(" + ", ".join("?" * len(rows[0])) + ")"
        everything = [value for row in rows for value in row]
        connection.execute(f"INSERT INTO t VALUES {', '.join([marks] * len(rows))}", everything)
        found = connection.execute(f"SELECT {expression} FROM t ORDER BY place").fetchall()
        return [row[0] for row in found]

    return answer


def _sql_type(column: Column) -> str:
    if column["type"] in ("id", "constant"):
        first = column["values"][0]
        kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
        return kinds.get(type(first), "VARCHAR")
    return SQL_TYPES.get(column["type"], "VARCHAR")


def _plain(value: Any) -> Any:
    """SQLite has no booleans and no dates."""
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, (int, float, str)) else value.isoformat(sep=" ")


@cache
def _connection(dialect: str) -> Any:
    if dialect == "sqlite":
        return sqlite3.connect(":memory:")
    import duckdb

    return duckdb.connect(":memory:")


#: Ways to predict; each gives the clusters of rows, or None where it is documented not to.
ROUTES: dict[str, Callable[..., list[Any] | None]] = {
    "from_json": _loaded,
    "json": _json,
    "python": _python,
    "duckdb": _sql("duckdb"),
    "sqlite": _sql("sqlite"),
    "predict csv": _by_command("csv"),
    "predict parquet": _by_command("parquet"),
}


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """With fewer rows, columns and options, and with plain names."""
    columns, n = case["columns"], len(case["group"])
    for size in (n // 2, n // 4, n // 8, 1):
        if 0 < size < n and n - size >= 4:
            for at in range(0, n, size):
                kept = [i for i in range(n) if not at <= i < at + size]
                yield _of_rows(case, kept)
    for i, column in enumerate(columns):
        named = [
            column["name"] in (v if isinstance(v, list | dict) else ())
            for v in case["options"].values()
        ]
        if len(columns) > 1 and not any(named):
            yield {**case, "columns": columns[:i] + columns[i + 1 :]}
    for key in case["options"]:
        if key != "n_clusters":
            less = {name: value for name, value in case["options"].items() if name != key}
            yield {**case, "options": less}
    for key, plain in (("fit_by_command", ""), ("twice", False), ("separator", ","), ("mark", "")):
        if case[key] != plain:
            yield {**case, key: plain}
    for i, column in enumerate(columns):
        plain = f"c{i}"
        if column["name"] != plain and plain not in [other["name"] for other in columns]:
            changed = [*columns[:i], {**column, "name": plain}, *columns[i + 1 :]]
            options = json.loads(
                json.dumps(case["options"]).replace(json.dumps(column["name"]), json.dumps(plain))
            )
            yield {**case, "columns": changed, "options": options}


def _of_rows(case: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    columns = [{**c, "values": [c["values"][i] for i in kept]} for c in case["columns"]]
    return {**case, "columns": columns, "group": [case["group"][i] for i in kept]}


def pack(case: dict[str, Any]) -> bytes:
    return json.dumps(case).encode()


def unpack(data: bytes) -> dict[str, Any]:
    return json.loads(data)


if __name__ == "__main__":
    import harness

    harness.main("tables")
