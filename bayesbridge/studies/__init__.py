"""The paper's experiments and calibration, one module for each study; names are loaded when they are first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
