"""Simulation-based calibration: is the truth like one more draw of the posterior?

    python benchmarks/evaluation/calibration.py --method importance --deals 1000

Draw a deal and all that a player sees of it from the model, ask an engine for the
posterior, and note the rank of the truth in that posterior: over many deals ranks are
uniform if and only if the posterior is right on average (S. Talts, M. Betancourt, D.
Simpson, A. Vehtari and A. Gelman, "Validating Bayesian inference algorithms with
simulation-based calibration", 2018). Predictions of single cards are compared with
where the cards lay.

Everything that South is told comes about by a rule that the posterior knows, so that
the posterior is right if the engine is. Cards shown are chosen at random from a hand,
points and lengths are told as the cell of a fixed partition: neither says more than the
hard evidence that it becomes. Calls and cards played follow the models that weigh them.

Ranks lie from 0 to 1 and are kept as counts in BINS cells. Whether they are uniform is
tested by χ² and by a band for their distribution function, that of T. Säilynoja, P.-C.
Bürkner and A. Vehtari, "Graphical test for discrete uniformity and its applications in
goodness-of-fit evaluation and multiple sample comparison" (2022): at each edge of a
cell the number of ranks below is binomial, and the level of these intervals is lowered
until a sample of uniform ranks stays within all of them with the requested probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf, pi, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from instrument import options, setting, show, start
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.fit import Prior
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.capture.kernels import captures
from bayesbridge.display.markup import Table
from bayesbridge.display.words import number, percent
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.engines.infer import ENGINES as BELIEF_ENGINES
from bayesbridge.errors import BayesBridgeError, TooFewDraws
from bayesbridge.estimators.registry import load
from bayesbridge.evidence.kinds import (
    HighCards,
    Holds,
    Length,
    Piece,
    Play,
    Reveal,
    pieces,
)
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.cards import Card, Hand, Suit
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Masks, high_card_points, suit_lengths
from bayesbridge.game.tricks import Trick
from bayesbridge.plots import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    SKY,
    VERMILION,
    bare,
    ink,
    new_axes,
    new_grid,
    percent_axis,
)
from bayesbridge.studies.benchmark import Bin, bin_of, calibration_error, curve
from bayesbridge.studies.jobs import Job, RunOptions, rows
from bayesbridge.studies.study import holm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OBSERVER: Final = Seat.S
UNKNOWN: Final = Seat.W
"""Whose style is drawn where a scenario has a prior of styles."""

LENGTH_CELLS: Final = ((0, 1), (2, 3), (4, 5), (6, 13))
POINT_CELLS: Final = ((0, 4), (5, 9), (10, 14), (15, 40))


def simulate_play(
    deal: Deal,
    auction: Auction,
    player: PlayerModel,
    cards: int,
    rng: int | np.random.Generator,
) -> tuple[tuple[Seat, Card], ...]:
    """The first ``cards`` cards of a deal after an auction of four players.

    They are (seat, card) in order. Nobody plays where all have passed.
    """
    contract = auction.contract
    generator = np.random.default_rng(rng)
    if contract is None:
        return ()
    hands = {seat: deal[seat] for seat in Seat}
    plays: list[tuple[Seat, Card]] = []
    trick = Trick(contract.declarer.next(), contract.trump)
    for _ in range(min(cards, 52)):
        seat = trick.turn
        assert seat is not None
        legal = list(trick.legal(hands[seat]))
        chances = _card_chances(deal, auction, player, plays, seat, legal)
        card = legal[int(generator.choice(len(legal), p=chances))]
        plays.append((seat, card))
        hands[seat] = Hand(hands[seat].mask & ~(1 << card.index))
        trick = trick.after(seat, card)
        if trick.complete:
            assert trick.winner is not None
            trick = Trick(trick.winner, contract.trump)
    return tuple(plays)


def _card_chances(
    deal: Deal,
    auction: Auction,
    player: PlayerModel,
    plays: list[tuple[Seat, Card]],
    seat: Seat,
    legal: list[Card],
) -> Floats:
    """(legal,) P(card) by the player model, after ``plays``.

    Dummy's cards are declarer's choice, of which a player model says nothing: they are
    any legal card.
    """
    contract = auction.contract
    assert contract is not None
    dummy = contract.declarer.partner
    if seat == dummy or len(legal) == 1:
        return np.ones(len(legal)) / len(legal)
    hands = np.array([deal[seat].mask], dtype=np.uint64)
    # Sequences that differ in the last card alone: log P(it) + constant.
    log_chances = []
    for card in legal:
        sequence = [*plays, (seat, card)]
        log_chance = player.log_likelihood(
            hands, contract, sequence, seat, auction, deal[dummy]
        )
        log_chances.append(float(log_chance[0]))
    chances: Floats = np.exp(np.array(log_chances) - max(log_chances))
    return chances / chances.sum()


@dataclass(frozen=True, slots=True)
class Scenario:
    """From a random deal to a posterior."""

    method: str
    """The engine; see :data:`ENGINES`."""
    bidder: BidderModel | None = None
    """Who calls; ``None`` if nobody does."""
    believed: BidderModel | None = None
    """The model of the bidders that South assumes; ``None`` for the right one."""
    dummy: Seat | None = Seat.N
    """The seat that does not bid; ``None`` in the four-player game."""
    open_dummy: bool = False
    shown: int = 0
    """Cards of each hidden hand that South has seen."""
    told_lengths: bool = False
    """Whether South is told about how long one suit of the player on the right is."""
    told_points: bool = False
    """Whether South is told about how many points the player on the left has."""
    player: PlayerModel | None = None
    """Who plays, in the four-player game."""
    cards: int = 0
    """How many cards are played."""
    prior: Prior | None = None
    """Where West's style comes from, which South does not know.

    The others bid by ``bidder``.
    """
    draws: int = 4000
    """Layouts that a sampling engine returns."""

    def __post_init__(self) -> None:
        if not 0 <= self.shown <= 12:
            raise BayesBridgeError(
                f"{self.shown} cards shown: show 0 to 12 of a hand of 13",
                shown=self.shown,
            )
        if self.bidder is None and (self.cards or self.prior is not None):
            raise BayesBridgeError(
                "cards and styles follow calls: give the scenario a bidder",
                cards=self.cards,
            )
        if self.cards and (self.player is None or self.dummy is not None):
            raise BayesBridgeError(
                "cards are played by a player model, by four players: give player= and dummy=None"
            )

    def draw(self, rng: np.random.Generator | int) -> Scene:
        """A deal, and what South believes after all that South has seen of it."""
        generator = np.random.default_rng(rng)
        order = generator.permutation(52).reshape(4, 13)
        cards = np.uint64(1) << order.astype(np.uint64)
        layout = cards.sum(axis=1, dtype=np.uint64)
        north, east, south, west = (Hand(int(mask)) for mask in layout)
        deal = Deal((north, east, south, west))
        style = None if self.prior is None else self.prior.draw(generator)
        evidence = self._evidence(deal, style, generator)
        informed = self._belief(south, self.bidder, evidence)
        belief = informed
        if self.believed is not None:
            belief = self._belief(south, self.believed, evidence)
        return Scene(layout, belief, informed, style, self.prior)

    def _belief(
        self, hand: Hand, bidder: BidderModel | None, evidence: list[Piece]
    ) -> Belief:
        """What South believes who assumes these bidders."""
        belief = Belief(
            OBSERVER, hand, dummy=self.dummy, bidder=bidder, player=self.player
        )
        return belief.given(*evidence)

    def _evidence(
        self, deal: Deal, style: StyleBidder | None, rng: np.random.Generator
    ) -> list[Piece]:
        """All that South sees of a deal, in order."""
        evidence: list[Piece] = []
        dummy = self.dummy
        if self.bidder is not None:
            auction = self._auction(deal, self.bidder, style, rng)
            evidence += pieces(auction)
            if dummy is None and auction.contract is not None:
                dummy = auction.contract.declarer.partner
            if self.player is not None:
                plays = simulate_play(deal, auction, self.player, self.cards, rng)
                evidence += [Play(seat, card) for seat, card in plays]
        open_dummy = None
        if self.open_dummy and dummy is not None and dummy != OBSERVER:
            open_dummy = dummy
            place = _place_after_lead(evidence)
            evidence.insert(place, Reveal(open_dummy, deal[open_dummy]))
        if self.told_points:
            evidence.append(_told_points(deal))
        if self.told_lengths:
            evidence.append(_told_length(deal, rng))
        if self.shown:
            for seat in Seat:
                if seat not in (OBSERVER, open_dummy):
                    evidence.append(_shown_cards(deal, seat, self.shown, rng))
        return evidence

    def _auction(
        self,
        deal: Deal,
        bidder: BidderModel,
        style: StyleBidder | None,
        rng: np.random.Generator,
    ) -> Auction:
        """The calls on a deal, by a dealer at random."""
        seats = [seat for seat in Seat if seat != self.dummy]
        bidders = dict.fromkeys(seats, bidder)
        if style is not None:
            bidders[UNKNOWN] = style
        dealer = seats[int(rng.integers(len(seats)))]
        return simulate_auction(deal, bidders, dealer, self.dummy, rng)


def _place_after_lead(evidence: list[Piece]) -> int:
    """Where the open dummy stands: after the first card, if there is one."""
    for place, piece in enumerate(evidence):
        if isinstance(piece, Play):
            return place + 1
    return len(evidence)


def _cell_of(value: int, cells: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """The cell (least, most) of a partition that a number lies in."""
    return next((low, high) for low, high in cells if low <= value <= high)


def _told_points(deal: Deal) -> HighCards:
    """About how many points the player on the left has."""
    low, high = _cell_of(deal[LEFT].points, POINT_CELLS)
    return HighCards(LEFT, low, high)


def _told_length(deal: Deal, rng: np.random.Generator) -> Length:
    """About how long one suit, at random, of the player on the right is."""
    suit = Suit(int(rng.integers(4)))
    low, high = _cell_of(deal[RIGHT].length(suit), LENGTH_CELLS)
    return Length(RIGHT, suit, low, high)


def _shown_cards(
    deal: Deal, seat: Seat, number: int, rng: np.random.Generator
) -> Holds:
    """So many cards of a hand, at random."""
    cards = list(deal[seat])
    places = rng.choice(len(cards), number, replace=False)
    return Holds(seat, [cards[place] for place in places])


class Scene(NamedTuple):
    """The truth, and what South believes."""

    layout: NDArray[np.uint64]
    """(4,) the true hands."""
    belief: Belief
    informed: Belief
    """The same evidence, with the right model of the bidders."""
    style: StyleBidder | None
    """West's true style, where South does not know it, and what it was drawn from."""
    prior: Prior | None


