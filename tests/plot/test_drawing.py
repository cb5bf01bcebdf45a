"""What is drawn: everything is there, nothing overlaps or is cut off, nothing else is touched."""

import io
import subprocess
import sys
from itertools import combinations, product
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.examples import mostly_slow
from helpers.pair_trees import pair_model
from helpers.plot_trees import MODELS, random_tree
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri
from agathis._trees.builder import TreeBuilder
from agathis.plot import plot_clusters, plot_gains, plot_profile, plot_tree

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

ODD = [
    "$x_1^2$ cost in $",
    "a_b^c <script>alert(1)</script>",
    "a very long name of a column that goes on and on until somebody stops it",
    "x" * 70,
]
ODD_CLUSTERS = ["_one$", "the second cluster, with a name that is rather long", "\\a -- <b>"]
DRAWINGS = {
    "tree": lambda model, X, **o: plot_tree(model, **o),
    "clusters": plot_clusters,
    "gains": lambda model, X, **o: plot_gains(model, **o),
    "profile": plot_profile,
}
NAMED = ("tree", "clusters", "profile")


@pytest.fixture(autouse=True)
def _agg():
    """Figures of pyplot need no screen, and none is left."""
    backend = matplotlib.get_backend()
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(backend)


def axes(size=(6.4, 4.8), **options):
    return Figure(figsize=size, **options).add_subplot()


def drawn(ax, dpi=100):
    """Draw for good, so that every text has its place."""
    figure = ax.figure
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return canvas.get_renderer()


def boxes(texts, renderer):
    result = [(t.get_text(), t.get_window_extent(renderer)) for t in texts]
    return [(text, box) for text, box in result if text.strip()]


def nothing_overlaps(texts, renderer, slack=0.5):
    result = boxes(texts, renderer)
    if not result:
        return
    low, high = np.array([(box.min, box.max) for _, box in result]).swapaxes(0, 1)
    shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    over = np.argwhere(np.triu((shared > slack).all(axis=2), 1))
    assert not len(over), [(result[a][0], result[b][0]) for a, b in over[:3]]


def nothing_is_cut_off(texts, renderer, figure):
    page = figure.bbox
    for text, box in boxes(texts, renderer):
        assert box.x0 >= page.x0 - 0.5, text
        assert box.x1 <= page.x1 + 0.5, text
        assert box.y0 >= page.y0 - 0.5, text
        assert box.y1 <= page.y1 + 0.5, text


def all_texts(ax):
    """The texts that are seen: not those of ticks outside the limits."""
    if not ax.axison:
        return list(ax.texts)
    labels = [ax.xaxis.label, ax.yaxis.label, ax.title, *ax.texts]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        labels += [
            label
            for place, label in zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=True)
            if low <= place <= high
        ]
    legend = ax.get_legend()
    return labels + (legend.get_texts() if legend else [])


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data
    return Kauri(10, max_leaf_nodes=40).fit(X), X


@pytest.fixture(scope="module")
def twenty():
    X = make_blobs(600, 5, centers=20, random_state=3)[0]
    return Kauri(20, max_leaf_nodes=25).fit(X), X


@pytest.mark.parametrize("draw", DRAWINGS)
@pytest.mark.parametrize("name", mostly_slow(MODELS, "Kauri"))
def test_every_estimator_and_its_tree(name, draw, iris):
    model = clone(MODELS[name]).fit(iris)
    for thing in (model, model.tree_):
        ax = axes()
        assert DRAWINGS[draw](thing, iris, ax=ax) is ax
        drawn(ax)


@pytest.mark.parametrize("draw", DRAWINGS)
def test_pipelines(draw, iris):
    """The same picture whether the scaler is in a pipeline or given."""
    pipeline = make_pipeline(MinMaxScaler(), Kauri(3, max_leaf_nodes=5)).fit(iris)
    given = {} if draw == "gains" else {"scaler": pipeline[0]}
    pictures = []
    for model, options in ((pipeline, {}), (pipeline[-1], given)):
        ax = axes()
        DRAWINGS[draw](model, iris, ax=ax, **options)
        pictures.append(bytes(drawn(ax).buffer_rgba()))
    assert pictures[0] == pictures[1]


SIZES = [None, (6.4, 4.8), (20, 8), (5, 14)]


