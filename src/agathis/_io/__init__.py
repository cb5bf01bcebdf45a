"""Read tables from files: CSV, Parquet, Arrow, Excel and JSON lines.

    a file -> read_table (at once; spreadsheet, json_rows), or table_reader and csv_reader (block by
    block); both detect formats (formats) and the Layout of text (text_layout, csv_layout), and
    parse it with pyarrow (csv_parsing)

pyarrow parses and infers types: CSV cells, JSON lines, ISO dates, Parquet and Arrow. What it lacks
is added here: detection of separator, decimal point, ``sep=`` line and encoding (csv_layout),
limits on streams (stream_limits), JSON of mixed types (json_rows), Excel (spreadsheet, openpyxl),
unclosed quotes (csv_reader); and in ``_columns``: formatted numbers with thousands and units
(number_notation), other date formats and date parts (datetimes), missing values (missing_values).
"""