type Floats = NDArray[np.float64]
type Values = NDArray[np.integer] | Floats

QUANTITIES: Final = (
    "T",
    "left's points",
    "right's points",
    "left's spades",
    "right's hearts",
    "top spade's seat",
)
"""Numbers of a layout.

What the player on South's left would capture with the dummy, or with their partner
where four bid; points and lengths of the players beside South; and which seat has the
highest spade that South lacks.
"""

LIKELIHOOD: Final = "likelihood"
"""P(calls ∣ layout) by the bidders as they are.

A posterior that ignores the calls is the prior, in which all that does not look at the
calls ranks evenly too; this number shows the difference (M. Modrák et al.,
"Simulation-based calibration checking for Bayesian computation: the choice of test
quantities shapes sensitivity", 2025).
"""

AGGRESSIVENESS: Final = "aggressiveness"
"""Of West's style, where South does not know it."""

STYLES: Final = 500
"""Points in the space of West's style, or some more."""

LEFT: Final = OBSERVER.next()
RIGHT: Final = OBSERVER.next(3)


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Values with weights that add up to one, and the true value."""

    values: Values
    weights: Floats
    truth: float
    worth: float = inf
    """Independent draws; inf where the distribution is exact."""

    def rank(self, uniform: float) -> float:
        """Randomised rank of the truth from 0 to 1.

        It is uniform if the truth is one more draw of the distribution. For n equal
        weights it is (draws below + a random place among ties and the truth) / (n + 1),
        for an exact distribution P(below) + uniform · P(equal).
        """
        below = float(self.weights[self.values < self.truth].sum())
        ties = float(self.weights[self.values == self.truth].sum())
        if self.worth == inf:
            return min(below + uniform * ties, 1.0)
        draws_below = self.worth * below
        place_among_ties = uniform * (self.worth * ties + 1.0)
        return (draws_below + place_among_ties) / (self.worth + 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """An engine's answer on one scene."""

    numbers: dict[str, Distribution]
    cards: Floats
    """(52, 4) P(seat holds card)."""


