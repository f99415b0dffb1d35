"""Draws pictures of the documentation: ``python docs/pictures/draw.py [NAME…]`` at the
root of the repository.
"""

import doctest
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

import bayesbridge as bb
from bayesbridge import studies
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.plots import (
    BLUE,
    GREY,
    PALE,
    SKY,
    bare,
    ink,
    new_axes,
    new_grid,
    percent_axis,
)
from bayesbridge.studies import captures, comparative, conditions, headline
from bayesbridge.studies.paper import COMPARATIVE, COMPARATIVE_TRIALS, HEADLINE

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "evaluation"))

import calibration

HERE = Path(__file__).parent


def save(name, axes):
    """Write a picture."""
    axes.figure.savefig(HERE / f"{name}.png")


@dataclass(frozen=True)
class OneHand:
    """A bidder whose calls are read by the caller's hand alone."""

    bidder: bb.LearnedBidder

    def log_likelihood(self, hands, auction, index):
        """Without partner's hand."""
        return self.bidder.log_likelihood(hands, auction, index)


def draw_nineteen(name):
    """South holds 19 points; West has bid 1NT and East showed out of hearts."""
    belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(
        bb.Called("W", "1NT"), bb.Void("E", "H")
    )
    options = {"level": 3} if name == "tricks" else {}
    save(name, getattr(bb.plots, name)(bb.estimate(belief.infer(rng=1)), **options))


def draw_sharpening():
    """What East learns of South and North, call by call and card by card."""
    defender = bb.Belief("E", "T963.9864.JT8.J7").given(
        bb.Auction.of("S:3NT Pass Pass", dummy="N"),
        bb.Play("W", "S8"),
        bb.Reveal("N", "J54.AQ2.KQ76.A54"),
        bb.Play("N", "SJ"),
        bb.Play("E", "S3"),
        bb.Play("S", "S2"),
        bb.Trick.of("N:HA H4 H3 H5"),
        bb.Trick.of("N:HQ H6 HJ HT"),
    )
    save("sharpening", bb.plots.sharpening(defender, pair="S:N", rng=1))


def draw_failures():
    """Where one hand is enough by Algorithm 1: does the second hand do? Stacked, as the
    paper draws it, beside ours.
    """
    found = comparative.simulate(1_000_000, 1, runs=3)
    per = COMPARATIVE_TRIALS / found.total
    ax = new_axes(6.4, 3.4)
    for place, (result, printed) in enumerate(COMPARATIVE.items()):
        own = [
            per * found.counts[f"{result}_{which}"]
            for which in ("a1_satisfied", "a2_satisfied")
        ]
        for at, (all_of_them, satisfied), name in (
            (place - 0.2, printed, "paper"),
            (place + 0.2, own, "ours"),
        ):
            colour = PALE if name == "paper" else SKY
            both, failed = (
                ("both conditions hold", "the second hand fails")
                if not place
                else ("", "")
            )
            ax.bar(
                at,
                satisfied,
                0.38,
                color=colour,
                edgecolor=ink(),
                linewidth=0.4,
                label=both and f"{name}: {both}",
            )
            look = {
                "color": "white",
                "hatch": "////",
                "edgecolor": ink(),
                "linewidth": 0.4,
            }
            label = failed and name == "ours" and failed
            ax.bar(
                at,
                all_of_them - satisfied,
                0.38,
                bottom=satisfied,
                label=label or None,
                **look,
            )
            share = f"{100 * (1 - satisfied / all_of_them):.1f} %"
            ax.annotate(
                share,
                (at, all_of_them),
                (0, 3),
                textcoords="offset points",
                ha="center",
                size=7,
            )
    ax.set_xticks(
        range(len(COMPARATIVE)), [f"counts {result}" for result in COMPARATIVE]
    )
    ax.set_ylabel("deals of 100 000")
    ax.set_title(
        "What Algorithm 1 counts for 7 tricks, and the share that the second hand fails",
        fontsize=9,
    )
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
    save("paper-failures", ax)


def draw_three_runs():
    """The paper's summary of three runs of ten million deals, in three panels, beside
    three runs of ours.
    """
    found = headline.simulate(10_000_000, 1, runs=3)
    printed, own = HEADLINE, found.runs
    eligible = printed["both eligible"], [run["both_eligible"] for run in own]
    rates = (
        [
            printed["win rate (%)"],
            [100 * run["won"] / run["valid_bidder"] for run in own],
        ],
        [
            printed["win rate, both eligible (%)"],
            [100 * run["won_both_eligible"] / run["both_eligible"] for run in own],
        ],
    )
    points = [
        [
            printed[f"net points, {which} scheme"],
            [run[f"net_points_{which}_both_eligible"] for run in own],
        ]
        for which in ("old", "new")
    ]
    lost = [
        [n * (1 - rate / 100) for n, rate in zip(deals, some, strict=True)]
        for deals, some in zip(eligible, rates[1], strict=True)
    ]
    panels = {
        "Win rate, %": dict(zip(("all", "both eligible"), rates, strict=True)),
        "Net points, thousands (ours: both eligible)": {
            name: [[x / 1e3 for x in some] for some in both]
            for name, both in zip(("old", "new"), points, strict=True)
        },
        "Deals, both eligible": {"deals": eligible, "lost": lost},
    }
    axes = new_grid(9.6, 3.4, 1, 3)[0]
    for ax, (title, groups) in zip(axes, panels.items(), strict=True):
        for place, both in enumerate(groups.values()):
            for which, (name, heights) in enumerate(
                zip(("paper", "ours"), both, strict=True)
            ):
                at = [place + 0.13 * (3 * which + run - 2.5) for run in range(3)]
                label = f"{name}, three runs" if not place else None
                ax.bar(
                    at,
                    heights,
                    0.12,
                    color=(PALE, BLUE)[which],
                    edgecolor=ink(),
                    linewidth=0.4,
                    label=label,
                )
        ax.set_xticks(range(len(groups)), list(groups))
        ax.set_title(title, fontsize=9)
        bare(ax)
    axes[2].legend(frameon=False, fontsize=8)
    save("paper-runs", axes[0])


