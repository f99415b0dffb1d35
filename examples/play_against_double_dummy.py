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

deals = int(sys.argv[1]) if len(sys.argv) > 1 else 60
decks = np.random.default_rng(1).permuted(
    np.tile(np.arange(52, dtype=np.uint64), (deals, 1)), axis=1
)
layouts, offered = (
    bb.Layouts((np.uint64(1) << decks).reshape(deals, 4, 13).sum(axis=2)),
    registry.load(),
)
axes = Figure((10, 3.4), layout="constrained").subplots(1, 3, sharey=True)
print(
    f"{'beside double dummy':32}{'deals':>7}{'correlation':>13}{'mean bias':>11}{'spread':>9}{'rms error':>11}"
)
questions = (
    ("NT", "capture", "T"),
    ("NT", "play_out", "tricks"),
    ("S", "play_out", "tricks"),
)
asked = {
    strain: bb.plugins.Question.of("S:N", trump=bb.Strain.of(strain).trump)
    for strain in ("NT", "S")
}
solved = {
    strain: run(Solved(), layouts, question)["solved"].astype(float)
    for strain, question in asked.items()
}
for ax, (strain, name, output) in zip(axes, questions, strict=True):
    truth, question = solved[strain], asked[strain]
    tricks = run(offered.estimator(name), layouts, question)[output].astype(float)
    told = (tricks > 0) | (output != "T")  # T is 0 where its conditions fail
    error, correlation = (
        (tricks - truth)[told],
        np.corrcoef(tricks[told], truth[told])[0, 1],
    )
    rms, who = (
        np.sqrt((error**2).mean()),
        f"{strain}: {'T where it counts' if output == 'T' else name}",
    )
    print(
        f"{who:32}{told.sum():7}{correlation:13.3f}{error.mean():+11.2f}{error.std():9.2f}{rms:11.2f}"
    )
    ax.hexbin(
        truth[told], tricks[told], gridsize=13, extent=(0, 13, 0, 13), cmap="Blues"
    )
    ax.axline((0, 0), slope=1, color="grey")
    ax.set(title=who, xlabel="double-dummy tricks")
Path("demo").mkdir(exist_ok=True)
axes[0].figure.savefig("demo/play_against_double_dummy.png", dpi=200)
