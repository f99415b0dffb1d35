"""What is known of a player and of the layout, and how far every number can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.fit import Styles
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.weights import standard_error
from bayesbridge.layouts import Layouts, Masks, high_card_points, suit_lengths

if TYPE_CHECKING:
    import xarray

Floats = NDArray[np.float64]

BLOCK: Final = 1 << 14
"""Layouts whose quantities are worked out at a time."""

RHAT: Final = 1.01
ENOUGH: Final = 100.0
DIVERGING: Final = 0.01
"""R-hat above which, effective styles or layouts below which, and share of diverging draws above which a warning is
given."""


class Estimate(NamedTuple):
    """A posterior mean and one standard error of it; numbers, or arrays of one shape."""

    mean: Any
    error: Any


class Diagnostics(NamedTuple):
    """How the style was sampled, and the diagnostics."""

    sampler: str
    """``importance`` or ``nuts``."""
    ess: float
    """Effective sample size of the style: the smallest over its parameters."""
    rhat: float
    """The largest R-hat over the parameters; ``nan`` without chains."""
    divergences: int
    """How often NUTS diverged after tuning."""

    def warnings(self, draws: int) -> list[str]:
        """What to be wary of, and what to do, for so many draws of the style."""
        found = []
        if self.rhat > RHAT:
            found.append(f'R-hat is {self.rhat:.2f}: ask for more draws and tune, or sampler="importance"')
        if self.ess < ENOUGH:
            found.append(f"the draws of the style are worth {self.ess:.0f} independent ones: ask for more draws")
        if self.divergences > DIVERGING * draws:
            found.append(f'NUTS diverged {self.divergences} times: ask for more tune, or sampler="importance"')
        return found


@dataclass(frozen=True, slots=True, repr=False)
class JointPosterior:
    """What is known of the player and of the layout, after their records and the calls of this auction."""

    styles: Styles
    """Their style, as draws that count the same; the player's name is that of the seat."""
    layouts: Posterior
    """The layouts, with the style summed out."""
    style: dict[str, Estimate]
    """Posterior mean of each parameter of the style, with the error of styles and of drawn layouts."""
    diagnostics: Diagnostics

    @property
    def warning(self) -> str:
        """What to be wary of, and what to do; empty where all is well."""
        return self.layouts.draws.warning

    def card_errors(self) -> xarray.DataArray:
        """Standard error of each of ``Posterior.card_probabilities``, card × seat."""
        like = self.layouts.card_probabilities()
        return like.copy(data=card_errors(self.layouts.draws, like.values[::-1])[::-1]).rename("standard error")

    def length_errors(self) -> xarray.DataArray:
        """Standard error of each of ``Posterior.length_probabilities``, seat × suit × length."""
        like = self.layouts.length_probabilities()
        found = errors(self.layouts.draws, lambda masks: suit_lengths(masks)[..., None] == np.arange(14), like.values)
        return like.copy(data=found).rename("standard error")

    def point_errors(self) -> xarray.DataArray:
        """Standard error of each of ``Posterior.point_probabilities``, seat × points."""
        like = self.layouts.point_probabilities()
        found = errors(
            self.layouts.draws, lambda masks: high_card_points(masks)[..., None] == np.arange(38), like.values
        )
        return like.copy(data=found).rename("standard error")

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> Estimate:
        """Posterior mean of any function of a batch of layouts, as ``Posterior.expect``, with its error."""
        mean = self.layouts.expect(quantity)
        found = errors(self.layouts.draws, lambda masks: np.asarray(quantity(Layouts(masks))), np.asarray(mean))
        return Estimate(mean, float(found) if np.ndim(mean) == 0 else found)

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {one.mean:.2f} ± {one.error:.2g}" for name, one in self.style.items())
        return f"<JointPosterior: {means}; {self.layouts!r}{f'; {self.warning}' if self.warning else ''}>"


def errors(draws: Draws, quantity: Callable[[Masks], NDArray[Any]], mean: Floats) -> Floats:
    """(…) standard errors of posterior means of a function of layouts, (m, 4) → (m, …)."""
    batches = draws.batches
    assert batches is not None
    rows = batches.relative.shape[1]
    by_row, own, begin = np.zeros((rows, mean.size)), np.zeros(mean.size), 0
    for masks, weights in draws.blocks(BLOCK):
        u = quantity(masks).reshape(len(masks), -1).astype(np.float64) - mean.ravel()
        places = batches.row[begin : begin + len(masks)], np.arange(len(masks))
        by_row += sparse.csr_array((weights, places), shape=(rows, len(masks))) @ u
        if batches.drawn:
            own += (weights**2) @ (u**2)
        begin += len(masks)
    moved = batches.relative @ by_row
    found: Floats = np.hypot(standard_error(moved), np.sqrt(own)).reshape(mean.shape)
    return found


def card_errors(draws: Draws, cards: Floats) -> Floats:
    """(52, 4) standard errors of P(seat holds card)."""
    found = np.zeros(cards.shape)
    card, seat = np.nonzero((cards > 0.0) & (cards < 1.0))
    found[card, seat] = errors(
        draws, lambda masks: masks[:, seat] >> card.astype(np.uint64) & np.uint64(1), cards[card, seat]
    )
    return found


def effective(draws: Draws, cards: Floats) -> float:
    """Independent draws that would leave the least certain card the same error; the number of layouts without any."""
    error = card_errors(draws, cards)
    open_ = (cards > 0.01) & (cards < 0.99) & (error > 0)
    draws_of = cards[open_] * (1.0 - cards[open_]) / error[open_] ** 2
    return float(draws_of.min()) if len(draws_of) else float(draws.target.count)
