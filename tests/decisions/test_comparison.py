"""Estimates compared: against plain arithmetic on the draws, with honest errors of differences."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.errors import BayesBridgeError
from tests.decisions.test_contracts import small

S, W = bb.Seat.S, bb.Seat.W


class Points:
    """Points of South, taken for tricks."""

    name = "points"
    outputs = (bb.plugins.Output("points", "Points.", dtype="int8", tricks=bb.plugins.TrickCount(at_table=True)),)

    def estimate(self, layouts, question):
        return {"points": layouts.points[:, S]}


class Honours:
    """The same and something more; it cannot count where South has no spade more than three."""

    name = "honours"
    outputs = (bb.plugins.Output("honours", "More.", dtype="int8", tricks=bb.plugins.TrickCount(0, "short")),)

    def estimate(self, layouts, question):
        lengths = layouts.lengths[:, S, bb.Suit.S]
        return {"honours": np.where(lengths > 3, layouts.points[:, S] + lengths % 2, 0)}


def parts(layouts):
    first = layouts.points[:, S].astype(float)
    lengths = layouts.lengths[:, S, bb.Suit.S]
    return first, first + lengths % 2, lengths > 3


def test_differences_and_correlations_on_all_layouts():
    posterior = small().infer()
    found = bb.compare(bb.estimate(posterior, [Points(), Honours()]))
    first, second, counts = parts(posterior.layouts)
    cell = found.sel(estimate="honours", other="points")
    assert cell["difference"].item() == pytest.approx((second - first)[counts].mean())
    assert cell["share"].item() == pytest.approx(counts.mean())
    assert cell["correlation"].item() == pytest.approx(np.corrcoef(first[counts], second[counts])[0, 1])
    assert (cell["error"].item(), found["mean_error"].max().item()) == (0.0, 0.0)
    assert found["mean"].sel(estimate="honours").item() == pytest.approx(second[counts].mean())
    np.testing.assert_allclose(found["difference"], -found["difference"].values.T)


def scores_of(seeds):
    whole = small().infer()
    first, second, counts = parts(whole.layouts)
    right = (second - first)[counts].mean()
    scores = []
    for seed in range(seeds):
        result = bb.estimate(small().infer("sample", draws=300, rng=seed), [Points(), Honours()])
        cell = bb.compare(result).sel(estimate="honours", other="points")
        scores.append((cell["difference"].item() - right) / cell["error"].item())
    return np.array(scores)


def verify_honest(scores):
    assert abs(scores.mean()) < 4 / np.sqrt(len(scores))
    assert abs(np.sqrt((scores**2).mean()) - 1) < 4 / np.sqrt(2 * len(scores))


def test_errors_of_paired_differences_are_honest():
    verify_honest(scores_of(15))


def test_results_by_name_paired_and_not():
    posterior = small().infer("sample", draws=200, rng=1)
    results = {"one": bb.estimate(posterior, Points()), "two": bb.estimate(posterior, Honours())}
    paired, apart = bb.compare(results), bb.compare(results, paired=False)
    assert paired["estimate"].values.tolist() == ["one", "two"]
    assert "correlation" not in apart
    cell = {"estimate": "two", "other": "one"}
    assert paired["error"].sel(cell).item() < apart["error"].sel(cell).item()
    assert apart["error"].sel(cell).item() == pytest.approx(np.hypot(*apart["mean_error"].values))


def test_outputs_are_picked_by_name():
    result = bb.estimate(small().infer(), ["capture", "tricks"])
    assert bb.compare(result)["estimate"].values.tolist() == ["T", "tricks"]
    assert bb.compare(result, ["Delta", "Z"])["estimate"].values.tolist() == ["Delta", "Z"]


@pytest.mark.parametrize(
    ("given", "names", "says"),
    [
        ("points", None, "nothing to compare with points: give two estimates or more"),
        ("capture", ["T", "kappa"], "no single number 'kappa' in the result: it has"),
        ("draws", None, "'a' and 'b' are not of the same layouts: estimate both from one posterior"),
        ("mapping", None, "estimate 'a' is no result: give what bb.estimate answers"),
    ],
)
def test_what_cannot_be_compared(given, names, says):
    posterior = small().infer()
    estimates = {
        "points": lambda: bb.estimate(posterior, Points()),
        "capture": lambda: bb.estimate(posterior),
        "draws": lambda: {
            "a": bb.estimate(posterior, Points()),
            "b": bb.estimate(small().infer("sample", draws=50, rng=1), Points()),
        },
        "mapping": lambda: {"a": 1, "b": 2},
    }[given]()
    with pytest.raises(BayesBridgeError, match=says):
        bb.compare(estimates, names)
