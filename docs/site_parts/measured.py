"""Tables and figures of measurements, from the files that the commands wrote.

Each function gives a table as Markdown; ``write`` puts them where pages include them from. No
number of theirs is written by hand.
"""

import re
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure

from site_parts.substitutions import METHODS, cells, read

#: Cases of ``make bench`` whose history is drawn, with what they are.
DRAWN = {
    "rbf-10": "rbf matrix, 4000 rows",
    "linear": "linear, 4000 rows",
    "exact": "exact, 100,000 rows",
    "binned": "binned, 100,000 rows",
    "million": "binned, a million rows",
}
#: Parts of ``make evidence``.
EVIDENCE = {
    "claims": "false claims",
    "power": "power",
    "intervals": "intervals",
    "time": "processor seconds at 5,000 x 20",
}
PREPARED = {
    "agathis": "agathis",
    "standard": "one-hot, standardised, KMeans",
    "prototypes": "k-prototypes",
    "minmax": "min-max, KMeans",
}


def write(folder: Path, root: Path) -> None:
    """Write every table and figure into a folder."""
    benchmarks = root / "benchmarks"
    rows = cells(root)
    panel = read(benchmarks / "panel.json")
    history = read(benchmarks / "history.json")
    evidence = read(benchmarks / "evidence.json")
    tables = {
        "methods-small": small_trees(rows),
        "methods-large": large_trees(rows),
        "methods-kernels": kernels(rows),
        "panel": panel_table(panel),
        "panel-summary": panel_summary(panel),
        "searched": searched(read(benchmarks / "search.json")),
        "bench": bench(read(benchmarks / "results.json")),
        "history": history_table(history),
        **{f"evidence-{name}": plain_table(evidence[key]) for name, key in EVIDENCE.items()},
        "paper-tables": paper_tables((root / "results" / "tables.md").read_text(encoding="utf-8")),
    }
    for name, text in tables.items():
        (folder / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    draw_history(history, folder / "history.svg")


def table(names, rows) -> str:
    """A table in Markdown: the first column is words, the others are numbers."""
    lines = [names, ["---", *["---:"] * (len(names) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def plain_table(rows) -> str:
    """Rows as they were measured."""
    return table(list(rows[0]), [row.values() for row in rows])


def means(rows, tables, metric, methods):
    """The mean over data sets of each method, and of how many sets; all have the same sets."""
    found = {method: {} for method in methods}
    for row in rows:
        wanted = row["table"].removesuffix("_extended") == tables and row["metric"] == metric
        if wanted and row["method"] in found and row["mean"] is not None:
            found[row["method"]][row["dataset"]] = row["mean"]
    common = set.intersection(*(set(values) for values in found.values()))
    return {method: mean(values[name] for name in common) for method, values in found.items()}, len(
        common
    )


def small_trees(rows) -> str:
    """Trees with one leaf per cluster: means over the paper's data sets."""
    methods = ("kauri", "kmeans_dt", "imm", "exshallow", "rdm", "icot")
    return _trees(rows, "small", methods, "wad", "depth (WAD)")


def large_trees(rows) -> str:
    """Trees with four leaves per cluster."""
    return _trees(rows, "large", ("kauri", "kmeans_dt", "exkmc"), "waes", "WAES plus 1")


def _trees(rows, size, methods, simple, title) -> str:
    ari, sets = means(rows, f"{size}_ari", "ari", methods)
    cost, _ = means(rows, f"{size}_relative_same", "relative_same", methods)
    short, _ = means(rows, f"{size}_{simple}", simple, methods)
    lines = [[METHODS[m], f"{ari[m]:.3f}", f"{cost[m]:.3f}", f"{short[m]:.2f}"] for m in methods]
    return table([f"{sets} data sets", "ARI", "cost relative to KMeans", title], lines)


def kernels(rows) -> str:
    """Kauri and decision trees on kernel KMeans, by kernel."""
    methods = ("kauri", "kmeans_dt", "kmeans_dt_strong")
    lines = []
    for kernel in ("additive_chi2", "chi2", "laplacian", "rbf"):
        some = [row for row in rows if row["kernel"] == kernel]
        ari, sets = means(some, "kernels_ari", "ari", methods)
        cost, _ = means(some, "kernels_relative_strong", "relative_strong", methods)
        figures = [f"{values[m]:.3f}" for values in (ari, cost) for m in methods]
        lines.append([kernel, sets, *figures])
    names = ["kernel", "data sets"]
    for what in ("ARI", "cost"):
        names += [f"{what}: Kauri", "KMeans+DT", "KMeans+DT of a strong kernel KMeans"]
    return table(names, lines)


def panel_summary(panel) -> str:
    """Mean ARI of all raw tables and of those that are not all numbers."""
    rows = panel["fit"]["rows"]
    mixed = [row for row in rows if row["mixed"]]
    lines = [
        [title, *(f"{mean(row[name] for row in some):.3f}" for name in PREPARED)]
        for title, some in ((f"all {len(rows)}", rows), (f"{len(mixed)} mixed", mixed))
    ]
    return table(["tables", *PREPARED.values()], lines)


def panel_table(panel) -> str:
    """The ARI of each raw table."""
    lines = [
        [
            row["table"],
            f"{row['rows']:,}",
            row["columns"],
            row["classes"],
            *(f"{row[name]:.2f}" for name in PREPARED),
        ]
        for row in sorted(panel["fit"]["rows"], key=lambda row: row["table"])
    ]
    return table(["table", "rows", "columns", "classes", *PREPARED.values()], lines)


def searched(search) -> str:
    """Mean cost above that of KMeans, greedy and searched."""
    lines = []
    for leaves in ("K", "4K"):
        rows = [row for row in search["excess"] if row["leaves"] == leaves]
        figures = [
            f"{100 * mean(row[key] for row in rows):.1f} %"
            for key in ("greedy", "effort 1", "effort 10")
        ]
        lines.append([f"{leaves.replace('4K', '4 K')} leaves", *figures])
    return table(["mean excess", "greedy", "local", "local, effort 10"], lines)


def paper_tables(text) -> str:
    """The paper's tables, ours and the print in two lines of a cell."""
    return re.sub(r"(?<=\d) \[(?=[^]|]*\])", "<br>[", text)


def bench(results) -> str:
    """The cases of the last run of the benchmark."""
    machine = results["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
    lines = [
        [name, case["work"], case["figure"], case["bar"], "yes" if case["met"] else "no"]
        for name, case in results["cases"].items()
    ]
    head = (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['date'][:10]}, "
        f"Python {machine['python']}, {libraries}.\n\n"
    )
    return head + table(["case", "work", "result", "limit", "met"], lines).replace("---:", "---")


def history_table(history) -> str:
    """Median seconds of agathis in each run that is kept."""
    lines = [
        [run["date"][:16].replace("T", " "), run["commit"]]
        + [_seconds(run["cases"].get(name)) for name in DRAWN]
        for run in history
    ]
    return table(["run", "commit", *DRAWN.values()], lines)


def _seconds(case) -> str:
    return f"{case['agathis']:.3f}" if case and "agathis" in case else ""


def draw_history(history, path) -> None:
    """Plot the times of each run, one line per case."""
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, title in DRAWN.items():
        runs = [
            (index, run["cases"][name]["agathis"])
            for index, run in enumerate(history)
            if "agathis" in run["cases"].get(name, {})
        ]
        axes.plot(*zip(*runs, strict=True), marker="o", label=title)
    axes.set_yscale("log")
    axes.set_ylabel("seconds, median of a run")
    axes.set_xticks(range(len(history)), [run["commit"] for run in history])
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False)
    figure.savefig(path, metadata={"Date": None})
