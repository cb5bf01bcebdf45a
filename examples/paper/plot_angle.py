"""
Explanations and the angle of the data
======================================

The paper's synthetic figure: three round clusters along a line that is rotated step by step. If
the line is parallel to an axis, one column separates the clusters. The further it is rotated from
both axes, the more conditions explain a row. Kauri chooses its own boundaries; trees that
approximate those of KMeans need more conditions.
"""

import matplotlib.pyplot as plt
import numpy as np

from agathis import Kauri
from agathis.baselines import ExKMC, KMeansTree
from agathis.datasets import make_rotated_gaussians
from agathis.metrics import weighted_average_explanation_size

LEAVES = 12
methods = {
    "Kauri": lambda seed: Kauri(3, max_leaf_nodes=LEAVES),
    "KMeans+DT": lambda seed: KMeansTree(3, max_leaf_nodes=LEAVES, random_state=seed),
    "ExKMC": lambda seed: ExKMC(3, max_leaf_nodes=LEAVES, random_state=seed),
}
angles = np.linspace(0, np.pi / 2, 9)
sizes = {name: np.zeros((len(angles), 5)) for name in methods}
for row, angle in enumerate(angles):
    for seed in range(5):
        X, _ = make_rotated_gaussians(300, angle=angle, random_state=seed)
        for name, method in methods.items():
            model = method(seed).fit(X)
            sizes[name][row, seed] = weighted_average_explanation_size(model, X)

# %%
# The mean number of conditions that explain a row, over five samples of 300 rows. The paper's
# figure has 30 samples and more methods; ``make paper PAPER_ARGS='--only angle'`` computes it.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
X, y = make_rotated_gaussians(300, angle=np.pi / 4, random_state=0)
left.scatter(*X.T, c=y, s=8, cmap="viridis")
left.set_title("the data at 45 degrees")
left.set_aspect("equal")
for (name, values), marker in zip(sizes.items(), "os^", strict=True):
    right.plot(np.degrees(angles), values.mean(axis=1), marker=marker, label=name)
right.set_xlabel("angle, in degrees")
right.set_ylabel("conditions per row (WAES)")
right.legend()
