"""What ``bid`` says with a system, beside what a textbook says and why.

    python benchmarks/evaluation/decisions.py

``decisions.toml`` has the hands, three or so of each family of calls. The call of a
system is the one that ``SystemBidder`` finds likeliest.
"""

from __future__ import annotations

import tomllib
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from instrument import options, show, start

from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.display.markup import Table
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS
from bayesbridge.game.cards import Hand

ROWS_FILE: Final = Path(__file__).with_suffix(".toml")
FULL_HAND: Final = 13


class Decision(NamedTuple):
    """A hand to bid, and what a textbook bids with it."""

    family: str
    system: str
    hand: str
    calls: str
    textbook: str
    reason: str


class Verdict(NamedTuple):
    """The likeliest call of a system, and whether the textbook has it."""

    decision: Decision
    call: str
    chance: float
    agrees: bool


def decisions() -> list[Decision]:
    """The decisions of the file."""
    document = tomllib.loads(ROWS_FILE.read_text(encoding="utf-8"))
    rows: list[Decision] = []
    for family, hands in document["families"].items():
        rows += [Decision(family, *hand) for hand in hands]
    return rows


def judge(decision: Decision) -> Verdict:
    """What the system bids."""
    hand = Hand.of(decision.hand)
    assert len(hand) == FULL_HAND, decision
    bidder = SystemBidder(decision.system)
    auction = Auction.four("N").after_all(decision.calls)
    masks = np.array([hand.mask], np.uint64)
    chances = bidder.probabilities(masks, auction)[0]
    likeliest = int(chances.argmax())
    call = str(CALLS[likeliest])
    agrees = call in decision.textbook.split()
    return Verdict(decision, call, float(chances[likeliest]), agrees)


def family_table(family: str, verdicts: list[Verdict]) -> Table:
    """A row for each decision of a family."""
    cells: list[list[str | float]] = [
        [
            f"{verdict.decision.system} {verdict.decision.hand}",
            verdict.decision.calls.replace(" Pass", "–").strip("–").replace("– ", "–"),
            f"{verdict.call} ({100 * verdict.chance:.0f} %)",
            verdict.decision.textbook.replace(" ", " or "),
            "" if verdict.agrees else "differs",
            verdict.decision.reason,
        ]
        for verdict in verdicts
    ]
    return Table(family, ["hand", "calls", "bid", "textbook", "", "reason"], cells)


def main() -> None:
    """Bid all hands."""
    args = options(__doc__).parse_args()
    verdicts = [judge(decision) for decision in decisions()]
    agreeing = sum(verdict.agrees for verdict in verdicts)
    rows = [
        verdict.decision._asdict() | {"call": verdict.call, "chance": verdict.chance}
        for verdict in verdicts
    ]
    line = f"{agreeing} of {len(verdicts)} calls are those of the textbook."
    tables = [
        family_table(family, [*of_family])
        for family, of_family in groupby(
            verdicts, lambda verdict: verdict.decision.family
        )
    ]
    show(args, {"decisions": rows}, tables, line)


if __name__ == "__main__":
    start(main)
