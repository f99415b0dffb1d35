"""The style of a pair, learned from its tables.

A posterior over the 16 numbers that the learned bidder takes.

The prior is standard normal, the likelihood that of the calls of both partners, whose
hands are on record; their opponents are read as a pair of which nothing is known. With
s the scores of the legal calls of one turn, P(call) = softmax(s), and J their
derivatives by the 16 numbers, one step of Fisher scoring is ::

    (1 + Σ Jᵀ (diag p − p pᵀ) J) · step = Σ Jᵀ (made − p) − z

and the matrix at the mode is the precision of the normal distribution (Laplace's
method).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from bayesbridge.bidders.learned import (
    AVERAGE,
    NETWORK_FILE,
    SIDES,
    STYLE_SIZE,
    LearnedBidder,
    PairStyle,
    encode,
    known_before_calls,
)
from bayesbridge.bidders.networks import Network, network
from bayesbridge.errors import BayesBridgeError, did_you_mean
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, Vulnerability
from bayesbridge.game.cards import DECK_CARDS, HAND_CARDS, Suit
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
    import pymc
    import xarray

MOST_STEPS: Final = 8
"""Of Fisher scoring."""

LEAST_GAIN: Final = 0.02
"""It ends where a step would raise the log posterior by less: a fifth of a standard
deviation.
"""

LONGEST_STEP: Final = 2.0
"""Euclidean; the scores of calls bend too much beyond."""

DIFFERENCE: Final = 0.02
"""Step of the derivatives by the numbers of a style, whose unit is the spread between
pairs.
"""

NEVER: Final = -1e6
"""Score of an illegal call: exp of it is 0."""

FIRST_TABLES: Final = 30
"""Of more tables than these, these alone say where the search for the mode begins."""

RANDOM_HANDS: Final = 4000
"""By which a style is put into words."""

CHAINS: Final = 2
"""Of NUTS."""


class Seated(NamedTuple):
    """A table on record, and where the pair sat."""

    auction: Auction
    vulnerable: Vulnerability
    deal: Deal
    side: int
    """0 for North and South, 1 for East and West."""


def pairs_of(records: Iterable[Record]) -> dict[str, list[Seated]]:
    """The tables of every pair that records name, in their order.

    Records without a deal or an auction are left out. A table that stands twice in the
    records is one table: nobody bids a deal twice.
    """
    tables_by_pair: dict[str, dict[Seated, None]] = {}
    for record in records:
        deal = record.deal
        if deal is None or record.auction is None or not record.auction.calls:
            continue
        vulnerable = record.vulnerable or Vulnerability.NONE
        for seat in (Seat.N, Seat.E):
            pair = record.pair(seat)
            if pair is None:
                continue
            table = Seated(record.auction, vulnerable, deal, int(seat))
            tables_by_pair.setdefault(pair, {})[table] = None
    return {pair: list(tables) for pair, tables in tables_by_pair.items()}


def tables_of(records: Iterable[Record], pair: str) -> list[Seated]:
    """The tables of one pair, ``A+B``; an error if the records do not name it."""
    tables_by_pair = pairs_of(records)
    name = pair_name(pair)
    if name not in tables_by_pair:
        hint = did_you_mean(name, tables_by_pair) or _busiest_pairs(tables_by_pair)
        raise BayesBridgeError(
            f"pair {pair!r} is not in the records: {hint}write A+B", pair=pair
        )
    return tables_by_pair[name]


def _busiest_pairs(tables_by_pair: Mapping[str, list[Seated]]) -> str:
    """Whom the records name most often, as the beginning of an advice."""
    if not tables_by_pair:
        return "it names nobody; "
    busiest = sorted(tables_by_pair, key=lambda pair: -len(tables_by_pair[pair]))
    return f"most tables have {', '.join(busiest[:3])}; "


def pair_name(pair: str) -> str:
    """The name under which records list a pair: ``Oak + Birch`` becomes ``Birch+Oak``."""
    return "+".join(sorted(player.strip() for player in pair.split("+")))


class Turns(NamedTuple):
    """The t turns of a pair in which it had a choice, under k styles."""

    scores: Singles
    """(k, t, 38) of all calls, ``NEVER`` for those that were not legal"""
    made: NDArray[np.intp]
    """(t,) the call that was made"""

    def log_chances(self) -> Floats:
        """(k, t) log P(call made)."""
        log_chances = log_softmax(self.scores, axis=2)
        turns = np.arange(len(self.made))
        return np.asarray(log_chances[:, turns, self.made], np.float64)


def turns_of(tables: Sequence[Seated], styles: Singles) -> Turns:
    """All turns of a pair in which it had a choice, partner's hand shown.

    ``styles`` are (k, 17): the 16 numbers of each, and a 1 that says that they are
    known, as :attr:`PairStyle.numbers` gives them.
    """
    wide_network = network(NETWORK_FILE, "wide_")
    scores = [np.empty((len(styles), 0, len(CALLS)), np.float32)]
    made: list[int] = []
    with one_thread():
        for table in tables:
            reading = _TableReading.of(table, wide_network, styles)
            for index in reading.choices():
                scores.append(reading.scores(index))
                made.append(table.auction.calls[index].index)
    return Turns(np.concatenate(scores, axis=1), np.array(made, np.intp))


class _TableReading(NamedTuple):
    """The auction of a table of n calls, as the network reads it under k styles."""

    table: Seated
    net: Network
    legal: NDArray[np.bool_]
    """(n, 38) which calls were legal"""
    is_own: NDArray[np.bool_]
    """(n,) which calls the pair made"""
    features: Singles
    """(k, n, width) what the network knows before each call, but for hands"""

    @classmethod
    def of(cls, table: Seated, net: Network, styles: Singles) -> Self:
        """Read the auction of a table once for each of k styles of its pair.

        ``styles`` are (k, 17) numbers. Of the opponents nothing is known, which is a
        style of zeros.
        """
        dealer = table.auction.first
        calls = [call.index for call in table.auction.calls]
        steps = encode(
            calls,
            dealer_vulnerable=dealer in table.vulnerable,
            others_vulnerable=dealer.next() in table.vulnerable,
        )
        seats = dealer + np.arange(len(calls))
        sides = seats % 2  # 0 for North and South, 1 for East and West
        is_own = sides == table.side
        # (k, n, 17) the style of each caller
        styles_of_callers = styles[:, None] * is_own[:, None].astype(np.float32)
        features = known_before_calls(net, steps.tokens, styles_of_callers)
        return cls(table, net, steps.legal, is_own, features)

    def choices(self) -> list[int]:
        """The numbers of the pair's calls that were not the only legal one."""
        has_choice = self.legal.sum(axis=1) > 1
        return np.flatnonzero(self.is_own & has_choice).tolist()

    def scores(self, index: int) -> Singles:
        """(k, 1, 38) the scores of all calls in a turn of the pair, under k styles.

        The turn is that of call number ``index``, both partners' hands shown; a call
        that is not legal scores ``NEVER``.
        """
        caller = self.table.auction.first.next(index)
        deal = self.table.deal
        hand = np.array([deal[caller].mask], np.uint64)
        partners_hand = np.array([deal[caller.partner].mask], np.uint64)
        vectors = self.net.vectors(hand, partners_hand)
        legal = np.flatnonzero(self.legal[index])
        styles = len(self.features)
        contexts = self.net.contexts(self.features[:, index], [legal] * styles)
        scores = np.full((styles, 1, len(CALLS)), NEVER, np.float32)
        scores[:, 0, legal] = np.concatenate(
            [context.scores(*vectors) for context in contexts]
        )
        return scores


