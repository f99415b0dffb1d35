"""How Sphinx builds the site."""

import gc
import hashlib
import os
import sys
from pathlib import Path

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml

import bayesbridge

sys.path.insert(0, str(Path(__file__).parent))
from run_examples import write_gallery

gc.set_threshold(100_000, 50, 50)  # trees of nodes have little garbage in them

project = "bayesbridge"
author = "the bayesbridge developers"
copyright = "2026, the bayesbridge developers"
version = release = bayesbridge.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes stand with the class, which lists its members
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

# The two notebooks take a minute and a half: they are run again when they, the bidders or what notebooks show have
# changed, and `make clean` forgets them. A cell that fails is an error.
_package = Path(bayesbridge.__file__).parent
_shown = [
    path
    for part in ("belief", "bidders", "estimators", "plots", "views")
    for path in sorted((_package / part).glob("*.py"))
]
_digest = hashlib.sha256(b"".join(path.read_bytes() for path in _shown)).hexdigest()
nb_execution_mode = "cache"
nb_execution_cache_path = str(
    Path(__file__).parent / "_build" / "notebooks" / _digest[:16]
)
nb_execution_timeout = 1200  # seconds for one cell, on a slow machine too
nb_execution_raise_on_error = True

autodoc_member_order = "bysource"
python_maximum_signature_line_length = 100
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# A reference that leads nowhere is an error; but types of signatures are shown where they have no page of their own.
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]
# Words of types in prose, such as "pair of seats", are also names of attributes.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "bayesbridge"
html_math_renderer = (
    "mathml"  # the browser's own: the site asks nobody else for anything
)
html_baseurl = os.environ.get("BAYESBRIDGE_SITE", "")
templates_path = ["_templates"]
html_additional_pages = {"404": "404.html"}


def setup(app):
    """Examples are run before anything is read: their pages are written from what they
    print and draw.
    """
    app.connect("builder-inited", lambda _: write_gallery())
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))


def write_math(translator, node):
    """A formula as MathML."""
    translator.body.append(
        latex2mathml.tex2mathml(node.astext(), as_block=node.tagname == "math_block")
    )
    raise SkipNode
