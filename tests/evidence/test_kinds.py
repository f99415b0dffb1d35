"""Evidence owns its meaning: every kind reads what it writes, and a new kind is its class and a line in a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

import bayesbridge as bb
import bayesbridge.constraints
import bayesbridge.engines.counting
import bayesbridge.engines.enumeration
import bayesbridge.engines.particles
import bayesbridge.engines.tables
from bayesbridge.cli import main
from bayesbridge.deal import Seat
from bayesbridge.evidence.kinds import KINDS, Piece
from bayesbridge.position import read_position
from bayesbridge.shapes import ALL, read_shapes

SOUTH = ("--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32")

SAMPLES = [
    bb.Reveal("N", "J54.AQ2.KQ76.A85"),
    bb.Play("E", "HK"),
    bb.Void("E", "H"),
    bb.Length("W", "S", 5),
    bb.Length("W", "S", 0, 3),
    bb.Length("W", "S", 4, 4),
    bb.Length("W", "S", 2, 5),
    bb.Shape("W", "balanced"),
    bb.Shape("W", "any 5-5"),
    bb.Shape("W", "S5+ H4-5 or 4-4-4-1"),
    bb.HighCards("W", 12, 14),
    bb.HighCards("W", 0, 40),
    bb.Holds("E", "SA HK"),
    bb.Lacks("E", "SA HK"),
    bb.Called("W", "1NT"),
    bb.Called("W", "pass"),
    bb.Condition("hcp(north) + hcp(south) >= 25"),
    bb.Condition("spades(east) > 4 ? hcp(east) > 9 : 1"),
]


@pytest.mark.parametrize("piece", SAMPLES, ids=repr)
def test_text_sentence_and_repr_belong_to_the_class(piece):
    assert type(piece).of(piece.text) == piece
    assert eval(f"bb.{piece!r}") == piece
    assert str(piece).startswith(piece.text if isinstance(piece, bb.Condition) else piece.seat.name)
    assert KINDS[piece.option] is type(piece)


def test_every_kind_is_sampled_above():
    assert {type(piece) for piece in SAMPLES} == set(KINDS.values())


@pytest.mark.parametrize("kind", KINDS.values())
def test_the_example_of_a_kind_can_be_read(kind):
    assert kind.of(kind.example).text.startswith(kind.example.partition(":")[0])
    says = "column 1: unknown word 'nonsense'" if kind is bb.Condition else f"such as {kind.example}"
    with pytest.raises(bb.errors.NotationError, match=says):
        kind.of("nonsense")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Aces(Piece):
    """A toy kind: a seat holds all four aces."""

    seat: Seat

    option: ClassVar[str] = "aces"
    example: ClassVar[str] = "W:all"
    help: ClassVar[str] = "a seat holds the aces"

    def __init__(self, seat):
        self._set(seat=Seat.of(seat))

    def constrain(self, known, played):
        return known.hold(self.seat, sum(1 << 13 * suit + 12 for suit in range(4)))

    @classmethod
    def _read(cls, *parts):
        return cls(parts[0])

    def _said(self):
        return "all"

    def __str__(self):
        return f"{self.seat.name} has the aces"


def test_a_new_kind_is_a_class_and_a_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(KINDS, "aces", Aces)
    poor = "KQJ2.KJ3.Q54.Q32"
    belief = bb.Belief("S", poor).given(Aces("W"))
    assert belief.count() == bb.Belief("S", poor).given(bb.Holds("W", "SA HA DA CA")).count()
    assert belief.infer(rng=1).card_probabilities().sel(card="SA", seat="W") == 1
    assert main(["count", "--observer", "S", "--hand", poor, "--aces", "W:all"]) == 0
    assert "W has the aces" in capsys.readouterr().out
    file = tmp_path / "p.toml"
    file.write_text(f'observer = "S"\nhand = "{poor}"\nevidence = [{{ aces = "W:all" }}]\n')
    position = read_position(str(file))
    assert position.belief() == belief
    assert position.words()[-2:] == ["--aces", "W:all"]
    file.write_text(position.toml())
    assert read_position(str(file)).belief() == belief


BAD_SHAPES = {
    "": "is no shape",
    "5-4-4-1": "14 cards",
    "S8+ H6+": "no hand of 13 cards",
    "S6+ S-4": "no length of S fits",
}


@pytest.mark.parametrize(("text", "says"), BAD_SHAPES.items(), ids=map(repr, BAD_SHAPES))
def test_bad_shapes_get_one_clear_line(text, says):
    with pytest.raises(bb.errors.NotationError, match=says) as caught:
        bb.Shape("W", text)
    assert "\n" not in str(caught.value)


def test_shapes_by_frequency():
    """Known frequencies of shapes over all deals (H. G. Francis et al., The Official Encyclopedia of Bridge)."""
    known = {"4-4-3-2": 0.21551, "5-3-3-2": 0.15517, "4-3-3-3": 0.10536, "5-4-2-2": 0.10580, "any 7-6": 0.0000556}
    everything = bb.engines.counting.count(bb.constraints.Constraints.free())
    for text, share in known.items():
        shaped = bb.constraints.Constraints.free().shape(0, read_shapes(text))
        assert bb.engines.counting.count(shaped) / everything == pytest.approx(share, rel=2e-3)
    assert len(ALL) == 560
