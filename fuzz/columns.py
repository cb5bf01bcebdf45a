"""Damaged Parquet and Arrow files, read and no more: ``python fuzz/columns.py --seconds 60``.

These readers are compiled code of another project, which believed offsets and lengths; does one end
the process, or take seconds, although batches are validated? So that many can be tried, no command
is run as ``fuzz/files.py`` does: a file is read, and every value of what was read is looked at.
"""

from __future__ import annotations

import base64
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import files

COUNTED: Counter[str] = Counter()
ENDS = ("parquet", "arrow", "feather")


def make(seed: int) -> dict:
    """A damaged file."""
    chance = random.Random(seed)
    whole = files.tables()
    name = chance.choice([name for name in sorted(whole) if name.endswith(ENDS)])
    data = files.damage(chance, whole[name], whole[chance.choice(sorted(whole))])
    return {"name": name, "data": base64.b64encode(data).decode()}


def check(case: dict) -> str | None:
    """What is wrong with how it is read."""
    from agathis._columns.errors import BadTable
    from agathis._io.read_table import read_table

    files.limit_memory()
    kind = Path(case["name"]).suffix
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, case["name"])
        path.write_bytes(base64.b64decode(case["data"]))
        try:
            table = read_table(str(path)).table
        except BadTable:
            COUNTED[f"{kind}: refused"] += 1
            return None
        except Exception as error:
            return f"{kind} raises {type(error).__name__}: {traceback.format_exc()[-500:]}"
    values = table.to_pydict()
    COUNTED[f"{kind}: read"] += 1
    if any(len(column) != table.num_rows for column in values.values()):
        return f"{kind} has columns of other lengths: {table.num_rows} rows"
    return None


def smaller(case: dict) -> Iterator[dict]:
    """With fewer bytes."""
    for less in files.smaller({**case, "model": ""}):
        yield {"name": less["name"], "data": less["data"]}


pack, unpack = files.pack, files.unpack


if __name__ == "__main__":
    import harness

    harness.main("columns")
