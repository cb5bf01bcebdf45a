"""What a case is given, and what it gives back."""

from collections.abc import Callable
from dataclasses import dataclass, field


class SkipCase(Exception):
    """The case cannot be measured here; the message says why."""


@dataclass
class Run:
    """How to run a case."""

    repeats: int
    quick: bool
    tell: Callable[[str], None]

    def size(self, full, quick):
        return quick if self.quick else full


@dataclass
class Result:
    """What a case found; `seconds` are all raw times of each side."""

    work: str
    figure: str
    bar: str
    met: bool
    seconds: dict[str, list[float]]
    figures: dict[str, float] = field(default_factory=dict)
