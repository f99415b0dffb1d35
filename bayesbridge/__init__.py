"""Posteriors over hidden bridge hands, and the paper's capture algorithms.

Every public name is loaded when it is first used, so importing the package costs a few
milliseconds. The names and where they live stand in ``__init__.pyi``.
"""

import lazy_loader

__version__ = "0.2.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """A public name; its class says that it lives here, wherever its file lies."""
    value = _load(name)
    if isinstance(value, type):
        value.__module__ = __name__
    return value
