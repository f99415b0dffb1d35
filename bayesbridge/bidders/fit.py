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

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from bayesbridge.bidders.records import CallRecord, Design
from bayesbridge.bidders.style import BOUNDS, LEANING, StyleBidder
from bayesbridge.bidders.styles import STYLE, Styles
from bayesbridge.errors import BayesBridgeError
from bayesbridge.products import one_thread
from bayesbridge.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


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
"""Where a style ends, on the scale of its prior."""

_TRICKS = Normal(0.0, 0.75)
_LOG_TEMPERATURE = Normal(0.0, 0.4)
_LOGIT_SLIP = Normal(-4.0, 0.7)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of a player before any record; docs/learning.md defends the defaults."""

    aggressiveness: Normal = _TRICKS
    """Tricks."""
    suit_preference: Normal = _TRICKS
    """Tricks."""
    log_temperature: Normal = _LOG_TEMPERATURE
    logit_slip: Normal = _LOGIT_SLIP

    def __post_init__(self) -> None:
        for field in fields(self):
            prior = Normal(*getattr(self, field.name))
            low, high = ENDS[field.name]
            if not (np.isfinite(prior.centre) and 0.0 <= prior.spread < np.inf):
                raise BayesBridgeError(
                    f"prior of {field.name} {tuple(prior)}: give a centre and a spread of 0 or more",
                    **{field.name: prior},
                )
            if not low <= prior.centre <= high:
                raise BayesBridgeError(
                    f"prior of {field.name} centred at {prior.centre:g}: give a centre from {low:.3g} to {high:.3g}",
                    **{field.name: prior},
                )
            object.__setattr__(self, field.name, prior)

    def draw(self, rng: Seed = None) -> StyleBidder:
        """A player from the prior, which is cut off where a style ends."""
        numbers = generator(rng)
        low, high = np.array(list(ENDS.values())).T
        centre, spread = np.array(self.normals()).T
        while True:
            z = numbers.standard_normal(len(STYLE))
            if ((low <= centre + spread * z) & (centre + spread * z <= high)).all():
                return self.bidder(z.tolist())

    def bidder(self, z: Sequence[float]) -> StyleBidder:
        """The player who lies so many spreads from each centre, or at the end of a style."""
        scaled = [prior.centre + prior.spread * value for prior, value in zip(self.normals(), z, strict=True)]
        aggressiveness, preference = np.clip(scaled[:2], -4.0, 4.0).tolist()
        temperature = float(np.clip(np.exp(scaled[2]), *BOUNDS["temperature"]))
        return StyleBidder(aggressiveness, preference, temperature, float(1 / (1 + np.exp(-scaled[3]))))

    def normals(self) -> tuple[Normal, ...]:
        """The four priors, in the order of the style's parameters."""
        return (self.aggressiveness, self.suit_preference, self.log_temperature, self.logit_slip)


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
    added = aggressiveness[:, None] + preference[:, None] * LEANING
    u = (design.u0 + (design.u1 + design.u2 * added) * added) / temperature[:, None]
    meant = u[np.arange(len(design.call)), design.call] - pt.logsumexp(u, axis=1)
    return pt.logaddexp(pt.log(slip) - np.log(design.legal), pt.log1p(-slip) + meant)


def fit_styles(
    records: Iterable[CallRecord],
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
    numbers = generator(rng)
    with pm.Model(coords={"player": players}):
        style = style_variables(prior or Prior(), players, len(players) > 1 if pooled is None else pooled)
        pm.Potential("calls", log_calls(design, style).sum())
        tree = sample_quietly(draws, tune, chains, numbers)
    return Styles(with_predictions(tree, design, predictive, numbers))


def sample_quietly(draws: int, tune: int, chains: int, rng: np.random.Generator, **options: Any) -> xarray.DataTree:
    """NUTS in the model in context: chains one after the other, no bars, no advice; the caller looks at R-hat."""
    import pymc as pm

    log = logging.getLogger("pymc")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with one_thread():
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


def with_predictions(
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
