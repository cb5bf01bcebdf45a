"""Simulate quantiles of the dip of uniform samples, for p-values of the dip test.

    python tools/dip_quantiles.py src/agathis/_evidence/dip_quantiles.py

Of all unimodal distributions the uniform one has the largest dips in large samples, which makes the
test conservative for others (Hartigan and Hartigan, 1985). It takes some minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from agathis._core.shared.dip import dips

SIZES = (20, 30, 50, 100, 200, 500, 1000, 2000, 5000)
TAILS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
SAMPLES = 200_000
VALUES_AT_ONCE = 10_000_000

HEAD = '''"""Quantiles of the dip of uniform samples, by ``tools/dip_quantiles.py``."""

# Tail probabilities, and for each sample size the values of sqrt(n) dip with that tail.
TAILS = (
    {tails},
)
QUANTILES = {{
{rows}
}}
'''


def simulated(n: int, random: np.random.Generator) -> np.ndarray:
    """The dips of many uniform samples of n values."""
    out: list[np.ndarray] = []
    at_once = VALUES_AT_ONCE // n
    for begin in range(0, SAMPLES, at_once):
        rows = random.random((min(at_once, SAMPLES - begin), n))
        rows.sort(axis=1)
        out.append(dips(rows))
    return np.concatenate(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    output = parser.parse_args().output
    random = np.random.default_rng(0)
    rows = []
    for n in SIZES:
        values = np.sqrt(n) * np.quantile(simulated(n, random), 1 - np.array(TAILS))
        listed = [f"{value:.4f}" for value in values]
        half = len(listed) // 2 + 1
        lines = ",\n        ".join(", ".join(part) for part in (listed[:half], listed[half:]))
        rows.append(f"    {n}: (\n        {lines},\n    ),")
    tails = ", ".join(map(repr, TAILS))
    output.write_text(HEAD.format(tails=tails, rows="\n".join(rows)))


if __name__ == "__main__":
    main()