@pytest.mark.slow
@pytest.mark.parametrize(("root", "size"), product(["auto", "top", "left"], SIZES))
def test_forty_leaves_do_not_overlap(digits, root, size):
    ax = plot_tree(digits[0], ax=None if size is None else axes(size), root=root)
    # Many dots, so that the places of small letters are not rounded to whole ones.
    renderer = drawn(ax, dpi=100 if size is None else 400)
    assert len([t for t in ax.texts if t.get_weight() == "bold"]) == 79
    nothing_overlaps(ax.texts, renderer)
    nothing_is_cut_off(ax.texts, renderer, ax.figure)
    if size is None:
        assert {t.get_size() for t in ax.texts} == {9.0}
        assert max(ax.figure.get_size_inches()) < (60 if root == "top" else 25)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_no_tree_overlaps(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 30, (80, 4)) * 10.0 ** random.integers(-6, 9, 4)
    tree = random_tree(random, X, int(random.integers(1, 25)), seed % 2 == 0)
    names = [f"cluster {k}" * (1 + k % 4) for k in range(tree.n_clusters)]
    for root in ("top", "left"):
        ax = plot_tree(tree, root=root, feature_names=ODD, cluster_names=names)
        renderer = drawn(ax)
        nothing_overlaps(ax.texts, renderer)
        nothing_is_cut_off(ax.texts, renderer, ax.figure)


@pytest.mark.slow
def test_text_stays_in_its_box(digits):
    from matplotlib.patches import FancyBboxPatch

    ax = plot_tree(digits[0])
    renderer = drawn(ax)
    frames = [p.get_window_extent(renderer) for p in ax.patches if isinstance(p, FancyBboxPatch)]
    assert len(frames) == 79
    for a, b in combinations(frames, 2):
        assert not a.overlaps(b)
    for text, box in boxes(ax.texts, renderer):
        over = [f for f in frames if f.overlaps(box)]
        if text[0] not in "≤>":
            (frame,) = over
            assert frame.x0 <= box.x0
            assert box.x1 <= frame.x1


def test_cropped_tree_and_few_details(digits):
    ax = plot_tree(digits[0], max_depth=2)
    words = [t.get_text() for t in ax.texts]
    assert sum(w.endswith(" leaves") for w in words) == 4
    plain = [t.get_text() for t in plot_tree(digits[0], details=False, ax=axes()).texts]
    assert not any("sample" in w or "gain" in w for w in plain)
    alone = plot_tree(Kauri(1, max_leaf_nodes=None).fit([[0.0], [1.0]]), ax=axes())
    assert [t.get_text() for t in alone.texts] == ["cluster 0", "2 samples"]


@pytest.mark.parametrize("draw", ["clusters", "gains", "profile"])
@pytest.mark.parametrize("given", [pytest.param(False, marks=pytest.mark.slow), True])
def test_twenty_clusters(twenty, draw, given):
    ax = DRAWINGS[draw](*twenty, ax=axes((9, 6), layout="constrained") if given else None)
    renderer = drawn(ax)
    nothing_is_cut_off(all_texts(ax), renderer, ax.figure)
    nothing_overlaps(ax.texts, renderer)
    nothing_overlaps(ax.get_xticklabels(), renderer)
    nothing_overlaps(ax.get_yticklabels(), renderer)
    if draw != "gains":
        assert len({t.get_text() for t in ax.texts}) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("max_features", [20, None])
def test_profile_of_64_features(digits, max_features):
    ax = plot_profile(*digits, max_features=max_features)
    renderer = drawn(ax)
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert len(labels) == len(set(labels)) == (max_features or 64)
    assert ("20 of 64 features" in ax.get_xlabel()) == (max_features == 20)
    nothing_overlaps(all_texts(ax), renderer)
    nothing_is_cut_off(all_texts(ax), renderer, ax.figure)


