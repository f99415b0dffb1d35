"""What to play: every card of the seat in turn, tried on the same layouts.

They are drawn from the posterior of the seat's player.

Each layout is solved double dummy once for every card, so that differences between
cards are paired and much more exact than the figures themselves. Double dummy means
that all four see all cards after this one: a finesse either way looks free. Where
declarer has at most eight tricks to play, the next ones are therefore searched with one
plan for all layouts that look alike (:mod:`~bayesbridge.decisions.ending`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import exp
from statistics import NormalDist
from typing import Any, Final, NamedTuple, Self, Unpack

import numpy as np
from numpy.random import Generator

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.belief.wins import card_wins
from bayesbridge.decisions.best_defence import Plan, TooMuchWork
from bayesbridge.decisions.contracts import payoff
from bayesbridge.decisions.ending import (
    MOST_LAYOUTS,
    MOST_TRICKS,
    WORK_A_SECOND,
    Ending,
    with_equals_alike,
)
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import (
    SEATS,
    card_words,
    error_text,
    number,
    percent,
    share_error,
    with_symbols,
)
from bayesbridge.engines.budget import MOST_DRAWS, USUAL, Budget, Limits
from bayesbridge.engines.target import log_likelihood
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError, IllegalPlay, PluginError
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.contract_question import (
    TRICKS,
    WORDS_OF_A_WHOLE_CONTRACT,
    resolve_contract,
)
from bayesbridge.estimators.outlook import CARD_SOLVER
from bayesbridge.estimators.protocol import Estimator, Question, run, seconds_of
from bayesbridge.estimators.registry import SOLVER, offered
from bayesbridge.estimators.trick_estimates import TrickEstimates, layouts_for_decision
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import Card, Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.game.scoring import scoring_of
from bayesbridge.game.table import Table as GameTable
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

GOALS: Final = ("make", "tricks", "matchpoints")

WORTH_OF_BOTH_SIDES: Final = {"make": 1.0, "tricks": 13.0, "matchpoints": 1.0}
"""What both sides together get, by goal: what one side lacks of it, the other has."""

ALL_TRICKS: Final = 13

AGREED: Final = 0.5
"""Share of experts from which on the card that they lead begins the answer."""


FEW_TO_WALK: Final = 5_000
MANY_TO_WALK: Final = 100_000
"""Layouts between which draws are taken though all could be walked."""
LEAST_EFFICIENCY: Final = 0.2
"""Effective part of the draws from which weighted ones are good enough."""

ERROR_OF_BEST: Final = 0.05
"""Chance of calling a card the best although another is as good, over all comparisons
together.
"""

DECIMALS_COMPARED: Final = 12
"""Means that are equal to so many decimals are equal."""

LAYOUTS: Final = 1000
"""Layouts solved at most where one is solved fast, unless a time is named."""

TIME_OF_A_TRICK_LESS: Final = 0.45
"""What solving takes with a trick less to play, of the time with it."""
LEAST_COST: Final = 1e-9
"""Seconds that a layout takes at least."""
SECONDS_A_PART: Final = 0.3
"""Time after which the solver, which hears no interrupt, gives the word back."""
QUICKEST: Final = 1e-3
"""Seconds a layout, at least, when parts are cut."""
PARTS_BEFORE_FIRST: Final = 3
"""Parts that are solved before the first ranking is told."""

DRAWN: Final = 200
"""Draws that a search stands for at most."""
SEARCHED: Final = 60
"""Layouts over which one plan is searched at most, where many tricks are left."""
FEW_TRICKS: Final = 4
"""Tricks left of which all layouts are searched, by all horizons."""
DEEPER: Final = 10
"""How many times as long as all horizons before it the next one takes, about."""
TIE_BREAK: Final = 1e-5
"""A later goal decides only where the earlier ones are equal."""


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """A moment of a play: whose turn it is, to which trick of which contract."""

    contract: Contract  #: What is played.
    dummy: Seat  #: Whose hand lies open.
    trick: Trick  #: The trick so far; empty where its leader is in turn.
    #: Cards that have left their hands, those of the trick among them.
    played_mask: int
    won: int  #: Tricks that declarer has won.
    tricks: int  #: Tricks that are over.
    legal: Hand  #: What the seat in turn may play.

    @property
    def seat(self) -> Seat:
        """Whose hand is to play."""
        assert self.trick.turn is not None
        return self.trick.turn

    @property
    def defends(self) -> bool:
        """Whether the seat in turn is a defender's."""
        return self.seat not in self.pair

    @property
    def lead(self) -> bool:
        """Whether it is the opening lead."""
        return not self.played_mask

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """Declarer and dummy."""
        return self.contract.declarer, self.dummy

    @property
    def tricks_left(self) -> int:
        """Tricks to come, the one that lies among them."""
        return ALL_TRICKS - self.tricks

    @property
    def question(self) -> Question:
        """What a solver is asked about this moment."""
        trick = None if self.lead else self.trick
        return Question(self.pair, self.contract.trump, trick, self.played_mask)

    @property
    def words(self) -> str:
        """The moment as a title, such as ``West leads against 3NT by S``."""
        verb = "leads"
        if self.trick.cards:
            verb = f"plays to '{with_symbols(self.trick)}'"
        preposition = "against" if self.defends else "in"
        title = f"{SEATS[self.seat.name]} {verb} {preposition} {self.contract}"
        return title if self.lead else f"{title}, trick {self.tricks + 1}"


