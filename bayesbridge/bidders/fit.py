"""Learning the styles of players from auctions on record, with PyMC.

A record is one call whose caller's hand is known; docs/learning.md has the model.
Several players come from one population whose mean and spread are learned too,
non-centred: NUTS walks in z, whose shape does not depend on σ::

    θ_p = μ + σ · z_p,   z_p ~ Normal(0, 1),
    μ ~ Normal(prior centre, prior spread),   σ ~ HalfNormal(prior spread)
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from bayesbridge.bidders.auctions import MixtureBidder, Turn
from bayesbridge.bidders.style import (
    BOUNDS,
    LEANING,
    Options,
    StyleBidder,
    Terms,
    cells,
)
from bayesbridge.display.words import SEATS
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS, Call, Vulnerability
from bayesbridge.game.cards import HAND_CARDS, Hand
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Floats, read_only
from bayesbridge.notation.record import Record
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pymc
    import xarray


NEVER: Final = -1e6
"""Utility of an illegal call: exp of it is 0, and its derivatives are too."""

BLOCK: Final = 1 << 20
"""Probabilities worked out at a time."""

FIRST_BID: Final = 3
"""Index of 1C among the 38 calls, after Pass, X and XX."""

BY_PLAYER: Final = "player"
BY_PAIR: Final = "pair"
NO_NAMES: Final = ("", "?")
"""What files write where the name of a player is not known."""

GOOD_RHAT: Final = 1.01
ENOUGH_DRAWS: Final = 100
"""Effective draws that each chain should have."""

PRIOR_DRAWS: Final = 1000


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call on record.

    Parameters
    ----------
    player : str
        Who made it.
    hand : Hand or str
        The 13 cards of the player.
    auction : Auction
    index : int
        Which of its calls it is, from 0.
    vulnerable : Vulnerability or str

    Examples
    --------
    >>> auction = Auction.of("N:Pass 1H 1S")
    >>> record = CallRecord("South", "AKQ52.J3.A94.K83", auction, 2, "NS")
    >>> record.call, record.before.last_bid
    (Call.of('1S'), Call.of('1H'))
    """

    player: str
    hand: Hand
    auction: Auction
    index: int
    vulnerable: Vulnerability = Vulnerability.NONE

    def __post_init__(self) -> None:
        seat = Turn.of(self.auction, self.index).seat
        hand = Hand.of(self.hand).verify_full(f"{seat.name}'s hand")
        object.__setattr__(self, "hand", hand)
        object.__setattr__(self, "vulnerable", Vulnerability.of(self.vulnerable))

    @property
    def call(self) -> Call:
        """What was called."""
        return self.auction.calls[self.index]

    @property
    def before(self) -> Auction:
        """The auction up to the call."""
        return Turn.of(self.auction, self.index).before


def records_of(
    deal: Deal | str,
    auction: Auction,
    players: Mapping[Seat, str],
    vulnerable: Vulnerability | str = Vulnerability.NONE,
) -> list[CallRecord]:
    """All calls of an auction whose callers are among the players, as records."""
    hands = Deal.of(deal)
    sides = Vulnerability.of(vulnerable)
    return [
        CallRecord(players[seat], hands[seat], auction, index, sides)
        for index, (seat, _) in enumerate(auction)
        if seat in players
    ]


def records_of_tables(
    tables: Iterable[Record], by: str = BY_PLAYER
) -> list[CallRecord]:
    """All calls of tables read from PBN or LIN files, under the names in the files.

    Parameters
    ----------
    tables : iterable of Record
        Calls of seats without a name or without a full hand are left out.
    by : {"player", "pair"}
        Whether the calls of both partners are taken together, as ``"Anna & Bert"``.

    Returns
    -------
    list of CallRecord

    Raises
    ------
    BayesBridgeError
        If there is no call to learn from.
    """
    if by not in (BY_PLAYER, BY_PAIR):
        raise BayesBridgeError(f"by {by!r}: choose 'player' or 'pair'", by=by)
    records: list[CallRecord] = []
    for table in tables:
        names = _names_of_players(table)
        if by == BY_PAIR:
            names = _names_of_pairs(names)
        records += _calls_on_record(table, names)
    if not records:
        raise BayesBridgeError(
            "no call to learn from: tables need an auction, full hands and players' names",
            by=by,
        )
    return records


