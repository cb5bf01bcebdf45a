"""Raw tables in: files and data frames become rows of numbers.

    a file -> whole_table (text, Parquet, Arrow; spreadsheet, json_rows), or source and csv_source
    block by block (both by formats, csv_layout, csv_reader and notation)
    a data frame -> frames
    -> column_verdicts (with codes and calendar) -> encode (fit, transform) -> scaling

Rows for a tree that is known come by feature_rows, of tables and of data frames. A file of
any size goes by file_columns and spill; labels are written by labels. Columns that decide too much
are found by deciding. What is wrong or worth saying is told by errors, in parts of which the
command line makes its own words.

pyarrow parses and infers types: cells of CSV, lines of JSON, ISO dates, Parquet and Arrow. By hand
is what it does not do: the separator, the decimal point, a line ``sep=`` and the encoding
(csv_layout), numbers as people write them, with thousands and units (number_notation), dates in
other orders and words, and parts of dates as columns (calendar), texts for missing values
(missing_marks), limits on streams (stream_limits), JSON of mixed types (json_rows), Excel
(spreadsheet, by openpyxl), a quote that is never closed (csv_source).
"""