def known_numbers(styles: Floats) -> Singles:
    """(k, 17) numbers of styles with a 1 that says that they are known, from (k, 16)."""
    return np.pad(styles, ((0, 0), (0, 1)), constant_values=1.0).astype(np.float32)


class LinearTurns(NamedTuple):
    """The t turns of a pair, their scores taken to be linear around a style."""

    style: Floats
    """(16,) the numbers of the style"""
    scores: Floats
    """(t, 38) of all calls under it"""
    slopes: Floats
    """(t, 38, 16) derivatives of the scores by the numbers"""
    made: NDArray[np.intp]
    """(t,) the call that was made"""
    gradient: Floats
    """(16,) of the log posterior of the style"""
    precision: Floats
    """(16, 16) the matrix of Fisher scoring"""

    @classmethod
    def around(cls, tables: Sequence[Seated], style: Floats) -> Self:
        """The turns at tables, around (16,) numbers of a style.

        The log posterior is that of a standard normal prior and of the calls made,
        whose probabilities are a softmax of their scores.
        """
        scores, slopes, made = _scores_and_slopes(tables, style)
        # (t, 38, 1) P(call), and (t, 16) the slopes of a call drawn with it
        chances = np.exp(log_softmax(scores, axis=1))[..., None]
        mean_slopes = (chances * slopes).sum(axis=1)
        # Fisher's information of a softmax is the covariance of the slopes of such a
        # call; the prior adds 1 to the precision of each number.
        centred = slopes - mean_slopes[:, None]
        weighted_rows = (chances * centred).reshape(-1, STYLE_SIZE)
        information = weighted_rows.T @ centred.reshape(-1, STYLE_SIZE)
        # The gradient of log P(call made); that of the prior is minus the style.
        slopes_of_made = slopes[np.arange(len(made)), made]
        log_likelihood_gradient = (slopes_of_made - mean_slopes).sum(axis=0)
        return cls(
            style,
            scores,
            slopes,
            made,
            gradient=log_likelihood_gradient - style,
            precision=np.eye(STYLE_SIZE) + information,
        )

    def log_chances(self, styles: Floats) -> Floats:
        """(t, d) log P(call made) under (d, 16) styles, the scores linear in them."""
        changes = styles - self.style
        return np.array(
            [
                log_softmax(scores + changes @ slopes.T, axis=1)[:, made]
                for scores, slopes, made in zip(
                    self.scores, self.slopes, self.made, strict=True
                )
            ]
        )


