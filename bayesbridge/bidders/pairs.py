"""The style of a pair, learned from its tables: a posterior over the 16 numbers that the learned bidder takes.

The prior is standard normal, since the numbers are scaled so (``scripts/fit_auction_model.py``). The likelihood is that
of the calls of both partners, whose hands are on record; their opponents are read as a pair of which nothing is known.
With s the scores of the legal calls of one turn, P(call) = softmax(s), and J their derivatives by the 16 numbers, one
step of Fisher scoring is ::

    (1 + Σ Jᵀ (diag p − p pᵀ) J) · step = Σ Jᵀ (made − p) − z

and a few of them reach the mode. The matrix there is the precision of the normal distribution that
:func:`learn_style` gives (Laplace's method). :func:`sample_style` lets PyMC sample the same posterior with the scores
taken as linear around the mode, and then weighs the draws by the network itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.learned import AVERAGE, SIDES, STYLE, TYPICAL, LearnedBidder, PairStyle, encode
from bayesbridge.bidders.networks import linear, network
from bayesbridge.calls import Call, Vulnerability
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError, did_you_mean
from bayesbridge.jit import one_thread
from bayesbridge.layouts import high_card_points, read_only, suit_lengths
from bayesbridge.notation.record import Record
from bayesbridge.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[Any]

STEPS: Final = 8
"""Most steps of Fisher scoring."""

NEAR: Final = 0.02
"""It ends where a step would raise the log posterior by less: a fifth of a standard deviation."""

SMALL: Final = 0.02
"""Step of the derivatives by the numbers of a style, whose unit is the spread between pairs."""

FEW: Final = 30
"""Tables by which the mode of more of them is first looked for."""


class Seated(NamedTuple):
    """A table on record, and the pair's place there."""

    auction: Auction
    vulnerable: Vulnerability
    hands: tuple[int, int]
    """Masks of the pair's hands: of North and South, or of East and West."""
    side: int
    """0: North and South, 1: East and West."""
    deal: Deal


def pairs_of(records: Iterable[Record]) -> dict[str, list[Seated]]:
    """The tables of every pair that records name, in their order; those without a deal or an auction are left out.

    One that stands twice in the records is one table: nobody bids a deal twice.
    """
    found: dict[str, dict[Seated, None]] = {}
    for record in records:
        deal = record.deal
        if deal is None or record.auction is None or not record.auction.calls:
            continue
        for side in (Seat.N, Seat.E):
            if (pair := record.pair(side)) is not None:
                hands = deal.hands[side].mask, deal.hands[side.partner].mask
                vulnerable = record.vulnerable or Vulnerability.NONE
                found.setdefault(pair, {})[Seated(record.auction, vulnerable, hands, int(side), deal)] = None
    return {pair: list(tables) for pair, tables in found.items()}


def tables_of(records: Iterable[Record], pair: str) -> list[Seated]:
    """The tables of one pair, the two names in any order."""
    every = pairs_of(records)
    name = pair_name(pair)
    if name not in every:
        most = sorted(every, key=lambda one: -len(every[one]))[:3]
        hint = did_you_mean(name, every) or (f"most tables have {', '.join(most)}; " if most else "it names nobody; ")
        raise BayesBridgeError(f"pair {pair!r} is not in the records: {hint}write A+B", pair=pair)
    return every[name]


def pair_name(pair: str) -> str:
    """The two names in alphabetical order, as :meth:`~bayesbridge.notation.record.Record.pair` writes them.

    >>> pair_name("Elm + Ash")
    'Ash+Elm'
    """
    return "+".join(sorted(part.strip() for part in pair.split("+")))


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of a pair under some styles.

    scores: for each turn (k, legal calls) its scores under each of k styles
    made:   for each turn which of these calls it was
    """

    scores: list[Floats]
    made: list[int]

    @property
    def by_turn(self) -> Floats:
        """(turns, k) log P(call) by style."""
        return np.array([log_softmax(one)[:, made] for one, made in zip(self.scores, self.made, strict=True)])


def log_softmax(values: Floats) -> Floats:
    """By row."""
    shifted = values - values.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def turns_of(tables: Sequence[Seated], styles: Floats | None) -> Turns:
    """All turns of a pair under (k, 16) styles; ``None``: as those of a pair of which nothing is known."""
    own = np.zeros((1, STYLE + 1), np.float32)
    if styles is not None:
        own = np.concatenate([styles, np.ones((len(styles), 1))], axis=1).astype(np.float32)
    found = Turns([], [])
    with one_thread():
        for table in tables:
            _add_turns(found, table, own)
    return found


def _add_turns(found: Turns, table: Seated, own: Floats) -> None:
    """The turns of one table, partner's hand shown; the reader takes all styles at once."""
    net = network("auction.npz", "wide_")
    calls, first = table.auction.calls, table.auction.first
    steps = encode([call.index for call in calls], first in table.vulnerable, first.next() in table.vulnerable)
    mine = (first + np.arange(len(calls))) % 2 == table.side
    style = own[:, None] * mine[:, None].astype(np.float32)
    known = np.concatenate([net.reader.read(steps.tokens, linear(net.parameters, "style", style)), style], axis=2)
    hands = np.array(table.hands, np.uint64)
    for index in np.flatnonzero(mine):
        legal = np.flatnonzero(steps.legal[index])
        if len(legal) == 1:
            continue
        caller = (int(first) + int(index) - table.side) % 4 // 2
        vectors = net.vectors(hands[caller : caller + 1], hands[1 - caller : 2 - caller])
        contexts = net.contexts(known[:, index], [legal] * len(own))
        found.scores.append(np.concatenate([one.scores(*vectors) for one in contexts]))
        found.made.append(int(np.searchsorted(legal, calls[index].index)))


