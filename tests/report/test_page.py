"""The page in a real browser: each thing that can be done with it is done."""

import numpy as np
import pandas as pd
import pytest
from helpers.pages import NAMES, SPECIES, WINE, Opened, expect, opened, wine_model
from helpers.plot_trees import MODELS
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, report
from agathis.export import from_json, to_json, to_python, to_sql

EVIL = "<script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def model():
    return wine_model()


def test_clusters_come_first_in_words(wine, model):
    page = wine.page
    assert page.title() == "Wines"
    cards = wine.texts(".cluster")
    assert len(cards) == 3
    sizes = np.bincount(model.predict(WINE.data))
    for name, card, size in zip(NAMES, cards, sizes, strict=True):
        assert card.startswith(name)
        assert f"{size} rows" in card
        assert "Rows where flavanoids" in card
        assert "are of class class_" in card
    # Both are seen without scrolling.
    assert page.locator("#clusters").bounding_box()["y"] < 300
    assert page.locator("#view").bounding_box()["y"] < 700


def test_click_shows_the_rule(wine, model):
    summary = report.summarise(model, WINE.data, SPECIES, NAMES)
    for number, node in enumerate(summary["nodes"]):
        wine.node(number).locator(".box").click()
        box = ["".join(parts) for parts in node["rule"][0]] or ["all rows"]
        assert [" ".join(t.split()) for t in wine.texts("#panel-rule li")] == box
        panel = wine.page.locator("#panel").inner_text()
        assert f"{node['size']:,} row" in panel
        assert node["name"] in panel
        assert wine.node(number).get_attribute("aria-selected") == "true"
        if node["classes"]:
            assert "class_" in panel
        else:
            assert "rows are not shown" in panel


@pytest.mark.slow
def test_hover_shows_the_distribution_on_both_sides(wine, model):
    page, node = wine.page, report.summarise(model, WINE.data)["nodes"][0]
    assert page.locator("#tip").is_hidden()
    wine.node(0).locator(".title").hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    left, right = node["histogram"]["counts"]
    assert tip.locator("rect.left").count() == np.count_nonzero(left)
    assert tip.locator("rect.right").count() == np.count_nonzero(right)
    assert tip.locator("line.cut").count() == 1
    assert wine.style("#tip rect.left", "fill") != wine.style("#tip rect.right", "fill")
    assert f"{sum(left)} rows" in tip.inner_text()
    # The bars on the left of the line are all of the left side.
    line = tip.locator("line.cut").bounding_box()["x"]
    assert all(b.bounding_box()["x"] < line for b in tip.locator("rect.left").all())
    page.mouse.move(5, 5)
    assert tip.is_hidden()


@pytest.mark.slow
def test_folding_by_mouse(wine):
    before = wine.boxes()
    assert len(before) == 11
    wine.node(1).locator(".handle").click()
    assert wine.node(1).get_attribute("aria-expanded") == "false"
    assert "leaves" in wine.node(1).inner_text()
    assert 1 < len(wine.boxes()) < 11
    wine.page.locator("#expand").click()
    assert len(wine.boxes()) == 11
    wine.page.locator("#fold").click()
    assert len(wine.boxes()) == 7


def test_keyboard(wine, model):
    page = wine.page
    tree = model[-1].tree_
    page.locator("#to-png").focus()
    page.keyboard.press("Tab")

    def focused():
        return page.evaluate("document.activeElement.dataset.node")

    assert focused() == "0"
    assert page.locator("#tip").is_visible()
    page.keyboard.press("ArrowRight")
    assert focused() == str(tree.children_left[0])
    page.keyboard.press("ArrowLeft")  # folds
    assert wine.node(int(tree.children_left[0])).get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowDown")
    assert focused() == str(tree.children_right[0])
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")  # unfolds
    assert wine.node(int(tree.children_left[0])).get_attribute("aria-expanded") == "true"
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    last = int(tree.children_right[0])
    while not tree.is_leaf[last]:
        last = int(tree.children_right[last])
    assert focused() == str(last)
    assert wine.node(last).get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    assert int(focused()) == tree.parents()[last]
    page.keyboard.press("Home")
    assert focused() == "0"
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    # One node at a time can be reached with the tab key.
    assert page.locator('.node[tabindex="0"]').count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "panel"


