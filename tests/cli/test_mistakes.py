"""Mistakes of users: each gets a message, its exit code, and no half-written file."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest
from helpers.cli_runs import NOT_SHOWN, here, iris_csv, run

GOOD = "a,b\n1,2\n3,4\n9,1\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    return tmp_path


BAD_DATA = {
    "header only": (b"a,b\n", "has names of columns and no rows"),
    "header without an end": (b"a,b", "has names of columns and no rows"),
    "empty lines": (b"\n\n \n", "is empty"),
    "short row": (b"a,b\n1,2\n3\n", "row 3 (the header is row 1) has 1 cell, and the header"),
    "long row": (b"a,b\n1,2\n3,4,5\n", "row 3 (the header is row 1) has 3 cells"),
    "one row": (b"a,b\n1,2\n", "no column left"),
    "constants": (b"a,b\n1,x\n1,x\n1,x\n", "no column left"),
    "latin": (b"a,b\n1,2\n\xe9,2\n", "not text in UTF-8: byte 0xe9 in line 3"),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), "no column left"),
    "binary": (bytes(range(256)), "is no text"),
    "spreadsheet": (b"PK\x03\x04rest", "begins as a zip archive or a spreadsheet"),
    "damaged gzip": (gzip.compress(GOOD.encode(), mtime=0)[:20], "compressed by gzip, and damaged"),
    "damaged Parquet": (b"PAR1 and nothing more", "cannot be read as Parquet"),
    "open quote": (b'a,b\n1,"2\n3,4\n', "a quote that is opened and never closed"),
    "missing values": (b"a,b\n1,\n2,3\nNA,4\n", "in a (33 %) and b (33 %); 2 of 3 rows"),
    "infinite": (b"a,b\n1,inf\n2,3\n5,4\n", "b has infinite values in 1 row; values must be"),
    "too large": (b"a,b\n1e200,1\n2,3\n5,4\n", "a has numbers beyond 1e+150"),
    "many texts": (
        b"a,t\n" + b"".join(b"%d,t%d\n" % (i * i, i // 2) for i in range(60)),
        "t has 30 distinct values",
    ),
    "a sign for missing": (
        b"a,t\n" + b"".join(b"%d,%d\n" % (i * i, i) for i in range(60)) + b"7,see below\n",
        "--na 'see below' treats such strings as missing",
    ),
    "two forms": (
        b'a,t\n1,"1.264,40"\n2,"1,264.40"\n9,"7,5"\n',
        "t has numbers of several forms or units, such as '1.264,40', '1,264.40', '7,5': write",
    ),
    "two units": (
        "a,t\n1,5 €\n2,7 $\n9,8 €\n".encode(),
        "t has numbers of several forms or units, such as '5 €', '7 $': write them alike",
    ),
    "too few rows": (b"a,b\n1,2\n3,4\n", "-k 3 is more than there are rows, 2"),
}  # fmt: skip


#: What stops only those who ask for it; all others are told, and get their clusters.
STRICT = (
    *("missing values", "many texts", "a sign for missing", "two forms", "two units"),
    *("latin", "infinite"),
)


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(case, place, capsys):
    data, said = BAD_DATA[case]
    (place / "t.csv").write_bytes(data)
    strict = ["--strict"] if case in STRICT else []
    done = here(capsys, "fit", "t.csv", "-k", 3, "-o", "m.json", *strict)
    assert done.code == 1
    assert done.out == ""
    assert said in done.err
    assert "Error: " in done.err
    assert sorted(os.listdir()) == ["good.csv", "t.csv"]


WRONG_USE = {
    "parts for IMM": (
        ["fit", "good.csv", "-k", 2, "--dates", "parts", "--method", "imm"], "for --method kauri"
    ),
    "k of 0": (["fit", "good.csv", "-k", 0], "-k"),
    "k of 1": (["fit", "good.csv", "-k", 1], "-k"),
    "seed": (["fit", "good.csv", "-k", 2, "--seed", 2**32], "--seed"),
    "no jobs": (["fit", "good.csv", "-k", 2, "--jobs", 0], "--jobs"),
    "many jobs": (["fit", "good.csv", "-k", 2, "--jobs", 10**20], "--jobs"),
    "no leaf": (["fit", "good.csv", "-k", 2, "--min-leaf", 0], "--min-leaf 0"),
    "endless leaf": (["fit", "good.csv", "-k", 2, "--min-leaf", "inf"], "--min-leaf inf"),
    "low gamma": (["fit", "good.csv", "-k", 2, "--kernel", "rbf", "--gamma", -1], "--gamma -1"),
    "gamma of nan": (["fit", "good.csv", "-k", 2, "--kernel", "rbf", "--gamma", "nan"], "--gamma"),
    "k of text": (["fit", "good.csv", "-k", "x"], "-k"),
    "no command": (["fits", "good.csv"], "fits"),
    "option": (["fit", "good.csv", "-k", 2, "--nothing"], "--nothing"),
    "kernel": (["fit", "good.csv", "-k", 2, "--kernel", "gauss"], "gauss"),
    "column": (["fit", "good.csv", "-k", 2, "--drop", "B"], "Did you mean b?"),
    "contradiction": (
        ["fit", "good.csv", "-k", 2, "--drop", "a", "--keep", "a"], "--drop and --keep both name a"
    ),
    "few leaves": (["fit", "good.csv", "-k", 3, "--leaves", 2], "--leaves 2 is less than -k 3"),
    "leaves of IMM": (["fit", "good.csv", "-k", 2, "--leaves", 4, "--method", "imm"], "IMM has"),
    "kernel of RDM": (["fit", "good.csv", "-k", 2, "--kernel", "rbf", "--method", "rdm"], "RDM"),
    "gamma": (["fit", "good.csv", "-k", 2, "--gamma", 1], "the linear kernel has none"),
    "smallest leaf": (["fit", "good.csv", "-k", 2, "--method", "rdm", "--min-leaf", 2], "RDM"),
    "names": (["fit", "good.csv", "-k", 2, "--names", "a,b,c"], "--names has 3 names"),
    "a name twice": (["fit", "good.csv", "-k", 2, "--names", "a, a"], "a different name"),
    "an empty name": (["fit", "good.csv", "-k", 2, "--names", "a,"], "a different name"),
    "encoding": (["fit", "good.csv", "-k", 2, "--encoding", "klingon"], "klingon is unknown"),
    "of bytes": (["fit", "good.csv", "-k", 2, "--encoding", "base64"], "base64 is unknown"),
    "no encoding": (["fit", "good.csv", "-k", 2, "--encoding", ""], "--encoding"),
    "separator": (["fit", "good.csv", "-k", 2, "--sep", "::"], "--sep :: must be one"),
    "itself": (["fit", "good.csv", "-k", 2, "-o", "good.csv"], "the input too"),
    "one file": (["fit", "good.csv", "-k", 2, "-o", "x", "--report", "./x"], "the file of -o"),
    "report to stdout": (["fit", "good.csv", "-k", 2, "--report", "-"], "--report -"),
    "open nothing": (["fit", "good.csv", "-k", 2, "--open"], "--open"),
    "no name": (["fit", "good.csv", "-k", 2, "-o", ""], "-o is an empty name"),
    "both stdin": (["predict", "-", "-"], "both -"),
    "form": (["export", "m.json", "--to", "excel"], "excel"),
    "table": (["export", "m.json", "--to", "dot", "--table", "t"], "go with --to sql"),
    "no table": (["export", "m.json", "--to", "sql", "--table", "a."], "--table 'a.'"),
    "two forms": (["compare", "good.csv", "-k", 2, "--csv", "--markdown"], "choose one"),
    "compare": (["compare", "good.csv", "-k", 2, "--missing", "tree"], "Kauri alone takes missing"),
    "compare leaves": (["compare", "good.csv", "-k", 3, "--leaves", 2], "--leaves 2"),
    "compare kernel": (
        ["compare", "good.csv", "-k", 2, "--kernel", "rbf", "--method", "imm"], "IMM"
    ),
    "compare rows": (["compare", "good.csv", "-k", 2, "--rows", 1.5], "--rows 1.5"),
    "suggest": (["suggest", "good.csv", "--max-k", 1], "--max-k"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_USE)
def test_wrong_use(case, place, capsys):
    args, said = WRONG_USE[case]
    done = here(capsys, *args)
    assert done.code == 2
    assert done.out == ""
    assert said in done.err
    assert os.listdir() == ["good.csv"]
    assert (place / "good.csv").read_text() == GOOD


@pytest.mark.parametrize("encoding", ["punycode", "undefined", "utf-16"])
def test_other_encodings(encoding, place, capsys):
    done = here(capsys, "fit", "good.csv", "-k", 2, "--encoding", encoding)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: good.csv ")


def test_places_that_are_no_files(place, capsys):
    assert "there is no file none.csv" in here(capsys, "fit", "none.csv", "-k", 2).err
    assert ". is a folder" in here(capsys, "fit", ".", "-k", 2).err
    done = here(capsys, "fit", "good.csv", "-k", 2, "-o", "no/m.json")
    assert (done.code, done.out) == (1, "")
    assert "the folder of no/m.json does not exist" in done.err
    done = here(capsys, "fit", "good.csv", "-k", 2, "-o", place)
    assert done.code == 1
    assert "is a folder; -o takes a file" in done.err
    done = here(capsys, "show", "none.json")
    assert done.code == 1
    assert done.err == "Error: none.json: No such file or directory.\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may all")
def test_no_permission(place, capsys):
    (place / "locked").mkdir(mode=0o500)
    done = here(capsys, "fit", "good.csv", "-k", 2, "-o", "locked/m.json")
    assert done.code == 1
    assert "read-only" in done.err
    (place / "secret.csv").write_text(GOOD)
    (place / "secret.csv").chmod(0)
    done = here(capsys, "fit", "secret.csv", "-k", 2)
    assert (done.code, done.err) == (1, "Error: secret.csv: Permission denied.\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_device(place, capsys):
    done = here(capsys, "fit", "good.csv", "-k", 2, "-o", "/dev/full")
    assert (done.code, done.out) == (1, "")
    assert "/dev/full is not written: No space left on device." in done.err


@pytest.mark.parametrize("text", ["", "{", GOOD, '{"format": "agathis-tree", "version": 9}'])
def test_files_that_are_no_models(text, place, capsys):
    (place / "m.json").write_text(text)
    for args in (["show", "m.json"], ["predict", "m.json", "good.csv"]):
        done = here(capsys, *args)
        assert done.code == 1
        assert done.err.startswith("Error: m.json ")


def test_files_for_another_command(place, capsys):
    assert here(capsys, "fit", "good.csv", "-k", 2, "-o", "m.json").code == NOT_SHOWN
    (place / "page.html").write_text("<!DOCTYPE html>\n<p>a,b</p>\n")
    (place / "rows.json").write_text('{"a": [1, 2]}\n')
    done = here(capsys, "fit", "m.json", "-k", 2)
    assert done.code == 1
    assert "m.json seems to be a model, not a table; agathis show, predict" in done.err
    for name, what in (
        ("page.html", "seems to be a page, HTML, not a table"),
        ("rows.json", "has no column left to cluster by"),
    ):
        done = here(capsys, "fit", name, "-k", 2)
        assert done.code == 1
        assert f"{name} {what}" in done.err
        done = here(capsys, "show", name)
        assert done.code == 1
        assert done.err.startswith(f"Error: {name} is not a tree of agathis: ")
    assert "it seems to be a page, HTML" in here(capsys, "show", "page.html").err
    assert "it seems to be a table, of which agathis fit" in here(capsys, "show", "good.csv").err
    (place / "odd.csv").write_text("{a},[b]\n1,2\n3,4\n9,1\n")
    assert here(capsys, "fit", "odd.csv", "-k", 2).code == NOT_SHOWN


def test_ways_out_are_ways_out(place, capsys):
    (place / "t.csv").write_text("a,t\n" + "".join(f"{i * i},t{i}\n" for i in range(501)))
    done = here(capsys, "fit", "t.csv", "-k", 2, "--categorical", "t", "--method", "kmeans-dt")
    assert done.code == NOT_SHOWN
    assert "Categories: t (500 values and 1 other)." in done.err
    done = here(capsys, "fit", "good.csv", "-k", 2, "--drop", "a", "--drop", "b")
    assert done.code == 1
    assert done.err.endswith("good.csv has no column left to cluster by.\n")


def test_few_rows(place, capsys):
    (place / "two.csv").write_text("a,b\n1,2\n3,5\n")
    assert "no two clusters in 2 rows: these are too few" in here(capsys, "suggest", "two.csv").err
    (place / "same.csv").write_text("a,b\n" + "1,2\n" * 5)
    done = here(capsys, "suggest", "same.csv", "--keep", "a")
    assert "no two clusters in 5 rows: all of them are alike" in done.err
    done = here(capsys, "fit", "same.csv", "-k", 2, "--keep", "a")
    assert "Found 1 cluster with 1 leaf. More would not help" in done.err


def test_what_is_damaged_is_named_as_the_user_knows_it(place, capsys):
    (place / "t.gz").write_bytes(gzip.compress(b"PAR1 and nothing more"))
    done = here(capsys, "fit", "t.gz", "-k", 2)
    assert done.code == 1
    assert done.err.startswith("Error: t.gz cannot be read as Parquet")


def test_names_for_clusters_that_are_not_there(place, capsys):
    (place / "t.csv").write_text("a,b\n" + 9 * "1,2\n3,4\n")
    done = here(capsys, "fit", "t.csv", "-k", 3, "--names", "a,b,c", "-o", "m.json")
    assert done.code == 1
    assert "the tree has 2 clusters, and --names 3 names" in done.err
    assert not os.path.exists("m.json")


def test_without_pyarrow(place, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = here(capsys, "fit", "good.csv", "-k", 2)
    assert done.code == 1
    assert 'pip install "agathis[io]"' in done.err


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_packages_of_the_command_line(package):
    code = f"import runpy, sys\nsys.modules[{package!r}] = None\n"
    code += "runpy.run_module('agathis', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    said = f'Error: the command line needs {package}: pip install "agathis[cli]"\n'
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", said)


def test_a_file_that_is_there_stays_if_anything_fails(place, capsys):
    (place / "m.json").write_text("old")
    iris_csv(place)
    done = here(capsys, "fit", "iris.csv", "-k", 3, "--names", "a,b", "-o", "m.json")
    assert done.code == 1
    assert (place / "m.json").read_text() == "old"


@pytest.mark.slow
def test_cores_that_cannot_be_counted_are_no_news(place):
    """Neither lscpu nor cat: joblib would print where in its code it gave up."""
    (place / "more.csv").write_text(GOOD + "8,2\n1,1\n")
    done = run("fit", "more.csv", "-k", "2", "--method", "imm", cwd=place, env={"PATH": ""})
    assert done.code == NOT_SHOWN
    assert "cores" not in done.err
    assert "File" not in done.err
