"""The scatter plot of a page: bins of rows, or points if rows may be shown."""

from __future__ import annotations

import numpy as np

from agathis._rules.described_tree import Described
from agathis._rules.projection import ClusterPoints, cluster_points, principal
from agathis.report._bins import plane_bins
from agathis.report._fit_rows import FitRows, sample_of
from agathis.report._node_rows import rounded
from agathis.report._tuning import MAX_POINTS


def plane_data(
    described: Described, X: np.ndarray, fit_rows: FitRows, labels: np.ndarray, rows: bool
) -> dict[str, object]:
    """Rows in the plane: counts in bins, or points if ``rows`` may be shown.

    The axes are the columns in their units if there are one or two, otherwise the first two
    principal components in the space of the fit.
    """
    tree = described.tree
    if tree.n_features > 2:
        sample = sample_of(len(X), MAX_POINTS if rows else len(X))
        points, explained = principal(fit_rows.points, sample, standardise=False)
        plane = ClusterPoints(
            plane="components",
            points=points,
            cluster=labels[sample],
            rows=sample,
            axis_names=("principal component 1", "principal component 2"),
            explained=explained,
            regions=None,
            sizes=np.bincount(labels, minlength=tree.n_clusters),
            cluster_names=tuple(described.clusters),
            n_missing=0,
        )
    else:
        plane = cluster_points(
            tree,
            X,
            feature_names=described.features,
            cluster_names=described.clusters,
            max_points=MAX_POINTS if rows else None,
        )
    bins = plane_bins(plane.points, plane.cluster, plane.plane == "feature")
    marks = None
    if rows:
        bins["cells"] = []
        marks = [
            [rounded(x), rounded(y), int(k), int(row)]
            for (x, y), k, row in zip(plane.points, plane.cluster, plane.rows, strict=True)
            if np.isfinite(x) and np.isfinite(y)
        ]
    regions = None
    if plane.regions is not None:
        # Unbounded sides are None; lines are a, b and c of a x + b y <= c.
        regions = [
            [
                r.cluster,
                *map(rounded, (r.x_low, r.x_high, r.y_low, r.y_high)),
                [list(line) for line in r.lines],
            ]
            for r in plane.regions
        ]
    return {
        "kind": plane.plane,
        "axes": list(plane.axis_names),
        "explained": None if plane.explained is None else [rounded(v) for v in plane.explained],
        **bins,
        "points": marks,
        "regions": regions,
        "scaled": fit_rows.scaling != "none",
        "n_missing": plane.n_missing,
        "n_rows": len(X),
    }
