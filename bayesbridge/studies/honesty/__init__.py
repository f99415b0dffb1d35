"""Are the errors right? The spread of answers over seeds, beside the errors that each answer states."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
