"""Tuned constants of reading tables and of notes on dominant columns, with what each trades.

Sizes decide memory and time. Limits on untrusted input are in ``stream_limits``, the signs of
column types beside the types (``codes``, ``column_verdicts``, ``calendar``).
"""

from __future__ import annotations

# --- Column types come from the first rows: so many, or as many as fill that. More rows show rarer
# values, and take longer before a fit begins.
HEAD_ROWS, HEAD_BYTES = 1 << 16, 64 << 20
# Bytes of a text that show the separator and the decimal point, and how many rows of them.
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 16, 100

# --- Blocks.
# A Parquet file of so many bytes at most is read a row group at once. A larger one is read by
# pieces, in less memory; but a damaged page may then claim 2 GiB before the claim is seen to be
# false.
SMALL = 16 << 20
# Bytes of a text at a time: no row may be longer.
CSV_BYTES = 4 << 20
# A block of a very wide table is cut to this, whatever its number of rows.
BLOCK_BYTES = 64 << 20
# A row group of more bytes is not read again and again: such files are copied.
GROUP_BYTES = 256 << 20
# Levels of brackets that pyarrow's reader of JSON is given: its time grows with their cube (7 s at
# 900), and at some 10,000 it ends the process.
DEEP = 30

# --- Notes on dominant columns: fewer notes miss columns that decide alone, more are noise.
# A note is written on a column with as large a share of the gains,
LARGE = 0.25
# or with this share where no squared correlation with another column is as large as that,
SOME = 0.1
UNRELATED = 0.02
# if as large a share of what its splits explain is its own,
ALONE = 0.8
# and no other column has as large a share of its spread explained by them.
HARDLY = 0.05
# With fewer columns there are no notes: some column has to decide.
FEWEST = 3
