"""What each engine predicts of a scene: the distribution of some numbers of the layout, and where the cards lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.capture.kernels import captures
from bayesbridge.cards import Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.engines.infer import ENGINES as BELIEF_ENGINES
from bayesbridge.errors import BayesBridgeError
from bayesbridge.layouts import Masks, high_card_points, suit_lengths
from bayesbridge.studies.calibration.scenarios import OBSERVER, UNKNOWN, Scene

type Floats = NDArray[np.float64]
type Values = NDArray[np.integer] | Floats

QUANTITIES: Final = ("T", "left's points", "right's points", "left's spades", "right's hearts", "top spade's seat")
"""Numbers of a layout: what the player on South's left would capture with the dummy, or with their partner where four
bid; points and lengths of the players beside South; and which seat has the highest spade that South lacks."""

LIKELIHOOD: Final = "likelihood"
"""P(calls ∣ layout) by the bidders as they are. A posterior that ignores the calls is the prior, in which all that does
not look at the calls ranks evenly too; this number shows the difference (M. Modrák et al., "Simulation-based
calibration checking for Bayesian computation: the choice of test quantities shapes sensitivity", 2025)."""

AGGRESSIVENESS: Final = "aggressiveness"
"""Of West's style, where South does not know it."""

STYLES: Final = 500
"""Points in the space of West's style, or some more."""

LEFT: Final = OBSERVER.next()
RIGHT: Final = OBSERVER.next(3)


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Values with weights that add up to one, and the true value; ``worth``: independent draws, inf where exact."""

    values: Values
    weights: Floats
    truth: float
    worth: float = inf

    def rank(self, uniform: float) -> float:
        """Randomised rank of the truth from 0 to 1, uniform if the truth is one more draw of the distribution.

        For n equal weights it is (draws below + a random place among ties and the truth) / (n + 1), for an exact
        distribution P(below) + uniform · P(equal).

        >>> Distribution(np.array([1, 2, 2, 5]), np.full(4, 0.25), 2, worth=4.0).rank(0.5)
        0.5
        """
        below = float(self.weights[self.values < self.truth].sum())
        ties = float(self.weights[self.values == self.truth].sum())
        if self.worth == inf:
            return min(below + uniform * ties, 1.0)
        return (self.worth * below + uniform * (self.worth * ties + 1.0)) / (self.worth + 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """An engine's answer on one scene."""

    numbers: dict[str, Distribution]
    cards: Floats
    """(52, 4) P(seat holds card)."""


def names_of(soft: bool, styled: bool) -> tuple[str, ...]:
    """The numbers that are ranked: with calls their likelihood, with an unknown style its aggressiveness too."""
    return (*QUANTITIES, *[LIKELIHOOD] * soft, *[AGGRESSIVENESS] * styled)


def predict(scene: Scene, method: str, draws: int, rng: np.random.Generator) -> Prediction:
    """Ask one engine."""
    if method not in ENGINES:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(ENGINES)}", method=method)
    return ENGINES[method](scene, draws, rng)


def _numbers(belief: Belief, masks: Masks) -> dict[str, Values]:
    """(n,) of every quantity for (n, 4) layouts."""
    points, lengths = high_card_points(masks), suit_lengths(masks)
    first, second = _pair(belief)
    top = np.uint64(_top_spade(belief))
    found: dict[str, Values] = dict(
        zip(
            QUANTITIES,
            (
                captures(np.ascontiguousarray(masks[:, first]), np.ascontiguousarray(masks[:, second])).T,
                points[:, LEFT],
                points[:, RIGHT],
                lengths[:, LEFT, Suit.S],
                lengths[:, RIGHT, Suit.H],
                (masks >> top & np.uint64(1)).argmax(axis=1),
            ),
            strict=True,
        )
    )
    if soft := belief.target.soft:
        found[LIKELIHOOD] = soft.of_layouts(masks)
    return found


def _pair(belief: Belief) -> tuple[Seat, Seat]:
    return LEFT, LEFT.partner if belief.dummy is None else belief.dummy


def _top_spade(belief: Belief) -> int:
    """The highest spade that the observer lacks; a heart for one who has them all."""
    return next(card for card in range(51, -1, -1) if not belief.hand.mask >> card & 1)


def _of_layouts(scene: Scene, masks: Masks, weights: Floats, exact: bool = False) -> dict[str, Distribution]:
    """Every quantity under weighted layouts."""
    # The truth goes through the same batch: its likelihood must tie with that of layouts that the model finds equal.
    numbers = _numbers(scene.informed, np.vstack([scene.layout[None], masks]))
    worth = inf if exact else 1.0 / float(weights @ weights)
    return {name: Distribution(all_[1:], weights, float(all_[0]), worth) for name, all_ in numbers.items()}


def _inferred(method: str, scene: Scene, draws: int, rng: np.random.Generator) -> Prediction:
    return _of_posterior(scene, scene.belief.infer(method, draws, rng))


def _of_posterior(scene: Scene, posterior: Posterior) -> Prediction:
    numbers = _of_layouts(scene, posterior.layouts.masks, posterior.weights, posterior.exact)
    return Prediction(numbers, posterior.card_probabilities().values[::-1])


def _counted(scene: Scene, _draws: int, _rng: np.random.Generator) -> Prediction:
    """Hard evidence alone: exact counts of cards, lengths and points, and T by suit convolution."""
    belief = scene.belief
    sampler = belief.target.sampler
    cards = np.asarray(sampler.card_marginals() / sampler.total, dtype=np.float64)
    points, lengths = sampler.point_distributions(), sampler.length_distributions()
    tables: Iterable[Values] = (
        capture_counts(belief.constraints, *_pair(belief)).T,
        points[LEFT],
        points[RIGHT],
        lengths[LEFT, Suit.S],
        lengths[RIGHT, Suit.H],
        cards[_top_spade(belief)],
    )
    truth = _numbers(belief, scene.layout[None])
    numbers = {}
    for name, table in zip(QUANTITIES, tables, strict=True):
        shares = np.asarray(table, dtype=np.float64)
        numbers[name] = Distribution(np.arange(len(shares)), shares / shares.sum(), float(truth[name][0]))
    return Prediction(numbers, cards)


def _jointly(scene: Scene, draws: int, rng: np.random.Generator) -> Prediction:
    """The layouts with West's style summed out, and West's aggressiveness itself."""
    from bayesbridge.joint import infer_jointly

    if scene.style is None:
        raise BayesBridgeError('method "joint" is for a style that is not known: give the scenario a prior of styles')
    found = infer_jointly(scene.belief, UNKNOWN, (), scene.prior, layouts=draws, draws=STYLES, chains=1, rng=rng)
    posterior, styles = found.layouts, found.styles.draws(UNKNOWN.name)[:, 0]
    walked = len(posterior) == posterior.count()
    numbers = _of_layouts(scene, posterior.layouts.masks, posterior.weights, walked)
    equal = np.full(len(styles), 1.0 / len(styles))
    own = Distribution(styles, equal, scene.style.aggressiveness, found.diagnostics.ess)
    return Prediction({**numbers, AGGRESSIVENESS: own}, posterior.card_probabilities().values[::-1])


ENGINES: Final[dict[str, Callable[[Scene, int, np.random.Generator], Prediction]]] = {
    **{method: partial(_inferred, method) for method in BELIEF_ENGINES},
    "counting": _counted,
    "joint": _jointly,
}
"""What can be calibrated: the engines of a belief; exact counting with suit convolution for T; a style and the layout
in one posterior."""
