"""Draws the pictures of the documentation: run ``python docs/pictures/draw.py`` at the root of the repository."""

import ast
import doctest
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import curve_fit

import bayesbridge as bb
from bayesbridge import studies
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.plots import BLUE, GREY, ORANGE, bare, new_axes
from bayesbridge.studies import captures

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "evaluation"))

import calibration
import honesty
import odds

HERE = Path(__file__).parent


def save(name, axes):
    """Write a picture."""
    axes.figure.savefig(HERE / f"{name}.png")


def main():
    """South holds 19 points; West has bid 1NT and East showed out of hearts."""
    start = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    belief = start.given(bb.Called("W", "1NT"), bb.Void("E", "H"))
    result = bb.estimate(belief.infer(rng=1))
    save("tricks", bb.plots.tricks(result, level=3))
    save("cards", bb.plots.cards(result))
    save("lengths", bb.plots.lengths(result))
    save("points", bb.plots.points(result))
    draw_tutorial()
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
    subprocess.run([sys.executable, "examples/who_opens_light.py", "--draws", "1000"], check=True)
    shutil.copy("demo/who_opens_light.png", HERE / "shrinkage.png")
    subprocess.run([sys.executable, "examples/which_contract_should_i_bid.py"], check=True)
    shutil.copy("demo/which_contract_should_i_bid.png", HERE / "contracts.png")
    subprocess.run([sys.executable, "examples/what_do_these_opponents_play.py"], check=True)
    shutil.copy("demo/what_do_these_opponents_play.png", HERE / "opponents.png")
    save("paper-captures", studies.plot_runs(captures.count_exactly()))
    scenario = calibration.SCENARIOS["enumerate"]
    draw_calibration(
        calibration.calibrate(scenario, 6250),
        calibration.calibrate(replace(scenario, believed=StyleBidder(aggressiveness=1.0)), 400),
    )


def draw_tutorial():
    """What the lines of the tutorial draw: they are run as they stand there."""
    names = {}
    for example in doctest.DocTestParser().get_examples((HERE.parent / "tutorial.md").read_text("utf-8")):
        exec(example.source, names)
        if "ax" in names:
            save("tutorial-tricks", names["ax"])
            return


def draw_calibration(right, wrong):
    """A hundred thousand cards, and what a wrong idea of the bidders looks like."""
    numbers = ["T", "left's points", "likelihood"]
    save("calibration-ranks", calibration.plot_ranks(right, numbers))
    save("calibration-reliability", calibration.plot_reliability(right))
    save("calibration-coverage", calibration.plot_coverage(right))
    save("calibration-wrong", calibration.plot_ranks(wrong, numbers))


def draw_honesty(folder):
    """Stated errors by position, from what ``honesty.py --engine E --kind K --resume FOLDER/E_K`` leaves."""
    scores = []
    for kept in Path(folder).glob("*_*"):
        engine, _, kind = kept.name.partition("_")
        positions = [one for one in honesty.POSITIONS if one.kind == kind.replace("_", " ")]
        scores += honesty.measure(positions, 200, (engine,), how=studies.Setting(checkpoint=kept)).scores
    scores.sort(key=lambda one: honesty.POSITIONS.index(one.answers.case.position))
    save("honesty", honesty.plot_honesty(honesty.Honesty(tuple(scores))))


def draw_odds(records, checkpoint, boards=2000, **options):
    """P(make) told beside what is true, from the checkpoint that ``odds.py --resume FOLDER`` leaves."""
    what = odds.plan(records, boards, **options)
    save("odds", odds.plot_odds(odds.measure(what, how=studies.Setting(checkpoint=Path(checkpoint)))))


def draw_learning_curve(*logs, shipped="bayesbridge/bidders/data/auction.npz"):
    """Log-loss of calls by the number of tables learned from; each log is what ``fit_auction_model.py`` printed.

    Returns what the power law says of twice the tables.
    """
    facts = sorted((json.loads(Path(log).read_text().splitlines()[-1]) for log in logs), key=lambda one: one["tables"])
    tables, loss = (np.array([one[name] for one in facts], float) for name in ("tables", "held out"))

    def law(n, floor, height, power):
        return floor + height * (n / tables[-1]) ** -power

    found, _ = curve_fit(law, tables, loss, (0.6, 0.02, 0.5))
    ax, more = new_axes(6.0, 4.0), np.geomspace(tables[0], 4 * tables[-1], 50)
    ax.plot(more, law(more, *found), color=GREY, linestyle=":", label="power law through them")
    ax.plot(tables, loss, "o", color=BLUE, label="records alone")
    with np.load(shipped) as kept:
        told = ast.literal_eval(str(kept["facts"]))
    ax.plot(told["tables"], told["held out"], "s", color=ORANGE, label="as shipped, with a teacher")
    for n, one in [*zip(tables, loss, strict=True), (told["tables"], told["held out"])]:
        ax.annotate(f"{one:.4f}", (n, one), xytext=(6, 4), textcoords="offset points", fontsize=8)
    ax.set_xscale("log", base=2)
    ax.set_xticks([*tables, 2 * tables[-1], 4 * tables[-1]])
    ax.set_xticklabels([f"{n / 1000:,.0f}".replace(",", " ") for n in ax.get_xticks()])
    ax.set_xlabel("tables learned from, in thousands (the last two: not there yet)")
    ax.set_ylabel("−log P(call), nats, deals held out")
    ax.legend(frameon=False)
    bare(ax)
    save("learning-curve", ax)
    return law(2 * tables[-1], *found)


if __name__ == "__main__":
    main()
