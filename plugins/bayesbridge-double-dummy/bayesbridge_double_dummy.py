"""Double-dummy tricks for bayesbridge: everybody sees all hands and plays perfectly.

Bo Haglund's and Soren Hein's DDS does the solving, through the binding that endplay
ships. Boards go to it in batches as large as it takes, which it spreads over all cores.
The same layout twice in a batch is solved once.

Double-dummy play knows partners who sit opposite: of a pair of neighbours (the bidder
and a dummy beside him) the second is taken to sit opposite the first, see
``Question.table``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.hookspecs import hookimpl
from bayesbridge.estimators.protocol import (
    COORDS,
    Estimator,
    Output,
    Question,
    TrickCount,
)
from bayesbridge.game.cards import SUIT_MASK, Card, Strain, Suit
from bayesbridge.game.layouts import Layouts, Masks
from bayesbridge.game.tricks import Trick

BATCH: Final = 200
"""Boards that DDS takes at once; a deal and a strain are one board."""

_ONE_AT_A_TIME: Final = Lock()
"""DDS keeps its batches in global variables, and must not be called from two threads.

It runs threads of its own.
"""

# DDS's deal, 24 numbers: trump, leader, suits and ranks of up to three cards of the
# trick so far, and four suits of four hands.
DEAL_FIELDS: Final = 24
TRUMP: Final = 0
LEADER: Final = 1
TRICK_SUITS: Final = 2
TRICK_RANKS: Final = 5
HANDS: Final = 8

# DDS's answer on a board, 54 numbers: nodes, how many cards, and of up to 13 cards the
# suit, the rank, the lower ones that are worth the same, and the tricks.
ANSWER_FIELDS: Final = 54
CARDS: Final = 1
CARD_SUITS: Final = slice(2, 15)
CARD_RANKS: Final = slice(15, 28)
EQUAL_RANKS: Final = slice(28, 41)
SCORES: Final = slice(41, 54)
BEST_SCORE: Final = SCORES.start

LOWEST_RANK: Final = 2  # DDS's number of the two; the ace is 14
HIGHEST_TRICKS: Final = -1  # the target of a board that asks for as many as possible
BEST_CARD: Final = 1  # the solution of a board that asks for one best card
ALL_CARDS: Final = 3  # and of one that asks for every card
EVEN_IF_FORCED: Final = 1  # the mode of a board that is solved even with one card left
WITHOUT_PAR: Final = -1


@hookimpl
def bayesbridge_estimators() -> list[Estimator]:
    """One contract, the table of all contracts, and the choice of a card."""
    return [Solved(), DoubleDummy(), DoubleDummyLeads()]


@dataclass(frozen=True, slots=True)
class Solved:
    """Double-dummy tricks of one contract.

    The first of the pair declares in the question's strain.
    """

    name: str = "solved"
    seconds: float = 0.04

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Tricks of the declaring side."""
        doc = "Double-dummy tricks of the declaring side, solved."
        return (Output("solved", doc, dtype="int8", tricks=TrickCount(at_table=True)),)

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """One number a layout."""
        at_table = layouts.masks[:, list(question.table)]
        distinct, rows = np.unique(at_table, axis=0, return_inverse=True)
        position = _position(question.trump, leader=1)
        tricks = np.empty(len(distinct), dtype=np.int8)
        for begin in range(0, len(distinct), BATCH):
            batch = slice(begin, begin + BATCH)
            defenders_tricks = _best_tricks(position, _remaining(distinct[batch]))
            tricks[batch] = 13 - defenders_tricks
        return {"solved": tricks[rows]}


