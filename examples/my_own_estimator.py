"""My own estimator: python examples/my_own_estimator.py

In how many suits does the pair hold a stopper? A plain function of one deal is enough;
as a plugin it would have a name for everybody (docs/write-a-plugin.md).
"""

from pathlib import Path

import bayesbridge as bb

ACE = 12
KING = 11
QUEEN = 10


def stops(holding: int) -> bool:
    """Whether a suit has an honour with enough cards below it.

    The ace needs none, the king one, the queen two. ``holding`` has a bit for each rank.
    """
    for rank in (ACE, KING, QUEEN):
        guards = ACE - rank
        if holding >> rank & 1 and holding.bit_count() > guards:
            return True
    return False


@bb.plugins.estimator("stopped", dtype="int8")
def stopped(deal: bb.Deal, question: bb.plugins.Question) -> int:
    """Suits in which a hand of the pair has an ace, or a guarded king or queen."""
    stopped_suits = 0
    for suit in bb.Suit:
        holdings = [deal[seat].field(suit) for seat in question.pair]
        if any(stops(holding) for holding in holdings):
            stopped_suits += 1
    return stopped_suits


def main() -> None:
    """Before and after West's bid, from South's side of the table."""
    belief = bb.Belief("S", "AKQ2.J93.A54.Q32")
    stages = list(belief.given(bb.Called("W", "2NT")).history())
    results = [bb.estimate(stage.infer(draws=2000, rng=1), stopped) for stage in stages]
    for stage, result in zip(stages, results, strict=True):
        pmf = result["pmf"]["stopped"]
        counts = pmf["stopped_value"].values
        chances = [
            f"{count}: {chance:5.1%}"
            for count, chance in zip(counts, pmf.values, strict=True)
        ]
        news = str(stage.evidence[-1]) if stage.evidence else "before the auction"
        print(f"{news:20} suits stopped   {'   '.join(chances)}")
    ax = bb.plots.prior_posterior(*results, "stopped")
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/my_own_estimator.png")


if __name__ == "__main__":
    main()
