"""Learning the styles of players from auctions on record, with PyMC.

A record is one call whose caller's hand is known; docs/learning.md has the model.
Several players come from one population whose mean and spread are learned too,
non-centred: NUTS walks in z, whose shape does not depend on σ::

    θ_p = μ + σ · z_p,   z_p ~ Normal(0, 1),   μ ~ Normal(prior centre, prior spread),   σ ~ HalfNormal(prior spread)
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

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
from bayesbridge.game.calls import CALLS, Call, Vulnerability
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Floats, read_only
from bayesbridge.notation.record import Record
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pymc
    import xarray


# utility of an illegal call: exp of it is 0, and its derivatives are too
NEVER: Final = -1e6
BLOCK: Final = 1 << 20  # probabilities worked out at a time


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call on record: who made it, with which hand, as call number ``index`` of
    which auction, how vulnerable.

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
        object.__setattr__(
            self, "hand", Hand.of(self.hand).verify_full(f"{seat.name}'s hand")
        )
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
    dealt, sides = Deal.of(deal), Vulnerability.of(vulnerable)
    calls = [
        (index, seat) for index, (seat, _) in enumerate(auction) if seat in players
    ]
    return [
        CallRecord(players[seat], dealt[seat], auction, index, sides)
        for index, seat in calls
    ]


def records_of_tables(tables: Iterable[Record], by: str = "player") -> list[CallRecord]:
    """All calls of tables read from PBN or LIN files, under the names that the files
    give.

    ``by``: ``"player"``, or ``"pair"`` to take the calls of both partners together, as
    ``"Anna & Bert"``. Calls of seats without a name or without a full hand are left
    out.
    """
    if by not in ("player", "pair"):
        raise BayesBridgeError(f"by {by!r}: choose 'player' or 'pair'", by=by)
    found: list[CallRecord] = []
    for table in tables:
        names = {
            Seat.of(tag): name
            for tag in SEATS.values()
            if (name := table.tag(tag).strip()) not in ("", "?")
        }
        if by == "pair":
            pairs = {
                seat: sorted((name, names.get(seat.partner, "")))
                for seat, name in names.items()
            }
            names = {
                seat: " & ".join(pair) for seat, pair in pairs.items() if all(pair)
            }
        for index, (seat, _) in enumerate(auction := table.auction or ()):
            if (
                seat in names
                and (hand := table.hands[seat]) is not None
                and len(hand) == 13
            ):
                vulnerable = table.vulnerable or Vulnerability.NONE
                found.append(
                    CallRecord(
                        names[seat], hand, cast(Auction, auction), index, vulnerable
                    )
                )
    if not found:
        raise BayesBridgeError(
            "no call to learn from: tables need an auction, full hands and players' names",
            by=by,
        )
    return found


class Design(NamedTuple):
    """Records as arrays, r of them."""

    terms: Terms  # (r, 38) each, utilities; Pass has 0, an illegal call NEVER
    slipped: Floats  # (r, 38) P(call) of a slip: legal calls are equally likely
    call: NDArray[np.int64]  # (r,) the call made
    player: NDArray[np.int64]  # (r,) its player's number

    @classmethod
    def of(cls, records: Sequence[CallRecord], players: Sequence[str]) -> Design:
        shape = len(records), 38
        u0, u1, u2 = np.full(shape, NEVER), np.zeros(shape), np.zeros(shape)
        u0[:, 0] = 0.0
        found = cells(
            np.array([record.hand.mask for record in records], dtype=np.uint64)
        )
        for row, record in enumerate(records):
            options = Options.of(record.before, record.vulnerable)
            terms = Terms.of(found[row, options.strain], options)
            u0[row, options.call], u1[row, options.call], u2[row, options.call] = terms
        call = np.array([record.call.index for record in records], dtype=np.int64)
        player = np.array(
            [players.index(record.player) for record in records], dtype=np.int64
        )
        legal = u0 > NEVER
        return cls(
            Terms(u0, u1, u2), legal / legal.sum(axis=1, keepdims=True), call, player
        )

    def chances(self, style: Sequence[Any], softmax: Callable[..., Any]) -> Any:
        """(…, r, 38) P(call) for the numbers of styles, (…, players) each: arrays or
        tensors, with their softmax.
        """
        aggressiveness, preference, temperature, slip = (
            number[..., self.player][..., None] for number in style
        )
        added = aggressiveness + preference * LEANING
        meant = softmax(self.terms.utility(added) / temperature, axis=-1)
        return slip * self.slipped + (1.0 - slip) * meant

    def probabilities(self, style: Floats) -> Floats:
        """(d, r, 38) P(call) under d draws of the players' styles, (d, players, 4)."""
        return np.asarray(self.chances(list(np.moveaxis(style, -1, 0)), softmax))

    def simulate(
        self, styles: Floats, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], Floats]:
        """(…, r) calls drawn under styles, (…, players, 4), and log P(call made)."""
        each, rows = styles.reshape(-1, *styles.shape[-2:]), np.arange(len(self.call))
        calls, logs = (
            np.empty((len(each), len(rows)), np.int64),
            np.empty((len(each), len(rows))),
        )
        for block in np.array_split(
            np.arange(len(each)), 1 + len(each) * self.slipped.size // BLOCK
        ):
            chances = self.probabilities(each[block])
            below = chances.cumsum(axis=2)
            calls[block] = (
                below < rng.random((*below.shape[:2], 1)) * below[..., -1:]
            ).sum(axis=2)
            logs[block] = np.log(chances[:, rows, self.call])
        return calls.reshape(*styles.shape[:-2], -1), logs.reshape(
            *styles.shape[:-2], -1
        )