class _ScoresAndSlopes(NamedTuple):
    """The scores of all calls in t turns, and how they change with a style."""

    scores: Floats
    """(t, 38)"""
    slopes: Floats
    """(t, 38, 16) derivatives of the scores by the numbers of the style"""
    made: NDArray[np.intp]
    """(t,) the call that was made"""


def _scores_and_slopes(tables: Sequence[Seated], style: Floats) -> _ScoresAndSlopes:
    """Scores under (16,) numbers of a style, and their slopes by finite differences."""
    moved_styles = style + DIFFERENCE * np.eye(STYLE_SIZE)  # one number each
    styles = np.concatenate([style[None], moved_styles])
    scores_by_style, made = turns_of(tables, known_numbers(styles))
    at_style = scores_by_style[0]
    moved = scores_by_style[1:]
    differences = (moved - at_style) / DIFFERENCE  # (16, t, 38)
    slopes = np.moveaxis(differences, 0, -1)
    return _ScoresAndSlopes(
        at_style.astype(np.float64), slopes.astype(np.float64), made
    )


def _turns_around_mode(tables: Sequence[Seated]) -> LinearTurns:
    """The turns of a pair, their scores linear around the mode of its style's posterior.

    Fisher scoring (Newton's method with the expected second derivatives) walks to the
    mode. With many tables it starts where the first few have their mode.
    """
    stages = [tables]
    if len(tables) > FIRST_TABLES:
        stages = [tables[:FIRST_TABLES], tables]
    style = np.zeros(STYLE_SIZE)
    for stage in stages:
        for _ in range(MOST_STEPS):
            turns = LinearTurns.around(stage, style)
            step = np.linalg.solve(turns.precision, turns.gradient)
            # What the step would add to a quadratic log posterior.
            gain = float(turns.gradient @ step) / 2
            if gain < LEAST_GAIN:
                break
            length = float(np.linalg.norm(step))
            style = style + step * min(1.0, LONGEST_STEP / length)
    return turns


