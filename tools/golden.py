"""``python tools/golden.py``: which trees, labels and exports are not those of the golden file.

``tests/golden/golden.json`` has short hashes of what 322 fits give
(``tests/helpers/golden_cases.py``), and a test compares them. This command prints the differences;
``--why "..."`` writes the cases that differ, with a line that says why they changed. A line holds
the digest of all hashes, so that an edit without one is noticed. Parts that depend on rounding are
left out of the file.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from helpers import golden_cases  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "golden.json"
#: Fits of a changed case with noise in the last digits, to see what of it depends on rounding.
N_TRIALS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--why", help="write the file, with this reason for its change")
    why = parser.parse_args().why
    golden = read()
    fits = golden_cases.cases()
    changed = differences(golden["cases"], {n: golden_cases.outcome(fits[n]) for n in fits})
    print("\n".join(changed.values()) or "Nothing differs.")
    if not changed:
        return
    print(f"{len(changed)} of {len(fits)} cases differ.")
    if why is None:
        raise SystemExit(1)
    cases = {name: case for name, case in golden["cases"].items() if name not in changed}
    cases |= {n: golden_cases.stable(fits[n], N_TRIALS) for n in changed if n in fits}
    line = {"why": why, "cases": len(changed), "digest": golden_cases.digest(cases)}
    write({"changes": [*golden["changes"], line], "cases": cases})


def read() -> dict:
    """The changes, oldest first, and the hashes by the name of the case."""
    if not GOLDEN.exists():
        return {"changes": [], "cases": {}}
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def write(golden: dict) -> None:
    """One line per case, so that a diff shows which changed."""
    rows = [
        f"  {json.dumps(name)}: {json.dumps(golden['cases'][name], sort_keys=True)}"
        for name in sorted(golden["cases"])
    ]
    changes = ",\n".join(f"  {json.dumps(line)}" for line in golden["changes"])
    text = '{"changes": [\n' + changes + '\n], "cases": {\n' + ",\n".join(rows) + "\n}}\n"
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(text, encoding="utf-8")


def differences(golden: dict, found: dict) -> dict[str, str]:
    """One line per case that is new, gone or different, with the parts that differ.

    Only parts that the golden file has are compared: the others depend on rounding.
    """
    out = {}
    for name in sorted(golden.keys() | found.keys()):
        was, now = golden.get(name), found.get(name)
        if was is None or now is None:
            out[name] = f"{name}: {'new' if was is None else 'gone'}"
        elif parts := sorted(key for key in was if was[key] != now.get(key)):
            out[name] = f"{name}: {', '.join(parts)}"
    return out


if __name__ == "__main__":
    main()
