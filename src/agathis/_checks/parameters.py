"""Parameter constraints, as scikit-learn validates them."""

from __future__ import annotations

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import _check_feature_names_in

from agathis._checks.engines import AUTO, ENGINES
from agathis._checks.searches import SEARCHES
from agathis._kernels.names import KERNELS

# Validates the argument of ``get_feature_names_out`` of transformers.
check_feature_names_in = _check_feature_names_in

KAURI_CONSTRAINTS: dict[str, list | str] = {
    "n_clusters": [Interval(Integral, 1, None, closed="left")],
    "kernel": [StrOptions({*KERNELS, "precomputed"}), callable],
    "gamma": [Interval(Real, 0, None, closed="left"), None],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "kernel_params": [dict, None],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"}), None],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
    ],
    "engine": [StrOptions({AUTO, *ENGINES})],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "subsample": [Interval(Integral, 2, None, closed="left")],
    "n_components": [Interval(Integral, 1, None, closed="left"), None],
    "one_hot": "no_validation",
    "split_features": "no_validation",
    "kernel_features": "no_validation",
    "search": [StrOptions(set(SEARCHES))],
    "search_effort": [Interval(Real, 0.0, None, closed="neither")],
    "n_init": [Interval(Integral, 0, None, closed="left"), None],
    "time_limit": [Interval(Real, 0.0, None, closed="neither"), None],
    "split": [StrOptions({"axis", "pair"})],
    "keep_training_data": ["boolean"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
}

# Estimators on a Dask cluster.
CLUSTER_CONSTRAINTS: dict[str, list | str] = {
    **KAURI_CONSTRAINTS,
    "timeout": [Interval(Real, 0, None, closed="neither")],
}

_KERNEL_PARAMETERS = ("n_clusters", "gamma", "degree", "coef0", "kernel_params", "n_jobs")


KERNEL_KMEANS_CONSTRAINTS: dict[str, list | str] = {
    **{name: KAURI_CONSTRAINTS[name] for name in _KERNEL_PARAMETERS},
    "kernel": KAURI_CONSTRAINTS["kernel"],
    "algorithm": [StrOptions({"auto", "lloyd", "similarity"})],
    "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}

KMEANS_TREE_CONSTRAINTS: dict[str, list | str] = {
    **{name: KAURI_CONSTRAINTS[name] for name in _KERNEL_PARAMETERS},
    "kernel": [StrOptions(set(KERNELS)), callable],
    "algorithm": KERNEL_KMEANS_CONSTRAINTS["algorithm"],
    "n_init": KERNEL_KMEANS_CONSTRAINTS["n_init"],
    "max_leaf_nodes": KAURI_CONSTRAINTS["max_leaf_nodes"],
    "max_depth": KAURI_CONSTRAINTS["max_depth"],
    "min_samples_leaf": KAURI_CONSTRAINTS["min_samples_leaf"],
    "centers": "no_validation",
    "random_state": ["random_state"],
}

ICOT_CONSTRAINTS: dict[str, list | str] = {
    "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
    "criterion": [StrOptions({"silhouette", "dunn"})],
    "max_depth": KAURI_CONSTRAINTS["max_depth"],
    "min_samples_leaf": KAURI_CONSTRAINTS["min_samples_leaf"],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "max_candidates": [Interval(Integral, 1, None, closed="left"), None],
    "subsample": KAURI_CONSTRAINTS["subsample"],
    "n_jobs": KAURI_CONSTRAINTS["n_jobs"],
    "random_state": KAURI_CONSTRAINTS["random_state"],
}

CENTRE_CONSTRAINTS: dict[str, list | str] = {
    "n_clusters": [Interval(Integral, 1, None, closed="left")],
    "centers": "no_validation",
    "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
}

EXKMC_CONSTRAINTS: dict[str, list | str] = {
    **CENTRE_CONSTRAINTS,
    "max_leaf_nodes": KAURI_CONSTRAINTS["max_leaf_nodes"],
    "base_tree": [StrOptions({"imm"}), None],
}

SHALLOW_CONSTRAINTS: dict[str, list | str] = {
    **CENTRE_CONSTRAINTS,
    "depth_factor": [Interval(Real, 0, None, closed="left")],
}

METRIC_CONSTRAINTS: dict[str, list | str] = {
    **{name: KAURI_CONSTRAINTS[name] for name in ("kernel", "gamma", "degree", "coef0")},
    "root_depth": [Interval(Real, None, None, closed="neither")],
    "offset": [Interval(Real, None, None, closed="neither")],
    "mode": [StrOptions({"ova", "ovo"})],
    "squared": ["boolean"],
    "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
    "reference": [StrOptions({"same"}), Interval(Real, 0, None, closed="left")],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
}

COMPARE_CONSTRAINTS: dict[str, list | str] = {
    **{
        name: KAURI_CONSTRAINTS[name]
        for name in (
            "gamma",
            "degree",
            "coef0",
            "kernel_params",
            "max_leaf_nodes",
            "n_jobs",
            "verbose",
            "random_state",
        )
    },
    "n_clusters": [Interval(Integral, 2, None, closed="left")],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "n_runs": [Interval(Integral, 1, None, closed="left")],
    "subsample": [
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "timeout": [Interval(Real, 0, None, closed="neither"), None],
}

PLOT_CONSTRAINTS: dict[str, list | str] = {
    "max_depth": [Interval(Integral, 0, None, closed="left"), None],
    "details": ["boolean"],
    "root": [StrOptions({"auto", "top", "left"})],
    "fontsize": [Interval(Real, 0, None, closed="neither"), None],
    "standardise": ["boolean"],
    "legend": ["boolean"],
    "max_points": [Interval(Integral, 1, None, closed="left"), None],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
}

MAKER_CONSTRAINTS: dict[str, list | str] = {
    "random_state": ["random_state"],
    "angle": [Interval(Real, None, None, closed="neither")],
    "height": [Interval(Real, 0, None, closed="neither")],
    "variance": [Interval(Real, 0, None, closed="left")],
}


def at_least(least: int) -> list:
    """An integer with this minimum."""
    return [Interval(Integral, least, None, closed="left")]
