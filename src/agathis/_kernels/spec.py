"""The kernel parameters of an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agathis._kernels.kernel import Kernel


@dataclass(frozen=True)
class KernelSpec:
    """A kernel with all kernel parameters of an estimator, used or not.

    Attributes
    ----------
    kernel : str or callable
        A name, ``"precomputed"``, or a function of two rows.
    gamma, degree, coef0 : float
        ``gamma=None`` is scikit-learn's default for the kernel.
    kernel_params : mapping or None
        Keyword arguments of a callable.
    """

    kernel: str | Callable[..., float] = "linear"
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1
    kernel_params: Mapping[str, Any] | None = None

    def resolve(self, columns: np.ndarray | None = None) -> Kernel:
        """The kernel with the parameters that it uses, on ``columns`` (all by default).

        Examples
        --------
        >>> KernelSpec("rbf", gamma=0.5).resolve().params["gamma"]
        0.5
        """
        seen = None if columns is None else tuple(columns.tolist())
        if callable(self.kernel):
            return Kernel(self.kernel, dict(self.kernel_params or {}), seen)
        if self.kernel_params:
            raise ValueError(
                f"kernel_params={self.kernel_params!r} is only for a callable kernel; "
                f"kernel={self.kernel!r} has gamma, degree and coef0."
            )
        params: dict[str, Any] = {"degree": self.degree, "coef0": self.coef0}
        if self.gamma is not None:
            params["gamma"] = self.gamma
        return Kernel(self.kernel, params, seen)
