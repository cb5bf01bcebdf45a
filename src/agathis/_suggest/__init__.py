"""Suggest the number of clusters and leaves for a table, with scores and reasons."""

from agathis._suggest.figures import default_min_leaf
from agathis._suggest.search import suggest
from agathis._suggest.suggestion import Candidate, Suggestion

__all__ = ["Candidate", "Suggestion", "default_min_leaf", "suggest"]
