"""Scripts that learn from real tables: what declarers do is found, and judging can fail."""

import sys
from pathlib import Path

import numpy as np
import pytest

from bayesbridge.cards import Card, Hand
from bayesbridge.estimators import odds

ROOT = Path(__file__).parents[1]


@pytest.fixture
def scripts(monkeypatch):
    """Two scripts, with declarers of an even result solved right and the others one off; nothing is solved."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "evaluation"))
    import against_reality
    import fit_actual
    import solve_records

    def solve(tables):
        return [table.result - table.result % 2 for table in tables]

    monkeypatch.setattr(solve_records, "solve", solve)
    yield fit_actual, against_reality
    for name in ("against_reality", "fit_actual", "solve_records"):
        sys.modules.pop(name)


@pytest.fixture
def many(tmp_path):
    """Two tables at each of 100 random deals: declarers, contracts and results at random."""
    rng = np.random.default_rng(5)
    text = []
    for board in range(100):
        hands = [Hand.of([Card(int(card)) for card in part]).pbn for part in rng.permutation(52).reshape(4, 13)]
        for _ in range(2):
            contract = f"{rng.integers(1, 8)}{rng.choice(['C', 'D', 'H', 'S', 'NT', 'NT'])}{rng.choice(['', 'X'])}"
            tags = {"Board": board + 1, "Deal": "N:" + " ".join(hands), "Declarer": rng.choice(list("NESW"))}
            tags |= {"Contract": contract, "Result": rng.integers(4, 13)}
            text.append("".join(f'[{name} "{value}"]\n' for name, value in tags.items()))
    path = tmp_path / "many.pbn"
    path.write_text("\n".join(text))
    return path


def simulated(fit_actual, n, seed):
    """Tables whose declarers take one trick more than double dummy with 30 %, one less with 20 %."""
    rng = np.random.default_rng(seed)
    solved, needed = rng.integers(6, 12, n), rng.integers(7, 13, n)
    taken = solved + rng.choice([-1, 0, 1], n, p=[0.2, 0.5, 0.3])
    cell = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(0, 2, n)])
    return fit_actual.Data(
        needed, solved, taken, cell, rng.random(n) < 0.25, rng.random(n) < 0.5, *[np.eye(14)[solved]] * 2
    )


def test_counts_find_what_declarers_do_and_judging_sees_it(scripts):
    fit_actual = scripts[0]
    data, other = simulated(fit_actual, 20_000, 1), simulated(fit_actual, 20_000, 2)
    counts = fit_actual.counted(data)
    assert counts.sum() == 20_000
    shares = odds.smoothed(counts, 300.0)
    middle = shares[..., odds.FARTHEST - 1 : odds.FARTHEST + 2].mean(axis=(0, 1, 2, 3))
    np.testing.assert_allclose(middle, [0.2, 0.5, 0.3], atol=5 * np.sqrt(0.25 / 20_000))
    after = fit_actual.predicted(shares, other, np.eye(14)[other.solved])
    np.testing.assert_allclose(after.sum(axis=1), 1.0)
    good, plain = fit_actual.judge(after, other), fit_actual.judge(np.eye(14)[other.solved], other)
    assert good["error"] < 5 * np.sqrt(0.25 / 2_000)
    assert abs(good["bias"]) < 5 * np.sqrt(2 * 0.49 / 20_000)
    assert plain["bias"] == pytest.approx(-0.1, abs=5 * np.sqrt(0.49 / 20_000))
    assert plain["error"] > 2 * good["error"], "the control: double dummy alone"
    assert good["log_loss"] < plain["log_loss"]
    assert fit_actual.held_out(300.0, data, other) == pytest.approx(good["log_loss"], abs=1e-4)


def test_the_whole_way_to_a_file_and_to_a_picture(scripts, many, tmp_path, monkeypatch, capsys):
    fit_actual, against_reality = scripts
    options = [str(many), "--solved", str(tmp_path / "tables.tsv"), "--share", "1"]
    monkeypatch.setattr(sys, "argv", ["fit_actual.py", *options, "-o", str(tmp_path / "actual.json")])
    fit_actual.main()
    assert '"strength"' in (tmp_path / "actual.json").read_text()
    capsys.readouterr()
    picture = tmp_path / "reality.png"
    monkeypatch.setattr(sys, "argv", ["against_reality.py", *options, "--all", "--picture", str(picture)])
    against_reality.main()
    text = capsys.readouterr().out
    assert "| beside the real result | tables | bias |" in text
    assert text.count(": double dummy |") == text.count(": real result |") == 2
    assert text.count("| no trumps: tricks, actual |") == 2
    assert picture.stat().st_size > 10_000
