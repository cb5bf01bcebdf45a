"""Read files and data frames, and encode them as numeric features.

    a file -> whole_table (text, Parquet, Arrow; spreadsheet, json_rows), or source and csv_source
    block by block (both by formats, csv_layout, csv_reader and notation)
    a data frame -> frames
    -> column_verdicts (with codes and calendar) -> encode (fit, transform) -> scaling

``feature_rows`` builds the rows for an existing tree. ``file_columns`` and ``spill`` handle files
of any size, ``labels`` writes labels, ``dominant_columns`` detects dominant columns. ``errors``
builds messages in parts, so that the command line can name its own options in them.

pyarrow parses and infers types: CSV cells, JSON lines, ISO dates, Parquet and Arrow. These modules
add what it lacks: detection of separator, decimal point, ``sep=`` line and encoding (csv_layout),
formatted numbers with thousands and units (number_notation), other date formats and date parts
(calendar), missing values (missing_marks), limits on streams (stream_limits), JSON of mixed types
(json_rows), Excel (spreadsheet, by openpyxl), unclosed quotes (csv_source).
"""