def turn_of(
    belief: Belief, contract: Contract | str | None = None, by: Seat | str | None = None
) -> PlayTurn:
    """Whose turn it is by the cards played, and what may be played.

    The observer must be who chooses: the seat itself, or declarer for dummy.

    Parameters
    ----------
    belief : Belief
        With the cards played as evidence.
    contract : Contract or str, optional
        What is played; that of the auction unless it is named.
    by : Seat or str, optional
        Its declarer; unless named, the seat on the right of who leads first.

    Returns
    -------
    PlayTurn

    Raises
    ------
    BayesBridgeError
        If there is no contract, if somebody else chooses, if dummy's hand is not shown,
        or if nothing is left to play.
    """
    final_contract = _contract_played(belief, contract, by)
    # The table by that contract, which decides who is declarer, dummy and on lead.
    table = replace(belief.table, named=final_contract)
    _verify_trump(belief, final_contract)
    _verify_leader(belief, table, contract)
    _verify_dummy(table)
    trick = _trick_to_play(belief, table)
    assert table.dummy is not None
    assert table.turn is not None
    declarers_side = (final_contract.declarer, table.dummy)
    return PlayTurn(
        contract=final_contract,
        dummy=table.dummy,
        trick=trick,
        played_mask=table.played,
        won=sum(winner in declarers_side for winner in table.winners),
        tricks=len(table.winners),
        legal=table.legal_cards(table.turn),
    )


def _contract_played(
    belief: Belief, contract: Contract | str | None, by: Seat | str | None
) -> Contract:
    """The contract with its declarer: as named, or that of the auction.

    Where neither the contract nor ``by`` names the declarer, it is that of the auction,
    else the seat on the right of who leads first.
    """
    auction_contract = belief.table.contract
    named = auction_contract if contract is None else contract
    if named is None:
        raise BayesBridgeError(
            "no contract to play: name one, such as 3NT, or give the whole auction"
        )
    words = str(named).split()  # such as ``3NT``, or ``3NT by S``
    names_declarer = len(words) >= WORDS_OF_A_WHOLE_CONTRACT
    declarer = by
    if declarer is None and not names_declarer:
        if auction_contract is not None:
            declarer = auction_contract.declarer
        else:
            declarer = _declarer(_first_to_play(belief), belief.dummy)
    return resolve_contract(belief, named, declarer)


def _first_to_play(belief: Belief) -> Seat:
    """Who led first; before that the observer, who is taken to be on lead."""
    plays = belief.table.plays
    return plays[0][0] if plays else belief.observer


def _declarer(leader: Seat, dummy: Seat | None) -> Seat:
    """The seat on the right of the leader, past a dummy beside them."""
    right = leader.next(3)
    return right if right != dummy else right.next(3)


def _verify_trump(belief: Belief, contract: Contract) -> None:
    """Refuse a contract in another strain than the trumps that are told."""
    if belief.trump is not None and belief.trump != contract.strain:
        raise BayesBridgeError(
            f"contract {str(contract)!r}, but trump {belief.trump.name}: name one",
            contract=contract,
        )


def _verify_leader(
    belief: Belief, table: GameTable, named: Contract | str | None
) -> None:
    """Refuse a contract against which somebody else is on lead, or was.

    ``table`` plays the contract that is meant, ``named`` is what the caller wrote.
    """
    contract = table.named
    right_leader = table.leader
    assert contract is not None
    assert right_leader is not None
    leader = _first_to_play(belief)
    if leader == right_leader:
        return
    if not table.plays:
        declarer = _declarer(leader, belief.dummy)
        raise BayesBridgeError(
            f"contract {str(contract)!r}: {right_leader.name} is on lead, "
            f"not {leader.name}: ask what {right_leader.name} believes, "
            f"or name {declarer.name} as declarer",
            leader=leader,
        )
    dealer = _dealer_that_fits(belief, named, leader, right_leader)
    cure = "fix either"
    if dealer is not None:
        cure = f"fix either, or let {dealer.name} deal (--dealer {dealer.name})"
    raise IllegalPlay(
        f"{leader.name} led, but against {contract} "
        f"it is {right_leader.name}'s lead: {cure}",
        seat=leader,
    )


def _dealer_that_fits(
    belief: Belief, named: Contract | str | None, leader: Seat, right_leader: Seat
) -> Seat | None:
    """The dealer with whom the auction of four makes the seat that led the leader.

    ``None`` where the contract is not that of an auction: no dealer changes who leads.
    """
    auction = belief.auction
    auction_contract = belief.table.contract
    if auction is None or auction_contract is None or belief.dummy is not None:
        return None
    if named is not None and named is not auction_contract:
        return None
    seats_off = (leader - right_leader) % 4
    return auction.first.next(seats_off)


def _verify_dummy(table: GameTable) -> None:
    """Refuse a play after the lead with a dummy that is not declarer's partner."""
    contract = table.named
    assert contract is not None
    assert table.dummy is not None
    if table.plays and table.dummy != contract.declarer.partner:
        raise BayesBridgeError(
            f"{table.dummy.name} is dummy beside {contract.declarer.name}: "
            "only opening leads are judged there"
        )


def _trick_to_play(belief: Belief, table: GameTable) -> Trick:
    """The trick so far; raises unless the observer chooses and sees dummy."""
    trick = table.trick
    seat = table.turn
    chooser = table.chooser
    dummy = table.dummy
    if trick is None or seat is None or chooser is None:
        raise BayesBridgeError("all 52 cards are played: ask before the last trick")
    if chooser != belief.observer:
        turn = f"{seat.name}'s turn"
        if seat == dummy:
            turn += f", dummy's, whose cards {chooser.name} plays"
        raise BayesBridgeError(
            f"it is {turn}: "
            f"ask what {chooser.name} believes, not {belief.observer.name}",
            seat=chooser,
        )
    if table.plays and dummy is not None and dummy not in table.shown:
        raise BayesBridgeError(
            f"{dummy.name}'s hand lies open after the lead: "
            f"show it, such as Reveal({dummy.name!r}, …)",
            seat=dummy,
        )
    return trick


