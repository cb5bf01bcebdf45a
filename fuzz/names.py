"""Hostile names through every export: ``python fuzz/names.py --seconds 60``.

Names of columns, categories and clusters with quotes, tags, escapes, ends of lines, marks that turn
the direction of writing, words of languages and, in one case of a hundred, 100 kB of letters
(``tests/fuzz/test_names.py`` has such ones too). A model with such names goes through every export,
and what comes out is read by what it is for: SQL is parsed in each dialect by sqlglot, which finds
as many columns and texts as with plain names, and run in SQLite, in DuckDB and, where they are
installed, in PostgreSQL and MariaDB (``fuzz/databases.py``), Python is executed, JSON is read
again, dot is read by a parser of its own here, and a page has no element, no script, no request and
no complaint that a page with plain names has not, to a parser and, where there is one, in a
browser. A name is a name: labels are those of ``predict``, and nothing else has happened. Names
that a form cannot hold are refused by an error in words.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import databases
import numpy as np

#: Servers are started once for all workers.
around = databases.started
COUNTED: Counter[str] = Counter()

PIECES = [
    "'", '"', "`", "\\", "\\'", "''", '""', "]", "[", "--", "/*", "*/", ";", "\n", "\r\n", "\t",
    "\x01", "\x1b[31m", "\x7f", "\u200f", "\u202e", "\u2066", "\ufeff", "\u2028", "é", "e\u0301",
    "名", "🌲", "<script>alert(1)</script>", "</script>", "<!--", "-->", "]]>",
    "<img src=x onerror=alert(1)>", "&amp;", "&#x27;", "{{7*7}}", "{% raw %}", "${x}", "%s", "{0}",
    "javascript:alert(1)", "'; DROP TABLE t; --", '"""', "'''", "#", "$$", "\\n", "\\u0041",
    "\\N{BULLET}", "=cmd|' /C calc'!A0", "SELECT", "None", "nan", "true", "import os",
    "__import__('os')", " ", "  ", "a", "B", "0", "_", "é" * 70,
]  # fmt: skip


def make(seed: int) -> dict:
    """Names for columns, categories and clusters."""
    chance = random.Random(seed)
    long = chance.random() < 0.01
    return {
        "columns": _different(chance, 2, long),
        "source": _name(chance),
        "categories": _different(chance, 3, long),
        "clusters": _different(chance, 3, long),
        "page": chance.random() < 0.05,
    }


def _name(chance: random.Random) -> str:
    return "".join(chance.choice(PIECES) for _ in range(chance.choice([1, 1, 2, 3, 6])))


def _different(chance: random.Random, n: int, long: bool) -> list[str]:
    out: list[str] = []
    while len(out) < n:
        name = _name(chance) + ("x" * 100_000 if long and not out else "")
        # To some databases these would be one column.
        if name.strip().lower() not in {other.strip().lower() for other in out}:
            out.append(name)
    return out


@cache
def _rows() -> tuple[np.ndarray, np.ndarray]:
    """Two columns of numbers, and the places of categories."""
    made = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 20)
    X = made.normal(size=(60, 2)) * 0.3 + group[:, None] * [0.9, 0.0]
    return np.round(X, 3), (group + (np.arange(60) % 7 == 0)) % 3


@cache
def _model():
    from agathis import Kauri

    X, place = _rows()
    both = np.column_stack([X, np.eye(3)[place]])
    return Kauri(3, max_leaf_nodes=6, one_hot=[[2, 3, 4]], n_jobs=1).fit(both), both


