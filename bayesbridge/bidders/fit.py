"""Learning styles from auctions on record, with PyMC.

A record is one call whose caller's hand is known. Each player p has four numbers, on scales where a normal prior makes
sense: aggressiveness and suit preference in tricks, the logarithm of the temperature, the log odds of the slip rate.
With one player they have the prior itself; with several the players come from one population whose mean and spread are
learned too, so a player seen rarely borrows from the others::

    θ_p = μ + σ · z_p,   z_p ~ Normal(0, 1),   μ ~ Normal(prior centre, prior spread),   σ ~ HalfNormal(prior spread)

(non-centred: NUTS walks in z, whose shape does not depend on σ). What a record says comes from
:class:`~bayesbridge.bidders.style.Terms`: utilities are quadratic in the tricks that a style adds, so all that a hand
and an auction contribute is three arrays, worked out once before sampling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.features import cells
from bayesbridge.bidders.mixture import MixtureBidder
from bayesbridge.bidders.style import Options, StyleBidder, Terms
from bayesbridge.bidders.turn import Turn
from bayesbridge.cards import Hand, Strain
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.random64 import Seed

if TYPE_CHECKING:
    import xarray

Floats = NDArray[np.float64]

NEVER: Final = -1e6
"""Utility of an illegal call: exp of it is 0, and its derivatives are too."""


@dataclass(frozen=True, slots=True, init=False)
class Record:
    """One call on record: who made it, with which hand, as call number ``index`` of which auction."""

    player: str
    hand: Hand
    auction: Auction
    index: int

    def __init__(self, player: str, hand: Hand | str, auction: Auction, index: int) -> None:
        turn = Turn.of(auction, index)
        full = Hand.of(hand).verify_full(f"{turn.seat.name}'s hand")
        for name, value in {"player": str(player), "hand": full, "auction": auction, "index": index}.items():
            object.__setattr__(self, name, value)


def records_of(deal: Deal | str, auction: Auction, players: Mapping[Seat, str]) -> list[Record]:
    """All calls of an auction whose callers are among the players, as records."""
    dealt = Deal.of(deal)
    return [
        Record(players[seat], dealt[seat], auction, index) for index, (seat, _) in enumerate(auction) if seat in players
    ]


class Normal(NamedTuple):
    """A normal prior; with spread 0 the number is known."""

    centre: float
    spread: float


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a player before any record; docs/learning.md defends the defaults."""

    aggressiveness: Normal = Normal(0.0, 0.75)
    """Tricks."""
    suit_preference: Normal = Normal(0.0, 0.75)
    """Tricks."""
    log_temperature: Normal = Normal(0.0, 0.4)
    logit_slip: Normal = Normal(-4.0, 0.7)

    def __post_init__(self) -> None:
        for field in fields(self):
            prior = Normal(*getattr(self, field.name))
            if not (np.isfinite(prior.centre) and 0.0 <= prior.spread < np.inf):
                raise BayesBridgeError(
                    f"prior of {field.name} {tuple(prior)}: give a centre and a spread of 0 or more",
                    **{field.name: prior},
                )
            object.__setattr__(self, field.name, prior)

    def draw(self, rng: Seed = None) -> StyleBidder:
        """A player from the prior."""
        generator = np.random.default_rng(rng)
        return _bidder([prior.centre + prior.spread * generator.standard_normal() for prior in self.normals()])

    def normals(self) -> tuple[Normal, ...]:
        """The four priors, in the order of the style's parameters."""
        return (self.aggressiveness, self.suit_preference, self.log_temperature, self.logit_slip)


STYLE: Final = ("aggressiveness", "suit_preference", "temperature", "slip")
"""The four parameters of a style, by the names of :class:`StyleBidder`."""


class Design(NamedTuple):
    """Records as arrays, r of them.

    u0, u1, u2: (r, 38) utilities as in :class:`Terms`; Pass has 0, an illegal call :data:`NEVER`
    legal:      (r,) how many calls were legal
    call:       (r,) the call made
    player:     (r,) its player's number
    """

    u0: Floats
    u1: Floats
    u2: Floats
    legal: NDArray[np.int64]
    call: NDArray[np.int64]
    player: NDArray[np.int64]

    @classmethod
    def of(cls, records: Sequence[Record], players: Sequence[str]) -> Design:
        """Work out all that the hands and auctions contribute."""
        shape = len(records), 38
        u0, u1, u2 = np.full(shape, NEVER), np.zeros(shape), np.zeros(shape)
        u0[:, 0] = 0.0
        legal = np.ones(len(records), dtype=np.int64)
        found = cells(np.array([record.hand.mask for record in records], dtype=np.uint64))
        for row, record in enumerate(records):
            options = Options.of(Turn.of(record.auction, record.index).before)
            terms = Terms.of(found[row, options.strain], options)
            u0[row, options.call], u1[row, options.call], u2[row, options.call] = terms
            legal[row] += len(options.call)
        call = np.array([record.auction.calls[record.index].index for record in records], dtype=np.int64)
        return cls(u0, u1, u2, legal, call, np.array([players.index(r.player) for r in records], dtype=np.int64))

    def probabilities(self, style: Floats) -> Floats:
        """(d, r, 38) P(call) under d draws of the players' styles, (d, players, 4)."""
        added = style[:, self.player, 0, None] + style[:, self.player, 1, None] * IS_SUIT
        u = (self.u0 + (self.u1 + self.u2 * added) * added) / style[:, self.player, 2, None]
        odds = np.exp(u - u.max(axis=-1, keepdims=True))
        slip = style[:, self.player, 3, None]
        floor = (self.u0 > NEVER) / self.legal[:, None]
        chances: Floats = slip * floor + (1.0 - slip) * odds / odds.sum(axis=-1, keepdims=True)
        return chances


