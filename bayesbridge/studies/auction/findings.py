"""What the study of the auction says of one scheme, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbridge.bidders.notrump_tree import OVER
from bayesbridge.capture.dummies import DUMMIES
from bayesbridge.game.layouts import Floats
from bayesbridge.studies.auction.game import (
    BATCH,
    SEATS,
    AuctionGame,
    Bidding,
    Gains,
    MeanOverDeals,
)
from bayesbridge.studies.auction.payoffs import DECLARER
from bayesbridge.studies.auction.strategies import Worth
from bayesbridge.studies.auction.types import FITTED_TO, Grouping

FIRST_SEAT: Final = 0
GROUPINGS: Final = (16, 64, 256, 1024)
"""Numbers of types whose best responses are compared; the last stands for the vectors
themselves.
"""
TRICK_TYPES: Final = 24
"""Types by predicted tricks, beside those by captures."""
STAGES: Final = (10, 3, 1)  # the iterations, divided by these, are looked at
HANDS_A_TYPE: Final = 8  # fewer hands to learn from say nothing of a type


def findings(
    game: AuctionGame, iterations: int, checkpoint: Path | None
) -> dict[str, Any]:
    """All that the study computes of one game.

    Three ways of bidding are compared: Algorithm 1, the first seat's best response to
    it, and the equilibrium, which regret minimisation comes to after the iterations.
    """
    paper = game.algorithm_1()
    paper_gains = game.gains(paper)
    response = game.best_response(paper, FIRST_SEAT)
    curve = []
    equilibrium = paper  # until the last stage has been learned
    for rounds, learned in game.learned(checkpoint, BATCH, stages(iterations)):
        curve.append({"iterations": rounds, **gains_data(game.gains(learned))})
        equilibrium = learned
    biddings = {
        "algorithm 1": paper,
        "best response": response,
        "equilibrium": equilibrium,
    }
    return {
        "scheme": game.scheme.name,
        "undertrick": float(game.scheme.undertrick),
        "utility": game.utility,
        "types": game.grouping.number,
        "bidding": {
            name: bidding_data(game, bidding) for name, bidding in biddings.items()
        },
        "gains from algorithm 1": gains_data(paper_gains),
        "grouping": grouping_data(game, paper),
        "gains from the equilibrium": curve,
        "opening": opening_data(game, equilibrium),
        "bits": {name: bits_data(game, bidding) for name, bidding in biddings.items()},
    }


def stages(iterations: int) -> tuple[int, ...]:
    """After how many iterations the strategies are judged."""
    return tuple(sorted({max(1, iterations // divisor) for divisor in STAGES}))


def estimate_data(estimate: MeanOverDeals) -> dict[str, float]:
    """An estimate as plain data."""
    return {"mean": estimate.mean, "standard_error": estimate.error}


def gains_data(gains: Gains) -> dict[str, Any]:
    """What seats would gain, as plain data."""
    return {
        "by_seat": [estimate_data(gain) for gain in gains.by_seat],
        "nash_conv": estimate_data(gains.total),
    }


def bidding_data(game: AuctionGame, bidding: Bidding) -> dict[str, Any]:
    """Points and contracts of a way of bidding, on the fresh deals.

    Also in what share of the auctions with a bid somebody is outbid.
    """
    results = game.worth(bidding)
    by_seat = []
    for seat in range(SEATS):
        points = MeanOverDeals.of(results.points[:, seat])
        by_seat.append({"points": estimate_data(points), **_declared(results, seat)})
    # ``results.contracts`` is (seats, levels, tricks).
    contracts_by_seat = results.contracts.sum(axis=(1, 2))
    contracts = results.contracts.sum(axis=0)
    tree = game.tree
    is_end = tree.player == OVER
    has_bid = tree.level > 0
    has_two_bids = _bids(game) > 1
    opened = results.reached[is_end & has_bid].sum()
    outbid = results.reached[is_end & has_two_bids].sum()
    return {
        "by_seat": by_seat,
        "contracts": float(contracts_by_seat.sum() / results.auctions),
        "made": _made_share(contracts),
        "mean_level": _mean_level(contracts),
        "outbid": float(outbid / opened) if opened else None,
    }


def _declared(results: Worth, seat: int) -> dict[str, Any]:
    """How often a seat declares and makes its contracts, and their mean level."""
    contracts = results.contracts[seat]
    return {
        "declares": float(contracts.sum() / results.auctions),
        "made": _made_share(contracts),
        "mean_level": _mean_level(contracts),
    }


def _made_share(contracts: Floats) -> float | None:
    """Of contracts (levels, 14) by level − 1 and tricks; ``None`` without any."""
    made = sum(
        by_tricks[level + 6 :].sum() for level, by_tricks in enumerate(contracts, 1)
    )
    total = contracts.sum()
    if not total:
        return None
    return float(made / total)


def _mean_level(contracts: Floats) -> float | None:
    by_level = contracts.sum(axis=1)
    total = by_level.sum()
    levels = np.arange(1, len(by_level) + 1)
    if not total:
        return None
    return float(by_level @ levels / total)


def _bids(game: AuctionGame) -> Floats:
    """(N,) how many bids lead to each node of the tree."""
    tree = game.tree
    bids = np.zeros(len(tree.player))
    for node in range(len(tree.player)):
        child = tree.first_child[node]
        for call in range(tree.calls[node]):
            bids[child + call] = bids[node] + (call > 0)
    return bids


def grouping_data(game: AuctionGame, bidding: Bidding) -> list[dict[str, Any]]:
    """What the first seat gains by its best response, by how it groups hands into types.

    With several numbers of types by the tricks that a hand captures, and with one by
    the tricks that the play-out should give it. Groupings with too few hands a type, of
    those to learn from, are left out.
    """
    hands = game.learning.hands.size
    groupings = [("captures", number_of_types) for number_of_types in GROUPINGS]
    groupings.append(("tricks", TRICK_TYPES))
    rows = []
    for by, number_of_types in groupings:
        if number_of_types * HANDS_A_TYPE > hands:
            continue
        fit_types = FITTED_TO[by]
        grouping = fit_types(game.learning, number_of_types)
        response = game.best_response(bidding, FIRST_SEAT, grouping)
        gain = game.gain(bidding, response, FIRST_SEAT)
        rows.append({"by": by, "types": number_of_types, **estimate_data(gain)})
    return rows


def opening_data(game: AuctionGame, bidding: Bidding) -> list[dict[str, Any]]:
    """What the first seat opens with each type of hand, the weakest first.

    For each type: its share of all hands, the mean P(T ≥ 7), what 1NT pays if nobody
    bids on, and the probability of each call.
    """
    types = game.grouping.types(game.fresh)  # (deals, 4 hands)
    chances = game.fresh.chances()  # (deals, 4, 7) P(T ≥ 7), …, P(T ≥ 13)
    chance_of_seven = chances[:, :, 0]
    # Each deal is bid in 24 auctions: (deals, 24) of the hand that speaks first.
    auctions = game.fresh.auctions([types] * SEATS)
    first_types = auctions.types[:, :, FIRST_SEAT]
    first_tricks = auctions.tricks[:, :, FIRST_SEAT]
    one_notrump = 0  # level − 1
    paid = game.payoffs[one_notrump, first_tricks, DECLARER]
    call_chances = _opening_calls(game, bidding)
    rows = []
    for hand_type in range(game.grouping.number):
        is_of_type = types == hand_type
        if not is_of_type.any():
            continue
        rows.append(
            {
                "share": float(is_of_type.mean()),
                "chance of 7": float(chance_of_seven[is_of_type].mean()),
                "1NT left to play": float(paid[first_types == hand_type].mean()),
                "calls": call_chances[hand_type].tolist(),
            }
        )
    return rows


def _opening_calls(game: AuctionGame, bidding: Bidding) -> Floats:
    """(types, calls) probability of each first call of the first seat.

    These are the first slots of its strategy: those of the start of the auction.
    """
    return bidding.profile[FIRST_SEAT][:, : game.tree.calls[0]]


def bits_data(game: AuctionGame, bidding: Bidding) -> dict[str, Any]:
    """How many bits the first call of the first seat tells about T of its hand.

    T (0 … 13) is how many tricks the paper's Algorithm 2 counts for the hand with a
    dummy. Hands are grouped into types, and the strategy of a seat is by type: so
    distributions by type give the figures without sampling. For each call the answer
    has the divergence of P(T ∣ call) from P(T), in bits; their mean over the calls is
    the mutual information of call and T.
    """
    grouping = bidding.groupings[FIRST_SEAT]
    # (types,) P(type); (types, 14) P(T ∣ type)
    type_shares, chances_of_T = _types_of_hands(game, grouping)
    call_chances = _opening_calls(game, bidding)  # (types, calls) P(call ∣ type)
    type_and_call = type_shares[:, None] * call_chances
    # (calls, 14) P(call, T): call and T are independent given the type.
    call_and_T = type_and_call.T @ chances_of_T
    prior_of_T = type_shares @ chances_of_T  # (14,) P(T)
    calls = []
    # Call 0 is a pass, and call n the bid of level n: all bids are in no trumps.
    for level, chances_with_T in enumerate(call_and_T):
        call_chance = float(chances_with_T.sum())
        if call_chance > 0.0:
            bits = _divergence(chances_with_T / call_chance, prior_of_T)
            calls.append({"level": level, "chance": call_chance, "bits": bits})
    mutual_information = sum(call["chance"] * call["bits"] for call in calls)
    return {"calls": calls, "mean": mutual_information}


def _types_of_hands(game: AuctionGame, grouping: Grouping) -> tuple[Floats, Floats]:
    """(types,) the share of each type among fresh hands; (types, 14) P(T ∣ type)."""
    types = grouping.types(game.fresh).ravel()
    # (hands, 14) P(T ∣ hand): dummies with which the hand has this T
    captures = game.fresh.captures.reshape(len(types), -1) / DUMMIES
    hands_by_type = np.bincount(types, minlength=grouping.number)
    sums = np.zeros((grouping.number, captures.shape[1]))
    np.add.at(sums, types, captures)
    # A type that no hand has: 0, not 0 / 0.
    means = sums / np.maximum(hands_by_type, 1)[:, None]
    return hands_by_type / len(types), means


def _divergence(after: Floats, before: Floats) -> float:
    """Bits by which one distribution tells more than another."""
    possible = after > 0.0
    ratio = after[possible] / before[possible]
    return max(0.0, float(after[possible] @ np.log2(ratio)))
