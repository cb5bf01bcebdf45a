"""Standard streams that are closed or broken, and input that has no end; real processes."""

from __future__ import annotations

import gzip
import io
import os
import shlex
import subprocess
import sys

import pytest
from helpers.cli_runs import NOT_SHOWN, command, run

from agathis._columns.errors import BadTable
from agathis._io.read_table import read_table
from agathis._io.stream_limits import MAX_LINE_BYTES, PIECE, read_bytes
from agathis._io.table_reading import ReadOptions

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell closes streams")
CLOSED = b"Error: standard output is closed (EBADF)"
TABLE = "a,b\n1,2\n3,4\n9,1\n8,2\n"
#: More than any of these commands needs; what reads without an end soon has it all.
MEMORY = 5 << 30


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    (folder / "t.csv").write_text(TABLE)
    done = run("fit", "t.csv", "-k", 2, "--search", "greedy", "-o", "m.json", "-q", cwd=folder)
    assert done.code == NOT_SHOWN, done.err
    return folder


def shell(place, words, timeout=300, memory=None):
    """A line of a shell, in which ``agathis`` is the command."""

    def limited():
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    line = f'agathis() {{ {shlex.join(command())} "$@"; }}; {words}'
    return subprocess.run(
        ["bash", "-c", line],
        cwd=place,
        capture_output=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=limited if memory else None,
    )


def slow(words):
    return pytest.param(words, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "words",
    [
        "fit t.csv -k 2 --search greedy",
        slow("show m.json"),
        slow("--help"),
        slow("predict m.json t.csv"),
        slow("export m.json --to sql"),
        slow("rename - 0=a < m.json"),
        slow("compare t.csv -k 2 --method kauri --runs 1 --rows 4 --jobs 1"),
        slow("suggest t.csv --max-k 2"),
        slow("demo"),
        slow("--version"),
    ],
)
def test_results_that_a_closed_stdout_cannot_take(place, words):
    done = shell(place, f"agathis {words} >&-")
    assert done.returncode == 1, done.stderr
    assert CLOSED in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
def test_a_stdout_that_is_open_for_reading_only(place):
    done = shell(place, "agathis show m.json 1< t.csv")
    assert (done.returncode, done.stderr.startswith(CLOSED)) == (1, True)
    assert (place / "t.csv").read_text() == TABLE


@pytest.mark.parametrize(
    "words", ["fit - -k 2", slow("show -"), slow("rename - 0=a"), slow("predict m.json -")]
)
def test_a_stdin_that_is_open_for_writing_only(place, words):
    done = shell(place, f"agathis {words} 0> written")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"Error: standard input cannot be read: Bad file descriptor.\n"


@pytest.mark.parametrize(
    "words",
    [
        "predict m.json t.csv -q -o labels.csv",
        slow("rename m.json 0=a -q -o labels.csv"),
        slow("export m.json --to sql -o labels.csv"),
        slow("report m.json t.csv -q -o labels.csv"),
    ],
)
def test_results_in_files_need_no_stdout(place, words):
    (place / "labels.csv").unlink(missing_ok=True)
    done = shell(place, f"agathis {words} >&-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert (place / "labels.csv").stat().st_size


@pytest.mark.parametrize("words", ["2>&-", slow("2>/dev/full"), slow("2< t.csv")])
def test_messages_that_cannot_be_written_stop_nothing(place, words):
    fit = "agathis fit t.csv -k 2 --search greedy"
    done = shell(place, f"{fit} {words}")
    assert (done.returncode, done.stderr) == (NOT_SHOWN, b"")
    assert done.stdout == shell(place, f"{fit} -q").stdout
    assert done.stdout.startswith(b"cluster 0 is where")


def test_who_reads_no_messages_gets_the_model_all_the_same(place):
    done = shell(
        place, "agathis fit t.csv -k 2 --search greedy -o new.json 2>&1 >/dev/null | head -c 1"
    )
    assert done.stdout == b"R"
    assert (place / "new.json").read_bytes() == (place / "m.json").read_bytes()


@pytest.mark.slow
def test_a_pipe_that_has_a_name(place):
    done = shell(place, "agathis predict m.json t.csv -q -o /dev/stdout | cat")
    assert done.stdout == shell(place, "agathis predict m.json t.csv").stdout != b""


NO_TEXT = "is no text, or in another encoding"
LONG_LINE = f"has a line of more than {MAX_LINE_BYTES:,} bytes"
LONG_MODEL = "is not a tree of agathis: it has more than 67108864 bytes"
ENDLESS = {
    "a device": ("agathis fit /dev/zero -k 2", NO_TEXT),
    "noise": ("agathis predict m.json /dev/urandom", NO_TEXT),
    "zeros": ("cat /dev/zero | agathis suggest -", NO_TEXT),
    "one line": ("yes 1 | tr -d '\\n' | agathis fit - -k 2", LONG_LINE),
    "compressed": ("yes 1 | tr -d '\\n' | head -c 99999999 | gzip -1 | agathis fit -", LONG_LINE),
    "rows": (
        "yes 1,2 | agathis fit - -k 2 --max-bytes 30000000",
        "has more than 30,000,000 bytes, the limit for pipes, devices and compressed files",
    ),
    "rows by a path": ("agathis report m.json <(yes 1,2) --max-bytes 3000000", "3,000,000 bytes"),
    "rows and no limit": (
        "yes 1,2 | agathis fit - -k 2 --max-bytes 99999999999999",
        "there is not enough memory",
    ),
    "a model": ("agathis show /dev/zero", LONG_MODEL),
    "a model in a pipe": ("cat /dev/zero | agathis show -", LONG_MODEL),
    "a model to rename": ("cat /dev/zero | agathis rename - 0=a", LONG_MODEL),
    "a model by a path": ("agathis export --to sql <(cat /dev/zero)", LONG_MODEL),
}
QUICK = ("a device", "one line")


@pytest.mark.skipif(sys.platform != "linux", reason="limits and devices of Linux")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(*case, marks=() if name in QUICK else pytest.mark.slow, id=name)
        for name, case in ENDLESS.items()
    ],
)
def test_input_without_an_end(place, words, said):
    done = shell(place, words, memory=MEMORY)
    err = done.stderr.decode()
    assert done.returncode == 1, err
    assert said in err
    assert "Traceback" not in err
    if "bytes" in said and "tree" not in said:
        assert "--max-line-bytes N raises" in err or "--max-bytes N raises" in err
    assert done.stdout == b""


