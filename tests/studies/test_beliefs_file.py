"""Files of beliefs: there and back, better and worse ones, and one line for what is wrong."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from bayesbridge.cards import Card
from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation import open_records
from bayesbridge.studies.benchmark import MEASURES, look, see, verify
from bayesbridge.studies.readers import BeliefsFile, Reader, Reading, line_of, reader_of
from tests.mutants import mutants

RECORDS = open_records(Path(__file__).parents[2] / "examples" / "boards.pbn").records
RECORD = RECORDS[0]
LATE = 36


def entry_of(seen, reading=None):
    return json.loads(line_of(seen, reading or reader_of("counting").read(seen)))


def file_of(tmp_path, *entries):
    path = tmp_path / "beliefs.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    return BeliefsFile(path)


def values_of(reader, record, cards, board=1):
    return dict(zip(MEASURES, look(reader, record, see(record, "leader", cards, board)).judged.values, strict=False))


def test_a_reading_comes_back(tmp_path):
    """All figures but P(layout), which a file of cards gives by its cards; six digits are written."""
    lines, expected = [], []
    for board, record in enumerate(RECORDS[:2], 1):
        for cards in (0, LATE):
            seen = see(record, "leader", cards, board)
            found = look(reader_of("learned", 200), record, seen)
            lines.append(json.loads(line_of(seen, found.reading)))
            expected.append((record, board, cards, found.judged))
    reader = file_of(tmp_path, *lines)
    assert isinstance(reader, Reader)
    for record, board, cards, judged in expected:
        found = look(reader, record, see(record, "leader", cards, board))
        assert found.answered
        for name in ("honours", "cards", "lengths", "points", "brier", "top1"):
            place = list(MEASURES).index(name)
            assert found.judged.values[place] == pytest.approx(judged.values[place], abs=1e-4, nan_ok=True)


def told(seen, chance_of_truth):
    """Beliefs that give the true seat of each hidden card this chance, the others share the rest."""
    entry = entry_of(seen)
    del entry["lengths"]
    for name, seats in entry["cards"].items():
        holder = RECORD.deal.holder(name).name
        rest = (1 - chance_of_truth) / (len(seats) - 1)
        entry["cards"][name] = {seat: chance_of_truth if seat == holder else rest for seat in seats}
    return entry


@pytest.mark.parametrize("cards", [0, 12])
def test_the_truth_scores_best_and_a_lie_worst(tmp_path, cards):
    seen = see(RECORD, "leader", cards, 1)
    scores = []
    for chance in (1.0, 0.8, 1 / len(next(iter(entry_of(seen)["cards"].values()))), 0.1, 0.0):
        scores.append(values_of(file_of(tmp_path, told(seen, chance)), RECORD, cards))
    for name in ("honours", "cards", "lengths", "brier"):
        column = [score[name] for score in scores]
        assert column == sorted(column), name
        assert column[0] == pytest.approx(0.0, abs=1e-9)
    truths = [score["log_true"] for score in scores]
    assert truths == sorted(truths, reverse=True)
    assert truths[0] == pytest.approx(0.0, abs=1e-6)
    assert scores[0]["points"] == pytest.approx(0.0, abs=1e-9)
    assert scores[-1]["cards"] == pytest.approx(-math.log(1e-12))


def change(**changed):
    return lambda entry: {**entry, **changed}


def card(name, chances):
    return lambda entry: {**entry, "cards": {**entry["cards"], name: chances}}


HIDDEN = next(str(Card(i)) for i in range(52) if Card(i) not in RECORD.deal[RECORD.leader])


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (change(seat="X"), "unknown seat 'X'"),
        (change(moment="tea"), "unknown moment 'tea': choose auction, lead, 1, 3, 6 or 9"),
        (change(hand="AKQ2.KJ3.A54.Q32"), "hand 'AKQ2.KJ3.A54.Q32': N holds"),
        (change(cards=3), "it has not the form of docs"),
        (card(HIDDEN, {"E": 0.5}), f"card {HIDDEN}: [0.0, 0.5, 0.0, 0.0]: give 4 probabilities that add up to 1"),
        (change(cards={}), "no chances of"),
        (change(lengths={}), "no lengths of"),
    ],
)
def test_a_wrong_line_is_one_clear_line(tmp_path, spoil, line):
    seen = see(RECORD, "leader", 0, 1)
    entry = spoil(entry_of(seen))
    with pytest.raises(BayesBridgeError) as caught:
        file_of(tmp_path, entry).read(seen)
    said = str(caught.value)
    assert said.startswith(f"{tmp_path / 'beliefs.jsonl'}: line 1: ")
    assert line in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "holds no beliefs: write one JSON object on each line"),
        ("\n\n[1]\n", "line 3: it has not the form"),
        ('{"board": 1, "seat": "W", "cards": {}}\n' * 2, "line 2: board 1, W, 'auction' stands in line 1 already"),
    ],
)
def test_a_file_that_holds_no_beliefs(tmp_path, text, line):
    path = tmp_path / "beliefs.jsonl"
    path.write_text(text)
    with pytest.raises(BayesBridgeError) as caught:
        BeliefsFile(path)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("seed", "count"), [(1, 300), pytest.param(2, 3000, marks=pytest.mark.slow)])
def test_any_damage_is_one_line_or_an_answer(tmp_path, seed, count):
    """Bytes changed, cut, doubled: probabilities come out, or one line that names the file and its line."""
    seen = see(RECORD, "leader", LATE, 1)
    whole = [json.dumps(entry_of(seen)).encode()]
    path = tmp_path / "beliefs.jsonl"
    answered, refused = 0, []
    for data in mutants(whole, seed, count):
        path.write_bytes(data)
        try:
            found = BeliefsFile(path).read(seen)
        except BayesBridgeError as error:
            refused.append(str(error))
        else:
            answered += 1
            if found is not None:
                verify(found, "the file")
    assert answered > 0
    assert len(refused) > count // 4
    assert all(str(path) in line and "\n" not in line for line in refused)


class Direct:
    """A direct predictor: chances of cards and no layouts."""

    def read(self, seen):
        return Reading(seen.hard.cards)


class Flat:
    """A model that finds every call equally likely from any hand."""

    def log_likelihood(self, hands, *_):
        return np.zeros(len(hands))


NOTHING = Direct()


def test_readers_by_name():
    seen = see(RECORD, "leader", LATE, 1)
    assert reader_of(f"{__name__}:Direct").read(seen).cards is seen.hard.cards
    assert reader_of(f"{__name__}:NOTHING") is NOTHING
    flat = reader_of(f"{__name__}:Flat+{__name__}:Flat", draws=50).read(seen)
    assert flat.cards == pytest.approx(seen.hard.cards, abs=1e-9)
    assert reader_of("learned").player is None
    assert reader_of("learned+learned").player is not None


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nobody", "nobody"),
        ("learned+nobody", "cannot load 'nobody'"),
        ("learned+math:pi", "'math:pi' has neither read nor log_likelihood"),
    ],
)
def test_unknown_readers_are_one_line(name, line):
    with pytest.raises(BayesBridgeError) as caught:
        reader_of(name)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
