"""Small questions that reach every kernel, asked of machine code and of Python.

``test_python_mode.py`` asks them. Run as a script with NUMBA_DISABLE_JIT=1 it answers
them without a compiler, and names the functions that it went through::

    NUMBA_DISABLE_JIT=1 python -m tests.kernel_questions ANSWERS
"""

import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from bayesbridge import Auction, Hand, IterativeBidder, LearnedBidder, Suit
from bayesbridge.bidders.notrump_tree import notrump_tree
from bayesbridge.bidders.style import StyleBidder, cells
from bayesbridge.capture import kernels, tables
from bayesbridge.capture.dummies import captures_with_dummies
from bayesbridge.capture.playout import NO_TRUMP, play_out
from bayesbridge.capture.strains import strain_levels
from bayesbridge.capture.tables import row_table
from bayesbridge.decisions.solver import Solver
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.engines.draws import Marginals
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.particles import Moves
from bayesbridge.engines.proposal import Proposal, Tilt
from bayesbridge.engines.quantities import CaptureTricks
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.engines.tilt_fit import fit_tilt
from bayesbridge.estimators.distribution import Accumulator
from bayesbridge.estimators.network import table_tricks
from bayesbridge.estimators.protocol import Output
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.scoring import NEW
from bayesbridge.runtime import random64
from bayesbridge.runtime.random64 import seed_state
from bayesbridge.studies.auction.payoffs import payoffs
from bayesbridge.studies.auction.regret import Learning, learn
from bayesbridge.studies.auction.strategies import best_response, worth
from bayesbridge.studies.deals import deal_blocks, redeal
from scripts.count_shifts import Tally, join
from tests.deals import deal_masks, strange_deals
from tests.engines.positions import closed
from tests.studies.auction.toy import TYPES, toy_auctions

PACKAGE = Path(random64.__file__).parent


def words():
    """Words, and uniform integers below bounds of which some reject half of all words."""
    state = seed_state(1)
    bounds = [np.uint64(n) for n in (1, 6, 52, 2**32 + 1, 2**63 + 1, 2**64 - 1)]
    return [int(random64.bounded(state, n)) for n in bounds * 4], int(
        random64.next64(state)
    )


def deals():
    """Deals, and the same with two hands dealt anew."""
    (masks,) = deal_blocks(20, rng=2)
    again = masks.copy()
    redeal(seed_state(3), again, np.array([1, 3]))
    return masks, again


def suit_rows():
    """The rows of the lowest eight cards, and every tenth-thousandth of all."""
    return tables._all_rows(3**8), [
        int(tables.packed_row(row)) for row in range(0, tables.ROWS, 9_973)
    ]


def algorithms():
    """Algorithms 1 and 2 on ordinary and on strange deals."""
    own_hands, dummy_hands = np.concatenate(
        [deal_masks(100, 1)[:, :2].T, strange_deals(100, 2)], axis=1
    )
    return (
        *kernels.captures(own_hands, dummy_hands),
        kernels.tricks(own_hands, dummy_hands),
        *kernels.bids(own_hands),
    )


def play():
    """Tricks of deals played out in every strain by every pair of policies."""
    (masks,) = deal_blocks(6, rng=5)
    return [
        play_out(masks, trump, own_policy, other_policy)
        for trump, own_policy, other_policy in np.ndindex(NO_TRUMP + 1, 3, 3)
    ]


def dummies():
    """What hands with a long suit are worth with every dummy."""
    hands = [Hand.of("AKQJT98765.AK.2."), Hand.of("AKQJT9.AKQ.32.A2")]
    masks = np.array([hand.mask for hand in hands], dtype=np.uint64)
    return (captures_with_dummies(masks),)


def auction_game():
    """Worth, best response and a round of regret minimisation of a toy."""
    tree = notrump_tree(3, 2)
    auctions = toy_auctions(3, deals=4)
    table = payoffs(NEW, levels=2)
    with ThreadPoolExecutor(1) as executor:
        start = Learning.start(tree, TYPES)
        learning = learn(tree, auctions, table, start, 20, 1, executor)
        profile = learning.mean_strategies(tree)
        value = worth(tree, profile, auctions, table, executor)
        response = best_response(tree, profile, auctions, table, 0, TYPES, executor)
    return value.points, value.contracts, response, learning.regrets, learning.played


def bidding():
    """Levels in five strains, highest bids, cells, and a style's chances of calls."""
    hands = np.concatenate([*deal_masks(30, 6).T, *strange_deals(60, 7)])
    hand_cells = cells(hands)
    chances = [
        StyleBidder().log_likelihood(hands, Auction.of("W:Pass 1NT"), index)
        for index in (0, 1)
    ]
    return (
        strain_levels(hands),
        IterativeBidder(suits=True).highest_bids(hands),
        hand_cells,
        *chances,
    )


def learned_bidding():
    """What the learned bidder says of some hands."""
    hands = deal_masks(3, 8).ravel()
    bidder = LearnedBidder("NS")
    auction = Auction.of("N:1NT Pass")
    return bidder.log_likelihood(hands, auction, 0), bidder.log_likelihood(
        hands, auction, 0, hands[::-1]
    )