@pytest.mark.slow
def test_zoom_and_move(wine):
    page = wine.page

    def width():
        return wine.node(0).bounding_box()["width"]

    first = width()
    page.locator("#zoom-in").click()
    assert width() == pytest.approx(1.25 * first, rel=1e-3)
    page.locator("#zoom-out").click()
    page.locator("#zoom-out").click()
    assert width() == pytest.approx(0.8 * first, rel=1e-3)
    page.locator("#zoom-fit").click()
    assert width() == pytest.approx(first, rel=1e-3)
    box = wine.node(0).bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert width() > 1.5 * first
    # The pointer is still where it was in the box.
    after = wine.node(0).bounding_box()
    assert after["x"] <= box["x"] + 10 <= after["x"] + after["width"]
    page.mouse.down()
    page.mouse.move(box["x"] - 90, box["y"] + 10, steps=4)
    page.mouse.up()
    assert wine.node(0).bounding_box()["x"] == pytest.approx(after["x"] - 100, abs=1)
    # A drag is no click.
    assert page.locator("#panel h3").inner_text() == "Split on flavanoids"


def test_row_by_index(wine, model):
    page = wine.page
    scaled = model[:-1].transform(WINE.data)
    ways = model[-1].decision_path(scaled)
    labels = model.predict(WINE.data)
    for row in (0, 63, 100, 177):
        page.locator("#row").fill(str(row))
        page.keyboard.press("Enter")
        way = [int(li.get_attribute("data-node")) for li in page.locator("#path li").all()]
        assert way == sorted(ways[row].indices, key=lambda i: model[-1].tree_.depth[i])
        current = wine.texts('#rows tr[aria-current="true"] td')
        assert current[:3] == [str(row), str(row), NAMES[labels[row]]]
        assert page.locator(".node.way").count() == len(way)
    page.locator("#row").fill("178")
    page.keyboard.press("Enter")
    assert "from 0 to 177" in page.locator("#row-error").inner_text()
    page.locator("#row-back").click()
    page.locator("#rows button").nth(2).click()
    row = page.locator("#row").input_value()
    assert page.locator("#path h3").inner_text() == f"Path of row {row}, {row}"


@pytest.mark.slow
def test_every_row_has_its_cluster(wine, model):
    page, found = wine.page, []
    while True:
        found += wine.texts("#rows tbody td:nth-child(3)")
        if page.locator("#row-on").is_disabled():
            break
        page.locator("#row-on").click()
    assert found == [NAMES[k] for k in model.predict(WINE.data)]


def test_code_to_copy(browser, wine_folder, model):
    found = Opened(browser, wine_folder / "wine.html")
    found.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = found.page
    page.locator("#dialect").select_option("mysql")
    page.locator('[data-copy="sql"]').click()
    expect(page.locator('[data-copy="sql"]')).to_have_text("Copied")
    sql = to_sql(model, dialect="mysql", table="your_table", cluster_names=NAMES)
    assert page.evaluate("navigator.clipboard.readText()") == sql
    assert page.locator("#sql").inner_text() == sql
    # Without a clipboard the text is chosen, for the keys to copy.
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('no')) }")
    page.locator('[data-copy="python"]').click()
    source = to_python(model, cluster_names=NAMES)
    expect(page.locator('[data-copy="python"]')).not_to_have_text("Copy")
    assert page.evaluate("getSelection().toString()").strip() == source.strip()
    found.close()