def written(folder, data):
    path = folder / "long.csv"
    path.write_bytes(data)
    return str(path)


def test_the_longest_line(tmp_path):
    """Of exactly as many bytes as are allowed, wherever its end lies in what is read at once."""
    limit = PIECE + 10
    row = b"1," + b"5" * (limit - 2)
    for data in (b"a,b\n" + row + b"\n1,2\n", b"a,b\n1,2\n" + row):
        table = read_table(written(tmp_path, data), ReadOptions(max_line_bytes=limit)).table
        assert table.num_rows == 2
    with pytest.raises(BadTable, match=f"more than {limit:,} bytes.*max_line_bytes= raises"):
        read_table(written(tmp_path, b"a,b\n1,2\n" + row + b"5"), ReadOptions(max_line_bytes=limit))


def test_a_line_that_ends_after_the_limit(tmp_path):
    """In the piece that makes it too long, with short lines after it."""
    limit = PIECE
    row = b"1," + b"5" * (limit - 2)
    data = b"a,b\n" + row + b"\n1,2\n"
    assert (
        read_table(written(tmp_path, data), ReadOptions(max_line_bytes=limit)).table.num_rows == 2
    )
    data = data.replace(row, row + b"5")
    with pytest.raises(BadTable, match=f"more than {limit:,} bytes"):
        read_table(written(tmp_path, data), ReadOptions(max_line_bytes=limit))


class Pipe(io.RawIOBase):
    """Delivers one byte first, as a pipe may."""

    def __init__(self, data):
        self.pieces = [data[:1], data[1:]]

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self.pieces.pop(0) if self.pieces else b""
        n = len(buffer)
        buffer[: len(piece[:n])] = piece[:n]
        if piece[n:]:
            self.pieces.insert(0, piece[n:])
        return len(piece[:n])


ROWS = b"a,b\n" + b"1,2\n" * 100
LIST = b"[" + b",".join([b'{"size": 1.25}'] * 100_000) + b"]"


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (gzip.compress(ROWS), ROWS),
        (ROWS.decode().encode("utf-16"), ROWS.decode().encode("utf-16")),
        (b"\xef\xbb\xbf" + LIST, b"\xef\xbb\xbf" + LIST),
        (b"\n" + LIST, b"\n" + LIST),
    ],
    ids=["gzip", "UTF-16", "UTF-8 with a mark", "JSON after a line end"],
)
def test_the_first_byte_of_a_pipe_does_not_decide_the_kind(sent, content):
    assert read_bytes(io.BufferedReader(Pipe(sent)), "t", max_line_bytes=PIECE) == content


def test_a_list_of_json_may_be_one_line(tmp_path):
    assert len(LIST) > PIECE
    assert (
        read_table(written(tmp_path, LIST), ReadOptions(max_line_bytes=PIECE)).table.num_rows == 1e5
    )


def test_the_content_of_a_compressed_file_is_limited(tmp_path):
    """However small the file itself is; a file that is not compressed has an end of its own."""
    rows = b"a,b\n" + b"1,2\n" * 1_000_000
    small = ReadOptions(max_bytes=PIECE)
    with pytest.raises(BadTable, match=f"more than {PIECE:,} bytes.*max_bytes= raises"):
        read_table(written(tmp_path, gzip.compress(rows)), small)
    assert read_table(written(tmp_path, gzip.compress(rows))).table.num_rows == 1_000_000
    assert read_table(written(tmp_path, rows), small).table.num_rows == 1_000_000


def test_a_text_in_another_encoding_is_read_to_its_end(tmp_path):
    data = "a,b\n1,2\n".encode("utf-16")
    path = written(tmp_path, data)
    with open(path, "rb") as file:
        assert read_bytes(file, "t.csv") == data
    data = "a,b\n1,2\n".encode("utf-32-le")
    path = written(tmp_path, data)
    with open(path, "rb") as file, pytest.raises(BadTable, match=NO_TEXT):
        read_bytes(file, "t.csv")
    with open(path, "rb") as file:
        assert read_bytes(file, "t.csv", encoding="utf-32-le") == data