def layouts():
    """Layouts drawn, walked and shuffled, and their marginals.

    Points tie the suits together.
    """
    points = (
        closed(0, 5, 4, 4)
        .lack(2, Hand.of("DK").mask)
        .points(1, 3, 8)
        .length(3, 2, 4, 5)
    )
    sampler = LayoutIndex.of(points)
    walk = Enumeration.of(points)
    masks = np.concatenate(
        [
            walk.stretch(begin, begin + 100)
            for begin in range(0, len(walk), len(walk) // 30)
        ]
    )
    weights = np.linspace(1, 2, len(masks))
    sums = Marginals.of([(masks, weights)])
    return (
        sampler.total,
        sampler.draw(40, rng=10),
        sampler.card_marginals(),
        sampler.length_distributions(),
        masks,
        Moves.of(points).shuffle(masks[:20], 30, 11),
        sums.card_marginals(),
        sums.points,
    )


def tilted_draws():
    """A tilt fitted to points and lengths, draws with it, and their rounded density."""
    points = closed(0, 5, 4, 4).lack(2, Hand.of("DK").mask).points(1, 3, 8)
    sampler = LayoutIndex.of(points)
    hands = sampler.draw(60, rng=12)[:, 3]
    values = np.array(
        [
            0.4 * Hand(int(hand)).points + 0.3 * (int(hand) & 0x1FFF).bit_count()
            for hand in hands
        ]
    )
    tilt = fit_tilt(hands, values, np.full(60, 5.0), Tilt.none())
    proposal = Proposal(
        points.normalised(), sampler, (3, 1, 2), (tilt, Tilt.none(), tilt, tilt)
    )
    layouts, log_q = proposal.draw(25, rng=13)
    return np.round(tilt.holding, 6), layouts, np.round(log_q, 6)


def convolution():
    """Exact counts suit by suit, for pairs of seats that take many tricks and none.

    Suits of four cards are counted too.
    """
    constraints = closed(0, 5, 5, 0)
    counts = []
    for pair in ((0, 2), (1, 3)):
        counts += capture_counts(constraints, *pair).values()
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(4):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    suit = Tally.of(
        lengths, row_table()[:81].astype(np.int64), np.ones(81, dtype=np.int64)
    )
    two_suits = suit.merged(suit)
    four_suits = np.array(sorted(join(two_suits, two_suits, 14 * 5 + 5).items()))
    return [*counts, two_suits.summary, two_suits.ways, four_suits]


def levels():
    """Two callers' levels counted, drawn and walked over.

    Points of a third seat are in a range.
    """
    constraints = closed(5, 5, 0, 3).points(0, 10, 15)
    weights = {
        0: [0.1, 1.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
        1: [1.0, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
    tables = LevelTables.of(constraints, weights)
    return (
        tables.counts,
        tables.draw(40, rng=12),
        tables.card_marginals(),
        tables.length_distributions(),
        tables.distribution(CaptureTricks(2, 0)),
    )


def sums():
    """An output of integers added up to a distribution."""
    accumulator = Accumulator(Output("x", "a number", ("suit",), "int8"), "toy")
    accumulator.add(
        np.arange(-12, 12, dtype=np.int8).reshape(6, 4), np.linspace(0.1, 0.2, 6)
    )
    return accumulator.lowest, accumulator.table


def network():
    """Likeliest numbers of tricks, and their distribution in hundredths.

    Machine code may add in another order.
    """
    (masks,) = deal_blocks(1, rng=14)
    probabilities = table_tricks(masks, Suit.H)
    return probabilities.argmax(axis=1), np.rint(100 * probabilities).astype(int)


def tables_of_deals():
    """Deals by tables: groups paired and joined, for pools of three seats and of none.

    Numbers have one word, or two.
    """
    answers = []
    for constraints, text in (
        (Constraints.free(), "hcp(north) + hcp(south) >= 35 && aces(north) == 2"),
        (
            Constraints.free().hold(2, (1 << 13) - 1 << 13).hold(0, 0b11111),
            "spades(west) >= 9 && hcp(north) < 9",
        ),
    ):
        table = DealTable.of(
            constraints.normalised(),
            parse_expression(text),
            parse_expression("hcp(north)"),
        )
        answers += [
            str(table.total),
            str(sorted(table.counts().items())),
            table.draw(20, seed_state(15)),
        ]
    return answers


def last_tricks():
    """Double dummy of three tricks, at no trumps and with trumps.

    At the start of a trick and in the middle.
    """
    hidden = np.array(
        [
            [0b0010_0001_0100 << 13, 0b1001_0010 | 1 << 30],
            [0b1001_0001_0000 << 13, 0b0110_0010 | 1 << 14],
        ]
    )
    own_hands = (0b0100_0100_1000 << 13, 0b1000_0000_0101)
    most_tricks = np.array([3, 3])
    games = []
    for trump in (None, 0, 1):
        games += [
            (Solver(trump, 0), leader, cards) for leader, cards in ((0, ()), (3, (33,)))
        ]
    return [
        game.tricks(own_hands, hidden, leader, cards, most_tricks)[0]
        for game, leader, cards in games
    ]


QUESTIONS = (
    words,
    deals,
    suit_rows,
    algorithms,
    play,
    bidding,
    dummies,
    auction_game,
    learned_bidding,
    layouts,
    tilted_draws,
    convolution,
    levels,
    sums,
    network,
    tables_of_deals,
    last_tricks,
)


def answer_all():
    """Answers by question, and the functions of the package that were called.

    Each function is (file, name).
    """
    called = set()
    tool = sys.monitoring.OPTIMIZER_ID
    monitor = sys.monitoring

    def note(code, _offset):
        if code.co_filename.startswith(f"{PACKAGE}{os.sep}"):
            called.add((str(Path(code.co_filename).relative_to(PACKAGE)), code.co_name))
        return monitor.DISABLE

    monitor.use_tool_id(tool, "kernels")
    monitor.register_callback(tool, monitor.events.PY_START, note)
    monitor.set_events(tool, monitor.events.PY_START)
    try:
        return {question.__name__: question() for question in QUESTIONS}, called
    finally:
        monitor.set_events(tool, 0)
        monitor.free_tool_id(tool)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(pickle.dumps(answer_all()))
