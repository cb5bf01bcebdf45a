"""Positive kernels: their values, and a few rows that nearly span those of many.

What is positive is an inner product of some features, which is what a feature map looks for.
:class:`PivotedCholesky` finds ``K ~ F F'`` column by column: a row is drawn with the chance of
what is left of its diagonal, and what it explains of all rows becomes a column (RPCholesky of
Chen, Epperly, Tropp and Webber). With m rows and D columns it takes m D kernel values, m D^2
steps and m D numbers, never m^2. What is left out is told as a share of the *centred* kernel,
since the gains of a tree do not change when the kernel is centred. With the residual
``R = K - F F'`` the share told is ``tr(R) / (tr(K) - |sum of the rows of F|^2 / m)``. Above the
line and below it this counts ``sum(R) / m`` more than ``tr(H R H) / tr(H K H)``, the share that
is meant: it is never less than that, and the same once the mean is spanned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from agathis._kernels.kernel import Kernel
from agathis._kernels.tuning import DRAWN_AT_ONCE

# Of a row's kernel value with itself, what may be left of it by rounding alone. A pivot is larger,
# so that to divide by its root costs five digits at most.
RANK = 1e-10
# Of the largest diagonal value, or eigenvalue, how far below zero is more than rounding.
NEGATIVE = 1e-4


class NotPositiveError(ValueError):
    """A kernel that is no inner product."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(
            f"{kernel} is not positive on these rows, so no features have it as their inner "
            "product; with n_components=None and engine='auto' any symmetric kernel is taken."
        )


@dataclass(frozen=True)
class PositiveKernel:
    """A kernel in the form in which it is positive, with the same gains.

    scikit-learn's additive chi2 kernel ``-sum (x - y)^2 / (x + y)`` is positive only once
    ``|x|_1 + |y|_1`` is added, which makes it ``sum 4 x y / (x + y)``. Terms of one row each
    change no gain: centring takes them away.
    """

    kernel: Kernel

    @property
    def name(self) -> str:
        """The kernel's name; empty for a callable."""
        return self.kernel.metric if isinstance(self.kernel.metric, str) else ""

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Kernel values between the rows of X and of Y; of X's dtype for rbf, else float64."""
        if self.name == "rbf":
            return self._rbf(X, Y.astype(X.dtype, copy=False))
        values = self.kernel.between(X, Y)
        if self.name == "additive_chi2":
            values += X.sum(axis=1)[:, None]
            values += Y.sum(axis=1)
        return values

    def _rbf(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """One matrix product and one exponential, in place: half the time of scikit-learn's."""
        gamma = self.kernel.gamma(X.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            values = X @ (2 * gamma * Y.T)
            values -= gamma * _squares(Y)
            values -= (gamma * _squares(X))[:, None]
            np.minimum(values, 0, out=values)  # rounding: a row is not nearer than itself
            return np.exp(values, out=values)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """Kernel value of each row with itself."""
        if self.name == "additive_chi2":
            return 2 * X.sum(axis=1, dtype=np.float64)
        if callable(self.kernel.metric):
            own = (self.kernel.metric(row, row, **self.kernel.params) for row in X)
            return np.fromiter(own, np.float64, len(X))
        return self.kernel.diagonal(X)

    def rounding(self, X: np.ndarray) -> np.ndarray:
        """How much rounding may change the kernel values of each row, relative to them.

        Squared distances of rows far from the origin are differences of large numbers. A callable
        may compute in float32.
        """
        if callable(self.kernel.metric):
            return np.full(len(X), 64 * float(np.finfo(np.float32).eps))
        scale = self.kernel.gamma(X.shape[1]) if self.name == "rbf" else 0.0
        return np.clip(16 * np.finfo(np.float64).eps * scale * _squares(X), 0.0, 0.5)

    def check_sign(self, lowest: float, largest: float) -> None:
        """Raise where a value that should not be negative is, by more than rounding."""
        # Of a kernel that is positive on any rows a negative value can only be rounding.
        if not self.kernel.is_positive and lowest < -NEGATIVE * max(0.0, largest):
            raise NotPositiveError(self.kernel)

    def check_finite(self, values: np.ndarray) -> None:
        if not np.isfinite(values).all():
            raise ValueError(
                f"{self.kernel} gives NaN or infinity for some rows of X; every kernel value must "
                "be finite. Is X very large, or the kernel not defined on it?"
            )


class PivotedCholesky:
    """A Cholesky factor of the kernel on some rows, that grows by columns.

    Attributes
    ----------
    pivots : list of int
        The rows that the columns come from, in the order of the columns.
    diagonal : ndarray of shape (n_rows,)
        Kernel value of each row with itself.
    residual : ndarray of shape (n_rows,)
        What is left of the diagonal; zero where that is rounding.
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
        kernel.check_finite(self.diagonal)
        self.residual = self.diagonal.copy()
        self._largest = self.diagonal.max()
        self._noise = np.maximum(RANK, kernel.rounding(rows)) * np.maximum(self.diagonal, 0.0)
        # Columns are kept as rows: long ones are what the loops inside like.
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
        """The trace of the centred kernel, or a little more: see the head of this file."""
        total = self.columns.sum(axis=0)
        return max(self.residual.sum(), self.diagonal.sum() - total @ total / len(self.rows))

    @property
    def share(self) -> float:
        """The share of the centred kernel that is left out, or a little more."""
        left = self.residual.sum()
        return float(left / self.centred_trace) if left else 0.0

    @property
    def share_elsewhere(self) -> float:
        """The same by the rows that are no pivots, which says what is left of other rows."""
        others = np.delete(self.residual, self.pivots)
        if not others.any():
            return 0.0
        return float(others.mean() / (self.centred_trace / len(self.rows)))

    def extend(self) -> bool:
        """Draw pivots, a few at a time at first; whether there was anything left to draw."""
        columns, start = self.columns, len(self.pivots)
        space, left = len(self._columns) - start, self.residual.sum()
        if not space or not left:
            return False
        size = min(space, DRAWN_AT_ONCE, 1 + start // 8)
        drawn = self.random_state.choice(len(self.rows), size, p=self.residual / left)
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
        block = self._values(drawn, drawn) - columns[drawn] @ columns[drawn].T
        taken = self._accepted(block, drawn)
        if not taken:  # what looked like a residual was rounding
            self.residual[drawn[0]] = 0.0
            return True
        new = drawn[taken]
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
        """Kernel values between rows, where those of a row with itself do not round."""
        values = self.kernel.between(self.rows[some], self.rows[others])
        self.kernel.check_finite(values)
        own = some if isinstance(others, slice) else np.arange(len(some))
        values[np.arange(len(some)), own] = self.diagonal[some]
        return values

    def _accepted(self, block: np.ndarray, drawn: np.ndarray) -> list[int]:
        """Those of the drawn rows that would have been drawn one after the other.

        A row stays with the chance of what those before it leave of its residual: so a second
        row near the first is seldom taken, the same row never.
        """
        left, taken = block.copy(), []
        chances = self.random_state.uniform(size=len(drawn)) * np.diagonal(block)
        for j, i in enumerate(drawn):
            self.kernel.check_sign(left[j, j], self._largest)
            if left[j, j] > max(chances[j], self._noise[i]):
                taken.append(j)
                left -= np.outer(left[:, j], left[j] / left[j, j])
        return taken

    def _settle(self) -> None:
        """Raise where a residual is clearly negative; set to zero what is rounding."""
        self.kernel.check_sign(self.residual.min(), self._largest)
        self.residual[self.residual <= self._noise] = 0.0


def _squares(rows: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", rows, rows)
