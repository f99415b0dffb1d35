"""Learning styles from auctions on record, with PyMC.

A record is one call whose caller's hand is known. Each player p has four numbers, on scales where a normal prior makes
sense: aggressiveness and suit preference in tricks, the logarithm of the temperature, the log odds of the slip rate.
With one player they have the prior itself; with several the players come from one population whose mean and spread are
learned too, so a player seen rarely borrows from the others::

    θ_p = μ + σ · z_p,   z_p ~ Normal(0, 1),   μ ~ Normal(prior centre, prior spread),   σ ~ HalfNormal(prior spread)
    call_r ~ Categorical(p_r),   p_r = P(each of the 38 calls ∣ hand and auction of record r, θ of its player)

(non-centred: NUTS walks in z, whose shape does not depend on σ). What a record says comes from
:class:`~bayesbridge.bidders.style.Terms`: utilities are quadratic in the tricks that a style adds, so all that a hand
and an auction contribute is three arrays, worked out once before sampling. An illegal call has probability 0.
"""

from __future__ import annotations

import importlib.util
import logging
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from bayesbridge.bidders.records import CallRecord, Design
from bayesbridge.bidders.style import BOUNDS, LEANING, StyleBidder
from bayesbridge.bidders.styles import STYLE, Styles
from bayesbridge.calls import CALLS
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import one_thread
from bayesbridge.random64 import Seed, generator

if TYPE_CHECKING:
    import pymc
    import xarray

POOLINGS: Final = ("none", "partial", "complete")
"""How the players are related: each for themselves, from one population that is learned, or all alike."""

SCALES: Final = ("aggressiveness", "suit_preference", "log_temperature", "logit_slip")
"""The four parameters on the scales of the prior, as in :class:`Prior`."""


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


def style_variables(prior: Prior, players: Sequence[str], pooled: bool, alike: bool = False) -> list[Any]:
    """The four parameters as variables of the PyMC model in context, each (players,); also as draws to keep.

    ``pooled``: the players come from a population, whose ``population_mean`` and ``population_spread`` are variables
    too, one of each for every parameter that the prior leaves open. ``alike``: all players have the same style.
    """
    import pymc as pm
    import pytensor.tensor as pt

    unknown = [column for column, normal in enumerate(prior.normals()) if normal.spread > 0.0]
    centres, spreads = (np.array(values) for values in zip(*prior.normals(), strict=True))
    mean, spread = list(centres), list(spreads)
    if pooled and unknown:
        pm.modelcontext(None).add_coord("parameter", [SCALES[column] for column in unknown])
        means = pm.Normal("population_mean", centres[unknown], spreads[unknown], dims="parameter")
        widths = pm.HalfNormal("population_spread", spreads[unknown], dims="parameter")
        for row, column in enumerate(unknown):
            mean[column], spread[column] = means[row], widths[row]
    links = (lambda x: x, lambda x: x, pt.exp, pt.sigmoid)
    found = []
    for column, (name, link) in enumerate(zip(STYLE, links, strict=True)):
        value = pt.as_tensor(np.full(len(players), centres[column]))
        if column in unknown:
            z = pm.Normal(f"z_{name}", dims=None if alike else "player")
            value = mean[column] + spread[column] * z + np.zeros(len(players))
        found.append(pm.Deterministic(name, link(value), dims="player"))
    return found


def call_chances(design: Design, style: Sequence[Any]) -> Any:
    """(r, 38) P(call) of records as an expression in the style variables; 0 for what is illegal."""
    import pytensor.tensor as pt

    aggressiveness, preference, temperature, slip = (parameter[design.player][:, None] for parameter in style)
    added = aggressiveness + preference * LEANING
    meant = pt.special.softmax((design.u0 + (design.u1 + design.u2 * added) * added) / temperature, axis=1)
    return slip * design.legal / design.legal.sum(axis=1, keepdims=True) + (1.0 - slip) * meant


def log_calls(design: Design, style: Sequence[Any]) -> Any:
    """(r,) log P(call made) of records as an expression in the style variables."""
    import pytensor.tensor as pt

    return pt.log(call_chances(design, style)[np.arange(len(design.call)), design.call])


def style_model(records: Iterable[CallRecord], prior: Prior | None = None, *, pooling: str | None = None) -> pymc.Model:
    """The PyMC model that :func:`fit_styles` samples, for those who would rather go on themselves.

    Its likelihood is a ``pm.Categorical`` named ``call`` with one entry for each record. Dimensions: ``player``,
    ``record``, ``option`` (the 38 calls, by name) and, with partial pooling, ``parameter``. ``Styles(tree)`` takes what
    ``pm.sample`` gives.
    """
    model, _ = _build(list(records), prior or Prior(), pooling)
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
    """The posterior of every player's style, by NUTS; a warning says in one line if the chains have not converged.

    ``pooling``: ``"partial"`` if the players come from one population that is learned too (the default for several),
    ``"none"`` if each is learned alone (the default for one), ``"complete"`` if all have the same style.
    ``predictive``: whether to add what ArviZ needs beyond the draws: prior, prior and posterior predictive calls, log
    likelihood and log prior. The calls take 10 bytes for each draw of each record.
    ``sample``: further arguments of ``pm.sample``, such as ``nuts_sampler="nutpie"``, ``target_accept`` or ``cores``.
    """
    _verify_sampler(sample.get("nuts_sampler"))
    model, design = _build(list(records), prior or Prior(), pooling)
    numbers = generator(rng)
    with model:
        tree = sample_quietly(draws, tune, chains, numbers, **sample)
    if predictive:
        tree = with_predictions(with_prior(tree, model, numbers), design, numbers)
    styles = Styles(tree)
    if styles.warning:
        warnings.warn(styles.warning, stacklevel=2)
    return styles