@pytest.mark.parametrize("draw", NAMED)
@pytest.mark.parametrize("form", mostly_slow(["png", "svg", "pdf"], "svg"))
def test_odd_names_stay_as_they_are(iris, draw, form):
    model = Kauri(3, max_leaf_nodes=6).fit(iris)
    names = {"feature_names": ODD, "cluster_names": ODD_CLUSTERS}
    more = {"features": (0, 1)} if draw == "clusters" else {}
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        ax = DRAWINGS[draw](model, iris, **names, **more)
        out = io.BytesIO()
        ax.figure.savefig(out, format=form)
    nothing_is_cut_off(all_texts(ax), drawn(ax), ax.figure)
    written = " ".join(t.get_text() for t in all_texts(ax))
    assert "_one$" in written
    assert "\\a -- <b>" in written
    if draw != "tree":
        assert "$x_1^2$ cost in $" in written
    if form == "svg":
        root = ElementTree.fromstring(out.getvalue())
        assert not [e for e in root.iter() if e.tag.rpartition("}")[2] in ("script", "b")]
        text = " ".join("".join(e.itertext()) for e in root.iter() if e.tag.endswith("}text"))
        assert "_one$" in text
        assert "\\a -- <b>" in text


def test_names_with_line_breaks_and_control_characters(iris):
    model = Kauri(3, max_leaf_nodes=3).fit(iris)
    names = ["a\nb", "tab\tbed", "bell\x07nul\x00", ""]
    for draw in NAMED:
        ax = DRAWINGS[draw](model, iris, feature_names=names, cluster_names=names[:3], ax=axes())
        drawn(ax)
        written = " ".join(t.get_text() for t in all_texts(ax))
        assert "a b" in written
        assert "\x07" not in written


@pytest.mark.parametrize("draw", DRAWINGS)
def test_no_global_setting_changes(iris, draw):
    model = Kauri(3, max_leaf_nodes=5).fit(iris)
    mine = pyplot.figure()
    before = dict(matplotlib.rcParams)
    ax = axes()
    DRAWINGS[draw](model, iris, ax=ax)
    assert pyplot.get_fignums() == [mine.number]
    assert pyplot.gcf() is mine
    assert dict(matplotlib.rcParams) == before
    assert ax.figure.axes == [ax]
    new = DRAWINGS[draw](model, iris)
    assert len(pyplot.get_fignums()) == 2
    assert pyplot.gcf() is new.figure
    assert dict(matplotlib.rcParams) == before


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWINGS)
def test_same_picture_twice(iris, draw):
    model = Kauri(3, max_leaf_nodes=5).fit(iris)
    pictures = []
    for _ in range(2):
        ax = DRAWINGS[draw](model, iris, ax=axes())
        drawn(ax)
        pictures.append(np.asarray(ax.figure.canvas.buffer_rgba()).copy())
    np.testing.assert_array_equal(*pictures)


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWINGS)
def test_subfigures_and_subplots(iris, draw):
    model = Kauri(3, max_leaf_nodes=5).fit(iris)
    figure = Figure(layout="constrained")
    left, right = figure.subfigures(1, 2)
    given = left.add_subplot(), right.add_subplot(2, 1, 2)
    for ax in given:
        assert DRAWINGS[draw](model, iris, ax=ax) is ax
    FigureCanvasAgg(figure).draw()
    for ax in given:
        # What is drawn stays in its part of the figure.
        inside = ax.get_window_extent()
        assert 0 <= inside.x0 < inside.x1 <= figure.bbox.width
        assert ax.has_data() or ax.texts
    assert given[0].get_window_extent().x1 < given[1].get_window_extent().x0


def test_dark_style(iris):
    from matplotlib.colors import to_hex

    with pyplot.style.context("dark_background"):
        ax = plot_tree(Kauri(3, max_leaf_nodes=5).fit(iris), ax=axes())
    for text in ax.texts:
        outside = text.get_text()[0] in "≤>"
        assert to_hex(text.get_color()) == "#ffffff" or not outside
    inside = [t for t in ax.texts if t.get_text().startswith("x[")]
    assert {to_hex(t.get_color()) for t in inside} == {"#000000"}


def test_regions_are_behind_the_points(iris):
    from matplotlib.patches import Rectangle

    X = iris[:, 2:]
    model = Kauri(3, max_leaf_nodes=5).fit(X)
    ax = plot_clusters(model, X, ax=axes())
    tiles = [p for p in ax.patches if isinstance(p, Rectangle)]
    width, height = np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    assert sum(p.get_width() * p.get_height() for p in tiles) == pytest.approx(width * height)
    assert max(p.get_zorder() for p in tiles) < min(c.get_zorder() for c in ax.collections)
    drawn_points = sum(len(c.get_offsets()) for c in ax.collections)
    assert drawn_points == len(X)


