"""The posterior over hidden hands: exact first, sampling beyond.

Hard evidence compiles to :mod:`~bayesbridge.posterior.constraints` and shapes the support; on it stand the exact
engines :mod:`~bayesbridge.posterior.counting`, :mod:`~bayesbridge.posterior.enumeration` and
:mod:`~bayesbridge.posterior.sampling`. Soft evidence weighs the layouts they give.
"""