@dataclass(frozen=True, slots=True)
class CardChoice:
    """One card, or several of a suit that did the same in every layout."""

    cards: tuple[Card, ...]  #: High cards first; they follow each other in the hand.
    chance: Estimate[float]  #: P(the contract makes), for a defender P(it is beaten).
    tricks: Estimate[float]  #: Expected tricks of the side in all.
    behind: Estimate[float]  #: How far behind the best card by the goal, paired.
    close: bool  #: Whether the test cannot tell it from the best.
    wins: float  #: P(it wins the trick).
    #: Expected share of the matchpoints, where a field was given.
    matchpoints: Estimate[float] | None = None
    #: P(each is led) by the player model of the belief, for the opening lead.
    led: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """The suit and the ranks, such as ``H432``."""
        return self.cards[0].suit.name + "".join(str(card)[1:] for card in self.cards)


@dataclass(frozen=True, slots=True)
class CardChoices(Displayable):
    """All cards that may be played at a moment, the best first."""

    turn: PlayTurn  #: The moment.
    #: ``make`` (for defenders: to beat the contract), ``tricks`` or ``matchpoints``.
    goal: str
    choices: tuple[CardChoice, ...]  #: The best first.
    solved: int  #: Layouts that were solved.
    exact: bool  #: Whether these are all layouts that fit, with their exact weights.
    #: Declarer's best plan, where the ending was searched whole.
    plan: tuple[str, ...] = ()
    #: Tricks from this one on that are played by one plan, double dummy after them.
    horizon: int = 0
    late: bool = False  #: Whether one plan was looked for, and took too long.

    @property
    def best(self) -> tuple[CardChoice, ...]:
        """The best, and all that the test cannot tell from it."""
        return tuple(choice for choice in self.choices if choice.close)

    @property
    def clear(self) -> bool:
        """Whether one card is better than all others."""
        return len(self.best) == 1

    def of(self, card: Card) -> CardChoice:
        """The choice that a card belongs to.

        Parameters
        ----------
        card : Card
            One that may be played.

        Returns
        -------
        CardChoice
        """
        return next(choice for choice in self.choices if card in choice.cards)

    @property
    def sentence(self) -> str:
        """The answer in words; where most experts lead one card, that comes first."""
        return " ".join(filter(None, (self._favourite_first, self._verdict)))

    @property
    def favourite(self) -> tuple[Card, float] | None:
        """The card that experts lead most often, and how often they do.

        Where no card is led by most of them, it is one of the best or close cards only.
        ``None`` where it is no opening lead.
        """
        shares: dict[Card, float] = {}
        for choice in self.choices:
            if choice.led:
                shares |= zip(choice.cards, choice.led, strict=True)
        if not shares:
            return None
        favourite = max(shares, key=shares.__getitem__)
        most_agree = shares[favourite] >= AGREED
        if not most_agree:
            favourite = max(self._best_cards, key=shares.__getitem__)
        return favourite, shares[favourite]

    @property
    def _best_cards(self) -> list[Card]:
        """The cards of the best choices, one by one."""
        return [card for choice in self.best for card in choice.cards]

    @property
    def _favourite_first(self) -> str:
        """What experts lead, where they agree; else empty."""
        if self.favourite is None or self.favourite[1] < AGREED:
            return ""
        card, share = self.favourite
        return f"Experts lead {card_words(card)} ({percent(share, 0)})."

    @property
    def _verdict(self) -> str:
        """Which card is best by the layouts, and what comes of it."""
        best_name, *other_names = [card_words(choice.name) for choice in self.best]
        if self.clear:
            verb = "Play" if self.turn.trick.cards else "Lead"
            return f"{verb} {best_name}: {self._outcome}"
        *middle_names, last_name = other_names
        if self.exact:
            all_but_last = ", ".join([best_name, *middle_names])
            return f"{all_but_last} and {last_name} are the same: {self._outcome}"
        rivals = last_name
        if middle_names:
            rivals = f"{', '.join(middle_names)} and {last_name}"
        close = f"Too close to call: {best_name} is ahead, {rivals} may be as good."
        habit = ""
        if self.favourite is not None and not self._favourite_first:
            card, share = self.favourite
            lead = f"{card_words(card)} most often ({percent(share, 0)})"
            habit = f" Of these experts lead {lead}."
        return f"{close}{habit} After {best_name}, {self._outcome}"

    @property
    def _outcome(self) -> str:
        """What becomes of the contract after the first card."""
        chance, error = self.choices[0].chance
        tricks, tricks_error = self.choices[0].tricks
        side, verb = "declarer", "then makes"
        if self.turn.defends:
            side, verb = "the defence", "is then beaten"
        share = f"{percent(chance)}{share_error(chance, error)}{self._guesses}"
        mean = f"{tricks:.2f}{error_text(tricks_error)}"
        contract = f"{self.turn.contract} {verb} with {share}"
        return f"{contract}; {side} takes {mean} tricks on average."

    @property
    def _guesses(self) -> str:
        """From when on guesses count as right; empty where there are none."""
        if self.plan or self.solved == 1:
            return ""
        planned = {0: "all later guesses", 1: "guesses after this trick"}
        planned[2] = "guesses after the next trick"
        last_planned = self.turn.tricks + self.horizon
        later_guesses = f"guesses after trick {last_planned}"
        guesses = planned.get(self.horizon, later_guesses)
        return f", {guesses} counted as right"

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, by how they came about.

        There are three ways: one plan to the last trick, one plan for some tricks
        (``horizon`` of them) with double dummy after them, or double dummy at once.
        """
        if self.plan:
            basis = "all layouts" if self.exact else "the layouts drawn"
            return (
                f"Searched to the last trick over {basis} ({number(self.solved)}): "
                "declarer's plan is the same where "
                "they look alike, and the defenders see all cards."
            )
        basis = (
            f"From {number(self.solved)} solved layouts; one standard error is given."
        )
        if self.exact:
            basis = f"Every layout was solved ({number(self.solved)})."
        if self.horizon:
            words_by_tricks = {1: "This trick", 2: "This trick and the next"}
            several = f"This trick and the next {self.horizon - 1}"
            tricks = words_by_tricks.get(self.horizon, several)
            return f"{basis} {tricks} as one plan, after it double dummy."
        late = " One plan for all layouts took too long to search." if self.late else ""
        return f"{basis}{late} Double dummy: after this card all four see all cards."

    @property
    def tables(self) -> list[Table]:
        """Every card that may be played, and how far it is behind the best.

        Matchpoints have a column where a field was given, the share of experts who lead
        a card where it is the opening lead.
        """
        any_choice = self.choices[0]
        columns = ["card", "P(beaten)" if self.turn.defends else "P(makes)"]
        if any_choice.matchpoints is not None:
            columns.append("matchpoints")
        columns += ["tricks", "wins trick", "behind"]
        if any_choice.led:
            columns.append("experts")
        verdict_column = ""
        columns.append(verdict_column)
        rows = [self._row(choice) for choice in self.choices]
        notes = [*self._plan_lines, self.sentence, self.caution]
        return [Table(self.turn.words, columns, rows, notes)]

    def _row(self, choice: CardChoice) -> list[str]:
        """The cells of a choice, in the order of the columns of :attr:`tables`."""
        cells = [card_words(choice.name), _share_cell(choice.chance)]
        if choice.matchpoints is not None:
            cells.append(_share_cell(choice.matchpoints))
        tricks, tricks_error = choice.tricks
        cells.append(f"{tricks:.2f}{error_text(tricks_error)}")
        cells.append(percent(choice.wins))
        cells.append(self._behind_cell(choice))
        if choice.led:
            share_of_any_card = sum(choice.led)
            cells.append(percent(share_of_any_card))
        cells.append(self._verdict_cell(choice))
        return cells

    def _behind_cell(self, choice: CardChoice) -> str:
        """How far a choice is behind the best, in tricks or per cent."""
        if choice is self.choices[0]:
            return ""
        mean, error = choice.behind
        if self.goal == "tricks":
            return f"{mean:.2f}{error_text(error, 2)}"
        mean_percent = 100.0 * mean
        return f"{mean_percent:.1f}{error_text(100.0 * error, 1)} %"

    def _verdict_cell(self, choice: CardChoice) -> str:
        """Whether a choice is the best, or cannot be told from it."""
        if not choice.close:
            return ""
        if self.clear:
            return "best"
        return "ahead" if choice is self.choices[0] else "close"

    @property
    def _plan_lines(self) -> list[str]:
        """Declarer's plan, each line below the other."""
        if not self.plan:
            return []
        return [f"Plan: {self.plan[0]}", *(f"      {line}" for line in self.plan[1:])]

    def document(self) -> dict[str, Any]:
        """The answer as plain data, for ``--json`` and web pages.

        Returns
        -------
        dict
            ``clear`` says whether one card is better than all others; ``cards`` has
            the figures of every choice, ``wins`` by card P(it wins the trick), and
            ``horizon`` for how many tricks one plan was searched.
        """
        wins: dict[str, float] = {}
        for choice in self.choices:
            wins |= dict.fromkeys(map(str, choice.cards), choice.wins)
        return {
            "contract": str(self.turn.contract),
            "seat": self.turn.seat.name,
            "trick": str(self.turn.trick),
            "goal": self.goal,
            "clear": self.clear,
            "best": [str(card) for card in self._best_cards],
            "solved": self.solved,
            "exact": self.exact,
            "cards": [self._choice_document(choice) for choice in self.choices],
            "wins": wins,
            "plan": list(self.plan),
            "horizon": self.horizon,
        }

    def _choice_document(self, choice: CardChoice) -> dict[str, Any]:
        """A choice as plain data."""
        document: dict[str, Any] = {
            "cards": [str(card) for card in choice.cards],
            "close": choice.close,
            "wins": choice.wins,
        }
        if choice.led:
            document["led"] = list(choice.led)
        figures = {
            "beaten" if self.turn.defends else "make": choice.chance,
            "tricks": choice.tricks,
            "behind": choice.behind,
        }
        if choice.matchpoints is not None:
            figures["matchpoints"] = choice.matchpoints
        return document | with_errors(figures)


