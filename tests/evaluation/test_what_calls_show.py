"""Both tables of ``benchmarks/evaluation/what_calls_show.py``.

With few hands and draws.
"""

import re

import what_calls_show


def test_a_strong_notrump_shows_15_to_17_and_sayc_sharpens_a_splinter(
    capsys, monkeypatch
):
    monkeypatch.setattr(what_calls_show, "SHOWN", what_calls_show.SHOWN[1:2])
    what_calls_show.of_one_notrump(2000)
    what_calls_show.of_conventions(200)
    rows = [line for line in capsys.readouterr().out.splitlines() if "±" in line]
    strong, weak = (float(re.search(r"\d\.\d+", row)[0]) for row in rows[1:3])
    plain, sayc = map(float, re.findall(r"(\d+\.\d) ±", rows[-1]))
    assert strong > 0.8 > 0.2 > weak
    assert sayc > 85 > plain
