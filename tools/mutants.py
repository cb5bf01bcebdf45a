"""Whether the tests notice a wrong gain or a wrong grower: ``python tools/mutants.py``.

The files that hold the arithmetic of the gains and the order of growth are changed in one place at
a time, in a copy of the sources: an operator, a comparison or a number is another one. The copy is
built, and the tests that are there for it must fail. A change that they let pass is printed, and
the exit status is 1. A change may be harmless (a bound that is looser, the same tree); such ones
are listed in ``HARMLESS`` with the reason.

Each mutant of C is a build of a minute or two; ``--only grower`` takes the quick half.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
#: Files that are changed, by a short name, with the tests that must notice.
FILES = {
    "gains": (
        "src/agathis/_core/shared/gains.h",
        ["tests/package/test_minimal.py", "tests/growing/test_properties.py"],
    ),
    "grower": (
        "src/agathis/_growing/grower.py",
        [
            "tests/package/test_minimal.py",
            "tests/growing/test_planted.py",
            "tests/growing/test_limits.py",
            "tests/growing/test_grower.py",
            "tests/growing/test_properties.py",
            "tests/growing/test_resume.py",
        ],
    ),
}
#: What stands in a line, and what it becomes.
CHANGES = [
    (r"(?<=\w) \+ (?=[\w(])", " - "),
    (r"(?<=\)) \+ (?=\w)", " - "),
    (r"(?<=[\w)]) - (?=[\w(])", " + "),
    (r"(?<=[\w)]) \* (?=[\w(])", " / "),
    (r"2\.0", "1.0"),
    (r"(?<=, )-(?=\w)", ""),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" >= ", " < "),
    (r"\bmin\(", "max("),
    (r"\bmax\(", "min("),
    (r"\bor\b", "and"),
    (r"\band\b", "or"),
    (r"(?<== )True\b", "False"),
    (r"\bnot ", ""),
]
_SPARES = "a lower floor spares fewer searches, and changes no tree"
_TO_THE_BIT = "a bound or gain at the very floor, to the bit, is the luck of rounding"
#: Changes that no tree shows, by file, line as it becomes (how far it is indented counts), and why.
HARMLESS: dict[tuple[str, str], str] = {
    ("grower", "        if len(unknown) <= len(bound):"): "the best of no leaf is -inf anyhow",
    (
        "grower",
        "            best = float(gain.min(where=gain == bound, initial=-np.inf))",
    ): _SPARES,
    ("grower", "        floor = min(best, tolerance) - tolerance"): _SPARES,
    ("grower", "            floor = min(best, tolerance) - tolerance"): _SPARES,
    ("grower", "        doubtful = ((gain != bound) & (bound > floor)).nonzero()[0]"): _TO_THE_BIT,
    ("grower", "            some = some[bound[some] > floor]"): _TO_THE_BIT,
    (
        "grower",
        "        tied = ((gain == bound) & (gain > floor)).nonzero()[0].tolist()",
    ): _TO_THE_BIT,
    (
        "grower",
        "            known = (bound <= np.inf).nonzero()[0]",
    ): "a leaf that is searched twice is found the same",
    (
        "grower",
        "            unknown = np.concatenate([unknown, most[bound[most] >= tolerance]])",
    ): _TO_THE_BIT,
    ("grower", "        if len(doubtful) >= TOGETHER:"): "as many as go together need no order",
    (
        "grower",
        "            or weight <= self.limits.min_split",
    ): "limits lie by a rounding below what was asked for, and no weight lies there",
}


class Mutant(NamedTuple):
    """One change of one line."""

    name: str
    line: int
    before: str
    after: str


def mutants_of(name):
    """All changes of a file, of lines that do something."""
    path = ROOT / FILES[name][0]
    found, doc = [], False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        text = line.strip()
        quotes = text.count('"""')
        was_doc, doc = doc, doc ^ (quotes % 2 == 1)
        if was_doc or quotes or not text or text.startswith(("#", "/*", "*", "import", "from")):
            continue
        if "print" in text or "perf_counter" in text or "clocks" in text or "progress" in text:
            continue
        for pattern, new in CHANGES:
            for match in re.finditer(pattern, line):
                changed = line[: match.start()] + new + line[match.end() :]
                found.append(Mutant(name, number, line, changed))
    return found


def build(folder):
    """Compile the copy and put its modules beside the sources; whether it could be built."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    commands = [["ninja", "-C", "build/mutants"], ["meson", "install", "-C", "build/mutants"]]
    if not (folder / "build" / "mutants").exists():
        commands.insert(0, ["meson", "setup", "build/mutants", "--buildtype=release"])
    target = folder / "build" / "installed"
    for command in commands:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**environment, "DESTDIR": str(target)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if done.returncode:
            return False
    installed = next(path for path in target.rglob("agathis") if path.is_dir())
    for module in installed.rglob("*.so"):
        shutil.copy(module, folder / "src" / "agathis" / module.relative_to(installed))
    return True


def noticed(folder, tests):
    """Whether some test fails: of ``make test``, or else of all of them."""
    # The same examples for every mutant: whether one is noticed is no matter of luck.
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    command += ["--hypothesis-seed=0"]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    for chosen in (["-m", "not slow", "--hypothesis-profile=quick"], []):
        try:
            done = subprocess.run(
                [*command, *chosen], cwd=folder, env=environment, capture_output=True, timeout=1200
            )
        except subprocess.TimeoutExpired:  # growth that never ends is noticed
            return True
        if done.returncode:
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=sorted(FILES), help="the mutants of one file")
    options = parser.parse_args()
    names = [options.only] if options.only else sorted(FILES)
    survived, total = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "agathis"
        ignored = shutil.ignore_patterns(".git", ".venv", "build", ".hypothesis", "*.so")
        shutil.copytree(ROOT, folder, ignore=ignored)
        if not build(folder) or any(noticed(folder, FILES[name][1]) for name in names):
            sys.exit("The sources as they are do not build, or their tests fail.")
        for name in names:
            path = folder / FILES[name][0]
            whole = path.read_text(encoding="utf-8")
            for mutant in mutants_of(name):
                lines = whole.splitlines(keepends=True)
                lines[mutant.line] = mutant.after + "\n"
                path.write_text("".join(lines), encoding="utf-8")
                built = path.suffix == ".py" or build(folder)
                caught = not built or noticed(folder, FILES[name][1])
                harmless = HARMLESS.get((name, mutant.after))
                total += 1
                verdict = "caught" if caught else f"harmless: {harmless}"
                if not caught and harmless is None:
                    verdict = "SURVIVED"
                    survived.append(mutant)
                print(f"{name}:{mutant.line + 1}: {mutant.after.strip()}  {verdict}", flush=True)
            path.write_text(whole, encoding="utf-8")
            if path.suffix != ".py":
                build(folder)
    print(f"{total - len(survived)} of {total} changes were noticed or are harmless.")
    sys.exit(bool(survived))


if __name__ == "__main__":
    main()