def _names_of_players(table: Record) -> dict[Seat, str]:
    """Who sits where, as far as the file says it."""
    names = {}
    for seat_name in SEATS.values():
        name = table.tag(seat_name).strip()
        if name not in NO_NAMES:
            names[Seat.of(seat_name)] = name
    return names


def _names_of_pairs(names: Mapping[Seat, str]) -> dict[Seat, str]:
    """The pair of each seat, where both partners have a name."""
    return {
        seat: " & ".join(sorted((name, names[seat.partner])))
        for seat, name in names.items()
        if seat.partner in names
    }


def _calls_on_record(table: Record, names: Mapping[Seat, str]) -> list[CallRecord]:
    """The calls of a table whose callers have a name and a full hand."""
    records: list[CallRecord] = []
    if table.auction is None:
        return records
    vulnerable = table.vulnerable or Vulnerability.NONE
    for index, (seat, _) in enumerate(table.auction):
        if seat not in names:
            continue
        hand = table.hands[seat]
        if hand is not None and len(hand) == HAND_CARDS:
            record = CallRecord(names[seat], hand, table.auction, index, vulnerable)
            records.append(record)
    return records


class Design(NamedTuple):
    """r calls on record as arrays."""

    terms: Terms
    """(r, 38) each, of the utilities of calls; Pass has 0, an illegal call ``NEVER``"""
    slipped: Floats
    """(r, 38) P(call) of a slip: legal calls are equally likely"""
    call: NDArray[np.int64]
    """(r,) the call made"""
    player: NDArray[np.int64]
    """(r,) its player's number"""

    @classmethod
    def of(cls, records: Sequence[CallRecord], players: Sequence[str]) -> Self:
        """The arrays of r records, whose players are numbered as in ``players``.

        A call has the utility u0 + u1 · b + u2 · b² if a player's style adds b tricks
        to the hand. The coefficients depend on the hand and on the auction before.
        """
        shape = (len(records), len(CALLS))
        constant = np.full(shape, NEVER)  # u0: an illegal call keeps this utility
        constant[:, PASS.index] = 0.0
        linear = np.zeros(shape)  # u1
        quadratic = np.zeros(shape)  # u2
        masks = np.array([record.hand.mask for record in records], dtype=np.uint64)
        # (r, 5) all that a utility needs of a hand, by strain: its worth as one integer
        cells_by_strain = cells(masks)
        for row, record in enumerate(records):
            options = Options.of(record.before, record.vulnerable)
            cells_of_options = cells_by_strain[row, options.strain]
            terms = Terms.of(cells_of_options, options)
            constant[row, options.call] = terms.u0
            linear[row, options.call] = terms.u1
            quadratic[row, options.call] = terms.u2
        is_legal = constant > NEVER
        calls = [record.call.index for record in records]
        numbers_of_players = [players.index(record.player) for record in records]
        return cls(
            terms=Terms(constant, linear, quadratic),
            slipped=is_legal / is_legal.sum(axis=1, keepdims=True),
            call=np.array(calls, dtype=np.int64),
            player=np.array(numbers_of_players, dtype=np.int64),
        )

    def chances(self, style: Sequence[Any], softmax: Callable[..., Any]) -> Any:
        """(…, r, 38) P(call) of the players of r records, for every call.

        ``style`` has the four numbers of styles in the order of ``STYLE``, each (…,
        players), as arrays or tensors; ``softmax`` is the function for them. With
        the probability ``slip`` a player calls at random.
        """
        # Each number as (…, r, 1): that of the record's player, for all calls.
        aggressiveness, preference, temperature, slip = (
            number[..., self.player][..., None] for number in style
        )
        # LEANING, (38,): in a suit bid a preference for suits counts for tricks, in no
        # trumps against them.
        added_tricks = aggressiveness + preference * LEANING
        utility = self.terms.utility(added_tricks)
        without_slip = softmax(utility / temperature, axis=-1)
        return slip * self.slipped + (1.0 - slip) * without_slip

    def probabilities(self, style: Floats) -> Floats:
        """(d, r, 38) P(call) under d draws of the players' styles, (d, players, 4)."""
        return np.asarray(self.chances(list(np.moveaxis(style, -1, 0)), softmax))

    def simulate(
        self, styles: Floats, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], Floats]:
        """(…, r) calls drawn in place of those on record, and log P(call on record).

        ``styles`` are (…, players, 4), the numbers in the order of ``STYLE``.
        """
        draws = styles.reshape(-1, *styles.shape[-2:])
        records = np.arange(len(self.call))
        calls = np.empty((len(draws), len(records)), np.int64)
        log_chances = np.empty((len(draws), len(records)))
        for block in self.blocks(len(draws)):
            chances = self.probabilities(draws[block])
            log_chances[block] = np.log(chances[:, records, self.call])
            # Inverse transform: the first call whose cumulative chance reaches a
            # uniform number. Times the total, since rounding leaves it near 1.
            cumulative = chances.cumsum(axis=2)
            uniform = rng.random((*cumulative.shape[:2], 1))
            threshold = uniform * cumulative[..., -1:]
            calls[block] = (cumulative < threshold).sum(axis=2)
        shape = (*styles.shape[:-2], -1)
        return calls.reshape(shape), log_chances.reshape(shape)

    def blocks(self, draws: int) -> list[NDArray[np.intp]]:
        """The numbers of the draws in blocks of about ``BLOCK`` probabilities."""
        blocks = 1 + draws * self.slipped.size // BLOCK
        return np.array_split(np.arange(draws), blocks)


