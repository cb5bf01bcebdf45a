"""The binned engine for points, with thresholds between bins: for very many rows.

The table of a leaf has a row for each nonempty bin of each feature. At a split only the smaller
child is summed; the larger one is the difference. The time of a search depends on the number of
bins, not of rows. Missing values are a separate bin that may go to either side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agathis._core.points.histogram import remainder
from agathis._core.points.leaves import LeafTable, PointState
from agathis._dataset.fixed_point import Grid, Seen, settled
from agathis._dataset.parts import Holder, LeafSums, Question
from agathis._dataset.row_stores import Plan
from agathis._dataset.splits import AppliedSplit, Split
from agathis._growth.engines.categories import CategoryTables
from agathis._growth.engines.points import Located, PointEngine
from agathis._growth.engines.protocol import Place
from agathis._growth.limits import Limits
from agathis._kernels.space import Space
from agathis._trees.tree import MISSING_GOES
from agathis._utils.progress import Progress


class BinnedEngine(PointEngine):
    """See :class:`agathis._growth.engines.protocol.GainEngine`.

    Parameters
    ----------
    holder : Holder
        Holds the rows.
    plan : Plan
    space : Space
        Maps new rows to points.
    limits : Limits
    threads : int
    progress : Progress
    """

    def __init__(
        self,
        holder: Holder,
        plan: Plan,
        space: Space,
        limits: Limits,
        threads: int,
        progress: Progress,
    ) -> None:
        self.holder, self.bins, self.progress = holder, plan.bins, progress
        self.cuts: list[AppliedSplit] = []
        leaf_sums = LeafSums(plan, threads)
        self.leaf_sums = leaf_sums

        def root(grid: Grid) -> Seen:
            leaf_sums.set_grid(grid)
            holder.sums([], 0, leaf_sums, True, progress.rows)
            assert leaf_sums.seen is not None
            return leaf_sums.seen

        grid, seen = settled(plan.grid, holder.n_rows, root)
        self.plan = replace(plan, grid=grid)
        self.sources = None
        if plan.sources is not None and leaf_sums.codes is not None:
            self.sources = CategoryTables(plan.sources, leaf_sums.codes)
            self.sources.start_root()
        state = PointState(leaf_sums.table(), limits.n_clusters, threads)
        super().__init__(
            state,
            space,
            grid.origin,
            grid.inertia(seen),
            limits,
            plan.searched,
            self.sources,
        )

    def _split_along(self, leaf_index: int, located: Located) -> Split:
        table, column = self.state.tables[leaf_index], located.place
        before, after = table.bins_around(column, located.row)
        missing = 0
        if table.n_missing(column):
            missing = MISSING_GOES.index("left" if located.missing_left else "right")
        threshold = self.bins.threshold(column, before, after)
        feature = self.searched.number(column)
        return Split(
            feature,
            threshold,
            located.gain,
            located.move,
            located.left,
            located.right,
            before,
            missing,
        )

    def place(
        self,
        leaf_index: int,
        feature: int,
        threshold: float,
        missing_left: bool,
        terms: tuple[tuple[int, float], ...] = (),
    ) -> Place:
        """See :class:`~agathis._growth.engines.protocol.GainEngine`; a bin cannot be split."""
        column = self.searched.place(feature)
        if terms or column is None:
            question = Question(feature, threshold, missing_left, terms, np.inf, np.inf)
            answer = self.holder.ask(self.cuts, leaf_index, question)
            return Place(-1, answer.n_left, answer.n_missing > 0)
        last, low, high = self.bins.around(column, threshold)
        question = Question(feature, threshold, missing_left, terms, low, high)
        answer = self.holder.ask(self.cuts, leaf_index, question)
        if answer.inside_left and answer.inside_right:
            raise ValueError(
                f"rows on both sides of it are in one bin of that feature, from {low:.6g} to "
                f"{high:.6g}; with engine='binned' a threshold must lie between two bins "
                "(fits with the same int as random_state have the same bins)."
            )
        # If no row of the leaf is in that bin, either side is right.
        position = last if answer.inside_left else last - 1
        return Place(position, answer.n_left, answer.n_missing > 0)

    def commit(self, leaf_index: int, split: Split) -> int:
        parent, other = self.state.tables[leaf_index], self.state.n_leaves
        applied = AppliedSplit.of(leaf_index, split, self.searched)
        self.cuts.append(applied)
        if applied.place >= 0:
            n_left = parent.n_up_to(applied.place, applied.last)
            n_left += applied.missing_left * parent.n_missing(applied.place)
        else:
            n_left = self.holder.size(self.cuts, leaf_index)
        small_is_left = 2 * n_left <= parent.n_samples
        small = self._sum(leaf_index if small_is_left else other)
        large = remainder(parent, small)
        self.state.cut(leaf_index, *((small, large) if small_is_left else (large, small)))
        if self.sources is not None:
            self.sources.cut(leaf_index, small_is_left)
        return self._move_sides(leaf_index, other, split)

    def _sum(self, leaf_index: int) -> LeafTable:
        """The table of a leaf; its rows are also added to the categorical features."""
        self.holder.sums(self.cuts, leaf_index, self.leaf_sums, False, self.progress.rows)
        return self.leaf_sums.table()
