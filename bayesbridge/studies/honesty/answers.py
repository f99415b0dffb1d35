"""One answer: what an engine says of the numbers of a position, and the error that it states for each.

Errors are those that users read: ``mcse`` of :func:`bayesbridge.summary` for the means of an estimator, and
``log_evidence_error`` of the posterior. So that cards, lengths and points have such errors too, an estimator counts
them layout by layout. It cannot be counted exactly, so that the draws of exact engines are tested as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, nan
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.capture.kernels import captures
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.engines.infer import ENGINES as BELIEF_ENGINES
from bayesbridge.errors import BayesBridgeError, TablesTooLarge
from bayesbridge.estimators.builtin import CONDITIONS
from bayesbridge.estimators.evaluate import ask, evaluate
from bayesbridge.estimators.protocol import Output, Question
from bayesbridge.layouts import Layouts, high_card_points, suit_lengths
from bayesbridge.results import to_datatree
from bayesbridge.studies.honesty.positions import Position
from bayesbridge.summaries import summary

type Ints = NDArray[np.int64]

CARDS: Final = ("card_1", "card_2", "card_3")
LENGTHS: Final = ("length_1", "length_2")
POINTS: Final = ("points_1", "points_2")
TRICKS: Final = ("conditions fail", "T if they hold", "T ≥ 8", "T")
EVIDENCE: Final = "log P"
QUANTITIES: Final = (*CARDS, *LENGTHS, *POINTS, *TRICKS, EVIDENCE)
"""What every answer is asked; which cards, suits and seats differs from position to position."""

GROUPS: Final = {"cards": CARDS, "lengths": LENGTHS, "points": POINTS, "T": TRICKS, "log P": (EVIDENCE,)}
"""Columns of the table."""

CONTROL: Final = "control"
"""Not an engine: ``weights``, with the errors that its draws would have if they counted the same. It must fail."""

REFERENCE: Final = "reference"
"""``weights`` again, which needs no fit: what the means of the other engines are compared with."""

JOINT: Final = "joint"

JOINT_SEAT: Final = Seat.W
"""Whose style the joint posterior takes as unknown."""

ENGINES: Final = (*(name for name in BELIEF_ENGINES if name != "enumerate"), JOINT, CONTROL)
"""What can be tested; enumeration alone draws nothing, and is the truth for the others."""


class Stated(NamedTuple):
    """A number as an engine gives it."""

    value: float
    error: float
    """0 where the engine says that it is exact."""


class Answer(NamedTuple):
    """What one run of an engine says."""

    stated: Mapping[str, Stated]
    """By quantity; one that the engine does not tell is not there."""
    ess: float
    warned: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """Counts the numbers of one position, layout by layout.

    cards:   (card, seat) pairs
    lengths: (seat, suit) pairs
    points:  seats
    pair:    whose tricks are counted: a hidden player with the dummy, or with their partner where all four bid
    """

    cards: tuple[tuple[int, int], ...]
    lengths: tuple[tuple[int, int], ...]
    points: tuple[int, ...]
    pair: tuple[Seat, Seat]
    name: str = "probe"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Whole numbers all of them; T with its conditions."""
        return (
            *(Output(name, "Whether the seat holds the card.", dtype="int8") for name in CARDS),
            *(Output(name, "Cards of the seat in the suit.", dtype="int8") for name in LENGTHS),
            *(Output(name, "High-card points of the seat.", dtype="int8") for name in POINTS),
            Output("T", "Total captures, 0 where a condition fails.", dtype="int8", tricks=CONDITIONS),
        )

    def estimate(self, layouts: Layouts, question: Question) -> dict[str, NDArray[Any]]:
        """(n,) of each output."""
        masks = layouts.masks
        hands = [np.ascontiguousarray(masks[:, seat]) for seat in range(4)]
        found: dict[str, NDArray[Any]] = {}
        for name, (card, seat) in zip(CARDS, self.cards, strict=True):
            found[name] = (hands[seat] >> np.uint64(card) & np.uint64(1)).astype(np.int8)
        for name, (seat, suit) in zip(LENGTHS, self.lengths, strict=True):
            found[name] = suit_lengths(hands[seat])[:, suit].astype(np.int8)
        for name, seat in zip(POINTS, self.points, strict=True):
            found[name] = high_card_points(hands[seat]).astype(np.int8)
        first, second = question.pair
        return found | {"T": captures(hands[first], hands[second]).T}


