"""Columns that may be read wrongly have a doubtful note; those that are surely right have none."""

from __future__ import annotations

import pyarrow as pa
import pytest

from agathis._columns.number_notation import notation_of
from agathis._encoding.column_types import infer_column_type
from agathis._io.read_table import read_table

N = range(60)
#: Cells of a column, and what its note says; nothing for none.
DOUBTS = {
    "high number": ([*N, 999, 999], "999 in 2 rows, far above all other numbers: na='999'"),
    "one high number": ([*N, 999], ""),
    "high number within reach": ([*N, 40, 88, 88], ""),
    "low number": ([*N, -88, -88], "na='-88'"),
    "unknown unit": ([f"{i}.5 furlongs" for i in N], "such as '0.5 furlongs'"),
    "two numbers": ([f"{i}.5 ± 0.1" for i in N], "is not used as numbers"),
    "article numbers": ([f"{i}-123" for i in N], ""),
    "letters and numbers": ([f"E{i}" for i in N], ""),
    "addresses": ([f"10.0.{i}.1" for i in N], ""),
    "sign of nothing": (["red", "blue", "?"] * 20, "na='?'"),
    "word for nothing": (["red", "blue", "unknown"] * 20, ""),
    "day and month": (["13/01/2020", "01/13/2020"] * 30, "'01/13/2020', which are not read"),
    "day first": (["13/01/2020", "01/12/2020"] * 30, ""),
}


@pytest.mark.parametrize("case", DOUBTS)
def test_doubts(case):
    cells, says = DOUBTS[case]
    doubts = [str(one) for one in infer_column_type("x", pa.array(cells)).doubts if one.doubtful]
    assert len(doubts) == bool(says)
    assert says in "".join(doubts)


@pytest.mark.parametrize(
    "form",
    ["{} kr", "{} kr.", "Rs. {}", "₹{}", "US$ {}", "{} zł", "PLN {}", "{} miles", "~{}"],
)
def test_units_of_numbers(form):
    notation, _ = notation_of([form.format(value) for value in ("1,234.5", "7", "22.25")])
    assert notation is not None
    assert notation.values([form.format("1,234.5")]) == [1234.5]


@pytest.mark.parametrize("name", ["Matrikelnummer", "Steuer-Nr.", "account", "ticket"])
def test_unique_numbers_by_name(name):
    values = pa.array([100_000 + 37 * (i * 41 % 97) for i in range(97)])
    assert infer_column_type(name, values).kind == "out"
    assert infer_column_type("amount", values).kind == "number"


@pytest.mark.parametrize("name", ["sex", "colour", "Abteilung", "Kostenstelle"])
def test_codes_by_name(name):
    column_type = infer_column_type(name, pa.array([1, 2, 9, 20] * 30))
    assert (column_type.kind, column_type.holds_kind) == ("category", "code")


def test_one_control_character_is_no_reason_to_refuse(tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(f"{i},Children\x19s {i % 3}\n" for i in range(90))
    path.write_text("a,b\n" + rows.replace("\x19", "'", 89), encoding="utf-8")
    read = read_table(str(path)).table
    assert read.num_rows == 90
    assert "\x19" in read["b"][89].as_py()
    path.write_bytes(bytes(range(1, 32)) * 4)
    with pytest.raises(ValueError, match="is no text"):
        read_table(str(path))
