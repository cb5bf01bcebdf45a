"""Facts about the table and the fit of a model: provenance, scores and centres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from agathis._columns.errors import Note
from agathis._encoding.scaling import scaling_summary
from agathis._encoding.table_encoder import TableEncoder
from agathis._io.table_reading import ReadDecisions
from agathis._objective.centres import PointCentres

#: Why a column is left out that an option names.
ASKED, FINDS = "as was asked for", "it finds rows on this page"


@dataclass(frozen=True)
class ColumnUse:
    """How a column of the raw table was handled.

    Attributes
    ----------
    column, kind, became, why : str
    used : bool or None
        None for a column that is only shown.
    """

    column: str
    kind: str = ""
    became: str = ""
    why: str = ""
    used: bool | None = True


@dataclass(frozen=True)
class Provenance:
    """The table that a model was fitted to.

    Attributes
    ----------
    source : str or None
        The file.
    title : str or None
        The title of its pages.
    reading : ReadDecisions
    rows_read, rows_used : int or None
    rows_why : str or None
        Why some rows were not used.
    scaling : str or None
        How numbers were scaled.
    columns : tuple of ColumnUse
    target, identifier : str or None
        The columns of known classes, and of the identifiers that readers of a page find rows by.
    show : tuple of str
        Columns that are only shown.
    missing : str
        The handling of rows with missing values: "tree", "drop" or "error".
    notes : tuple of str
    doubts : tuple of str
        Why the result may be wrong, in the words of a page (``Note.on_page``).
    """

    source: str | None = None
    title: str | None = None
    reading: ReadDecisions = field(default_factory=ReadDecisions)
    rows_read: int | None = None
    rows_used: int | None = None
    rows_why: str | None = None
    scaling: str | None = None
    columns: tuple[ColumnUse, ...] = ()
    target: str | None = None
    identifier: str | None = None
    show: tuple[str, ...] = ()
    missing: Literal["tree", "drop", "error"] = "tree"
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @classmethod
    def of_encoder(
        cls, encoder: TableEncoder, notes: Iterable[Note] | None = None, **known: Any
    ) -> Provenance:
        """The provenance stored in a fitted encoder, updated with the arguments.

        ``notes`` are by default those of the encoder.
        """
        if notes is None:
            notes = [*encoder.notes(), *encoder.notes_on_weights()]
        notes, finds = list(notes), known.get("identifier")
        used = {"left out": False, "only shown": None}
        columns = [
            ColumnUse(
                row["column"],
                row["kind"],
                "" if row["became"] == "only shown" else row["became"],
                row["why"],
                used.get(row["became"], True),
            )
            for row in encoder.columns_
        ]
        columns += [
            ColumnUse(name, "", "left out", FINDS if name == finds else ASKED, False)
            for name in encoder.drop
            if name != known.get("target")
        ]
        values: dict[str, Any] = {
            "scaling": scaling_summary([_usual_scale(encoder)]),
            "columns": tuple(columns),
            "show": tuple(encoder.show),
            "notes": tuple(map(str, notes)),
            "doubts": doubts_of(notes),
        }
        return cls(**{**values, **known})


def doubts_of(notes: Iterable[Note]) -> tuple[str, ...]:
    """The doubtful notes as a page shows them, each once."""
    return tuple(dict.fromkeys(note.on_page() for note in notes if note.doubtful))


def _usual_scale(encoder: TableEncoder) -> str:
    """How most numbers are scaled."""
    if isinstance(encoder.scale, str):
        return encoder.scale
    numbers = [column_type.name for column_type in encoder.used() if column_type.kind == "number"]
    counts = Counter(encoder.scale.get(name, "auto") for name in numbers)
    return max(counts, key=counts.__getitem__, default="auto")


@dataclass(frozen=True)
class FitMetrics:
    """Scores of a fit; None where the method has no such attribute.

    Attributes
    ----------
    objective, inertia : float or None
    lower_bound, gap : float or None
    is_optimal : bool or None
        As :class:`agathis.Kauri` has them.
    n_samples : int or None
    """

    objective: float | None = None
    inertia: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    is_optimal: bool | None = None
    n_samples: int | None = None

    @classmethod
    def of(cls, model: BaseEstimator) -> FitMetrics:
        """The scores of a fitted estimator."""
        kinds = {"objective": float, "inertia": float, "lower_bound": float, "gap": float}
        scores: dict[str, Any] = {}
        for name, kind in {**kinds, "is_optimal": bool}.items():
            value = getattr(model, f"{name}_", None)
            scores[name] = None if value is None else kind(value)
        labels = getattr(model, "labels_", None)
        return cls(**scores, n_samples=len(labels) if isinstance(labels, np.ndarray) else None)


@dataclass(frozen=True)
class CentrePoints:
    """Cluster centres in the space of the fit, for the linear and cosine kernels.

    Attributes
    ----------
    points : tuple of tuples of float
        About ``origin``.
    origin : tuple of float
    fill : tuple of float or None
        The imputed value of each fitted column.
    """

    points: tuple[tuple[float, ...], ...]
    origin: tuple[float, ...]
    fill: tuple[float, ...] | None = None

    @classmethod
    def of(cls, model: BaseEstimator) -> CentrePoints | None:
        """The centres of a fitted estimator; None where they are not points."""
        centres = getattr(model, "_centres", None)
        if not isinstance(centres, PointCentres) or centres.space.map is not None:
            return None
        if len(centres.points) != model.tree_.n_clusters:
            return None
        fill = centres.space.fill
        return cls(
            tuple(tuple(row) for row in centres.points.tolist()),
            tuple(centres.origin.tolist()),
            None if fill is None else tuple(np.asarray(fill, dtype=np.float64).tolist()),
        )