def draw_example(name, example, *options):
    """What an example draws."""
    subprocess.run([sys.executable, f"examples/{example}.py", *options], check=True)
    shutil.copy(f"demo/{example}.png", HERE / f"{name}.png")


def draw_tutorial():
    """What the lines of the tutorial draw: they are run as they stand there."""
    names = {}
    for example in doctest.DocTestParser().get_examples(
        (HERE.parent / "tutorial.md").read_text("utf-8")
    ):
        exec(example.source, names)
        if "ax" in names:
            save("tutorial-tricks", names["ax"])
            return


def draw_calibration():
    """A hundred thousand cards, and what a wrong idea of the bidders looks like."""
    numbers = ["T", "left's points", "likelihood"]
    scenario = calibration.SCENARIOS["enumerate"]
    right = calibration.calibrate(scenario, 6250)
    wrong = calibration.calibrate(
        replace(scenario, believed=StyleBidder(aggressiveness=1.0)), 400
    )
    save("calibration-ranks", calibration.plot_ranks(right, numbers))
    save("calibration-reliability", calibration.plot_reliability(right))
    save("calibration-coverage", calibration.plot_coverage(right))
    save("calibration-wrong", calibration.plot_ranks(wrong, numbers))


def draw_tie():
    """Responder's spades after 1S – 3C and after opener's 4S: calls read by one hand,
    and by both hands of the pair.
    """
    both = new_grid(8.0, 3.2, 1, 2, sharey=True)[0]
    learned = bb.LearnedBidder()
    readings = {
        "by the caller's hand alone": OneHand(learned),
        "by the two hands of the pair": learned,
    }
    for ax, (name, bidder) in zip(both, readings.items(), strict=True):
        east = bb.Belief("E", "Q4.KJ73.QT52.J83", dummy=None, bidder=bidder)
        for shift, colour, calls in (
            (-0.2, GREY, "N:1S Pass 3C Pass"),
            (0.2, BLUE, "N:1S Pass 3C Pass 4S Pass"),
        ):
            posterior = east.given(bb.Auction.of(calls)).infer(draws=20_000, rng=1)
            chance = posterior.length_probabilities().sel(seat="S", suit="S").values[:7]
            ax.bar(
                np.arange(7) + shift,
                chance,
                0.4,
                color=colour,
                label=f"after {calls[2:-5].replace(' Pass ', ' – ')}",
            )
            few = f"two or fewer: {100 * chance[:3].sum():.0f} %"
            ax.text(
                1.0,
                0.2 + (0.06 if shift < 0 else 0),
                few,
                color=ink() if shift < 0 else colour,
                ha="center",
            )
        ax.set_title(f"calls read {name}", fontsize=10)
        ax.set_xlabel("spades of the responder")
        percent_axis(ax.yaxis)
        bare(ax)
    both[0].legend(frameon=False, loc="upper left")
    save("tie", both[0])


def draw_auction():
    """The auction of three as a game, under the new scheme."""
    study = studies.STUDIES["auction"].with_settings({"scheme": "new"})
    how = studies.RunOptions(checkpoint=Path("demo/auction"))
    save("auction", bb.plots.auction(study.simulate(20_000, 1, how))[0, 0])


PICTURES = {
    "auction": draw_auction,
    **{name: partial(draw_nineteen, name) for name in ("tricks", "cards", "points")},
    "tutorial-tricks": draw_tutorial,
    "tie": draw_tie,
    "sharpening": draw_sharpening,
    "shrinkage": partial(
        draw_example, "shrinkage", "who_opens_light", "--draws", "1000"
    ),
    "one_plan": partial(draw_example, "one_plan", "one_plan"),
    "contracts": partial(draw_example, "contracts", "which_contract_should_i_bid"),
    "opponents": partial(draw_example, "opponents", "what_do_these_opponents_play"),
    "paper-captures": lambda: save(
        "paper-captures", bb.plots.paper_runs(captures.count_exactly())
    ),
    "paper-conditions": lambda: save(
        "paper-conditions", bb.plots.paper_runs(conditions.count_exactly())
    ),
    "paper-failures": draw_failures,
    "paper-runs": draw_three_runs,
    "paper-shift": lambda: save(
        "paper-shift", bb.plots.shift(studies.STUDIES["shift"].count_exactly())
    ),
    "calibration": draw_calibration,
}
"""What draws each picture."""


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
