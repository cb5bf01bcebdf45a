"""Kernels and rows for feature maps, and what makes a map that of its kernel."""

import numpy as np

from agathis._kernels.kernel import Kernel
from agathis._kernels.kernel_approximation import fit_map

KERNELS = {
    "linear": {},
    "cosine": {},
    "rbf": {"gamma": 0.5},
    "laplacian": {"gamma": 0.3},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.0},
    "chi2": {"gamma": 0.5},
    "additive_chi2": {},
}
RBF = Kernel("rbf", {"gamma": 0.5})


def seed(number=0):
    return np.random.RandomState(number)


def fitted(kernel, X, n_components=256, tol=0.0, state=0):
    return fit_map(
        kernel,
        X,
        n_components,
        tol=tol,
        random_state=seed(state),
    )


def named(name):
    return Kernel(name, KERNELS[name])


def rows_for(name, n=80, d=3, state=0):
    X = np.random.default_rng(state).normal(size=(n, d))
    return np.abs(X) if "chi2" in name else X


def centred(gram):
    half = gram - gram.mean(axis=0)
    return half - half.mean(axis=1)[:, None]


def same_gains(features, gram, tolerance=1e-8):
    """Kernels that are equal once centred give equal gains."""
    apart = centred(features @ features.T) - centred(gram)
    assert np.abs(apart).max() <= tolerance * max(1.0, np.abs(gram).max())
