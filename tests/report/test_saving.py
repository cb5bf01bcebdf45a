"""What a reader changes on a page and takes away from it: names, the page itself, the tree."""

import io
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from helpers.pages import NAMES, WINE, Opened, opened, wine_model
from PIL import Image

from agathis import Kauri
from agathis.export import from_json, renamed, to_json

EVIL = "</script><img src=x onerror=alert(1)> & 'quoted'"


def rename(page, cluster, name, key="Enter"):
    page.locator(f'[data-edit="{cluster}"]').click()
    page.locator(".new-name").fill(name)
    page.keyboard.press(key)


def kept(page, button):
    """The bytes of what a button saves, and its name."""
    with page.expect_download() as found:
        page.locator(button).click()
    download = found.value
    with open(download.path(), "rb") as file:
        return download.suggested_filename, file.read()


def names(found):
    return found.texts(".cluster h3 .name")


def test_a_name_is_changed_everywhere(wine):
    found = wine
    page = found.page
    assert page.locator("#renamed").is_hidden()
    rename(page, 1, "  strong and red ")
    assert names(found) == [NAMES[0], "strong and red", NAMES[2]]
    assert found.texts(".legend .name") == names(found)
    assert found.texts(".profile thead .name") == names(found)
    assert set(found.texts(".leaf .title")) == set(names(found))
    assert NAMES[1] not in page.locator("#clusters, #canvas, #profile, #rows").all_inner_texts()
    assert page.evaluate("document.activeElement.dataset.edit") == "1"
    told = page.locator("#rename-command").inner_text()
    assert told == "agathis rename model.json 1='strong and red'"
    # Names that cannot be are refused, and the old one stays.
    rename(page, 0, NAMES[2])
    assert "Group 2 already has this name" in page.locator(".cluster h3 .error").inner_text()
    page.keyboard.press("Escape")
    rename(page, 0, " ")
    assert "needs a name" in page.locator(".cluster h3 .error").inner_text()
    page.keyboard.press("Escape")
    assert names(found) == [NAMES[0], "strong and red", NAMES[2]]
    rename(page, 0, "half done", key="Escape")
    assert names(found)[0] == NAMES[0]


@pytest.mark.slow
def test_the_saved_page_keeps_the_names(browser, wine_folder, tmp_path):
    found = Opened(browser, wine_folder / "wine.html")
    rename(found.page, 0, EVIL)
    rename(found.page, 2, "old")
    file, content = kept(found.page, "#save")
    assert file == "Wines.html"
    found.close()
    path = tmp_path / file
    path.write_bytes(content)
    again = Opened(browser, path)
    assert names(again) == [EVIL, NAMES[1], "old"]
    assert set(again.texts(".leaf .title")) == {EVIL, NAMES[1], "old"}
    assert again.page.locator("script").count() == 2
    assert again.page.locator("img").count() == 0
    # All else is as it was.
    first, second = (text.decode() for text in ((wine_folder / "wine.html").read_bytes(), content))
    old, new = (json.loads(re.search(r'id="data">(.*?)</script>', t)[1]) for t in (first, second))
    assert new.pop("renamed") == {"0": EVIL, "2": "old"}
    for data in (old, new):
        for place in [*data["clusters"], *data["nodes"]]:
            place.pop("name")
    assert old == new
    # And it can be saved again.
    rename(again.page, 1, "third")
    assert b"third" in kept(again.page, "#save")[1]
    again.close()


@pytest.mark.slow
def test_the_command_that_is_told_names_the_model(browser, tmp_path):
    X = np.repeat([[0.0], [10.0], [30.0]], 20, axis=0)
    model = from_json(to_json(Kauri(3, max_leaf_nodes=None).fit(X)))
    with opened(browser, tmp_path, model, X) as found:
        titles = names(found)
        assert len(set(titles)) == 3
        assert all("x[0]" in title for title in titles)
        rename(found.page, 2, "it's far")
        told = found.page.locator("#rename-command").inner_text()
        assert told == r"agathis rename model.json 2='it'\''s far'"
    with opened(browser, tmp_path, renamed(model, {2: "it's far"}), X) as found:
        assert names(found)[2] == "it's far"


def test_the_tree_as_a_picture(wine):
    found = wine
    page = found.page
    rename(page, 1, EVIL)
    file, content = kept(page, "#to-svg")
    assert file == "Wines-tree.svg"
    root = ET.fromstring(content)
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"light", "deep", "flavanoids"} <= set(words)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 10
    file, content = kept(page, "#to-png")
    assert file == "Wines-tree.png"
    picture = Image.open(io.BytesIO(content))
    wide, high = (float(root.get(side)) for side in ("width", "height"))
    assert picture.size == (int(3 * wide), int(3 * high))
    colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}
    assert {(0, 114, 178), (230, 159, 0), (0, 158, 115), (255, 255, 255)} <= colours
    # What is folded is not drawn.
    page.locator('.node[data-node="1"] .handle').click()
    smaller = ET.fromstring(kept(page, "#to-svg")[1])
    assert len(list(smaller.iter("{http://www.w3.org/2000/svg}path"))) < 10


def test_a_row_by_its_identifier(browser, tmp_path):
    model = wine_model()
    ids = [f"bottle {i:03d}" for i in range(len(WINE.data))]
    ids[5], ids[6] = EVIL, "7"
    with opened(browser, tmp_path, model, WINE.data, ids=ids, id_name="label") as found:
        page = found.page
        assert found.texts("#badge") == ["178 identifiers inside"]

        def find(text):
            page.locator("#id").fill(text)
            page.locator("#find").click()
            return found.texts('#rows tr[aria-current="true"] td')

        assert find("Bottle 100")[:2] == ["100", "bottle 100"]
        assert found.texts("#rows tbody tr")[0].startswith("100 bottle 100")
        assert page.locator("#rows tbody tr").count() == 1
        assert find("img src")[:2] == ["5", " ".join(EVIL.split())]
        # The one that has it comes before those that have it in theirs.
        assert find("7")[:2] == ["6", "7"]
        find("bottle 17")
        assert page.locator("#rows tbody tr").count() == 8
        find("no such")
        assert 'No label matches "no such"' in page.locator("#row-error").inner_text()
        page.locator("#id").fill("bottle 042")
        page.keyboard.press("Enter")
        assert found.texts('#rows tr[aria-current="true"] td')[0] == "42"
        assert page.locator("img").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("long", ["a" * 24, "petal length in the middle of it"])
def test_names_are_whole_where_there_is_room(browser, tmp_path, long):
    X = np.repeat([[0.0, 0], [10, 5], [30, 1]], 20, axis=0)
    with opened(
        browser,
        tmp_path,
        Kauri(3, max_leaf_nodes=None).fit(X),
        X,
        None,
        [long, "b", "c"],
        feature_names=[long, "x"],
    ) as found:
        cut = found.page.locator(".box .title").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((x) => x.innerText)"
        )
        assert cut == []
