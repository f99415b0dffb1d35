"""The style of a pair, learned from its tables: a posterior over the 16 numbers that
the learned bidder takes.

The prior is standard normal, the likelihood that of the calls of both partners, whose
hands are on record; their opponents are read as a pair of which nothing is known. With
s the scores of the legal calls of one turn, P(call) = softmax(s), and J their
derivatives by the 16 numbers, one step of Fisher scoring is ::

    (1 + Σ Jᵀ (diag p − p pᵀ) J) · step = Σ Jᵀ (made − p) − z

and the matrix at the mode is the precision of the normal distribution (Laplace's
method).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from bayesbridge.bidders.learned import (
    AVERAGE,
    SIDES,
    STYLE,
    LearnedBidder,
    PairStyle,
    encode,
)
from bayesbridge.bidders.networks import linear, network, read
from bayesbridge.errors import BayesBridgeError, did_you_mean
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, Vulnerability
from bayesbridge.game.cards import Suit
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import (
    Floats,
    Hands,
    Singles,
    high_card_points,
    read_only,
    suit_lengths,
)
from bayesbridge.notation.record import Record
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray

STEPS: Final = 8  # of Fisher scoring, at most
# It ends where a step would raise the log posterior by less: a fifth of a standard
# deviation
NEAR: Final = 0.02
# Step of the derivatives by the numbers of a style, whose unit is the spread between
# pairs
SMALL: Final = 0.02
NEVER: Final = -1e6  # score of an illegal call: exp of it is 0
FEW: Final = 30  # tables by which the mode of more of them is first looked for
HANDS: Final = 4000  # random ones, by which a style is put into words


class Seated(NamedTuple):
    """A table on record, and the pair's place there: 0 for North and South, 1 for East
    and West.
    """

    auction: Auction
    vulnerable: Vulnerability
    deal: Deal
    side: int


def pairs_of(records: Iterable[Record]) -> dict[str, list[Seated]]:
    """The tables of every pair that records name, in their order; those without a deal
    or an auction are left out.

    One that stands twice in the records is one table: nobody bids a deal twice.
    """
    found: dict[str, dict[Seated, None]] = {}
    for record in records:
        deal = record.deal
        if deal is None or record.auction is None or not record.auction.calls:
            continue
        for side in (Seat.N, Seat.E):
            if (pair := record.pair(side)) is not None:
                seated = Seated(
                    record.auction,
                    record.vulnerable or Vulnerability.NONE,
                    deal,
                    int(side),
                )
                found.setdefault(pair, {})[seated] = None
    return {pair: list(tables) for pair, tables in found.items()}


def tables_of(records: Iterable[Record], pair: str) -> list[Seated]:
    every = pairs_of(records)
    name = pair_name(pair)
    if name not in every:
        most = sorted(every, key=lambda one: -len(every[one]))[:3]
        hint = did_you_mean(name, every) or (
            f"most tables have {', '.join(most)}; " if most else "it names nobody; "
        )
        raise BayesBridgeError(
            f"pair {pair!r} is not in the records: {hint}write A+B", pair=pair
        )
    return every[name]


def pair_name(pair: str) -> str:
    return "+".join(sorted(part.strip() for part in pair.split("+")))


class Turns(NamedTuple):
    """The t turns of a pair in which it had a choice, under k styles."""

    scores: Singles  # (k, t, 38) of all calls, NEVER for those that were not legal
    made: NDArray[np.intp]  # (t,) the call that was made

    def log_chances(self) -> Floats:
        found = log_softmax(self.scores, axis=2)[
            :, np.arange(len(self.made)), self.made
        ]
        return np.asarray(found, np.float64)


def turns_of(tables: Sequence[Seated], own: Singles) -> Turns:
    """All turns of a pair, partner's hand shown, under (k, 17) styles as
    :attr:`PairStyle.numbers` gives them.
    """
    net = network("auction.npz", "wide_")
    scores, made = [np.empty((len(own), 0, 38), np.float32)], list[int]()
    with one_thread():
        for table in tables:
            calls, first = table.auction.calls, table.auction.first
            steps = encode(
                [call.index for call in calls],
                first in table.vulnerable,
                first.next() in table.vulnerable,
            )
            mine = (first + np.arange(len(calls))) % 2 == table.side
            style = own[:, None] * mine[:, None].astype(np.float32)
            known = np.concatenate(
                [
                    read(
                        net.parameters,
                        steps.tokens,
                        linear(net.parameters, "style", style),
                    ),
                    style,
                ],
                axis=2,
            )
            for index in np.flatnonzero(mine & (steps.legal.sum(axis=1) > 1)).tolist():
                hand, partner = (
                    np.array([table.deal[first.next(index + i)].mask], np.uint64)
                    for i in (0, 2)
                )
                legal = np.flatnonzero(steps.legal[index])
                contexts = net.contexts(known[:, index], [legal] * len(own))
                every = np.full((len(own), 1, 38), NEVER, np.float32)
                every[:, 0, legal] = np.concatenate(
                    [one.scores(*net.vectors(hand, partner)) for one in contexts]
                )
                scores.append(every)
                made.append(calls[index].index)
    return Turns(np.concatenate(scores, axis=1), np.array(made, np.intp))


def known_numbers(styles: Floats) -> Singles:
    """(k, 17) with a 1 that says that they are known, from (k, 16)."""
    return np.pad(styles, ((0, 0), (0, 1)), constant_values=1.0).astype(np.float32)


class Linear(NamedTuple):
    """The turns of a pair around a style."""

    at: Floats
    scores: Floats  # (t, 38) there
    slopes: Floats  # (t, 38, 16) their derivatives
    made: NDArray[np.intp]  # (t,) the call that was made
    gradient: Floats  # (16,) of the log posterior
    precision: Floats  # (16, 16) the matrix of Fisher scoring

    @classmethod
    def around(cls, tables: Sequence[Seated], at: Floats) -> Linear:
        every, made = turns_of(
            tables,
            known_numbers(np.concatenate([at[None], at + SMALL * np.eye(STYLE)])),
        )
        scores = every[0].astype(np.float64)
        slopes = np.moveaxis((every[1:] - every[0]) / SMALL, 0, -1).astype(np.float64)
        chances = np.exp(log_softmax(scores, axis=1))[..., None]
        mean = (chances * slopes).sum(axis=1)
        centred = slopes - mean[:, None]
        precision = np.eye(STYLE) + (chances * centred).reshape(
            -1, STYLE
        ).T @ centred.reshape(-1, STYLE)
        gradient = (slopes[np.arange(len(made)), made] - mean).sum(axis=0) - at
        return cls(at, scores, slopes, made, gradient, precision)


def _fitted(tables: Sequence[Seated]) -> Linear:
    """Of many tables the first few tell where to begin."""
    at = np.zeros(STYLE)
    for some in (tables[:FEW], tables) if len(tables) > FEW else (tables,):
        for _ in range(STEPS):
            last = Linear.around(some, at)
            step = np.linalg.solve(last.precision, last.gradient)
            if float(last.gradient @ step) / 2 < NEAR:
                break
            at = at + step * min(
                1.0, 2.0 / float(np.linalg.norm(step))
            )  # the scores bend beyond
    return last


def learn_style(
    records: Iterable[Record], pair: str, tables: int | None = None
) -> PairStyle:
    """How a pair bids, learned from its tables on record (the first ``tables`` of them,
    or all).

    A normal distribution over the 16 numbers of a style, by Laplace's method; with no
    table it is the prior.

    >>> import bayesbridge as bb
    >>> style = learn_style(bb.open_records("examples/opponents.pbn").records, "Birch+Oak", tables=3)
    >>> style.tables, bool(style.covariance.trace() < 16)
    (3, True)
    """
    return style_of(pair_name(pair), tables_of(records, pair)[:tables])


def style_of(pair: str, tables: Sequence[Seated]) -> PairStyle:
    if not tables:
        return AVERAGE
    last = _fitted(tables)
    return PairStyle(
        pair, read_only(last.at), read_only(np.linalg.inv(last.precision)), len(tables)
    )


def table_losses(tables: Sequence[Seated], style: PairStyle) -> Floats:
    """(tables, 3) by table: the pair's calls, Σ −log P(call) by the mean of its style,
    and the same without one.
    """
    both = np.stack([style.numbers, AVERAGE.numbers])
    logs = [turns_of([one], both).log_chances() for one in tables]
    return np.array([(log.shape[1], *-log.sum(axis=1)) for log in logs]).reshape(-1, 3)


def judge_style(tables: Sequence[Seated], style: PairStyle) -> Floats:
    """How well a style foretells calls at tables that it was not learned from, as
    :func:`table_losses`.

    ``style`` was learned from the first of the tables, and the others judge it; where
    it was learned from all, it is learned again from either half of the deals and
    judged by the other half.
    """
    if style.tables < len(tables):
        parts = [(tables[: style.tables], tables[style.tables :], style)]
    else:
        half = set(list(dict.fromkeys(one.deal for one in tables))[::2])
        one, other = (
            [t for t in tables if (t.deal in half) is first] for first in (True, False)
        )
        parts = [
            (a, b, style_of("", a)) for a, b in ((one, other), (other, one)) if a and b
        ]
    found = [np.empty((0, 3))]
    for earlier, later, learned in parts:
        met = {one.deal for one in earlier}
        found.append(
            table_losses([one for one in later if one.deal not in met], learned)
        )
    return np.concatenate(found)


class History:
    """What earlier tables say of pairs: a style of each, never learned from the deal
    that is asked about.
    """

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
            self._learned[pair, met] = style_of(
                pair, [one for one in every if one.deal != deal][: self.tables]
            )
        found = self._learned[pair, met]
        return found if found.tables else None

    @classmethod
    def before(
        cls, records: Iterable[Record], record: Record, tables: int | None = None
    ) -> History:
        return cls(
            takewhile(
                lambda one: (one.file, one.line) != (record.file, record.line), records
            ),
            tables,
        )

    def styles(self, record: Record) -> dict[str, PairStyle]:
        """The styles of the pairs at a table, by side; those of pairs without an
        earlier table are left out.
        """
        if record.deal is None:
            return {}
        named = ((side, record.pair(Seat[side[0]])) for side in SIDES)
        found = {
            side: self.style(pair, record.deal)
            for side, pair in named
            if pair is not None
        }
        return {side: style for side, style in found.items() if style is not None}


def sample_style(
    records: Iterable[Record],
    pair: str,
    tables: int | None = None,
    draws: int = 500,
    rng: Seed = None,
) -> xarray.DataTree:
    """The posterior of a pair's style sampled by PyMC, as an ArviZ DataTree with the
    variable ``style``.

    NUTS samples a model whose scores are linear around the mode, with the exact
    softmax. The group ``log_likelihood`` has log P(call) by the network itself, and
    ``log_weight`` of ``sample_stats`` corrects each draw for the difference.
    """
    import pymc
    import pytensor.tensor as pt
    import xarray

    from bayesbridge.bidders.fit import sample_quietly

    seated = tables_of(records, pair)[:tables]
    line = _fitted(seated)
    turn = np.arange(len(line.made))
    # By how much each call is ahead of the one made, with its slopes: P(call made) is one over the sum of their exp.
    slopes = line.slopes - line.slopes[turn, line.made][:, None]
    ahead = line.scores - line.scores[turn, line.made][:, None] - slopes @ line.at
    with pymc.Model(coords={"number": np.arange(STYLE)}):
        style = pymc.Normal("style", 0.0, 1.0, dims="number")
        # Data and no constants, and products for sums: PyTensor compiles a third as long, and once for all records.
        there, slope = (
            pymc.Data("ahead", ahead.ravel()),
            pymc.Data("slopes", slopes.reshape(-1, STYLE)),
        )
        calls, turns = (
            pymc.Data("calls", np.ones(ahead.shape[1])),
            pymc.Data("turns", np.ones(len(turn))),
        )
        odds = pt.exp(there + pt.dot(slope, style)).reshape((-1, ahead.shape[1]))
        pymc.Potential("call", -pt.dot(turns, pt.log(pt.dot(odds, calls))))
        tree = sample_quietly(
            draws, draws, 2, generator(rng), initvals={"style": line.at}
        )
    drawn = tree["posterior"].to_dataset()["style"]
    flat = np.asarray(drawn).reshape(-1, STYLE)
    by_network = turns_of(seated, known_numbers(flat)).log_chances()
    turns = zip(line.scores, line.slopes, line.made, strict=True)
    by_line = [
        log_softmax(here + (flat - line.at) @ slope.T, axis=1)[:, made]
        for here, slope, made in turns
    ]
    shape = drawn.shape[:2]
    coords = {"chain": drawn["chain"], "draw": drawn["draw"], "turn": turn}
    calls = xarray.Dataset(
        {"call": (("chain", "draw", "turn"), by_network.reshape(*shape, -1))}, coords
    )
    stats = tree["sample_stats"]
    weights = (by_network.sum(axis=1) - np.sum(by_line, axis=0)).reshape(shape)
    stats.dataset = stats.to_dataset().assign(log_weight=(("chain", "draw"), weights))
    tree["log_likelihood"] = xarray.DataTree(calls)
    tree["observed_data"] = xarray.DataTree(
        xarray.Dataset({"call": ("turn", line.made)}, {"turn": turn})
    )
    return tree


class Habit(NamedTuple):
    """One thing that people say of a pair's bidding: of this pair, with one standard
    error, and of the average one.
    """

    what: str
    value: float
    error: float
    average: float
    unit: str


def _habits(
    style: PairStyle, masks: Hands, smooth: Floats
) -> dict[tuple[str, str], Any]:
    """What they do, with its unit, by random hands and points, ``smooth``: spread over
    half a point either way.
    """
    points = np.rint(smooth)
    lengths = suit_lengths(masks)
    bidder = LearnedBidder(style={"NS": style})
    first = _chances_by_call(bidder, masks, "N:")
    third = _chances_by_call(bidder, masks, "S:Pass Pass")
    raised = _chances_by_call(bidder, masks, "S:1S Pass")
    low, high = _middle_80_percent(smooth, first["1NT"])
    five_hearts = first["1H"] @ (lengths[:, Suit.H] >= 5)
    five_spades = first["1S"] @ (lengths[:, Suit.S] >= 5)
    majors = (first["1H"] + first["1S"]).sum()
    weak_twos = first["2H"] + first["2S"]
    in_third_seat = sum(third[call] for call in ("1C", "1D", "1H", "1S"))
    return {
        ("1NT opening, low end", "points"): low,
        ("1NT opening, high end", "points"): high,
        ("1H or 1S opened on five cards or more", "share"): (five_hearts + five_spades)
        / majors,
        ("1C opened on 16 points or more", "share"): np.average(
            points >= 16, weights=first["1C"]
        ),
        ("2H or 2S opened, mean", "points"): np.average(points, weights=weak_twos),
        ("2H or 2S opened, how often", "share"): weak_twos.mean(),
        ("one of a suit opened in third seat, mean", "points"): np.average(
            points, weights=in_third_seat
        ),
        ("1S raised to 2S, mean", "points"): np.average(points, weights=raised["2S"]),
        ("1S raised to 3S, mean", "points"): np.average(points, weights=raised["3S"]),
    }


def _chances_by_call(
    bidder: LearnedBidder, masks: Hands, auction: str
) -> dict[str, Floats]:
    """(n,) chances of each call, by its name."""
    chances = bidder.probabilities(masks, Auction.of(auction))
    return dict(zip(map(str, CALLS), chances.T, strict=True))


def _middle_80_percent(values: Floats, weights: Floats) -> tuple[float, float]:
    """The values below and above which a tenth of the weight lies each."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    ends = np.array([0.1, 0.9]) * total[-1]
    low, high = np.interp(ends, total, values[order])
    return low, high


