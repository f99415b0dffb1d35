"""Double-dummy tricks for bayesbridge: what both sides take when everybody sees all
four hands and plays perfectly.

Bo Haglund's and Soren Hein's DDS does the solving, through the binding that endplay
ships. Boards go to it in batches as large as it takes, which it spreads over all cores.
The same layout twice in a batch is solved once.

Double-dummy play knows partners who sit opposite: of a pair of neighbours (the bidder
and a dummy beside him) the second is taken to sit opposite the first, see
``Question.table``.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from bayesbridge.game.cards import SUIT_MASK, Strain
from bayesbridge.game.layouts import Layouts, Masks
from bayesbridge.game.tricks import Trick

BATCH: Final = 200
"""Boards that DDS takes at once; a deal and a strain are one board."""

_ONE_AT_A_TIME: Final = Lock()
"""DDS keeps its batches in global variables: it runs threads of its own and must not be
called from two.
"""


@hookimpl
def bayesbridge_estimators() -> list[Estimator]:
    """One contract, the table of all contracts, and the choice of a card."""
    return [Solved(), DoubleDummy(), DoubleDummyLeads()]


@dataclass(frozen=True, slots=True)
class Solved:
    """Double-dummy tricks of one contract: the first of the pair declares in the
    question's strain.
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
        distinct, rows = np.unique(
            layouts.masks[:, list(question.table)], axis=0, return_inverse=True
        )
        position = np.zeros(24, dtype=np.int32)
        position[:2] = (
            _denomination(
                Strain.NT if question.trump is None else Strain(question.trump)
            ),
            1,
        )
        taken = np.empty(len(distinct), dtype=np.int8)
        for begin in range(0, len(distinct), BATCH):
            part = slice(begin, begin + BATCH)
            taken[part] = 13 - _best(position, _remaining(distinct[part]))
        return {"solved": taken[rows]}


@dataclass(frozen=True, slots=True)
class DoubleDummy:
    """Tricks that each seat takes as declarer, the seat to its left leading; fewer
    ``strains`` are solved faster.
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
        counted = TrickCount(at_table=True)
        return (
            Output(
                "dd_tricks",
                doc,
                ("strain", "seat"),
                "int8",
                {"strain": self.strains},
                tricks=counted,
            ),
        )

    def estimate(
        self, layouts: Layouts, question: Question
    ) -> Mapping[str, NDArray[Any]]:
        """One table a layout."""
        strains = [Strain.of(strain) for strain in self.strains]
        distinct, rows = np.unique(layouts.masks, axis=0, return_inverse=True)
        tricks = np.empty((len(distinct), len(strains), 4), dtype=np.int8)
        step = BATCH // len(strains)
        for begin in range(0, len(distinct), step):
            part = slice(begin, begin + step)
            tables = _tables(
                _remaining(distinct[part][:, list(question.table)]), strains
            )
            tricks[part][:, :, list(question.table)] = tables
        return {"dd_tricks": tricks[rows]}


@dataclass(frozen=True, slots=True)
class DoubleDummyLeads:
    """Tricks of the side in turn after each card that it may play, from the whole
    position as it stands.

    Without a trick in the question that is the opening lead by the seat to the left of
    the pair's first, who declares. With one, it is the card of the seat in turn, the
    cards played having left their hands: sample layouts, solve each card in all of
    them, take the best on average, as Ginsberg's GIB did.
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
        trick = question.trick or Trick(seats[1], question.trump)
        if trick.complete:
            raise BayesBridgeError(
                f"trick '{trick}' is complete: give at most three cards",
                cards=trick.cards,
            )
        if question.trick is not None and question.pair[0].partner != question.pair[1]:
            raise BayesBridgeError(
                "double-dummy play from the middle needs a pair of opposite seats",
                pair=question.pair,
            )
        gone = np.uint64(question.played | sum(card.mask for card in trick.cards))
        distinct, rows = np.unique(layouts.masks, axis=0, return_inverse=True)
        remaining = _remaining(distinct[:, list(seats)] & ~gone)
        position = np.zeros(
            24, dtype=np.int32
        )  # the fields of DDS's deal: trump, leader, trick so far, cards
        position[:2] = (
            _denomination(Strain.NT if trick.trump is None else Strain(trick.trump)),
            seats.index(trick.leader),
        )
        for place, card in enumerate(trick.cards):
            position[2 + place], position[5 + place] = 3 - card.suit, card.rank + 2
        tricks = np.full((len(distinct), 52), -1, dtype=np.int8)
        for begin in range(0, len(distinct), BATCH):
            part = slice(begin, begin + BATCH)
            tricks[part] = _cards(position, remaining[part])
        return {"lead_playable": tricks[rows] >= 0, "lead_tricks": tricks[rows]}