def _build(records: list[CallRecord], prior: Prior, pooling: str | None) -> tuple[pymc.Model, Design]:
    """The model of the records, and the records as arrays."""
    import pymc as pm

    if not records:
        raise BayesBridgeError("no records to fit: give at least one call with its hand", records=())
    if not any(normal.spread for normal in prior.normals()):
        raise BayesBridgeError("nothing to learn: the prior knows all four numbers, give one of them a spread above 0")
    players = sorted({record.player for record in records})
    chosen = pooling or ("partial" if len(players) > 1 else "none")
    if chosen not in POOLINGS:
        raise BayesBridgeError(f"unknown pooling {chosen!r}: choose {', '.join(POOLINGS)}", pooling=chosen)
    design = Design.of(records, players)
    coords = {"player": players, "record": range(len(records)), "option": [str(call) for call in CALLS]}
    with pm.Model(coords=coords) as model:
        style = style_variables(prior, players, chosen == "partial", chosen == "complete")
        player = pm.Data("player_index", design.player, dims="record")
        legal = pm.Data("legal", design.legal, dims=("record", "option"))
        chances = call_chances(design._replace(player=player, legal=legal), style)
        pm.Categorical("call", p=chances, observed=design.call, dims="record")
    return model, design


def _verify_sampler(name: str | None) -> None:
    """Refuse a sampler of another package that is not installed."""
    if name not in (None, "pymc") and importlib.util.find_spec(str(name)) is None:
        raise BayesBridgeError(
            f"nuts_sampler {name!r} is not installed: install it, or leave the argument out", nuts_sampler=name
        )


def sample_quietly(draws: int, tune: int, chains: int, rng: np.random.Generator, **options: Any) -> xarray.DataTree:
    """NUTS in the model in context: chains one after the other, no bars, no advice; the caller looks at R-hat."""
    import pymc as pm

    quiet = {"cores": 1, "progressbar": False, "compute_convergence_checks": False}
    seeds = [int(seed) for seed in rng.integers(0, 1 << 31, size=chains)]
    with _without_messages(), one_thread():
        tree: xarray.DataTree = pm.sample(draws=draws, tune=tune, chains=chains, random_seed=seeds, **(quiet | options))
    return tree


@contextmanager
def _without_messages() -> Iterator[None]:
    """PyMC does not tell what it is doing."""
    log = logging.getLogger("pymc")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def with_prior(tree: xarray.DataTree, model: pymc.Model, rng: np.random.Generator) -> xarray.DataTree:
    """The tree with draws from the prior, calls simulated from them, and the log prior of the posterior's draws."""
    import pymc as pm
    from pymc.stats import compute_log_prior

    with _without_messages():
        drawn = pm.sample_prior_predictive(1000, model=model, random_seed=int(rng.integers(0, 1 << 31)))
        compute_log_prior(tree, model=model, progressbar=False)
    tree["prior"], tree["prior_predictive"] = drawn["prior"], drawn["prior_predictive"]
    return tree


def with_predictions(tree: xarray.DataTree, design: Design, rng: np.random.Generator) -> xarray.DataTree:
    """The tree with observed calls, and for each draw simulated calls and the log likelihood of each record."""
    import xarray

    posterior = tree["posterior"].dataset
    shape = (posterior.sizes["chain"], posterior.sizes["draw"], len(design.call))
    values = Styles(tree).values
    calls, log = np.empty((len(values), shape[-1]), dtype=np.int16), np.empty((len(values), shape[-1]))
    rows = np.arange(shape[-1])
    # One draw at a time: all at once would take draws × records × 38 numbers several times over.
    for row, style in enumerate(values):
        chances = design.probabilities(style[None])[0]
        log[row] = np.log(chances[rows, design.call])
        cumulative = chances.cumsum(axis=1)
        calls[row] = (rng.random(shape[-1])[:, None] * cumulative[:, -1:] >= cumulative).sum(axis=1)
    dims = ("chain", "draw", "record")
    coords = {"chain": posterior["chain"], "draw": posterior["draw"], "record": rows}
    for group, found in (("posterior_predictive", calls), ("log_likelihood", log)):
        tree[group] = xarray.DataTree(xarray.Dataset({"call": (dims, found.reshape(shape))}, coords))
    tree["observed_data"] = xarray.DataTree(xarray.Dataset({"call": ("record", design.call)}, {"record": rows}))
    return tree
