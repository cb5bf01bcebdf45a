"""Interpret the values of a column: numbers, dates, identifiers, missing values and outliers.

``errors`` builds messages in parts, so that the command line can name its own options in them.
"""
