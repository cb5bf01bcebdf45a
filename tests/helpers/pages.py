"""Pages in a real browser: Debian's chromium, every request recorded, errors collected."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, report
from agathis.export import FittedModel, from_json, to_json

try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    expect = sync_playwright = None
else:
    # A busy machine takes longer than the usual five seconds; nobody waits where all is well.
    expect.set_options(timeout=30_000)

WINE = load_wine(as_frame=True)
SPECIES = WINE.target_names[WINE.target]
NAMES = ["light", "full", "deep"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@contextmanager
def chromium() -> Iterator:
    """A browser, or a skip that says what is missing; where CI is set that is a failure."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    missing = None
    if sync_playwright is None:
        missing = "playwright is not installed"
    elif found is None:
        missing = f"there is no browser here, none of {', '.join(BROWSERS)}"
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"pages are not tested: {missing}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        yield browser
        browser.close()


class Opened:
    """A page that was opened from a file, and what it did."""

    def __init__(self, browser, path: Path, **options) -> None:
        self.requests, self.failures, self.errors = [], [], []
        self.url = path.as_uri()
        options = {"viewport": {"width": 1400, "height": 900}, **options}
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.on("requestfailed", lambda request: self.failures.append(request.failure))
        # Nothing but the file itself may be had, whatever a page asks for.
        self.context.route(
            lambda url: url != self.url and not url.startswith("data:"),
            lambda route: route.abort(),
        )
        self.page.goto(self.url)

    def texts(self, selector: str) -> list[str]:
        """What is seen of each element, with single spaces."""
        found = self.page.locator(selector).all_inner_texts()
        return [" ".join(text.split()) for text in found]

    def node(self, number: int):
        return self.page.locator(f'.node[data-node="{number}"]')

    def style(self, selector: str, name: str) -> str:
        return self.page.locator(selector).first.evaluate(
            "(element, name) => getComputedStyle(element).getPropertyValue(name)", name
        )

    def boxes(self) -> dict[int, dict[str, float]]:
        """Where the boxes of the tree that are seen stand."""
        found = self.page.locator(".node:not([hidden])").evaluate_all(
            """nodes => nodes.map((node) => {
                const { x, y, width, height } = node.getBoundingClientRect();
                return [Number(node.dataset.node), { x, y, width, height }];
            })"""
        )
        return dict(found)

    def again(self) -> Opened:
        """The page as it was when it was opened, which is quicker than to open another."""
        self.page.emulate_media(media="null", color_scheme="null")
        self.page.set_viewport_size({"width": 1400, "height": 900})
        self.page.mouse.move(0, 0)
        for list_of_all in (self.requests, self.failures, self.errors):
            list_of_all.clear()
        self.page.goto(self.url)
        return self

    def check(self) -> None:
        """Nothing was asked for but the page, and nothing went wrong."""
        asked = [url for url in self.requests if not url.startswith("data:")]
        assert asked == [self.url]
        assert self.errors == []

    def close(self) -> None:
        self.context.close()
        self.check()


@contextmanager
def opened(browser, folder: Path, model, X, *rest, media=None, **options) -> Iterator[Opened]:
    """Write a report and open it; at the end nothing was asked for and nothing went wrong."""
    path = folder / "report.html"
    if not options.get("rows"):
        # Rows can be looked up.
        options = {"ids": range(len(X)), "id_name": "number", **options}
    report.write(model, X, path, *rest, **options)
    page = Opened(browser, path, **(media or {}))
    yield page
    page.close()


def page_data(text: str) -> dict:
    """The summary that a page holds for its scripts."""
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def wine_model() -> Pipeline:
    """Three clusters and six leaves."""
    return make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=6)).fit(WINE.data)


def wine_page(folder: Path) -> Path:
    """The folder, with ``wine.html`` in it."""
    path = folder / "wine.html"
    ids = range(len(WINE.data))
    report.write(
        wine_model(), WINE.data, path, SPECIES, NAMES, title="Wines", ids=ids, id_name="bottle"
    )
    return folder


def customers(n: int = 300, gaps: float = 0.1) -> tuple[pd.DataFrame, dict]:
    """Rows with a category of three values and one of two, as numbers, and what these are."""
    random = np.random.default_rng(0)
    kind = random.integers(0, 3, n)
    plan = np.where(random.random(n) < 0.9, kind, random.integers(0, 3, n))
    news = random.random(n) < np.array([0.05, 0.5, 0.95])[kind]
    table = pd.DataFrame(
        {
            "age": random.normal(30 + 8 * kind, 4).round(),
            "plan_basic": plan == 0,
            "plan_free": plan == 1,
            "plan_premium": plan == 2,
            "letter_no": ~news,
            "letter_yes": news,
            "vote": np.where((kind == 1) == (random.random(n) < 0.9), 1, -1),
        }
    ).astype(float)
    for columns in (["age"], ["plan_basic", "plan_free", "plan_premium"]):
        table.loc[random.random(n) < gaps, columns] = np.nan
    words = {
        "one_hot": {
            "plan": {f"plan_{each}": each for each in ("basic", "free", "premium")},
            "letter": {"letter_no": "no", "letter_yes": "yes"},
        },
        "value_names": {"vote": {-1: "against", 1: "for"}},
    }
    return table, words


def shop_model(leaves: int) -> tuple[FittedModel, pd.DataFrame]:
    """A model as it comes from a file, which knows its categories, and its rows."""
    table, words = customers()
    scaler = StandardScaler().fit(table)
    model = Kauri(3, max_leaf_nodes=leaves, engine="binned").fit(scaler.transform(table))
    text = to_json(model, scaler=scaler, feature_names=list(table), **words)
    return from_json(text), table