def bid_rates(turns: Sequence[CallRecord], styles: ArrayLike) -> Floats:
    """(n,) how often players of n styles, (n, 4), would bid in these turns with the
    hands on record, whoever made them.

    >>> turn = CallRecord("South", "AKQ52.J3.A94.K83", Auction.of("S:1S"), 0)
    >>> timid, sober = (-2.0, 0.0, 1.0, 0.02), (0.0, 0.0, 1.0, 0.02)
    >>> bid_rates([turn], [timid, sober]).round(2).tolist()
    [0.41, 1.0]
    """
    if not turns:
        raise BayesBridgeError("no turns to bid in: give at least one record", turns=())
    design = Design.of([replace(turn, player="") for turn in turns], [""])
    each = np.asarray(styles, dtype=np.float64)[:, None, :]
    blocks = np.array_split(each, 1 + len(each) * design.slipped.size // BLOCK)
    return np.concatenate(
        [
            design.probabilities(block)[..., 3:].sum(axis=2).mean(axis=1)
            for block in blocks
        ]
    )


STYLE: Final = ("aggressiveness", "suit_preference", "temperature", "slip")


@dataclass(frozen=True, eq=False, repr=False)
class Styles:
    """Fitted styles: an ArviZ DataTree with the draws, how they were found, and calls
    simulated to check them.
    """

    tree: xarray.DataTree

    @property
    def players(self) -> tuple[str, ...]:
        """Who was fitted."""
        return tuple(
            str(name) for name in self.tree["posterior"].dataset["player"].values
        )

    @cached_property
    def values(self) -> Floats:
        """(draws, players, 4) all draws of all chains, parameters in the order of
        ``STYLE``.
        """
        posterior = self.tree["posterior"].dataset
        stacked = [
            posterior[name].values.reshape(-1, len(self.players)) for name in STYLE
        ]
        return read_only(np.stack(stacked, axis=-1))

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
        """The player at the posterior mean: quick, and certain of what is not certain."""
        return replace(
            StyleBidder(*self.draws(player).mean(axis=0).tolist()),
            vulnerable=Vulnerability.of(vulnerable),
        )

    def mixture(
        self,
        player: str,
        models: int = 32,
        vulnerable: Vulnerability | str = Vulnerability.NONE,
    ) -> MixtureBidder:
        """The player with all that is not known about them: evenly spaced draws as
        equally likely models.
        """
        draws, sides = self.draws(player), Vulnerability.of(vulnerable)
        chosen = np.linspace(0, len(draws) - 1, min(models, len(draws))).astype(int)
        return MixtureBidder(
            tuple(
                replace(StyleBidder(*draws[row].tolist()), vulnerable=sides)
                for row in chosen
            )
        )

    def bid_rates(self, turns: Sequence[CallRecord]) -> xarray.DataArray:
        """(chain, draw, player) how often each player would bid in these turns, as
        :func:`bid_rates` says.
        """
        import xarray

        rates = bid_rates(turns, self.values.reshape(-1, len(STYLE)))
        like = self.tree["posterior"].dataset[STYLE[0]]
        return xarray.DataArray(
            rates.reshape(like.shape), like.coords, like.dims, "bid_rate"
        )

    def summary(self) -> Any:
        """ArviZ's table of every parameter that is not known, and of the population,
        where there is one.
        """
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
        """R-hat of the parameter that has settled least: 1.01 or less is good, 1.05
        usable.
        """
        return float(self._diagnostics["r_hat"].max())

    @property
    def least_ess(self) -> float:
        """Effective draws of the parameter that has fewest, in the bulk or in the
        tails; 100 for each chain will do.
        """
        return float(self._diagnostics[["ess_bulk", "ess_tail"]].min(axis=None))

    @property
    def divergences(self) -> int:
        """How often NUTS lost its way; a few among thousands is no worry."""
        return int(self.tree["sample_stats"]["diverging"].sum())

    @property
    def warning(self) -> str:
        """What is wrong with the chains, in one line; empty if nothing is."""
        chains, rows = self.tree["posterior"].sizes["chain"], self._diagnostics
        found = []
        if chains < 2:
            found.append("one chain cannot show whether it has converged")
        elif self.worst_rhat > 1.01:
            found.append(
                f"R-hat of {rows['r_hat'].idxmax()} is {self.worst_rhat:.3f}, above 1.01"
            )
        if self.least_ess < 100 * chains:
            worst = rows[["ess_bulk", "ess_tail"]].min(axis=1).idxmin()
            found.append(
                f"{worst} has {self.least_ess:.0f} effective draws, fewer than {100 * chains}"
            )
        if self.divergences:
            found.append(f"{self.divergences} of {len(self.values)} draws diverged")
        advice = ": take more with draws= and tune=, or smaller steps with target_accept=0.95"
        return "; ".join(found) + advice if found else ""

    @cached_property
    def _diagnostics(self) -> Any:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Styles of {', '.join(self.players)}: {len(self.values)} draws>"


POOLINGS: Final = ("none", "partial", "complete")


class Normal(NamedTuple):
    """A normal prior; with spread 0 the number is known."""

    centre: float
    spread: float


ENDS: Final = {
    "aggressiveness": BOUNDS["aggressiveness"],
    "suit_preference": BOUNDS["suit_preference"],
    "log_temperature": tuple(np.log(BOUNDS["temperature"]).tolist()),
    "logit_slip": (-np.inf, np.inf),
}  # the four parameters on the scales of the prior, and where a style ends there


_TRICKS = Normal(0.0, 0.75)
_LOG_TEMPERATURE = Normal(0.0, 0.4)
_LOGIT_SLIP = Normal(-4.0, 0.7)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a player before any record; docs/learning.md defends the
    defaults.
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
                    f"prior of {name} {tuple(prior)}: give a centre from {low:.3g} to {high:.3g}, a spread ≥ 0"
                )
            object.__setattr__(self, name, prior)

    @property
    def unknown(self) -> list[int]:
        return [
            column for column, normal in enumerate(astuple(self)) if normal.spread > 0.0
        ]

    def styles(self, z: Floats) -> Floats:
        """(…, 4) styles that lie (…, k) spreads from the centres of the k numbers not
        known, or at the end of a style.

        >>> Prior().styles(np.zeros(4)).round(3).tolist()
        [0.0, 0.0, 1.0, 0.018]
        """
        centres, spreads = np.array(astuple(self)).T
        scaled = np.broadcast_to(centres, (*z.shape[:-1], len(STYLE))).copy()
        scaled[..., self.unknown] += spreads[self.unknown] * z
        scaled = scaled.clip(*np.array(list(ENDS.values())).T)
        scaled[..., 2], scaled[..., 3] = np.exp(scaled[..., 2]), expit(scaled[..., 3])
        return np.asarray(scaled.clip(*np.array(list(BOUNDS.values())).T))

    def draw(self, rng: Seed = None) -> StyleBidder:
        """A player from the prior."""
        return StyleBidder(
            *self.styles(generator(rng).standard_normal(len(self.unknown))).tolist()
        )


