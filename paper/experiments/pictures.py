"""The figures of data: the wine in the plane with three colourings, and the example of IMM.

``wine_views`` and ``imm_views`` fit what is shown and say what is known of it; the functions that
draw them add nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, confusion_matrix
from sklearn.metrics.pairwise import chi2_kernel
from sklearn.utils import Bunch

from agathis._kauri import Kauri
from agathis._kernel_kmeans import KernelKMeans
from agathis._rules.colours import cluster_style
from agathis._trees.tree import Tree
from agathis.baselines import ExKMC, KMeansTree
from agathis.datasets import make_imm
from agathis.metrics import weighted_average_explanation_size
from agathis.plot import plot_clusters
from agathis.plot._style import OUTLINE
from paper.experiments.labels import METHOD_LABELS
from paper.experiments.printed import Name, printed_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Starts of the plain kernel KMeans, an odd number: the picture is of the one in the middle.
STARTS = 31


@dataclass(frozen=True)
class WineView:
    """A colouring of the wines.

    Attributes
    ----------
    title : str
    labels : ndarray
        Renamed so that the group that has most of a class in common has its number.
    ari : float or None
        With the classes; None for the classes themselves.
    """

    title: str
    labels: np.ndarray
    ari: float | None


@dataclass(frozen=True)
class Wine:
    """The wines as points of the plane of two principal components, and three colourings.

    Attributes
    ----------
    points : ndarray of shape (n_samples, 2)
    explained : ndarray of shape (2,)
    views : tuple of WineView
        The classes, Kauri's clusters, those of KMeans+DT.
    range : tuple of float
        The least and the largest ARI of KMeans+DT over the starts.
    """

    points: np.ndarray
    explained: np.ndarray
    views: tuple[WineView, ...]
    range: tuple[float, float]


def wine_views(wine: Bunch) -> Wine:
    """Cluster a set with the χ² kernel and four leaves a cluster; values must not be negative."""
    X, y, k = wine.data, wine.target, wine.n_clusters
    plane = PCA(2, random_state=0).fit(X)
    gram = chi2_kernel(X)
    kauri = Kauri(k, kernel="precomputed", max_leaf_nodes=4 * k).fit(X, gram=gram)
    found = []
    for seed in range(STARTS):
        reference_clustering = KernelKMeans(
            k, kernel="precomputed", algorithm="similarity", random_state=seed
        )
        labels = reference_clustering.fit(X, gram=gram).labels_
        tree = KMeansTree(max_leaf_nodes=4 * k, random_state=seed).fit(X, labels=labels)
        found.append((adjusted_rand_score(y, tree.labels_), seed, tree.labels_))
    found.sort(key=lambda one: one[:2])
    learnt = found[STARTS // 2][2]
    return Wine(
        plane.transform(X),
        plane.explained_variance_ratio_,
        (
            WineView("true classes", y, None),
            _view(METHOD_LABELS["kauri"], y, kauri.labels_),
            _view(METHOD_LABELS["kmeans_dt"], y, learnt),
        ),
        (found[0][0], found[-1][0]),
    )


def _view(title: str, y: np.ndarray, labels: np.ndarray) -> WineView:
    return WineView(title, matched(y, labels), adjusted_rand_score(y, labels))


def matched(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Labels renamed so that each has the number of the class that it is matched with.

    >>> matched(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2])).tolist()
    [0, 0, 1, 2]
    """
    return _names(y, labels)[labels]


def _names(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each label the number of its class."""
    shared = confusion_matrix(y, labels)
    classes, groups = linear_sum_assignment(shared, maximize=True)
    name = np.empty(len(shared), dtype=np.int64)
    name[groups] = classes
    return name


def wine_caption(wine: Wine) -> list[str]:
    """In words what the colourings are worth."""
    kauri, learnt = wine.views[1:]
    return [
        f"ARI with the classes: Kauri {kauri.ari:.2f}, KMeans+DT {learnt.ari:.2f}. The paper "
        "prints no number for this figure; its means over parts of the rows are "
        f"{_printed('kauri'):.2f} and {_printed('kmeans_dt'):.2f}.",
        "KMeans+DT depends on the start of the plain kernel KMeans that it learns from: over "
        f"{STARTS} starts its ARI goes from {wine.range[0]:.2f} to {wine.range[1]:.2f}, and the "
        "picture is of the one in the middle.",
    ]


def _printed(method: str) -> float:
    mean = printed_cells()[Name("wine", "chi2", "4k", method, "ari")].mean
    assert mean is not None  # the paper ran both methods on the wine
    return mean


def draw_wine(figure: Figure, wine: Wine) -> None:
    """The three colourings side by side."""
    axes = figure.subplots(1, len(wine.views), sharex=True, sharey=True)
    for ax, view in zip(axes, wine.views, strict=True):
        for k in np.unique(view.labels):
            style = cluster_style(int(k))
            ax.scatter(
                *wine.points[view.labels == k].T,
                s=18,
                c=style.colour,
                marker=style.marker,
                edgecolors=OUTLINE,
                linewidths=0.4,
            )
        ax.set_title(view.title if view.ari is None else f"{view.title}, ARI {view.ari:.2f}")
        ax.set_xlabel(f"component 1 ({100 * wine.explained[0]:.0f}% of variance)")
    axes[0].set_ylabel(f"component 2 ({100 * wine.explained[1]:.0f}% of variance)")


@dataclass(frozen=True)
class ImmView:
    """A tree on the example of IMM.

    Attributes
    ----------
    title : str
    tree : Tree
        Its clusters have the numbers of the classes that they are matched with.
    leaves : int
    waes : float
        Without the paper's 1.
    first : str
        The axis of the first split.
    """

    title: str
    tree: Tree
    leaves: int
    waes: float
    first: str


def imm_views() -> tuple[np.ndarray, tuple[ImmView, ...]]:
    """The rows, and the trees of Kauri, KMeans+DT and ExKMC, which begins with that of IMM."""
    X, y = make_imm(random_state=0)
    models: dict[str, Kauri | KMeansTree | ExKMC] = {
        "Kauri": Kauri(3, max_leaf_nodes=None),
        "KMeans+DT": KMeansTree(3, random_state=0, max_leaf_nodes=None),
        "IMM / ExKMC": ExKMC(3, max_leaf_nodes=3, random_state=0),
    }
    views = []
    for title, model in models.items():
        tree = model.fit(X).tree_
        name = _names(y, model.labels_)
        tree = replace(tree, cluster=name[tree.cluster].astype(tree.cluster.dtype))
        waes = weighted_average_explanation_size(tree, X)
        views.append(ImmView(title, tree, tree.n_leaves, waes, "xy"[tree.feature[0]]))
    return X, tuple(views)


def imm_caption(views: tuple[ImmView, ...]) -> list[str]:
    """In words how the trees differ."""
    return [
        f"{view.title} cuts first along {view.first}, has {view.leaves} leaves and a WAES of "
        f"{view.waes:.2f} ({view.waes + 1:.2f} as the paper counts)."
        for view in views
    ]


def draw_imm(figure: Figure, X: np.ndarray, views: tuple[ImmView, ...]) -> None:
    """The rows and the leaves of each tree as rectangles."""
    axes = figure.subplots(1, len(views), sharex=True, sharey=True)
    for ax, view in zip(axes, views, strict=True):
        plot_clusters(view.tree, X, ax=ax, feature_names=["x", "y"], legend=False)
        ax.set_title(
            f"{view.title}\nfirst cut along {view.first}, {view.leaves} leaves, "
            f"WAES {view.waes:.2f}",
            fontsize="medium",
        )
        ax.label_outer()
