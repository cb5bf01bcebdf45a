"""Whether ``agathis predict`` gives the right clusters for a file that may be damaged.

The table is read by pyarrow or ``json`` without the package, the model by ``json_model.py``. Where
an independent reading is not defined, because cells are not what the model names or the file needs
the package's own rules of notation, nothing is compared, and that is counted.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import math
import os
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import json_model
from json_model import Undefined


def wrong_answers(
    run: Callable[[list[str]], tuple[int | None, str]],
    model: str,
    data: str,
    folder: str,
    counted: Counter[str],
) -> str | None:
    """What is wrong with the clusters of a table by a model that the command has taken."""
    target = os.path.join(folder, "answers.csv")
    ended, said = run(["predict", model, data, "-q", "-o", target])
    if ended != 0:
        return f"predict of the same files ended otherwise: {ended}, {said[-300:]}"
    with open(target, newline="", encoding="utf-8") as file:
        found = [row[0] for row in csv.reader(file)][1:]
    record = json.loads(Path(model).read_bytes())
    names = record.get("cluster_names") or [str(k) for k in range(record["n_clusters"])]
    try:
        table = _table(data, record)
        rows = table.to_pylist()
        expected = [names[json_model.cluster_of(record, _row(record, row))] for row in rows]
    except Undefined as error:
        counted[f"answers: not defined, {str(error).partition(':')[0]}"] += 1
        return None
    if found != expected:
        return f"predict gives other clusters: {_first(rows, expected, found)}"
    counted["answers: of the model's JSON"] += 1
    return _of_the_frame(model, table, names, found, counted)


def _of_the_frame(
    model: str, table: Any, names: list[str], found: list[str], counted: Counter[str]
) -> str | None:
    """What ``from_json`` gives for the table as a data frame."""
    import pyarrow as pa

    from agathis.export import from_json

    try:
        frame = table.to_pandas()
    except (pa.ArrowException, ValueError):  # such as a dictionary that has a value twice
        counted["answers: no data frame"] += 1
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = from_json(Path(model), takes_missing=True)
        expected = [names[k] for k in loaded.predict(frame)]
    if found != expected:
        return f"predict and from_json differ: {_first(table.to_pylist(), expected, found)}"
    counted["answers: of from_json"] += 1
    return None


def _first(rows: list[dict[str, Any]], expected: list[str], found: list[str]) -> str:
    if len(found) != len(expected):
        return f"{len(found)} clusters for {len(expected)} rows"
    i = next(i for i, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1])
    return f"{found[i]} for {expected[i]} in row {i}, {rows[i]}"


def _table(path: str, record: dict[str, Any]) -> Any:
    """The table of a file, without the package."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv
    from pyarrow import ipc, parquet

    name = os.path.basename(path)
    try:
        if name.endswith("parquet"):
            return parquet.ParquetFile(path).read()
        if name.endswith(("arrow", "feather")):
            data = pa.OSFile(path)
            stream = name[0] in "sl"
            return (ipc.open_stream if stream else ipc.open_file)(data).read_all()
        if name == "l.json" or name.endswith(".json"):
            return _json_table(Path(path).read_text(encoding="utf-8"))
        if name.startswith("u"):
            raise Undefined("numbers with decimal commas")
        texts = [
            source
            for source, made in (record.get("one_hot") or {}).items()
            if any(isinstance(category, str) for category in made.values())
        ]
        table = arrow_csv.read_csv(
            path,
            parse_options=arrow_csv.ParseOptions(delimiter="\t" if "tsv" in name else ","),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(texts, pa.string()),
                null_values=sorted(json_model.MARKS),
                strings_can_be_null=True,
            ),
        )
        _ = table.column_names  # which pyarrow decodes only now
        return table
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Undefined(f"{Path(name).suffix} is not read by other readers: {error}") from error


def _json_table(text: str) -> Any:
    import pyarrow as pa

    lines = text.split("\n")
    rows = json.loads(text) if len(lines) == 1 else [json.loads(line) for line in lines]
    if not rows or any(not isinstance(row, dict) or row.keys() != rows[0].keys() for row in rows):
        raise Undefined("rows of JSON that differ")
    return pa.Table.from_pylist(rows)


def _row(record: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """The cells that the model asks for, if their kind is the one that it names."""
    nodes = record["nodes"]
    asked = {f for f in nodes["feature"] if f is not None}
    terms = nodes.get("terms") if record["version"] > 1 else None
    asked |= {term[0] for own in terms or () for term in own or ()}
    names, parts = record["feature_names"], record.get("date_parts") or {}
    sources = {f: source for source, made in (record.get("one_hot") or {}).items() for f in made}
    for f in asked:
        name = names[f]
        column = parts[name]["column"] if name in parts else sources.get(name, name)
        if column not in row:
            raise Undefined("a column that is not there")
        value = row[column]
        if name in sources:
            _check_category(record["one_hot"][sources[name]], value)
        elif name not in parts and (
            isinstance(value, str | bytes | dt.date) or (terms and not _finite(value))
        ):
            raise Undefined("a number that is none")
    return row


def _finite(value: Any) -> bool:
    return value is None or (math.isfinite(value) or math.isnan(value))


def _check_category(made: dict[str, Any], value: Any) -> None:
    categories = [json_model.word(category) for category in made.values()]
    if len(set(categories)) < len(categories):
        raise Undefined("a category that is there twice")
    of_booleans = any(isinstance(category, bool) for category in made.values())
    if of_booleans != isinstance(value, bool) and value is not None:
        raise Undefined("booleans that are none")
    if not isinstance(value, str | bool | int | None):
        raise Undefined("a category of another kind")