def test_cuts_of_sums_are_oblique_lines(iris):
    """The leaves still tile the picture, and the tree says what it sums."""
    from matplotlib.patches import Polygon

    X = iris[:, 2:]
    builder = TreeBuilder()
    _, right = builder.cut(0, 0, 2.9, terms=((0, 1.0), (1, 0.5)))
    left, last = builder.cut(right, 0, 0.5, terms=((0, 1.0), (1, -2.5)))
    builder.cluster[left], builder.cluster[last] = 1, 2
    model = pair_model(X, builder)
    ax = plot_clusters(model, X, ax=axes())
    tiles = [p.get_xy()[:-1] for p in ax.patches if isinstance(p, Polygon)]
    assert len(tiles) == 3
    area = sum(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2 for x, y in (t.T for t in tiles))
    assert area == pytest.approx(np.ptp(ax.get_xlim()) * np.ptp(ax.get_ylim()))
    ax = plot_tree(model, ax=axes(), feature_names=["length", "width"])
    drawn(ax)
    words = [text.get_text() for text in ax.texts]
    assert "≤ 2.9" in words
    assert any(text.startswith("length + 0.5 × width") for text in words)


def test_notes_on_missing_and_many_rows(iris):
    X = iris.copy()
    X[::10, 2] = np.nan
    model = Kauri(3, max_leaf_nodes=5, engine="binned").fit(X)
    ax = plot_clusters(model, X, features=(2, 3), ax=axes(), max_points=100)
    title = ax.get_title(loc="left")
    assert "100 of 150 rows" in title
    assert "rows that miss a value are not shown" in title
    X[:, 0] = np.nan
    model = Kauri(3, max_leaf_nodes=5, engine="binned").fit(X)
    ax = plot_profile(model, X, ax=axes())
    drawn(ax)
    assert "\u2013" in [t.get_text() for t in ax.texts]


def test_numbers_of_the_profile(iris):
    from agathis.plot import cluster_profile

    model = Kauri(3, max_leaf_nodes=3).fit(iris)
    ax = plot_profile(model, iris, ax=axes())
    written = [float(t.get_text().replace("\u2212", "-")) for t in ax.texts]
    expected = cluster_profile(model, iris).standardised.ravel()
    np.testing.assert_allclose(written, expected, atol=0.0501)


@pytest.mark.parametrize("draw", DRAWINGS)
def test_errors(iris, draw):
    model = Kauri(3, max_leaf_nodes=3).fit(iris)
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes; it is a str"):
        DRAWINGS[draw](model, iris, ax="left")
    with pytest.raises(NotFittedError):
        DRAWINGS[draw](Kauri(3, max_leaf_nodes=None), iris)
    assert pyplot.get_fignums() == []
    if draw in NAMED:
        with pytest.raises(ValueError, match="feature_names has 1 names"):
            DRAWINGS[draw](model, iris, feature_names=["a"])
    if draw == "tree":
        with pytest.raises(ValueError, match="'root' parameter"):
            plot_tree(model, root="down")
        with pytest.raises(ValueError, match="'fontsize' parameter"):
            plot_tree(model, fontsize=0)


@pytest.mark.slow
def test_without_matplotlib():
    code = """
import sys
sys.modules["matplotlib"] = None
import agathis, agathis.plot
from agathis import Kauri
X = [[0.0, 1.0], [1.0, 0.0], [5.0, 5.0]]
model = Kauri(2).fit(X)
plot = agathis.plot
plot.layout_tree(model); plot.gain_curve(model); plot.cluster_style(3)
plot.cluster_points(model, X); plot.cluster_profile(model, X)
for draw in (plot.plot_tree, plot.plot_gains):
    try:
        draw(model)
    except ImportError as error:
        print(error)
for draw in (plot.plot_clusters, plot.plot_profile):
    try:
        draw(model, X)
    except ImportError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('pip install "agathis[plot]"') == 4


def test_matplotlib_is_imported_for_a_plot_only():
    code = "import sys, agathis.plot; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "matplotlib" not in done.stdout.split()
