"""Positive semi-definite kernels and their low-rank factors by randomly pivoted Cholesky.

:class:`PivotedCholesky` computes ``K ~ F F'`` column by column: a pivot row is sampled with
probability proportional to its residual diagonal (RPCholesky of Chen, Epperly, Tropp and Webber).
With m rows and D columns it takes m D kernel values, O(m D^2) time and O(m D) memory. The error is
a fraction of the *centred* kernel, since centring does not change the gains of a tree. With the
residual ``R = K - F F'`` it is ``tr(R) / (tr(K) - |sum of the rows of F|^2 / m)``, an upper bound
of ``tr(H R H) / tr(H K H)`` that is tight once F spans the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from agathis._kernels.kernel import Kernel
from agathis._kernels.tuning import DRAWN_AT_ONCE

# Residuals of a row below this, relative to its diagonal value, are rounding. Larger pivots cost at
# most five digits.
RANK = 1e-10
# Values below minus this, relative to the largest diagonal value or eigenvalue, are negative.
NEGATIVE = 1e-4


class NotPositiveError(ValueError):
    """The kernel is not positive semi-definite."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(
            f"{kernel} is not positive semi-definite on these rows, so it has no feature map; use "
            "n_components=None and engine='auto', which accept any symmetric kernel."
        )


