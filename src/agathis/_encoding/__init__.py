"""Infer the types of columns, and encode a table as numeric features.

    a table (``_io`` reads files, ``_columns.frames`` data frames) -> column_types -> table_encoder
    (fit, transform) -> scaling

``feature_rows`` builds the rows for an existing tree. ``file_columns`` and ``memory_mapped`` handle
files of any size, ``dominant_columns`` detects columns that dominate the distances.
"""