def style_variables(
    prior: Prior, players: Sequence[str], pooled: bool, alike: bool = False
) -> list[Any]:
    """The four parameters as variables of the PyMC model in context, each (players,);
    also as draws to keep.

    ``pooled``: the players come from a population. ``alike``: all players have the same
    style.
    """
    import pymc as pm
    import pytensor.tensor as pt

    unknown, scales = prior.unknown, list(ENDS)
    centres, spreads = np.array(astuple(prior)).T
    mean, spread = list(centres), list(spreads)
    if pooled:
        pm.modelcontext(None).add_coord(
            "parameter", [scales[column] for column in unknown]
        )
        means = pm.Normal(
            "population_mean", centres[unknown], spreads[unknown], dims="parameter"
        )
        widths = pm.HalfNormal("population_spread", spreads[unknown], dims="parameter")
        for row, column in enumerate(unknown):
            mean[column], spread[column] = means[row], widths[row]
    links = (lambda x: x, lambda x: x, pt.exp, pt.sigmoid)
    found = []
    for column, (name, link) in enumerate(zip(STYLE, links, strict=True)):
        value = pt.as_tensor(np.full(len(players), centres[column]))
        if column in unknown:
            z = pm.Normal(f"z_{name}", dims=None if alike else "player")
            value = pt.clip(
                mean[column] + spread[column] * z + np.zeros(len(players)),
                *ENDS[scales[column]],
            )
        found.append(pm.Deterministic(name, link(value), dims="player"))
    return found


