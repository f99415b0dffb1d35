"""Captures beside perfect play: python examples/play_against_double_dummy.py [DEALS]

South declares, North is dummy. Needs plugins/bayesbridge-double-dummy. For real tables:
benchmarks/evaluation/against_reality.py.
"""

import sys
from pathlib import Path

import numpy as np
from bayesbridge_double_dummy import Solved
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.estimators import registry
from bayesbridge.estimators.protocol import run

ESTIMATES = (
    ("NT", "capture", "T"),
    ("NT", "play_out", "tricks"),
    ("S", "play_out", "tricks"),
)


def random_layouts(deals, rng):
    """Each row four hands from one shuffled deck."""
    decks = np.tile(np.arange(52, dtype=np.uint64), (deals, 1))
    cards = np.uint64(1) << rng.permuted(decks, axis=1)
    return bb.Layouts(cards.reshape(deals, 4, 13).sum(axis=2))


deals = int(sys.argv[1]) if len(sys.argv) > 1 else 60
layouts = random_layouts(deals, np.random.default_rng(1))
estimators = registry.load()
questions = {
    strain: bb.plugins.Question.of("S:N", trump=bb.Strain.of(strain).trump)
    for strain in ("NT", "S")
}
double_dummy = {
    strain: run(Solved(), layouts, question)["solved"].astype(float)
    for strain, question in questions.items()
}

figure = Figure((10, 3.4), layout="constrained")
axes = figure.subplots(1, 3, sharey=True)
print(
    f"{'beside double dummy':32}{'deals':>7}{'correlation':>13}"
    f"{'mean bias':>11}{'spread':>9}{'rms error':>11}"
)
for ax, (strain, name, output) in zip(axes, ESTIMATES, strict=True):
    answers = run(estimators.estimator(name), layouts, questions[strain])
    tricks = answers[output].astype(float)
    truth = double_dummy[strain]
    title = f"{strain}: {name}"
    if output == "T":  # 0 where its conditions fail
        title = f"{strain}: T where it counts"
        truth = truth[tricks > 0]
        tricks = tricks[tricks > 0]
    error = tricks - truth
    correlation = np.corrcoef(tricks, truth)[0, 1]
    rms_error = np.sqrt((error**2).mean())
    print(
        f"{title:32}{len(tricks):7}{correlation:13.3f}"
        f"{error.mean():+11.2f}{error.std():9.2f}{rms_error:11.2f}"
    )
    ax.hexbin(truth, tricks, gridsize=13, extent=(0, 13, 0, 13), cmap="Blues")
    ax.axline((0, 0), slope=1, color="grey")
    ax.set(title=title, xlabel="double-dummy tricks")
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/play_against_double_dummy.png", dpi=200)
