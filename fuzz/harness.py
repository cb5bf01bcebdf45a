"""What the fuzzers share: cases by their seed, workers that may die, failures made small and kept.

A fuzzer is a module with

    make(seed) -> case           what is tried, plain data that ``pack`` makes a file of
    check(case) -> str or None   what is wrong with it
    smaller(case) -> cases       simpler ones, the most daring first
    pack(case) -> bytes, unpack(bytes) -> case
    around()                     if it has one: a context in which all workers run
    ready(case)                  if it has one: makes what cases share, whose time is not theirs

:func:`main` runs it in processes that take the seeds in turn. A case that ends its process, that
takes more than ``SLOW`` seconds of a processor, that does nothing but wait for so long or that does
not end at all is a failure like any other; with ``--any-time``, which is for the tests, only one
that does not end. One that takes as long by the clock because the machine is busy (``clocks.py``)
is told, and no failure. Failures are made small and written to ``tests/fuzz/saved``, where
``tests/fuzz/test_saved.py`` tries them again in every run of the tests.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import clocks

HERE = Path(__file__).resolve().parent
SAVED = HERE.parent / "tests" / "fuzz" / "saved"
#: Seconds of a processor, or of waiting, that a case may take; those after which its process is
#: ended; and those of the clock of a machine that may be busy with other things.
SLOW, HANGS, WAITS = 10.0, 60.0, 900.0
#: The second of these where seconds are not judged: what takes as many never ends on any machine.
NEVER_ENDS = 300.0
#: Tries to make a failure smaller, and seconds for them.
TRIES, SHRINK_SECONDS = 400, 60.0


def main(name: str) -> None:
    """The command line of a fuzzer, by the name of its module."""
    parser = argparse.ArgumentParser(prog=f"fuzz/{name}.py")
    parser.add_argument("--seconds", type=float, help="how long; 60 unless --cases are given")
    parser.add_argument("--cases", type=int, default=0, help="at most so many cases")
    parser.add_argument("--seed", type=int, help="of the first case; default by the clock")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", type=int, metavar="SEED", help="one case, in this process")
    parser.add_argument("--any-time", action="store_true", help="slow cases are no failures")
    parser.add_argument("--no-save", action="store_true", help="only print failures")
    parser.add_argument("--worker", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.seconds is None:
        args.seconds = math.inf if args.cases else 60.0
    fuzzer = importlib.import_module(name)
    if args.worker:
        _work(fuzzer, *args.worker, slow=math.inf if args.any_time else SLOW)
    elif args.case:
        found = fuzzer.check(fuzzer.unpack(Path(args.case).read_bytes()))
        print(json.dumps(found))
    elif args.only is not None:
        found = fuzzer.check(fuzzer.make(args.only))
        print(found or "nothing is wrong with it")
        raise SystemExit(found is not None)
    else:
        seed = int(time.time()) * 1_000_000 if args.seed is None else args.seed
        raise SystemExit(_run(name, seed, args))


def _work(fuzzer: ModuleType, first: int, step: int, slow: float) -> None:
    """Cases in turn; a line when one begins, a line when it ends."""
    told = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a case prints is nobody's business
    for seed in range(first, 1 << 62, step):
        print("+", seed, file=told)
        case = fuzzer.make(seed)
        if hasattr(fuzzer, "ready"):
            fuzzer.ready(case)
            print("+", seed, file=told)  # from here on the case is timed
        before = clocks.own()
        found = fuzzer.check(case)
        taken = clocks.own().since(before)
        found = found or too_long(taken, slow)
        counted = getattr(fuzzer, "COUNTED", Counter())
        seconds = round(taken.processor, 3), round(taken.clock, 3)
        print("-", seed, json.dumps([found, *seconds, counted]), file=told)
        counted.clear()


def too_long(taken: clocks.Taken, most: float) -> str | None:
    """What is wrong with the time of a case, whether it has ended or not."""
    if taken.processor > most:
        return f"took {taken.processor:.1f} s of a processor"
    if taken.waited(most):
        return f"waited: {taken.clock:.1f} s, with {taken.processor:.2f} s of a processor"
    return None


class _Worker:
    """A process that works on every ``step``-th seed; it is replaced where it dies."""

    def __init__(self, name: str, first: int, step: int, any_time: bool) -> None:
        self.name, self.step, self.next, self.at = name, step, first, None
        self.any_time, self.hangs_after = any_time, NEVER_ENDS if any_time else HANGS
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / f"{self.name}.py"), "--worker"]
            + [str(self.next), str(self.step)]
            + ["--any-time"] * self.any_time,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        os.set_blocking(self.process.stdout.fileno(), False)
        self.since, self.rest = clocks.of(self.process.pid), b""

    def lines(self) -> Iterator[str]:
        data = self.process.stdout.read()
        if not data:
            return
        self.since = clocks.of(self.process.pid)
        *whole, self.rest = (self.rest + data).split(b"\n")
        yield from (line.decode() for line in whole)

    def taken(self) -> clocks.Taken:
        """Since it was last heard of."""
        return clocks.of(self.process.pid).since(self.since)

    def hangs(self) -> bool:
        clock = time.monotonic() - self.since.clock
        if self.at is None or not WAITS >= clock > self.hangs_after:  # most often, and quick
            return clock > WAITS
        taken = self.taken()
        if self.any_time:
            return taken.processor > self.hangs_after
        return too_long(taken, self.hangs_after) is not None

    def last_words(self) -> str:
        self.errors.seek(max(0, self.errors.seek(0, 2) - 600))
        return self.errors.read().decode(errors="replace").strip()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def _run(name: str, seed: int, args: argparse.Namespace) -> int:
    print(f"fuzz/{name}.py --seed {seed}", flush=True)
    with getattr(importlib.import_module(name), "around", nullcontext)():
        failures = _tried(name, seed, args)
        if not args.no_save:
            for number, found in failures[:20]:
                print(f"saved as {_save(name, number, found)}", flush=True)
    return bool(failures)


def _tried(name: str, seed: int, args: argparse.Namespace) -> list[tuple[int, str]]:
    """Let workers try cases; the seeds of those that failed, and how."""
    workers = [_Worker(name, seed + i, args.jobs, args.any_time) for i in range(args.jobs)]
    done, slowest, failures, counts = 0, 0.0, [], Counter()
    long: list[float] = []  # of the clock
    started = told = time.monotonic()
    try:
        while time.monotonic() - started < args.seconds and not 0 < args.cases <= done:
            with selectors.DefaultSelector() as selector:
                for worker in workers:
                    selector.register(worker.process.stdout, selectors.EVENT_READ)
                selector.select(timeout=1.0)
            for worker in workers:
                ended = worker.process.poll()  # before it is read: what it wrote is all there is
                for line in worker.lines():
                    mark, number, *rest = line.split(" ", 2)
                    worker.at = int(number) if mark == "+" else None
                    worker.next = int(number) + worker.step
                    if mark == "-":
                        done += 1
                        found, taken, clock, counted = json.loads(rest[0])
                        slowest = max(slowest, taken)
                        long += [clock] * (clock > SLOW)
                        counts.update(counted)
                        if found:
                            failures.append((int(number), found))
                            print(f"--only {number}: {found}", flush=True)
                hangs = worker.hangs()
                if ended is not None or hangs:
                    what = "does not end" if hangs else f"ended the process ({ended})"
                    clock = time.monotonic() - worker.since.clock
                    long += [clock] * (clock > SLOW)
                    worker.stop()
                    if worker.at is None:
                        raise SystemExit(f"A worker did not start:\n{worker.last_words()}")
                    failures.append((worker.at, f"{what}: {worker.last_words()}"))
                    print(f"--only {worker.at}: {failures[-1][1]}", flush=True)
                    done, worker.at = done + 1, None
                    worker.start()
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"  {done:,} cases, {len(failures)} failures", flush=True)
        for worker in workers:
            clock, found = _unfinished(worker)
            long += [clock] * (clock > SLOW)
            if found:
                failures.append((worker.at, found))
                print(f"--only {worker.at}: {found}", flush=True)
    finally:
        for worker in workers:
            worker.stop()
    taken = time.monotonic() - started
    print(f"{done:,} cases in {taken:.0f} s, the slowest took {slowest:.2f} s of a processor")
    if long:
        what = f"{len(long):,} case{'s'[: len(long) != 1]} took over {SLOW:g} s on the clock"
        print(f"{what}, the slowest {max(long):.1f} s")
    if counts:
        print(", ".join(f"{what}: {count:,}" for what, count in sorted(counts.items())))
    print(f"{len(failures)} failures", flush=True)
    return failures


def _unfinished(worker: _Worker) -> tuple[float, str | None]:
    """Of the case that a run's end cut short: seconds of the clock, and what is wrong with them."""
    heard = list(worker.lines())
    if heard or worker.at is None or worker.process.poll() is not None:
        return 0.0, None
    taken = worker.taken()
    return taken.clock, None if worker.any_time else too_long(taken, SLOW)