def test_names_are_text(browser, tmp_path):
    names = [
        f"<b>&amp;\"'{EVIL}",
        "</script><img src=x onerror=alert(1)>",
        "naïve 名前 🌲\u2028{{ 7*7 }}",
    ]
    table = WINE.data.to_numpy()[:, [0, 6, 12]]
    scaled = StandardScaler()
    model = Kauri(3, max_leaf_nodes=6).fit(scaled.fit_transform(table))
    y = np.array([EVIL, "]]><!--", "b\ud800"])[WINE.target]
    clusters = [EVIL, "-->\n<svg onload=alert(2)>", "${1} \\u003c"]
    with opened(
        browser, tmp_path, model, table, y, clusters,
        title=EVIL, feature_names=names, scaler=scaled, rows=True,
    ) as found:  # fmt: skip
        page = found.page
        assert page.title() == EVIL
        assert page.locator("h1").text_content() == EVIL
        assert page.locator("h1 *, .name *, .title *, .when :not(.of), .told .name *").count() == 0
        heads = page.locator(".cluster h3").all_text_contents()
        assert [head.strip() for head in heads] == [name.strip() for name in clusters]
        assert set(page.locator(".profile tbody th .name").all_text_contents()) == set(names)
        for number in found.boxes():
            found.node(number).locator(".box").click()
        page.locator("#row").fill("5")
        page.keyboard.press("Enter")
        assert EVIL in page.locator("#rows").inner_text()
        assert page.locator("script").count() == 2
        assert page.locator("img").count() == 0


def test_nothing_can_be_loaded(wine):
    """What got into the page by other ways would still be stopped by its policy."""
    page = wine.page
    page.evaluate(
        """async () => {
            const script = document.createElement("script");
            script.textContent = "document.title = 'owned'";
            document.body.append(script);
            const image = new Image();
            image.src = "https://example.invalid/x.png";
            document.body.append(image);
            await fetch("https://example.invalid/").catch(() => {});
        }"""
    )
    assert page.title() == "Wines"
    refused = [error for error in wine.errors if "Content Security Policy" in error]
    assert len(refused) >= 3
    assert set(wine.failures) == {"csp"}
    wine.errors.clear()
    del wine.requests[1:]


@pytest.mark.slow
def test_rows_inside_show_their_values(browser, tmp_path, model):
    with opened(browser, tmp_path, model, WINE.data, SPECIES, rows=True) as found:
        page = found.page
        assert found.texts("#badge") == ["Raw rows are inside"]
        assert "The raw rows are inside" in page.locator(".about").inner_text()
        page.locator("#row").fill("17")
        page.keyboard.press("Enter")
        row = WINE.data.iloc[17]
        assert f"(it is {row['flavanoids']})" in page.locator("#path").inner_text()
        assert SPECIES[17] in found.texts('#rows tr[aria-current="true"]')[0]
        page.locator("#path summary").click()
        values = [float(text) for text in found.texts("#path dd")]
        assert values == row.tolist()
        assert page.locator("#plane path").count() == len(WINE.data)


def test_without_rows_the_page_says_so(wine):
    assert wine.texts("#badge") == ["178 identifiers inside"]
    assert "No raw rows are inside" in wine.page.locator(".about").inner_text()


def test_charts(wine, model):
    summary = report.summarise(model, WINE.data)
    page = wine.page
    assert page.locator("#plane .mark path").count() == len(summary["plane"]["cells"])
    assert page.locator("#profile .small-chart").count() == 4 * len(summary["profile"])
    for i, item in enumerate(summary["profile"]):
        cells = page.locator(f'td[data-cell="{i}"]')
        for k, part in enumerate([item, *item["clusters"]]):
            bars = cells.nth(k).locator(".whole" if k == 0 else ".front")
            assert bars.count() == np.count_nonzero(part["counts"])
    # Trees of 3, 6 and up to 12 leaves, and KMeans.
    assert len(wine.texts("#leaves li")) == 4
    assert "with up to 12 a tree has 7" in page.locator("#leaves-hint").inner_text()
    # A cluster looks the same everywhere.
    assert len({wine.style(s, "fill") for s in (".cluster.k1 .mark path", "#plane .k1 path")}) == 1
    assert wine.style(".leaf.k1 .box", "background-color") == wine.style("#plane .k1 path", "fill")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_method(browser, tmp_path, blobs, name):
    X, y = blobs
    model = clone(MODELS[name]).fit(X)
    for each in (model, from_json(to_json(model))):
        with opened(browser, tmp_path, each, X, y) as found:
            assert len(found.boxes()) == model.tree_.node_count
            # Insiders find the method among what is folded.
            assert name in found.page.locator("#experts").text_content()