def _share_cell(share: Estimate[float]) -> str:
    """A chance, or another share, as a table shows it."""
    return percent(share.mean) + share_error(share.mean, share.error)


def believed(
    belief: Belief, draws: int, rng: Seed = 0, before: Posterior | None = None
) -> Posterior:
    """A posterior for a decision, which needs hundreds of layouts.

    Some thousand layouts are quick to walk; of very many the usual engine draws anyway.
    Between these numbers it would walk all of them, which takes seconds where calls or
    plays weigh them: there weighted draws are taken, if they are good enough.

    >>> believed(Belief("W", "Q8642.93.J84.K75", dummy=None), 100)
    <Posterior: direct, 100 of 84478098072866400 layouts, ESS 100>
    """
    target = belief.target
    if target.soft and FEW_TO_WALK < target.support_size <= MANY_TO_WALK:
        weighted = belief.infer("importance", draws, rng, before)
        if weighted.ess > LEAST_EFFICIENCY * draws:
            return weighted
    return belief.infer("auto", draws, rng, before)


def play(
    posterior: Posterior,
    contract: Contract | str | None = None,
    *,
    by: Seat | str | None = None,
    goal: str | None = None,
    field: Sequence[float] | None = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    horizon: int = 13,
    rng: Seed = 0,
    first: Callable[[CardChoices], object] | None = None,
    **limits: Unpack[Limits],
) -> CardChoices:
    """Compare all cards that may be played now, by what the observer believes.

    The observer, who chooses, is the seat in turn, or declarer where it is dummy's;
    before any card is played the opening leader. Where declarer has at most eight
    tricks left, the figures are those of one plan for all layouts that look alike, as
    far as a search takes seconds; ``plan`` of the answer tells the best where that is
    for all tricks left. Otherwise they are double dummy after this card, which needs
    the plugin bayesbridge-double-dummy.

    Parameters
    ----------
    posterior : Posterior
        What the observer believes.
    contract : Contract or str, optional
        What is played: that of the auction unless named.
    by : Seat or str, optional
        Its declarer, where the contract does not say.
    goal : {"make", "tricks", "matchpoints"}, optional
        What decides: P(the contract makes), for defenders P(it is beaten); what the
        side takes on average; or the expected matchpoints against a field, as is usual
        where one is given. Another figure decides where the first is the same in every
        layout.
    field : sequence of float, optional
        Duplicate scores of the declaring side at other tables.
    vulnerable : Vulnerability or str
        Which sides are vulnerable, for the scores.
    horizon : int
        Tricks that one plan is searched for at most; 0 is double dummy.
    rng : seed
        Where random numbers start.
    first : callable, optional
        Is told the ranking after a second's solving, where there is more to solve.
    **limits
        ``solve``: layouts to solve, by default as many as ``seconds`` on one core
        allow.

    Returns
    -------
    CardChoices
        The best card first.

    Raises
    ------
    BayesBridgeError
        If the observer has no card to choose, if a goal or a field cannot be read, or
        if a solver is needed and not installed.

    Examples
    --------
    >>> from bayesbridge import Belief
    >>> try:
    ...     play(Belief("W", "Q8642.93.J84.K75", dummy=None).infer(rng=1), "3NT by N")
    ... except BayesBridgeError as error:
    ...     print(error)
    contract '3NT by N': E is on lead, not W: ask what E believes, or name S as declarer
    """
    first_goal = _first_goal(goal, field)
    limited = Budget(**limits)
    if limited.solve == 0:
        raise BayesBridgeError("solve 0: give at least 2 layouts", solve=0)
    budget = limited.over(USUAL["play"])
    turn = turn_of(posterior.belief, contract, by)
    question = CardQuestion(
        posterior=posterior,
        turn=turn,
        goals=_values_by_goal(first_goal, turn, field, vulnerable),
        wins=card_wins(posterior, turn.trick, turn.pair),
    )
    searches = horizon > 0 and not turn.defends and turn.tricks_left <= MOST_TRICKS
    if searches:
        with suppress(TooMuchWork):
            return search_cards(question, budget, horizon, rng)
    # Where a layout is solved fast, and nobody named a time, so many are enough.
    most_layouts = LAYOUTS
    if limited.seconds is not None:
        most_layouts = MOST_DRAWS
    choices = solve_cards(question, budget, most_layouts, rng, first)
    return replace(_with_leads(choices, posterior.belief), late=searches)