class Linear(NamedTuple):
    """The turns of a pair around a style: the scores there, their derivatives, and which call was made."""

    at: Floats
    scores: list[Floats]
    slopes: list[Floats]
    made: list[int]

    @classmethod
    def around(cls, tables: Sequence[Seated], at: Floats) -> Linear:
        """By differences in each of the 16 numbers."""
        turns = turns_of(tables, np.concatenate([at[None], at + SMALL * np.eye(STYLE)]))
        scores = [one[0].astype(np.float64) for one in turns.scores]
        slopes = [((one[1:] - one[0]) / SMALL).T.astype(np.float64) for one in turns.scores]
        return cls(at, scores, slopes, turns.made)

    @property
    def chances(self) -> list[Floats]:
        """P(call) at each turn."""
        return [np.exp(log_softmax(scores[None])[0]) for scores in self.scores]

    @property
    def gradient(self) -> Floats:
        """Of the log posterior."""
        turns = zip(self.chances, self.slopes, self.made, strict=True)
        return sum((slopes[made] - chance @ slopes for chance, slopes, made in turns), -self.at)

    @property
    def precision(self) -> Floats:
        """The matrix of Fisher scoring."""
        turns = zip(self.chances, self.slopes, strict=True)
        centred = ((slopes - chance @ slopes, chance) for chance, slopes in turns)
        return sum(((moved * chance[:, None]).T @ moved for moved, chance in centred), np.eye(STYLE))


def _fitted(tables: Sequence[Seated]) -> Linear:
    """The turns around the mode; of many tables the first few tell where to begin."""
    at = np.zeros(STYLE)
    for some in (tables[:FEW], tables) if len(tables) > FEW else (tables,):
        for _ in range(STEPS):
            last = Linear.around(some, at)
            gradient = last.gradient
            step = np.linalg.solve(last.precision, gradient)
            if float(gradient @ step) / 2 < NEAR:
                break
            at = at + step * min(1.0, 2.0 / float(np.linalg.norm(step)))  # the scores bend beyond
    return last


def learn_style(records: Iterable[Record], pair: str, tables: int | None = None) -> PairStyle:
    """How a pair bids, learned from its tables on record (the first ``tables`` of them, or all).

    A normal distribution over the 16 numbers of a style, by Laplace's method; with no table it is the prior.

    >>> import bayesbridge as bb
    >>> style = learn_style(bb.open_records("examples/opponents.pbn").records, "Birch+Oak", tables=3)
    >>> style.tables, bool(style.covariance.trace() < 16)
    (3, True)
    """
    return style_of(pair_name(pair), tables_of(records, pair)[:tables])


def style_of(pair: str, tables: Sequence[Seated]) -> PairStyle:
    """The same, given the pair's tables."""
    if not tables:
        return AVERAGE
    last = _fitted(tables)
    return PairStyle(pair, read_only(last.at), read_only(np.linalg.inv(last.precision)), len(tables))


def call_losses(tables: Sequence[Seated], style: PairStyle | None) -> Floats:
    """−log P(call) of each turn of a pair, by the mean of a style; ``None``: as a pair of which nothing is known."""
    turns = turns_of(tables, None if style is None or style == AVERAGE else style.mean[None].astype(np.float32))
    return -np.array([by_style[0] for by_style in turns.by_turn], np.float64)


def table_losses(tables: Sequence[Seated], style: PairStyle) -> Floats:
    """(tables, 3) by table: the pair's calls, Σ −log P(call) by its style, and the same without one."""
    both = [(call_losses([one], style), call_losses([one], None)) for one in tables]
    return np.array([(len(known), known.sum(), average.sum()) for known, average in both]).reshape(-1, 3)


