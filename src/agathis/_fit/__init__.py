"""From a dataset and a spec to a tree: engine, grower and search, put together in one place."""
