"""Files whose bytes are not what they were: an error that names the file, and never more."""

import io
import struct

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from agathis import fit_file
from agathis._columns.errors import BadTable
from agathis._io.json_rows import LEVELS, is_deep, read_json_rows
from agathis._io.read_table import read_table
from agathis._io.tuning import DEEP

TABLE = pa.table(
    {
        "size": [1.0, 2.0, 30.0, 31.0],
        "colour": ["red", "green", "blue", "red"],
        "kind": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
    }
)


def arrow_bytes(table=TABLE, opened=ipc.new_file):
    sink = io.BytesIO()
    with opened(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet_bytes(**options):
    sink = io.BytesIO()
    parquet.write_table(TABLE, sink, compression="none", use_dictionary=False, **options)
    return sink.getvalue()


def instead(data: bytes, old: bytes, new: bytes) -> bytes:
    assert len(old) == len(new)
    assert old in data
    return data.replace(old, new, 1)


OFFSETS = struct.pack("<5i", 0, 3, 8, 12, 15)
DAMAGED = {
    "an offset that goes back": lambda d: instead(d, OFFSETS, struct.pack("<5i", 0, 3, -8, 12, 15)),
    "an offset past the end": lambda d: instead(
        d, OFFSETS, struct.pack("<5i", 0, 3, 8, 2**30, 2**30 + 3)
    ),
    "a code of no category": lambda d: instead(
        d, struct.pack("<4i", 0, 1, 0, 1), struct.pack("<4i", 0, 33, 0, 1)
    ),
    "no UTF-8": lambda d: instead(d, b"greenblue", b"gr\xff\xfenblue"),
}


@pytest.mark.parametrize("opened", [ipc.new_file, ipc.new_stream], ids=["file", "stream"])
@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_arrow(tmp_path, damage, opened):
    path = tmp_path / "t.arrow"
    path.write_bytes(damage(arrow_bytes(opened=opened)))
    with pytest.raises(BadTable, match=r"t\.arrow' cannot be read as Arrow: "):
        read_table(str(path))


def test_parquet_of_no_utf8(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(instead(parquet_bytes(), b"green", b"gr\xff\xfen"))
    with pytest.raises(BadTable, match=r"t\.parquet' cannot be read as Parquet: .*UTF8"):
        read_table(str(path))


def test_checksums_of_parquet_are_looked_at(tmp_path):
    path = tmp_path / "t.parquet"
    whole = parquet_bytes(write_page_checksum=True)
    number = np.array([30.0]).tobytes()
    path.write_bytes(instead(whole, number, np.array([31.5]).tobytes()))
    with pytest.raises(BadTable, match=r"cannot be read as Parquet: .*checksum"):
        read_table(str(path))
    with pytest.raises(ValueError, match="checksum"):
        fit_file(path, 2, columns=["size"])


def parquet_page(kind: bytes, length: bytes) -> bytes:
    """A file of one page, of another kind or length.

    Numbers of a page's header are a byte 0x15 and the number in groups of seven bits: what the
    page is, its length, its length as it stands in the file.
    """
    sink = io.BytesIO()
    table = pa.table({"size": TABLE["size"]})
    parquet.write_table(table, sink, compression="none", use_dictionary=False)
    data = sink.getvalue()
    assert data[4:6] == b"\x15\x00"
    assert data[6:8] == data[8:10]
    return data[:4] + b"\x15" + kind + data[6:8] + b"\x15" + (length or data[9:10]) + data[10:]


# It outlives all that pyarrow has taken from it.
COUNTING = pa.proxy_memory_pool(pa.default_memory_pool())


def test_a_page_that_claims_to_be_long(tmp_path):
    """A page of an unknown kind, of 2 GiB less a byte: as much memory was filled with zeros."""
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet_page(b"\x30", b"\xfe\xff\xff\xff\x0f"))
    usual = pa.default_memory_pool()
    pa.set_memory_pool(COUNTING)
    try:
        with pytest.raises(BadTable, match=r"t\.parquet' cannot be read as Parquet: "):
            read_table(str(path))
    finally:
        pa.set_memory_pool(usual)
    assert 0 < COUNTING.max_memory() < 16 << 20


def test_rows_of_parquet_that_are_not_there(tmp_path):
    """Pages of an unknown kind are passed over by pyarrow, and the rows in them with them."""
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet_page(b"\x00", b""))
    assert read_table(str(path)).table.num_rows == 4
    path.write_bytes(parquet_page(b"\x30", b""))
    with pytest.raises(BadTable, match="it says that it has 4 rows, and has 0"):
        read_table(str(path))
    with pytest.raises(BadTable, match="row group 0 says that it has 4 rows, and has 0"):
        fit_file(path, 2, columns=["size"], copy=False)


def test_a_length_that_is_none(tmp_path):
    """A compressed buffer that claims to be of 2**60 bytes."""
    sink = io.BytesIO()
    table = pa.table({"size": np.zeros(100)})
    options = ipc.IpcWriteOptions(compression="lz4")
    with ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    data = sink.getvalue()
    path = tmp_path / "t.arrow"
    path.write_bytes(instead(data, struct.pack("<q", 800), struct.pack("<q", 2**60)))
    with pytest.raises(BadTable, match="it asks for more memory than there is"):
        read_table(str(path))


def test_what_pandas_wrote_may_be_damaged(tmp_path):
    path = tmp_path / "t.arrow"
    path.write_bytes(arrow_bytes(TABLE.replace_schema_metadata({"pandas": "{no JSON"})))
    with pytest.raises(BadTable, match="what pandas wrote of its columns is damaged"):
        read_table(str(path))


@pytest.mark.parametrize("depth", [DEEP + 1, 600, 20_000, 100_000])
def test_rows_of_json_that_are_deep(depth):
    """Pyarrow's own reader takes seconds at 900 brackets and ends the process at some 10,000."""
    data = b'{"a":' * depth + b"1" + b"}" * depth
    assert is_deep(data)
    try:
        (text,) = read_json_rows(data, "t.json").column(0).to_pylist()
    except BadTable as error:  # how deep Python itself reads differs between its releases
        said = str(error)
        assert depth > 900
        assert "looks like rows in JSON, and is not" in said or "too deep to read" in said
    else:
        assert depth < 100_000
        rest = depth - LEVELS - 1
        assert text.replace(" ", "") == '{"a":' * rest + "1" + "}" * rest


def test_as_deep_as_python_reads():
    """Where a row can be read and not be written again, an error says so."""
    read, refused = 0, 0
    for depth in range(900, 1000):
        data = b'{"a":' * depth + b"1" + b"}" * depth
        try:
            read += read_json_rows(data, "t.json").num_rows
        except BadTable:
            refused += 1
    assert read + refused == 100


@pytest.mark.parametrize("row", [b'{"a\xff": 1}', b'{"a\xff": "red"}', b'{"a": "\xff"}'])
def test_rows_of_json_that_are_no_utf8(row):
    with pytest.raises(BadTable, match=r"t\.json looks like rows in JSON.* 'utf-8' codec"):
        read_json_rows(row, "t.json")


def test_brackets_in_texts_are_read_all_the_same():
    data = b'{"a": "' + b"[" * 600 + b'", "b": 1}'
    assert is_deep(data)
    assert read_json_rows(data, "t.json").to_pylist() == [{"a": "[" * 600, "b": 1}]
