"""A partition of rows: its objective, its centres, distances to them."""
