"""My own estimator: python examples/my_own_estimator.py

In how many suits does the pair hold a stopper? A plain function of one deal is enough;
as a plugin it would have a name for everybody (docs/write-a-plugin.md).
"""

from pathlib import Path

import bayesbridge as bb


@bb.plugins.estimator("stopped", dtype="int8")
def stopped(deal: bb.Deal, question: bb.plugins.Question) -> int:
    """Suits in which the pair holds the ace, a guarded king or a queen with two cards
    beside it.
    """
    suits = 0
    for suit in bb.Suit:
        fields = [deal[seat].field(suit) for seat in question.pair]
        suits += any(
            field.bit_count() > 12 - rank and field >> rank & 1
            for field in fields
            for rank in (12, 11, 10)
        )
    return suits


def main() -> None:
    """Before and after West's bid, from South's side of the table."""
    belief = bb.Belief("S", "AKQ2.J93.A54.Q32")
    stages = list(belief.given(bb.Called("W", "2NT")).history())
    results = [bb.estimate(stage.infer(draws=2000, rng=1), stopped) for stage in stages]
    for stage, result in zip(stages, results, strict=True):
        pmf = result["pmf"]["stopped"]
        chances = "   ".join(
            f"{n}: {p:5.1%}"
            for n, p in zip(pmf["stopped_value"].values, pmf.values, strict=True)
        )
        news = str(stage.evidence[-1]) if stage.evidence else "before the auction"
        print(f"{news:20} suits stopped   {chances}")
    ax = bb.plots.prior_posterior(*results, "stopped")
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/my_own_estimator.png")


if __name__ == "__main__":
    main()
