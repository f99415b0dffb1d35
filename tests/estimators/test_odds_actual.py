"""Actual tricks: the counts drawn to coarser ones, the step from double dummy, and answers about contracts."""

import itertools

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.calls import Contract
from bayesbridge.estimators import odds
from tests import positions
from tests.estimators.test_odds import SOLVER

EVERY = [Contract.of(f"{level}{strain}{double} by S") for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")
         for double in ("", "X", "XX")]  # fmt: skip


@pytest.fixture
def solver(install):
    install("solver", SOLVER)


def smoothed_by_hand(counts, strength, cell, margin):
    """One cell, by the formula: from the margin alone to kind, class and double."""
    group, kind, doubled = cell
    every = range(counts.shape[-1])
    coarse = [counts[:, :, :, margin, d].sum() + 0.5 for d in every]
    shares = [value / sum(coarse) for value in coarse]
    for part in (counts[:, kind], counts[group, kind], counts[group, kind, doubled]):
        part = part.reshape(-1, *counts.shape[-2:])[:, margin].sum(axis=0)
        shares = [(part[d] + strength * shares[d]) / (part.sum() + strength) for d in every]
    return shares


def test_small_cells_are_drawn_to_larger_ones_as_the_formula_says():
    counts = np.random.default_rng(1).poisson(3, odds.SHAPE) * np.random.default_rng(2).integers(0, 2, odds.SHAPE)
    found = odds.smoothed(counts, 20.0)
    assert found.shape == odds.SHAPE
    for cell in itertools.product(range(3), range(2), range(2)):
        for margin in range(odds.SHAPE[3]):
            np.testing.assert_allclose(found[cell][margin], smoothed_by_hand(counts, 20.0, cell, margin), atol=1e-12)


def test_tables_are_distributions_for_every_contract():
    for contract in EVERY:
        table = odds.actual_table(contract)
        assert table.shape == (14, 14)
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
        assert (table >= 0).all()
        assert (table.argmax(axis=1)[6:12] - np.arange(6, 12)).max() <= 1


def test_every_layout_solved_and_passed_through(solver):
    """All the figures follow from the exact distribution and the table; the control is another contract's table."""
    posterior = positions.called().infer()
    plain, passed = (
        bb.estimate(posterior, contract="3NT", solve=len(posterior), actual=on)["contract"].to_dataset()
        for on in (False, True)
    )
    table = odds.actual_table(Contract.of("3NT by E"))
    np.testing.assert_allclose(passed.pmf, plain.pmf.values @ table, atol=1e-12)
    assert np.abs(passed.pmf.values - plain.pmf.values @ odds.actual_table(Contract.of("6C by E"))).max() > 1e-3
    assert passed.make.item() == pytest.approx(passed.pmf[9:].sum().item())
    assert passed["mean"].item() == pytest.approx((passed.pmf * passed.tricks).sum().item())
    assert (passed.attrs["actual"], plain.attrs["actual"], passed.attrs["basis"]) == (1, 0, "all solved")
    assert "tables of experts" in passed.attrs["caution"]
    assert "tables of experts" not in plain.attrs["caution"]


def test_corrected_answers_cover_the_exact_one(solver):
    """Forty seeds: the errors that are stated after the step hold too."""
    posterior = positions.quiet().given(bb.Holds("S", "HJ D2")).infer()
    exact = bb.estimate(posterior, contract="3NT", solve=len(posterior), actual=True)["contract"].to_dataset()
    scores = []
    for seed in range(40):
        some = bb.estimate(posterior, contract="3NT", solve=60, actual=True, rng=seed)["contract"].to_dataset()
        scores.append([
            (some[name] - exact[name]).item() / some[f"{name}_error"].item() for name in ("make", "mean")
        ])  # fmt: skip
    assert (np.abs(np.mean(scores, axis=0)) < 5 / np.sqrt(40)).all()
    assert (np.mean(np.square(scores), axis=0) < 1 + 5 * np.sqrt(2 / 40)).all()


def test_at_the_command_line(document, answer):
    options = ["estimate", "--observer", "E", "--hand", positions.EAST, "--reveal", f"N:{positions.NORTH}"]
    options += ["--holds", "S:SA SK S2 HK H3 DA CQ C2", "--contract", "3NT", "--by", "S", "--solve", "0"]
    text = answer(*options, "--actual")
    assert "3NT by S: actual tricks of South, dummy North" in text
    assert "points off the share that made" in text
    plain, passed = (document(*options, *more)["contract"] for more in ((), ("--actual",)))
    assert (plain["actual"], passed["actual"]) == (False, True)
    table = odds.actual_table(Contract.of("3NT by S"))
    np.testing.assert_allclose(
        list(passed["tricks"]["pmf"].values()), np.array(list(plain["tricks"]["pmf"].values())) @ table, atol=1e-9
    )
