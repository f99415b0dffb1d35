"""Numbers as people read them."""

from __future__ import annotations


def number(value: float | None, digits: int = 0) -> str:
    """A number with spaces between its thousands; a dash where there is none.

    >>> number(5157850293780050462400), number(145674.20244, 4), number(None)
    ('5 157 850 293 780 050 462 400', '145 674.2024', '–')
    """
    if value is None:
        return "–"
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
    return text.replace(",", " ")


def percent(share: float, digits: int = 1) -> str:
    """A probability in percent; one that is not exactly 0 or 1 is never shown as 0 % or 100 %.

    >>> percent(0.4426), percent(0.00001), percent(1 - 1e-7), percent(1.0)
    ('44.3 %', '<0.1 %', '>99.9 %', '100 %')
    """
    least = 10.0**-digits
    if share == 0.0 or share > 1.0 - 1e-10:  # ten million weights add up to one but for rounding
        return f"{100 * share:.0f} %"
    if 100 * share < least / 2:
        return f"<{least:.{digits}f} %"
    if 100 * (1 - share) < least / 2:
        return f">{100 - least:.{digits}f} %"
    return f"{100 * share:.{digits}f} %"
