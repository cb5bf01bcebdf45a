"""Draw the pictures of docs/: ``python docs/pictures.py``. Needs matplotlib."""

from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, datasets
from agathis._trees.tree import MOVES
from agathis.plot import cluster_style, plot_clusters, plot_gains, plot_profile, plot_tree

IMAGES = Path(__file__).parent / "images"

wine = load_wine(as_frame=True).data
scaler = StandardScaler().set_output(transform="pandas").fit(wine)
scaled = scaler.transform(wine)
model = Kauri(n_clusters=3, max_leaf_nodes=6).fit(scaled)


def save(figure: Figure, name: str) -> None:
    figure.savefig(IMAGES / f"{name}.png", dpi=110, metadata={"Software": None})


save(plot_tree(model, scaler=scaler).figure, "tree")

two = wine[["flavanoids", "color_intensity"]]
plane = Kauri(n_clusters=3, max_leaf_nodes=6).fit(two)
figure = Figure(figsize=(9, 3.4), layout="constrained")
left, right = figure.subplots(1, 2)
plot_clusters(plane, two, ax=left)
plot_gains(model, ax=right)
save(figure, "clusters_and_gains")

save(plot_profile(model, scaled, max_features=8).figure, "profile")

# A tree as it grows: the same rows after each of some splits.
X, _ = datasets.make_rotated_gaussians(240, angle=0.6, random_state=1)
figure = Figure(figsize=(10, 5.2), layout="constrained")
for ax, leaves in zip(figure.subplots(2, 3).ravel(), (2, 3, 4, 5, 6, 8), strict=True):
    grown = Kauri(n_clusters=3, max_leaf_nodes=leaves).fit(X)
    plot_clusters(grown, X, ax=ax, legend=False)
    # The node that was made last is the right child of the last split.
    last = int((grown.tree_.children_right == grown.tree_.children_right.max()).argmax())
    kind = MOVES[grown.tree_.move[last]]
    ax.set_title(f"{leaves} leaves, {kind}: objective {grown.objective_:.1f}", fontsize=10)
save(figure, "growth")

# Which two features of those with three tell the shape.
seen = {"make_chainlink": (1, 2), "make_tetra": (0, 2)}
makers = datasets.__all__
figure = Figure(figsize=(10, 4), layout="constrained")
places = figure.subplots(2, 6).ravel()
for ax, name in zip(places, makers, strict=False):
    X, y = getattr(datasets, name)(random_state=0)
    first, second = seen.get(name, (0, 1))
    for k in range(y.max() + 1):
        rows = X[y == k]
        colour = cluster_style(k).colour
        ax.scatter(rows[:, first], rows[:, second], s=2 if len(rows) > 3 else 9, color=colour)
    ax.set_title(name, fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])
    if name != "make_imm":
        ax.set_aspect("equal", adjustable="datalim")
for ax in places[len(makers) :]:
    ax.set_axis_off()
save(figure, "made_sets")
