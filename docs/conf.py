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
python_maximum_signature_line_length = 100
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# A reference that leads nowhere is an error; but types of signatures are shown where they have no page of their own.
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]

html_theme = "furo"
html_title = "bayesbridge"