def check(case: dict) -> str | None:
    """What is wrong with the exports of a model with these names."""
    model = _model()[0]
    X, place = _rows()
    source, categories = case["source"], case["categories"]
    names = [*case["columns"], *(f"{source}\0{i}" for i in range(3))]
    words = {
        "feature_names": names,
        "one_hot": {source: dict(zip(names[2:], categories, strict=True))},
        "cluster_names": case["clusters"],
    }
    taken = {name.strip().lower() for name in case["columns"]}
    if source.strip().lower() in taken or not source.strip():
        return None
    expected = [case["clusters"][k] for k in model.labels_]
    raw = [[*map(float, x), categories[k]] for x, k in zip(X, place, strict=True)]
    columns = [*case["columns"], source]
    for name, test in TESTS.items():
        if name == "page" and not case["page"]:
            continue
        try:
            wrong = test(model, words, columns, raw, expected)
        except (ValueError, TypeError) as error:
            # A refusal is in words, and about the names.
            if type(error) not in (ValueError, TypeError) or not re.search(
                "name|text|categor|zero byte|Unicode|one column|blank", str(error)
            ):
                raise
            COUNTED[f"{name}: refused"] += 1
            continue
        if wrong:
            return f"{name}: {wrong}"
        COUNTED[name] += 1
    return None


def _sql(model, words, columns, raw, expected) -> str | None:
    """In SQLite and in DuckDB, as a whole query for a table of such a name."""
    from agathis.export import to_sql

    for dialect in ("sqlite", "duckdb"):
        try:
            sql = to_sql(model, dialect=dialect, **words)
        except ValueError:
            COUNTED[f"{dialect}: refused"] += 1
            continue
        connection = _connection(dialect)
        quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
        kinds = ["DOUBLE", "DOUBLE", "VARCHAR"]
        made = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute(f"CREATE TABLE t ({made}, place INTEGER)")
        marks = ", ".join(["(?, ?, ?, ?)"] * len(raw))
        values = [value for i, row in enumerate(raw) for value in (*row, i)]
        connection.execute(f"INSERT INTO t VALUES {marks}", values)
        found = connection.execute(f"SELECT {sql} FROM t ORDER BY place").fetchall()
        if [row[0] for row in found] != expected:
            return f"{dialect} disagrees with predict"
        tables = "SELECT name FROM sqlite_master" if dialect == "sqlite" else "SHOW TABLES"
        if connection.execute(tables).fetchall() != [("t",)]:
            return f"{dialect}: something happened to the tables"
    return None


def _servers(model, words, columns, raw, expected) -> str | None:
    """In PostgreSQL and MariaDB, if their tables can have such columns."""
    from agathis.export import to_sql

    for database in databases.servers():
        try:
            sql = to_sql(model, dialect=database.dialect, **words)
        except ValueError:
            COUNTED[f"{database.dialect}: refused"] += 1
            continue
        table = f"t{os.getpid()}"
        kinds = ["DOUBLE", "DOUBLE", "VARCHAR"]
        if database.dialect == "mysql" and any(len(row[2]) > 500 for row in raw):
            kinds[2] = "LONGTEXT"
        made, _, _ = database.script(columns, raw, "1", kinds, table).rpartition("SELECT")
        try:
            database.run(made)
        except RuntimeError:
            COUNTED[f"{database.dialect}: has no columns of such names"] += 1
            continue
        try:
            found = database.run(f"SELECT {sql} FROM {table} ORDER BY place;\n")
        except RuntimeError as error:
            return f"{database.dialect} takes no such query: {str(error)[:300]}"
        if found != [[name] for name in expected]:
            return f"{database.dialect} disagrees with predict"
        if not re.fullmatch(r"(t\d+ ?)+", databases.tables(database)):
            return f"{database.dialect}: something happened to the tables"
        COUNTED[database.dialect] += 1
    return None


@cache
def _connection(dialect: str):
    if dialect == "sqlite":
        return sqlite3.connect(":memory:")
    import duckdb

    return duckdb.connect(":memory:")


#: Dialects, with what sqlglot calls them.
PARSED = {
    "ansi": "", "bigquery": "bigquery", "duckdb": "duckdb", "mssql": "tsql", "mysql": "mysql",
    "postgres": "postgres", "snowflake": "snowflake", "sqlite": "sqlite",
}  # fmt: skip


