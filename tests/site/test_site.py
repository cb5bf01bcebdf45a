"""The site as it was built: links lead somewhere, and nothing comes from another host.

``make docs-test`` builds it and says where it is; without it there is nothing to test here.
"""

import functools
import http.server
import os
import shutil
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

FOLDER = os.environ.get("AGATHIS_SITE")
pytestmark = [
    pytest.mark.skipif(FOLDER is None, reason="AGATHIS_SITE names no site: make docs-test"),
    pytest.mark.slow,
]
SITE = Path(FOLDER or ".").resolve()
#: Attributes of tags that make a browser fetch something.
FETCHED = {"src", "srcset", "poster", "data"}
#: A page of each kind.
LOOKED_AT = [
    "index.html",
    "start.html",
    "guide/kernels.html",
    "guide/which-method.html",
    "gallery/index.html",
    "gallery/choices/plot_rings.html",
    "gallery/use/plot_report.html",
    "reference.html",
    "api/agathis.Kauri.html",
    "commands.html",
    "benchmarks.html",
    "better-trees.html",
    "search.html",
]


class Page(HTMLParser):
    """What a page names, and what others may name in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.ids = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif value and (name in FETCHED or (tag, name) == ("link", "href")):
                parts = value.split(",") if name == "srcset" else [value]
                self.fetched += [part.split()[0] for part in parts if part.strip()]
            elif value and (tag, name) == ("a", "href"):
                self.links.append(value)


@functools.cache
def page(path):
    return Page(path)


def pages():
    return sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)


def elsewhere(link):
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def target(path, link):
    """The file and the anchor of a link, seen from a page."""
    parts = urlsplit(link)
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def test_there_is_a_site():
    assert len(pages()) > 80
    assert not [name for name in LOOKED_AT if not (SITE / name).is_file()]


def test_links_inside_lead_to_pages_and_places():
    lost = []
    for path in pages():
        for link in page(path).links + page(path).fetched:
            if elsewhere(link):
                continue
            file, anchor = target(path, link)
            if not file.is_file() or (
                anchor and file.suffix == ".html" and anchor not in page(file).ids
            ):
                lost.append((path.relative_to(SITE).as_posix(), link))
    assert lost == []


def test_no_page_names_a_file_of_another_host():
    fetched = [
        (path.relative_to(SITE).as_posix(), link)
        for path in pages()
        for link in page(path).fetched
        if elsewhere(link) and not link.startswith("data:")
    ]
    assert fetched == []


@pytest.fixture(scope="module")
def server():
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_in_a_browser(server, browser, scheme, width):
    """Nothing is asked of another host, nothing fails, and no page is wider than the screen."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 850})
    window = context.new_page()
    asked, failed = [], []
    window.on("request", lambda request: asked.append(request.url))
    window.on("requestfailed", lambda request: failed.append(request.url))
    window.on("response", lambda got: failed.append(got.url) if got.status >= 400 else None)
    window.on("pageerror", lambda error: failed.append(str(error)))
    wide = []
    for name in LOOKED_AT:
        window.goto(f"{server}/{name}", wait_until="load", timeout=120_000)
        assert window.locator("h1").first.is_visible()
        assert window.evaluate("document.documentElement.dataset.theme") == scheme
        if window.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(name)
    context.close()
    own = (server, "data:", "about:", "blob:")
    assert [url for url in asked if not url.startswith(own)] == []
    assert len(asked) > len(LOOKED_AT)
    assert failed == []
    assert wide == []


def test_the_search_finds_a_name(server, browser):
    window = browser.new_page()
    window.goto(f"{server}/search.html?q=gain_curve", timeout=120_000)
    found = window.locator("#search-results li a").first
    found.wait_for(timeout=60_000)
    assert "gain_curve" in found.inner_text()
    window.close()
