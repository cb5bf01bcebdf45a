"""What workers are told to do.

They import it by its name, so it lies here: `tests` may be the name of another package as well.
It imports little, since each worker does so again.
"""

import os
import time


def act(shared, task):
    """What a worker is told to do."""
    if task == "sleep":
        time.sleep(60)
    if isinstance(task, float):
        time.sleep(task)
    if task == "die":
        os._exit(3)
    if task == "killed":
        os.kill(os.getpid(), 9)
    if task == "fail":
        raise KeyError("missing")
    if task == "print":
        print("this must not stand among the answers")
        os.write(1, b"nor this")
    if task == "threads":
        return os.environ["OMP_NUM_THREADS"]
    return shared, task, os.getpid()


def give(shared, task):
    """A task that gives values one by one, and may end badly."""
    count, end = task
    yield from range(count)
    if end == "fail":
        raise KeyError("missing")
    if end == "die":
        os._exit(3)


def wait_between(path, task):
    yield "first"
    while not os.path.exists(path):
        time.sleep(0.01)
    yield "second"