def style_model(
    records: Iterable[CallRecord],
    prior: Prior | None = None,
    *,
    pooling: str | None = None,
) -> pymc.Model:
    """The PyMC model that :func:`fit_styles` samples; ``Styles(tree)`` takes what
    ``pm.sample`` gives.

    Its likelihood is a ``pm.Categorical`` named ``call`` with one entry for each
    record.
    """
    import pymc as pm
    import pytensor.tensor as pt

    every, known = list(records), prior or Prior()
    if not every:
        raise BayesBridgeError(
            "no records to fit: give at least one call with its hand", records=()
        )
    if not known.unknown:
        raise BayesBridgeError(
            "nothing to learn: the prior knows all four numbers, give one of them a spread above 0"
        )
    players = sorted({record.player for record in every})
    chosen = pooling or ("partial" if len(players) > 1 else "none")
    if chosen not in POOLINGS:
        raise BayesBridgeError(
            f"unknown pooling {chosen!r}: choose {', '.join(POOLINGS)}", pooling=chosen
        )
    design, table = Design.of(every, players), ("record", "option")
    coords = {
        "player": players,
        "record": range(len(every)),
        "option": [str(call) for call in CALLS],
    }
    with pm.Model(coords=coords) as model:
        style = style_variables(
            known, players, chosen == "partial", chosen == "complete"
        )
        # Data and no constants: what PyTensor has compiled serves other records too.
        terms = [
            pm.Data(f"utility_{power}", term, dims=table)
            for power, term in enumerate(design.terms)
        ]
        slipped = pm.Data("slipped", design.slipped, dims=table)
        made = pm.Data("made", design.call, dims="record")
        player = pm.Data("player_index", design.player, dims="record")
        chances = Design(Terms(*terms), slipped, made, player).chances(
            style, pt.special.softmax
        )
        pm.Categorical("call", p=chances, observed=made, dims="record")
    return model


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
    """The posterior of every player's style, by NUTS; a warning says in one line if the
    chains have not converged.

    ``pooling``: ``"partial"`` if the players come from one population that is learned
    too (the default for several), ``"none"`` if each is learned alone (the default for
    one), ``"complete"`` if all have the same style. ``predictive``: whether to add what
    ArviZ needs beyond the draws, 16 bytes for each draw of each record. ``sample``:
    further arguments of ``pm.sample``, such as ``target_accept`` or ``cores``.
    """
    from pymc.stats import compute_log_prior

    every, numbers = list(records), generator(rng)
    with style_model(every, prior, pooling=pooling) as model:
        tree = sample_quietly(draws, tune, chains, numbers, **sample)
    if predictive:
        compute_log_prior(tree, model=model, progressbar=False)
        _add_predictions(tree, model, every, numbers)
    styles = Styles(tree)
    if styles.warning:
        warnings.warn(styles.warning, stacklevel=2)
    return styles


def _add_predictions(
    tree: xarray.DataTree,
    model: pymc.Model,
    records: Sequence[CallRecord],
    rng: np.random.Generator,
) -> None:
    """Styles of the prior; calls simulated under them and under the posterior, and log
    P(call on record).
    """
    import pymc as pm
    import xarray

    known, seed = (
        [*model.free_RVs, *model.deterministics],
        int(rng.integers(0, 1 << 31)),
    )
    with quiet_pymc():
        drawn = pm.sample_prior_predictive(
            1000, model=model, var_names=[one.name for one in known], random_seed=seed
        )
    tree["prior"], design = drawn["prior"], Design.of(records, Styles(tree).players)
    for group in ("prior", "posterior"):
        styles = tree[group].to_dataset()
        values = np.stack([styles[name].values for name in STYLE], axis=-1)
        coords = {
            "chain": styles["chain"],
            "draw": styles["draw"],
            "record": range(len(records)),
        }
        found = zip(
            (f"{group}_predictive", "log_likelihood"),
            design.simulate(values, rng),
            strict=True,
        )
        for (
            kind,
            numbers,
        ) in found:  # log P(call) of the prior is overwritten by that of the posterior
            tree[kind] = xarray.DataTree(
                xarray.Dataset({"call": (("chain", "draw", "record"), numbers)}, coords)
            )


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
    """NUTS in the model in context, one chain after the other; the caller looks at
    R-hat.
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
