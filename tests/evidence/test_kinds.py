"""Every kind of evidence reads what it writes; a new one is a class in a list."""

import json
import re
from dataclasses import FrozenInstanceError, dataclass
from html import unescape
from typing import ClassVar

import pytest
from hypothesis import given

import bayesbridge as bb
from bayesbridge import BayesBridgeError, Call, Card, Hand, Seat, Suit
from bayesbridge.cli import main
from bayesbridge.evidence.kinds import (
    KINDS,
    Called,
    HighCards,
    Holds,
    Lacks,
    Length,
    Piece,
    Play,
    Reveal,
    Void,
    pieces,
)
from bayesbridge.position import Position
from bayesbridge.web import page_files
from tests.strategies import evidence

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
    assert str(piece).startswith(
        piece.text if isinstance(piece, bb.Condition) else piece.seat.name
    )
    assert KINDS[piece.option] is type(piece)


def test_every_kind_is_sampled_above():
    assert {type(piece) for piece in SAMPLES} == set(KINDS.values())


@pytest.mark.parametrize("kind", KINDS.values())
def test_the_example_of_a_kind_can_be_read(kind):
    assert kind.of(kind.example).text.startswith(kind.example.partition(":")[0])
    says = (
        "column 1: unknown word 'nonsense'"
        if kind is bb.Condition
        else f"such as {kind.example}"
    )
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

    def constrain(self, constraints):
        return constraints.hold(
            self.seat, sum(1 << 13 * suit + 12 for suit in range(4))
        )

    @classmethod
    def _read(cls, *fields):
        return cls(fields[0])

    def _seatless_text(self):
        return "all"

    def __str__(self):
        return f"{self.seat.name} has the aces"


def test_a_new_kind_is_a_class_and_a_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(KINDS, "aces", Aces)
    poor = "KQJ2.KJ3.Q54.Q32"
    belief = bb.Belief("S", poor).given(Aces("W"))
    assert (
        belief.count()
        == bb.Belief("S", poor).given(bb.Holds("W", "SA HA DA CA")).count()
    )
    assert belief.infer(rng=1).card_probabilities().sel(card="SA", seat="W") == 1
    assert main(["count", "--observer", "S", "--hand", poor, "--aces", "W:all"]) == 0
    assert "W has the aces" in capsys.readouterr().out
    file = tmp_path / "p.toml"
    file.write_text(
        f'observer = "S"\nhand = "{poor}"\nevidence = [{{ aces = "W:all" }}]\n'
    )
    position = Position.read(str(file))
    assert position.belief() == belief
    assert position.words()[-2:] == ["--aces", "W:all"]
    file.write_text(position.toml())
    assert Position.read(str(file)).belief() == belief
    offered = json.loads(
        unescape(
            re.search(r'name="about" content="(.*?)"', page_files()["index.html"])[1]
        )
    )
    assert offered["kinds"]["aces"] == {
        "verb": "aces",
        "example": "W:all",
        "help": "a seat holds the aces",
    }


@pytest.mark.quick
@given(evidence)
def test_pieces_are_frozen(piece):
    with pytest.raises(FrozenInstanceError):
        piece.seat = Seat.N
    with pytest.raises((AttributeError, TypeError)):
        piece.note = "no room for this"


@pytest.mark.quick
def test_text_and_values_mean_the_same():
    assert Reveal("north", "akq2.kj3.a54.q32") == Reveal(
        Seat.N, Hand.from_pbn("AKQ2.KJ3.A54.Q32")
    )
    assert Play("e", "h10") == Play(Seat.E, Card.of("HT"))
    assert Void("E", "♥") == Void(Seat.E, Suit.H)
    assert (
        Holds("E", "SA, SK") == Holds("E", ["SK", "SA"]) == Holds("E", Hand.of("AK..."))
    )
    assert Lacks("E", Card.of("SA")) == Lacks("E", "SA")
    assert Called("w", "1n") == Called(Seat.W, Call.of("1NT"))
    assert Length("W", "S", 5) == Length("W", "S", 5, 13)
    assert HighCards("W", 12) == HighCards("W", 12, 40)


BAD = [
    (lambda: Void("X", "H"), "unknown seat 'X': write N, E, S or W"),
    (lambda: Void("E", 2), "unknown suit 2"),
    (lambda: Play("E", "H1"), "unknown rank '1' in card 'H1'"),
    (lambda: Called("W", None), "unknown call None"),
    (
        lambda: Length("W", "S", 7, 5),
        "W's length in S from 7 to 5: give whole numbers between 0 and 13, the lower",
    ),
    (lambda: Length("W", "S", -1, 4), "from -1 to 4: give whole numbers"),
    (lambda: Length("W", "S", "5"), "from '5' to 13: give whole numbers"),
    (
        lambda: HighCards("W", 41),
        "W's high-card points from 41 to 40: give whole numbers between 0 and 40",
    ),
    (lambda: Holds("E", []), r"no card named in \[\]: name at least one"),
    (lambda: Holds("E", "SA SA"), "A stands twice"),
    (
        lambda: Reveal("N", "AKQ2.KJ3.A54.Q3"),
        "N's hand .* has 12 cards: a full hand has 13, add the missing 1",
    ),
    (lambda: Reveal("N", None), "None is no hand"),
    (lambda: pieces("W:S5"), "'W:S5' is no evidence: give Reveal, Play"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("make", "says"), BAD)
def test_bad_evidence_gets_one_clear_line(make, says):
    with pytest.raises(BayesBridgeError, match=says) as error:
        make()
    assert "\n" not in str(error.value)
    assert error.value.data
