"""Are the posteriors right? Deals drawn from a model, and whether the truth is like one more draw of the posterior."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
