"""What the charts of a page draw: profile, plane and curve, in plain numbers."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from agathis._describe.described_tree import Described
from agathis._describe.gains import gain_curve
from agathis._describe.points import cluster_points
from agathis._describe.profile import ClusterProfile
from agathis._trees.tree import Tree
from agathis.report._bins import plane_bins
from agathis.report._rows import rounded

# Features of the profile; points of the plane where rows may be shown.
PROFILE, POINTS = 20, 4000


def profile_data(profile: ClusterProfile) -> dict[str, object]:
    """The most telling features."""

    def plain(table: np.ndarray) -> list[list[float | None]]:
        return [[rounded(v) for v in line[:PROFILE]] for line in table]

    return {
        "features": profile.features[:PROFILE].tolist(),
        "explained": [rounded(v) for v in profile.explained[:PROFILE]],
        "means": plain(profile.means),
        "standardised": plain(profile.standardised),
    }


def plane_data(
    described: Described, X: np.ndarray, standardise: bool, rows: bool
) -> dict[str, object]:
    """Rows in the plane: counts in bins, or points where rows may be shown."""
    most = POINTS if rows else None
    found = cluster_points(
        described.tree,
        X,
        feature_names=described.features,
        cluster_names=described.clusters,
        standardise=standardise,
        max_points=most,
    )
    bins = plane_bins(found.points, found.cluster, found.plane == "feature")
    points = None
    if rows:
        bins["cells"] = []
        points = [
            [rounded(x), rounded(y), int(k), int(row)]
            for (x, y), k, row in zip(found.points, found.cluster, found.rows, strict=True)
            if np.isfinite(x) and np.isfinite(y)
        ]
    regions = None
    if found.regions is not None:
        # Sides that do not end are None.
        regions = [
            [r.cluster, *map(rounded, (r.x_low, r.x_high, r.y_low, r.y_high))]
            for r in found.regions
        ]
    return {
        "kind": found.plane,
        "axes": list(found.axis_names),
        "explained": None if found.explained is None else [rounded(v) for v in found.explained],
        **bins,
        "points": points,
        "regions": regions,
        "standardised": standardise,
        "n_missing": found.n_missing,
        "n_rows": len(X),
    }


def curve_data(model: BaseEstimator | Tree, tree: Tree) -> dict[str, object]:
    """The objective, or what all splits so far added, after each split."""
    curve = gain_curve(model)
    known = curve.objective is not None
    values = curve.cumulative if curve.objective is None else curve.objective
    return {
        "of": "objective" if known else "gain so far",
        "values": [rounded(v) for v in values],
        "n_clusters": curve.n_clusters.tolist(),
        "founds": curve.founds.tolist(),
        "enough": curve.leaves_for(0.95) if tree.n_leaves > 1 else 1,
    }
