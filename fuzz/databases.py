"""PostgreSQL and MariaDB for fuzzers: started once, by the process that has the workers.

A worker may be killed at any time, and would leave its servers behind; so it is told in its
environment where those of the process above it are. A case that is tried by itself starts its own.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import pytest
from helpers.servers import SERVERS, Server, server

TOLD = "AGATHIS_FUZZ_SERVERS"
TABLES = {
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = 'public';",
    "mysql": "SHOW TABLES;",
}


@contextmanager
def started() -> Iterator[None]:
    """Servers for this process and all that it starts; those that are not installed are named."""
    with ExitStack() as stack:
        clients = {}
        for dialect, title in SERVERS.items():
            try:
                clients[dialect] = stack.enter_context(server(dialect)).client
            except (pytest.skip.Exception, pytest.fail.Exception):
                print(f"{title} is not installed: no names are tried there", flush=True)
        os.environ[TOLD] = json.dumps(clients)
        try:
            yield
        finally:
            del os.environ[TOLD]


@cache
def servers() -> list[Server]:
    """Those that are there."""
    if TOLD not in os.environ:
        stack = ExitStack()
        stack.enter_context(started())
        atexit.register(stack.close)
    return [Server(*told) for told in json.loads(os.environ[TOLD]).items()]


def tables(database: Server) -> str:
    """The names of all tables."""
    return " ".join(str(name) for (name,) in database.run(TABLES[database.dialect]))
