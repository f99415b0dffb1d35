"""Do contracts make as often as is said? P(make) of ``tricks``, alone and corrected, beside what the solver finds."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