def _first_goal(goal: str | None, field: Sequence[float] | None) -> str:
    """The goal that decides; raises for one that is unknown or lacks its field.

    Without one it is ``make``, with a field ``matchpoints``. Defenders may say ``beat``
    for the goal that declarer calls ``make``.
    """
    if not goal:
        first_goal = "make" if field is None else "matchpoints"
    else:
        first_goal = "make" if goal == "beat" else goal
    if first_goal not in GOALS:
        raise BayesBridgeError(f"goal {goal!r}: choose {', '.join(GOALS)}", goal=goal)
    if first_goal == "matchpoints" and field is None:
        raise BayesBridgeError(
            f"goal {goal!r}: name the scores of other tables as field", goal=goal
        )
    return first_goal


def _values_by_goal(
    first_goal: str,
    turn: PlayTurn,
    scores_elsewhere: Sequence[float] | None,
    vulnerable: Vulnerability | str,
) -> dict[str, Floats]:
    """For each goal, (14,) what 0 … 13 tricks of declarer are worth to the side in turn.

    The goals are ``make``, ``tricks`` and, where the duplicate scores of the declaring
    side at other tables are given, ``matchpoints``. ``first_goal``, one of these,
    stands first: it decides between cards, and the others where it is equal.
    """
    is_made = np.arange(14) >= turn.contract.tricks_needed
    values_by_goal = {"make": is_made.astype(np.float64), "tricks": np.arange(14.0)}
    if scores_elsewhere is not None:
        values_by_goal["matchpoints"] = _matchpoints(
            turn.contract, scores_elsewhere, vulnerable
        )
    if turn.defends:
        # Of each goal the defenders get what declarer does not.
        for goal, declarers_values in values_by_goal.items():
            values_by_goal[goal] = WORTH_OF_BOTH_SIDES[goal] - declarers_values
    first_values = values_by_goal.pop(first_goal)
    return {first_goal: first_values, **values_by_goal}


def _matchpoints(
    contract: Contract, field: Sequence[float], vulnerable: Vulnerability | str
) -> Floats:
    """(14,) declarer's share of the matchpoints against a field for 0 … 13 tricks."""
    scheme = scoring_of("duplicate", vulnerable, None)
    scores = payoff(scheme, contract)[:, None]
    field_scores = np.asarray(field, np.float64)[None]
    if not field_scores.size or not np.isfinite(field_scores).all():
        raise BayesBridgeError(
            "field: give at least one score, such as 420", field=field
        )
    points = (scores > field_scores) + 0.5 * (scores == field_scores)
    return np.asarray(points.mean(axis=1))


class CardQuestion(NamedTuple):
    """Which card to play, and what decides."""

    posterior: Posterior
    turn: PlayTurn
    #: By goal, the one that decides first: (14,) what 0 … 13 tricks of declarer are
    #: worth to the side in turn.
    goals: dict[str, Floats]
    wins: dict[Card, float]  #: P(each card wins the trick).


def card_solver() -> Estimator:
    """The estimator that solves layouts for each card, of the double-dummy plugin."""
    try:
        return offered("estimators", [CARD_SOLVER]).estimator(CARD_SOLVER)
    except PluginError:
        raise BayesBridgeError(
            f"cards are compared by a double-dummy solver: install {SOLVER}"
        ) from None


