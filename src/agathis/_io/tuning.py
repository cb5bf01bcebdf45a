"""Tuned constants of table readers and of notes on dominant columns, with their trade-offs.

Sizes decide memory and time. Limits on untrusted input are in ``stream_limits``, the criteria of
column types beside the types (``identifiers``, ``column_types``, ``datetimes``).
"""

from __future__ import annotations

# --- Column types are inferred from this many first rows or bytes. More rows show rarer values, but
# delay the fit.
HEAD_ROWS, HEAD_BYTES = 1 << 16, 64 << 20
# Bytes, and rows, from which the separator and the decimal point are detected.
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 16, 100

# --- Blocks.
# Parquet files up to this size are read one row group at once. Larger ones are read in pieces, with
# less memory; but a damaged page may then claim 2 GiB before it is rejected.
SMALL = 16 << 20
# Bytes of text per block: no row may be longer.
CSV_BYTES = 4 << 20
# The maximum bytes of a block of a very wide table, whatever its number of rows.
BLOCK_BYTES = 64 << 20
# Larger row groups are not read repeatedly: such files are copied.
GROUP_BYTES = 256 << 20
# Nested brackets given to pyarrow's JSON reader: its time grows with their cube (7 s at 900), and
# some 10,000 crash the process.
DEEP = 30

# --- Notes on dominant columns: a note is written on a column with this fraction of the gains,
LARGE = 0.25
# or with this one if no column explains as much of another one as that,
SOME = 0.1
UNRELATED = 0.02
# if this fraction of what its splits explain is its own,
ALONE = 0.8
# and no other column has this fraction of its variance explained by them.
HARDLY = 0.05
# A column of which another one explains as much, or the reverse, is needed to find their groups:
# there is no advice to leave it out. Relations of any shape are seen in so many bins.
RELATED, BINS = 0.1, 8
# With fewer columns there are no notes: some column must dominate.
FEWEST = 3
