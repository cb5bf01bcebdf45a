"""Evidence that the groups of a table are more than one: tested on rows that chose nothing."""

from agathis._evidence.nested import coarser
from agathis._evidence.of_model import evidence
from agathis._evidence.repeats import Repeats

__all__ = ["Repeats", "coarser", "evidence"]
