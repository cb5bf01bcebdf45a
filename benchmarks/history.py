"""Gather the runs of ``make bench`` that were committed: ``python benchmarks/history.py``.

Each commit that changed ``results.json`` is a run. Their median seconds go to ``history.json``, the
oldest first, from which the site draws them; ``make bench`` itself keeps the last run alone.
"""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = "benchmarks/results.json"


def git(*words: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", *words], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    return done.stdout


def runs() -> list[dict[str, object]]:
    """Each run once, by its date; a run that was committed twice counts as the first."""
    found: dict[str, dict[str, object]] = {}
    for commit in git("log", "--reverse", "--format=%h", "--", RESULTS).split():
        results = json.loads(git("show", f"{commit}:{RESULTS}"))
        machine = results["machine"]
        cases = {
            name: {who: round(seconds, 5) for who, seconds in case["median"].items()}
            for name, case in results["cases"].items()
            if case.get("median")
        }
        run = {"commit": commit, "date": machine["date"], "cpu": machine["cpu"], "cases": cases}
        found.setdefault(machine["date"], run)
    return list(found.values())


if __name__ == "__main__":
    text = json.dumps(runs(), indent=1)
    (HERE / "history.json").write_text(text + "\n", encoding="utf-8")