IS_SUIT: Final = np.array([index > 2 and (index - 3) % 5 < Strain.NT for index in range(38)], dtype=np.float64)
"""(38,) 1 for a bid in a suit."""


def style_variables(prior: Prior, players: Sequence[str], pooled: bool) -> list[Any]:
    """The four parameters as variables of the PyMC model in context, each (players,); also as draws to keep."""
    import pymc as pm
    import pytensor.tensor as pt

    links = (lambda x: x, lambda x: x, pt.exp, pt.sigmoid)
    found = []
    for name, (centre, spread), link in zip(STYLE, prior.normals(), links, strict=True):
        if spread == 0.0:
            value = pt.as_tensor(np.full(len(players), centre))
        else:
            z = pm.Normal(f"z_{name}", dims="player")
            if pooled:
                centre = centre + spread * pm.Normal(f"z_mean_{name}")
                spread = pm.HalfNormal(f"spread_{name}", spread)
            value = centre + spread * z
        found.append(pm.Deterministic(name, link(value), dims="player"))
    return found


def log_calls(design: Design, style: Sequence[Any]) -> Any:
    """(r,) log P(call) of records as an expression in the style variables."""
    import pytensor.tensor as pt

    aggressiveness, preference, temperature, slip = (parameter[design.player] for parameter in style)
    added = aggressiveness[:, None] + preference[:, None] * IS_SUIT
    u = (design.u0 + (design.u1 + design.u2 * added) * added) / temperature[:, None]
    meant = u[np.arange(len(design.call)), design.call] - pt.logsumexp(u, axis=1)
    return pt.logaddexp(pt.log(slip) - np.log(design.legal), pt.log1p(-slip) + meant)


def fit_styles(
    records: Iterable[Record],
    prior: Prior | None = None,
    *,
    pooled: bool | None = None,
    draws: int = 500,
    tune: int = 500,
    chains: int = 2,
    predictive: int = 200,
    rng: Seed = None,
) -> Styles:
    """The posterior of every player's style, by NUTS.

    ``pooled``: whether the players come from one population that is learned too; by default if there are several.
    ``predictive``: as many draws are turned into calls that the fitted players might have made, to check them by.
    """
    import pymc as pm

    on_record = list(records)
    if not on_record:
        raise BayesBridgeError("no records to fit: give at least one call with its hand", records=())
    players = sorted({record.player for record in on_record})
    design = Design.of(on_record, players)
    generator = np.random.default_rng(rng)
    with pm.Model(coords={"player": players}):
        style = style_variables(prior or Prior(), players, len(players) > 1 if pooled is None else pooled)
        pm.Potential("calls", log_calls(design, style).sum())
        tree = sample_quietly(draws, tune, chains, generator)
    return Styles(_with_predictions(tree, design, predictive, generator))


def sample_quietly(draws: int, tune: int, chains: int, rng: np.random.Generator, **options: Any) -> xarray.DataTree:
    """NUTS in the model in context: chains one after the other, no bars, no advice; the caller looks at R-hat."""
    import logging

    import pymc as pm

    log = logging.getLogger("pymc")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        tree: xarray.DataTree = pm.sample(
            draws=draws,
            tune=tune,
            chains=chains,
            cores=1,
            random_seed=[int(seed) for seed in rng.integers(0, 1 << 31, size=chains)],
            progressbar=False,
            compute_convergence_checks=False,
            **options,
        )
    finally:
        log.setLevel(level)
    return tree