def _parsed(model, words, columns, raw, expected) -> str | None:
    """Every dialect is one expression to its parser, with these columns and texts and no more."""
    from agathis.export import to_sql

    plain, categories = _plain(words), list(words["one_hot"][columns[-1]].values())
    named = dict(zip("abs", columns, strict=True))
    called = dict(zip("xyz", categories, strict=True))
    called |= zip(plain["cluster_names"], words["cluster_names"], strict=True)
    for dialect in PARSED:
        try:
            sql = to_sql(model, dialect=dialect, **words)
        except ValueError:
            COUNTED[f"{dialect}: refused"] += dialect not in ("sqlite", "duckdb")  # told by _sql
            continue
        statements, asked, texts = _read(sql, dialect)
        if statements != 1:
            return f"{dialect} is {statements} statements"
        _, plainly_asked, plain_texts = _read_plain(dialect)
        for what, found, one, names in (
            ("columns", asked, plainly_asked, named),
            ("texts", texts, plain_texts, called),
        ):
            # Those that are no names, a pattern or a number, stay as they are.
            should = Counter(names.get(name, name) for name in one.elements())
            if found != should:
                wrong = f"{[*(found - should)]} for {[*(should - found)]}"
                return f"{dialect} has other {what}: {wrong[:300]}"
        COUNTED[f"{dialect}: parsed"] += 1
    return None


def _read(sql: str, dialect: str) -> tuple[int, Counter[str], Counter[str]]:
    """How many statements a parser finds, how often each column, and how often each text."""
    import sqlglot
    from sqlglot import expressions as found

    parsed = sqlglot.parse(f"SELECT {sql} FROM t", dialect=PARSED[dialect])
    columns: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for part in parsed[0].find_all(found.Column, found.Literal, found.National, found.HexString):
        if isinstance(part, found.Column):
            columns[part.name] += 1
        elif isinstance(part, found.HexString):
            texts[bytes.fromhex(part.this).decode()] += 1
        elif not isinstance(part, found.Literal) or part.is_string:
            texts[part.this] += 1
    return len(parsed), columns, texts


@cache
def _read_plain(dialect: str) -> tuple[int, Counter[str], Counter[str]]:
    from agathis.export import to_sql

    return _read(to_sql(_model()[0], dialect=dialect, **_plain({})), dialect)


def _python(model, words, columns, raw, expected) -> str | None:
    from agathis.export import to_python

    source = to_python(model, **words)
    before, space = set(sys.modules), {}
    exec(compile(source, "names", "exec"), space)
    if set(space) - {"cluster_of", "__builtins__"} or set(sys.modules) - before:
        return "it did more than to define a function"
    rows = [dict(zip(columns, row, strict=True)) for row in raw]
    texts = {"", "na", "n/a", "null", "nan", "none"}
    if any(str(row[2]).strip().lower() in texts for row in raw):
        return None  # which are missing values there
    found = [space["cluster_of"](row) for row in rows]
    return None if found == expected else "it disagrees with predict"


def _json(model, words, columns, raw, expected) -> str | None:
    from agathis.export import from_json, to_json, to_rules, to_text

    read = from_json(to_json(model, **words))
    if read.cluster_names != words["cluster_names"] or read.feature_names != words["feature_names"]:
        return "names changed"
    both = _model()[1]
    if read.predict(both).tolist() != model.labels_.tolist():
        return "it disagrees with predict"
    if not to_text(read) or not to_rules(read):
        return "there is no text"
    return None


def _dot(model, words, columns, raw, expected) -> str | None:
    """Graphviz' grammar, as far as such files need it: statements of quoted texts."""
    from agathis.export import to_dot

    text = to_dot(model, **words)
    token = re.compile(r'"(?:[^"\\]|\\.)*"|->|[\[\]{}=;,]|[\w.#-]+|\s+', re.DOTALL)
    at, depth, nodes, arrows = 0, 0, 0, 0
    while at < len(text):
        found = token.match(text, at)
        if not found:
            return f"no token at {text[at : at + 20]!r}"
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        nodes += found[0] == "["
        arrows += found[0] == "->"
        if depth == 0 and at > text.index("{") and found[0] != "}" and found[0].strip():
            return f"something after the end: {found[0]!r}"
        at = found.end()
    if depth:
        return "brackets are open"
    # What is said of all nodes and of all edges, and of each.
    if (nodes - arrows - 2, arrows) != (model.tree_.node_count, model.tree_.node_count - 1):
        return f"{nodes - arrows - 2} nodes and {arrows} edges of {model.tree_.node_count} nodes"
    return None


