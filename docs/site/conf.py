"""The site of the documentation, for Sphinx: ``make docs``.

The whole checkout is the source, so that a link to a page or a file is the same in the repository
and on the site. ``index.md`` has README.md and says in which order the pages come.
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

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = [
    "index.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/**.md",
    "docs/reference/*.rst",
    "kododo_env/policy/shipped/*.md",
    "notebooks/*.ipynb",
]
exclude_patterns = [".*", "build", "mutants", "runs"]  # are not even looked through

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
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike", "Array": "NDArray"}
python_maximum_signature_line_length = 72
napoleon_numpy_docstring = False
napoleon_attr_annotations = False  # the signatures have them

# --- looks ------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "kododo-env"
html_copy_source = False
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
    app.connect("autodoc-process-signature", name_types)


def link_the_game(app: Sphinx, config: Config) -> None:
    """Tell the sidebar where the game is, if it has been put into the site."""
    config.html_context["game"] = GAME if (app.outdir / GAME).is_file() else None


def name_types(*event: Any) -> tuple[str | None, str | None]:
    """A signature in which types of ``autodoc_type_aliases`` go by their names in unions, too."""
    signature, returned = (
        text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in event[-2:]
    )
    return signature, returned