def solve_cards(
    question: CardQuestion,
    budget: Budget,
    most_layouts: int,
    rng: Seed,
    first: Callable[[CardChoices], object] | None,
) -> CardChoices:
    """Cards ranked by what they take double dummy, each on the same layouts.

    ``first`` is called with a ranking of the first few parts, where more follow.
    """
    solver = card_solver()
    turn = question.turn
    draws = question.posterior
    seconds_a_layout = max(
        LEAST_COST, seconds_of(solver) * TIME_OF_A_TRICK_LESS**turn.tricks
    )
    n = budget.layouts(seconds_a_layout, most_layouts)
    if len(draws) > n:
        draws = subsample(draws, n, generator(rng), f"{n} layouts of these are solved")
    parts: list[Ints] = []
    for part in _solved_parts(solver, turn, draws, seconds_a_layout):
        parts.append(part)
        solved = sum(map(len, parts))
        is_time = len(parts) == PARTS_BEFORE_FIRST and solved < len(draws)
        if first is not None and is_time:
            equal_weights = CalibratedSample.of(np.full(solved, 1.0 / solved))
            first(_rank_solved(question, np.concatenate(parts), equal_weights))
        report_progress("layouts solved", solved, len(draws))
    sample = _sample_solved(question.posterior, draws, turn)
    choices = _rank_solved(question, np.concatenate(parts), sample)
    return replace(choices, exact=draws.exact)


def _solved_parts(
    solver: Estimator, turn: PlayTurn, draws: Posterior, seconds_a_layout: float
) -> Iterator[Ints]:
    """(layouts, 52) tricks of the side in turn after each card, a part at a time.

    A part takes a fraction of a second, after which progress can be told.
    """
    part_size = max(1, round(SECONDS_A_PART / max(seconds_a_layout, QUICKEST)))
    for begin in range(0, len(draws), part_size):
        layouts = draws.layouts[begin : begin + part_size]
        outputs = run(solver, layouts, turn.question)
        yield outputs["lead_tricks"].astype(np.int64)


def _rank_solved(
    question: CardQuestion, tricks_to_come: Ints, sample: CalibratedSample
) -> CardChoices:
    """The choices by what the side in turn takes after each card, on solved layouts.

    ``tricks_to_come``: (layouts, 52) tricks of that side from here on, double dummy, if
    the card is played. ``sample`` has the weights of the layouts.
    """
    groups = _groups_alike(question.turn, tricks_to_come)
    first_cards = [cards[0].index for cards in groups]
    declarers_tricks = _declarers_tricks(question.turn, tricks_to_come[:, first_cards])
    # For each goal, (layouts, groups): ``values`` are its 14, by declarer's tricks.
    columns = {
        goal: values[declarers_tricks] for goal, values in question.goals.items()
    }
    return rank_cards(question, groups, columns, sample)


def _groups_alike(turn: PlayTurn, tricks_to_come: Ints) -> list[tuple[Card, ...]]:
    """The cards that may be played, grouped where they are alike.

    Cards next to each other in a suit are one choice if the side in turn takes the same
    tricks with them in every layout: ``tricks_to_come``, (layouts, 52).
    """

    def suit_and_tricks(card: Card) -> tuple[Suit, bytes]:
        """The same for cards that are alike."""
        return card.suit, tricks_to_come[:, card.index].tobytes()

    return [tuple(cards) for _, cards in groupby(turn.legal, key=suit_and_tricks)]


def _declarers_tricks(turn: PlayTurn, tricks_to_come: Ints) -> Ints:
    """Declarer's tricks in all, from those to come of the side in turn.

    ``turn.won`` tricks are declarer's already, and the defenders' are the others of
    those that are over.
    """
    if not turn.defends:
        return (turn.won + tricks_to_come).clip(0, ALL_TRICKS)
    defenders_won = turn.tricks - turn.won
    defenders_tricks = (defenders_won + tricks_to_come).clip(0, ALL_TRICKS)
    return ALL_TRICKS - defenders_tricks


def _sample_solved(
    posterior: Posterior, draws: Posterior, turn: PlayTurn
) -> CalibratedSample:
    """How the layouts solved, ``draws`` of a posterior, are weighted.

    Before the lead a network predicts in every draw P(beaten) and the defenders' tricks.
    There the weights are such that these two predictions have the same means over the
    layouts solved as over all draws. Else they are the weights of the draws.
    """
    if draws is posterior or draws.exact or not turn.lead:
        return CalibratedSample.every(draws.weights, _effective_draws(draws))
    group = Question(turn.pair, turn.contract.trump)
    # By declarer's tricks, (14,) each.
    is_beaten = turn.contract.tricks_needed > TRICKS
    defenders_tricks = ALL_TRICKS - TRICKS
    predicted_values = np.stack([is_beaten, defenders_tricks], axis=1)
    all_draws = layouts_for_decision(
        posterior, rng=0
    )  # some thousand, if there are more
    of_all = TrickEstimates.of(all_draws, [group])
    of_solved = TrickEstimates.of(draws, [group])
    means = of_all.weights @ of_all.pmfs[group] @ predicted_values
    predictions = of_solved.pmfs[group] @ predicted_values
    return CalibratedSample.of(draws.weights, predictions, means, of_all.ess)


def _effective_draws(draws: Posterior) -> float:
    """The effective sample size, infinite where the layouts are all that fit."""
    return np.inf if draws.exact else draws.ess


def _with_leads(choices: CardChoices, belief: Belief) -> CardChoices:
    """With how often players lead each card, where it is the opening lead."""
    player = belief.chooses
    turn = choices.turn
    if player is None or not turn.lead:
        return choices
    hand = np.array([turn.legal.mask], np.uint64)
    auction = belief.auction
    if auction is not None and auction.contract not in (None, turn.contract):
        auction = None  # it led to another contract
    dummys_hand = None  # which lies open only after the lead

    def chance(card: Card) -> float:
        """P(the player leads it)."""
        plays = [(turn.seat, card)]
        log_chances = log_likelihood(
            player, hand, turn.contract, plays, turn.seat, auction, dummys_hand
        )
        return exp(float(log_chances[0]))

    with_leads = [
        replace(choice, led=tuple(map(chance, choice.cards)))
        for choice in choices.choices
    ]
    return replace(choices, choices=tuple(with_leads))


