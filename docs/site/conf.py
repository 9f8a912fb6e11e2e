"""The configuration of Sphinx for the documentation site: ``make docs``.

The whole checkout is the source, so links to pages and files are the same in the repository and on
the site. README.md is the first page; ``contents.md`` sets the order of the others.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).parents[2]
GAME = "play/index.html"  # relative to the site; docs.static_page.build writes it

project = "kododo-env"
author = copyright = "The kododo-env authors"
smartquotes = False  # they would change --steps

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/**.md",
    "docs/reference/*.rst",
    "kododo_env/policy/shipped/*.md",
    "notebooks/*",
]
root_doc = "README"
# Signatures contain names of settings that several classes have, such as an engine.
suppress_warnings = ["ref.python"]
exclude_patterns = [".*", "build", "docs/site", "mutants", "runs"]  # Sphinx does not search these

# --- pages and notebooks ----------------------------------------------------------------------

myst_heading_anchors = 4  # as on GitHub
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build" / "notebooks")
nb_execution_in_temp = True
nb_execution_timeout = 120  # seconds
nb_execution_raise_on_error = True
nb_merge_streams = True

# --- docstrings -------------------------------------------------------------------------------

sys.path.insert(0, str(ROOT))
add_module_names = False
autodoc_default_options = {"members": True}
# Slow to import; the site does not show their docstrings.
autodoc_mock_imports = ["torch", "stable_baselines3", "sb3_contrib", "onnx", "onnxscript"]
autodoc_member_order = "bysource"
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike", "Array": "NDArray"}
python_maximum_signature_line_length = 72
napoleon_numpy_docstring = False
napoleon_attr_annotations = False  # signatures contain the types

# --- style ------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "kododo-env"
html_favicon = "../../kododo_env/play/web/back.svg"
html_copy_source = False
html_additional_pages = {"index": "index.html"}  # redirects to the first page
html_static_path = ["static"]
html_js_files = [("sort_tables.js", {"defer": "defer"})]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "game.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}


def setup(app: Sphinx) -> None:
    """Connect the functions below to the events of Sphinx."""
    app.connect("config-inited", link_the_game)
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-signature", name_types)
    app.connect("autodoc-process-docstring", keep_prose, priority=400)  # before napoleon


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the list of all pages to the first page; a checkout does not need this list."""
    if page == app.config.root_doc:
        source[0] += "\n" + Path(__file__).with_name("contents.md").read_text()


def link_the_game(app: Sphinx, config: Config) -> None:
    """Pass the link to the game to the sidebar, if the site contains the game."""
    config.html_context["game"] = GAME if (app.outdir / GAME).is_file() else None


def keep_prose(
    app: Sphinx, kind: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Keep the first line of an attribute's docstring, which Napoleon would parse as ``type:
    text``.
    """
    if kind in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # an empty comment


# Representations of annotations and defaults, with their forms in the code.
WRITTEN = (
    (r"TypeAliasForwardRef\('(\w+)'\)", r"\1"),
    (r"~numpy\.ndarray\[.*?dtype\[~numpy\.(\w+)(\[[^\]]*\])?\]\]", r"NDArray[\1]"),
    (r"[~\w.]*Annotated\[([~\w.]+), [^\]]*\]", r"\1"),
    (r"<factory>", "..."),
    (r"<class 'numpy\.(\w+)'>", r"np.\1"),
    (r"<built-in function (\w+)>", r"\1"),
    (r"<function [\w.]*<lambda>>", "..."),
)


def name_types(*event: Any) -> list[str | None]:
    """Return a signature and its return annotation, with types as in the code."""
    return [as_written(text) for text in event[-2:]]


def as_written(text: str | None) -> str | None:
    """Return types as in the code."""
    for pattern, written in WRITTEN if text else ():
        text = re.sub(pattern, written, str(text))
    return text
