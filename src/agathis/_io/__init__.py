"""Tables in files are read here: CSV, Parquet, Arrow, Excel and JSON lines."""
