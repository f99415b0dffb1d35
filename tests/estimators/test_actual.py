"""Actual tricks: the counts drawn to coarser ones, the step from double dummy, and answers about contracts."""

import itertools
import json

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.calls import Contract
from bayesbridge.cli import main
from bayesbridge.estimators import odds
from bayesbridge.estimators.odds import contract_question
from tests import positions
from tests.estimators.test_contract_odds import SOLVER

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


def test_where_no_declarer_differs_from_double_dummy_nothing_changes():
    shares = np.zeros(odds.SHAPE[3:])
    shares[:, odds.FARTHEST] = 1.0
    np.testing.assert_array_equal(odds.passed_through(shares, 9), np.eye(14))
    shares = np.zeros(odds.SHAPE[3:])
    shares[:, odds.FARTHEST + 2] = 1.0
    assert odds.passed_through(shares, 9).argmax(axis=1).tolist() == [*range(2, 14), 13, 13]


def test_cells_of_contracts():
    assert [odds.cell_of(Contract.of(text)) for text in ("6NTX by S", "5D by N")] == [(2, 1, 1), (1, 0, 0)]


def test_the_counts_that_ship_say_where_they_come_from():
    counts, about = odds.actual_counts()
    assert counts.sum() == about["fitted"]
    assert len(about["sha256"]) == 64
    assert about["fitted"] + about["judged"]["solver"]["tables"] + about["left out"] == about["tables"]
    for judged in about["judged"].values():
        assert judged["brier"] < judged["brier_before"]
        assert judged["error"] < judged["error_before"]
    # What everybody knows of double dummy: declarers do better at no trumps than it says, and at most as well in slams.
    mean = (counts.sum(axis=(2, 3)) * np.arange(-odds.FARTHEST, odds.FARTHEST + 1)).sum(axis=-1) / counts.sum(
        axis=(2, 3, 4)
    )
    assert mean[0, 1] > 0.1
    assert (mean[2] < mean[0]).all()


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
    posterior = positions.quiet().infer()
    exact = bb.estimate(posterior, contract="3NT", solve=len(posterior), actual=True)["contract"].to_dataset()
    scores = []
    for seed in range(40):
        some = bb.estimate(posterior, contract="3NT", solve=60, actual=True, rng=seed)["contract"].to_dataset()
        scores.append([
            (some[name] - exact[name]).item() / some[f"{name}_error"].item() for name in ("make", "mean")
        ])  # fmt: skip
    assert (np.abs(np.mean(scores, axis=0)) < 5 / np.sqrt(40)).all()
    assert (np.mean(np.square(scores), axis=0) < 1 + 5 * np.sqrt(2 / 40)).all()


def test_at_the_command_line(capsys):
    options = ["estimate", "--observer", "E", "--hand", positions.EAST, "--reveal", f"N:{positions.NORTH}"]
    options += ["--holds", "S:SA SK S2 HK H3 DA CQ C2", "--contract", "3NT", "--by", "S", "--solve", "0"]
    assert main([*options, "--actual"]) == 0
    text = capsys.readouterr().out
    assert "3NT by S: actual tricks of South, dummy North" in text
    assert "points off the share that made" in text
    assert main([*options, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)["contract"]
    assert main([*options, "--actual", "--json"]) == 0
    passed = json.loads(capsys.readouterr().out)["contract"]
    assert (plain["actual"], passed["actual"]) == (False, True)
    table = odds.actual_table(Contract.of("3NT by S"))
    np.testing.assert_allclose(list(passed["pmf"].values()), np.array(list(plain["pmf"].values())) @ table, atol=1e-9)


def test_it_needs_a_contract(capsys):
    with pytest.raises(bb.BayesBridgeError, match="actual without a contract"):
        bb.estimate(positions.quiet().infer(), "tricks", actual=True)
    assert contract_question(positions.quiet(), "3NT", "S").actual is False
    assert main(["estimate", "--observer", "E", "--hand", positions.EAST, "--actual"]) == 2
    assert "actual without a contract: name one" in capsys.readouterr().err


def test_without_the_step_the_figures_are_as_before(solver):
    posterior = positions.quiet().infer()
    found = bb.estimate(posterior, contract="3NT", solve=50, rng=3)["contract"].to_dataset()
    assert found.pmf.values.sum() == pytest.approx(1.0)
    assert found.make.item() == pytest.approx(found.pmf[9:].sum().item())
    assert odds.ContractOdds.__dataclass_fields__["actual"].default is False