def judge_style(tables: Sequence[Seated], style: PairStyle) -> Floats:
    """How well a style foretells calls at tables that it was not learned from, as :func:`table_losses`.

    ``style`` was learned from the first of the tables, and the others judge it; where it was learned from all, it is
    learned again from either half of the deals and judged by the other half.
    """
    if style.tables < len(tables):
        parts = [(tables[: style.tables], tables[style.tables :], style)]
    else:
        half = set(list(dict.fromkeys(one.deal for one in tables))[::2])
        one, other = ([t for t in tables if (t.deal in half) is first] for first in (True, False))
        parts = [(a, b, style_of("", a)) for a, b in ((one, other), (other, one)) if a and b]
    found = [np.empty((0, 3))]
    for earlier, later, learned in parts:
        met = {one.deal for one in earlier}
        found.append(table_losses([one for one in later if one.deal not in met], learned))
    return np.concatenate(found)


class History:
    """What earlier tables say of pairs: a style of each, never learned from the deal that is asked about."""

    def __init__(self, records: Iterable[Record], tables: int | None = None) -> None:
        """``tables``: learn from the first so many of a pair (default: all)."""
        self.pairs = pairs_of(records)
        self.tables = tables
        self._learned: dict[tuple[str, Deal | None], PairStyle] = {}

    def style(self, pair: str, deal: Deal) -> PairStyle | None:
        """The style of a pair from its tables of other deals; ``None`` without any."""
        every = self.pairs.get(pair, [])
        met = deal if any(one.deal == deal for one in every[: self.tables]) else None
        if (pair, met) not in self._learned:
            self._learned[pair, met] = style_of(pair, [one for one in every if one.deal != deal][: self.tables])
        found = self._learned[pair, met]
        return found if found.tables else None

    @classmethod
    def before(cls, records: Iterable[Record], record: Record, tables: int | None = None) -> History:
        """What the records before one of them say."""
        return cls(takewhile(lambda one: (one.file, one.line) != (record.file, record.line), records), tables)

    def styles(self, record: Record) -> dict[str, PairStyle]:
        """The styles of the pairs at a table, by side; those of pairs without an earlier table are left out."""
        if record.deal is None:
            return {}
        named = ((side, record.pair(Seat[side[0]])) for side in SIDES)
        found = {side: self.style(pair, record.deal) for side, pair in named if pair is not None}
        return {side: style for side, style in found.items() if style is not None}


def sample_style(
    records: Iterable[Record], pair: str, tables: int | None = None, draws: int = 500, rng: Seed = None
) -> xarray.DataTree:
    """The posterior of a pair's style sampled by PyMC, as an ArviZ DataTree with the variable ``style``.

    NUTS samples a model whose scores are linear around the mode, with the exact softmax. The group ``log_likelihood``
    has log P(call) by the network itself, and ``log_weight`` of ``sample_stats`` corrects each draw for the difference.
    """
    import pymc
    import pytensor.tensor as pt
    import xarray

    from bayesbridge.bidders.fit import sample_quietly

    seated = tables_of(records, pair)[:tables]
    last = _fitted(seated)
    widest = max(len(one) for one in last.scores)
    fill = [(0, widest - len(one)) for one in last.scores]
    base = np.stack([np.pad(one, by, constant_values=-1e6) for one, by in zip(last.scores, fill, strict=True)])
    slope = np.stack([np.pad(one, (by, (0, 0))) for one, by in zip(last.slopes, fill, strict=True)])
    with pymc.Model(coords={"number": np.arange(STYLE), "turn": np.arange(len(base))}):
        style = pymc.Normal("style", 0.0, 1.0, dims="number")
        logits = base + pt.dot(slope, style - last.at)
        pymc.Categorical("call", logit_p=logits, observed=np.array(last.made), dims="turn")
        tree = sample_quietly(draws, draws, 2, generator(rng), initvals={"style": last.at})
    drawn = tree["posterior"].to_dataset()["style"]
    flat = np.asarray(drawn).reshape(-1, STYLE)
    moves = (flat - last.at).T
    by_line = [log_softmax((base[i, :, None] + slope[i] @ moves).T)[:, made] for i, made in enumerate(last.made)]
    by_network = turns_of(seated, flat.astype(np.float32)).by_turn
    shape = drawn.shape[:2]
    calls = xarray.Dataset({"call": (("chain", "draw", "turn"), by_network.T.reshape(*shape, -1))})
    calls = calls.assign_coords(chain=drawn["chain"], draw=drawn["draw"], turn=np.arange(len(base)))
    stats = tree["sample_stats"]
    weights = (by_network.sum(axis=0) - np.sum(by_line, axis=0)).reshape(shape)
    stats.dataset = stats.to_dataset().assign(log_weight=(("chain", "draw"), weights))
    tree["log_likelihood"] = xarray.DataTree(calls)
    return tree