ONE, TWO, THREE = [[1.0]], [[1.0], [2.0]], [[1.0, 5.0], [2.0, 5.0], [9.0, 5.0]]


@pytest.mark.parametrize(
    ("X", "rows"),
    [
        (ONE, False),
        (THREE, True),
        *(
            pytest.param(X, rows, marks=pytest.mark.slow)
            for X, rows in [(ONE, True), (TWO, False), (TWO, True), (THREE, False)]
        ),
    ],
)
def test_tiny(browser, tmp_path, X, rows):
    with opened(
        browser, tmp_path, Kauri(min(2, len(X)), max_leaf_nodes=None).fit(X), X, rows=rows
    ) as found:
        assert len(found.texts(".cluster")) == min(2, len(X))
        assert found.page.locator("#plane svg").count() == 1


@pytest.mark.slow
def test_missing_values_and_words(browser, tmp_path):
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "vote": random.choice([-1.0, 1.0], 80),
            "color_red": random.integers(0, 2, 80).astype(float),
            "age": random.normal(40, 9, 80),
        }
    )
    table.loc[::7, ["age", "color_red"]] = np.nan
    words = {"value_names": {"vote": {-1: "no", 1: "yes"}}, "one_hot": {"color": ["color_red"]}}
    model = Kauri(4, max_leaf_nodes=10, engine="binned").fit(table / [0.01, 0.01, 1])
    model.tree_.threshold[np.isin(model.tree_.feature, [0, 1])] /= 100
    with opened(browser, tmp_path, model, table, rows=True, **words) as found:
        for number in found.boxes():
            found.node(number).locator(".box").click()
        text = found.page.locator("#canvas").inner_text()
        assert "is no" in text
        assert "is red" in text
        labels = found.page.locator("#panel").text_content()
        assert "NaN" not in labels
        page = found.page
        page.locator("#row").fill("7")
        page.keyboard.press("Enter")
        page.locator("#path summary").click()
        assert found.texts("#path dd")[1:] == ["missing", "missing"]


def test_categories_are_text(browser, tmp_path):
    words = [EVIL, "</script><img src=x onerror=alert(1)>", "<!-- \u2028"]
    kind = np.arange(60) % 3
    table = pd.DataFrame({f"is {k}": (kind == k).astype(float) for k in range(3)})
    one_hot = {EVIL: dict(zip(table, words, strict=True))}
    loaded = from_json(to_json(Kauri(3, max_leaf_nodes=None).fit(table), one_hot=one_hot))
    loaded.method = EVIL
    with opened(browser, tmp_path, loaded, table, rows=True) as found:
        page = found.page
        assert page.locator("h1 *, .name *, .title *, .when :not(.of), .told .name *").count() == 0
        assert EVIL in page.locator("#experts").text_content()
        for number in found.boxes():
            found.node(number).locator(".box").click()
            assert EVIL in page.locator("#panel").text_content() or number == 0
            found.node(number).locator(".title").hover()
        page.locator("#path summary").click()
        assert page.locator("script").count() == 2
        assert page.locator("img").count() == 0
        assert page.title() == "3 groups in 60 rows"


@pytest.mark.slow
def test_a_hundred_thousand_rows(browser, tmp_path):
    random = np.random.default_rng(0)
    kind = random.integers(0, 4, 100_000)
    X = random.normal(size=(100_000, 6)) + 5.0 * kind[:, None]
    model = Kauri(4, max_leaf_nodes=12).fit(X[:2000])
    with opened(browser, tmp_path, model, X, ids=range(len(X))) as found:
        page = found.page
        assert (tmp_path / "report.html").stat().st_size < 500_000
        assert "100,000 rows" in page.locator(".facts").inner_text()
        page.locator("#row").fill("99999")
        page.keyboard.press("Enter")
        current = found.texts('#rows tr[aria-current="true"] td')
        assert current[1] == found.texts(".cluster h3 .name")[model.predict(X[-1:])[0]]
