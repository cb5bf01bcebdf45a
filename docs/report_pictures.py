"""Take the pictures of docs/report.md: ``python docs/report_pictures.py``.

Needs jinja2, playwright, Pillow and a chromium.
"""

import shutil
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, report

IMAGES = Path(__file__).parent / "images"

wine = load_wine(as_frame=True)
model = make_pipeline(StandardScaler(), Kauri(n_clusters=3, max_leaf_nodes=6)).fit(wine.data)

with TemporaryDirectory() as folder, sync_playwright() as playwright:
    path = Path(folder) / "wine.html"
    report.write(
        model,
        wine.data,
        path,
        y=wine.target_names[wine.target],
        cluster_names=["deep in colour", "light", "full-bodied"],
        title="Wines of three growers",
    )
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
    )
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport={"width": 1280, "height": 960}, color_scheme=scheme)
        page.goto(path.as_uri())
        if scheme == "dark":
            page.locator(".node").nth(1).click()
            page.mouse.wheel(0, page.locator("#h-tree").bounding_box()["y"] - 24)
        page.mouse.move(4, 4)
        page.wait_for_timeout(600)
        # Few colours: a small file.
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(256)
        picture.save(IMAGES / f"report_{scheme}.png", optimize=True)
    browser.close()
