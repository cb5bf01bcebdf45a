"""The values of a column: numbers, dates, identifiers, missing values and outliers."""
