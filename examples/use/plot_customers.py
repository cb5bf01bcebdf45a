"""
Customer segmentation: from a raw table to SQL
==============================================

A raw table with an identifier, amounts, counts, a category, a date and missing values. One call
clusters it, and the rules then run in the database.
"""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd

import agathis
from agathis.export import to_rules, to_sql
from agathis.plot import plot_tree

random = np.random.default_rng(0)
kind = random.choice(["new", "loyal", "large"], 900, p=[0.45, 0.4, 0.15])
customers = pd.DataFrame(
    {
        "customer_id": np.arange(100_000, 100_900),
        "orders_a_year": np.select(
            [kind == "new", kind == "loyal"],
            [random.poisson(2, 900), random.poisson(14, 900)],
            random.poisson(9, 900),
        ),
        "basket": np.where(kind == "large", 480, 55) * random.lognormal(0, 0.3, 900),
        "months": np.where(kind == "new", random.uniform(0, 8, 900), random.uniform(6, 90, 900)),
        "plan": np.where(
            kind == "large", "business", random.choice(["free", "plus"], 900, p=[0.6, 0.4])
        ),
        "joined": pd.Timestamp("2026-01-01") - pd.to_timedelta(random.integers(0, 900, 900), "D"),
    }
)
customers["basket"] = customers["basket"].round(2)
customers["months"] = customers["months"].round(1)
customers.loc[::23, "months"] = np.nan

model = agathis.fit_table(customers, n_clusters=3, random_state=0)
print(model[0].columns_)

# %%
# One rule per cluster, in the units of the table.

print(to_rules(model, customers))

# %%
# The same as SQL: SQLite gives the predictions of the model, also for missing values.

query = to_sql(model, dialect="sqlite", table="customers")
print(query)
with closing(sqlite3.connect(":memory:")) as database:
    customers.astype({"joined": str}).to_sql("customers", database, index=False)
    answer = pd.read_sql(query, database)["cluster"]
print("\nthe database gives the same clusters:", np.array_equal(answer, model.predict(customers)))

# %%
# The tree, in the units of the table.

plot_tree(model)
