"""What is known of a data set before it is read: its shape, its classes, where it comes from.

An ``Entry`` describes a table as it is kept, ``<name>.csv.gz``: the feature columns and in the
last one the class. What ``load`` makes of it is described by the rest: words for classes and for
values, and whether columns are categories. A class name that several labels share makes one class
of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class File:
    """A file to download, and the SHA-256 of what must come."""

    url: str
    sha256: str | None = None


@dataclass(frozen=True)
class Download:
    """Files that ``sources`` reads with the reader of this name.

    ``labels`` are the labels of the table for those of the source, where they differ. Where an
    archive is packed anew from time to time, ``table_sha256`` is that of the table in it.
    """

    files: tuple[File, ...]
    reader: str
    labels: Mapping[str, str] = field(default_factory=dict)
    table_sha256: str | None = None

    @property
    def address(self) -> str:
        return self.files[0].url


@dataclass(frozen=True)
class OpenML:
    """A set of OpenML, which scikit-learn fetches.

    ``labels`` and ``values`` are those of the table for those of OpenML; the key "" is a missing
    value. With ``numbers_only``, columns that are no numbers are no features.
    """

    name: str
    version: int
    numbers_only: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bundled:
    """A set that comes with scikit-learn; ``loader`` is a name in ``sklearn.datasets``."""

    loader: str


@dataclass(frozen=True)
class Entry:
    """A data set. ``printed`` is the paper's table: samples, features, clusters."""

    name: str
    title: str
    about: str
    features: tuple[str, ...]
    classes: Mapping[str, int]
    printed: tuple[int, int, int]
    source: Download | OpenML | Bundled
    origin: str
    licence: str
    citation: str
    notes: str = ""
    class_names: Mapping[str, str] = field(default_factory=dict)
    value_names: Mapping[int, str] | None = None
    categorical: bool = False

    @property
    def n_samples(self) -> int:
        return sum(self.classes.values())

    @property
    def n_clusters(self) -> int:
        return self.printed[2]

    @property
    def file_name(self) -> str:
        return f"{self.name}.csv.gz"

    @property
    def target_names(self) -> list[str]:
        """The classes of the target in the order of their codes."""
        return list(dict.fromkeys(self.class_of(label) for label in self.classes))

    def class_of(self, label: str) -> str:
        return self.class_names.get(label, label)
