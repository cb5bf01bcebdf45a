"""Raw tables in: files and data frames become rows of numbers."""
