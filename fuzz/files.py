"""Damaged files through every command: ``python fuzz/files.py --seconds 60``.

Tables in each format and models in each version are damaged as disks, editors and ill will do: bits
and bytes, pieces that are gone, there twice or of another file, lengths that claim too much; of a
model also its structure. Each goes through a command, or through ``fit_file``, with a copy of the
rows or without, alone or in a folder of Parquet files, in a process with little memory. A command
ends with an exit code of 0, 1, 2 or 4 and words; a traceback, a process that dies and a command
that does not end are failures. What a command wrote is whole. The clusters that ``predict`` gives
are those of an independent reader of the model (``json_model.py``) on the rows that pyarrow reads.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import os
import random
import resource
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from answers import wrong_answers

# One thread: the machine is busy with other cases.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COUNTED: Counter[str] = Counter()
#: Bytes that a worker may ask for; a claimed length beyond it has to be an error.
MEMORY = 6 << 30

#: Whole, beside a damaged one in a folder.
MANY = "t0.parquet"
FIT = ["fit", "DATA", "-k", "2", "--search", "greedy", "--weight", "equal"]
#: Commands on a table, with how often they are taken: those that only read most often.
ON_TABLE = {
    ("predict", "MODEL", "DATA"): 10,
    ("predict", "MODEL", "DATA", "--with-data", "-o", "OUT.csv"): 3,
    ("predict", "MODEL", "DATA", "--with-data", "-o", "OUT.parquet"): 2,
    (*FIT, "-o", "OUT.json"): 4,
    (*FIT, "--missing", "drop", "--dates", "parts"): 1,
    ("report", "MODEL", "DATA", "-o", "OUT.html"): 1,
    ("suggest", "DATA", "--max-k", "3", "--weight", "equal"): 0.3,
    ("compare", "DATA", "-k", "2", "--runs", "1", "--method", "kauri", "--jobs", "1"): 0.3,
    ("fit_file", "DATA"): 6,
    # These are for Parquet alone; in the folder are three files, of which DATA is the second.
    ("fit_file", "DATA", "copy=False"): 1,
    ("fit_file", "FOLDER"): 1,
    ("fit_file", "FOLDER", "copy=False"): 1,
}
ON_MODEL = {
    ("show", "MODEL"): 4,
    ("export", "MODEL", "--to", "sql"): 2,
    ("export", "MODEL", "--to", "python"): 2,
    ("export", "MODEL", "--to", "json"): 1,
    ("export", "MODEL", "--to", "rules"): 1,
    ("export", "MODEL", "--to", "dot"): 1,
    ("export", "MODEL", "--to", "text"): 1,
    ("export", "MODEL", "--to", "onnx", "-o", "OUT.onnx"): 1,
    ("rename", "MODEL", "0=a", "-o", "OUT.json"): 1,
    ("predict", "MODEL", "DATA"): 3,
    ("report", "MODEL", "DATA", "-o", "OUT.html"): 0.3,
}


@cache
def tables() -> dict[str, bytes]:
    """Whole files, by name."""
    import gzip

    import numpy as np
    import pyarrow as pa
    from pyarrow import csv, ipc, parquet

    made = np.random.default_rng(0)
    n = 40
    group = np.repeat([0, 1], n // 2)
    table = pa.table(
        {
            "size": made.normal(size=n) + 5 * group,
            "count": (made.integers(0, 9, n) + 20 * group).astype(np.int32),
            "colour": pa.array([["red", "green", "blue"][i % 3] for i in range(n)]),
            "kind": pa.array(["ab" if g else "b" for g in group]).dictionary_encode(),
            "on": pa.array([bool(g) for g in group]),
            "when": pa.array([f"20{10 + i % 9}-01-0{1 + i % 9}" for i in range(n)]),
        }
    )
    gaps = table.set_column(0, "size", pa.array([None if i == 3 else float(i) for i in range(n)]))
    out = {}
    text = io.BytesIO()
    csv.write_csv(table, text)
    out["t.csv"] = text.getvalue()
    out["t.tsv"] = text.getvalue().replace(b",", b"\t")
    out["u.csv"] = text.getvalue().replace(b",", b";").replace(b".", b",")
    out["t.csv.gz"] = gzip.compress(text.getvalue(), mtime=0)
    for i, options in enumerate(
        [
            {"compression": "none"},
            {"compression": "snappy", "write_page_checksum": True},
            {"compression": "zstd", "use_dictionary": False, "data_page_version": "2.0"},
            {"compression": "none", "use_dictionary": False, "row_group_size": 10},
        ]
    ):
        sink = io.BytesIO()
        parquet.write_table(gaps if i == 3 else table, sink, **options)
        out[f"t{i}.parquet"] = sink.getvalue()
    for name, opened, packed in (
        ("t.arrow", ipc.new_file, None),
        ("z.arrow", ipc.new_file, "zstd"),
        ("s.arrow", ipc.new_stream, None),
        ("l.arrow", ipc.new_stream, "lz4"),
        ("g.feather", ipc.new_file, "lz4"),
    ):
        sink = io.BytesIO()
        options = ipc.IpcWriteOptions(compression=packed)
        rows = gaps if name == "g.feather" else table
        with opened(sink, rows.schema, options=options) as writer:
            writer.write_table(rows, max_chunksize=16)
        out[name] = sink.getvalue()
    lines = [json.dumps(row) for row in table.to_pylist()]
    out["t.json"] = "\n".join(lines).encode()
    out["l.json"] = ("[" + ",".join(lines) + "]").encode()
    return out


@cache
def models() -> dict[str, str]:
    """Whole models, by name: of numbers, of categories, of parts of dates."""
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.csv")
        Path(path).write_bytes(tables()["t.csv"])
        for name, more in {
            "plain": ["--drop", "colour", "--drop", "kind", "--drop", "on", "--drop", "when"],
            "words": ["--drop", "when", "--leaves", "4"],
            "dates": ["--dates", "parts", "--leaves", "5"],
            "pairs": ["--pairs", "--drop", "when", "--scale", "standard", "--leaves", "3"],
        }.items():
            target = os.path.join(folder, f"{name}.json")
            command = [path if a == "DATA" else a for a in FIT]
            ended, said = run([*command, *more, "-o", target, "-q"])
            if ended != 0:
                raise RuntimeError(f"{name}: {said}")
            out[name] = Path(target).read_text()
    return out


def make(seed: int) -> dict:
    """A command, a table and a model, one of them damaged."""
    chance = random.Random(seed)
    name = chance.choice(sorted(tables()))
    model_name = chance.choice(sorted(models()))
    data, model = tables()[name], models()[model_name].encode()
    of_model = chance.random() < 0.25
    commands = ON_MODEL if of_model else ON_TABLE
    command = chance.choices(list(commands), list(commands.values()))[0]
    if "FOLDER" in command or "copy=False" in command:
        name = chance.choice([name for name in sorted(tables()) if name.endswith("parquet")])
        data = tables()[name]
    if of_model:
        if chance.random() < 0.5:
            model = json_damage(chance, model)
        else:
            model = damage(chance, model, models()[chance.choice(sorted(models()))].encode())
    elif name.endswith("json") and chance.random() < 0.05:
        data = deep(chance, data.decode()).encode()
    else:
        data = damage(chance, data, tables()[chance.choice(sorted(tables()))])
    return {
        "args": list(command),
        "name": name,
        "data": base64.b64encode(data).decode(),
        "model": base64.b64encode(model).decode(),
        "memory": 0,
    }


WILD = [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0", b"\x01\0\0\0"]
WILD += [
    b"\xff" * 8,
    b"\xff" * 7 + b"\x7f",
    b"\0" * 8,
    b'"',
    b"\n",
    b",",
    b"{",
    b"\xc3",
    b"\xef\xbb",
]


def damage(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Some bytes are others, are gone, or are there twice."""
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        if not out:
            break
        at = chance.randrange(len(out))
        if chance.random() < 0.3:  # formats keep what matters at their ends
            at = max(0, len(out) - 1 - chance.randrange(min(400, len(out))))
        size = chance.choice([1, 2, 4, 8, 16, 64, 300])
        kind = chance.randrange(9)
        if kind == 0:
            out[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            out[at] = chance.randrange(256)
        elif kind == 2:
            wild = chance.choice(WILD)
            out[at : at + len(wild)] = wild
        elif kind == 3:
            del out[at : at + size]
        elif kind == 4:
            out[at:at] = out[at : at + size]
        elif kind == 5:
            out[at:at] = chance.randbytes(size)
        elif kind == 6 and chance.random() < 0.5:
            del out[at:]
        elif kind == 7:
            start = chance.randrange(len(other))
            out[at : at + size] = other[start : start + size]
        else:
            out[at : at + size] = bytes(len(out[at : at + size]))
    return bytes(out)


VALUES = [
    None, True, -1, 0, 1, 2, 3.5, 1e308, -1e308, 5e-324, 2**31, 2**63, 10**400, "", "inf", "x",
    [], {}, [[]], "left", "right", "\x00", "\ud800", "a" * 5000, [0] * 50, {"": None}, "1e5", -0.0,
]  # fmt: skip


def json_damage(chance: random.Random, model: bytes) -> bytes:
    """Somewhere in a model is another value, or none, or far too deep a one."""
    record = json.loads(model)
    for _ in range(chance.choice([1, 1, 2, 3])):
        at = record
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(at[key], (dict, list)) and chance.random() < 0.85:
                at = at[key]
                continue
            kind = chance.randrange(6)
            if kind == 0:
                del at[key]
            elif kind == 1 and isinstance(at, list):
                at.insert(key, copy.deepcopy(chance.choice(VALUES)))
            elif kind == 2 and isinstance(at, dict):
                at[chance.choice(["", "x", "version", "nodes"])] = at.pop(key)
            else:
                # A copy: later damage must neither change VALUES nor put a list into itself.
                at[key] = copy.deepcopy(chance.choice(VALUES))
            break
    text = json.dumps(record)
    if chance.random() < 0.1:
        text = deep(chance, text)
    if chance.random() < 0.1:
        text = text.replace(": null", chance.choice([": NaN", ": Infinity", ": 1e999"]), 1)
    return text.encode(errors="surrogatepass")


def deep(chance: random.Random, text: str) -> str:
    """JSON with brackets in brackets, in the place of something or of all."""
    depth = chance.choice([100, 400, 900, 5000, 100_000])
    kinds = ["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth]
    place = chance.randrange(len(text))
    nested = chance.choice(kinds)
    return text[:place] + nested + text[place + 1 :] if chance.random() < 0.5 else nested


@cache
def _app():
    """The command line, put together once."""
    from typer.main import get_command

    from agathis._cli.app import make_app

    return get_command(make_app())


def run(args: list[str]) -> tuple[int | None, str]:
    """A command in this process: its exit code and its messages; None is a traceback."""
    said = io.StringIO()
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(out):
        try:
            _app()(args, prog_name="agathis")
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 0, said.getvalue()
        except BaseException:
            return None, traceback.format_exc()
    return 0, said.getvalue()


def _fit_file(path: str, folder: str, copy: bool | str) -> tuple[int | None, str]:
    from agathis import fit_file

    labels = os.path.join(folder, "OUT.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit_file(path, 2, labels=labels, temp_dir=folder, copy=copy)
        except (ValueError, OSError) as error:
            if type(error).__name__ in ("ValueError", "BadTable") or isinstance(error, OSError):
                return 1, str(error)
            return None, traceback.format_exc()
        except BaseException:
            return None, traceback.format_exc()
    return 0, ""


@cache
def limit_memory() -> None:
    """From now on no more than ``MEMORY``."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def check(case: dict) -> str | None:
    """What is wrong with how a command ended."""
    models()  # what is made once needs no limit
    limit_memory()
    command = case["args"][0]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        places = {
            "DATA": os.path.join(folder, case["name"]),
            "MODEL": os.path.join(folder, "m.json"),
            "FOLDER": os.path.join(folder, "many"),
        }
        Path(places["DATA"]).write_bytes(base64.b64decode(case["data"]))
        if "FOLDER" in case["args"]:
            os.mkdir(places["FOLDER"])
            whole, damaged = tables()[MANY], base64.b64decode(case["data"])
            for i, data in enumerate((whole, damaged, whole)):
                Path(places["FOLDER"], f"{i}.parquet").write_bytes(data)
        Path(places["MODEL"]).write_bytes(base64.b64decode(case["model"]))
        args = [
            os.path.join(folder, arg) if arg.startswith("OUT") else places.get(arg, arg)
            for arg in case["args"]
        ]
        if command == "fit_file":
            copy = False if "copy=False" in args else "auto"
            ended, said = _fit_file(args[1], folder, copy)
        else:
            ended, said = run(args)
        left = sorted(set(os.listdir(folder)) - {case["name"], "m.json", "many"})
        wrong = None
        if command == "predict" and ended == 0:
            wrong = wrong_answers(run, places["MODEL"], places["DATA"], folder, COUNTED)
    if wrong:
        return wrong
    kind = " ".join([command, *(arg for arg in case["args"] if arg in ("FOLDER", "copy=False"))])
    COUNTED[f"{kind} {Path(case['name']).suffix}: exit {ended}"] += 1
    if ended is None:
        last = said.strip().splitlines()
        places = [line.strip() for line in last if line.strip().startswith("File")]
        return f"{command} {last[-1].split(':')[0]} at {places[-1][-60:]}: {said[-500:]}"
    if ended not in (0, 1, 2, 4):
        return f"{command} exit code {ended}: {said[-300:]}"
    if ended and not said.strip():
        return f"{command} said nothing: exit code {ended}"
    if ended and "Traceback" in said:
        return f"{command} shows a traceback: {said[-300:]}"
    if ended == 1 and left:
        return f"{command} left files: {left}"
    if ended == 0 and any(name.startswith(".") or name.endswith(".tmp") for name in left):
        return f"{command} left temporaries: {left}"
    return None


def smaller(case: dict) -> Iterator[dict]:
    """With fewer bytes of what was damaged, as far as that still fails; the other is whole."""
    for key, whole in (("data", tables().get(case["name"])), ("model", None)):
        data = base64.b64decode(case[key])
        if whole is not None and data == whole:
            continue
        for size in (len(data) // 2, len(data) // 4, len(data) // 16, 64, 16):
            if 0 < size < len(data):
                for at in range(0, len(data), size):
                    less = data[:at] + data[at + size :]
                    yield {**case, key: base64.b64encode(less).decode()}
                    if at > 8 * size:
                        break


def pack(case: dict) -> bytes:
    return json.dumps(case).encode()


def unpack(data: bytes) -> dict:
    return json.loads(data)


if __name__ == "__main__":
    import harness

    harness.main("files")