def learn_style(
    records: Iterable[Record], pair: str, tables: int | None = None
) -> PairStyle:
    """How a pair bids, learned from its tables on record.

    The result is a normal distribution over the 16 numbers of a style, by Laplace's
    method; with no table it is the prior.

    Parameters
    ----------
    records : iterable of Record
        Tables with all four hands, an auction and the names of the players, such as
        ``bb.open_records(path).records``.
    pair : str
        The two names, ``"Birch+Oak"``, in either order.
    tables : int, optional
        Learn from the first so many tables of the pair; from all if not given.

    Returns
    -------
    PairStyle
        What ``style={"EW": ...}`` of beliefs and of :class:`LearnedBidder` takes.

    Raises
    ------
    BayesBridgeError
        If the records do not name the pair.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> records = bb.open_records("examples/opponents.pbn").records
    >>> style = learn_style(records, "Birch+Oak", tables=3)
    >>> style.tables, bool(style.covariance.trace() < 16)
    (3, True)
    """
    return style_of(pair_name(pair), tables_of(records, pair)[:tables])


def style_of(pair: str, tables: Sequence[Seated]) -> PairStyle:
    """The style of a pair, learned from these tables; the average one without any."""
    if not tables:
        return AVERAGE
    turns = _turns_around_mode(tables)
    covariance = np.linalg.inv(turns.precision)
    return PairStyle(pair, read_only(turns.style), read_only(covariance), len(tables))


def table_losses(tables: Sequence[Seated], style: PairStyle) -> Floats:
    """(tables, 3) how well a style foretells the calls of its pair, table by table.

    The columns are the number of calls, Σ −log P(call) by the mean of the style, and
    the same without a style.
    """
    both_styles = np.stack([style.numbers, AVERAGE.numbers])
    rows = []
    for table in tables:
        log_chances = turns_of([table], both_styles).log_chances()  # (2, turns)
        loss_with_style, loss_without = -log_chances.sum(axis=1)
        turns = log_chances.shape[1]
        rows.append((turns, loss_with_style, loss_without))
    return np.array(rows).reshape(-1, 3)


def judge_style(tables: Sequence[Seated], style: PairStyle) -> Floats:
    """How well a style foretells calls at tables that it was not learned from.

    ``style`` was learned from the first of the tables, and the others judge it; where
    it was learned from all, it is learned again from either half of the deals and
    judged by the other half. The rows are those of :func:`table_losses`.
    """
    if style.tables < len(tables):
        earlier = tables[: style.tables]
        return _losses_of_new_deals(earlier, tables[style.tables :], style)
    deals = list(dict.fromkeys(table.deal for table in tables))
    half_of_deals = set(deals[::2])
    half = [table for table in tables if table.deal in half_of_deals]
    other_half = [table for table in tables if table.deal not in half_of_deals]
    if not half or not other_half:
        return np.empty((0, 3))
    # These styles are for the judgement alone, so they have no names.
    style_of_half = style_of("", half)
    style_of_other_half = style_of("", other_half)
    return np.concatenate(
        [
            _losses_of_new_deals(half, other_half, style_of_half),
            _losses_of_new_deals(other_half, half, style_of_other_half),
        ]
    )


def _losses_of_new_deals(
    earlier: Sequence[Seated], later: Sequence[Seated], style: PairStyle
) -> Floats:
    """The losses at later tables whose deals the earlier ones did not have."""
    old_deals = {table.deal for table in earlier}
    new_tables = [table for table in later if table.deal not in old_deals]
    return table_losses(new_tables, style)


