"""
Document clustering with TF-IDF
===============================

The docstrings of three packages of SciPy as documents. TF-IDF gives one column per term, the cosine
kernel compares documents of any length, and the tree splits on terms.
"""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy.linalg
import scipy.signal
import scipy.stats
from sklearn.feature_extraction.text import TfidfVectorizer

from agathis import Kauri
from agathis.plot import plot_tree

documents, packages = [], []
for package in (scipy.linalg, scipy.signal, scipy.stats):
    for name in package.__all__:
        text = inspect.getdoc(getattr(package, name)) or ""
        if inspect.isroutine(getattr(package, name)) and len(text) > 400:
            documents.append(text.split("Examples\n")[0])
            packages.append(package.__name__)

terms = TfidfVectorizer(
    stop_words="english", token_pattern=r"[a-z]{4,}", min_df=0.05, max_df=0.5, sublinear_tf=True
)
X = pd.DataFrame(terms.fit_transform(documents).toarray(), columns=terms.get_feature_names_out())
model = Kauri(3, kernel="cosine", max_leaf_nodes=5).fit(X)
print(f"{len(documents)} documents, {X.shape[1]} terms")
counts = pd.crosstab(np.array(packages), model.labels_)
print(counts)

# %%
# The rules of the clusters. A weight of 0 is a term that does not occur.

plot_tree(model)

# %%
# The terms that distinguish each cluster most from the others.

figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for cluster, ax in enumerate(axes):
    rows = model.labels_ == cluster
    typical = (X[rows].mean() - X[~rows].mean()).nlargest(8)[::-1]
    ax.barh(typical.index, typical)
    ax.set_title(f"cluster {cluster}: mostly {counts[cluster].idxmax()}", fontsize=9)
