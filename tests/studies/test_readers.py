"""Readers by name; better and worse ones."""

import math
from pathlib import Path

import numpy as np
import pytest

from bayesbridge import Seat, open_records
from bayesbridge.studies.benchmark import MEASURES, SURE, score_reader, view_of_chair
from bayesbridge.studies.readers import Reading, reader_of

RECORD = open_records(Path(__file__).parents[2] / "examples" / "boards.pbn").records[0]
LATE = 36


class Knows:
    """Gives the true seat of each hidden card this chance.

    The others that may have it share the rest.
    """

    def __init__(self, chance):
        self.chance = chance

    def read(self, view):
        cards = view.hard.cards.copy()
        for card in np.flatnonzero(cards.max(axis=1) < SURE):
            possible = cards[card] > 0
            truth = [bool(RECORD.deal[seat].mask >> int(card) & 1) for seat in Seat]
            cards[card] = (
                np.where(truth, self.chance, (1 - self.chance) / (possible.sum() - 1))
                * possible
            )
        return Reading(cards)


@pytest.mark.parametrize(("cards", "flat"), [(0, 1 / 3), (12, 1 / 2)])
def test_the_truth_scores_best_and_a_lie_worst(cards, flat):
    scores = []
    for chance in (1.0, 0.8, flat, 0.1, 0.0):
        judged = score_reader(
            Knows(chance), RECORD, view_of_chair(RECORD, "leader", cards)
        )
        scores.append(dict(zip(MEASURES, judged.values, strict=False)))
    for name in ("honours", "cards", "lengths", "brier"):
        column = [score[name] for score in scores]
        assert column == sorted(column), name
        assert column[0] == pytest.approx(0.0, abs=1e-9)
    truths = [score["log_true"] for score in scores]
    assert truths == sorted(truths, reverse=True)
    assert truths[0] == pytest.approx(0.0, abs=1e-6)
    assert scores[0]["points"] == pytest.approx(0.0, abs=1e-9)
    assert scores[-1]["cards"] == pytest.approx(-math.log(1e-12))


class Direct:
    """A direct predictor: chances of cards and no layouts."""

    def read(self, view):
        return Reading(view.hard.cards)


class Flat:
    """A model that finds every call and every card equally likely from any hand."""

    def log_likelihood(self, hands, *_):
        return np.zeros(len(hands))


NOTHING = Direct()


def test_readers_by_name():
    view = view_of_chair(RECORD, "leader", LATE)
    assert reader_of(f"{__name__}:Direct").read(view).cards is view.hard.cards
    assert reader_of(f"{__name__}:NOTHING") is NOTHING
    flat = reader_of(f"{__name__}:Flat+{__name__}:Flat", draws=50).read(view)
    assert flat.cards == pytest.approx(view.hard.cards, abs=1e-9)
    assert reader_of("learned").player is None
    assert reader_of("learned+learned").player is not None
