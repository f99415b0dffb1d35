"""Layouts grouped by what a style model sees of them, and the likelihood of styles.

The style model reads nothing of a hand but its five cells, so layouts with the same
cells are one *row*. A row weighs what the other evidence says of its layouts, over
their density where they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.style_proposal import StyleProposal
from bayesbridge.bidders.auctions import Turn
from bayesbridge.bidders.fit import CallRecord, Design, Prior
from bayesbridge.bidders.style import (
    CELLS,
    LEANING,
    Cells,
    Options,
    StyleBidder,
    Terms,
    cells,
)
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.target import LikelihoodTerm, SoftEvidence
from bayesbridge.engines.tilt import tilted_draws
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands, Masks

STYLES_OF_A_DRAW: Final = 64
"""Points of the prior over which the style is summed out where layouts are drawn."""

MOST_STYLES: Final = 64
"""Styles worked on at a time."""

STYLES_TIMES_ROWS: Final = 1 << 20
"""The same times rows: 8 MB."""

CELL_POWERS: Final = CELLS ** np.arange(len(Strain))
"""(5,) what the cells of a hand are multiplied by to make one number of them."""


class CallMade(NamedTuple):
    """A call of the seat in this auction, and what it could have called."""

    options: Options
    call: int  # the index of what it called


@dataclass(frozen=True, eq=False)
class StyleQuestion:
    """A belief in style bidders, and one seat whose style is to be learned.

    ``prior`` says what is known of that style beforehand.
    """

    belief: Belief
    seat: Seat
    prior: Prior
    calls: tuple[CallMade, ...]  # of the seat in this auction
    other_evidence: SoftEvidence  # all soft evidence but these calls
    # the calls on record of the same player, None if there are none
    design: Design | None

    @classmethod
    def of(
        cls,
        belief: Belief,
        seat: Seat | str,
        records: Sequence[CallRecord],
        prior: Prior,
    ) -> StyleQuestion:
        """The question, or an error where a style cannot be learned."""
        caller = Seat.of(seat)
        bidder = _verified_bidder(belief, caller)
        return cls(
            belief,
            caller,
            prior,
            calls=_calls_of(belief, caller, bidder),
            other_evidence=SoftEvidence(
                tuple(
                    term
                    for term in belief.target.soft.terms
                    if caller not in term.seats or term.call is None
                )
            ),
            design=_design_of(records, caller),
        )

    def log_records(self, styles: Floats) -> Floats:
        """(…) log P(the calls on record) for (…, 4) styles."""
        design = self.design
        if design is None:
            return np.zeros(styles.shape[:-1])
        made = 0, np.arange(len(design.call)), design.call
        log_chances = [
            np.log(design.probabilities(style[None, None])[made]).sum()
            for style in styles.reshape(-1, 4)
        ]
        return np.reshape(log_chances, styles.shape[:-1])

    def weighted_styles(
        self, proposal: StyleProposal, points: Floats
    ) -> tuple[Floats, Floats]:
        """(…, 4) styles at (…, k) points of a proposal, and their (…) log weights.

        The weights are for the prior and the records.
        """
        styles = self.prior.styles(points)
        return styles, proposal.log_weight(points) + self.log_records(styles)

    def proposal(
        self,
        rng: np.random.Generator,
        log_likelihood: Callable[[Floats], Floats] | None = None,
    ) -> StyleProposal:
        """A proposal that covers what the records say of the style.

        ``log_likelihood`` of (n, 4) styles is what else speaks of it.
        """
        dimensions = len(self.prior.unknown)
        if self.design is None and log_likelihood is None:
            return StyleProposal.prior(dimensions)

        def log_of_points(points: Floats) -> Floats:
            """(n,) log P(records, and what else speaks of the style ∣ point)."""
            styles = self.prior.styles(points)
            log_records = self.log_records(styles)
            if log_likelihood is None:
                return log_records
            return log_records + log_likelihood(styles)

        return StyleProposal.fitted(log_of_points, dimensions, rng)

    def draw_layouts(self, n: int, rng: np.random.Generator) -> Draws:
        """About ``n`` layouts by the engine ``importance``.

        The style of the seat is summed out over points of what is known of it.
        """
        proposal = self.proposal(rng)
        points = proposal.draw(1, STYLES_OF_A_DRAW, rng)[0]
        styles, log_weights = self.weighted_styles(proposal, points)
        likelihood = CallsLikelihood(self.calls, styles, Weights(log_weights).W)
        target = self.belief.target
        own_terms = [term for term in target.soft.terms if self.seat in term.seats]
        pieces = tuple(chain.from_iterable(term.pieces for term in own_terms))
        term = LikelihoodTerm((int(self.seat),), pieces, likelihood, likelihood)
        soft = SoftEvidence((*self.other_evidence.terms, term))
        return tilted_draws(
            replace(target, soft=soft), n, rng, "they are too many to walk"
        )


def _verified_bidder(belief: Belief, caller: Seat) -> StyleBidder:
    """The bidder of a belief in which the style of the caller can be learned."""
    if caller == belief.observer:
        raise BayesBridgeError(
            f"{caller.name} is the observer, who knows that hand: name another",
            seat=caller,
        )
    callers = {seat for seat, _ in belief.auction or ()}
    if caller not in callers:
        raise BayesBridgeError(
            f"{caller.name} has not called: give the calls as evidence first",
            seat=caller,
        )
    bidder = belief.bidder
    if not isinstance(bidder, StyleBidder):
        raise BayesBridgeError(
            f"the belief takes the others for {type(bidder).__name__}, which has no "
            "style to learn: "
            "ask about belief.with_bidder(bb.StyleBidder())"
        )
    if belief.constraints.conditions:
        raise BayesBridgeError(
            "a style is inferred without conditions: leave Condition out",
            seat=caller,
        )
    return bidder


def _calls_of(
    belief: Belief, caller: Seat, bidder: StyleBidder
) -> tuple[CallMade, ...]:
    """What the caller called in the auction, and could have called."""
    auction = belief.auction
    assert auction is not None
    turns = [
        Turn.of(auction, index)
        for index, (seat, _) in enumerate(auction)
        if seat == caller
    ]
    return tuple(
        CallMade(Options.of(turn.before, bidder.vulnerable), turn.call.index)
        for turn in turns
    )


def _design_of(records: Sequence[CallRecord], caller: Seat) -> Design | None:
    """The records as arrays; they must be of one player."""
    players = sorted({record.player for record in records})
    if len(players) > 1:
        raise BayesBridgeError(
            f"records of {', '.join(players)}: give those of {caller.name} alone"
        )
    if not records:
        return None
    return Design.of(records, players)


class CallsLikelihood(NamedTuple):
    """log P(all calls of a seat ∣ hand), averaged over styles."""

    calls: Sequence[CallMade]
    styles: Floats  # (d, 4)
    style_weights: Floats  # (d,) adding up to one

    def __call__(self, hands: Hands, _: Hands | None = None, /) -> Floats:
        """(n,) for masks of n hands."""
        total = np.zeros(len(hands))
        chances_of_calls = CallChances.of(cells(hands), self.calls)
        for stretch, chances in chances_of_calls.of_styles(self.styles):
            total += self.style_weights[stretch] @ chances
        with np.errstate(divide="ignore"):
            return np.minimum(np.log(total), 0.0)


class StrainOptions(NamedTuple):
    """What a seat could call in one strain, m options, for the k rows of cells."""

    calls: NDArray[np.int64]  # (m,) indices, rising
    terms: Terms  # (c, m) utilities, for each cell that occurs
    cell_of_row: NDArray[np.intp]  # (k,) which of the c cells


class CallOptions(NamedTuple):
    """One call of a seat, with all that it could have called."""

    call: int  # the index of what it called
    legal: int  # how many calls were legal
    strains: list[StrainOptions]


class CallChances(NamedTuple):
    """P(each call of a seat ∣ cells, style) for rows of cells, all but the style."""

    calls: list[CallOptions]
    rows: int  # k, how many rows there are

    @classmethod
    def of(cls, rows: Cells, calls_made: Sequence[CallMade]) -> CallChances:
        """For (k, 5) cells of k rows."""
        cells_by_strain = [
            np.unique(rows[:, strain], return_inverse=True) for strain in Strain
        ]
        calls = []
        for options, call in calls_made:
            strains = []
            for strain in np.unique(options.strain).tolist():
                in_strain = options.strain == strain
                own = Options(*(column[in_strain] for column in options))
                occurring, cell_of_row = cells_by_strain[strain]
                terms = Terms.of(occurring[:, None], own)
                strains.append(StrainOptions(own.call, terms, cell_of_row))
            passing = 1
            calls.append(CallOptions(call, passing + len(options.call), strains))
        return cls(calls, len(rows))

    def of_calls(
        self, style: Sequence[Any], exp: Callable[[Any], Any]
    ) -> Iterator[Any]:
        """The probability of each call, (k,), for the four numbers of a style.

        They are PyTensor variables. Or arrays of d styles: the first three (d, 1, 1),
        the slip (d, 1); then the probabilities are (d, k).
        """
        aggressiveness, preference, temperature, slip = style
        for call, legal, strains in self.calls:
            # Odds against a pass, whose utility is 0: its own are 1.
            total = np.ones(self.rows)
            chosen = 1.0
            for options, terms, cell_of_row in strains:
                added_tricks = aggressiveness + preference * LEANING[options]
                odds = exp(terms.utility(added_tricks) / temperature)
                total = total + odds.sum(axis=-1)[..., cell_of_row]
                if call in options:
                    column = int(np.searchsorted(options, call))
                    chosen = odds[..., column][..., cell_of_row]
            yield slip / legal + (1.0 - slip) * chosen / total

    def of_styles(self, styles: Floats) -> Iterator[tuple[slice, Floats]]:
        """Stretches of (d, 4) styles, with P(all calls) for each style and row.

        The probabilities are (stretch, k).
        """
        affordable = STYLES_TIMES_ROWS // max(1, self.rows)
        length = max(1, min(MOST_STYLES, affordable))
        for begin in range(0, len(styles), length):
            stretch = slice(begin, begin + length)
            *utility_numbers, slip = styles[stretch].T[..., None]
            style = [*(number[..., None] for number in utility_numbers), slip]
            yield stretch, reduce(np.multiply, self.of_calls(style, np.exp))


@dataclass(frozen=True, slots=True, eq=False)
class StyleRows:
    """The n layouts in k rows, and the chances of the seat's calls for each row."""

    draws: Draws | None  # None where all layouts were walked
    layouts: Enumeration | Masks  # all of them, or those drawn that have weight
    chances: CallChances
    # (k,) log weight of each row; the weights add up to P(the other evidence)
    log_weights: Floats
    row: NDArray[np.int64]  # (n,) the row of each layout
    # (n,) log weight of each layout: log P(other evidence ∣ layout) − log density
    layout_log_weights: Floats
    log_other_evidence: Floats  # (n,) log P(other evidence ∣ layout)

    @classmethod
    def of(cls, question: StyleQuestion, draws: Draws | None) -> StyleRows:
        """Of drawn layouts, or of all that fit."""
        target = question.belief.target
        layouts: Enumeration | Masks
        log_density: Floats | float
        if draws is None:
            layouts = Enumeration.of(target.sampler)
            log_density = float(np.log(float(target.count)))
            blocks: Iterable[Masks] = layouts.blocks(BLOCK)
        else:
            layouts, log_density = _drawn_layouts(draws)
            blocks = [layouts]
        codes = []
        log_likelihoods = []
        for masks in blocks:
            hand_cells = cells(masks[:, question.seat])
            codes.append(hand_cells.astype(np.int64) @ CELL_POWERS)
            log_likelihoods.append(question.other_evidence.of_layouts(masks))
        log_other_evidence = np.concatenate(log_likelihoods)
        layout_log_weights = log_other_evidence - log_density
        highest = layout_log_weights.max()
        if highest == -np.inf:
            raise Contradiction(
                f"no layout explains what the others called under {question.belief.bidder!r}: "
                "give the model a slip (slip=0.02), or take a call back",
                evidence=question.belief.evidence,
            )
        code_of_row, row = np.unique(np.concatenate(codes), return_inverse=True)
        weights = np.bincount(row, np.exp(layout_log_weights - highest))
        weighs = weights > 0
        # Layouts of a row without weight have none either: they may go to row 0.
        new_number = np.where(weighs, np.cumsum(weighs) - 1, 0)
        cells_of_rows = code_of_row[weighs, None] // CELL_POWERS % CELLS
        return cls(
            draws,
            layouts,
            CallChances.of(cells_of_rows.astype(np.int16), question.calls),
            np.log(weights[weighs]) + highest,
            new_number[row],
            layout_log_weights,
            log_other_evidence,
        )

    @property
    def highest(self) -> float:
        """The log weight of the heaviest row."""
        return float(self.log_weights.max())

    @property
    def relative_weights(self) -> Floats:
        """(k,) weight of each row over that of the heaviest."""
        return np.asarray(np.exp(self.log_weights - self.highest))

    def log_marginal(self, styles: Floats) -> Floats:
        """(d,) log m(θ) = log Σ weight · P(calls ∣ row, θ) of (d, 4) styles."""
        marginal = np.empty(len(styles))
        weights = self.relative_weights
        for stretch, chances in self.chances.of_styles(styles):
            marginal[stretch] = chances @ weights
        with np.errstate(divide="ignore"):
            return np.log(marginal) + self.highest


def _drawn_layouts(draws: Draws) -> tuple[Masks, Floats]:
    """The (m, 4) layouts drawn that have weight, and the (m,) log density of each."""
    log_likelihood = draws.log_likelihood
    assert log_likelihood is not None
    used = draws.weights > 0
    log_density = (
        log_likelihood[used] - np.log(draws.weights[used]) - draws.log_marginal
    )
    return draws.stretch(0, len(draws))[used], log_density
