"""Metrics of clusterings and of the simplicity of their explanations.

For trees: depth, explanation size, a table of rules. For any labels: the kernel KMeans cost, its
ratio to a reference, accuracy against classes, MMD-GEMINI. And an upper bound on how much better
another tree of the same size can be.
"""

from agathis.metrics._labels import (
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