@dataclass(frozen=True)
class PositiveKernel:
    """A positive semi-definite kernel with the same gains.

    scikit-learn's additive chi2 kernel ``-sum (x - y)^2 / (x + y)`` is positive only once
    ``|x|_1 + |y|_1`` is added, which makes it ``sum 4 x y / (x + y)``. Terms of a single row change
    no gain, as centring removes them.
    """

    kernel: Kernel

    @property
    def name(self) -> str:
        """The kernel's name; empty for a callable."""
        return self.kernel.metric if isinstance(self.kernel.metric, str) else ""

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Kernel values between the rows of X and Y; in the dtype of X for rbf, else float64."""
        if self.name == "rbf":
            return self._rbf(X, Y.astype(X.dtype, copy=False))
        values = self.kernel.between(X, Y)
        if self.name == "additive_chi2":
            values += X.sum(axis=1)[:, None]
            values += Y.sum(axis=1)
        return values

    def _rbf(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """One matrix product and one exponential in place, twice as fast as scikit-learn."""
        gamma = self.kernel.gamma(X.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            values = X @ (2 * gamma * Y.T)
            values -= gamma * _squares(Y)
            values -= (gamma * _squares(X))[:, None]
            np.minimum(values, 0, out=values)  # squared distances are not negative
            return np.exp(values, out=values)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """Kernel value of each row with itself."""
        if self.name == "additive_chi2":
            return 2 * X.sum(axis=1, dtype=np.float64)
        if callable(self.kernel.metric):
            values = (self.kernel.metric(row, row, **self.kernel.params) for row in X)
            return np.fromiter(values, np.float64, len(X))
        return self.kernel.diagonal(X)

    def rounding(self, X: np.ndarray) -> np.ndarray:
        """Relative rounding error of the kernel values of each row.

        Squared distances of rows far from the origin are differences of large numbers. A callable
        may use float32.
        """
        if callable(self.kernel.metric):
            return np.full(len(X), 64 * float(np.finfo(np.float32).eps))
        scale = self.kernel.gamma(X.shape[1]) if self.name == "rbf" else 0.0
        return np.clip(16 * np.finfo(np.float64).eps * scale * _squares(X), 0.0, 0.5)

    def check_sign(self, lowest: float, largest: float) -> None:
        """Raise if the lowest value is negative by more than rounding."""
        # Negative values of a kernel known to be positive are rounding.
        if not self.kernel.is_positive and lowest < -NEGATIVE * max(0.0, largest):
            raise NotPositiveError(self.kernel)


class PivotedCholesky:
    """A pivoted Cholesky factor of the kernel on some rows, computed by columns.

    Attributes
    ----------
    pivots : list of int
        The pivot rows, in the order of the columns.
    diagonal : ndarray of shape (n_rows,)
        Kernel value of each row with itself.
    residual : ndarray of shape (n_rows,)
        The residual diagonal; zero where it is rounding.
    """

    def __init__(
        self,
        kernel: PositiveKernel,
        rows: np.ndarray,
        n_components: int,
        random_state: np.random.RandomState,
    ) -> None:
        self.kernel, self.rows, self.random_state = kernel, rows, random_state
        self.pivots: list[int] = []
        self.diagonal = kernel.diagonal(rows)
        kernel.kernel.check_finite(self.diagonal)
        self.residual = self.diagonal.copy()
        self._largest = self.diagonal.max()
        self._noise = np.maximum(RANK, kernel.rounding(rows)) * np.maximum(self.diagonal, 0.0)
        # Stored transposed, for contiguous access.
        self._columns = np.empty((min(n_components, len(rows)), len(rows)))
        self._settle()

    @property
    def columns(self) -> np.ndarray:
        """The factor, of shape (n_rows, n_pivots)."""
        return self._columns[: len(self.pivots)].T

    @property
    def triangle(self) -> np.ndarray:
        """The Cholesky factor of the kernel on the pivots."""
        return np.tril(self.columns[self.pivots])

    @property
    def centred_trace(self) -> float:
        """An upper bound of the trace of the centred kernel."""
        total = self.columns.sum(axis=0)
        return max(self.residual.sum(), self.diagonal.sum() - total @ total / len(self.rows))

    @property
    def share(self) -> float:
        """An upper bound of the fraction of the centred kernel that is left out."""
        left = self.residual.sum()
        return float(left / self.centred_trace) if left else 0.0

    def extend(self) -> bool:
        """Add pivots, few at a time at first; False if the residual is zero."""
        columns, start = self.columns, len(self.pivots)
        space, left = len(self._columns) - start, self.residual.sum()
        if not space or not left:
            return False
        size = min(space, DRAWN_AT_ONCE, 1 + start // 8)
        sampled = self.random_state.choice(len(self.rows), size, p=self.residual / left)
        sampled = sampled[np.sort(np.unique(sampled, return_index=True)[1])]
        block = self._values(sampled, sampled) - columns[sampled] @ columns[sampled].T
        taken = self._accepted(block, sampled)
        if not taken:  # the residual was rounding
            self.residual[sampled[0]] = 0.0
            return True
        new = sampled[taken]
        fresh = self._values(new, slice(None)) - columns[new] @ columns.T
        corner = np.linalg.cholesky(block[np.ix_(taken, taken)])
        fresh = solve_triangular(corner, fresh, lower=True, check_finite=False)
        self._columns[start : start + len(new)] = fresh
        self.pivots += new.tolist()
        self.residual -= np.einsum("ij,ij->j", fresh, fresh)
        self.residual[self.pivots] = 0.0
        self._settle()
        return True

    def _values(self, some: np.ndarray, others: np.ndarray | slice) -> np.ndarray:
        """Kernel values between rows, with the exact diagonal."""
        values = self.kernel.between(self.rows[some], self.rows[others])
        self.kernel.kernel.check_finite(values)
        columns = some if isinstance(others, slice) else np.arange(len(some))
        values[np.arange(len(some)), columns] = self.diagonal[some]
        return values

    def _accepted(self, block: np.ndarray, sampled: np.ndarray) -> list[int]:
        """Those of the candidate rows that sequential sampling would have accepted.

        A row is accepted with the probability of its residual after the rows before it, so a second
        row near the first is rarely accepted, and the same row never.
        """
        left, taken = block.copy(), []
        chances = self.random_state.uniform(size=len(sampled)) * np.diagonal(block)
        for j, i in enumerate(sampled):
            self.kernel.check_sign(left[j, j], self._largest)
            if left[j, j] > max(chances[j], self._noise[i]):
                taken.append(j)
                left -= np.outer(left[:, j], left[j] / left[j, j])
        return taken

    def _settle(self) -> None:
        """Raise if a residual is negative; set rounding to zero."""
        self.kernel.check_sign(self.residual.min(), self._largest)
        self.residual[self.residual <= self._noise] = 0.0


def _squares(rows: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", rows, rows)
