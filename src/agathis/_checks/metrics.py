"""Validation of the arguments of metrics: labels, and rows with a kernel or kernel matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.parameters import METRIC_CONSTRAINTS
from agathis._kernels.kernel import Kernel
from agathis._kernels.spec import KernelSpec


class CheckedRows(NamedTuple):
    """Rows with a kernel; ``matrix`` is the kernel matrix if that is precomputed."""

    X: np.ndarray
    kernel: Kernel
    matrix: np.ndarray | None
    threads: int


def check_rows(
    X: ArrayLike, kernel: str | Callable[..., float], params: dict[str, Any], caller: str
) -> CheckedRows:
    """Validate the rows and the kernel of a metric."""
    threads = checks.n_threads(None)
    known = _kernel_of(kernel, params, caller)
    table = checks.check_table(X)
    if kernel == "precomputed":
        if table.shape[0] != table.shape[1]:
            raise ValueError(
                "X must be the square kernel matrix with kernel='precomputed'; it has shape "
                f"{table.shape}."
            )
        matrix = kernel_checks.check_gram(table, len(table), threads, "X")
        return CheckedRows(table, known, matrix, threads)
    kernel_checks.check_domain(known, table)
    return CheckedRows(np.ascontiguousarray(table, dtype=np.float64), known, None, threads)


def _kernel_of(kernel: str | Callable[..., float], params: dict[str, Any], caller: str) -> Kernel:
    if callable(kernel):
        return Kernel(kernel, dict(params))
    values: dict[str, Any] = {"gamma": None, "degree": 3, "coef0": 1}
    unknown = sorted(params.keys() - values)
    if unknown:
        raise TypeError(
            f"{caller}() got an unexpected keyword argument {unknown[0]!r}; kernel={kernel!r} "
            "takes gamma, degree and coef0."
        )
    values.update(params)
    checks.check_arguments(caller, METRIC_CONSTRAINTS, kernel=kernel, **values)
    return KernelSpec(kernel, **values).resolve()


def check_labels(
    labels: ArrayLike, name: str = "labels", n: int | None = None, of: str = "X"
) -> np.ndarray:
    """Encode labels as 0, 1, ... in the order of their values.

    ``n`` is the expected number of labels, the number of rows of the argument ``of``.
    """
    values = np.asarray(labels)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{name} must have shape (n_samples,); it has shape {values.shape}.")
    if len(values) == 0:
        raise ValueError(f"{name} is empty; at least one value is required.")
    if n is not None and len(values) != n:
        raise ValueError(f"{name} has {len(values)} values; {of} has {n} rows.")
    if values.dtype.kind == "O":
        _refuse(np.array([_is_no_label(value) for value in values]), values, name)
        codes: dict[Any, int] = {}
        # Mixed types cannot be sorted, so use the order of appearance.
        return np.array([codes.setdefault(value, len(codes)) for value in values], dtype=np.intp)
    if values.dtype.kind == "f":
        _refuse(~(np.isfinite(values) & (values == np.round(values))), values, name)
    elif values.dtype.kind not in "biuSTU":
        raise ValueError(f"{name} must be integers or strings; it has dtype {values.dtype}.")
    return np.unique(values, return_inverse=True)[1].astype(np.intp)


def _is_no_label(value: object) -> bool:
    """Whether a value is missing, or a float that is not an integer."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and not float(value).is_integer()


def _refuse(bad: np.ndarray, values: np.ndarray, name: str) -> None:
    if bad.any():
        index = int(np.argmax(bad))
        raise ValueError(
            f"{name} must be integers or strings without missing values; "
            f"{name}[{index}] is {values[index]}."
        )
