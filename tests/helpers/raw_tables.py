"""Tables as people have them: numbers with gaps and slips, words, truths, dates, prices, names."""

from __future__ import annotations

import numpy as np
import pandas as pd


def raw_table(n: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    group = random.integers(0, 3, n)
    days = pd.to_timedelta(random.integers(0, 900 * 24, n), unit="h")
    words = np.array(["yes", "no", "late"])[(group + (random.random(n) < 0.1)) % 3]
    shares = np.r_[np.full(4, 0.2), np.full(36, 0.2 / 36)]
    table = pd.DataFrame(
        {
            "id": np.arange(n),
            "size": group * 3 + random.normal(size=n).round(3),
            "visits": random.poisson(3 + 4 * group),
            "paid": words,
            "member": random.random(n) < 0.3 + 0.2 * group,
            "joined": pd.Timestamp("2020-01-01") + days,
            "seen": (pd.Timestamp("2021-01-01") + days).strftime("%d.%m.%Y"),
            "price": [f"€ {value:.2f}" for value in 5 + 10 * group + random.random(n)],
            "zip": random.integers(10_000, 10_030, n),
            "note": [f"word {i} and {j} more" for i, j in random.integers(0, 10**6, (n, 2))],
            "city": random.choice([f"c{i}" for i in range(40)], n, p=shares),
            "same": "x",
        }
    )
    table.loc[random.random(n) < 0.05, "size"] = np.nan
    table.loc[random.random(n) < 0.05, "paid"] = None
    table.loc[random.integers(n), "visits"] = 100_000
    return table
