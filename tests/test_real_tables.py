"""Scripts that learn from real tables find what declarers do, and judging can fail."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.deals import random_deal

ROOT = Path(__file__).parents[1]


@pytest.fixture
def scripts(monkeypatch):
    """Two scripts, without solving anything.

    Declarers of an even result are solved right, and the others one off.
    """
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
    """Two tables at each of 100 random deals.

    Declarers, contracts and results are at random.
    """
    rng = np.random.default_rng(5)
    text = []
    for board in range(100):
        deal = random_deal(rng)
        hands = [hand.pbn for hand in deal]
        for _ in range(2):
            level = rng.integers(1, 8)
            strain = rng.choice(["C", "D", "H", "S", "NT", "NT"])
            double = rng.choice(["", "X"])
            contract = f"{level}{strain}{double}"
            tags = {
                "Board": board + 1,
                "Deal": "N:" + " ".join(hands),
                "Declarer": rng.choice(list("NESW")),
            }
            tags |= {"Contract": contract, "Result": rng.integers(4, 13)}
            text.append(
                "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
            )
    path = tmp_path / "many.pbn"
    path.write_text("\n".join(text))
    return path


def test_the_whole_way_to_a_file_and_to_a_picture(
    scripts, many, tmp_path, monkeypatch, capsys
):
    fit_actual, against_reality = scripts
    options = [str(many), "--solved", str(tmp_path / "tables.tsv"), "--share", "1"]
    monkeypatch.setattr(
        sys, "argv", ["fit_actual.py", *options, "-o", str(tmp_path / "actual.json")]
    )
    fit_actual.main()
    assert '"strength"' in (tmp_path / "actual.json").read_text()
    capsys.readouterr()
    picture = tmp_path / "reality.png"
    monkeypatch.setattr(
        sys,
        "argv",
        ["against_reality.py", *options, "--all", "--picture", str(picture)],
    )
    against_reality.main()
    text = capsys.readouterr().out
    assert "| beside the real result | tables | bias |" in text
    assert text.count(": double dummy |") == text.count(": real result |") == 2
    assert text.count("| no trumps: tricks, actual |") == 2
    assert picture.stat().st_size > 10_000
