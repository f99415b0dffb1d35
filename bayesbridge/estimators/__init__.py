"""Estimators: numbers of a layout.

The protocol, the registry, the built-ins and the conformance kit.
"""
