"""What the README shows is what the package does."""

import contextlib
import io
import re
import textwrap
from pathlib import Path

import pytest

from agathis import Kauri

README = Path(__file__).parents[2] / "README.md"
#: Pictures have whole addresses: the page of an index shows them too.
PICTURES = "https://raw.githubusercontent.com/agathis-trees/agathis/main/"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_first_example_prints_what_it_says():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(blocks("python")[0], {})
    assert out.getvalue() == blocks("text")[0]


def test_second_example_runs():
    from sklearn.datasets import load_iris

    X = load_iris().data
    names = {"X": X, "X_new": X[:5]}
    exec("from agathis import Kauri\n" + blocks("python")[1], names)
    assert names["model"].n_clusters_ == 3


def test_many_rows_example_runs(tmp_path, monkeypatch):
    import pandas as pd
    from sklearn.datasets import load_iris

    monkeypatch.chdir(tmp_path)
    X = load_iris().data
    with_nan = X.copy()
    with_nan[::7, 2] = float("nan")
    pd.DataFrame(X, columns=list("abcd")).to_parquet("visits.parquet")
    names = {"X": X, "X_with_nan": with_nan}
    exec("from agathis import Kauri\n" + blocks("python")[2], names)
    groups = pd.read_parquet("groups.parquet").cluster
    assert list(groups) == list(names["model"].labels_)


@pytest.mark.slow
def test_comparing_example_runs(capsys):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    exec(blocks("python")[3], {"X": X, "y": y})
    table, _, advice = capsys.readouterr().out.partition("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == [
        "method", "Kauri", "Kauri", "KMeans+DT", "IMM", "ExShallow", "RDM"
    ]  # fmt: skip
    assert advice.strip()


def test_scaling_example_runs(capsys):
    from sklearn.datasets import load_wine

    wine = load_wine()
    names = {"X": wine.data}
    code = textwrap.dedent(blocks(" *python")[-1])
    exec("from agathis import Kauri\nfrom agathis.export import to_text\n" + code, names)
    out = capsys.readouterr().out
    # Proline is between 278 and 1680, and between 0 and 1 once it is scaled.
    thresholds = re.findall(r"x\[12\] <= ([\d.]+)", out)
    assert thresholds
    assert all(278 < float(value) < 1680 for value in thresholds)


def test_export_example_runs(capsys):
    from sklearn.datasets import load_iris

    model = Kauri(3, max_leaf_nodes=4).fit(load_iris().data)
    exec(blocks("python")[4], {"model": model})
    assert "CASE" in capsys.readouterr().out


def test_commands_come_first():
    commands = re.findall(r"^    (make \w+)$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands == ["make demo", "make test"]


def test_links_lead_somewhere():
    text = README.read_text(encoding="utf-8")
    links = [link.removeprefix(PICTURES) for link in re.findall(r"\]\(([^)#]+)\)", text)]
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
    assert "@" not in text


def test_pictures_have_whole_addresses():
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert pictures
    assert all(picture.startswith(PICTURES) for picture in pictures)
