"""Utilities for all packages: lazy imports, progress, atomic files, result tables."""
