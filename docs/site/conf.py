"""The site of the documentation, for Sphinx: ``make docs``.

The whole checkout is the source, so that a link to a page or a file is the same in the repository
and on the site. README.md is the first page; ``contents.md`` is the order of the others.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).parents[2]
GAME = "play/index.html"  # in the site, where docs.static_page.build writes it

project = "kododo-env"
author = copyright = "The kododo-env authors"
smartquotes = False  # --steps is to stay what it is

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
exclude_patterns = [".*", "build", "docs/site", "mutants", "runs"]  # are not even looked through

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
# They take seconds to import and none of their own docstrings is shown.
autodoc_mock_imports = ["torch", "stable_baselines3", "sb3_contrib", "onnx", "onnxscript"]
autodoc_member_order = "bysource"
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike", "Array": "NDArray"}
python_maximum_signature_line_length = 72
napoleon_numpy_docstring = False
napoleon_attr_annotations = False  # the signatures have them

# --- looks ------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "kododo-env"
html_favicon = "../../kododo_env/play/web/back.svg"
html_copy_source = False
html_additional_pages = {"index": "index.html"}  # leads to the first page
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
    """Link the game, and write types as the code has them."""
    app.connect("config-inited", link_the_game)
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-signature", name_types)
    app.connect("autodoc-process-docstring", keep_prose, priority=400)  # before napoleon


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the first page the list of all others, which is of no use in a checkout."""
    if page == app.config.root_doc:
        source[0] += "\n" + Path(__file__).with_name("contents.md").read_text()


def link_the_game(app: Sphinx, config: Config) -> None:
    """Tell the sidebar where the game is, if it has been put into the site."""
    config.html_context["game"] = GAME if (app.outdir / GAME).is_file() else None


def keep_prose(
    app: Sphinx, kind: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Napoleon takes what is before a colon in an attribute's first line for its type."""
    if kind in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # an empty comment


# What Python makes of an annotation or a default, and what is written there.
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
    """A signature and what it returns, with types as they are written in the code."""
    return [as_written(text) for text in event[-2:]]


def as_written(text: str | None) -> str | None:
    """Types in the words of the code."""
    for pattern, written in WRITTEN if text else ():
        text = re.sub(pattern, written, str(text))
    return text
