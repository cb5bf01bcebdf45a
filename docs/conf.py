"""How the site is built: ``make docs``. Pages are Markdown, the reference comes from docstrings."""

import os
import re
import sys
import warnings
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))
# Examples run in processes of this one: what they draw needs no screen.
os.environ["MPLBACKEND"] = "agg"

from site_parts import commands, gallery, links, measured, substitutions  # noqa: E402
from sphinx_gallery.sorting import ExplicitOrder  # noqa: E402

import agathis  # noqa: E402

project = "agathis"
author = "agathis developers"
copyright = "agathis developers"
version = release = agathis.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
]
templates_path = ["_templates"]
# What better-trees.md includes; "search" is the name of the page that searches.
exclude_patterns = ["_made", "site_parts", "search.md"]
nitpicky = True
# No inventory of another site is fetched, so names of other packages lead nowhere.
nitpick_ignore_regex = [("py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib)\..*")]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_heading_anchors = 4
# Every figure in prose comes from a file that a command wrote.
myst_substitutions = substitutions.figures(ROOT)

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Signatures are long: a parameter a line.
maximum_signature_line_length = 88
add_module_names = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"^wine\.py$",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("agathis",),
    "reference_url": {"agathis": None},
    "abort_on_example_error": True,
    "show_memory": False,
    # Its page of times takes scripts from another host.
    "write_computation_times": False,
    "min_reported_time": 5,
    "download_all_examples": False,
    "remove_config_comments": True,
    "nested_sections": True,
    "subsection_order": ExplicitOrder(
        [f"../examples/{name}" for name in ("first", "choices", "use", "paper")]
    ),
    "within_subsection_order": "FileNameSortKey",
    "parallel": 2,
    "capture_repr": ("_repr_html_",),
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "agathis"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "agathis"},
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": ["sidebar-nav-bs"]}

warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def of_scikit_learn(app, what, name, member, skip, options):
    """Leave out what every estimator has from scikit-learn, but ``fit_predict``."""
    home = getattr(member, "__module__", "") or ""
    routing = name.endswith("_request") or name == "get_metadata_routing"
    elsewhere = not home.startswith("agathis") and home.partition(".")[0] == "sklearn"
    if routing or (elsewhere and name not in ("fit_predict", "fit_transform")):
        return True
    return None


def names_with_underscores(app, what, name, obj, options, lines):
    """Let ``(n_samples, n_clusters_)`` be a shape, where reST sees a link to ``n_clusters``."""
    for index, line in enumerate(lines):
        if re.match(r"\s*[\w, *]+ : ", line):
            lines[index] = re.sub(r"(?<=\w)_(?=[,)])", r"\\_", line)


def setup(app):
    """Write what pages include, and mend links that lead out of docs/."""
    made = DOCS / "_made"
    made.mkdir(exist_ok=True)
    commands.write(made)
    measured.write(made, ROOT)
    app.connect("autodoc-skip-member", of_scikit_learn)
    app.connect("autodoc-process-docstring", names_with_underscores, priority=100)
    app.connect("env-get-outdated", links.with_places)
    app.connect("source-read", links.inside)
    app.connect("include-read", links.inside_included)
    app.connect("build-finished", gallery.tell)
