"""What a page is told about a position, event after event: the quickest and most exact first.

``board`` (hands, auction, tricks), ``cards`` (where every card lies, lengths), one ``chip`` for each piece of evidence
(what it changed), ``tricks`` (of a contract), ``captures``, ``points``, ``contracts`` or ``leads`` (what to do). Under
calls that are drawn the figures come a second time from more draws. Between two events a newer question may interrupt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.documents import accuracy_sentences
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.estimators.builtin import CaptureEstimator
from bayesbridge.estimators.contract_odds import ContractOdds, network_odds
from bayesbridge.estimators.evaluate import ask, counted, evaluate
from bayesbridge.estimators.odds import contract_asked
from bayesbridge.position import python_lines
from bayesbridge.trick_counts import Asked as Who
from bayesbridge.trick_counts import Tricks
from bayesbridge.web.advice import advice
from bayesbridge.web.board import board_document, conflict_document
from bayesbridge.web.memory import Known, Memory
from bayesbridge.web.questions import Asked
from bayesbridge.words import SEATS

type Event = tuple[str, dict[str, Any]]

DIGITS: Final = 6
"""Of a probability."""

MOVED: Final = 3
"""Cards named that a chip moved most."""

SURE: Final = 4.0
"""Standard errors of the draws that a card must have moved to be named: there are 156 places."""

SAMPLED: Final = 1_000
"""Draws for estimators where everything else is counted."""

LEAST: Final = 0.001
"""Probability that a card must have moved."""


def answers(asked: Asked, memory: Memory) -> Iterator[Event]:
    """All events about a position; one that contradicts itself ends with its smallest conflict."""
    start = asked.position._replace(pieces=()).belief()
    board = board_document(asked, start)
    try:
        belief = start.given(*(piece.value for piece in asked.position.pieces))
        belief.count()
    except BayesBridgeError as error:
        yield "board", board | {"conflict": conflict_document(asked, start, error)}
        return
    yield "board", board | {"conflict": None, **_models(belief, asked.seed)}
    try:
        known = memory.known(belief, asked.seed)
    except Contradiction as error:  # calls that no layout explains
        yield "board", board | {"conflict": conflict_of_calls(belief, error), **_models(belief, asked.seed)}
        return
    yield "cards", cards_document(known, "first")
    yield from _chips(belief, memory, asked.seed)
    yield from _estimates(known.posterior, asked)
    yield from advice(known.posterior, asked)
    if not marginals_exact(known.posterior):
        known = memory.known(belief, asked.seed, more=True)
        yield "cards", cards_document(known, "more")
        yield from _estimates(known.posterior, asked)


def _estimates(posterior: Posterior, asked: Asked) -> Iterator[Event]:
    yield from _tricks(posterior, asked)
    yield "captures", captures_document(posterior, asked.seed)
    yield "points", points_document(posterior)


def conflict_of_calls(belief: Belief, error: Contradiction) -> dict[str, Any]:
    """Calls that no layout explains under the bidder model."""
    culprits = error.data.get("evidence", ())
    chips = [number for number, piece in enumerate(belief.evidence) if piece in culprits]
    return {"message": str(error), "chips": chips, "own": False}


def cards_document(known: Known, stage: str) -> dict[str, Any]:
    """Where every card lies, in the order of hands (spades first, aces first), and how long every suit is."""
    posterior = known.posterior
    exact = marginals_exact(posterior)
    method = posterior.method if posterior.draws.target.soft else "convolution"
    bits = posterior.entropy_bits
    return {
        "stage": "exact" if exact else stage,
        "cards": _rounded(known.cards),
        "lengths": _rounded(posterior.length_probabilities().values),
        "layouts": str(posterior.count()),
        "bits": round(bits, 3) if bits == bits else None,
        "draws": None if exact else len(posterior),
        "ess": None if exact else round(posterior.ess, 1),
        "how": accuracy_sentences(posterior, method, True) if exact else accuracy_sentences(posterior),
    }


def marginals_exact(posterior: Posterior) -> bool:
    """Whether the places of the cards are exact."""
    return posterior.exact or posterior.draws.tables is not None


def points_document(posterior: Posterior) -> dict[str, Any]:
    """P(so many high-card points) of every seat."""
    points = posterior.point_probabilities().values
    return {"points": _rounded(points), "exact": posterior.counts_points}


def captures_document(posterior: Posterior, seed: int) -> dict[str, Any]:
    """T of the observer's pair: captures by the paper's rule."""
    question, capture = ask(posterior), CaptureEstimator()
    sums = counted(posterior, capture, question).get("T")
    if sums is None:
        few = posterior if posterior.draws.target.soft else _drawn(posterior, seed)
        sums = evaluate(few, [capture], question, rng=seed).sums["capture", "T"]
    tricks = Tricks.of_sums(sums, Who.of(posterior.belief, question))
    mean = tricks.mean_if_held
    return {
        "title": tricks.title,
        "fails": round(tricks.fails, DIGITS),
        "mean": None if mean is None else round(mean, 4),
        "pmf": {str(value): round(tricks.share(value), DIGITS) for value in tricks.occurring},
        "exact": tricks.exact,
        "notes": tricks.notes,
    }


def _drawn(posterior: Posterior, seed: int) -> Posterior:
    """Plain draws in place of millions of layouts that would be walked."""
    belief = posterior.belief
    assert isinstance(belief, Belief)
    return belief.infer("sample", SAMPLED, seed)


def _tricks(posterior: Posterior, asked: Asked) -> Iterator[Event]:
    """What becomes of the contract that is asked about, else of the auction's."""
    auction = posterior.belief.auction
    contract = asked.contract or (None if auction is None else auction.contract)
    if contract is None:
        return
    try:
        contract_asked(posterior.belief, contract)
    except BayesBridgeError as error:
        yield "tricks", {"refused": str(error)}
        return
    yield "tricks", tricks_document(network_odds(posterior, contract, asked.seed))