class History:
    """Styles of pairs from earlier tables, never from the deal that is asked about.

    Parameters
    ----------
    records : iterable of Record
        The earlier tables.
    tables : int, optional
        Learn from the first so many tables of a pair; from all if not given.
    """

    def __init__(self, records: Iterable[Record], tables: int | None = None) -> None:
        self.pairs = pairs_of(records)
        """The tables of each pair, by its name."""
        self.most_tables = tables
        self._learned: dict[tuple[str, Deal | None], PairStyle] = {}

    @classmethod
    def before(
        cls, records: Iterable[Record], record: Record, tables: int | None = None
    ) -> Self:
        """The history of the records that stand before one of them."""
        place = (record.file, record.line)
        earlier = takewhile(lambda table: (table.file, table.line) != place, records)
        return cls(earlier, tables)

    def style(self, pair: str, deal: Deal) -> PairStyle | None:
        """The style of a pair, learned from its tables of other deals.

        Parameters
        ----------
        pair : str
            The two names in the order of the alphabet, ``"Birch+Oak"``.
        deal : Deal
            The deal that is asked about, whose tables are left out.

        Returns
        -------
        PairStyle or None
            ``None`` if the pair has no such table.
        """
        tables = self.pairs.get(pair, [])
        used_tables = tables[: self.most_tables]
        # A style is kept under the pair and the deal that was left out. Where no table
        # would be left out the same style serves all such deals: None.
        was_played = any(table.deal == deal for table in used_tables)
        key = (pair, deal if was_played else None)
        if key not in self._learned:
            of_other_deals = [table for table in tables if table.deal != deal]
            self._learned[key] = style_of(pair, of_other_deals[: self.most_tables])
        style = self._learned[key]
        if not style.tables:
            return None
        return style

    def styles(self, record: Record) -> dict[str, PairStyle]:
        """The styles of the pairs at a table.

        Parameters
        ----------
        record : Record
            The table, whose own deal is left out.

        Returns
        -------
        dict
            ``"NS"`` and ``"EW"`` → style, without pairs that have no earlier table.
        """
        styles: dict[str, PairStyle] = {}
        if record.deal is None:
            return styles
        for side in SIDES:
            pair = record.pair(Seat[side[0]])
            if pair is None:
                continue
            style = self.style(pair, record.deal)
            if style is not None:
                styles[side] = style
        return styles


def sample_style(
    records: Iterable[Record],
    pair: str,
    tables: int | None = None,
    draws: int = 500,
    rng: Seed = None,
) -> xarray.DataTree:
    """The posterior of a pair's style, sampled by PyMC.

    NUTS samples a model whose scores are linear around the mode, with the exact
    softmax.

    Parameters
    ----------
    records : iterable of Record
        Tables with all four hands, an auction and the names of the players.
    pair : str
        The two names, ``"Birch+Oak"``, in either order.
    tables : int, optional
        Learn from the first so many tables of the pair; from all if not given.
    draws : int
        Draws of each of two chains, after as many to tune.
    rng : seed or generator, optional
        Random numbers.

    Returns
    -------
    DataTree
        For ArviZ, with the variable ``style`` of 16 numbers. The group
        ``log_likelihood`` has log P(call) by the network itself, and ``log_weight`` of
        ``sample_stats`` corrects each draw for the difference from the linear model.

    Raises
    ------
    BayesBridgeError
        If the records do not name the pair.
    """
    from bayesbridge.bidders.fit import sample_quietly

    seated = tables_of(records, pair)[:tables]
    turns = _turns_around_mode(seated)
    mode = turns.style
    with _linear_model(turns):  # the model that is sampled
        tree = sample_quietly(
            draws=draws,
            tune=draws,
            chains=CHAINS,
            rng=generator(rng),
            initvals={"style": mode},
        )
    _add_likelihood(tree, seated, turns)
    return tree


