"""Who is this player, and what do they hold? Both at once: each call tells something of either."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.fit import Prior, sample_quietly
from bayesbridge.bidders.records import CallRecord
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.styles import Styles
from bayesbridge.deal import Seat
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.enumeration import BLOCK, MOST_LAYOUTS, Enumeration
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError
from bayesbridge.joint.marginal import Rows, log_marginal, log_weights
from bayesbridge.joint.question import StyleQuestion
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, generator

NAN: Final = float("nan")

METHODS: Final = ("auto", "counts", "draws", "swaps")

AVERAGED: Final = 200
"""Draws of the style over which the weight of a layout is averaged."""


@dataclass(frozen=True, slots=True)
class JointPosterior:
    """What is known of the player and of the layout, after their records and the calls of this auction."""

    styles: Styles
    """His style; the player's name is that of the seat."""
    layouts: Posterior
    """The layouts, with the style summed out; answers all that a posterior answers but for P(evidence) and entropy."""


def infer_jointly(
    belief: Belief,
    seat: Seat | str,
    records: Iterable[CallRecord] = (),
    prior: Prior | None = None,
    *,
    method: str = "auto",
    layouts: int = 4000,
    draws: int = 500,
    tune: int = 500,
    chains: int = 2,
    rng: Seed = None,
) -> JointPosterior:
    """The joint posterior of the style of one seat and of the layout.

    ``belief`` holds the calls of this auction; the other seats bid as its own model says. ``records`` are calls of the
    same player with known hands. ``method``: ``counts`` walks all layouts and sums them out exactly by what the style
    model sees of them; ``draws`` sums out ``layouts`` of them drawn at random; ``swaps`` samples layouts beside the
    style, the slow and general reference; ``auto`` takes counts where the layouts can be walked, else draws.
    """
    if method not in METHODS:
        raise BayesBridgeError(f"unknown method {method!r}: choose {', '.join(METHODS)}", method=method)
    question = StyleQuestion.of(belief, seat, list(records), prior or Prior())
    count, numbers = belief.count(), generator(rng)
    if method == "auto":
        method = "counts" if count <= MOST_LAYOUTS else "draws"
    if method == "swaps":
        return _with_swaps(question, (draws, tune, chains), numbers)
    target = belief.target
    source = target.walk if method == "counts" else target.sampler.draw(layouts, numbers)
    return _summed_out(question, source, (draws, tune, chains), numbers)


def _summed_out(
    question: StyleQuestion, source: Enumeration | Masks, size: tuple[int, int, int], rng: np.random.Generator
) -> JointPosterior:
    import pymc as pm

    exact = isinstance(source, Enumeration)
    rows = Rows.of(question, source.blocks(BLOCK) if isinstance(source, Enumeration) else iter([source]))
    with pm.Model(coords={"player": [question.seat.name]}):
        pm.Potential("calls", log_marginal(question, rows, question.style()))
        styles = Styles(sample_quietly(*size, rng))
    values = styles.draws(question.seat.name)
    chosen = values[np.linspace(0, len(values) - 1, min(AVERAGED, len(values))).astype(int)]
    log = log_weights(question, rows, chosen)
    weights = Weights(log)
    how = "all walked" if exact else f"{len(log)} drawn, {weights.diagnosis}"
    target = question.belief.target
    why = f"joint: {target.count} layouts, {how}; {len(rows)} different to the style model, summed out under NUTS"
    ess = float(len(log)) if exact else weights.ess
    found = Draws(
        target,
        "joint",
        why,
        source,
        importance=weights,
        likelihood=log,
        log_soft=NAN,
        log_soft_error=NAN,
        ess=ess,
    )
    return JointPosterior(styles, Posterior(question.belief, found))


def _with_swaps(question: StyleQuestion, size: tuple[int, int, int], rng: np.random.Generator) -> JointPosterior:
    import pymc as pm

    from bayesbridge.joint.layout import LayoutStep, layout_variable

    with pm.Model(coords={"player": [question.seat.name]}) as model:
        layout = layout_variable(question, question.style(), rng)
        step = LayoutStep([model.rvs_to_values[layout]])
        styles = Styles(sample_quietly(*size, rng, step=[step]))
    masks = styles.tree["posterior"].dataset["layout"].values.reshape(-1, 4).astype(np.uint64)
    cell = question.cells(masks)
    log = question.log_others(masks)
    for row, values in enumerate(styles.draws(question.seat.name)):
        log[row] += question.log_seat(cell[row : row + 1], StyleBidder(*values.tolist()))[0]
    different = len(np.unique(masks, axis=0))
    why = f"joint: layouts beside the style, {len(masks)} draws, {different} different layouts"
    found = Draws(
        question.belief.target,
        "joint",
        why,
        masks,
        likelihood=log,
        log_soft=NAN,
        log_soft_error=NAN,
        ess=float(different),
        chains=size[2],
    )
    return JointPosterior(styles, Posterior(question.belief, found))
