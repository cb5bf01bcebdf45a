"""Figures that stand in the prose of pages, each from a file that a command wrote.

A page writes ``{{ paper.all }}`` where the number stands; what pages write that are read in the
repository too is told in ``tools/figures.py``. ``make paper`` writes ``results/cells.csv`` and
``results/index.html``, and in ``benchmarks/`` are written ``panel.json`` by ``make panel``,
``results.json`` by ``make bench``, ``search.json`` by ``make bench-search``, ``cluster.json`` by
``make bench-dask``, and ``paper_checks.json``, ``limited_api.json``, ``subsets.json`` and
``awkward.json`` by the scripts of the same names. ``docs/installs.json`` says what was built and
installed.
"""

import csv
import html
import json
import re
from statistics import mean, median

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
    panel, bench, search, checks, cluster, limited, subsets, awkward = (
        read(root / "benchmarks" / f"{name}.json")
        for name in (
            "panel",
            "results",
            "search",
            "paper_checks",
            "cluster",
            "limited_api",
            "subsets",
            "awkward",
        )
    )
    rows, page = cells(root), sentences(root / "results" / "index.html")
    return {
        "paper": agreement(rows) | target_values(rows) | exkmc_values(rows) | told(page),
        "checks": check_figures(checks, rows),
        "panel": panel_values(panel),
        "bench": bench_values(bench),
        "cluster": cluster_values(cluster),
        "search": search_values(search),
        "suggest": suggest_values(panel),
        "limited": limited_values(limited),
        "subsets": subset_values(subsets),
        "awkward": {"files": awkward["files"], **awkward["read"]},
        "installs": install_values(read(root / "docs" / "installs.json")),
        "table": {
            "searched_sets": searched_sets(search["paper"]),
            "limited": limited_table(limited),
        },
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


def target_values(rows):
    """Relative costs on Target by those that the paper prints, least and most."""
    some = target_ratios(rows)
    return {"target_methods": len(some), "target": f"{min(some):.3f} to {max(some):.3f}"}


def target_ratios(rows):
    """Ours by the print: relative costs on Target, trees with a leaf a cluster."""
    return [
        row["mean"] / float(row["paper_mean"])
        for row in rows
        if row["dataset"] == "target"
        and row["table"].startswith("small_kmeans")
        and row["metric"] == "relative_kmeans"
        and row["paper_mean"]
    ]


def exkmc_values(rows):
    """WAES of ExKMC on Breast cancer, ours and the paper's."""
    (row,) = (
        row
        for row in rows
        if (row["dataset"], row["method"], row["metric"]) == ("breast_cancer", "exkmc", "waes")
    )
    return {"exkmc": f"{row['mean']:.2f}", "exkmc_paper": row["paper_mean"]}


def check_figures(checks, rows):
    """Two trials of where cells differ: the least cost of random parts, ExKMC that goes on."""
    trials, exkmc = checks["trials"], checks["exkmc"]
    off = {name: found["goes_on"][0] - found["printed"] for name, found in exkmc.items()}
    # One factor between ours and the print, the middle one of the methods.
    factor = median(target_ratios(rows))
    return {
        "trials": len(trials),
        "parts": checks["parts"],
        "least": f"{min(trials):.2f}",
        "most": f"{max(trials):.2f}",
        "ours": f"{checks['ours']:.2f}",
        "asked": f"{checks['ours'] * factor:.2f}",
        "runs": checks["runs"],
        "goes_on": f"{exkmc['breast_cancer']['goes_on'][0]:.2f}",
        "iris": f"{off['iris']:.1f}",
        "wine": f"{off['wine']:.1f}",
    }


def sentences(path):
    """What the page of ``make paper`` says, without its tags and pictures."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"<(svg|style|script)\b.*?</\1>", "", text, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text)))


#: Figures of sentences on the page of ``make paper``: each pattern is there once.
_TOLD = {
    "lost": r"Mice protein, polynomial: .{1,200}? never in the paper: 1 in (\d+ %)",
    "lost_kept": r"Mice protein, polynomial: ([\d.]+) clusters left on average",
    "votes_ari": r"ARI ([\d.]+) and accuracy \d+ % \(the paper",
    "votes_accuracy": r"ARI [\d.]+ and accuracy (\d+ %) \(the paper",
    "votes_before": r"lowers the objective from ([\d.]+) to",
    "votes_printed": r"lowers the objective from [\d.]+ to ([\d.]+),",
    "votes_ours": r"exchanged has our objective, ([\d.]+), and the same clusters",
}


def told(page):
    """Figures of ``_TOLD``, and at how many points of its curves the paper agrees."""
    found = {name: re.findall(pattern, page) for name, pattern in _TOLD.items()}
    points = re.findall(r"standard deviations of our runs at (\d+) of (\d+) points", page)
    near, all_points = (sum(map(int, column)) for column in zip(*points, strict=True))
    return {name: one for name, (one,) in found.items()} | {"points": f"{near} of {all_points}"}


def searched_sets(rows):
    """ARI, WAES and relative cost of the paper's sets, greedy beside searched, as Markdown."""

    def line(name, leaves, cells):
        return f"| {name} | {leaves} | {' | '.join(f'{x:.2f}' for pair in cells for x in pair)} |"

    columns = zip(*([x for pair in row["cells"] for x in pair] for row in rows), strict=True)
    means = [mean(column) for column in columns]
    return "\n".join(
        [
            "| set | leaves | ARI | | WAES | | relative cost | |",
            "|---|---|---|---|---|---|---|---|",
            f"| | |{' greedy | local |' * 3}",
            *(line(row["set"], row["leaves"], row["cells"]) for row in rows),
            line("mean", "", [means[i : i + 2] for i in (0, 2, 4)]).replace("|  |", "| |"),
        ]
    )


def panel_values(panel):
    """Mean ARI of the labelled raw tables."""
    rows = panel["fit"]["rows"]
    mixed = [row for row in rows if row["mixed"]]
    found = {"tables": len(rows), "mixed_tables": len(mixed)}
    for name in ("agathis", "standard", "prototypes", "minmax"):
        found[name] = f"{mean(row[name] for row in rows):.3f}"
        found[f"{name}_mixed"] = f"{mean(row[name] for row in mixed):.3f}"
    found["moved"] = sum(abs(row["typos"] or 0) > 0.05 for row in rows)
    return found


def suggest_values(panel):
    """How far suggested numbers of clusters are from numbers of classes."""
    rows = panel["suggest"]["rows"]
    found = {"tables": len(rows), "shown": sum(row["suggest"] > 1 for row in rows)}
    for name in ("suggest", "silhouette", "calinski_harabasz", "gap"):
        off = [abs(row[name] - row["classes"]) for row in rows]
        found[name] = f"{mean(off):.2f}"
        found[f"{name}_near"] = _percent(mean(miss <= 1 for miss in off))
    return found


def bench_values(bench):
    """Times of the benchmark's cases."""
    cases = bench["cases"]
    times = {name: case.get("median", {}) for name, case in cases.items()}
    return {
        "date": bench["machine"]["date"][:10],
        "cpu": bench["machine"]["cpu"],
        "rbf": f"{times['rbf-10']['agathis']:.2f} s",
        "rbf_gemclus": f"{times['rbf-10']['gemclus']:.1f} s",
        "linear": f"{times['linear']['agathis']:.3f} s",
        "linear_gemclus": f"{times['linear']['gemclus']:.1f} s",
        "million": f"{times['million']['agathis']:.2f} s",
        "million_kmeans": f"{times['million']['KMeans']:.2f} s",
        "ten_million": f"{cases['ten-million']['figures']['seconds']:.1f} s",
        "file": f"{cases['file']['figures']['seconds']:.1f} s",
        "file_memory": f"{cases['file']['figures']['peak_above_mb']:.0f} MB",
        "file_data": f"{cases['file']['figures']['data_mb']:.0f} MB",
    }


def cluster_values(cluster):
    """10^8 rows in files: two workers, and ``fit_file``."""
    large = cluster["large, 1e+08 rows"]
    return {
        "seconds": f"{large['cluster']['seconds']:.0f} s",
        "cpu": f"{large['cluster']['cpu']:.0f} s",
        "memory": f"{large['peaks']['cluster'] / 1e9:.1f} GB",
        "file_seconds": f"{large['fit_file']['seconds']:.0f} s",
        "file_memory": f"{large['peaks']['fit_file'] / 1e9:.1f} GB",
    }


def search_values(search):
    """Mean cost above KMeans of the paper's sets: greedy, and searched."""
    found = {"sets": len({row["set"] for row in search["excess"]})}
    for leaves, short in (("K", "k"), ("4K", "many")):
        rows = [row for row in search["excess"] if row["leaves"] == leaves]
        for name, key in (("greedy", "greedy"), ("local", "effort 1"), ("patient", "effort 10")):
            found[f"{name}_{short}"] = f"{100 * mean(row[key] for row in rows):.1f} %"
    return found


#: Works of ``limited_api.json`` as the page names them.
_WORKS = {
    "fit of iris, linear": "`fit` of iris, linear, 12 leaves",
    "fit of iris, rbf": "`fit` of iris, rbf, 12 leaves",
    "fit of 4000 x 10": "`fit` of 4000 x 10, 40 leaves",
    "a row predicted": "a row predicted",
    "4000 rows predicted": "4000 rows predicted",
}


def limited_table(limited):
    """CPU time of some works, and how much longer with the limited interface, as Markdown."""

    def time(seconds):
        return f"{1e3 * seconds:.2f} ms" if seconds > 1e-3 else f"{1e6 * seconds:.0f} µs"

    return "\n".join(
        [
            "| | one wheel per Python | limited interface, times as long |",
            "|---|---|---|",
            *(
                f"| {title} | {time(row['seconds'])} | {row['limited'] / row['seconds']:.2f} |"
                for title, row in ((title, limited[name]) for name, title in _WORKS.items())
            ),
        ]
    )


def limited_values(limited):
    """What is lost of the work that loses most."""
    most = max(row["limited"] / row["seconds"] for row in limited.values())
    return {"most": _percent(most - 1)}


def subset_values(rows):
    """How often the search of good ways finds the best one, and what it loses."""
    return {
        "leaves": f"{sum(row['leaves'] for row in rows):,}",
        "least": _percent(min(row["best"] for row in rows)),
        "most": _percent(max(row["best"] for row in rows)),
        "lost": f"{100 * mean(row['lost'] for row in rows):.2f} %",
        "worst": _percent(max(row["most"] for row in rows)),
    }


def install_values(installs):
    """What a build makes; a figure that nobody has measured is ``None``, and no page names it."""
    return {
        "wheel": f"{installs['wheel_mb']} MB",
        "repaired": f"{installs['repaired_mb']} MB",
        **{name: installs[name] for name in ("build_cpu_seconds", "c_files", "cython_files")},
        "sessions": install_sessions(installs.get("sessions", {})),
    }


def install_sessions(sessions):
    """What each session of nox has shown, as a Markdown table."""
    lines = [
        "| session | Python | releases | passed | skipped | failed |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in sessions.items():
        releases = ", ".join(f"{package} {number}" for package, number in one["releases"].items())
        counted = f"{one['passed']:,} | {one['skipped']} | {one['failed']}"
        lines.append(f"| `{name}` | {one['python']} | {releases} | {counted} |")
    return "\n".join(lines)


def _percent(share):
    return f"{share:.0%}".replace("%", " %")