def _linear_model(turns: LinearTurns) -> pymc.Model:
    """The PyMC model of a style whose scores are linear in its numbers.

    P(call made) is one over Σ exp(by how much each call is ahead of the one made). The
    leads are linear in the style; their values and slopes were taken at the mode of its
    posterior, which is ``turns.style``.
    """
    import pymc
    import pytensor.tensor as pt

    turn = np.arange(len(turns.made))
    slopes = turns.slopes - turns.slopes[turn, turns.made][:, None]
    lead_at_mode = turns.scores - turns.scores[turn, turns.made][:, None]
    lead_at_zero = lead_at_mode - slopes @ turns.style
    n_calls = lead_at_zero.shape[1]
    with pymc.Model(coords={"number": np.arange(STYLE_SIZE)}) as model:
        style = pymc.Normal("style", 0.0, 1.0, dims="number")
        # Data and no constants, and products for sums: PyTensor compiles a third as
        # long, and once for all records.
        ahead = pymc.Data("ahead", lead_at_zero.ravel())
        slope_rows = pymc.Data("slopes", slopes.reshape(-1, STYLE_SIZE))
        ones_by_call = pymc.Data("calls", np.ones(n_calls))
        ones_by_turn = pymc.Data("turns", np.ones(len(turn)))
        odds = pt.exp(ahead + pt.dot(slope_rows, style)).reshape((-1, n_calls))
        log_odds = pt.log(pt.dot(odds, ones_by_call))
        pymc.Potential("call", -pt.dot(ones_by_turn, log_odds))
    return model


def _add_likelihood(
    tree: xarray.DataTree, tables: Sequence[Seated], turns: LinearTurns
) -> None:
    """Add to draws the calls made, log P(call) by the network, and weights.

    The weights correct for the difference of the network from the linear model.
    """
    import xarray

    style = tree["posterior"].to_dataset()["style"]  # (chain, draw, number)
    styles = np.asarray(style).reshape(-1, STYLE_SIZE)
    # log P(call made): (draws, turns) by the network, (turns, draws) by the model
    by_network = turns_of(tables, known_numbers(styles)).log_chances()
    by_linear_model = turns.log_chances(styles)
    log_weights = by_network.sum(axis=1) - np.sum(by_linear_model, axis=0)
    chains_draws = style.shape[:2]

    stats = tree["sample_stats"]
    weights_by_draw = (("chain", "draw"), log_weights.reshape(chains_draws))
    stats.dataset = stats.to_dataset().assign(log_weight=weights_by_draw)

    # ArviZ looks for what was observed, and its likelihood, under the same name.
    turn = np.arange(len(turns.made))
    coords = {"chain": style["chain"], "draw": style["draw"], "turn": turn}
    log_likelihood = xarray.Dataset(
        {"call": (("chain", "draw", "turn"), by_network.reshape(*chains_draws, -1))},
        coords,
    )
    tree["log_likelihood"] = xarray.DataTree(log_likelihood)
    calls_made = xarray.Dataset({"call": ("turn", turns.made)}, {"turn": turn})
    tree["observed_data"] = xarray.DataTree(calls_made)


class Habit(NamedTuple):
    """One thing that people say of a pair's bidding."""

    what: str
    value: float
    error: float
    """One standard error of the value."""
    average: float
    """The value of the average expert."""
    unit: str
    """``points`` or ``share``."""


type _HabitValues = dict[tuple[str, str], Any]
"""The value of each habit by its words and its unit."""


class _HandSample(NamedTuple):
    """Random hands, by which styles are compared."""

    masks: Hands
    spread_points: Floats
    """(n,) high-card points, moved at random by up to half a point either way: whole
    points would make quantiles jump. Rounded they are the points again.
    """

    @classmethod
    def draw(cls) -> Self:
        """The same hands every time."""
        rng = np.random.default_rng(1)
        keys = rng.random((RANDOM_HANDS, DECK_CARDS))
        cards = keys.argpartition(HAND_CARDS, axis=1)[:, :HAND_CARDS].astype(np.uint64)
        masks = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)
        shifts = rng.uniform(-0.5, 0.5, RANDOM_HANDS)
        return cls(masks, high_card_points(masks) + shifts)


