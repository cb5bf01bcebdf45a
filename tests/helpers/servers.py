"""Real servers of PostgreSQL and MariaDB, each on a socket in a folder of its own.

They come from Debian's packages (postgresql, mariadb-server), are started by the tests that ask and
end with them; nothing listens to the network. They are asked by their own clients.
"""

from __future__ import annotations

import csv
import glob
import io
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

#: Dialects of SQL, with what has them.
SERVERS = {"postgres": "PostgreSQL", "mysql": "MariaDB"}
NULL = "\N{SYMBOL FOR NULL}"
TYPES = {
    "postgres": {"DOUBLE": "DOUBLE PRECISION", "VARCHAR": "TEXT", "TIMESTAMP": "TIMESTAMP"},
    "mysql": {"VARCHAR": "VARCHAR(500)", "TIMESTAMP": "DATETIME"},
}


class Server:
    """A server that answers scripts of SQL."""

    def __init__(self, dialect: str, client: list[str]) -> None:
        self.dialect, self.client = dialect, client

    def run(self, script: str) -> list[list[str | None]]:
        """The rows of the answer, as texts; None is NULL."""
        ended = subprocess.run(
            self.client, input=script.encode(), capture_output=True, timeout=120, check=False
        )
        if ended.returncode:
            raise RuntimeError(ended.stderr.decode(errors="replace"))
        out = ended.stdout.decode()
        if self.dialect == "postgres":
            rows = csv.reader(io.StringIO(out, newline=""))
            return [
                [None if cell == "\N{SYMBOL FOR NULL}" else cell for cell in row] for row in rows
            ]
        lines = out.split("\n")[:-1]
        return [[_unescaped(cell) for cell in line.split("\t")] for line in lines]

    def labels(
        self, names, rows, expression: str, types=None, table: str = "t"
    ) -> list[str | None]:
        """What an expression is for each row of a table of these columns."""
        return [row[0] for row in self.run(self.script(names, rows, expression, types, table))]

    def script(self, names, rows, expression, types=None, table="t") -> str:
        quote = {"postgres": '"', "mysql": "`"}[self.dialect]
        types = types or ["DOUBLE"] * len(names)
        known = TYPES[self.dialect]
        columns = [
            f"{quote}{name.replace(quote, 2 * quote)}{quote} {known.get(kind, kind)}"
            for name, kind in zip(names, types, strict=True)
        ]
        values = ",\n".join(
            f"({', '.join([*map(self.literal, row), str(place)])})"
            for place, row in enumerate(rows)
        )
        return (
            f"DROP TABLE IF EXISTS {table};\n"
            f"CREATE TABLE {table} ({', '.join(columns)}, place INTEGER);\n"
            f"INSERT INTO {table} VALUES {values};\n"
            f"SELECT {expression} FROM {table} ORDER BY place;\n"
        )

    def literal(self, value: object) -> str:
        """A value, whatever its text is: by its bytes."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return "NULL"
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, (int, float)):
            # In PostgreSQL a number without a type is a decimal.
            written = repr(float(value)) if isinstance(value, float) else str(value)
            return f"'{written}'" if self.dialect == "postgres" else f"{written}"
        plain = str(value).isascii() and str(value).isprintable()  # a client changes ends of lines
        if plain and not set(str(value)) & set("'\\"):
            return f"'{value}'"
        data = str(value).encode().hex()
        if self.dialect == "postgres":
            return f"convert_from('\\x{data}', 'UTF8')" if data else "''"
        return f"CONVERT(X'{data}' USING utf8mb4)"


def _unescaped(cell: str) -> str | None:
    if cell == "NULL":
        return None
    known = {"n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
    out, letters = [], iter(cell)
    for letter in letters:
        out.append(known[next(letters)] if letter == "\\" else letter)
    return "".join(out)


@contextmanager
def server(dialect: str) -> Iterator[Server]:
    """A server, or a skip that says what is missing; where CI is set that is a failure."""
    started = {"postgres": _postgres, "mysql": _mariadb}[dialect]
    # Short, as the path of a socket has to be, and not in a folder that is its owner's alone.
    folder = tempfile.mkdtemp(prefix="agathis-", dir="/tmp" if os.path.isdir("/tmp") else None)
    try:
        with started(folder) as found:
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _missing(what: str) -> None:
    told = f"SQL is not run in {what}: it is not installed"
    (pytest.fail if os.environ.get("CI") else pytest.skip)(told)


@contextmanager
def _postgres(folder: str) -> Iterator[Server]:
    homes = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not homes or not os.path.exists(f"{homes[-1]}/initdb"):
        _missing("PostgreSQL")
    home = homes[-1]
    # It refuses to run as root.
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    os.chmod(folder, 0o777)
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        [f"{home}/initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "agathis", "-E", "UTF8"]
        + ["--no-sync", "--locale=C.UTF-8"],
        check=True,
        **quiet,
        **user,
    )
    settings = [f"-cunix_socket_directories={folder}", "-clisten_addresses=", "-cfsync=off"]
    running = subprocess.Popen(
        [f"{home}/postgres", "-D", f"{folder}/data", *settings], **quiet, **user
    )
    client = [f"{home}/psql", "-h", folder, "-U", "agathis", "-d", "postgres", "-qX", "--csv", "-t"]
    client += ["-v", "ON_ERROR_STOP=1", "-P", f"null={NULL}"]
    try:
        yield _ready(Server("postgres", client), running)
    finally:
        _end(running)


@contextmanager
def _mariadb(folder: str) -> Iterator[Server]:
    if not shutil.which("mariadbd") and not os.path.exists("/usr/sbin/mariadbd"):
        _missing("MariaDB")
    user = [f"--user={'root' if os.geteuid() == 0 else os.environ.get('USER', '')}"]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", *user]
        + ["--auth-root-authentication-method=normal", "--skip-test-db"],
        check=True,
        **quiet,
    )
    socket = f"{folder}/socket"
    running = subprocess.Popen(
        [shutil.which("mariadbd") or "/usr/sbin/mariadbd", "--no-defaults"]
        + [f"--datadir={folder}/data", f"--socket={socket}", f"--pid-file={folder}/pid"]
        + ["--skip-networking", "--skip-grant-tables", *user],
        **quiet,
    )
    client = ["mariadb", "--no-defaults", f"--socket={socket}", "-N", "-B"]
    client += ["--default-character-set=utf8mb4"]
    try:
        found = _ready(Server("mysql", client), running)
        found.run("CREATE DATABASE a CHARACTER SET utf8mb4;")
        found.client.append("a")
        yield found
    finally:
        _end(running)


def _ready(found: Server, running: subprocess.Popen, seconds: float = 120.0) -> Server:
    until = time.monotonic() + seconds
    while True:
        try:
            found.run("SELECT 1;")
            return found
        except RuntimeError as error:
            if running.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{SERVERS[found.dialect]} did not start: {error}") from error
            time.sleep(0.2)


def _end(running: subprocess.Popen) -> None:
    running.terminate()
    try:
        running.wait(timeout=30)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
