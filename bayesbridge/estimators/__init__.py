"""Estimators: what a layout is worth. The contract, the registry, the built-ins and the conformance kit."""