def bid_rates(turns: Sequence[CallRecord], styles: ArrayLike) -> Floats:
    """How often players of given styles would bid in these turns.

    Parameters
    ----------
    turns : sequence of CallRecord
        Auctions and the hands on record, whoever made the calls.
    styles : array of shape (n, 4)
        The numbers of each style, in the order of ``STYLE``.

    Returns
    -------
    array of shape (n,)
        The mean probability of a bid.

    Examples
    --------
    >>> turn = CallRecord("South", "AKQ52.J3.A94.K83", Auction.of("S:1S"), 0)
    >>> timid, sober = (-2.0, 0.0, 1.0, 0.02), (0.0, 0.0, 1.0, 0.02)
    >>> bid_rates([turn], [timid, sober]).round(2).tolist()
    [0.41, 1.0]
    """
    if not turns:
        raise BayesBridgeError("no turns to bid in: give at least one record", turns=())
    # All turns are taken as those of one player, who has each of the styles in turn.
    anonymous_turns = [replace(turn, player="") for turn in turns]
    design = Design.of(anonymous_turns, players=[""])
    draws = np.asarray(styles, dtype=np.float64)[:, None, :]  # (n, 1 player, 4)
    rates = []
    for block in design.blocks(len(draws)):
        chances_of_bids = design.probabilities(draws[block])[..., FIRST_BID:]
        rates.append(chances_of_bids.sum(axis=2).mean(axis=1))
    return np.concatenate(rates)


STYLE: Final = ("aggressiveness", "suit_preference", "temperature", "slip")
"""The numbers of a style, in the order of arrays."""


