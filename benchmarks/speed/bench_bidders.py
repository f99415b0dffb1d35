"""How fast calls are weighed: log-likelihoods of one call for a million hands.

    python benchmarks/speed/bench_bidders.py [--json | --write]

One core; seconds are of processor time, so other work on the machine disturbs them little.
Nothing is asserted.
"""

from __future__ import annotations

from page import Cell, Table, run
from questions import SOUTH
from timing import seconds

from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction

HANDS = 1_000_000
MODELS: dict[str, BidderModel] = {
    "`iterative`": IterativeBidder(),
    "`iterative-suits`": IterativeBidder(suits=True),
    "`style`": StyleBidder(),
}
AUCTIONS = ("S:Pass", "S:1S 2C", "S:1H 1NT Pass 2D")


def bidders() -> Table:
    """The last call of three auctions; the experts of the four-player game see a
    fiftieth of the hands.
    """
    # The three hidden hands of a player who sees his own, one after the other.
    hands = (
        LayoutIndex.of(SOUTH.constraints)
        .draw(-(-HANDS // 3), 1)[:, [0, 1, 3]]
        .ravel()[:HANDS]
    )

    def spent(
        model: BidderModel, text: str, dummy: str | None = "N", share: int = 1
    ) -> float:
        auction = Auction.of(text, dummy=dummy)
        some = hands[: HANDS // share]
        model.log_likelihood(some[:3000], auction, len(auction.calls) - 1)
        return share * seconds(
            lambda: model.log_likelihood(some, auction, len(auction.calls) - 1)
        )

    rows: list[tuple[Cell, ...]] = [
        (name, *(spent(model, text) for text in AUCTIONS))
        for name, model in MODELS.items()
    ]
    rows.append(
        (
            "`learned`, four players",
            *(spent(LearnedBidder(), text, None, 50) for text in AUCTIONS),
        )
    )
    return Table(
        "bidders",
        "P(last call | hand) for a million hands, one core, seconds of processor time",
        ("model", *(f"`{text}`" for text in AUCTIONS)),
        rows,
    )


if __name__ == "__main__":
    run(__doc__, bidders)
