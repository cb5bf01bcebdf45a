"""
A page to pass on
=================

One HTML file of a tree and its clusters, by :func:`agathis.report.write`. It needs no server and no
network; here it is embedded as it is.
"""

from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, report
from agathis.plot import plot_tree

wine = load_wine(as_frame=True)
model = make_pipeline(StandardScaler(), Kauri(n_clusters=3, max_leaf_nodes=6)).fit(wine.data)
names = ["deep in colour", "light", "full-bodied"]
with TemporaryDirectory() as folder:
    page = Path(folder) / "wine.html"
    report.write(
        model,
        wine.data,
        page,
        y=wine.target_names[wine.target],
        cluster_names=names,
        title="Wines of three growers",
    )
    text = page.read_text(encoding="utf-8")
print(f"{len(text) / 1e6:.2f} MB")


# %%
# The page, in a frame. It has a tree to click on, each column as small distributions, and any row
# with its way through the tree.


class Framed:
    """A page inside another one, for a notebook or for the page that you read."""

    def _repr_html_(self):
        return f'<iframe class="report" title="A report page" srcdoc="{escape(text)}"></iframe>'


Framed()

# %%
# The tree of the page as a picture:

plot_tree(model, cluster_names=names)
