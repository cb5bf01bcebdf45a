"""Labelled raw tables, and how well their groups are found by a command without options.

``make panel``, or ``python benchmarks/panel.py --help``; AGATHIS_DATA must name the folder of the
data sets. For each table of ``panel_tables`` ``agathis fit TABLE.csv -k CLASSES --target LABEL``
is run and its clusters compared with the label (ARI), beside three things that people do by hand
(``panel_baselines``), and the same again after two typing errors. The second part, which
``--reading`` runs alone, is how files are read as people have them, and ``--kinds open`` how kinds
of columns are told apart (``reading/run.py``).

``--scaling`` tries ways to scale a table instead (``panel_scaling``), ``--weights`` whether columns
should count by learned weights or alike, ``--suggest`` how many clusters are suggested
(``panel_suggest``), ``--exports`` whether all exports say the same (``panel_exports``). ``--known``
runs our command alone and takes what the others had from the file. The figures go to ``panel.json``
beside this file, under the name of what was measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import machine
import numpy as np
import panel_suggest
from panel_baselines import BASELINES
from panel_command import fit_command, with_typing_errors
from panel_exports import check_exports
from panel_scaling import PREPARATIONS, Preparation, score
from panel_tables import TABLES, PanelTable
from reading import run as reading
from reading.files import reading_files, write_files
from reading.tables import HALVES
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from agathis._utils.result_table import Table

OUT = Path(__file__).with_name("panel.json")
#: Tables whose ARI two typing errors change by more are named in the summary.
MAX_CHANGE = 0.05
#: Of columns: by what they have to do with each other, or all alike.
WEIGHTS = ("learned", "equal")
#: With ``--known``, by table: what the baselines had when they were last run.
BASELINES_KNOWN: dict[str, dict[str, Any]] = {}


def main() -> int:
    options = parse()
    if options.write:
        write_files(options.write, reading_files())
        return 0
    tables = [table for table in TABLES if options.only is None or table.name in options.only]
    warnings.simplefilter("ignore")
    measured: dict[str, Callable[..., list[dict[str, Any]]]] = {
        "fit": measure_fits,
        "scaling": measure_scalings,
        "weights": measure_weights,
        "suggest": panel_suggest.measure_suggestions,
        "exports": measure_exports,
        "reading": lambda tables, seeds, tell: reading.measure_reading(tell, options.only),
        "kinds": lambda tables, seeds, tell: reading.measure_kinds(options.kinds, tell),
    }
    chosen = [name for name in measured if getattr(options, name, False)]
    # Tables are small: threads would wait for each other longer than they work.
    if options.known:
        BASELINES_KNOWN.update({row["table"]: row for row in written()["fit"]["rows"]})
    for what in chosen or (["fit"] if options.only else ["fit", "reading"]):
        with threadpool_limits(1):
            rows = measured[what](tables, options.seeds, tell)
        print(Table(_rounded(rows)))
        print(f"\n{SUMMARIES[what](rows)}")
        if options.only is None:
            save(f"kinds, {options.kinds}" if what == "kinds" else what, rows)
    return 0


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def measure_fits(
    tables: list[PanelTable], seeds: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """A row a table: the command, what people do by hand, and typing errors."""
    rows = []
    for table in tables:
        tell(table.name)
        frame = table.frame()
        fitted = fit_command(frame, table.label, table.classes)
        row: dict[str, Any] = {
            "table": table.name,
            "rows": len(frame),
            "columns": frame.shape[1] - 1,
            "classes": table.classes,
            "mixed": table.mixed,
            "agathis": fitted.ari,
        }
        truth = frame[table.label].astype(str)
        plain = frame.drop(columns=table.label)
        known = BASELINES_KNOWN.get(table.name, {})
        for name, baseline in BASELINES.items():
            if name in known:
                row[name] = known[name]
                continue
            found = [baseline(plain, table.classes, seed) for seed in range(seeds)]
            row[name] = float(np.mean([adjusted_rand_score(truth, one) for one in found]))
        row["typos"] = _typing_errors(table, frame, fitted.ari, seeds)
        row |= {"used": fitted.share, "tries": fitted.tries, "seconds": fitted.seconds}
        rows.append(row | {"added": " ".join(fitted.added)})
    return rows


def measure_weights(
    tables: list[PanelTable], seeds: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """A row a table: the command with each kind of weights, and typing errors."""
    rows = []
    for table in tables:
        tell(table.name)
        frame, row = table.frame(), {"table": table.name, "mixed": table.mixed}
        for weights in WEIGHTS:
            options = ("--weight", weights)
            row[weights] = fit_command(frame, table.label, table.classes, options).ari
            typos = _typing_errors(table, frame, row[weights], seeds, options)
            row[f"{weights}, typos"] = typos
        rows.append(row)
    return rows


def _weights_summary(rows: list[dict[str, Any]]) -> str:
    lines = []
    for weights in WEIGHTS:
        mean = np.mean([row[weights] for row in rows])
        mixed = np.mean([row[weights] for row in rows if row["mixed"]])
        typos = [abs(row[f"{weights}, typos"] or 0) for row in rows]
        lines.append(
            f"{weights}: mean ARI {mean:.3f}, mixed {mixed:.3f}; typing errors change it by "
            f"{np.mean(typos):.3f} on average, {sum(np.array(typos) > MAX_CHANGE)} tables by "
            f"more than {MAX_CHANGE}."
        )
    better = [sum(row[a] > row[b] + 0.01 for row in rows) for a, b in (WEIGHTS, WEIGHTS[::-1])]
    lines.append(
        f"{better[0]} tables are better with learned weights, {better[1]} with equal ones."
    )
    return "\n".join(lines)


def _typing_errors(
    table: PanelTable, frame: Any, ari: float, seeds: int, options: tuple[str, ...] = ()
) -> float | None:
    """The change of the ARI that is farthest from 0, over some pairs of typing errors."""
    changes = []
    for seed in range(seeds):
        wrong = with_typing_errors(frame, table.label, seed)
        if wrong is not None:
            found = fit_command(wrong, table.label, table.classes, options)
            changes.append(found.ari - ari)
    return max(changes, key=abs, default=None)


def measure_scalings(
    tables: list[PanelTable],
    seeds: int,
    tell: Callable[[str], None],
    preparations: dict[str, Preparation] = PREPARATIONS,
) -> list[dict[str, Any]]:
    """A row a preparation: mean ARIs, and how far typing errors change them."""
    frames = {table.name: table.frame() for table in tables}
    rows = []
    for name, prepare in preparations.items():
        tell(name)
        found: dict[str, float] = {}
        changes = []
        for table in tables:
            frame = frames[table.name]
            found[table.name] = score(prepare, frame, table.label, table.classes)
            for seed in range(seeds):
                wrong = with_typing_errors(frame, table.label, seed)
                if wrong is not None:
                    ari = score(prepare, wrong, table.label, table.classes)
                    changes.append(abs(ari - found[table.name]))
        mixed = [found[table.name] for table in tables if table.mixed]
        rows.append(
            {
                "preparation": name,
                "ari": float(np.mean(list(found.values()))),
                "mixed": float(np.mean(mixed)) if mixed else None,
                "typos": float(np.mean(changes)) if changes else None,
                "largest": max(changes, default=None),
                "tables": found,
            }
        )
    return rows


def _fit_summary(rows: list[dict[str, Any]]) -> str:
    lines = []
    for part, name in ((rows, "all"), ([row for row in rows if row["mixed"]], "mixed")):
        means = {
            one: float(np.nanmean([row[one] for row in part])) for one in ("agathis", *BASELINES)
        }
        told = ", ".join(f"{one} {mean:.3f}" for one, mean in means.items())
        lines.append(f"Mean ARI of {name} {len(part)} tables: {told}.")
    changed = [row["table"] for row in rows if abs(row["typos"] or 0) > MAX_CHANGE]
    lines.append(f"Typing errors change more than {MAX_CHANGE}: {', '.join(changed) or 'none'}.")
    again = [f"{row['table']} ({row['tries']})" for row in rows if row["tries"] > 1]
    lines.append(f"More than one try: {', '.join(again) or 'none'}.")
    failed = [row["table"] for row in rows if np.isnan(row["agathis"])]
    if failed:
        lines.append(f"No tree at all: {', '.join(failed)}.")
    return "\n".join(lines)


def _scaling_summary(rows: list[dict[str, Any]]) -> str:
    best = max(rows, key=lambda row: row["ari"])
    return (
        f"Best on {len(best['tables'])} tables: {best['preparation']}, mean ARI {best['ari']:.3f}."
    )


def measure_exports(
    tables: list[PanelTable], seeds: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """How many rows each export sends elsewhere than the model does."""
    out = []
    for table in tables:
        tell(table.name)
        found = check_exports(table)
        out.append({"table": table.name, "rows": found.rows, **found.differing})
    return out


def _summary_of_exports(rows: list[dict[str, Any]]) -> str:
    asked = sum(row["rows"] for row in rows)
    wrong = sum(row[name] for row in rows for name in ("SQL", "Python", "JSON"))
    return f"{wrong} of {3 * asked:,} answers differ from predict."


SUMMARIES = {
    "fit": _fit_summary,
    "scaling": _scaling_summary,
    "weights": _weights_summary,
    "suggest": panel_suggest.summary,
    "exports": _summary_of_exports,
    "reading": reading.reading_summary,
    "kinds": reading.kinds_summary,
}


def _rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As a terminal shows them: few digits, and no column of many figures."""
    return [
        {
            name: (f"{value:.3f}" if isinstance(value, float) else value)
            for name, value in row.items()
            if not isinstance(value, dict)
        }
        for row in rows
    ]


