"""Times, taken in turns so that whatever else the machine does strikes all sides alike."""

import statistics
import subprocess
import sys
import time


def alternate(runs, repeats, tell=None):
    """Call every function of `runs` in turn, `repeats` rounds.

    Returns the seconds of each and its last result. `tell(text)` hears of every call, for some
    take minutes.
    """
    seconds = {name: [] for name in runs}
    results = {}
    for turn in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            results[name] = run()
            seconds[name].append(time.perf_counter() - start)
            if tell:
                tell(f"{turn + 1} of {repeats}, {name}: {in_words(seconds[name][-1])}")
    return seconds, results


def alternate_imports(statements, repeats):
    """The same for import statements, each in a fresh process; its start is not counted."""
    seconds = {name: [] for name in statements}
    for turn in range(repeats + 1):
        for name, statement in statements.items():
            program = (
                f"import time; start = time.perf_counter(); {statement}; "
                "print(time.perf_counter() - start)"
            )
            command = [sys.executable, "-c", program]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            if turn:  # the first round only brings the files into memory
                seconds[name].append(float(done.stdout))
    return seconds


def medians(seconds):
    return {name: statistics.median(times) for name, times in seconds.items()}


def in_words(seconds):
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{seconds * 1e3:.3g} ms"