def habits(style: PairStyle) -> tuple[Habit, ...]:
    """A style in words people know, each beside the average expert; errors from what is
    not known of the style.
    """
    rng = np.random.default_rng(1)
    cards = rng.random((HANDS, 52)).argpartition(13, axis=1)[:, :13].astype(np.uint64)
    masks = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)
    smooth = high_card_points(masks) + rng.uniform(-0.5, 0.5, HANDS)
    own = _habits(style, masks, smooth)
    average = _habits(AVERAGE, masks, smooth)
    errors = _habit_errors(style, own, masks, smooth)
    return tuple(
        Habit(what, float(value), errors[what, unit], float(average[what, unit]), unit)
        for (what, unit), value in own.items()
    )


def _habit_errors(
    style: PairStyle, own: dict[tuple[str, str], Any], masks: Hands, smooth: Floats
) -> dict[tuple[str, str], float]:
    """Standard errors of habits: how they change one deviation of the style away."""
    values, vectors = np.linalg.eigh(style.covariance)
    variance = np.zeros(len(own))
    for step in (np.sqrt(values) * vectors).T:
        # Habits bend, and the sign of a direction means nothing: both sides count.
        for mean in (style.mean + step, style.mean - step):
            there = _habits(replace(style, mean=mean), masks, smooth)
            variance += [(there[key] - value) ** 2 / 2 for key, value in own.items()]
    return dict(zip(own, np.sqrt(variance).tolist(), strict=True))
