"""Tables with and without groups, for ``evidence.py``: each family is sampled by seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

ROWS, COLUMNS = (50, 5000), (3, 60)
LETTERS = np.array(list("abcdefghij"))


def size(random: np.random.Generator) -> tuple[int, int]:
    """Numbers of rows and columns, evenly on a logarithmic scale."""
    n, d = (float(np.exp(random.uniform(*np.log(limits)))) for limits in (ROWS, COLUMNS))
    return round(n), round(d)


def factors(random: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Normal columns that share one to three factors."""
    loadings = random.normal(size=(random.integers(1, 4), d)) * random.uniform(0.5, 2)
    return random.normal(size=(n, len(loadings))) @ loadings + random.normal(size=(n, d))


def independent(random: np.random.Generator, n: int, d: int) -> pd.DataFrame:
    return named(random.normal(size=(n, d)))


def correlated(random: np.random.Generator, n: int, d: int) -> pd.DataFrame:
    return named(factors(random, n, d))


def skewed(random: np.random.Generator, n: int, d: int) -> pd.DataFrame:
    """Log-normal, exponential and gamma columns; in half of the tables log-normals correlate."""
    if random.random() < 0.5:
        Z = factors(random, n, d)
        return named(np.exp(random.uniform(0.5, 1.2) * Z / Z.std(axis=0)))
    kinds = [
        random.lognormal(0, random.uniform(0.5, 1.2), (n, d)),
        random.exponential(size=(n, d)),
        random.gamma(random.uniform(0.7, 4), size=(n, d)),
    ]
    return named(np.choose(random.integers(3, size=d), kinds))


def heavy_tailed(random: np.random.Generator, n: int, d: int) -> pd.DataFrame:
    """Student's t with 1.5 to 4 degrees of freedom, per column or for rows as a whole."""
    freedom = random.uniform(1.5, 4)
    if random.random() < 0.5:
        return named(random.standard_t(freedom, (n, d)))
    return named(factors(random, n, d) / np.sqrt(random.chisquare(freedom, (n, 1)) / freedom))


def uniform(random: np.random.Generator, n: int, d: int) -> pd.DataFrame:
    return named(random.uniform(size=(n, d)))


def mixed(random: np.random.Generator, n: int, d: int) -> pd.DataFrame:
    """Numbers, rounded numbers, counts and categories; in a third of the tables they correlate."""
    latent = factors(random, n, d) if random.random() < 1 / 3 else random.normal(size=(n, d))
    latent = latent / latent.std(axis=0)
    columns: dict[str, object] = {}
    for j in range(d):
        z, kind = latent[:, j], random.integers(6)
        if kind == 0:
            columns[f"c{j}"] = z
        elif kind == 1:
            columns[f"c{j}"] = np.round(170 + 10 * z)
        elif kind == 2:
            columns[f"c{j}"] = np.floor(np.exp(1 + 0.7 * z))
        else:
            levels = random.integers(2, 7)
            edges = np.quantile(z, np.sort(random.uniform(0.05, 0.95, levels - 1)))
            columns[f"c{j}"] = LETTERS[np.searchsorted(edges, z)]
    return pd.DataFrame(columns)


NULLS: dict[str, Callable[[np.random.Generator, int, int], pd.DataFrame]] = {
    one.__name__: one for one in (independent, correlated, skewed, heavy_tailed, uniform, mixed)
}


def named(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


def null_table(family: str, seed: int) -> pd.DataFrame:
    """A table without groups."""
    random = np.random.default_rng([seed, *family.encode()])
    return NULLS[family](random, *size(random))


def planted(layout: str, n: int, apart: float, seed: int) -> pd.DataFrame:
    """Three groups of equal size in eight columns, with equally distant centres.

    "plane": the centres differ in two columns; "space": in all, by a random rotation; "mixed": in
    two columns, and two of the others are categories, one of which depends on the group.
    """
    random = np.random.default_rng([seed, n, int(10 * apart), *layout.encode()])
    group = random.permutation(np.arange(n) % 3)
    centres = np.zeros((3, 8))
    centres[:, :2] = apart * np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    if layout == "space":
        centres = centres @ np.linalg.qr(random.normal(size=(8, 8)))[0]
    frame = named(centres[group] + random.normal(size=(n, 8)))
    if layout == "mixed":
        same = random.random(n) < 0.8
        frame["c6"] = LETTERS[np.where(same, group, random.integers(3, size=n))]
        frame["c7"] = LETTERS[random.integers(3, size=n)]
    return frame


def population(index: int, n: int, seed: int) -> pd.DataFrame:
    """Rows of a population of two to four groups; of one index all have the same groups."""
    fixed = np.random.default_rng([index, 77])
    k, d = int(fixed.integers(2, 5)), int(fixed.integers(3, 9))
    centres = np.zeros((k, d))
    for j in range(1, k):
        centres[j, fixed.integers(d)] = 7 * j * fixed.choice([-1, 1])
        centres[j] += fixed.normal(size=d)
    shares = fixed.dirichlet(np.full(k, 8.0))
    deviations = fixed.uniform(0.7, 1.6, size=(k, d))
    skew = fixed.random(d) < 0.3
    random = np.random.default_rng([index, seed])
    group = random.choice(k, size=n, p=shares)
    noise = random.normal(size=(n, d))
    noise = np.where(skew, random.gamma(2.0, size=(n, d)) / np.sqrt(2) - np.sqrt(2), noise)
    return named(centres[group] + deviations[group] * noise)
