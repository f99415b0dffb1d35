"""What the study of the auction says of one scheme, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbridge.capture.dummies import DUMMIES
from bayesbridge.game.layouts import Floats
from bayesbridge.studies.auction.game import (
    BATCH,
    SEATS,
    AuctionGame,
    Bidding,
    Estimate,
    Gains,
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
    """All that the study computes of one game."""
    paper = game.algorithm_1()
    paper_gains = game.gains(paper)
    response = game.best_response(paper, FIRST_SEAT)
    curve = []
    for rounds, bidding in game.learned(checkpoint, BATCH, stages(iterations)):
        curve.append({"iterations": rounds, **gains_data(game.gains(bidding))})
    ways = {"algorithm 1": paper, "best response": response, "equilibrium": bidding}
    return {
        "scheme": game.scheme.name,
        "undertrick": float(game.scheme.undertrick),
        "utility": game.utility,
        "types": game.grouping.number,
        "bidding": {name: bidding_data(game, way) for name, way in ways.items()},
        "gains from algorithm 1": gains_data(paper_gains),
        "grouping": grouping_data(game, paper),
        "gains from the equilibrium": curve,
        "opening": opening_data(game, bidding),
        "bits": {name: bits_data(game, way) for name, way in ways.items()},
    }


def stages(iterations: int) -> tuple[int, ...]:
    """After how many iterations the strategies are judged."""
    return tuple(sorted({max(1, iterations // divisor) for divisor in STAGES}))


def estimate_data(estimate: Estimate) -> dict[str, float]:
    """An estimate as plain data."""
    return {"mean": estimate.mean, "standard_error": estimate.error}


def gains_data(gains: Gains) -> dict[str, Any]:
    """What seats would gain, as plain data."""
    return {
        "by_seat": [estimate_data(gain) for gain in gains.by_seat],
        "nash_conv": estimate_data(gains.total),
    }


def bidding_data(game: AuctionGame, bidding: Bidding) -> dict[str, Any]:
    """Points, contracts and calls of a way of bidding, on the fresh deals."""
    worth = game.worth(bidding)
    by_seat = []
    for seat in range(SEATS):
        points = Estimate.of(worth.points[:, seat])
        by_seat.append({"points": estimate_data(points), **_declared(worth, seat)})
    contracts = worth.contracts.sum(axis=(1, 2))
    tree = game.tree
    opened = worth.reached[(tree.player < 0) & (tree.level > 0)].sum()
    outbid = worth.reached[(tree.player < 0) & (_bids(game) > 1)].sum()
    return {
        "by_seat": by_seat,
        "contracts": float(contracts.sum() / worth.auctions),
        "made": _made_share(worth.contracts.sum(axis=0)),
        "mean_level": _mean_level(worth.contracts.sum(axis=0)),
        "outbid": float(outbid / opened) if opened else None,
    }


def _declared(worth: Worth, seat: int) -> dict[str, Any]:
    """How often a seat declares and makes its contracts, and their mean level."""
    contracts = worth.contracts[seat]
    return {
        "declares": float(contracts.sum() / worth.auctions),
        "made": _made_share(contracts),
        "mean_level": _mean_level(contracts),
    }


def _made_share(contracts: Floats) -> float | None:
    """Of contracts (levels, 14) by level − 1 and tricks; ``None`` without any."""
    made = sum(row[level + 7 :].sum() for level, row in enumerate(contracts))
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
    """What the first seat gains by its best response, by the number of its types."""
    hands = game.learning.hands.size
    ways = [("captures", number) for number in GROUPINGS]
    ways.append(("tricks", TRICK_TYPES))
    rows = []
    for by, number in ways:
        if number * HANDS_A_TYPE > hands:
            continue
        types = FITTED_TO[by](game.learning, number)
        response = game.best_response(bidding, FIRST_SEAT, types)
        gain = game.gain(bidding, response, FIRST_SEAT)
        rows.append({"by": by, "types": number, **estimate_data(gain)})
    return rows


def opening_data(game: AuctionGame, bidding: Bidding) -> list[dict[str, Any]]:
    """What the first seat opens with each type of hand, the weakest first."""
    types = game.grouping.types(game.fresh)
    strategy = bidding.profile[FIRST_SEAT]
    chances = game.fresh.chances()[:, :, 0]
    auctions = game.fresh.auctions([types] * SEATS)
    held = auctions.types[:, :, FIRST_SEAT]
    played = game.payoffs[0, auctions.tricks[:, :, FIRST_SEAT], DECLARER]
    rows = []
    for hand_type in range(game.grouping.number):
        hands = types == hand_type
        if not hands.any():
            continue
        rows.append(
            {
                "share": float(hands.mean()),
                "chance of 7": float(chances[hands].mean()),
                "1NT left to play": float(played[held == hand_type].mean()),
                "calls": strategy[hand_type, : game.tree.calls[0]].tolist(),
            }
        )
    return rows


def bits_data(game: AuctionGame, bidding: Bidding) -> dict[str, Any]:
    """What the first call of the first seat tells about its T: bits, exact by types.

    Of each call the divergence of P(T ∣ call) from P(T), and their mean by the chance
    of the call, which is the mutual information.
    """
    share, captures = _types_of_hands(game, bidding.groupings[FIRST_SEAT])
    calls = bidding.profile[FIRST_SEAT][:, : game.tree.calls[0]]
    joint = (share[:, None] * calls).T @ captures  # (calls, 14) P(call, T)
    before = share @ captures
    rows = []
    for level, row in enumerate(joint):
        chance = float(row.sum())
        if chance > 0.0:
            bits = _divergence(row / chance, before)
            rows.append({"level": level, "chance": chance, "bits": bits})
    mean = sum(row["chance"] * row["bits"] for row in rows)
    return {"calls": rows, "mean": mean}


def _types_of_hands(game: AuctionGame, grouping: Grouping) -> tuple[Floats, Floats]:
    """(types,) the share of each type among fresh hands; (types, 14) P(T ∣ type)."""
    types = grouping.types(game.fresh).ravel()
    captures = game.fresh.captures.reshape(len(types), -1) / DUMMIES
    hands = np.bincount(types, minlength=grouping.number)
    sums = np.zeros((grouping.number, captures.shape[1]))
    np.add.at(sums, types, captures)
    return hands / len(types), sums / np.maximum(hands, 1)[:, None]


def _divergence(after: Floats, before: Floats) -> float:
    """Bits by which one distribution tells more than another."""
    possible = after > 0.0
    ratio = after[possible] / before[possible]
    return max(0.0, float(after[possible] @ np.log2(ratio)))