def _denomination(strain: Strain) -> int:
    """DDS counts suits from spades down, then no trumps."""
    return 4 if strain == Strain.NT else 3 - strain


def _remaining(masks: Masks) -> NDArray[np.uint32]:
    """(n, 4, 4) cards by seat and suit as DDS wants them: spades first, bit 2 the two,
    bit 14 the ace.
    """
    suits = masks[:, :, None] >> np.arange(39, -1, -13, dtype=np.uint64) & np.uint64(
        SUIT_MASK
    )
    return (suits << np.uint64(2)).astype(np.uint32)


def _dds() -> Any:
    """DDS, loaded once: loading it frees the memory of whatever it is solving for
    another thread.
    """
    with _ONE_AT_A_TIME:
        return _loaded()


@cache
def _loaded() -> Any:
    """DDS through endplay's binding alone: the whole package would load Matplotlib too,
    which takes a second.
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


def _tables(hands: NDArray[np.uint32], strains: list[Strain]) -> NDArray[np.int32]:
    """(n, strains, 4) tricks by declarer."""
    dds = _dds()
    wanted = [_denomination(strain) for strain in strains]
    deals, solved = dds.ddTableDeals(noOfTables=len(hands)), dds.ddTablesRes()
    np.frombuffer(deals.ddTableDeal, dtype=np.uint32).reshape(-1, 4, 4)[
        : len(hands)
    ] = hands
    without_par = -1
    with _ONE_AT_A_TIME:
        dds.CalcAllTables(
            deals,
            without_par,
            [i not in wanted for i in range(5)],
            solved,
            dds.allParResults(),
        )
    return np.frombuffer(solved.results, dtype=np.int32).reshape(-1, 5, 4)[
        : len(hands), wanted
    ]


def _best(position: NDArray[np.int32], hands: NDArray[np.uint32]) -> NDArray[np.int8]:
    """(n,) most tricks of the side on lead."""
    dds = _dds()
    n = len(hands)
    boards, solved = dds.boards(noOfBoards=n), dds.solvedBoards()
    deals = np.frombuffer(boards.deals, dtype=np.int32).reshape(-1, 24)[:n]
    deals[:] = position
    deals[:, 8:] = hands.reshape(n, 16)
    boards.target[:n], boards.solutions[:n], boards.mode[:n] = (
        [-1] * n,
        [1] * n,
        [1] * n,
    )
    with _ONE_AT_A_TIME:
        dds.SolveAllBoardsBin(boards, solved)
    return (
        np.frombuffer(solved.solvedBoard, dtype=np.int32)
        .reshape(-1, 54)[:n, 41]
        .astype(np.int8)
    )


def _cards(position: NDArray[np.int32], hands: NDArray[np.uint32]) -> NDArray[np.int8]:
    """(n, 52) tricks of the side in turn after each of its cards, -1 where there is
    none to play.
    """
    dds = _dds()
    n = len(hands)
    boards, solved = dds.boards(noOfBoards=n), dds.solvedBoards()
    deals = np.frombuffer(boards.deals, dtype=np.int32).reshape(-1, 24)[:n]
    deals[:] = position
    deals[:, 8:] = hands.reshape(n, 16)
    # The highest number of tricks (target -1) of every card (solutions 3), computed even if forced (mode 1).
    boards.target[:n], boards.solutions[:n], boards.mode[:n] = (
        [-1] * n,
        [3] * n,
        [1] * n,
    )
    with _ONE_AT_A_TIME:
        dds.SolveAllBoardsBin(boards, solved)
    found = np.frombuffer(solved.solvedBoard, dtype=np.int32).reshape(-1, 54)[:n]
    suit, rank, lower, score = (
        found[:, begin : begin + 13] for begin in (2, 15, 28, 41)
    )
    alike = np.where(
        np.arange(13) < found[:, 1:2], 1 << rank | lower, 0
    )  # a card and those that are worth the same
    tricks = np.full((n, 52), -1, dtype=np.int8)
    for low in range(13):
        board, place = np.nonzero(alike >> (low + 2) & 1)
        tricks[board, 13 * (3 - suit[board, place]) + low] = score[board, place]
    return tricks
