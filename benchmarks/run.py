"""Measure agathis beside gemclus and against its own bars, print a table and write it as JSON.

``make bench``, or ``python benchmarks/run.py --help``. A full run takes some ten minutes on two
cores, nearly all of them the peer's; ``--quick`` takes a minute and judges nothing.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import machine
from case import Run, SkipCase
from cases import CASES
from timing import in_words, medians

from agathis._utils.files import write_atomic

HEADS = ("case", "work", "median", "figure", "bar", "met")


def main():
    options = parse()
    names = options.only or list(CASES)
    repeats = 1 if options.quick else options.repeats
    found = {"machine": machine.describe(), "repeats": repeats, "quick": options.quick, "cases": {}}
    for name in names:
        found["cases"][name] = measure(name, repeats, options.quick)
    if options.json:
        write_atomic(options.json, json.dumps(found, indent=2) + "\n")
    lines = markdown if options.markdown else aligned
    print("\n".join([*head(found), "", *lines([row(n, c) for n, c in found["cases"].items()])]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="rounds of each case (default: 5)")
    parser.add_argument("--quick", action="store_true", help="one round, small data, no verdict")
    parser.add_argument(
        "--only", action="append", choices=CASES, metavar="NAME", help=f"one of {', '.join(CASES)}"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="PATH",
        help="where the figures go (default: benchmarks/results.json for a run of all cases in "
        "full, else nowhere)",
    )
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error(f"--repeats must be at least 1, not {options.repeats}")
    if not (options.json or options.quick or options.only):
        options.json = Path(__file__).with_name("results.json")
    return options


def measure(name, repeats, quick):
    """One case as a dict, ready for JSON."""

    def tell(text):
        print(f"{name}: {text}", file=sys.stderr, flush=True)

    tell("...")
    start = time.perf_counter()
    try:
        result = CASES[name](Run(repeats, quick, tell))
    except SkipCase as why:
        tell(f"skipped: {why}")
        return {"skipped": str(why)}
    case = vars(result) | {"median": medians(result.seconds)}
    case["met"] = None if quick else bool(result.met)
    tell(f"done in {in_words(time.perf_counter() - start)}")
    return case


def head(found):
    about = found["machine"]
    libraries = ", ".join(f"{name} {v}" for name, v in about["libraries"].items() if v)
    return [
        f"{about['cpu']}, {about['cores']} cores, load {about['load']:.1f}, {about['date']}",
        f"Python {about['python']}, {libraries}",
        f"Medians of {found['repeats']} alternating rounds (iris 50, import 7, blocks 1, "
        "mapped and ten-million 3)"
        if not found["quick"]
        else "A quick run: small data, no verdict",
    ]


def row(name, case):
    if "skipped" in case:
        return [name, "skipped: " + case["skipped"], "", "", "", ""]
    median = ", ".join(f"{side} {in_words(value)}" for side, value in case["median"].items())
    met = {True: "yes", False: "NO", None: "-"}[case["met"]]
    return [name, case["work"], median, case["figure"], case["bar"], met]


def aligned(rows):
    rows = [list(HEADS), *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    return ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in rows]


def markdown(rows):
    rows = [list(HEADS), ["---"] * len(HEADS), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in rows]


if __name__ == "__main__":
    main()