@dataclass(frozen=True, eq=False, repr=False)
class Styles:
    """Fitted styles.

    Parameters
    ----------
    tree : DataTree
        For ArviZ: the draws, how they were found, and calls simulated to check them.
    """

    tree: xarray.DataTree

    @property
    def players(self) -> tuple[str, ...]:
        """Who was fitted."""
        names = self.tree["posterior"].dataset["player"].values
        return tuple(str(name) for name in names)

    @cached_property
    def values(self) -> Floats:
        """(draws, players, 4) all draws of all chains, numbers in the order of ``STYLE``."""
        posterior = self.tree["posterior"].dataset
        columns = [
            posterior[name].values.reshape(-1, len(self.players)) for name in STYLE
        ]
        return read_only(np.stack(columns, axis=-1))

    def draws(self, player: str) -> Floats:
        """(draws, 4) what is known of one player."""
        if player not in self.players:
            raise BayesBridgeError(
                f"no player {player!r} among those fitted: {', '.join(self.players)}",
                player=player,
            )
        return self.values[:, self.players.index(player)]

    def bidder(
        self, player: str, vulnerable: Vulnerability | str = Vulnerability.NONE
    ) -> StyleBidder:
        """The player at the posterior mean: quick, and certain of what is not certain.

        Parameters
        ----------
        player : str
            One of those fitted.
        vulnerable : Vulnerability or str
        """
        return _bidder_of(self.draws(player).mean(axis=0), vulnerable)

    def mixture(
        self,
        player: str,
        models: int = 32,
        vulnerable: Vulnerability | str = Vulnerability.NONE,
    ) -> MixtureBidder:
        """The player with all that is not known about them.

        Parameters
        ----------
        player : str
            One of those fitted.
        models : int
            So many draws, evenly spaced, are equally likely models.
        vulnerable : Vulnerability or str
        """
        draws = self.draws(player)
        rows = np.linspace(0, len(draws) - 1, min(models, len(draws))).astype(int)
        bidders = (_bidder_of(draws[row], vulnerable) for row in rows)
        return MixtureBidder(tuple(bidders))

    def bid_rates(self, turns: Sequence[CallRecord]) -> xarray.DataArray:
        """How often each player would bid in these turns, as :func:`bid_rates` says.

        Parameters
        ----------
        turns : sequence of CallRecord
            Auctions and the hands on record, whoever made the calls.

        Returns
        -------
        DataArray
            ``bid_rate`` by chain, draw and player.
        """
        import xarray

        rates = bid_rates(turns, self.values.reshape(-1, len(STYLE)))
        # Every number of a style has the dimensions chain, draw, player.
        aggressiveness = self.tree["posterior"].dataset["aggressiveness"]
        return xarray.DataArray(
            rates.reshape(aggressiveness.shape),
            coords=aggressiveness.coords,
            dims=aggressiveness.dims,
            name="bid_rate",
        )

    def summary(self) -> Any:
        """ArviZ's table of every parameter that is not known, and of the population."""
        import arviz

        return arviz.summary(
            self.tree, var_names=[*self.unknown, *self.population], round_to="none"
        )

    @property
    def unknown(self) -> list[str]:
        """The parameters that the prior left open."""
        return [
            name
            for column, name in enumerate(STYLE)
            if self.values[:, :, column].std() > 1e-12
        ]

    @property
    def population(self) -> list[str]:
        """The variables of the population, if the players come from one."""
        return [
            name
            for name in ("population_mean", "population_spread")
            if name in self.tree["posterior"].dataset
        ]

    @property
    def worst_rhat(self) -> float:
        """R-hat of the parameter that has settled least.

        1.01 or less is good, 1.05 usable.
        """
        return float(self._diagnostics["r_hat"].max())

    @property
    def least_ess(self) -> float:
        """Effective draws of the parameter that has fewest, in bulk or tails.

        100 for each chain will do.
        """
        return float(self._diagnostics[["ess_bulk", "ess_tail"]].min(axis=None))

    @property
    def divergences(self) -> int:
        """How often NUTS lost its way; a few among thousands is no worry."""
        return int(self.tree["sample_stats"]["diverging"].sum())

    @property
    def warning(self) -> str:
        """What is wrong with the chains, in one line; empty if nothing is."""
        chains = self.tree["posterior"].sizes["chain"]
        faults = []
        if chains < 2:
            faults.append("one chain cannot show whether it has converged")
        elif self.worst_rhat > GOOD_RHAT:
            worst = self._diagnostics["r_hat"].idxmax()
            faults.append(
                f"R-hat of {worst} is {self.worst_rhat:.3f}, above {GOOD_RHAT}"
            )
        enough = ENOUGH_DRAWS * chains
        if self.least_ess < enough:
            ess = self._diagnostics[["ess_bulk", "ess_tail"]].min(axis=1)
            faults.append(
                f"{ess.idxmin()} has {self.least_ess:.0f} effective draws, fewer than "
                f"{enough}"
            )
        if self.divergences:
            faults.append(f"{self.divergences} of {len(self.values)} draws diverged")
        if not faults:
            return ""
        return (
            "; ".join(faults)
            + ": take more with draws= and tune=, or smaller steps with target_accept=0.95"
        )

    @cached_property
    def _diagnostics(self) -> Any:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Styles of {', '.join(self.players)}: {len(self.values)} draws>"


def _bidder_of(numbers: Floats, vulnerable: Vulnerability | str) -> StyleBidder:
    """The player by (4,) numbers of a style, in the order of ``STYLE``."""
    style = dict(zip(STYLE, numbers.tolist(), strict=True))
    return StyleBidder(**style, vulnerable=Vulnerability.of(vulnerable))


NONE: Final = "none"
PARTIAL: Final = "partial"
COMPLETE: Final = "complete"
POOLINGS: Final = (NONE, PARTIAL, COMPLETE)


class Normal(NamedTuple):
    """A normal prior; with spread 0 the number is known."""

    centre: float
    spread: float