def tricks_document(odds: ContractOdds) -> dict[str, Any]:
    """Tricks at the table, and whether the contract makes."""
    return {
        "contract": str(odds.contract),
        "title": f"Tricks of {SEATS[odds.contract.declarer.name]}, dummy {SEATS[odds.dummy.name]}",
        "needed": odds.contract.tricks_needed,
        "chance": round(odds.make[0], DIGITS),
        "error": round(odds.make[1], DIGITS),
        "pmf": _rounded(np.clip(odds.pmf, 0.0, 1.0)),
        "sentence": odds.sentence,
        "caution": odds.caution,
    }


def _chips(belief: Belief, memory: Memory, seed: int) -> Iterator[Event]:
    """What each piece changed when it came: bits of uncertainty, and the cards that moved most."""
    before: Known | None = None
    for number, known in enumerate(memory.history(belief, seed), -1):
        if before is not None and before.posterior.carried_to(known.posterior.belief) is not None:
            yield "chip", {"number": number, "bits": 0.0, "moved": [], "exact": True}
        elif before is not None:
            yield "chip", {"number": number, **change_document(before, known)}
        before = known


def change_document(before: Known, after: Known) -> dict[str, Any]:
    """How far a posterior moved: bits lost (negative: won), and where cards went, as far as draws can tell."""
    old, new = before.cards, after.cards
    noise = np.sqrt(_variance(before) + _variance(after))
    shift = np.where(np.abs(new - old) > SURE * noise, np.abs(new - old), 0.0)
    far = shift.max(axis=1)
    bits = before.posterior.entropy_bits - after.posterior.entropy_bits
    moved = []
    for card in [card for card in np.argsort(-far, kind="stable") if far[card] > LEAST][:MOVED]:
        seat = int(np.argmax(shift[card]))
        shares = round(float(old[card, seat]), DIGITS), round(float(new[card, seat]), DIGITS)
        moved.append([CARDS[card], "NESW"[seat], *shares])
    exact = marginals_exact(before.posterior) and marginals_exact(after.posterior)
    return {"bits": round(bits, 3) if bits == bits else None, "moved": moved, "exact": exact}


def _variance(known: Known) -> NDArray[np.float64]:
    """(52, 4) of the places of the cards: of the draws, 0 where they are exact."""
    share = 0.0 if marginals_exact(known.posterior) else 1.0 / known.posterior.ess
    cards = np.clip(known.cards, 0.0, 1.0)  # sums of weights may pass 1 by rounding
    return np.asarray(cards * (1.0 - cards) * share)


def _models(belief: Belief, seed: int) -> dict[str, Any]:
    """Who the others are taken to be, and the lines that give the belief again."""
    return {
        "bidder": repr(belief.bidder),
        "player": None if belief.player is None else repr(belief.player),
        "systems": list(belief.systems),
        "assumed": [seat.name for seat in belief.assumed_passes],
        "effects": [belief.effect(piece) for piece in belief.evidence],
        "python": f"import bayesbridge as bb\n\n{python_lines(belief)}posterior = belief.infer(rng={seed})\n",
    }


def _rounded(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=np.float64), DIGITS).tolist()
