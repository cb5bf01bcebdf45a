"""The tree as arrays, how one is put together, and what every estimator with a tree can do."""