def names_of(soft: bool, styled: bool) -> tuple[str, ...]:
    """The numbers that are ranked.

    With calls their likelihood too, with an unknown style its aggressiveness.
    """
    names = list(QUANTITIES)
    if soft:
        names.append(LIKELIHOOD)
    if styled:
        names.append(AGGRESSIVENESS)
    return tuple(names)


def predict(
    scene: Scene, method: str, draws: int, rng: np.random.Generator
) -> Prediction:
    """Ask one engine."""
    if method not in ENGINES:
        raise BayesBridgeError(
            f"unknown method {method!r}: choose {', '.join(ENGINES)}", method=method
        )
    return ENGINES[method](scene, draws, rng)


def _numbers(belief: Belief, masks: Masks) -> dict[str, Values]:
    """(n,) of every quantity for (n, 4) layouts."""
    points = high_card_points(masks)
    lengths = suit_lengths(masks)
    player, partner = _pair(belief)
    player_hands = np.ascontiguousarray(masks[:, player])
    partner_hands = np.ascontiguousarray(masks[:, partner])
    top_spade = np.uint64(_top_spade(belief))
    values = (
        captures(player_hands, partner_hands).T,
        points[:, LEFT],
        points[:, RIGHT],
        lengths[:, LEFT, Suit.S],
        lengths[:, RIGHT, Suit.H],
        (masks >> top_spade & np.uint64(1)).argmax(axis=1),
    )
    numbers: dict[str, Values] = dict(zip(QUANTITIES, values, strict=True))
    if belief.target.soft:
        numbers[LIKELIHOOD] = belief.target.soft.of_layouts(masks)
    return numbers


def _pair(belief: Belief) -> tuple[Seat, Seat]:
    """Whose captures are counted: South's left-hand opponent's, with dummy or partner."""
    return LEFT, LEFT.partner if belief.dummy is None else belief.dummy


def _top_spade(belief: Belief) -> int:
    """The highest spade that the observer lacks; a heart for one who has them all."""
    return next(card for card in range(51, -1, -1) if not belief.hand.mask >> card & 1)


def _of_layouts(
    scene: Scene, masks: Masks, weights: Floats, exact: bool = False
) -> dict[str, Distribution]:
    """Every quantity under weighted layouts."""
    # The truth goes through the same batch: its likelihood must tie with that of
    # layouts that the model finds equal.
    numbers = _numbers(scene.informed, np.vstack([scene.layout[None], masks]))
    worth = inf if exact else 1.0 / float(weights @ weights)
    return {
        name: Distribution(values[1:], weights, float(values[0]), worth)
        for name, values in numbers.items()
    }


def _inferred(
    method: str, scene: Scene, draws: int, rng: np.random.Generator
) -> Prediction:
    """The answer of an engine of beliefs."""
    return _of_posterior(scene, scene.belief.infer(method, draws, rng))


def _of_posterior(scene: Scene, posterior: Posterior) -> Prediction:
    """What a posterior says of every quantity and card."""
    masks = posterior.layouts.masks
    numbers = _of_layouts(scene, masks, posterior.weights, posterior.exact)
    return Prediction(numbers, posterior.card_probabilities().values[::-1])