@dataclass(frozen=True, eq=False)
class CardComparison:
    """Choices compared on the same layouts, each with the best.

    The best is that with the highest mean by the first goal, or by the next where the
    means are equal.
    """

    columns: dict[str, Floats]
    """By goal, the one that decides first: (layouts, choices) what each is worth."""
    sample: CalibratedSample

    @cached_property
    def order(self) -> list[int]:
        """The numbers of the choices, the best first."""
        means = [self.sample.weights @ values for values in self.columns.values()]
        places = np.arange(len(means[0]))
        falling = [-mean.round(DECIMALS_COMPARED) for mean in reversed(means)]
        order: list[int] = np.lexsort((places, *falling)).tolist()
        return order

    def behind(self, goal: str, choice: int) -> Estimate[float]:
        """How far a choice is behind the best by a goal, paired."""
        best = self.order[0]
        if choice == best:
            return Estimate(0.0, 0.0)
        most = WORTH_OF_BOTH_SIDES[goal]  # no difference is larger
        values = self.columns[goal]
        return self.sample.mean(values[:, best] - values[:, choice], -most, most, 1.0)

    def is_close(self, choice: int) -> bool:
        """Whether a choice may be as good as the best.

        By another goal where the first never differs.
        """
        comparisons = max(1, len(self.order) - 1)
        limit = NormalDist().inv_cdf(1.0 - ERROR_OF_BEST / comparisons)
        best = self.order[0]
        for goal, values in self.columns.items():
            if (values[:, choice] != values[:, best]).any():
                mean, error = self.behind(goal, choice)
                return mean <= limit * error
        return True


def rank_cards(
    question: CardQuestion,
    groups: Sequence[tuple[Card, ...]],
    columns: dict[str, Floats],
    sample: CalibratedSample,
) -> CardChoices:
    """The choices in order, the best first.

    A choice is a group of cards that do the same. ``columns``: (layouts, groups) by
    goal what each is worth, the first goal decides; ``sample``: the weights of the
    layouts.
    """
    comparison = CardComparison(columns, sample)
    goal = next(iter(columns))
    choices = []
    for place in comparison.order:
        cards = groups[place]
        matchpoints = None
        if "matchpoints" in columns:
            matchpoints = sample.share(columns["matchpoints"][:, place])
        tricks = sample.mean(
            columns["tricks"][:, place], low=0.0, high=float(ALL_TRICKS), step=1.0
        )
        choice = CardChoice(
            cards,
            chance=sample.share(columns["make"][:, place]),
            tricks=tricks,
            behind=comparison.behind(goal, place),
            close=comparison.is_close(place),
            wins=question.wins[cards[0]],
            matchpoints=matchpoints,
        )
        choices.append(choice)
    return CardChoices(
        question.turn, goal, tuple(choices), solved=len(sample.weights), exact=False
    )


class CardPlans(NamedTuple):
    """The best plan after each card, of equals the lowest, and what it is worth."""

    by_card: dict[Card, Plan]
    #: By goal, the one that decides first: (draws, cards) what the plans are worth.
    columns: dict[str, Floats]

    @property
    def first_column(self) -> Floats:
        """(draws, cards) by the goal that decides first."""
        return next(iter(self.columns.values()))


@dataclass(frozen=True, eq=False)
class SampledEnding:
    """The last tricks on draws of a posterior, with the weights of these."""

    question: CardQuestion
    ending: Ending
    layout_of_draw: Ints
    """(draws,) the number of each draw's layout; several may have the same."""
    sample: CalibratedSample

    @classmethod
    def of(
        cls,
        question: CardQuestion,
        own_hands: Sequence[int],
        hidden: Ints,
        sample: CalibratedSample,
        most_work: int,
    ) -> Self:
        """The ending on draws, equal ones counted as one layout.

        ``own_hands``: masks of what declarer has left in two hands; ``hidden``: (draws, 2) of
        what the defenders have.
        """
        layouts, layout_of_draw = np.unique(hidden, axis=0, return_inverse=True)
        turn = question.turn
        side = turn.contract.declarer % 2
        ending = Ending(turn.trick, own_hands, layouts, side, most_work)
        return cls(question, ending, layout_of_draw, sample)

    @property
    def layout_weights(self) -> Floats:
        """(layouts,) the weights of the draws, added up."""
        return np.bincount(self.layout_of_draw, self.sample.weights)

    @property
    def trick_values(self) -> Floats:
        """(tricks, 1) what each trick more of declarer, from the next one on, is worth.

        By the goal that decides, the others where that does not.
        """
        values = np.zeros(ALL_TRICKS)
        for place, goal_values in enumerate(self.question.goals.values()):
            values += np.diff(goal_values) * TIE_BREAK**place
        turn = self.question.turn
        return values[turn.won :][: turn.tricks_left, None]

    def plans(self, horizon: int) -> CardPlans:
        """The best plan after each card for so many tricks, double dummy after them."""
        # (tricks, layouts): a trick counts as much as its layout is likely.
        values = self.trick_values * self.layout_weights
        card_plans = list(self.ending.cards(values, horizon))
        card_plans.sort(key=lambda card_plan: -card_plan.card)
        won = self.question.turn.won
        tricks_by_card = [
            won + self.ending.tricks(card_plan.outcome) for card_plan in card_plans
        ]
        tricks_of_layouts = np.stack(tricks_by_card, axis=1)
        tricks = tricks_of_layouts[self.layout_of_draw]  # (draws, cards)
        return CardPlans(
            by_card={Card(card): plan for card, _, plan in card_plans},
            columns={
                name: values_of_tricks[tricks]
                for name, values_of_tricks in self.question.goals.items()
            },
        )

    def deepest_plans(self, horizon: int) -> tuple[CardPlans, int]:
        """The plans for as many tricks as the work allows, and how many these are.

        Plans for one trick are searched first, then for one more each time. That takes
        about ten times the work so far, and is not begun where so much is not left.
        """
        tricks_left = self.question.turn.tricks_left
        reached = 1
        plans = self.plans(reached)
        while reached < min(tricks_left, horizon):
            # Two tricks, or the last few, are always tried.
            is_quick = reached == 1 or tricks_left <= FEW_TRICKS
            expected_work = self.ending.work * DEEPER
            if not is_quick and expected_work >= self.ending.most_work:
                break
            try:
                plans = self.plans(reached + 1)
            except TooMuchWork:
                break
            reached += 1
        return plans, reached

    def text(self, plan: Plan) -> tuple[str, ...]:
        """A plan in words."""
        lines = self.ending.text(plan, self.layout_weights)
        return lines or ("Nothing is left to choose.",)