def habits(style: PairStyle) -> tuple[Habit, ...]:
    """A style in words that people know, each next to the average expert.

    Parameters
    ----------
    style : PairStyle
        What is known of how a pair bids.

    Returns
    -------
    tuple of Habit
        Each has ``what``, its ``value``, ``error`` (one standard error, from what is
        not known of the style), ``average`` (the value of the average expert) and
        ``unit`` (``"points"`` or ``"share"``).
    """
    sample = _HandSample.draw()
    values = _habit_values(style, sample)
    averages = _habit_values(AVERAGE, sample)
    errors = _habit_errors(style, values, sample)
    pair_habits = []
    for (words, unit), value in values.items():
        error = errors[words, unit]
        average = float(averages[words, unit])
        pair_habits.append(Habit(words, float(value), error, average, unit))
    return tuple(pair_habits)


def _habit_values(style: PairStyle, sample: _HandSample) -> _HabitValues:
    """What a pair of this style does with random hands."""
    points = np.rint(sample.spread_points)  # without the random half points
    lengths = suit_lengths(sample.masks)
    bidder = LearnedBidder(style={"NS": style})
    opening = _chances_by_call(bidder, sample.masks, "N:")
    in_third_seat = _chances_by_call(bidder, sample.masks, "S:Pass Pass")
    raising = _chances_by_call(bidder, sample.masks, "S:1S Pass")
    low, high = _middle_80_percent(sample.spread_points, opening["1NT"])
    five_hearts = opening["1H"] @ (lengths[:, Suit.H] >= 5)
    five_spades = opening["1S"] @ (lengths[:, Suit.S] >= 5)
    majors = (opening["1H"] + opening["1S"]).sum()
    strong_clubs = np.average(points >= 16, weights=opening["1C"])
    weak_twos = opening["2H"] + opening["2S"]
    third_seat_openings = sum(in_third_seat[call] for call in ("1C", "1D", "1H", "1S"))
    return {
        ("1NT opening, low end", "points"): low,
        ("1NT opening, high end", "points"): high,
        ("1H or 1S opened on five cards or more", "share"): (
            (five_hearts + five_spades) / majors
        ),
        ("1C opened on 16 points or more", "share"): strong_clubs,
        ("2H or 2S opened, mean", "points"): np.average(points, weights=weak_twos),
        ("2H or 2S opened, how often", "share"): weak_twos.mean(),
        ("one of a suit opened in third seat, mean", "points"): np.average(
            points, weights=third_seat_openings
        ),
        ("1S raised to 2S, mean", "points"): np.average(points, weights=raising["2S"]),
        ("1S raised to 3S, mean", "points"): np.average(points, weights=raising["3S"]),
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
    cumulative = np.cumsum(weights[order])
    ends = np.array([0.1, 0.9]) * cumulative[-1]
    low, high = np.interp(ends, cumulative, values[order])
    return low, high


def _habit_errors(
    style: PairStyle, values: _HabitValues, sample: _HandSample
) -> dict[tuple[str, str], float]:
    """Standard errors of habits, from what is not known of a style.

    A style is normal. Along the principal axes of its covariance its errors are
    independent, so the variances that they cause add up; each is measured by moving the
    style by one standard deviation along the axis.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(style.covariance)
    axes = (np.sqrt(eigenvalues) * eigenvectors).T  # as long as a deviation
    variance = np.zeros(len(values))
    for axis in axes:
        # Habits bend, and the sign of an axis means nothing: the mean of both sides.
        for mean in (style.mean + axis, style.mean - axis):
            moved_values = _habit_values(replace(style, mean=mean), sample)
            variance += [
                (moved_values[habit] - value) ** 2 / 2
                for habit, value in values.items()
            ]
    return dict(zip(values, np.sqrt(variance).tolist(), strict=True))
