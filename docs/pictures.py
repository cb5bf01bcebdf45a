"""Draw the pictures of docs/plots.md: ``python docs/pictures.py``. Needs matplotlib."""

from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis.plot import plot_clusters, plot_gains, plot_profile, plot_tree

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
