"""Code that runs on workers: the conversion of blocks to arrays, and an actor for the blocks.

The answers of an actor do not depend on the number of actors, nor on earlier requests.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from agathis._checks.data import column_totals
from agathis._checks.kernels import check_domain
from agathis._checks.one_hot import check_one_hot
from agathis._checks.roles import FeatureRoles
from agathis._core.points.binning import look_over
from agathis._dataset.fixed_point import Grid, Seen
from agathis._dataset.parts import Answer, LeafSums, Part, Question, Sums, added
from agathis._dataset.row_stores import Plan, RowStore
from agathis._dataset.splits import AppliedSplit
from agathis._kernels.kernel import Kernel
from agathis._utils.exact_sums import exact_sums
from agathis.dask._encoded import as_floats, as_rows
from agathis.dask._tree_reduction import Branch, summed


class Block(NamedTuple):
    """The rows of a partition, or the error message ``fault``."""

    number: int
    X: np.ndarray | None
    weight: np.ndarray | None = None
    fault: str | None = None
    roles: FeatureRoles | None = None
    names: list[Any] | None = None


class PartitionFacts(NamedTuple):
    """The statistics of a partition."""

    number: int
    n_rows: int
    n_features: int
    wide: bool
    missing: np.ndarray
    n_weighted: int
    weight: Any
    least: float
    fault: str | None
    roles: FeatureRoles | None
    names: list[Any] | None


def as_block(
    number: int, rows: Any, weight: Any, names: Sequence[str] | None, n_features: int | None
) -> Block:
    """Convert a partition to a block; errors are stored, and raised by the fit."""
    try:
        own_names = names_of(rows)
        if names is not None and own_names is not None and own_names != list(names):
            columns = [str(name) for name in own_names]
            raise ValueError(f"it has the columns {columns}, and the collection {list(names)}.")
        rows = as_rows(rows)
        X = as_floats(rows)
        if n_features is not None and X.shape[1] != n_features:
            raise ValueError(f"it has {X.shape[1]} columns, and the collection {n_features}.")
        row_weight = None
        if weight is not None:
            row_weight = np.ascontiguousarray(weight, dtype=np.float64).ravel()
            if len(row_weight) != len(X):
                raise ValueError(
                    f"sample_weight has {len(row_weight)} values for its {len(X)} rows."
                )
    except (TypeError, ValueError) as error:
        return Block(number, None, None, str(error))
    roles = getattr(rows, "roles", None)
    return Block(number, X, row_weight, None, roles, own_names)


def names_of(rows: Any) -> list[Any] | None:
    """The column names of a block; None if there are none, or only numbers."""
    # ``columns`` of an Arrow table are the values.
    columns = getattr(rows, "column_names", getattr(rows, "columns", None))
    if columns is None:
        return None
    names = list(columns)
    return None if names == list(range(len(names))) else names


class Rooted(NamedTuple):
    """The sums of all rows, and the magnitudes of each partition."""

    sums: Sums
    seen: dict[int, Seen]


class WorkerParts:
    """The partitions of one worker.

    Parameters
    ----------
    threads : int
    """

    def __init__(self, threads: int) -> None:
        self.blocks: dict[int, Block] = {}
        self.threads = threads
        self.parts: dict[int, Part] = {}
        # The rows of positive weight by partition, None if all.
        self.ids: dict[int, np.ndarray | None] = {}
        self.plan: Plan
        self.leaf_sums: LeafSums
        # A request may come again while the first is under way, if another worker was lost.
        self.lock = threading.Lock()
        self.worker: Any

    def hold(self, keys: list[str]) -> None:
        """Take over blocks in the memory of this worker, so that their tasks can be released."""
        from distributed import get_worker

        self.worker = get_worker()
        for key in keys:
            block = self.worker.data[key]
            self.blocks[block.number] = block

    def inspect(self) -> list[PartitionFacts]:
        return [self._inspect(block) for block in self.blocks.values()]

    def _inspect(self, block: Block) -> PartitionFacts:
        if block.X is None:
            nothing = np.zeros(0)
            return PartitionFacts(
                block.number, 0, 0, False, nothing, 0, 0, 0.0, block.fault, None, None
            )
        X, fault = block.X, None
        missing = np.zeros(X.shape[1], dtype=np.int64)
        if len(X):
            missing, infinite = look_over(X, self.threads)
            if infinite:
                row, column = np.argwhere(np.isinf(X))[0].tolist()
                fault = f"X has {X[row, column]} in its row {row}, column {column}"
        n_weighted, total, smallest = 0, Fraction(0), 0.0
        if block.weight is not None and len(X):
            if not np.isfinite(block.weight).all():
                fault = "sample_weight has a value that is missing or infinite"
            else:
                n_weighted, smallest = len(X), float(block.weight.min())
                total = exact_sums(block.weight[:, None])[0]
                if (block.weight == 1.0).all():
                    n_weighted = 0
        wide = X.dtype == np.float64 and len(X) > 0
        return PartitionFacts(
            block.number,
            len(X),
            X.shape[1],
            wide,
            missing,
            n_weighted,
            total,
            smallest,
            fault,
            block.roles,
            block.names,
        )

    def count(self, min_weight: float | None) -> list[tuple[int, int]]:
        """Select the rows above a minimum weight; return their number by partition."""
        for number, block in self.blocks.items():
            self.ids[number] = None
            if min_weight is not None and block.weight is not None:
                self.ids[number] = np.flatnonzero(block.weight > min_weight).astype(np.int32)
        return [(number, self._n_counted(number)) for number in self.blocks]

    def _n_counted(self, number: int) -> int:
        X, ids = self.blocks[number].X, self.ids[number]
        assert X is not None
        return len(X) if ids is None else len(ids)

    def check_domain(self, kernel: Kernel) -> None:
        """Raise ValueError for values outside the domain of the kernel."""
        for block in self.blocks.values():
            if block.X is not None and len(block.X):
                check_domain(kernel, block.X)

    def widen(self) -> None:
        """Convert all values to float64."""
        for number, block in self.blocks.items():
            if block.X is not None and block.X.dtype != np.float64:
                self.blocks[number] = block._replace(X=block.X.astype(np.float64))

    def rows(self, positions: dict[int, np.ndarray]) -> dict[int, tuple[np.ndarray, Any]]:
        """Some of the rows of positive weight, and their weights, by partition."""
        out = {}
        for number, some in positions.items():
            if number in self.blocks:
                block, ids = self.blocks[number], self.ids[number]
                assert block.X is not None
                at = some if ids is None else ids[some]
                out[number] = block.X[at], None if block.weight is None else block.weight[at]
        return out

    def totals(self) -> np.ndarray | None:
        """The sums of columns and of weights, without missing values."""
        totals = [
            column_totals(block.X, block.weight)
            for block in self.blocks.values()
            if block.X is not None and len(block.X)
        ]
        return added(totals) if totals else None

    def on(self, groups: list[np.ndarray], names: Any) -> list[tuple[int, np.ndarray]]:
        """The nonzero value of the columns of each group, by nonempty partition."""
        return [
            (number, check_one_hot(block.X, groups, names))
            for number, block in self.blocks.items()
            if block.X is not None and len(block.X)
        ]

    def prepare(self, plan: Plan, weighted: bool) -> None:
        self.plan = plan
        if "pyarrow" in sys.modules:
            # Free the memory of decoded files for bins.
            sys.modules["pyarrow"].default_memory_pool().release_unused()
        for number, block in self.blocks.items():
            if block.X is None or len(block.X) == 0:
                continue
            weight = block.weight if weighted else None
            ids = self.ids[number]
            ids = np.arange(len(block.X), dtype=np.int32) if ids is None else ids.copy()
            self.parts[number] = Part(RowStore(block.X, plan, self.threads), ids, weight)
        self.leaf_sums = LeafSums(plan, self.threads)

    def root(self, grid: Grid) -> Rooted:
        """The sums of all rows on a grid, and the magnitudes of each partition."""
        seen = {}
        part_sums = LeafSums(self.plan, self.threads)
        with self.lock:
            self.leaf_sums.set_grid(grid)
            for number, part in self.parts.items():
                part_sums.set_grid(grid)
                part.sums([], 0, part_sums, True, _silent)
                assert part_sums.seen is not None
                seen[number] = part_sums.seen
                self.leaf_sums.put(part_sums.take())
            return Rooted(self.leaf_sums.take(), seen)

    def sums(self, cuts: Sequence[AppliedSplit], leaf_index: int) -> Sums:
        with self.lock:
            for part in self.parts.values():
                part.sums(cuts, leaf_index, self.leaf_sums, False, _silent)
            return self.leaf_sums.take()

    async def summed(
        self, method: str, args: tuple[Any, ...], below: Sequence[Branch], timeout: float
    ) -> Any:
        """The answer of ``sums`` or ``root``, including that of the workers below."""

        def own() -> Any:
            return getattr(self, method)(*args)

        return await summed(self.worker, own, self.added, (method, args), below, timeout)

    def added(self, answers: list[Any]) -> Any:
        """Add several answers of ``sums`` or ``root``."""
        pairs = [one if isinstance(one, Rooted) else Rooted(one, {}) for one in answers]
        with self.lock:
            for pair in pairs:
                self.leaf_sums.put(pair.sums)
            total = self.leaf_sums.take()
        if not isinstance(answers[0], Rooted):
            return total
        return Rooted(total, {number: seen for pair in pairs for number, seen in pair.seen.items()})

    def size(self, cuts: Sequence[AppliedSplit], leaf_index: int) -> int:
        return sum(part.size(cuts, leaf_index) for part in self.parts.values())

    def ask(self, cuts: Sequence[AppliedSplit], leaf_index: int, question: Question) -> Answer:
        nothing = Answer(0, 0, 0, 0)
        return added(
            [nothing, *(part.ask(cuts, leaf_index, question) for part in self.parts.values())]
        )


def _silent(done: int, total: int) -> None:
    """Ignore progress, which the client reports."""


def versions() -> dict[str, str]:
    """The versions that must be the same on the client and on the workers."""
    return {
        "agathis": version("agathis"),
        "numpy": np.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
    }