def save(what: str, rows: list[dict[str, Any]]) -> None:
    """Put the figures into the file, beside what else was measured."""
    known = written() | {what: {"machine": machine.describe(), "rows": rows}}
    OUT.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def written() -> dict[str, Any]:
    """The figures of earlier runs."""
    return json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else {}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scaling", action="store_true", help="try ways to scale instead")
    parser.add_argument("--weights", action="store_true", help="weights of columns instead")
    parser.add_argument("--suggest", action="store_true", help="how many clusters instead")
    parser.add_argument("--exports", action="store_true", help="whether exports agree instead")
    parser.add_argument("--reading", action="store_true", help="how files are read instead")
    parser.add_argument("--kinds", choices=HALVES, help="kinds of columns of one half instead")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="only write the files to read")
    parser.add_argument("--seeds", type=int, default=3, help="of what is random (default: 3)")
    parser.add_argument("--known", action="store_true", help="baselines as in panel.json")
    parser.add_argument("--only", action="append", metavar="TABLE", help="only this one; no file")
    options = parser.parse_args()
    known = {one.name for one in (reading_files() if options.reading else TABLES)}
    for name in options.only or ():
        if name not in known:
            parser.error(f"--only {name}: there are {', '.join(sorted(known))}.")
    return options


if __name__ == "__main__":
    sys.exit(main())
