"""Data frames of the libraries that people use."""

import polars as pl
import pytest
from sklearn.utils.validation import _get_feature_names

#: scikit-learn before 1.8 asks frames for a protocol that polars 2 has no more: names are lost.
names_of_polars = pytest.mark.skipif(
    _get_feature_names(pl.DataFrame({"a": [1.0]})) is None,
    reason="this scikit-learn sees no names in this polars",
)
POLARS = pytest.param(pl.DataFrame, marks=names_of_polars, id="polars")
