"""The layout as a random variable of PyMC, with a step of its own: the general reference.

The variable is a layout, four masks, uniform over what the hard evidence allows. NUTS moves the style with the layout
held, :class:`LayoutStep` moves the layout with the style held. PyMC would otherwise give a discrete variable to its
Metropolis, which proposes layouts that are none and stays where it is without a word; so the step is registered as the
ideal one for this variable, and is handed over explicitly besides.

One step chooses among a pool of layouts. From the present x a centre c is reached by k swaps, and from c the other
K − 1 members by k swaps each. Swaps are symmetric, q(c ∣ x) = q(x ∣ c), so given c and the pool every member could have
been the present one with the same probability, and choosing a member with probability proportional to its likelihood
leaves the posterior as it is. A second pool, drawn afresh from the exact sampler, reaches every layout from every
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from numpy.typing import NDArray
from pymc.logprob.abstract import _logprob
from pymc.step_methods import STEP_METHODS
from pymc.step_methods.arraystep import BlockedStep
from pymc.step_methods.compound import Competence
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch.basic import numba_funcify, numba_njit
from pytensor.tensor.random.op import RandomVariable
from pytensor.tensor.random.variable import shared_rng

from bayesbridge.bidders.fit import STYLE
from bayesbridge.bidders.style import LEANING, StyleBidder, Terms, cells, fill_cells, tables
from bayesbridge.engines.particles import Moves
from bayesbridge.engines.tables import Sampler
from bayesbridge.joint.question import StyleQuestion
from bayesbridge.layouts import Masks

POOL: Final = 64
"""K, layouts to choose from at a time."""


class LayoutVariable(RandomVariable):
    """Uniform over the layouts of a question; its parameter, a layout, only tells its shape."""

    name = "layout"
    signature = "(n)->(n)"
    dtype = "int64"
    _print_name = ("Layout", "Layout")
    __props__ = ("question", "sampler")

    def __init__(self, question: StyleQuestion, sampler: Sampler) -> None:
        self.question, self.sampler = question, sampler
        super().__init__()

    def rng_fn(self, rng: np.random.Generator, *_: Any) -> NDArray[np.int64]:
        """A layout from the exact sampler."""
        layout: NDArray[np.int64] = self.sampler.draw(1, rng)[0].astype(np.int64)
        return layout


@_logprob.register(LayoutVariable)
def _layout_log_probability(op: LayoutVariable, _values: Any, *_: Any, **__: Any) -> Any:
    # The step keeps to the support, so the value need not be looked at.
    return pt.constant(-np.log(float(op.sampler.total)))


class HandCells(Op):
    """A mask of 13 cards → its five cells, so that the likelihood of a layout is part of the graph."""

    __props__ = ()

    def make_node(self, mask: Any) -> Apply:
        """One integer in, five out."""
        return Apply(self, [pt.as_tensor(mask)], [pt.lvector()])

    def perform(self, _node: Apply, inputs: list[Any], outputs: list[list[Any]]) -> None:
        """Without compiling."""
        outputs[0][0] = cells(np.array([inputs[0]], dtype=np.uint64))[0].astype(np.int64)


@numba_funcify.register(HandCells)
def _compiled_cells(_op: HandCells, **_: Any) -> Any:
    side, trumps, length, leading, worth = tables()

    @numba_njit
    def hand_cells(mask: Any) -> Any:
        hands = np.empty(1, dtype=np.uint64)
        hands[0] = mask.item()
        found = np.empty((1, 5), dtype=np.int16)
        fill_cells(hands, side, trumps, length, leading, worth, found)
        return found[0].astype(np.int64)

    return hand_cells


def layout_variable(question: StyleQuestion, style: Sequence[Any], rng: np.random.Generator) -> Any:
    """The layout as a variable of the PyMC model in context, with the likelihood of the seat's calls.

    What the other seats called does not depend on the style: only the step asks for it.
    """
    sampler = question.belief.target.sampler
    start = _likely_layout(question, sampler, rng).astype(np.int64)
    _, drawn = LayoutVariable(question, sampler)(start, rng=shared_rng(rng), return_next_rng=True)
    layout = pm.modelcontext(None).register_rv(drawn, name="layout", initval=start)
    cell = HandCells()(layout[int(question.seat)])
    aggressiveness, preference, temperature, slip = (parameter[0] for parameter in style)
    for number, (options, call) in enumerate(question.asked):
        added = aggressiveness + preference * LEANING[options.call]
        odds = pt.exp(Terms.of(cell[options.strain], options).utility(added) / temperature)
        chosen = odds[int(np.searchsorted(options.call, call))] if call else 1.0
        chance = slip / (1 + len(options.call)) + (1.0 - slip) * chosen / (1.0 + odds.sum())
        pm.Potential(f"call_{number}", pt.log(chance))
    return layout


class LayoutStep(BlockedStep):
    """Moves the layout: a pool around the present one, then a pool drawn afresh."""

    name = "layout"
    stats_dtypes_shapes: ClassVar[dict[str, Any]] = {"tune": (bool, []), "moved": (bool, [])}

    def __init__(self, vars: list[Any], model: Any = None, rng: Any = None, **_: Any) -> None:
        (value,) = vars
        op = pm.modelcontext(model).values_to_rvs[value].owner.op
        self.vars, self.tune, self.rng = vars, True, np.random.default_rng(rng)
        self.question, self.sampler = op.question, op.sampler
        self.moves = Moves.of(op.question.belief.constraints)

    def step(self, point: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The point with another layout, or the same."""
        bidder = self.question.space.bidder(point)
        before = point["layout"].astype(np.uint64)
        swaps = int(2 ** self.rng.integers(0, 6))
        centre = self.moves.shuffle(before[None], swaps, self.rng)[0]
        pool = self.moves.shuffle(np.repeat(centre, POOL - 1, axis=0), swaps, self.rng)[0]
        after = self._choose(before, pool, bidder)
        after = self._choose(after, self.sampler.draw(POOL - 1, self.rng), bidder)
        moved = not np.array_equal(before, after)
        return point | {"layout": after.astype(np.int64)}, [{"tune": self.tune, "moved": moved}]

    def _choose(self, present: NDArray[np.uint64], others: Masks, bidder: StyleBidder) -> NDArray[np.uint64]:
        """One of the pool, with probability proportional to the likelihood."""
        pool = np.concatenate([present[None], others])
        log = self.question.log_seat(self.question.cells(pool), bidder) + self.question.others.of_layouts(pool)
        chances = np.exp(log - log.max()).cumsum()
        chosen: NDArray[np.uint64] = pool[np.searchsorted(chances, self.rng.random() * chances[-1], side="right")]
        return chosen

    @staticmethod
    def competence(var: Any, _has_grad: bool) -> Competence:
        """Ideal for a layout and for nothing else."""
        return Competence.IDEAL if isinstance(var.owner.op, LayoutVariable) else Competence.INCOMPATIBLE


STEP_METHODS.append(LayoutStep)


def _likely_layout(question: StyleQuestion, sampler: Sampler, rng: np.random.Generator) -> NDArray[np.uint64]:
    """A layout that the calls do not exclude, to start from."""
    pool = sampler.draw(4 * POOL, rng)
    bidder = question.space.prior.bidder([0.0] * len(STYLE))
    log = question.log_seat(question.cells(pool), bidder) + question.others.of_layouts(pool)
    best: NDArray[np.uint64] = pool[np.argmax(log)]
    return best