@dataclass(frozen=True, eq=False, repr=False)
class Styles:
    """Fitted styles: an ArviZ DataTree with the draws, how they were found, and calls simulated to check them."""

    tree: xarray.DataTree

    @property
    def players(self) -> tuple[str, ...]:
        """Who was fitted."""
        return tuple(str(name) for name in self.tree["posterior"]["player"].values)

    @cached_property
    def values(self) -> Floats:
        """(draws, players, 4) all draws of all chains, parameters in the order of :data:`STYLE`."""
        posterior = self.tree["posterior"]
        stacked = [posterior[name].values.reshape(-1, len(self.players)) for name in STYLE]
        return np.stack(stacked, axis=-1)

    def draws(self, player: str) -> Floats:
        """(draws, 4) what is known of one player."""
        if player not in self.players:
            raise BayesBridgeError(f"no player {player!r} among those fitted: {', '.join(self.players)}", player=player)
        return self.values[:, self.players.index(player)]

    def bidder(self, player: str) -> StyleBidder:
        """The player at his posterior mean: quick, and certain of what is not certain."""
        return StyleBidder(*self.draws(player).mean(axis=0).tolist())

    def mixture(self, player: str, models: int = 32) -> MixtureBidder:
        """The player with all that is not known about him: evenly spaced draws as equally likely models."""
        draws = self.draws(player)
        chosen = np.linspace(0, len(draws) - 1, min(models, len(draws))).astype(int)
        return MixtureBidder(tuple(StyleBidder(*draws[row].tolist()) for row in chosen))

    def summary(self) -> Any:
        """ArviZ's table: mean, deviation, interval, effective draws and R-hat of every parameter."""
        import arviz

        return arviz.summary(self.tree, var_names=[name for name in STYLE if name in self.tree["posterior"]])

    @property
    def worst_rhat(self) -> float:
        """R-hat of the parameter that has settled least; 1.01 or less is good, 1.05 usable. Known ones do not count."""
        import arviz

        posterior = self.tree["posterior"].dataset
        free = [name for name in STYLE if float(posterior[name].std()) > 1e-12]
        return max(float(arviz.rhat(posterior[free])[name].max()) for name in free) if free else 1.0

    @property
    def divergences(self) -> int:
        """How often NUTS lost its way; a few among thousands is no worry."""
        return int(self.tree["sample_stats"]["diverging"].sum())

    def check(self) -> dict[str, tuple[float, float]]:
        """Posterior predictive check: statistic → (observed, share of simulated values at most that; ties half).

        Shares near 0 or 1 say that the model does not make calls like those on record.
        """
        observed = self.tree["observed_data"]["call"].values
        simulated = self.tree["posterior_predictive"]["call"].values
        simulated = simulated.reshape(-1, simulated.shape[-1])
        statistics = {
            "passes": lambda call: (call == 0).mean(axis=-1),
            "suit bids": lambda call: IS_SUIT[call].mean(axis=-1),
            "mean level": lambda call: np.where(call > 2, (call + 2) // 5, 0).mean(axis=-1),
            "bids from level 3": lambda call: (call >= 13).mean(axis=-1),
        }
        found = {}
        for name, statistic in statistics.items():
            seen, drawn = float(statistic(observed)), statistic(simulated)
            found[name] = seen, float(((drawn < seen) + 0.5 * (drawn == seen)).mean())
        return found

    def save(self, path: str | Path) -> None:
        """Write everything as netCDF."""
        self.tree.to_netcdf(path, engine="h5netcdf")

    @classmethod
    def load(cls, path: str | Path) -> Styles:
        """Read what :meth:`save` wrote."""
        import xarray

        if not Path(path).is_file():
            raise BayesBridgeError(f"no file {str(path)!r}: save fitted styles there first", path=str(path))
        with xarray.open_datatree(path, engine="h5netcdf") as tree:
            return cls(tree.load())

    def __repr__(self) -> str:
        return f"<Styles of {', '.join(self.players)}: {len(self.values)} draws>"


def _with_predictions(
    tree: xarray.DataTree, design: Design, predictive: int, rng: np.random.Generator
) -> xarray.DataTree:
    """The tree with observed calls and as many as simulated from evenly spaced draws."""
    import xarray

    values = Styles(tree).values
    chosen = values[np.linspace(0, len(values) - 1, min(predictive, len(values))).astype(int)]
    # One draw at a time: all at once would take draws × records × 38 numbers several times over.
    calls = np.empty((1, len(chosen), len(design.call)), dtype=np.int64)
    for row, style in enumerate(chosen):
        cumulative = design.probabilities(style[None])[0].cumsum(axis=1)
        calls[0, row] = (rng.random(len(design.call))[:, None] * cumulative[:, -1:] >= cumulative).sum(axis=1)
    dims = ("chain", "draw", "record")
    tree["posterior_predictive"] = xarray.DataTree(xarray.Dataset({"call": (dims, calls)}))
    tree["observed_data"] = xarray.DataTree(xarray.Dataset({"call": ("record", design.call)}))
    return tree


def _bidder(scaled: Sequence[float]) -> StyleBidder:
    """A style from the scales of the prior."""
    aggressiveness, preference, log_temperature, logit_slip = scaled
    return StyleBidder(
        float(np.clip(aggressiveness, -4.0, 4.0)),
        float(np.clip(preference, -4.0, 4.0)),
        float(np.exp(log_temperature)),
        float(1.0 / (1.0 + np.exp(-logit_slip))),
    )