def _declarers_masks(draws: Posterior, turn: PlayTurn) -> list[int]:
    """What declarer's two hands have left, North's or East's first."""
    first_layout = draws.layouts.masks[0]
    side = turn.contract.declarer % 2
    return [int(first_layout[seat]) & ~turn.played_mask for seat in (side, side + 2)]


def _defenders_masks(draws: Posterior, turn: PlayTurn) -> Ints:
    """(draws, 2) masks of what the defenders have left, North's or East's first.

    Among a few layouts of many tricks nearly each has small cards of its own, by which
    a plan would tell them apart: there small cards are made to look alike.
    """
    side = turn.contract.declarer % 2
    defenders = [1 - side, 3 - side]
    masks = draws.layouts.masks.astype(np.int64)
    hidden = masks[:, defenders] & ~turn.played_mask
    if turn.tricks_left > FEW_TRICKS and not draws.exact:
        own_hands = _declarers_masks(draws, turn)
        hidden = with_equals_alike(turn.trick, own_hands, hidden, side)
    return hidden


def _few_like_all(
    all_draws: SampledEnding, hidden: Ints, draws: Posterior, n: int, random: Generator
) -> SampledEnding:
    """The ending on n of the draws, weighted to agree with all of them.

    They agree on what is quick to solve: the mean of what each card is worth double
    dummy, by the goal that decides. ``hidden``: (draws, 2) masks of the defenders.
    """
    double_dummy = all_draws.plans(horizon=0).first_column
    picked = random.choice(len(hidden), n, p=draws.weights)
    sample = CalibratedSample.of(
        weights=np.full(n, 1.0 / n),
        controls=double_dummy[picked],
        targets=draws.weights @ double_dummy,
        ess=_effective_draws(draws),
    )
    return SampledEnding.of(
        all_draws.question,
        all_draws.ending.start.own_hands,
        hidden[picked],
        sample,
        all_draws.ending.most_work,
    )


def search_cards(
    question: CardQuestion, budget: Budget, horizon: int, rng: Seed
) -> CardChoices:
    """Cards ranked by plans that may depend only on what declarer has seen.

    Raises :class:`TooMuchWork` where not even the plans for one trick are found in
    time.
    """
    turn = question.turn
    random = generator(rng)
    draws = question.posterior
    if len(draws) > DRAWN:
        draws = subsample(draws, DRAWN, random, f"{DRAWN} of these are used")
    sampled = _ending_to_search(question, draws, budget, random)
    plans, reached = sampled.deepest_plans(horizon)
    ranking = _rank_planned(sampled, plans)
    plan: tuple[str, ...] = ()
    if reached == turn.tricks_left:
        best_cards = ranking.choices[0].cards
        lowest_best_card = best_cards[-1]  # plans are by the lowest of equal cards
        plan = sampled.text(plans.by_card[lowest_best_card])
    every_draw = len(sampled.sample.weights) == len(draws)
    return replace(
        ranking, exact=draws.exact and every_draw, horizon=reached, plan=plan
    )


def _ending_to_search(
    question: CardQuestion, draws: Posterior, budget: Budget, random: Generator
) -> SampledEnding:
    """The ending on all draws, or on as many of their layouts as can be searched."""
    turn = question.turn
    seconds = budget.seconds or 0.0
    hidden = _defenders_masks(draws, turn)
    sampled = SampledEnding.of(
        question,
        _declarers_masks(draws, turn),
        hidden,
        CalibratedSample.every(draws.weights, _effective_draws(draws)),
        most_work=int(WORK_A_SECOND * seconds),
    )
    most_layouts = MOST_LAYOUTS  # enough for all of the last few tricks
    if turn.tricks_left > FEW_TRICKS:
        most_layouts = min(budget.solve or SEARCHED, SEARCHED)
    if sampled.ending.n <= most_layouts:
        return sampled
    return _few_like_all(sampled, hidden, draws, most_layouts, random)


def _rank_planned(sampled: SampledEnding, plans: CardPlans) -> CardChoices:
    """The choices by their plans.

    Of those that are the same, that comes first which is better double dummy.
    """
    question = sampled.question
    weights = sampled.sample.weights
    # Groups of equal cards stand in the order of the hand, high cards first, as the
    # columns of the plans do. Ties of plans keep the order that is given to them here.
    groups = _groups_of_equals(question.turn.legal, plans.by_card)
    double_dummy_values = weights @ sampled.plans(horizon=0).first_column
    falling = -double_dummy_values.round(DECIMALS_COMPARED)
    order = np.argsort(falling, kind="stable")
    groups_in_order = [groups[place] for place in order]
    columns = {name: values[:, order] for name, values in plans.columns.items()}
    return rank_cards(question, groups_in_order, columns, sampled.sample)


def _groups_of_equals(
    legal: Iterable[Card], lowest: Container[Card]
) -> list[tuple[Card, ...]]:
    """Cards that stand together, in the order of the hand.

    Each group ends with one of the ``lowest``.
    """
    groups = []
    group: list[Card] = []
    for card in legal:
        group.append(card)
        if card in lowest:
            groups.append(tuple(group))
            group = []
    return groups