HANDS: Final = 4000
"""Random hands by which a style is put into words."""


class Habit(NamedTuple):
    """One thing that people say of a pair's bidding: of this pair, with one standard error, and of the average one."""

    what: str
    value: float
    error: float
    average: float
    unit: str


class _Hands(NamedTuple):
    """Random hands, with what is said of them."""

    masks: NDArray[np.uint64]
    points: Floats
    smooth: Floats
    """Points, spread evenly over half a point either way, for shares of them."""
    lengths: Floats

    @classmethod
    def drawn(cls) -> _Hands:
        rng = np.random.default_rng(1)
        cards = rng.random((HANDS, 52)).argpartition(13, axis=1)[:, :13].astype(np.uint64)
        masks = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)
        points = high_card_points(masks).astype(np.float64)
        return cls(masks, points, points + rng.uniform(-0.5, 0.5, HANDS), suit_lengths(masks).astype(np.float64))


def _spread(weights: Floats, values: Floats, share: float) -> float:
    """A quantile of values with weights."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(np.interp(share * total[-1], total, values[order]))


def _chances(style: PairStyle, hands: _Hands, auction: str) -> dict[str, Floats]:
    """P(call) of each hand, by call."""
    found = LearnedBidder(style={"NS": style, "EW": AVERAGE}).probabilities(hands.masks, Auction.of(auction))
    return {str(Call(index)): found[:, index] for index in range(38)}


def _opening(style: PairStyle, hands: _Hands) -> dict[str, tuple[float, str]]:
    """What people say of the openings of a style."""
    first = _chances(style, hands, "N:")
    five = first["1H"] @ (hands.lengths[:, 2] >= 5) + first["1S"] @ (hands.lengths[:, 3] >= 5)
    weak = first["2H"] + first["2S"]
    return {
        "1NT opening, low end": (_spread(first["1NT"], hands.smooth, 0.1), "points"),
        "1NT opening, high end": (_spread(first["1NT"], hands.smooth, 0.9), "points"),
        "1H or 1S opened on five cards or more": (float(five / (first["1H"] + first["1S"]).sum()), "share"),
        "1C opened on 16 points or more": (_mean(first["1C"], hands.points >= 16), "share"),
        "2H or 2S opened, mean": (_mean(weak, hands.points), "points"),
        "2H or 2S opened, how often": (float(weak.mean()), "share"),
    }


def _habits(style: PairStyle, hands: _Hands) -> dict[str, tuple[float, str]]:
    """What people say of a style."""
    third, raised = _chances(style, hands, "S:Pass Pass"), _chances(style, hands, "S:1S Pass")
    suits = np.sum([third[call] for call in ("1C", "1D", "1H", "1S")], axis=0)
    return {
        **_opening(style, hands),
        "one of a suit opened in third seat, mean": (_mean(suits, hands.points), "points"),
        "1S raised to 2S, mean": (_mean(raised["2S"], hands.points), "points"),
        "1S raised to 3S, mean": (_mean(raised["3S"], hands.points), "points"),
    }


def _mean(weights: Floats, values: Floats) -> float:
    """Of values with weights."""
    return float(weights @ values / weights.sum())


@cache
def typical_styles() -> tuple[str, ...]:
    """The typical styles of pairs of which nothing is known, in words, by their openings."""
    hands, words = _Hands.drawn(), []
    for style in filter(None, map(PairStyle.of_text, TYPICAL)):
        low, high, five, club, *_ = (value for value, _ in _opening(style, hands).values())
        majors = "five-card majors" if five > 0.8 else f"{100 * (1 - five):.0f} % of majors opened on fewer than five"
        words.append(f"{'strong club, ' if club > 0.5 else ''}1NT {low:.0f} to {high:.0f} points, {majors}")
    return tuple(words)


def habits(style: PairStyle) -> tuple[Habit, ...]:
    """A style in words people know, each beside the average expert; errors from what is not known of the style."""
    hands = _Hands.drawn()
    own, average = _habits(style, hands), _habits(AVERAGE, hands)
    values, vectors = np.linalg.eigh(style.covariance)
    variance = dict.fromkeys(own, 0.0)
    for step in (np.sqrt(values) * vectors).T:
        for sign in (1, -1):  # either way, since habits bend and the sign of a direction means nothing
            moved = PairStyle(style.pair, style.mean + sign * step, style.covariance)
            for what, (there, _) in _habits(moved, hands).items():
                variance[what] += (there - own[what][0]) ** 2 / 2
    return tuple(
        Habit(what, value, float(np.sqrt(variance[what])), average[what][0], unit)
        for what, (value, unit) in own.items()
    )
