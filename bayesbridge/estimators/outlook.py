"""What becomes of a contract at a moment of its play.

Many layouts: double dummy from the deal, as the network predicts it, whatever was played
since. Few: each is solved from this moment on. And once the tricks taken decide, nothing
is estimated.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from bayesbridge.belief.posterior import Posterior
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import PluginError
from bayesbridge.estimators.odds import network_odds
from bayesbridge.estimators.protocol import Estimator, Question, run
from bayesbridge.estimators.registry import offered
from bayesbridge.game.calls import Contract
from bayesbridge.game.layouts import Floats
from bayesbridge.game.table import Table
from bayesbridge.runtime.random64 import Seed

CARD_SOLVER: Final = "double_dummy_leads"
"""The estimator that solves a layout for every card of the seat in turn."""

MOST_SOLVED: Final = 100
"""Layouts up to which each is solved from a moment of the play on."""

TRICKS_OF_A_DEAL: Final = 13


class Basis(StrEnum):
    """What an outlook rests on."""

    NETWORK = "network"  #: The network, double dummy from the deal.
    SOLVED = "solved"  #: All layouts that are left, solved from here on.
    SETTLED = "settled"  #: The tricks taken so far.


class Outlook(NamedTuple):
    """Whether a contract makes."""

    made: Estimate[float]  #: P(it makes).
    tricks: float  #: Expected tricks of declarer in all.
    basis: Basis


def outlook(posterior: Posterior, contract: Contract, rng: Seed = 0) -> Outlook:
    """What becomes of a contract, by the cards played and what is believed then.

    Parameters
    ----------
    posterior : Posterior
        What an observer believes, the cards played among the evidence.
    contract : Contract
        The contract that is played.
    rng : int or Generator, optional
        Picks layouts, where there are too many for the network.

    Returns
    -------
    Outlook
        The chance, with the tricks that declarer takes on average.
    """
    table = replace(posterior.belief.table, named=contract)
    dummy = table.dummy
    won = sum(seat in (contract.declarer, dummy) for seat in table.winners)
    lost = len(table.winners) - won
    tricks_by_layout = _tricks_by_layout(posterior, table, won)
    if tricks_by_layout is None:
        odds = network_odds(posterior, contract, rng)
        made = odds.make
        tricks = odds.mean.mean  # the mean of an estimate, without its error
        basis = Basis.NETWORK
    else:
        makes = tricks_by_layout >= contract.tricks_needed
        share = float(posterior.weights[makes].sum())
        made = Estimate(min(share, 1.0), 0.0)
        tricks = float(posterior.weights @ tricks_by_layout)
        basis = Basis.SOLVED
    tricks = float(np.clip(tricks, won, TRICKS_OF_A_DEAL - lost))
    # Tricks already taken may settle the contract, but not how many there will be.
    if won >= contract.tricks_needed:
        return Outlook(Estimate(1.0, 0.0), tricks, Basis.SETTLED)
    if lost > TRICKS_OF_A_DEAL - contract.tricks_needed:
        return Outlook(Estimate(0.0, 0.0), tricks, Basis.SETTLED)
    return Outlook(made, tricks, basis)


def _tricks_by_layout(posterior: Posterior, table: Table, won: int) -> Floats | None:
    """(n,) tricks of declarer in all, the rest solved in each layout that is left.

    ``won`` is how many declarer has taken. ``None`` where there are many layouts, or
    nothing solves them.
    """
    can_all_be_solved = posterior.exact and len(posterior) <= MOST_SOLVED
    trick = table.trick
    contract = table.contract
    dummy = table.dummy
    if not can_all_be_solved or trick is None or contract is None or dummy is None:
        return None
    solver = _card_solver()
    if solver is None:
        return None
    declarers = (contract.declarer, dummy)
    trick_begun = trick if table.plays else None
    question = Question(declarers, contract.trump, trick_begun, table.played)
    tricks_by_card = run(solver, posterior.layouts, question)["lead_tricks"]
    best_for_turn = tricks_by_card.max(axis=1).astype(np.float64)
    if table.turn in declarers:
        return won + best_for_turn
    remaining = TRICKS_OF_A_DEAL - len(table.winners)
    return won + (remaining - best_for_turn)


def _card_solver() -> Estimator | None:
    """The solver of cards, where it is installed."""
    try:
        return offered("estimators", [CARD_SOLVER]).estimator(CARD_SOLVER)
    except PluginError:
        return None