ENDS: Final = {
    "aggressiveness": BOUNDS["aggressiveness"],
    "suit_preference": BOUNDS["suit_preference"],
    "log_temperature": tuple(np.log(BOUNDS["temperature"]).tolist()),
    "logit_slip": (-np.inf, np.inf),
}
"""The lowest and highest value of each number of a style, on the scale of the prior:
temperature and slip are normal there as logarithm and logit.
"""

LOG_TEMPERATURE: Final = 2
LOGIT_SLIP: Final = 3
"""Columns of the numbers that have a scale of their own in the prior."""

_TRICKS: Final = Normal(0.0, 0.75)
_LOG_TEMPERATURE: Final = Normal(0.0, 0.4)
_LOGIT_SLIP: Final = Normal(-4.0, 0.7)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a player before any record.

    docs/learning.md defends the defaults.

    Parameters
    ----------
    aggressiveness, suit_preference, log_temperature, logit_slip : tuple of two float
        Centre and spread of a normal distribution; with spread 0 the number is known.
    """

    aggressiveness: Normal = _TRICKS
    suit_preference: Normal = _TRICKS
    log_temperature: Normal = _LOG_TEMPERATURE
    logit_slip: Normal = _LOGIT_SLIP

    def __post_init__(self) -> None:
        for name, (low, high) in ENDS.items():
            prior = Normal(*getattr(self, name))
            if not low <= prior.centre <= high or not 0.0 <= prior.spread < np.inf:
                raise BayesBridgeError(
                    f"prior of {name} {tuple(prior)}: give a centre from {low:.3g} to "
                    f"{high:.3g}, a spread ≥ 0"
                )
            object.__setattr__(self, name, prior)

    @property
    def unknown(self) -> list[int]:
        """The columns of the numbers that are not known."""
        return [column for column, spread in enumerate(self.spreads) if spread > 0.0]

    @property
    def centres(self) -> list[float]:
        """The centre of each of the four numbers, in the order of ``STYLE``."""
        normals: tuple[Normal, ...] = astuple(self)
        return [float(centre) for centre, _ in normals]

    @property
    def spreads(self) -> list[float]:
        """The spread of each of the four numbers, 0 where it is known."""
        normals: tuple[Normal, ...] = astuple(self)
        return [float(spread) for _, spread in normals]

    def styles(self, z: Floats) -> Floats:
        """(…, 4) styles, from (…, k) standard normal numbers.

        k is how many of the four numbers are not known. Each z says by how many spreads
        such a number lies above its centre; where that is beyond the range of a style,
        the number is the end of the range.

        >>> Prior().styles(np.zeros(4)).round(3).tolist()
        [0.0, 0.0, 1.0, 0.018]
        """
        numbers = np.broadcast_to(self.centres, (*z.shape[:-1], len(STYLE))).copy()
        numbers[..., self.unknown] += np.array(self.spreads)[self.unknown] * z
        numbers = _clip(numbers, ENDS)
        numbers[..., LOG_TEMPERATURE] = np.exp(numbers[..., LOG_TEMPERATURE])
        numbers[..., LOGIT_SLIP] = expit(numbers[..., LOGIT_SLIP])
        # exp and its logarithm may pass an end by rounding.
        return _clip(numbers, BOUNDS)

    def draw(self, rng: Seed = None) -> StyleBidder:
        """A player from the prior."""
        z = generator(rng).standard_normal(len(self.unknown))
        return StyleBidder(*self.styles(z).tolist())


def _clip(numbers: Floats, ranges: Mapping[str, tuple[float, ...]]) -> Floats:
    """(…, 4) numbers, each at least the lowest and at most the highest of its range."""
    lowest, highest = np.array(list(ranges.values())).T
    return np.asarray(numbers.clip(lowest, highest))


def style_variables(
    prior: Prior, players: Sequence[str], *, pooled: bool, alike: bool = False
) -> list[Any]:
    """The four numbers of styles as variables of the PyMC model in context.

    Each is (players,), and is also kept as draws. Temperature and slip have normal
    priors as logarithm and logit, and become themselves here.

    ``pooled``: the players come from a population. ``alike``: all players have the same
    style.
    """
    import pymc as pm
    import pytensor.tensor as pt

    population = _population(prior) if pooled else _Population.of_prior(prior)
    natural_scale = {"log_temperature": pt.exp, "logit_slip": pt.sigmoid}
    # One z for all players, or one for each; added zeros make either (players,).
    dims_of_z = None if alike else "player"
    zeros_of_players = np.zeros(len(players))
    variables = []
    for column, (name, name_in_prior) in enumerate(zip(STYLE, ENDS, strict=True)):
        mean = population.means[column]
        if column in prior.unknown:
            z = pm.Normal(f"z_{name}", dims=dims_of_z)
            unbounded = mean + population.spreads[column] * z + zeros_of_players
            lowest, highest = ENDS[name_in_prior]
            number = pt.clip(unbounded, lowest, highest)
        else:
            number = pt.as_tensor(np.full(len(players), mean))
        if name_in_prior in natural_scale:
            number = natural_scale[name_in_prior](number)
        variables.append(pm.Deterministic(name, number, dims="player"))
    return variables


class _Population(NamedTuple):
    """The distribution of the four numbers of a style over players."""

    means: list[Any]
    """Numbers, or variables of a PyMC model."""
    spreads: list[Any]

    @classmethod
    def of_prior(cls, prior: Prior) -> Self:
        """A population that is known: the prior of each player."""
        return cls(prior.centres, prior.spreads)


def _population(prior: Prior) -> _Population:
    """A population whose mean and spread are variables of the PyMC model in context.

    They are named as in the prior. What the prior knows of all players is no variable.
    """
    import pymc as pm

    columns = prior.unknown
    names_in_prior = list(ENDS)
    coordinate = [names_in_prior[column] for column in columns]
    pm.modelcontext(None).add_coord("parameter", coordinate)
    centres_of_mean = np.array(prior.centres)[columns]
    scales = np.array(prior.spreads)[columns]
    mean = pm.Normal("population_mean", centres_of_mean, scales, dims="parameter")
    spread = pm.HalfNormal("population_spread", scales, dims="parameter")
    population = _Population.of_prior(prior)
    for row, column in enumerate(columns):
        population.means[column] = mean[row]
        population.spreads[column] = spread[row]
    return population


def style_model(
    records: Iterable[CallRecord],
    prior: Prior | None = None,
    *,
    pooling: str | None = None,
) -> pymc.Model:
    """The PyMC model that :func:`fit_styles` samples.

    Its likelihood is a ``pm.Categorical`` named ``call`` with one entry for each
    record. ``Styles(tree)`` takes what ``pm.sample`` gives.

    Parameters
    ----------
    records : iterable of CallRecord
        At least one.
    prior : Prior, optional
        What is believed of a player before any record.
    pooling : {"partial", "none", "complete"}, optional
        As :func:`fit_styles` has it.

    Returns
    -------
    pymc.Model

    Raises
    ------
    BayesBridgeError
        If there are no records, or the prior knows all four numbers.
    """
    import pymc as pm

    calls = list(records)
    prior = prior or Prior()
    if not calls:
        raise BayesBridgeError(
            "no records to fit: give at least one call with its hand", records=()
        )
    if not prior.unknown:
        raise BayesBridgeError(
            "nothing to learn: the prior knows all four numbers, give one of them a spread above 0"
        )
    players = sorted({record.player for record in calls})
    if not pooling:
        pooling = PARTIAL if len(players) > 1 else NONE
    if pooling not in POOLINGS:
        raise BayesBridgeError(
            f"unknown pooling {pooling!r}: choose {', '.join(POOLINGS)}",
            pooling=pooling,
        )
    coords = {
        "player": players,
        "record": range(len(calls)),
        "option": [str(call) for call in CALLS],
    }
    with pm.Model(coords=coords) as model:
        style = style_variables(
            prior, players, pooled=pooling == PARTIAL, alike=pooling == COMPLETE
        )
        _observe_calls(Design.of(calls, players), style)
    return model


def _observe_calls(design: Design, style: Sequence[Any]) -> None:
    """Add the calls on record to the PyMC model in context.

    ``style`` are its variables of the four numbers of styles, each (players,). The
    utility of a call is a quadratic in the tricks that a style adds to the hand:
    ``utility_0``, ``utility_1`` and ``utility_2`` are its coefficients.
    """
    import pymc as pm
    import pytensor.tensor as pt

    # Data and no constants: what PyTensor has compiled serves other records too.
    table = ("record", "option")
    coefficients = [
        pm.Data(f"utility_{power}", coefficient, dims=table)
        for power, coefficient in enumerate(design.terms)
    ]
    slipped = pm.Data("slipped", design.slipped, dims=table)
    call = pm.Data("made", design.call, dims="record")
    player = pm.Data("player_index", design.player, dims="record")
    as_data = Design(Terms(*coefficients), slipped, call, player)
    chances = as_data.chances(style, pt.special.softmax)
    pm.Categorical("call", p=chances, observed=call, dims="record")


def fit_styles(
    records: Iterable[CallRecord],
    prior: Prior | None = None,
    *,
    pooling: str | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    predictive: bool = True,
    rng: Seed = None,
    **sample: Any,
) -> Styles:
    """The posterior of every player's style, by NUTS.

    A warning says in one line if the chains have not converged.

    Parameters
    ----------
    records : iterable of CallRecord
        At least one.
    prior : Prior, optional
        What is believed of a player before any record.
    pooling : {"partial", "none", "complete"}, optional
        Whether the players come from one population that is learned too (the default
        for several), each is learned alone (the default for one), or all have the same
        style.
    draws, tune, chains : int
        Draws of each chain, as many before them to tune, and chains.
    predictive : bool
        Whether to add what ArviZ needs beyond the draws, 16 bytes for each draw of each
        record.
    rng : seed or generator, optional
        Random numbers.
    **sample
        Further arguments of ``pm.sample``, such as ``target_accept`` or ``cores``.

    Returns
    -------
    Styles

    Raises
    ------
    BayesBridgeError
        If there are no records, or the prior knows all four numbers.
    """
    from pymc.stats import compute_log_prior

    calls = list(records)
    numbers = generator(rng)
    with style_model(calls, prior, pooling=pooling) as model:
        tree = sample_quietly(draws, tune, chains, numbers, **sample)
    styles = Styles(tree)
    if predictive:
        compute_log_prior(tree, model=model, progressbar=False)
        tree["prior"] = _prior_draws(model, numbers)
        _add_simulated_calls(tree, Design.of(calls, styles.players), numbers)
    if styles.warning:
        warnings.warn(styles.warning, stacklevel=2)
    return styles


def _prior_draws(model: pymc.Model, rng: np.random.Generator) -> xarray.DataTree:
    """Styles of the prior."""
    import pymc as pm

    variables = [*model.free_RVs, *model.deterministics]
    seed = int(rng.integers(0, 1 << 31))
    with quiet_pymc():
        tree = pm.sample_prior_predictive(
            PRIOR_DRAWS,
            model=model,
            var_names=[variable.name for variable in variables],
            random_seed=seed,
        )
    prior_draws: xarray.DataTree = tree["prior"]
    return prior_draws


def _add_simulated_calls(
    tree: xarray.DataTree, design: Design, rng: np.random.Generator
) -> None:
    """Add calls simulated under the prior and the posterior, and log P(call on record)."""
    import xarray

    for group in ("prior", "posterior"):
        draws = tree[group].to_dataset()
        styles = np.stack([draws[name].values for name in STYLE], axis=-1)
        calls, log_chances = design.simulate(styles, rng)
        coords = {
            "chain": draws["chain"],
            "draw": draws["draw"],
            "record": range(len(design.call)),
        }
        dims = ("chain", "draw", "record")
        if group == "posterior":
            log_likelihood = xarray.Dataset({"call": (dims, log_chances)}, coords)
            tree["log_likelihood"] = xarray.DataTree(log_likelihood)
        simulated = xarray.Dataset({"call": (dims, calls)}, coords)
        tree[f"{group}_predictive"] = xarray.DataTree(simulated)


@contextmanager
def quiet_pymc() -> Iterator[None]:
    """Without the lines that PyMC logs of what it does."""
    log = logging.getLogger("pymc")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def sample_quietly(
    draws: int, tune: int, chains: int, rng: np.random.Generator, **options: Any
) -> xarray.DataTree:
    """NUTS in the PyMC model in context, one chain after the other.

    Nothing is printed; the caller looks at R-hat.
    """
    import pymc as pm

    quiet = {"cores": 1, "quiet": True, "compute_convergence_checks": False}
    seeds = [int(seed) for seed in rng.integers(0, 1 << 31, size=chains)]
    with one_thread():
        tree: xarray.DataTree = pm.sample(
            draws=draws,
            tune=tune,
            chains=chains,
            random_seed=seeds,
            **(quiet | options),
        )
    return tree
