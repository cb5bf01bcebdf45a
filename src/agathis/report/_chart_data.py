"""The rows in the plane, as a page draws them: bins, or points where rows may be shown."""

from __future__ import annotations

import numpy as np

from agathis._rules.described_tree import Described
from agathis._rules.points import ClusterPoints, cluster_points, principal
from agathis.report._bins import plane_bins
from agathis.report._fit_rows import FitRows, sample_of
from agathis.report._node_rows import rounded

#: Points of the plane where rows may be shown.
POINTS = 4000


def plane_data(
    described: Described, X: np.ndarray, scaled: FitRows, labels: np.ndarray, rows: bool
) -> dict[str, object]:
    """Rows in the plane: counts in bins, or points where rows may be shown.

    Of one or two columns they lie there in their units; else along the two directions in which the
    rows differ most in the scaling of the fit.
    """
    tree = described.tree
    if tree.n_features > 2:
        drawn = sample_of(len(X), POINTS if rows else len(X))
        points, explained = principal(scaled.points, drawn, standardise=False)
        found = ClusterPoints(
            plane="components",
            points=points,
            cluster=labels[drawn],
            rows=drawn,
            axis_names=("principal component 1", "principal component 2"),
            explained=explained,
            regions=None,
            sizes=np.bincount(labels, minlength=tree.n_clusters),
            cluster_names=tuple(described.clusters),
            n_missing=0,
        )
    else:
        found = cluster_points(
            tree,
            X,
            feature_names=described.features,
            cluster_names=described.clusters,
            max_points=POINTS if rows else None,
        )
    bins = plane_bins(found.points, found.cluster, found.plane == "feature")
    marks = None
    if rows:
        bins["cells"] = []
        marks = [
            [rounded(x), rounded(y), int(k), int(row)]
            for (x, y), k, row in zip(found.points, found.cluster, found.rows, strict=True)
            if np.isfinite(x) and np.isfinite(y)
        ]
    regions = None
    if found.regions is not None:
        # Sides that do not end are None; lines are a, b and c of a x + b y <= c.
        regions = [
            [
                r.cluster,
                *map(rounded, (r.x_low, r.x_high, r.y_low, r.y_high)),
                [list(line) for line in r.lines],
            ]
            for r in found.regions
        ]
    return {
        "kind": found.plane,
        "axes": list(found.axis_names),
        "explained": None if found.explained is None else [rounded(v) for v in found.explained],
        **bins,
        "points": marks,
        "regions": regions,
        "scaled": scaled.scaling != "none",
        "n_missing": found.n_missing,
        "n_rows": len(X),
    }
