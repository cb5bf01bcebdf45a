"""Suggest the number of clusters of a table: as many as halves of the rows show."""

from agathis._suggest.search import suggest, suggestion_of
from agathis._suggest.suggestion import Candidate, Suggestion

__all__ = ["Candidate", "Suggestion", "suggest", "suggestion_of"]
