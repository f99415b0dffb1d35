"""Values as notebooks show them: Jupyter and marimo ask a value for its ``_repr_html_``, and get it from here.

Values import this package by name, and only when they are asked: what computes does not depend on how it looks, so an
edit here compiles no kernel anew.
"""