@dataclass(frozen=True, slots=True)
class DoubleDummy:
    """Tricks that each seat takes as declarer, the seat to its left leading.

    Fewer ``strains`` are solved faster.
    """

    strains: tuple[str, ...] = COORDS["strain"]
    name: str = "double_dummy"

    @property
    def seconds(self) -> float:
        """Of one core, for the strains asked for."""
        return 0.075 * len(self.strains)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Tricks by strain and declarer."""
        doc = "Double-dummy tricks of the declarer's side."
        tricks = Output(
            "dd_tricks",
            doc,
            ("strain", "seat"),
            "int8",
            {"strain": self.strains},
            tricks=TrickCount(at_table=True),
        )
        return (tricks,)

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """One table a layout."""
        strains = [Strain.of(strain) for strain in self.strains]
        seats = list(question.table)
        distinct, rows = np.unique(layouts.masks, axis=0, return_inverse=True)
        tricks = np.empty((len(distinct), len(strains), 4), dtype=np.int8)
        step = BATCH // len(strains)
        for begin in range(0, len(distinct), step):
            batch = slice(begin, begin + step)
            hands = _remaining(distinct[batch][:, seats])
            tricks[batch][:, :, seats] = _table_tricks(hands, strains)
        return {"dd_tricks": tricks[rows]}


@dataclass(frozen=True, slots=True)
class DoubleDummyLeads:
    """Tricks of the side in turn after each card that it may play.

    It starts from the whole position as it stands. Without a trick in the question that
    is the opening lead by the seat to the left of the pair's first, who declares. With
    one, it is the card of the seat in turn, the cards played having left their hands:
    sample layouts, solve each card in all of them, take the best on average, as
    Ginsberg's GIB did.
    """

    name: str = "double_dummy_leads"
    seconds: float = 0.08

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Tricks by card."""
        return (
            Output(
                "lead_playable",
                "Whether the seat in turn may play the card.",
                ("card",),
                "bool",
            ),
            Output(
                "lead_tricks",
                "Double-dummy tricks of its side after the card, or -1.",
                ("card",),
                "int8",
            ),
        )

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """One row of 52 cards a layout."""
        seats = question.table
        trick = _trick_to_play(question)
        played = question.played | sum(card.mask for card in trick.cards)
        distinct, rows = np.unique(layouts.masks, axis=0, return_inverse=True)
        remaining = _remaining(distinct[:, list(seats)] & ~np.uint64(played))
        leader = seats.index(trick.leader)
        position = _position(trick.trump, leader, trick.cards)
        tricks = np.full((len(distinct), 52), -1, dtype=np.int8)
        for begin in range(0, len(distinct), BATCH):
            batch = slice(begin, begin + BATCH)
            tricks[batch] = _tricks_by_card(position, remaining[batch])
        return {"lead_playable": tricks[rows] >= 0, "lead_tricks": tricks[rows]}


def _trick_to_play(question: Question) -> Trick:
    """The trick of a question, which must have a card to come.

    Without one it is the first, led from the left of declarer.
    """
    if question.trick is None:
        return Trick(question.table[1], question.trump)
    if question.trick.complete:
        raise BayesBridgeError(
            f"trick '{question.trick}' is complete: give at most three cards",
            cards=question.trick.cards,
        )
    first, second = question.pair
    if first.partner != second:
        raise BayesBridgeError(
            "double-dummy play from the middle needs a pair of opposite seats",
            pair=question.pair,
        )
    return question.trick


def _denomination(strain: Strain) -> int:
    """DDS counts suits from spades down, then no trumps."""
    return 4 if strain == Strain.NT else 3 - strain


def _position(
    trump: Suit | None, leader: int, cards: Sequence[Card] = ()
) -> NDArray[np.int32]:
    """(24,) DDS's deal without its hands, after these cards of a trick.

    ``leader`` counts seats from declarer.
    """
    strain = Strain.NT if trump is None else Strain(trump)
    position = np.zeros(DEAL_FIELDS, dtype=np.int32)
    position[TRUMP] = _denomination(strain)
    position[LEADER] = leader
    for place, card in enumerate(cards):
        position[TRICK_SUITS + place] = 3 - card.suit
        position[TRICK_RANKS + place] = card.rank + LOWEST_RANK
    return position


