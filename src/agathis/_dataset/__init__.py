"""The data of a fit: rows, features, weights, and who holds them."""
