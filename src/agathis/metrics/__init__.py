"""How good clusters are, and how short their explanations.

What is read from a tree: its depth, the size of its explanations, a table of its rules. What is
computed of any labels: the cost of kernel KMeans, the same relative to the best that is known,
accuracy against classes, MMD-GEMINI. And how much better another tree of the same size can be.
"""

from agathis.metrics._clusters import (
    kernel_kmeans_score,
    mmd_gemini,
    relative_kmeans_score,
    unsupervised_accuracy,
)
from agathis.metrics._optimality import optimality_gap
from agathis.metrics._trees import (
    explanation_table,
    weighted_average_depth,
    weighted_average_explanation_size,
)

__all__ = [
    "explanation_table",
    "kernel_kmeans_score",
    "mmd_gemini",
    "optimality_gap",
    "relative_kmeans_score",
    "unsupervised_accuracy",
    "weighted_average_depth",
    "weighted_average_explanation_size",
]
