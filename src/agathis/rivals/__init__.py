"""The other clustering trees: what Kauri is compared with, on the same ``Tree``."""

from __future__ import annotations
