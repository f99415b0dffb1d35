"""How Sphinx builds the site."""

import bayesbridge

project = "bayesbridge"
author = "the bayesbridge developers"
copyright = "2026, the bayesbridge developers"
version = release = bayesbridge.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = "bayesbridge"
