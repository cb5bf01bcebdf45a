"""Tests of the paper's data sets and experiments."""