def _remaining(masks: Masks) -> NDArray[np.uint32]:
    """(n, 4, 4) cards by seat and suit as DDS wants them.

    Spades come first; bit 2 is the two, bit 14 the ace.
    """
    spades_first = np.arange(39, -1, -13, dtype=np.uint64)
    suits = masks[:, :, None] >> spades_first & np.uint64(SUIT_MASK)
    return (suits << np.uint64(LOWEST_RANK)).astype(np.uint32)


def _dds() -> Any:
    """DDS, loaded once.

    Loading it frees the memory of whatever it is solving for another thread.
    """
    with _ONE_AT_A_TIME:
        return _loaded()


@cache
def _loaded() -> Any:
    """DDS through endplay's binding alone.

    The whole package would load Matplotlib too, which takes a second.
    """
    package = find_spec("endplay")
    assert package is not None
    assert package.origin is not None
    spec = spec_from_file_location(
        "bayesbridge_dds", Path(package.origin).parent / "_dds" / "__init__.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _table_tricks(
    hands: NDArray[np.uint32], strains: list[Strain]
) -> NDArray[np.int32]:
    """(n, strains, 4) tricks by declarer, of (n, 4, 4) hands."""
    dds = _dds()
    boards = len(hands)
    wanted = [_denomination(strain) for strain in strains]
    is_left_out = [denomination not in wanted for denomination in range(5)]
    deals = dds.ddTableDeals(noOfTables=boards)
    answers = dds.ddTablesRes()
    all_hands = np.frombuffer(deals.ddTableDeal, dtype=np.uint32).reshape(-1, 4, 4)
    all_hands[:boards] = hands
    with _ONE_AT_A_TIME:
        dds.CalcAllTables(deals, WITHOUT_PAR, is_left_out, answers, dds.allParResults())
    tricks = np.frombuffer(answers.results, dtype=np.int32).reshape(-1, 5, 4)
    return tricks[:boards, wanted]


def _answers(
    position: NDArray[np.int32], hands: NDArray[np.uint32], solutions: int
) -> NDArray[np.int32]:
    """(n, 54) DDS's answers on boards that differ in their (n, 4, 4) hands alone."""
    dds = _dds()
    n = len(hands)
    boards = dds.boards(noOfBoards=n)
    deals = np.frombuffer(boards.deals, dtype=np.int32).reshape(-1, DEAL_FIELDS)
    deals[:n] = position
    deals[:n, HANDS:] = hands.reshape(n, 16)
    boards.target[:n] = [HIGHEST_TRICKS] * n
    boards.solutions[:n] = [solutions] * n
    boards.mode[:n] = [EVEN_IF_FORCED] * n
    solved = dds.solvedBoards()
    with _ONE_AT_A_TIME:
        dds.SolveAllBoardsBin(boards, solved)
    answers = np.frombuffer(solved.solvedBoard, dtype=np.int32)
    return answers.reshape(-1, ANSWER_FIELDS)[:n]


def _best_tricks(
    position: NDArray[np.int32], hands: NDArray[np.uint32]
) -> NDArray[np.int8]:
    """(n,) most tricks of the side on lead."""
    return _answers(position, hands, BEST_CARD)[:, BEST_SCORE].astype(np.int8)


def _tricks_by_card(
    position: NDArray[np.int32], hands: NDArray[np.uint32]
) -> NDArray[np.int8]:
    """(n, 52) tricks of the side in turn after each of its cards.

    −1 where there is none to play.
    """
    answers = _answers(position, hands, ALL_CARDS)
    suits = answers[:, CARD_SUITS]
    scores = answers[:, SCORES]
    ranks = 1 << answers[:, CARD_RANKS] | answers[:, EQUAL_RANKS]
    is_card = np.arange(13) < answers[:, [CARDS]]
    # A card and those that are worth the same, as bits.
    equal_ranks = np.where(is_card, ranks, 0)
    tricks = np.full((len(hands), 52), -1, dtype=np.int8)
    for rank in range(13):
        board, place = np.nonzero(equal_ranks >> (rank + LOWEST_RANK) & 1)
        cards = 13 * (3 - suits[board, place]) + rank
        tricks[board, cards] = scores[board, place]
    return tricks