def _save(name: str, seed: int, found: str) -> Path:
    """The smallest case found that fails like that of a seed, as a file."""
    fuzzer = importlib.import_module(name)
    return keep(name, shrunk(fuzzer, name, fuzzer.make(seed), found))


def keep(name: str, case: object) -> Path:
    """A case as a file that the tests try again."""
    data = importlib.import_module(name).pack(case)
    SAVED.mkdir(parents=True, exist_ok=True)
    path = SAVED / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}.case"
    path.write_bytes(data)
    return path


def shrunk(fuzzer: ModuleType, name: str, case: object, found: str) -> object:
    """A simpler case of which the same is wrong, by its first words."""
    kind = _kind(found)
    until, tries, again = time.monotonic() + SHRINK_SECONDS, TRIES, True
    while again:
        again = False
        for simpler in fuzzer.smaller(case):
            tries -= 1
            if tries < 0 or time.monotonic() > until:
                return case
            if _kind(verdict(name, fuzzer.pack(simpler)) or "") == kind:
                case, again = simpler, True
                break
    return case


def _kind(found: str) -> str:
    return found.split(":", 1)[0]


def verdict(name: str, data: bytes) -> str | None:
    """What a process of its own finds wrong with a case."""
    with tempfile.NamedTemporaryFile(suffix=".case") as file:
        file.write(data)
        file.flush()
        try:
            ended = subprocess.run(
                [sys.executable, str(HERE / f"{name}.py"), "--case", file.name],
                capture_output=True,
                timeout=WAITS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "does not end: killed"
    if ended.returncode:
        last = ended.stderr.decode(errors="replace")[-600:]
        return f"ended the process ({ended.returncode}): {last}"
    return json.loads(ended.stdout.decode().splitlines()[-1])
