"""Rules, a picture, a report and SQL as methods of a fitted model.

Each method calls the function of the same purpose, which also takes pipelines and trees. These
functions are in packages above this one: importing them in the methods is the one exception of the
import contract in ``pyproject.toml``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from agathis._rules.notebook import NotebookDisplayMixin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from agathis.export._rules import Rules


class ModelMethods(NotebookDisplayMixin):
    """Methods of a fitted model with a tree; stands before ``BaseEstimator``."""

    def rules(self, X: Any = None, y: ArrayLike | None = None, **options: Any) -> Rules:
        """Describe each cluster in one rule.

        Parameters
        ----------
        X, y, **options
            As for :func:`agathis.export.to_rules`: rows to count, their classes, and names.

        Returns
        -------
        rules : Rules
            A table with one row per cluster; as text it is sentences.
        """
        from agathis.export import to_rules

        return to_rules(self, X, y, **options)

    def plot(self, **options: Any) -> Axes:
        """Draw the tree.

        Parameters
        ----------
        **options
            As for :func:`agathis.plot.plot_tree`, such as ``ax`` and ``feature_names``.

        Returns
        -------
        ax : matplotlib Axes
        """
        from agathis.plot import plot_tree

        return plot_tree(self, **options)

    def report(
        self,
        path: str | os.PathLike[str],
        X: ArrayLike,
        y: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """Write an HTML report about the tree and its clusters.

        Parameters
        ----------
        path : str or PathLike
            The file, which is replaced.
        X : array-like of shape (n_samples, n_features)
            The rows to describe, such as the training rows; for a pipeline the raw table.
        y : array-like of shape (n_samples,), optional
            Classes of the rows.
        **options
            As for :func:`agathis.report.write`, such as ``title`` and ``cluster_names``.
        """
        from agathis.report import write

        write(self, X, path, y, **options)

    def to_sql(self, **options: Any) -> str:
        """Write the tree as an expression in SQL.

        Parameters
        ----------
        **options
            As for :func:`agathis.export.to_sql`, such as ``dialect`` and ``table``.

        Returns
        -------
        sql : str
        """
        from agathis.export import to_sql

        return to_sql(self, **options)
