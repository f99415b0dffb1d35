"""The posterior over hidden hands: exact first, sampling beyond.

Hard evidence compiles to :mod:`~bayesbridge.constraints` and shapes the support; on it stand the exact
tables :mod:`~bayesbridge.engines.tables`, :mod:`~bayesbridge.engines.enumeration` and
:mod:`~bayesbridge.engines.deal_tables`. Soft evidence weighs the layouts they give.
"""
