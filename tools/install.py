"""``python tools/install.py ARGUMENTS``: pip install, in a way that the next run can trust.

pip fetches and resolves everything before it writes anything, so when pip itself fails the
environment is as it was. When pip is cut short (Ctrl-C, a kill, a power cut) it may be half
written. So a mark lies in the environment while pip works, and is locked: a mark that nobody locks
belongs to a run that never came to its end.

``--whole`` tells by the exit status whether the environment can be trusted in this sense.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

MARK = Path(sys.prefix) / "installing"


def lock(mark):
    """Whether the lock could be had; it lasts as long as a process that holds the file open."""
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def whole():
    if not MARK.exists():
        return True
    with MARK.open("a") as mark:
        return not lock(mark)


def install(arguments):
    with MARK.open("a") as mark:
        if not lock(mark):
            sys.exit("Another make is installing into this environment: try again when it is done")
        command = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "-q",
            *arguments,
        ]
        try:
            # pip holds the lock too: it may outlive this process
            status = subprocess.run(command, pass_fds=[mark.fileno()]).returncode
        except KeyboardInterrupt:
            sys.exit(130)
        if status >= 0:  # pip came to its own end, well or not
            MARK.unlink()
        sys.exit(abs(status))


if __name__ == "__main__":
    if sys.argv[1:] == ["--whole"]:
        sys.exit(0 if whole() else 1)
    install(sys.argv[1:])
