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

MOST_CHANCES: Final = 1 << 20
"""Styles times rows worked on at a time: 8 MB."""

CELL_PLACE_VALUES: Final = CELLS ** np.arange(len(Strain))
"""(5,) by which the cells of a hand, 0 … CELLS − 1 each, become one number: they are
its digits to the base CELLS.
"""


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
        """The question, or an error where a style cannot be learned.

        ``records`` are calls of the same player with known hands.
        """
        caller = Seat.of(seat)
        bidder = _verified_bidder(belief, caller)
        # All but the calls of the seat: what it plays (a term without a call) stays.
        other_terms = tuple(
            term
            for term in belief.target.soft.terms
            if caller not in term.seats or term.call is None
        )
        return cls(
            belief,
            caller,
            prior,
            calls=_calls_of(belief, caller, bidder),
            other_evidence=SoftEvidence(other_terms),
            design=_design_of(records, caller),
        )

    def log_records(self, styles: Floats) -> Floats:
        """(…) log P(the calls on record) for (…, 4) styles."""
        records = self.design
        if records is None:
            return np.zeros(styles.shape[:-1])
        record = np.arange(len(records.call))
        log_chances = []
        for style in styles.reshape(-1, 4):
            one_draw_one_player = style[None, None]
            (chances,) = records.probabilities(one_draw_one_player)  # (records, calls)
            log_chances.append(np.log(chances[record, records.call]).sum())
        return np.reshape(log_chances, styles.shape[:-1])

    def weighted_styles(
        self, proposal: StyleProposal, points: Floats
    ) -> tuple[Floats, Floats]:
        """The styles at points of a proposal, and their importance weights.

        ``points`` (…, k) are distances from the centres of the prior in its spreads, of
        the k parameters that are not known. The answers are (…, 4) styles and (…) logs
        of prior times P(records ∣ style) over the density of the proposal.
        """
        styles = self.prior.styles(points)
        return styles, proposal.log_weight(points) + self.log_records(styles)

    def proposal(
        self,
        rng: np.random.Generator,
        log_likelihood: Callable[[Floats], Floats] | None = None,
    ) -> StyleProposal:
        """A distribution to draw styles from, fitted to what the records say of them.

        It is one of points: distances from the centres of the prior in its spreads, of
        the parameters that are not known. ``log_likelihood`` takes (n, 4) styles and
        gives the (n,) log likelihood of further evidence about the style.
        """
        dimensions = len(self.prior.unknown)
        if self.design is None and log_likelihood is None:
            return StyleProposal.prior(dimensions)

        def log_likelihood_of_points(points: Floats) -> Floats:
            """(n,) log P(records and further evidence ∣ style at each point)."""
            styles = self.prior.styles(points)
            log_records = self.log_records(styles)
            if log_likelihood is None:
                return log_records
            return log_records + log_likelihood(styles)

        return StyleProposal.fitted(log_likelihood_of_points, dimensions, rng)

    def draw_layouts(self, n: int, rng: np.random.Generator) -> Draws:
        """Draw about ``n`` layouts by importance sampling.

        For this the calls of the seat are weighed by their mean likelihood over some
        styles, drawn from the prior and the records.
        """
        proposal = self.proposal(rng)
        (points,) = proposal.draw(1, STYLES_OF_A_DRAW, rng)
        styles, log_weights = self.weighted_styles(proposal, points)
        mean_likelihood = CallsLikelihood(
            self.calls, styles, style_weights=Weights(log_weights).W
        )
        target = self.belief.target
        own_terms = [term for term in target.soft.terms if self.seat in term.seats]
        own_pieces = chain.from_iterable(term.pieces for term in own_terms)
        calls_of_seat = LikelihoodTerm(
            seats=(int(self.seat),),
            pieces=tuple(own_pieces),
            likelihood=mean_likelihood,
            guide=mean_likelihood,  # no quicker model to fit the sampler to
        )
        soft = SoftEvidence((*self.other_evidence.terms, calls_of_seat))
        return tilted_draws(
            replace(target, soft=soft), n, rng, why="they are too many to walk"
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
        """(n,) log likelihoods of the hands with these (n,) masks."""
        mean_likelihood = np.zeros(len(hands))
        chances_of_calls = CallChances.of(cells(hands), self.calls)
        for stretch, chances in chances_of_calls.of_styles(self.styles):
            mean_likelihood += self.style_weights[stretch] @ chances
        with np.errstate(divide="ignore"):
            # A probability: rounding must not bring it above 1.
            return np.minimum(np.log(mean_likelihood), 0.0)


class StrainOptions(NamedTuple):
    """The m calls in one strain that were legal at one turn, and their utilities.

    A call depends on the hand only by its cell in the strain (its strength there, as a
    small integer), and many hands share one: utilities are worked out for the c
    different cells, not for the k hands.
    """

    calls: NDArray[np.int64]  # (m,) indices of calls, rising
    utilities: Terms  # (c, m) as quadratics in the tricks that a style adds
    cell_of_row: NDArray[np.intp]  # (k,) which of the c cells each of the k hands has


class CallOptions(NamedTuple):
    """One call of a seat, with all that it could have called."""

    call: int  # the index of what it called
    legal: int  # how many calls were legal
    strains: list[StrainOptions]


class CallChances(NamedTuple):
    """What P(each call of a seat ∣ hand, style) needs, all but the style."""

    calls: list[CallOptions]
    rows: int  # k, how many hands there are that differ to the style model

    @classmethod
    def of(cls, hand_cells: Cells, calls_made: Sequence[CallMade]) -> CallChances:
        """The utilities of all that a seat could have called with each of k hands.

        ``hand_cells`` (k, 5): a cell is the strength of a hand in a strain, as a small
        integer. ``calls_made`` are the calls of the seat, each with its legal options.
        """
        distinct_cells = []
        for strain in Strain:
            cells_of_strain, cell_of_row = np.unique(
                hand_cells[:, strain], return_inverse=True
            )
            distinct_cells.append((cells_of_strain, cell_of_row))
        calls = []
        for options, call in calls_made:
            strains = []
            for strain in np.unique(options.strain).tolist():
                is_of_strain = options.strain == strain
                strain_options = Options(*(column[is_of_strain] for column in options))
                cells_of_strain, cell_of_row = distinct_cells[strain]
                utilities = Terms.of(cells_of_strain[:, None], strain_options)
                strains.append(
                    StrainOptions(strain_options.call, utilities, cell_of_row)
                )
            # ``options`` are the legal calls but Pass.
            legal = 1 + len(options.call)
            calls.append(CallOptions(call, legal, strains))
        return cls(calls, len(hand_cells))

    def of_calls(
        self, style: Sequence[Any], exp: Callable[[Any], Any]
    ) -> Iterator[Any]:
        """P(call ∣ hand, style) of each call in turn, for k hands that differ.

        It is a multinomial logit: a call has odds exp(utility / temperature) against
        Pass, whose utility is 0. With probability ``slip`` any legal call is made.

        Parameters
        ----------
        style : aggressiveness, preference, temperature, slip
            Scalars of PyTensor; or arrays of d styles, the first three (d, 1, 1), to
            stand beside hands and calls, and the slip (d, 1).
        exp : callable
            The exponential of such values.

        Yields
        ------
        tensor or array
            (k,) of one style, (d, k) of d.
        """
        aggressiveness, preference, temperature, slip = style
        for call, legal, strains in self.calls:
            sum_of_odds = np.ones(self.rows)  # those of Pass
            odds_of_call = 1.0  # if it is Pass
            for calls_of_strain, utilities, cell_of_row in strains:
                added_tricks = aggressiveness + preference * LEANING[calls_of_strain]
                # (…, c, m) of c different hands in this strain and m calls
                odds = exp(utilities.utility(added_tricks) / temperature)
                sum_of_odds = sum_of_odds + odds.sum(axis=-1)[..., cell_of_row]
                if call in calls_of_strain:
                    column = int(np.searchsorted(calls_of_strain, call))
                    odds_by_cell = odds[..., column]
                    odds_of_call = odds_by_cell[..., cell_of_row]
            yield slip / legal + (1.0 - slip) * odds_of_call / sum_of_odds

    def of_styles(self, styles: Floats) -> Iterator[tuple[slice, Floats]]:
        """P(all calls ∣ hand, style) for k hands that differ, some styles at a time.

        Yields stretches of the (d, 4) styles, each with its (stretch, k) probabilities.
        """
        affordable = MOST_CHANCES // max(1, self.rows)
        length = max(1, min(MOST_STYLES, affordable))
        for begin in range(0, len(styles), length):
            stretch = slice(begin, begin + length)
            aggressiveness, preference, temperature, slip = styles[stretch].T
            # Axes to broadcast over hands, and over the calls of a strain.
            style = [
                aggressiveness[:, None, None],
                preference[:, None, None],
                temperature[:, None, None],
                slip[:, None],
            ]
            # The calls are independent given hand and style.
            yield stretch, reduce(np.multiply, self.of_calls(style, np.exp))


@dataclass(frozen=True, slots=True, eq=False)
class StyleRows:
    """The n layouts in k rows, and the chances of the seat's calls for each row.

    A row is all layouts in which the hand of the seat looks alike to the style model,
    that is, has the same five cells.
    """

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
        """Group layouts by the seat's hand as the style model sees it, and weigh them.

        The layouts are those drawn, or all that fit where ``draws`` is ``None``.
        """
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
        hand_codes, log_other_evidence = _read_layouts(question, blocks)
        layout_log_weights = log_other_evidence - log_density
        if layout_log_weights.max() == -np.inf:
            raise Contradiction(
                f"no layout explains what the others called under {question.belief.bidder!r}: "
                "give the model a slip (slip=0.02), or take a call back",
                evidence=question.belief.evidence,
            )
        row_cells, row_log_weights, row = _group(hand_codes, layout_log_weights)
        return cls(
            draws=draws,
            layouts=layouts,
            chances=CallChances.of(row_cells, question.calls),
            log_weights=row_log_weights,
            row=row,
            layout_log_weights=layout_log_weights,
            log_other_evidence=log_other_evidence,
        )

    @property
    def log_heaviest(self) -> float:
        """The log weight of the heaviest row."""
        return float(self.log_weights.max())

    @property
    def relative_weights(self) -> Floats:
        """(k,) weight of each row over that of the heaviest."""
        return np.asarray(np.exp(self.log_weights - self.log_heaviest))

    def log_marginal(self, styles: Floats) -> Floats:
        """(d,) log m(θ) = log Σ weight · P(calls ∣ row, θ) of (d, 4) styles."""
        marginal = np.empty(len(styles))
        weights = self.relative_weights
        for stretch, chances in self.chances.of_styles(styles):
            marginal[stretch] = chances @ weights
        with np.errstate(divide="ignore"):
            return np.log(marginal) + self.log_heaviest


def _read_layouts(
    question: StyleQuestion, blocks: Iterable[Masks]
) -> tuple[NDArray[np.int64], Floats]:
    """What the style model and the other evidence see of n layouts, block by block.

    The answers are (n,) codes of the seat's hand, which two hands share if and only if
    they have the same five cells, and (n,) log P(other evidence ∣ layout).
    """
    codes = []
    log_likelihoods = []
    for masks in blocks:
        hand_cells = cells(masks[:, question.seat])
        codes.append(hand_cells.astype(np.int64) @ CELL_PLACE_VALUES)
        log_likelihoods.append(question.other_evidence.of_layouts(masks))
    return np.concatenate(codes), np.concatenate(log_likelihoods)


def _group(
    hand_codes: NDArray[np.int64], layout_log_weights: Floats
) -> tuple[Cells, Floats, NDArray[np.int64]]:
    """Put layouts with the same code of the seat's hand into one row.

    Of n layouts with (n,) codes and log weights the answers are (k, 5) cells of the k
    rows that have weight, their (k,) log weights, and (n,) the row of each layout.
    """
    highest = layout_log_weights.max()
    code_of_group, group = np.unique(hand_codes, return_inverse=True)
    group_weights = np.bincount(group, np.exp(layout_log_weights - highest))
    has_weight = group_weights > 0
    # Layouts of a group without weight have none either: they may go to row 0.
    row_of_group = np.where(has_weight, np.cumsum(has_weight) - 1, 0)
    row_codes = code_of_group[has_weight, None]
    row_cells = row_codes // CELL_PLACE_VALUES % CELLS  # the digits of the code
    row_log_weights = np.log(group_weights[has_weight]) + highest
    return row_cells.astype(np.int16), row_log_weights, row_of_group[group]


def _drawn_layouts(draws: Draws) -> tuple[Masks, Floats]:
    """The (m, 4) layouts drawn that have weight, and the (m,) log density of each.

    The weight of a layout is its likelihood over the density, divided by P(evidence),
    so that the density follows from it.
    """
    log_likelihood = draws.log_likelihood
    assert log_likelihood is not None
    used = draws.weights > 0
    log_density = (
        log_likelihood[used] - np.log(draws.weights[used]) - draws.log_marginal
    )
    return draws.stretch(0, len(draws))[used], log_density
