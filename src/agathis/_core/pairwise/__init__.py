"""Sums over pairs of samples: state, search, and the updates after a cut."""
