"""A page for readers: its words, figures and names, and what it says where no groups are shown."""

import re

import numpy as np
import pandas as pd
import pytest
from helpers.pages import opened

from agathis import fit_table
from agathis._model.conversion import fitted_model
from agathis.report import summarise
from agathis.report._page import render
from agathis.report._short_names import short_names
from agathis.report._typical import skewness, unit_of

ASKED = "Thinking of the last three months, how satisfied are you with the "


def three_groups(n=300):
    random = np.random.default_rng(0)
    group = np.arange(n) % 3
    return pd.DataFrame(
        {
            "age": (20 + 20 * group + random.normal(0, 3, n)).round(),
            "income": np.exp(9 + group + random.normal(0, 0.9, n)).round(2),
            "score": (group + random.normal(0, 0.2, n)).round(4),
        }
    )


def seen(page):
    """The text of a page without scripts, styles and code."""
    body = re.sub(
        r"<(script|style|details class=\"more\" id=\"experts\").*?</\1", "", page, flags=re.S
    )
    body = re.sub(r'<details class="more" id="experts">.*?</details>', "", body, flags=re.S)
    return re.sub(r"<[^>]+>", " ", body[body.index("<h1") : body.index('id="h-code"')])


def test_words_and_figures_of_readers():
    table = three_groups()
    model = fitted_model(fit_table(table, 3, random_state=0))
    page = render(summarise(model, table))
    text = seen(page)
    for word in ("Kauri", "Silhouette", "ARI", "cost", "luster", "Rand"):
        assert word not in text
    assert "Kauri" in page
    # Ages are whole, scores have a decimal, incomes are in hundreds at most.
    summary = summarise(model, table)
    units = {one["name"]: one["unit"] for one in summary["profile"]}
    assert units["age"] == 1.0
    assert units["score"] == 0.1
    assert units["income"] >= 100
    assert not re.search(r"(?<!p = )\b\d+\.\d{3}", text)


def test_medians_where_means_mislead():
    table = three_groups()
    table.loc[5, "age"] = 99_999
    summary = summarise(fitted_model(fit_table(table, 3, random_state=0)), table)
    skewed = {one["name"]: one for one in summary["profile"]}
    assert skewed["income"]["skewed"]
    assert not skewed["score"]["skewed"]
    assert skewed["age"]["middle"] < 60 < skewed["age"]["mean"]
    assert skewness(np.arange(9.0)) == 0
    assert skewness(np.r_[np.arange(9.0), 1e308]) > 1


def test_units():
    assert unit_of(np.array([np.nan, 5.0, 5.0])) == 0.0
    assert unit_of(np.array([np.nan])) == 0.0
    assert unit_of(np.random.default_rng(0).normal(0, 1e-6, 500)) == 1e-7


def test_short_names():
    names = [f"{ASKED}delivery?", f"{ASKED}price?", "Age", "satisfied with the price"]
    assert short_names(names) == {names[0]: "… delivery?", names[1]: "… price?"}
    # What is left has to say something, and no two columns get one name.
    assert short_names(["some_long_column_name_1", "some_long_column_name_2"]) == {}
    assert short_names([f"{ASKED}price?", f"{ASKED}app?", "… price?"]).keys() == {
        names[0][:66] + "app?"
    }


def test_full_names_are_in_tooltips(browser, tmp_path):
    random = np.random.default_rng(0)
    group = np.arange(120) % 2
    answers = np.array(["no", "yes"])
    table = pd.DataFrame(
        {
            f"{ASKED}{what}?": answers[np.where(random.random(120) < 0.9, group, 1 - group)]
            for what in ("price", "delivery", "shop")
        }
    )
    model = fitted_model(fit_table(table, 2, random_state=0))
    with opened(browser, tmp_path, model, table) as found:
        name = found.page.locator(".rule .name").first
        assert name.inner_text() in ("… price?", "… delivery?", "… shop?")
        assert name.get_attribute("title") == name.inner_text().replace("… ", ASKED)
        assert ASKED not in found.page.locator("#clusters").inner_text()
        assert ASKED in found.page.locator("#sql").inner_text()


def test_the_rate_of_a_class_stands_beside_the_overall_rate():
    table = three_groups()
    y = np.where((table["age"] > 50) & (np.arange(300) % 2 == 0), "yes", "no")
    summary = summarise(fitted_model(fit_table(table, 3, random_state=0)), table, y)
    rates = [one["rate"] for one in summary["clusters"]]
    assert {summary["classes"][rate["class"]] for rate in rates} == {"yes"}
    (overall,) = {rate["overall"] for rate in rates}
    assert overall == pytest.approx((y == "yes").mean(), rel=1e-4)
    assert max(rate["share"] for rate in rates) == pytest.approx(0.5, abs=0.05)
    text = " ".join(seen(render(summary)).split())
    assert re.search(r"\d+ % are of class yes \(all rows 1\d %\)", text.replace("\xa0", " "))


def test_where_no_groups_are_shown_the_page_says_so():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=list("abc"))
    model = fitted_model(fit_table(table, 2, random_state=0))
    assert summarise(model, table)["shown"] is False
    page = render(summarise(model, table))
    text = seen(page)
    assert "No groups could be shown" in text
    assert "Parts without evidence that they are groups" in text
    for praise in ("stable", "structure", "Separation"):
        assert praise not in text.split("Quality and data")[1]
    shown = render({**summarise(model, table), "shown": True})
    assert "Before you rely on it</h2>" in shown


@pytest.mark.parametrize("width", [1300, 400])
def test_nine_groups_fit_their_pane(browser, tmp_path, width):
    random = np.random.default_rng(0)
    group = np.arange(450) % 9
    table = pd.DataFrame({"number_of_orders_last_year": 2.0**group * 10 + random.normal(0, 1, 450)})
    words = np.array(["Garden furniture", "Kitchen appliances", "Books & media", "Toys", "Clothes",
                      "Electronics", "Health and beauty", "Sports equipment", "Food"])  # fmt: skip
    table["favourite_product_category"] = words[group]
    model = fitted_model(
        fit_table(table, 9, no_split=["favourite_product_category"], random_state=0)
    )
    media = {"viewport": {"width": width, "height": 900}}
    with opened(browser, tmp_path, model, table, media=media) as found:
        page = found.page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        pane = page.locator("#view").bounding_box()
        for box in found.boxes().values():
            assert pane["x"] <= box["x"]
            assert box["x"] + box["width"] <= pane["x"] + pane["width"] + 1
        if width == 1300:
            scroll = page.locator(".scroll:has(.profile)")
            assert scroll.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
