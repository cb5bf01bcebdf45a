"""
HTML report
===========

A self-contained HTML file about a tree and its clusters, by :func:`agathis.report.write`, embedded
here unchanged.
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
# The report, in a frame. It has an interactive tree, the distribution of each column, and the path
# of any row.


class Framed:
    """A page inside another one, for a notebook or for the page that you read."""

    def _repr_html_(self):
        return f'<iframe class="report" title="A report page" srcdoc="{escape(text)}"></iframe>'


Framed()

# %%
# The tree as a plot:

plot_tree(model, cluster_names=names)
