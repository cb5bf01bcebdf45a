"""Estimators that are pickled: a function without a name is told of in words."""

from __future__ import annotations

import pickle
import sys
from types import FrameType
from typing import Any

# These write functions themselves, or none: a name is not needed.
_WITHOUT_NAMES = ("cloudpickle", "copy", "dill", "joblib", "loky")


class TellsOfNamelessFunctions:
    """A mixin of estimators with parameters that may be functions."""

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[misc]
        for name, value in state.items():
            if "<" in getattr(value, "__qualname__", "") and not _written_without_names():
                raise pickle.PicklingError(
                    f"{name}={value!r} is a function without a name by which another process "
                    "would find it, so that the model cannot be pickled: define it by def in a "
                    "module, or use cloudpickle.dumps(model)."
                )
        return state


def _written_without_names() -> bool:
    """Whether who asks for the state is known to do without names of functions."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        parts = frame.f_globals.get("__name__", "").split(".")
        # joblib's own files are written by names, what it sends to other processes is not.
        if parts[0] in _WITHOUT_NAMES and parts[:2] != ["joblib", "numpy_pickle"]:
            return True
        frame = frame.f_back
    return False
