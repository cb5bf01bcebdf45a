"""Pictures of collections: of a sample of the rows, and they say so."""

from __future__ import annotations

import dask
import pytest
from helpers.clusters import KINDS
from helpers.models import blobs_of

from agathis import Kauri as LocalKauri
from agathis.dask import sample_rows
from agathis.plot import plot_clusters, plot_profile

figure = pytest.importorskip("matplotlib.figure")
X = blobs_of(200)
SIZES = [80, 0, 120]


@pytest.fixture
def axes():
    return figure.Figure().add_subplot()


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr("agathis.dask._sampled_rows.ROWS", 50)


@pytest.mark.parametrize("kind", KINDS)
def test_points_are_those_of_a_sample(axes, few, kind):
    with dask.config.set(scheduler="synchronous"):
        rows = KINDS[kind](X, SIZES)
        model = LocalKauri(3, max_leaf_nodes=None).fit(rows.compute() if kind == "frame" else X)
        plot_clusters(model, rows, ax=axes)
        drawn = sum(len(points.get_offsets()) for points in axes.collections)
        sample = sample_rows(rows, 50)
    assert drawn == len(sample) == 50
    assert axes.get_title(loc="left") == "50 rows, a sample of 200, drawn at random"


def test_points_of_which_some_are_drawn(axes, few):
    with dask.config.set(scheduler="synchronous"):
        plot_clusters(
            LocalKauri(3, max_leaf_nodes=None).fit(X),
            KINDS["array"](X, SIZES),
            ax=axes,
            max_points=20,
        )
    assert axes.get_title(loc="left") == "20 of 50 rows, a sample of 200, drawn at random"


def test_a_profile_is_that_of_a_sample(axes, few):
    model, rows = LocalKauri(3, max_leaf_nodes=None).fit(X), KINDS["array"](X, SIZES)
    with dask.config.set(scheduler="synchronous"):
        plot_profile(model, rows, ax=axes)
        with pytest.raises(ValueError, match=r"sample_weight .* agathis\.dask\.sample_rows"):
            plot_profile(model, rows, sample_weight=[1.0] * 200)
    told = " ".join(axes.get_xlabel().split())
    assert told.endswith("from the mean of 50 rows, a sample of 200, drawn at random")


def test_pictures_of_all_rows_say_nothing(axes, few):
    model, rows = LocalKauri(3, max_leaf_nodes=None).fit(X), KINDS["array"](X[:40], [30, 10])
    with dask.config.set(scheduler="synchronous"):
        plot_clusters(model, rows, ax=axes)
        assert axes.get_title(loc="left") == ""
        plot_profile(model, rows, ax=axes)
    assert "sample" not in axes.get_xlabel()