def probe_of(position: Position) -> Probe:
    """The numbers of a position, chosen by its name alone among those that the hard evidence leaves open."""
    rng = np.random.default_rng([ord(letter) for letter in position.name])
    known: Constraints = position.belief().constraints.normalised()
    unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
    seats = known.hidden
    pairs = [(card, seat) for card in unknown for seat in seats if known.may[seat] >> card & 1]
    suits = sorted({card // 13 for card in unknown})
    cards = [pairs[place] for place in rng.choice(len(pairs), len(CARDS), replace=False)]
    lengths = [(int(rng.choice(seats)), int(rng.choice(suits))) for _ in LENGTHS]
    points = [int(seat) for seat in rng.choice(seats, len(POINTS), replace=False)]
    dummy = position.belief().dummy
    player = Seat(int(rng.choice([seat for seat in seats if seat != dummy])))
    return Probe(tuple(cards), tuple(lengths), tuple(points), (player, player.partner if dummy is None else dummy))


def answer(position: Position, engine: str, draws: int, rng: np.random.Generator) -> Answer | None:
    """Ask an engine once, with its default settings but for the draws; ``None`` where it refuses."""
    belief = position.belief()
    try:
        posterior = posterior_by(engine, belief, draws, rng)
    except BayesBridgeError:
        return None
    return read(posterior, _probe(position), as_if_equal=engine == CONTROL)


@lru_cache(maxsize=8)
def _probe(position: Position) -> Probe:
    return probe_of(position)


def posterior_by(engine: str, belief: Belief, draws: int, rng: np.random.Generator) -> Posterior:
    """The posterior by one engine."""
    if engine == JOINT:
        from bayesbridge.joint import infer_jointly

        return infer_jointly(belief, JOINT_SEAT, rng=rng).layouts
    method = "weights" if engine in (CONTROL, REFERENCE) else engine
    return belief.infer(method, draws, rng)


def read(posterior: Posterior, probe: Probe, *, as_if_equal: bool = False) -> Answer:
    """All numbers with their errors; ``as_if_equal`` gives the errors of draws that count the same."""
    result = to_datatree(evaluate(posterior, [probe], ask(posterior, probe.pair)), marginals=False)
    if as_if_equal:
        stats = result["sample_stats"].to_dataset().drop_vars("log_weight", errors="ignore")
        result["sample_stats"] = type(result)(stats.assign_attrs(ess=float(len(posterior))))
    table = summary(result)
    stated = {}
    for name in QUANTITIES[:-1]:
        error = float(table["mcse"].get(name, nan))
        if isfinite(error):
            stated[name] = Stated(float(table["mean"][name]), error)
    if isfinite(posterior.log_evidence) and not as_if_equal:
        stated[EVIDENCE] = Stated(posterior.log_evidence, posterior.log_evidence_error)
    return Answer(stated, posterior.ess, bool(posterior.draws.warning))


def truth_of(position: Position) -> dict[str, float]:
    """What is known exactly of a position: all of it where layouts can be walked, else what tables count."""
    belief, probe = position.belief(), _probe(position)
    target = belief.target
    if target.count <= WALKED:
        return {name: one.value for name, one in read(belief.infer("enumerate"), probe).stated.items()}
    posterior = belief.infer(draws=2, rng=1)
    tables = posterior.draws.tables
    if tables is None:
        return {}
    cards, lengths = tables.card_marginals(), tables.length_distributions()
    found = {name: float(cards[pair]) for name, pair in zip(CARDS, probe.cards, strict=True)}
    found |= {
        name: float((lengths[pair] * np.arange(14)).sum()) for name, pair in zip(LENGTHS, probe.lengths, strict=True)
    }
    found[EVIDENCE] = posterior.log_evidence
    counted: tuple[Callable[[], dict[str, float]], ...] = (
        lambda: _counted_points(posterior, probe),
        lambda: _counted_tricks(posterior, probe),
    )
    for count in counted:
        try:
            found |= count()
        except TablesTooLarge:
            continue
    return found


WALKED: Final = 100_000
"""Layouts up to which a position is walked for the truth, whatever the model costs."""


def _counted_points(posterior: Posterior, probe: Probe) -> dict[str, float]:
    assert posterior.draws.tables is not None
    points = (posterior.draws.tables.point_distributions() * np.arange(38)).sum(axis=-1)
    return {name: float(points[seat]) for name, seat in zip(POINTS, probe.points, strict=True)}


def _counted_tricks(posterior: Posterior, probe: Probe) -> dict[str, float]:
    """What the capture estimator counts, which the probe only samples."""
    from bayesbridge.estimators.builtin import CaptureEstimator
    from bayesbridge.estimators.evaluate import counted
    from bayesbridge.trick_counts import Tricks

    sums = counted(posterior, CaptureEstimator(), ask(posterior, probe.pair)).get("T")
    if sums is None:
        return {}
    tricks = Tricks.of_sums(sums)
    found = {"conditions fail": tricks.fails, "T ≥ 8": tricks.at_least(8), "T": float(sums.mean[0])}
    return found if tricks.mean_if_held is None else found | {"T if they hold": tricks.mean_if_held}
