"""Figures that stand in the prose of pages, each from a file that a command wrote.

A page writes ``{{ paper.all }}`` where the number stands. ``results/cells.csv`` is written by
``make paper``, ``benchmarks/panel.json`` by ``make panel``, ``benchmarks/results.json`` by ``make
bench``, ``benchmarks/search.json`` by ``make bench-search``.
"""

import csv
import json
from statistics import mean

METHODS = {
    "kauri": "Kauri",
    "kmeans_dt": "KMeans+DT",
    "imm": "IMM",
    "exshallow": "ExShallow",
    "exkmc": "ExKMC",
    "rdm": "RDM",
    "icot": "ICOT",
}


def figures(root):
    """All figures by name."""
    panel, bench, search = (
        read(root / "benchmarks" / f"{name}.json") for name in ("panel", "results", "search")
    )
    return {
        "paper": agreement(cells(root)),
        "panel": panel_figures(panel),
        "bench": bench_figures(bench),
        "search": search_figures(search),
        "suggest": suggest_figures(panel),
    }


def read(path):
    """What a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def cells(root):
    """The rows of ``results/cells.csv``, numbers as numbers."""
    with (root / "results" / "cells.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["mean"] = float(row["mean"]) if row["mean"] else None
    return rows


def agreement(rows):
    """How many of the paper's cells agree, as ``670 of 673``."""
    # A set of both a table and its extension counts where the paper prints it.
    printed = [row for row in rows if row["agrees"]]
    linear = ("kauri", "kmeans_dt", "imm", "exshallow", "exkmc", "rdm")
    chosen = {
        "all": printed,
        "linear": [
            row
            for row in printed
            if row["kernel"] == "linear"
            and row["metric"] in ("ari", "wad", "waes")
            and row["method"] in linear
        ],
        "kernels": [
            row
            for row in printed
            if row["kernel"] != "linear" and row["metric"] == "ari" and row["method"] == "kauri"
        ],
        "cost": [row for row in printed if row["metric"] == "relative_kmeans"],
    }
    return {
        name: f"{sum(row['agrees'] == 'yes' for row in some)} of {len(some)}"
        for name, some in chosen.items()
    }


def panel_figures(panel):
    """Mean ARI of the labelled raw tables."""
    rows = panel["fit"]["rows"]
    mixed = [row for row in rows if row["mixed"]]
    found = {"tables": len(rows), "mixed_tables": len(mixed)}
    for name in ("agathis", "standard", "prototypes", "minmax"):
        found[name] = f"{mean(row[name] for row in rows):.3f}"
        found[f"{name}_mixed"] = f"{mean(row[name] for row in mixed):.3f}"
    found["moved"] = sum(abs(row["typos"] or 0) > 0.05 for row in rows)
    return found


def suggest_figures(panel):
    """How far suggested numbers of clusters are from numbers of classes."""
    rows = panel["suggest"]["rows"]
    found = {"tables": len(rows)}
    for name in ("suggest", "silhouette", "calinski_harabasz", "gap", "stability"):
        off = [abs(row[name] - row["classes"]) for row in rows]
        found[name] = f"{mean(off):.2f}"
        found[f"{name}_near"] = f"{mean(miss <= 1 for miss in off):.0%}".replace("%", " %")
    return found


def bench_figures(bench):
    """Times of the benchmark's cases."""
    cases = bench["cases"]
    times = {name: case.get("median", {}) for name, case in cases.items()}
    return {
        "date": bench["machine"]["date"][:10],
        "cpu": bench["machine"]["cpu"],
        "rbf": f"{times['rbf-10']['agathis']:.2f} s",
        "rbf_gemclus": f"{times['rbf-10']['gemclus']:.1f} s",
        "million": f"{times['million']['agathis']:.2f} s",
        "million_kmeans": f"{times['million']['KMeans']:.2f} s",
        "ten_million": f"{cases['ten-million']['figures']['seconds']:.1f} s",
        "file": f"{cases['file']['figures']['seconds']:.1f} s",
        "file_memory": f"{cases['file']['figures']['peak_above_mb']:.0f} MB",
        "file_data": f"{cases['file']['figures']['data_mb']:.0f} MB",
    }


def search_figures(search):
    """Mean cost above KMeans of the paper's sets: greedy, and searched."""
    found = {"sets": len({row["set"] for row in search["excess"]})}
    for leaves, short in (("K", "k"), ("4K", "many")):
        rows = [row for row in search["excess"] if row["leaves"] == leaves]
        for name, key in (("greedy", "greedy"), ("local", "effort 1"), ("patient", "effort 10")):
            found[f"{name}_{short}"] = f"{100 * mean(row[key] for row in rows):.1f} %"
    return found
