"""Trees in other forms."""

from agathis.export.text import to_text

__all__ = ["to_text"]