def _counted(scene: Scene, _draws: int, _rng: np.random.Generator) -> Prediction:
    """Hard evidence alone: exact counts, and T by suit convolution."""
    belief = scene.belief
    sampler = belief.target.sampler
    cards = sampler.card_marginals()
    lengths = sampler.length_distributions()
    points = belief.target.point_distributions()
    tables: Iterable[Values] = (
        capture_counts(belief.constraints, *_pair(belief))["T"],
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
        numbers[name] = Distribution(
            np.arange(len(shares)), shares / shares.sum(), float(truth[name][0])
        )
    return Prediction(numbers, cards)


def _jointly(scene: Scene, draws: int, rng: np.random.Generator) -> Prediction:
    """The layouts with West's style summed out, and West's aggressiveness itself."""
    from bayesbridge.belief.joint import infer_jointly

    if scene.style is None:
        raise BayesBridgeError(
            'method "joint" is for a style that is not known: give the scenario a prior of styles'
        )
    joint = infer_jointly(
        scene.belief,
        UNKNOWN,
        (),
        scene.prior,
        layouts=draws,
        draws=STYLES,
        chains=1,
        rng=rng,
    )
    posterior = joint.layouts
    has_all_layouts = len(posterior) == posterior.count()
    numbers = _of_layouts(
        scene, posterior.layouts.masks, posterior.weights, has_all_layouts
    )
    aggressiveness = joint.styles.draws(UNKNOWN.name)[:, 0]
    draws_kept = len(aggressiveness)
    numbers[AGGRESSIVENESS] = Distribution(
        aggressiveness,
        np.full(draws_kept, 1.0 / draws_kept),
        scene.style.aggressiveness,
        joint.diagnostics.ess,
    )
    return Prediction(numbers, posterior.card_probabilities().values[::-1])


ENGINES: Final[dict[str, Callable[[Scene, int, np.random.Generator], Prediction]]] = {
    **{method: partial(_inferred, method) for method in BELIEF_ENGINES},
    "counting": _counted,
    "joint": _jointly,
}
"""What can be calibrated.

The engines of a belief; exact counting with suit convolution for T; a style and the
layout in one posterior.
"""


type Counts = NDArray[np.int64]

BINS: Final = 40
"""Cells: the ends of the intervals below are edges."""

LEVELS: Final = (0.5, 0.8, 0.9, 0.95)
"""Of the central intervals."""

EDGES: Final = np.arange(1, BINS) / BINS
SIMULATIONS: Final = 9999
"""Samples of uniform ranks that the band and its p come from; always the same ones."""

EXPECTED: Final = 20
"""Ranks that a cell of the χ² test should have."""

ROUNDING: Final = 1e-12
"""By which equal tails may differ, relatively."""


def tally(ranks: ArrayLike) -> Counts:
    """(BINS,) how many ranks lie in each cell."""
    place = np.minimum((np.asarray(ranks) * BINS).astype(np.int64), BINS - 1)
    return np.bincount(place, minlength=BINS).astype(np.int64)


def cells_for(deals: int) -> int:
    """Cells of the χ² test and of a histogram, so that each has some ranks."""
    return next((cells for cells in (40, 20, 10) if deals >= EXPECTED * cells), 5)


@dataclass(frozen=True, slots=True)
class Test:
    """One hypothesis tested."""

    __test__ = False  # pytest need not look inside

    hypothesis: str
    statistic: float
    p: float
    effect: float
    """How large, whatever the number of deals.

    Cohen's w, the largest departure, or the share by which it is off.
    """
    p_holm: float = 1.0
    """p, corrected for all tests made together."""


def chi_square(name: str, counts: Counts) -> Test:
    """Pearson's χ² of ranks against equal shares."""
    cells = counts.reshape(cells_for(int(counts.sum())), -1).sum(axis=1)
    statistic, p = stats.chisquare(cells)
    return Test(
        f"{name}: ranks fill the cells evenly",
        float(statistic),
        float(p),
        sqrt(statistic / cells.sum()),
    )


def ecdf_test(name: str, counts: Counts) -> Test:
    """Whether the distribution function of the ranks stays within its band.

    The effect is its largest departure.
    """
    deals = int(counts.sum())
    below = counts.cumsum()[:-1]
    smallest_tail = float(_tails(below[None], deals).min())
    simulated = _smallest_tails(deals)
    at_most = np.searchsorted(simulated, smallest_tail * (1 + ROUNDING), side="right")
    p = (1.0 + at_most) / (1.0 + len(simulated))
    departure = float(np.abs(below / deals - EDGES).max())
    return Test(
        f"{name}: no rank comes too early or too late", departure, float(p), departure
    )


def ecdf_band(deals: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lowest and highest share of ranks below each of EDGES.

    All shares lie between them at once with probability ``level``.
    """
    tail = float(np.quantile(_smallest_tails(deals), 1.0 - level))
    low = stats.binom.ppf(tail / 2, deals, EDGES)
    high = stats.binom.isf(tail / 2, deals, EDGES)
    return np.asarray(low / deals), np.asarray(high / deals)


def share_band(deals: int, share: float, level: float = 0.95) -> tuple[float, float]:
    """Lowest and highest share of deals in which a chance event happens.

    It happens with probability ``share``, and the share lies between them with
    probability ``level``.
    """
    low, high = stats.binom.interval(level, deals, share)
    return float(low) / deals, float(high) / deals


def covered(counts: Counts) -> dict[float, int]:
    """By level, how many ranks lie in the central interval.

    That is how often it held the truth.
    """
    inside = {}
    for level in LEVELS:
        outside = round(BINS * (1.0 - level) / 2)
        inside[level] = int(counts[outside : BINS - outside].sum())
    return inside


def _tails(below: NDArray[np.int64], deals: int) -> Floats:
    """(n, BINS − 1) two-sided binomial tail of the number of ranks below each edge."""
    return _tail_table(deals)[below, np.arange(BINS - 1)]


@lru_cache(maxsize=64)
def _tail_table(deals: int) -> Floats:
    """(deals + 1, BINS − 1) the tail of every number of ranks below each edge."""
    numbers = np.arange(deals + 1)[:, None]
    low = stats.binom.cdf(numbers, deals, EDGES)
    high = stats.binom.sf(numbers - 1, deals, EDGES)
    return np.asarray(2.0 * np.minimum(low, high))


@lru_cache(maxsize=64)
def _smallest_tails(deals: int) -> Floats:
    """(SIMULATIONS,) rising: the smallest tail of each sample of uniform ranks."""
    rng = np.random.default_rng(0)
    samples = rng.multinomial(deals, np.full(BINS, 1.0 / BINS), size=SIMULATIONS)
    smallest = np.sort(_tails(samples.cumsum(axis=1)[:, :-1], deals).min(axis=1))
    smallest.setflags(write=False)
    return smallest


TRIES: Final = 100
"""Deals that an engine may refuse one after the other."""
CARD_BINS: Final = 20
"""Bins of the reliability curve."""
CHUNK: Final = 8
"""Deals in a chunk: an engine takes a tenth of a second to seconds for one."""

SCENARIOS: Final = {
    "enumerate": Scenario("enumerate", StyleBidder(), open_dummy=True, shown=5),
    "direct": Scenario("direct", told_lengths=True, told_points=True, shown=2),
    "counting": Scenario("counting", told_lengths=True, shown=2),
    "levels": Scenario("levels", IterativeBidder(slip=0.05), open_dummy=True),
    "importance": Scenario("importance", StyleBidder(), draws=2000),
    "resample-move": Scenario("resample-move", StyleBidder(), dummy=None, draws=2000),
    "likelihood-weighting": Scenario(
        "likelihood-weighting", IterativeBidder(slip=0.05, suits=True), draws=20_000
    ),
    "joint": Scenario("joint", StyleBidder(), open_dummy=True, shown=5, prior=Prior()),
    "auto": Scenario(
        "auto",
        LearnedBidder(),
        dummy=None,
        open_dummy=True,
        player=LearnedPlayer(),
        cards=8,
        draws=2000,
    ),
}
"""A scenario for each engine, one that it would be used for.

Three players but for ``resample-move`` and ``auto``, whose four are style bidders, and
experts who also play two tricks.
"""


def count(scenario: Scenario, seed: np.random.SeedSequence, deals: int) -> Floats:
    """The sums of a chunk, in one row that :meth:`Calibration.of` reads.

    Deals; ranks by number and cell; by bin cards, predicted, observed, squared gaps;
    sums for the slope.
    """
    names = names_in(scenario)
    ranks = np.zeros((len(names), BINS), dtype=np.int64)
    bins = np.zeros((4, CARD_BINS))
    slope = np.zeros(3)
    for child in seed.spawn(deals):
        rng = np.random.default_rng(child)
        scene, prediction = _predicted(scenario, rng)
        for row, name in enumerate(names):
            ranks[row] += tally([prediction.numbers[name].rank(rng.random())])
        hidden = _hidden_places(scene.belief)
        predicted = prediction.cards[hidden].ravel()
        observed = _true_places(scene.layout)[hidden].ravel()
        deal_bins, deal_slope = _compared(predicted, observed)
        bins += deal_bins
        slope += deal_slope
    return np.concatenate([[deals], ranks.ravel(), bins.ravel(), slope])


def _true_places(layout: NDArray[np.uint64]) -> Floats:
    """(52, 4) 1 where a seat holds the card, of the (4,) hands of a deal."""
    cards = np.arange(52, dtype=np.uint64)
    is_held = layout[None, :] >> cards[:, None] & np.uint64(1)
    return is_held.astype(np.float64)


def _predicted(
    scenario: Scenario, rng: np.random.Generator
) -> tuple[Scene, Prediction]:
    """A deal and the answer to it; another deal where plain weights refuse.

    That depends on what is seen and on the draws, not on the hidden cards, so the truth
    still ranks evenly.
    """
    refused = 0
    while True:
        scene = scenario.draw(rng)
        try:
            return scene, predict(scene, scenario.method, scenario.draws, rng)
        except TooFewDraws:
            refused += 1
            if refused == TRIES:
                raise


def _hidden_places(belief: Belief) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index of cards × seats that the hard evidence leaves open.

    Cards whose seat is not known, and seats that are not full.
    """
    constraints = belief.constraints.normalised()
    cards = [card for card in range(52) if constraints.unknown_mask >> card & 1]
    return np.ix_(cards, constraints.hidden)


def _compared(predicted: Floats, observed: Floats) -> tuple[Floats, Floats]:
    """What one deal adds to the bins, (4, CARD_BINS), and to the slope, (3,).

    Its cards are not independent: the error of a bin comes from the squared sum of each
    deal.
    """
    place = bin_of(predicted, CARD_BINS)
    cards = np.bincount(place, np.ones(len(predicted)), CARD_BINS)
    chances = np.bincount(place, predicted, CARD_BINS)
    hits = np.bincount(place, observed, CARD_BINS)
    bins = np.stack([cards, chances, hits, (hits - chances) ** 2])
    lean = float((observed - predicted) @ predicted)
    slope = np.array([observed @ predicted, predicted @ predicted, lean**2])
    return bins, slope


def names_in(scenario: Scenario) -> tuple[str, ...]:
    """The numbers that are ranked in a scenario."""
    return names_of(scenario.bidder is not None, scenario.prior is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How the truth ranked in the posteriors of a scenario."""

    scenario: Scenario
    deals: int
    names: tuple[str, ...]
    ranks: Counts
    """(names, BINS) randomised ranks of the truth by cell, from 0 to 1."""
    bins: Floats
    """(4, CARD_BINS) places where a card may lie, by probability.

    How many; Σ predicted; Σ observed; Σ over deals of the squared gap.
    """
    slope: Floats
    """(3,) Σ observed · predicted, Σ predicted² and Σ over deals of their squared gap."""

    @classmethod
    def of(cls, scenario: Scenario, sums: Floats) -> Calibration:
        """From what :func:`count` gives, chunks added up."""
        names = names_in(scenario)
        end_of_ranks = 1 + BINS * len(names)
        end_of_bins = end_of_ranks + 4 * CARD_BINS
        ranks = sums[1:end_of_ranks].reshape(-1, BINS)
        bins = sums[end_of_ranks:end_of_bins].reshape(4, CARD_BINS)
        return cls(
            scenario,
            deals=int(sums[0]),
            names=names,
            ranks=ranks.astype(np.int64),
            bins=bins,
            slope=sums[end_of_bins:],
        )

    def ranks_of(self, name: str) -> Counts:
        """(BINS,) ranks of one number."""
        if name not in self.names:
            raise BayesBridgeError(
                f"no ranks of {name!r}: there are {', '.join(self.names)}", name=name
            )
        return np.asarray(self.ranks[self.names.index(name)])

    @property
    def coverage(self) -> dict[str, dict[float, float]]:
        """By number and level, how often the central interval held the truth."""
        shares = {}
        for name, counts in zip(self.names, self.ranks, strict=True):
            inside = covered(counts)
            shares[name] = {level: k / self.deals for level, k in inside.items()}
        return shares

    @property
    def cards(self) -> int:
        """How many hidden cards were predicted."""
        return round(float(self.bins[1].sum()))

    @property
    def reliability(self) -> tuple[Bin, ...]:
        """Predicted and observed places of cards."""
        return curve(*self.bins[:3])

    @property
    def errors(self) -> tuple[float, ...]:
        """By bin of :attr:`reliability`, one standard error of the observed share.

        Deals are taken as independent.
        """
        counts = self.bins[0].tolist()
        squared_gaps = self.bins[3].tolist()
        return tuple(
            sqrt(square) / n
            for n, square in zip(counts, squared_gaps, strict=True)
            if n
        )

    @property
    def card_error(self) -> float:
        """Expected calibration error of card probabilities."""
        return calibration_error(self.reliability)

    @property
    def chance_error(self) -> float:
        """The calibration error by chance alone, if all predictions were right."""
        # The mean absolute value of a normal variable is √(2 / π) of its deviation.
        spread = sum(
            error * cell.cards
            for error, cell in zip(self.errors, self.reliability, strict=True)
        )
        return sqrt(2 / pi) * spread / max(1, int(self.bins[0].sum()))

    def tests(self) -> tuple[Test, ...]:
        """χ² and the band of every number, and the test of the cards."""
        tests = []
        for name, counts in zip(self.names, self.ranks, strict=True):
            tests.append(chi_square(name, counts))
            tests.append(ecdf_test(name, counts))
        tests.append(self._card_test())
        corrected = holm(test.p for test in tests)
        return tuple(
            replace(test, p_holm=p) for test, p in zip(tests, corrected, strict=True)
        )

    def _card_test(self) -> Test:
        """Whether probabilities of cards are too extreme or too even.

        E[(observed − predicted) · predicted] is 0 if they are right, below 0 if they
        are too extreme.
        """
        hypothesis = "probabilities of cards are neither too extreme nor too even"
        observed, predicted, square = self.slope.tolist()
        if square == 0.0:
            return Test(hypothesis, 0.0, 1.0, 0.0)
        gap = observed - predicted
        z = gap / sqrt(square)
        return Test(hypothesis, z, 2 * float(stats.norm.sf(abs(z))), gap / predicted)

    @property
    def worst_p(self) -> float:
        """The smallest corrected p.

        Below 0.01 something is wrong with the posterior, or with the model it takes.
        """
        return min(test.p_holm for test in self.tests())


def calibrate(
    scenario: Scenario, deals: int, seed: int = 1, how: RunOptions | None = None
) -> Calibration:
    """Run a scenario on ``deals`` random deals."""
    job = Job(
        "calibration", partial(count, scenario), CHUNK, {"scenario": repr(scenario)}
    )
    return Calibration.of(scenario, rows(job, deals, seed, how).sum(axis=0))


def scenario_for(method: str, bidder: BidderModel | None = None) -> Scenario:
    """The scenario of an engine, with other bidders if given."""
    if method not in SCENARIOS:
        raise BayesBridgeError(
            f"unknown method {method!r}: choose {', '.join(SCENARIOS)}", method=method
        )
    scenario = SCENARIOS[method]
    if bidder is None:
        return scenario
    if scenario.bidder is None:
        raise BayesBridgeError(
            f"nobody calls where method is {method!r}: leave the bidder out",
            method=method,
        )
    return replace(scenario, bidder=bidder)


MARKS: Final = {
    0.5: (SKY, "o"),
    0.8: (BLUE, "s"),
    0.9: (ORANGE, "D"),
    0.95: (VERMILION, "^"),
}
"""Colour and shape of the mark of each of ``LEVELS``."""

FEWEST: Final = 10
"""Places that a mark of the reliability curve stands for at least."""


def plot_ranks(
    calibrated: Calibration,
    names: Sequence[str] | str | None = None,
    *,
    figure: Figure | None = None,
    axes: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Ranks of the truth, a row for each number.

    Their histogram, and how far their distribution is from uniform. If ranks are
    uniform, each bar ends between the dashed lines with probability 95 %, and the whole
    curve stays in the grey band with probability 95 %. Returns (names, 2) Axes.
    """
    if names is None:
        names = calibrated.names
    elif isinstance(names, str):
        names = (names,)
    rows = [calibrated.ranks_of(name) for name in names]
    if axes is None:
        height = 0.5 + 1.5 * len(rows)
        axes = new_grid(6.8, height, len(rows), 2, figure=figure, sharex=True)
    for (histogram_ax, departure_ax), name, counts in zip(
        axes, names, rows, strict=True
    ):
        _draw_histogram(histogram_ax, counts, calibrated.deals)
        _draw_departure(departure_ax, counts, calibrated.deals)
        histogram_ax.set_ylabel(name)
    axes[0, 0].set_title("ranks, share of deals", fontsize=10)
    axes[0, 1].set_title("share of ranks below, less uniform", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("rank of the truth")
        ax.set_xlim(0, 1)
    return axes


def plot_reliability(calibrated: Calibration, *, ax: Axes | None = None) -> Axes:
    """Share of cards that lay in a seat, against the probability predicted.

    On the diagonal all is right. Bars are two standard errors, from deal to deal; the
    area of a mark grows with the number of places that it stands for, at least ten.
    """
    ax = new_axes(4.6, 4.4) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0)
    cells = _marked_bins(calibrated)
    bins = np.array([cell for cell, _ in cells], dtype=float)
    predicted, observed, counts = bins.reshape(-1, 3).T
    errors = np.array([error for _, error in cells])
    _draw_reliability(ax, predicted, observed, 2 * errors, counts)
    cards = f"{calibrated.cards:,}".replace(",", " ")
    title = f"{cards} cards: calibration error {calibrated.card_error:.4f}"
    by_chance = f"({calibrated.chance_error:.4f} by chance alone)"
    ax.set_title(f"{title}\n{by_chance}", fontsize=10)
    for axis in (ax.xaxis, ax.yaxis):
        percent_axis(axis)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("predicted: the card lies there")
    ax.set_ylabel("observed")
    bare(ax)
    return ax


def _marked_bins(calibrated: Calibration) -> list[tuple[Bin, float]]:
    """Bins with enough places for a mark, with their standard errors."""
    cells = zip(calibrated.reliability, calibrated.errors, strict=True)
    return [(cell, error) for cell, error in cells if cell.cards >= FEWEST]


def _draw_reliability(
    ax: Axes, predicted: Floats, observed: Floats, bars: Floats, counts: Floats
) -> None:
    """Marks at (predicted, observed) with bars, their areas by (n,) counts."""
    ax.errorbar(
        predicted,
        observed,
        bars,
        fmt="none",
        ecolor=ink(),
        elinewidth=0.8,
        capsize=2,
        zorder=2,
    )
    sizes = 12 + 150 * counts / counts.max(initial=1.0)
    ax.scatter(
        predicted, observed, sizes, color=BLUE, edgecolor=ink(), linewidth=0.6, zorder=3
    )


def plot_coverage(calibrated: Calibration, *, ax: Axes | None = None) -> Axes:
    """How often central intervals held the truth, by number and level.

    A row for each number, a mark for each level. The thin line is the level itself;
    chance alone leaves the mark in the grey bar with probability 95 %.
    """
    names = calibrated.names
    ax = new_axes(6.4, 0.9 + 0.5 * len(names)) if ax is None else ax
    places = np.arange(len(names))[::-1]
    for order, (level, (colour, mark)) in enumerate(MARKS.items()):
        rows = places + 0.2 * (1.5 - order)
        ax.axvline(level, color=GREY, linewidth=0.8, zorder=0)
        low, high = share_band(calibrated.deals, level)
        ax.hlines(rows, low, high, color=PALE, linewidth=6)
        ax.plot(
            [calibrated.coverage[name][level] for name in names],
            rows,
            mark,
            color=colour,
            markeredgecolor=ink(),
            markeredgewidth=0.6,
            label=f"{level:.0%}",
        )
    ax.set_yticks(places, names)
    percent_axis(ax.xaxis)
    ax.set_xlabel(f"intervals that held the truth, of {calibrated.deals} deals")
    ax.legend(
        fontsize=8,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=4,
        frameon=False,
    )
    bare(ax)
    return ax


def _draw_histogram(ax: Axes, counts: Counts, deals: int) -> None:
    """Shares of ranks by cell, with the share that is expected and its band."""
    cells = cells_for(deals)
    expected = 1 / cells
    shares = counts.reshape(cells, -1).sum(axis=1) / deals
    ax.bar(
        (np.arange(cells) + 0.5) / cells,
        shares,
        expected,
        color=SKY,
        edgecolor=ink(),
        linewidth=0.4,
    )
    low, high = share_band(deals, expected)
    for height, style in ((expected, "-"), (low, "--"), (high, "--")):
        ax.axhline(height, color=ink(), linestyle=style, linewidth=1.0)
    percent_axis(ax.yaxis)
    bare(ax)


def _draw_departure(ax: Axes, counts: Counts, deals: int) -> None:
    """Share of ranks below each edge less that of uniform ranks, in its band."""
    x = np.concatenate([[0.0], EDGES, [1.0]])
    lowest, highest = ecdf_band(deals)
    low = np.concatenate([[0.0], lowest - EDGES, [0.0]])
    high = np.concatenate([[0.0], highest - EDGES, [0.0]])
    ax.fill_between(x, low, high, color=PALE, linewidth=0)
    ax.axhline(0, color=GREY, linewidth=1.0)
    below = np.concatenate([[0.0], counts.cumsum() / deals])
    ax.plot(x, below - x, color=BLUE, linewidth=1.5)
    bare(ax)


def document(calibrated: Calibration) -> dict[str, Any]:
    """All that was found, as plain data."""
    cells = zip(calibrated.reliability, calibrated.errors, strict=True)
    coverage = {
        name: list(by_level.values()) for name, by_level in calibrated.coverage.items()
    }
    return {
        "method": calibrated.scenario.method,
        "chain": repr(calibrated.scenario),
        "deals": calibrated.deals,
        "levels": list(LEVELS),
        "coverage": coverage,
        "ranks": dict(zip(calibrated.names, calibrated.ranks.tolist(), strict=True)),
        "cards": calibrated.cards,
        "calibration_error": calibrated.card_error,
        "calibration_error_by_chance": calibrated.chance_error,
        "calibration": [{**cell._asdict(), "error": error} for cell, error in cells],
        "worst_p": calibrated.worst_p,
    }


def tables(calibrated: Calibration) -> Iterator[Table]:
    """Coverage of intervals, predicted against observed places of cards, the tests."""
    yield _coverage_table(calibrated)
    yield _reliability_table(calibrated)
    yield _test_table(calibrated)


def _coverage_table(calibrated: Calibration) -> Table:
    """How often the interval of each level held the truth, by number."""
    shares = {
        name: list(by_level.values()) for name, by_level in calibrated.coverage.items()
    }
    rows = [[name, *map(percent, by_level)] for name, by_level in shares.items()]
    means = np.mean(list(shares.values()), axis=0)
    rows.append(["mean", *map(percent, means.tolist())])
    levels = [percent(level, 0) for level in LEVELS]
    return Table(
        f"Calibration of {calibrated.scenario.method}, {calibrated.deals} deals",
        ["central intervals that held the true …", *levels],
        rows,
    )


def _reliability_table(calibrated: Calibration) -> Table:
    """Places of cards, predicted and observed."""
    rows = [
        [
            percent(cell.predicted),
            percent(cell.observed),
            f"± {100 * error:.1f}",
            number(cell.cards),
        ]
        for cell, error in _marked_bins(calibrated)
    ]
    return Table(
        f"Places of {number(calibrated.cards)} cards: calibration error "
        f"{calibrated.card_error:.4f}, by chance alone {calibrated.chance_error:.4f}",
        ["predicted", "observed", "", "places"],
        rows,
    )


def _test_table(calibrated: Calibration) -> Table:
    """A row for each test."""
    rows = [
        [
            test.hypothesis,
            f"{test.statistic:.4g}",
            f"{test.effect:.4f}",
            f"{test.p:.3g}",
            f"{test.p_holm:.3g}",
        ]
        for test in calibrated.tests()
    ]
    return Table(
        "Hypothesis tests", ["hypothesis", "statistic", "effect", "p", "p (Holm)"], rows
    )


def main() -> None:
    """Calibrate one engine."""
    parser = options(__doc__)
    parser.add_argument(
        "--method",
        choices=SCENARIOS,
        default="enumerate",
        help="the engine (default: enumerate)",
    )
    parser.add_argument(
        "--bidder",
        metavar="NAME",
        help="who calls, of 'bayesbridge plugins' (default: as fits)",
    )
    parser.add_argument("--deals", type=int, default=200)
    args = parser.parse_args()
    bidder = load().bidder(args.bidder) if args.bidder else None
    scenario = scenario_for(args.method, bidder)
    calibrated = calibrate(scenario, args.deals, args.seed, setting(args))
    if args.picture:
        plot_ranks(calibrated)[0, 0].figure.savefig(args.picture)
    show(
        args,
        document(calibrated),
        tables(calibrated),
        f"Smallest corrected p: {calibrated.worst_p:.3g}.",
    )


if __name__ == "__main__":
    start(main)