class _Elements(HTMLParser):
    """How often each element and attribute of a page occurs."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.counts[tag] += 1
        for name, _ in attrs:
            self.counts[f"{tag} {name}"] += 1

    @classmethod
    def of(cls, text: str) -> Counter[str]:
        parser = cls()
        parser.feed(text)
        return parser.counts


def _page(model, words, columns, raw, expected) -> str | None:
    from agathis.report import write

    both = _model()[1]
    with tempfile.TemporaryDirectory() as folder:
        pages = []
        for i, named in enumerate((words, _plain(words))):
            path = os.path.join(folder, f"{i}.html")
            write(model, both, path, **named)
            pages.append(Path(path).read_text(encoding="utf-8"))
        seen = [_opened(Path(folder, f"{i}.html")) for i in range(2)] if _browser() else []
    wild, plain = map(_Elements.of, pages)
    for key in ELEMENTS:
        if wild[key] != plain[key]:
            return f"{wild[key]} elements {key}, and with plain names {plain[key]}"
    events = [key for key in wild if " on" in key]
    if events:
        return f"attributes {events}"
    if seen and seen[0] != seen[1]:
        return f"in a browser {seen[0]}, and with plain names {seen[1]}"
    COUNTED["page: in a browser"] += bool(seen)
    return None


ELEMENTS = ("script", "style", "img", "iframe", "link", "svg", "a", "base", "object", "embed")


@cache
def _browser():
    """Chromium, or None where there is none."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    import pytest
    from helpers.pages import chromium

    stack = ExitStack()
    try:
        found = stack.enter_context(chromium())
    except (pytest.skip.Exception, pytest.fail.Exception):
        return None
    atexit.register(stack.close)
    return found


def _opened(path: Path) -> tuple[list[int], list[str]]:
    """How many of these elements a page has in a browser, and what it asked and said."""
    context = _browser().new_context()
    page, events = context.new_page(), []
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.on("dialog", lambda dialog: (events.append(dialog.message), dialog.dismiss()))
    context.on("request", lambda request: events.append(request.url.partition(path.name)[2]))
    page.goto(path.as_uri(), timeout=300_000)
    counts = "names => names.map(name => document.getElementsByTagName(name).length)"
    found = page.evaluate(counts, list(ELEMENTS))
    context.close()
    return found, events


def _plain(words: dict) -> dict:
    names = ["a", "b", "s0", "s1", "s2"]
    return {
        "feature_names": names,
        "one_hot": {"s": dict(zip(names[2:], "xyz", strict=True))},
        "cluster_names": ["k", "l", "m"],
    }


TESTS = {
    "sql": _sql,
    "servers": _servers,
    "parsed sql": _parsed,
    "python": _python,
    "json": _json,
    "dot": _dot,
    "page": _page,
}


def smaller(case: dict) -> Iterator[dict]:
    """With plain names, and with names cut short."""
    plain = {"columns": "a", "categories": "k", "clusters": "c"}
    for key, letter in plain.items():
        for i, name in enumerate(case[key]):
            for simpler in (f"{letter}{i}", name[: len(name) // 2], name[1:], name[:-1]):
                others = [other for j, other in enumerate(case[key]) if j != i]
                shorter = simpler and simpler != name and len(simpler) < max(3, len(name))
                if shorter and simpler not in others:
                    yield {**case, key: [*case[key][:i], simpler, *case[key][i + 1 :]]}
    if case["source"] != "s":
        yield {**case, "source": "s"}
        yield {**case, "source": case["source"][: len(case["source"]) // 2]}


def pack(case: dict) -> bytes:
    return json.dumps(case).encode()


def unpack(data: bytes) -> dict:
    return json.loads(data)


if __name__ == "__main__":
    import harness

    harness.main("names")
