"""Are the stated errors honest? Scores z = (answer − truth) / stated error.

    python benchmarks/evaluation/honesty.py --engine importance --kind style --resume importance_style

Every engine answers fixed positions over many seeds. A position comes from a deal drawn
at random and an auction by the bidders that the observer assumes, cut after so many
calls; somebody hidden has called, and bid in positions of an odd number. In a few
positions cards of the hidden hands are shown until all layouts can be walked, so that
the truth is known for models that cannot be counted.

Errors are those that users read: ``mcse`` of :func:`Result.summary` for the means of an
estimator, and ``log_evidence_error`` of the posterior. So that cards, lengths and
points have such errors too, an estimator counts them layout by layout. It cannot be
counted exactly, so that the draws of exact engines are tested as well.

If errors are honest the root mean square of z is one, and z lies within two errors 95
times in a hundred. Where the truth is not known it is the mean over the seeds, and z is
divided by √(1 − 1 / n). The numbers of one answer depend on each other, so an answer
counts as one: intervals come from the mean of z² of each answer, with the degrees of
freedom that its spread from answer to answer shows (F. E. Satterthwaite, 1946). Honest
independent scores give the χ² interval.

An answer stated without an error must be equal to the truth, and is no score. Nor is a
number that is the same in all answers, which must lie within two errors of the truth.
Where an engine says that its draws are worth a single one, it says that it does not
know: its errors may be as large as they like, but not too small. An answer that an
engine refuses to give is no score either.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate
from math import inf, isfinite, nan, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from calibration import Scenario
from instrument import options, setting, show, start
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import stats

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.capture.kernels import captures
from bayesbridge.display.markup import Table
from bayesbridge.display.words import number, percent
from bayesbridge.engines.infer import ENGINES as BELIEF_ENGINES
from bayesbridge.errors import BayesBridgeError, TablesTooLarge
from bayesbridge.estimators.answer import Answer as EstimatorsAnswer
from bayesbridge.estimators.builtin import CaptureEstimator
from bayesbridge.estimators.draw_errors import KeptDraws
from bayesbridge.estimators.evaluate import ask, evaluate
from bayesbridge.estimators.protocol import Output, Question
from bayesbridge.estimators.summary import summary_table
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import Called, Holds
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.calls import PASS
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts, high_card_points, suit_lengths
from bayesbridge.plots import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    SKY,
    VERMILION,
    bare,
    ink,
    new_axes,
)
from bayesbridge.studies.jobs import Job, RunOptions, rows

KINDS: Final = {
    "none": "nobody calls: cards and lengths are seen",
    "no trumps": "three bidders by Algorithm 1 in no trumps",
    "suits": "three bidders by Algorithm 1 in all strains",
    "style": "three bidders with a style",
    "learned": "four experts learned from records",
    "played": "the same, with cards chosen by the learned player",
}
"""Who calls, by the name of the kind."""

BIDDERS: Final[dict[str, BidderModel]] = {
    "no trumps": IterativeBidder(),
    "suits": IterativeBidder(suits=True),
    "style": StyleBidder(),
    "learned": LearnedBidder(),
    "played": LearnedBidder(),
}

TRIES: Final = 10_000
"""Deals drawn for a position until an auction is long enough."""


@dataclass(frozen=True, slots=True)
class Position:
    """What an observer knows, made from a seed."""

    kind: str
    number: int
    calls: int = 0
    """Calls heard; all of them in a kind whose cards are played."""
    shown: int = 0
    """Cards of each hidden hand that are shown."""
    cards: int = 0
    """Cards played."""
    told: str = ""
    """Calls that are given, such as ``W:2NT E:3NT``, with the hand before them, instead
    of those of a random deal.
    """

    @property
    def name(self) -> str:
        """The kind and the number in it."""
        return f"{self.kind} {self.number}"

    def belief(self) -> Belief:
        """What is known; compiled once for the positions that were asked for last."""
        return _belief(self)


def _rng(*numbers: int) -> np.random.Generator:
    return np.random.default_rng(numbers)


@lru_cache(maxsize=8)
def _belief(position: Position) -> Belief:
    if position.told:
        hand, *calls = position.told.split()
        return Belief("S", hand, bidder=BIDDERS[position.kind]).given(
            *(Called(*call.split(":")) for call in calls)
        )
    place = list(KINDS).index(position.kind)
    if position.kind == "none":
        told = position.number % 2 == 0
        return (
            Scenario("direct", shown=position.shown, told_lengths=told)
            .draw(_rng(place, position.number))
            .belief
        )
    four = position.kind in ("learned", "played")
    scenario = Scenario(
        "auto",
        BIDDERS[position.kind],
        dummy=None if four else Scenario("auto").dummy,
        player=LearnedPlayer() if position.cards else None,
        cards=position.cards,
        open_dummy=position.cards > 0,
        shown=position.shown,
    )
    for attempt in range(TRIES):
        belief = scenario.draw(_rng(place, position.number, attempt)).belief
        heard = [piece for piece in belief.evidence if isinstance(piece, Called)]
        if len(heard) < position.calls:
            continue
        if position.cards:
            return belief
        del heard[position.calls :]
        hidden = [piece.call for piece in heard if piece.seat != belief.observer]
        if not hidden or (position.number % 2 and all(call == PASS for call in hidden)):
            continue
        seen = [piece for piece in belief.evidence if isinstance(piece, Holds)]
        own = Belief(
            belief.observer,
            belief.hand,
            dummy=belief.dummy,
            bidder=belief.bidder,
            player=belief.player,
        )
        return own.given(*heard, *seen)
    raise BayesBridgeError(
        f"no auction of {position.calls} calls in {TRIES} deals", position=position.name
    )


POSITIONS: Final = (
    *(
        Position("none", number, shown=shown)
        for number, shown in enumerate((0, 0, 1, 2), 1)
    ),
    Position("no trumps", 1, 2, told="8532.J32.9854.Q3 W:2NT E:3NT"),
    *(
        Position("no trumps", number, calls)
        for number, calls in enumerate((1, 1, 2, 2, 3, 4, 5, 6), 2)
    ),
    *(
        Position("suits", number, calls)
        for number, calls in enumerate((1, 1, 2, 3, 4, 5, 6), 1)
    ),
    Position("suits", 8, 3, shown=9),
    *(
        Position("style", number, calls)
        for number, calls in enumerate((1, 2, 3, 4, 5, 6), 1)
    ),
    Position("style", 7, 2, shown=9),
    Position("style", 8, 5, shown=9),
    *(
        Position("learned", number, calls)
        for number, calls in enumerate((1, 2, 3, 4, 6), 1)
    ),
    Position("learned", 6, 5, shown=9),
    *(
        Position("played", number, 4, cards=cards)
        for number, cards in enumerate((1, 2, 5, 8), 1)
    ),
    Position("played", 5, 4, cards=12, shown=6),
)
"""All positions."""


def some_positions(many: int) -> tuple[Position, ...]:
    """``many`` of the positions, spread over the kinds."""
    if not 1 <= many <= len(POSITIONS):
        raise BayesBridgeError(
            f"{many} positions: take 1 to {len(POSITIONS)}", positions=many
        )
    order = sorted(POSITIONS, key=lambda position: position.number)
    chosen = set(order[:many])
    return tuple(position for position in POSITIONS if position in chosen)


type Floats = NDArray[np.float64]

CARDS: Final = ("card_1", "card_2", "card_3")
LENGTHS: Final = ("length_1", "length_2")
POINTS: Final = ("points_1", "points_2")
TRICKS: Final = ("conditions fail", "T if they hold", "T ≥ 8", "T")
EVIDENCE: Final = "log P"
QUANTITIES: Final = (*CARDS, *LENGTHS, *POINTS, *TRICKS, EVIDENCE)
"""What every answer is asked; which cards, suits and seats differs from position to
position.
"""

GROUPS: Final = {
    "cards": CARDS,
    "lengths": LENGTHS,
    "points": POINTS,
    "T": TRICKS,
    "log P": (EVIDENCE,),
}
"""Columns of the table."""

CONTROL: Final = "control"
"""Not an engine: ``likelihood-weighting``, with the errors of draws that count the
same. It must fail.
"""

REFERENCE: Final = "reference"
"""``likelihood-weighting`` again, which needs no fit: what the means of the other
engines are compared with.
"""

JOINT: Final = "joint"

JOINT_SEAT: Final = Seat.W
"""Whose style the joint posterior takes as unknown."""

ENGINES: Final = (
    *(name for name in BELIEF_ENGINES if name != "enumerate"),
    JOINT,
    CONTROL,
)
"""What can be tested; enumeration alone draws nothing, and is the truth for the others.
"""


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

    cards:   (card, seat) pairs lengths: (seat, suit) pairs points:  seats pair:
    whose tricks are counted: a hidden player with the dummy, or with their partner
    where all four bid
    """

    cards: tuple[tuple[int, int], ...]
    lengths: tuple[tuple[int, int], ...]
    points: tuple[int, ...]
    pair: tuple[Seat, Seat]
    name: str = "capture"  # whose T it counts: that is its name in results

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Whole numbers all of them; T with its conditions."""
        return (
            *(
                Output(name, "Whether the seat holds the card.", dtype="int8")
                for name in CARDS
            ),
            *(
                Output(name, "Cards of the seat in the suit.", dtype="int8")
                for name in LENGTHS
            ),
            *(
                Output(name, "High-card points of the seat.", dtype="int8")
                for name in POINTS
            ),
            *(output for output in CaptureEstimator().outputs if output.name == "T"),
        )

    def estimate(self, layouts: Layouts, question: Question) -> dict[str, NDArray[Any]]:
        """(n,) of each output."""
        masks = layouts.masks
        hands = [np.ascontiguousarray(masks[:, seat]) for seat in range(4)]
        found: dict[str, NDArray[Any]] = {}
        for name, (card, seat) in zip(CARDS, self.cards, strict=True):
            found[name] = (hands[seat] >> np.uint64(card) & np.uint64(1)).astype(
                np.int8
            )
        for name, (seat, suit) in zip(LENGTHS, self.lengths, strict=True):
            found[name] = suit_lengths(hands[seat])[:, suit].astype(np.int8)
        for name, seat in zip(POINTS, self.points, strict=True):
            found[name] = high_card_points(hands[seat]).astype(np.int8)
        first, second = question.pair
        return found | {"T": captures(hands[first], hands[second]).T}


def probe_of(position: Position) -> Probe:
    """The numbers of a position, chosen by its name alone among those that the hard
    evidence leaves open.
    """
    rng = np.random.default_rng([ord(letter) for letter in position.name])
    known: Constraints = position.belief().constraints.normalised()
    unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
    seats = known.hidden
    pairs = [
        (card, seat)
        for card in unknown
        for seat in seats
        if known.may[seat] >> card & 1
    ]
    suits = sorted({card // 13 for card in unknown})
    cards = [
        pairs[place] for place in rng.choice(len(pairs), len(CARDS), replace=False)
    ]
    lengths = [(int(rng.choice(seats)), int(rng.choice(suits))) for _ in LENGTHS]
    points = [int(seat) for seat in rng.choice(seats, len(POINTS), replace=False)]
    dummy = position.belief().dummy
    player = Seat(int(rng.choice([seat for seat in seats if seat != dummy])))
    return Probe(
        tuple(cards),
        tuple(lengths),
        tuple(points),
        (player, player.partner if dummy is None else dummy),
    )


def answer(
    position: Position, engine: str, draws: int, rng: np.random.Generator
) -> Answer | None:
    """Ask an engine once, with its default settings but for the draws; ``None`` where
    it refuses.
    """
    belief = position.belief()
    try:
        posterior = posterior_by(engine, belief, draws, rng)
    except BayesBridgeError:
        return None
    return read(posterior, _probe(position), as_if_equal=engine == CONTROL)


@lru_cache(maxsize=8)
def _probe(position: Position) -> Probe:
    return probe_of(position)


def posterior_by(
    engine: str, belief: Belief, draws: int, rng: np.random.Generator
) -> Posterior:
    """The posterior by one engine."""
    if engine == JOINT:
        from bayesbridge.belief.joint import infer_jointly

        return infer_jointly(belief, JOINT_SEAT, rng=rng).layouts
    method = "likelihood-weighting" if engine in (CONTROL, REFERENCE) else engine
    return belief.infer(method, draws, rng)


def read(posterior: Posterior, probe: Probe, *, as_if_equal: bool = False) -> Answer:
    """All numbers with their errors; ``as_if_equal`` gives the errors of draws that
    count the same.
    """
    evaluation = evaluate(posterior, [probe], ask(posterior, probe.pair))
    answer = EstimatorsAnswer.of(evaluation)
    if as_if_equal:
        layouts = answer.kept.layouts
        equal = KeptDraws(layouts, None, float(layouts), exact=False, batches=None)
        answer = replace(answer, kept=equal)
    table = summary_table(answer, list(answer.numbers), probability=0.89, kind="eti")
    stated = {}
    for name in QUANTITIES[:-1]:
        error = float(table["mcse"].get(name, nan))
        if isfinite(error):
            stated[name] = Stated(float(table["mean"][name]), error)
    if isfinite(posterior.log_evidence) and not as_if_equal:
        stated[EVIDENCE] = Stated(posterior.log_evidence, posterior.log_evidence_error)
    return Answer(stated, posterior.ess, bool(posterior.caveat))


def truth_of(position: Position) -> dict[str, float]:
    """What is known exactly of a position: all of it where layouts can be walked, else
    what tables count.
    """
    belief, probe = position.belief(), _probe(position)
    target = belief.target
    if target.count <= WALKED:
        return {
            name: one.value
            for name, one in read(belief.infer("enumerate"), probe).stated.items()
        }
    posterior = belief.infer(draws=2, rng=1)
    tables = posterior.tables
    if tables is None:
        return {}
    cards, lengths = tables.card_marginals(), tables.length_distributions()
    found = {
        name: float(cards[pair]) for name, pair in zip(CARDS, probe.cards, strict=True)
    }
    found |= {
        name: float((lengths[pair] * np.arange(14)).sum())
        for name, pair in zip(LENGTHS, probe.lengths, strict=True)
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
    if not posterior.counts_points:
        return {}
    points = (posterior.point_table * np.arange(38)).sum(axis=-1)
    return {
        name: float(points[seat])
        for name, seat in zip(POINTS, probe.points, strict=True)
    }


def _counted_tricks(posterior: Posterior, probe: Probe) -> dict[str, float]:
    """What the capture estimator counts, which the probe only samples."""
    from bayesbridge.estimators.answer import capture_tricks

    tricks = capture_tricks(posterior, probe.pair)
    if not tricks.exact:
        return {}
    found = {
        "conditions fail": tricks.fails,
        "T ≥ 8": tricks.at_least(8),
        "T": float(tricks.mean[0]),
    }
    return (
        found
        if tricks.mean_if_held is None
        else found | {"T if they hold": tricks.mean_if_held}
    )


DRAWS: Final = 20_000
"""As :meth:`bayesbridge.Belief.infer` draws by default."""

CHUNK: Final = 5
"""Seeds in a chunk."""

SHARES: Final[dict[str, dict[str, float]]] = {
    "auto": {
        "none": 1.0,
        "no trumps": 0.3,
        "suits": 0.2,
        "style": 0.15,
        "learned": 0.2,
        "played": 0.2,
    },
    "direct": {"none": 1.0},
    "levels": {"no trumps": 0.5},
    "importance": {"no trumps": 1.5, "suits": 0.5, "style": 1.5},
    "resample-move": {
        "no trumps": 0.5,
        "suits": 0.7,
        "style": 1.0,
        "learned": 0.4,
        "played": 0.4,
    },
    "likelihood-weighting": {
        "no trumps": 0.5,
        "suits": 0.5,
        "style": 0.5,
        "learned": 0.5,
        "played": 0.5,
    },
    JOINT: {"style": 0.4},
    CONTROL: {"no trumps": 0.25, "style": 0.25},
}
"""Part of the seeds by engine and kind of position.

A verdict takes about 200 answers in a row: engines that are tested on few positions
take more seeds of each, and models that are slow to ask take no more than they need.
"""

REFERENCE_DRAWS: Final = {
    "no trumps": 25,
    "suits": 20,
    "style": 20,
    "learned": 2,
    "played": 2,
}
"""Draws of one reference answer, in units of those of an engine; there are CHUNK of
them.
"""

TESTED: Final[dict[str, dict[str, tuple[int, ...]]]] = {
    "direct": {"none": (1, 2, 3, 4)},
    "levels": {"no trumps": (2, 3, 4)},
    "importance": {"no trumps": (2, 3, 7), "suits": (2, 8), "style": (7, 8)},
    "resample-move": {
        "no trumps": (2, 3, 7),
        "suits": (2, 3, 8),
        "style": (7, 8),
        "learned": (2, 6),
        "played": (2,),
    },
    "likelihood-weighting": {
        "no trumps": (1, 2, 3, 5),
        "suits": (1, 4, 8),
        "style": (1, 6, 8),
        "learned": (2, 6),
        "played": (3, 5),
    },
    JOINT: {"style": (3, 7)},
    CONTROL: {"no trumps": (2, 3, 5), "style": (6, 8)},
}
"""Positions by engine and kind; ``auto`` answers all of them, those of ``learned`` and
``played`` by ``importance``.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One engine on one position."""

    engine: str
    position: Position
    seeds: int
    draws: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, case by case."""

    cases: tuple[Case, ...]

    @property
    def answers(self) -> int:
        """In all cases."""
        return sum(case.seeds for case in self.cases)

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of the first answer of each case, and the number of all."""
        return tuple(accumulate((case.seeds for case in self.cases), initial=0))


def plan(
    positions: tuple[Position, ...] = POSITIONS,
    seeds: int = 200,
    engines: tuple[str, ...] = ENGINES,
) -> Plan:
    """Every engine on those of the positions that it is tested on, and a reference for
    each position with calls.
    """
    if unknown := [name for name in engines if name not in ENGINES]:
        raise BayesBridgeError(
            f"unknown engine {unknown[0]!r}: choose {', '.join(ENGINES)}",
            engine=unknown[0],
        )
    if seeds < CHUNK:
        raise BayesBridgeError(f"{seeds} seeds: take at least {CHUNK}", seeds=seeds)
    cases = []
    for position in positions:
        asked = [name for name in engines if _tests(name, position)]
        if asked and position.kind in REFERENCE_DRAWS:
            cases.append(
                Case(REFERENCE, position, CHUNK, DRAWS * REFERENCE_DRAWS[position.kind])
            )
        for engine in asked:
            share = SHARES[engine][position.kind]
            cases.append(
                Case(
                    engine,
                    position,
                    CHUNK * max(1, round(share * seeds / CHUNK)),
                    DRAWS,
                )
            )
    if not cases:
        raise BayesBridgeError(
            f"none of these positions tests {' or '.join(engines)}: take more positions"
        )
    return Plan(tuple(cases))


def _tests(engine: str, position: Position) -> bool:
    return engine == "auto" or position.number in TESTED[engine].get(position.kind, ())


WIDTH: Final = 3 + 2 * len(QUANTITIES)
"""Columns of an answer: refused, warned, ess; then the values, ``nan`` where a quantity
is not told, and the errors.
"""


def count(what: Plan, seed: np.random.SeedSequence, answers: int) -> Floats:
    """(answers, WIDTH) the answers of one chunk."""
    first = CHUNK * seed.spawn_key[0]
    case = what.cases[bisect_right(what.starts, first) - 1]
    given = [
        answer(case.position, case.engine, case.draws, np.random.default_rng(child))
        for child in seed.spawn(answers)
    ]
    return np.stack([packed(one) for one in given])


def packed(given: Answer | None) -> Floats:
    """(WIDTH,) an answer as a row."""
    row = np.full(WIDTH, nan)
    row[:3] = 1.0, 0.0, 0.0
    if given is not None:
        row[:3] = 0.0, given.warned, given.ess
        for place, name in enumerate(QUANTITIES):
            if (stated := given.stated.get(name)) is not None:
                row[3 + place], row[3 + len(QUANTITIES) + place] = stated
    return row


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """All answers of one case; quantities that were not told are ``nan``.

    value, error: (n, quantities)
    refused, warned: (n,)
    ess: (n,)
    """

    case: Case
    value: NDArray[np.float64]
    error: NDArray[np.float64]
    refused: NDArray[np.bool_]
    warned: NDArray[np.bool_]
    ess: NDArray[np.float64]


def unpacked(what: Plan, rows: Floats) -> tuple[Answers, ...]:
    """By case, from (answers, WIDTH) rows."""
    found = []
    for case, begin, end in zip(what.cases, what.starts, what.starts[1:], strict=False):
        mine = rows[begin:end]
        value, error = np.split(mine[:, 3:], 2, axis=1)
        found.append(
            Answers(case, value, error, mine[:, 0] > 0, mine[:, 1] > 0, mine[:, 2])
        )
    return tuple(found)


type Truth = Mapping[str, float]

BAND: Final = (0.8, 1.2)
"""Root mean squares of z that count as honest."""

WITHIN: Final = 0.94
"""Share of the answers within two errors of the truth, at least."""

LEVEL: Final = 0.99
"""Of intervals: a row makes five such tests."""

ENOUGH: Final = 1000.0
"""Effective draws of a reference, below which it is none."""

SAME: Final = 1e-9
"""Rounding by which an exact answer may differ from the truth."""

HONEST, SMALL, LARGE, OPEN, WRONG, BIASED, EXACT, UNKNOWN = (
    "honest",
    "errors too small",
    "errors too large",
    "needs more seeds",
    "error 0 but not exact",
    "biased",
    "exact",
    "says that it does not know",
)
"""Verdicts."""


class Interval(NamedTuple):
    """An estimate, and where it may lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of one case."""

    answers: Answers
    z: Floats
    """(n, quantities) ``nan`` where a number is not told or stated without an error."""
    exact: NDArray[np.bool_]
    """(n, quantities) stated without an error."""
    wrong: NDArray[np.bool_]
    """(n, quantities) stated without an error, and not equal to the truth.

    Or the same in all answers, and far from the truth.
    """
    bound: Floats
    """(n, cards) differences from the truth in units of ½ / √ess.

    An answer says that they do not exceed one.
    """
    bias: Floats
    """(quantities,) the mean over seeds less the truth or the reference.

    It is in standard errors; ``nan`` without truth and reference.
    """

    @property
    def told(self) -> Floats:
        """(m, quantities) z of the answers whose draws are said to be worth two or more."""
        return self.z[self.answers.ess >= 2.0]


def scored(answers: Answers, truth: Truth, reference: Answers | None) -> Scores:
    """Compare the answers of one case with the truth.

    Where the truth is not known, their mean takes its place.
    """
    value = answers.value
    error = answers.error
    n = max(2, int((~answers.refused).sum()))
    true_value = np.array([truth.get(name, nan) for name in QUANTITIES])
    has_truth = np.isfinite(true_value)
    with np.errstate(all="ignore"):
        is_stated = np.isfinite(value)
        stated_count = is_stated.sum(axis=0)
        mean = np.where(is_stated, value, 0.0).sum(axis=0) / stated_count
        gap = value - np.where(has_truth, true_value, mean)
        # An answer is part of the mean, so that its gap from it is smaller.
        shrinkage = np.where(has_truth, 1.0, sqrt(1.0 - 1.0 / n))
        exact = is_stated & (error == 0.0)
        z = np.where(is_stated & ~exact, gap / (error * shrinkage), nan)
        rounding = SAME * np.maximum(1.0, np.abs(value))
        is_near_mean = np.abs(value - mean) <= rounding
        is_constant = is_stated.any(axis=0) & is_near_mean.all(axis=0, where=is_stated)
        is_far = np.abs(gap) > 2.0 * error + rounding
        wrong = is_stated & (exact | is_constant) & is_far
        z[:, is_constant] = nan
        squares = np.where(is_stated, (value - mean) ** 2, 0.0)
        mean_error = np.sqrt(squares.sum(axis=0) / (n - 1) / n)
        target, target_error = _target(true_value, reference)
        bias = (mean - target) / np.hypot(mean_error, target_error)
        card_columns = [QUANTITIES.index(name) for name in CARDS]
        card_gaps = (gap / shrinkage)[:, card_columns]
        bound = 2.0 * np.sqrt(answers.ess)[:, None] * card_gaps
        bound[exact[:, card_columns]] = nan
    is_sampled = (is_stated & ~exact).any(axis=0) & ~is_constant
    has_bias = np.isfinite(bias) & is_sampled
    return Scores(answers, z, exact, wrong, bound, np.where(has_bias, bias, nan))


def _target(true_value: Floats, reference: Answers | None) -> tuple[Floats, Floats]:
    """(quantities,) what means are compared with, and its errors.

    The truth where it is known; else the reference, if its draws are worth enough.
    """
    if reference is None or np.nansum(reference.ess) < ENOUGH:
        return true_value, np.zeros(len(QUANTITIES))
    has_truth = np.isfinite(true_value)
    value, error = pool(reference)
    return np.where(has_truth, true_value, value), np.where(has_truth, 0.0, error)


def pool(reference: Answers) -> tuple[Floats, Floats]:
    """(quantities,) means and errors of several runs with weights, as if they were one.

    Each counts by its P of the evidence. Runs that were refused do not count.
    """
    values = reference.value[~reference.refused]
    errors = reference.error[~reference.refused]
    evidence_column = QUANTITIES.index(EVIDENCE)
    log_evidence = values[:, evidence_column]
    evidence = np.exp(log_evidence - log_evidence.max())
    share = (evidence / evidence.sum())[:, None]
    value = (share * values).sum(axis=0)
    error = np.sqrt((share**2 * errors**2).sum(axis=0))
    value[evidence_column] = log_evidence.max() + np.log(evidence.mean())
    return value, error


def rms(parts: Sequence[Floats]) -> Interval:
    """Root mean square of the scores of all answers, (n, …) in each part.

    An answer counts as one, however many numbers it has.
    """
    squares = np.empty(0)
    if parts:
        squares = np.concatenate([_by_answer(part**2) for part in parts])
    n = len(squares)
    if not n:
        return Interval(nan, nan, nan)
    mean = float(squares.mean())
    variance = float(squares.var(ddof=1)) / n if n > 1 else inf
    if not mean or not np.isfinite(variance):
        return Interval(sqrt(mean), 0.0, inf)
    freedom = min(2.0 * mean**2 / variance, 10.0 * n) if variance else 10.0 * n
    low, high = stats.chi2.ppf([(1 + LEVEL) / 2, (1 - LEVEL) / 2], freedom)
    return Interval(
        sqrt(mean),
        sqrt(mean * freedom / low),
        sqrt(mean * freedom / high) if high else inf,
    )


def within(parts: Sequence[Floats]) -> Interval:
    """Share of the scores within two errors.

    The interval is Wilson's, with as many trials as the answers are worth.
    """
    is_within = [np.where(np.isnan(part), nan, np.abs(part) <= 2.0) for part in parts]
    if not is_within:
        return Interval(nan, nan, nan)
    shares = np.concatenate([_by_answer(part) for part in is_within])
    n = len(shares)
    if not n:
        return Interval(nan, nan, nan)
    share = float(shares.mean())
    spread = float(shares.var(ddof=1)) if n > 1 else 0.0
    trials = n * (share * (1 - share) / spread if spread else 1.0)
    quantile = float(stats.norm.ppf((1 + LEVEL) / 2)) ** 2
    centre = (share + quantile / (2 * trials)) / (1 + quantile / trials)
    half = sqrt(quantile * (share * (1 - share) + quantile / (4 * trials)) / trials) / (
        1 + quantile / trials
    )
    return Interval(share, centre - half, centre + half)


def _by_answer(values: Floats) -> Floats:
    """(m,) mean over the numbers of each answer that has any."""
    is_stated = np.isfinite(values)
    answers = is_stated.any(axis=1)
    sums = np.where(is_stated, values, 0.0)[answers].sum(axis=1)
    means: Floats = sums / is_stated[answers].sum(axis=1)
    return means


@dataclass(frozen=True, slots=True)
class Row:
    """One engine on one kind of position."""

    engine: str
    kind: str
    positions: int
    answers: int
    rms: Mapping[str, Interval]
    """By group of numbers; ``nan`` where all are exact."""
    within: Interval
    bound: Interval
    """Cards: root mean square of the differences in units of ½ / √ess, one at most."""
    bias: float
    """The largest |z| of a mean over the seeds.

    Against the truth or the reference, ``nan`` without either.
    """
    bias_p: float
    """Its p, corrected for the number of means."""
    exact: float
    """Share of the numbers that are stated without an error."""
    wrong: int
    """How many of them are not equal to the truth."""
    warned: float
    refused: float

    @property
    def verdict(self) -> str:
        """What the row shows; a fault is told only where chance does not explain it."""
        intervals = [group for group in self.rms.values() if np.isfinite(group.value)]
        if self.wrong:
            return WRONG
        if self.bias_p < 1.0 - LEVEL:
            return BIASED
        if not intervals:
            return UNKNOWN if self.warned or self.refused else EXACT
        low, high = BAND
        if any(interval.low > high for interval in intervals):
            return SMALL
        if self.within.high < WITHIN or self.bound.low > high:
            return SMALL
        if any(interval.high < low for interval in intervals):
            return LARGE
        if all(low <= interval.low and interval.high <= high for interval in intervals):
            return HONEST
        return OPEN


def row(scores: Sequence[Scores]) -> Row:
    """The cases of one engine and kind together."""
    first_case = scores[0].answers.case
    groups = {}
    for name, quantities in GROUPS.items():
        columns = [QUANTITIES.index(quantity) for quantity in quantities]
        groups[name] = rms([case.told[:, columns] for case in scores])
    bias = np.concatenate([case.bias for case in scores])
    bias = np.abs(bias[np.isfinite(bias)])
    largest = nan
    bias_p = 1.0
    if len(bias):
        largest = float(bias.max())
        bias_p = min(1.0, len(bias) * 2 * float(stats.norm.sf(largest)))
    numbers = sum(int(np.isfinite(case.answers.value).sum()) for case in scores)
    answers = sum(len(case.z) for case in scores)
    return Row(
        first_case.engine,
        first_case.position.kind,
        len(scores),
        answers,
        groups,
        within([case.z for case in scores]),
        rms([case.bound for case in scores]),
        largest,
        bias_p,
        sum(int(case.exact.sum()) for case in scores) / max(1, numbers),
        sum(int(case.wrong.sum()) for case in scores),
        sum(int(case.answers.warned.sum()) for case in scores) / answers,
        sum(int(case.answers.refused.sum()) for case in scores) / answers,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Honesty:
    """What the study found."""

    scores: tuple[Scores, ...]

    @classmethod
    def of(cls, answers: Sequence[Answers], truths: Mapping[str, Truth]) -> Honesty:
        """Score every case; ``truths`` by the name of the position.

        The joint posterior has a truth of its own.
        """
        references = {}
        for answer in answers:
            if answer.case.engine == REFERENCE:
                references[answer.case.position] = answer
        scores = []
        for answer in answers:
            position = answer.case.position
            if answer.case.engine == JOINT:
                scores.append(scored(answer, {}, None))
            elif answer.case.engine != REFERENCE:
                truth = truths.get(position.name, {})
                scores.append(scored(answer, truth, references.get(position)))
        return cls(tuple(scores))

    @property
    def rows(self) -> tuple[Row, ...]:
        """By engine and kind, in the order of the plan's engines."""
        by_row: dict[tuple[str, str], list[Scores]] = {}
        for engine in ENGINES:
            for scores in self.scores:
                case = scores.answers.case
                if case.engine == engine:
                    by_row.setdefault((engine, case.position.kind), []).append(scores)
        return tuple(row(cases) for cases in by_row.values())


MARKS: Final = {
    "auto": (BLUE, "o"),
    "direct": (SKY, "s"),
    "levels": (SKY, "D"),
    "importance": (ORANGE, "^"),
    "resample-move": (VERMILION, "v"),
    "likelihood-weighting": (GREY, "P"),
    "joint": (ORANGE, "*"),
    "control": (VERMILION, "X"),
}
"""Colour and shape of the mark of each engine."""

HIGHEST: Final = 2.0
"""Where marks end: higher ones stand at the upper edge."""


def plot_honesty(found: Honesty, *, ax: Axes | None = None) -> Axes:
    """Root mean square of z by position, a mark for each engine, all numbers together;
    the band is honest.

    Bars are the intervals; engines whose answers are exact there have no mark.
    """
    cases = [one.answers.case for one in found.scores]
    names = list(dict.fromkeys(case.position.name for case in cases))
    ax = new_axes(max(4.8, 1.6 + 0.26 * len(names)), 4.2) if ax is None else ax
    ax.axhspan(*BAND, color=PALE, linewidth=0, zorder=0)
    ax.axhline(1.0, color=GREY, linewidth=0.8, zorder=1)
    for engine, (colour, mark) in MARKS.items():
        of_engine = [(names.index(one.answers.case.position.name), rms([one.told])) for one in found.scores
                     if one.answers.case.engine == engine]  # fmt: skip
        drawn = [
            (place, interval)
            for place, interval in of_engine
            if np.isfinite(interval.value)
        ]
        if not drawn:
            continue
        shift = 0.09 * (list(MARKS).index(engine) - 3.5)
        x = np.array([place for place, _ in drawn]) + shift
        value, low, high = np.clip(
            np.array([interval for _, interval in drawn]).T, 0.0, HIGHEST
        )
        ax.vlines(x, low, high, color=colour, linewidth=0.9, zorder=2)
        label = "as if weights were equal" if engine == CONTROL else engine
        ax.plot(
            x,
            value,
            mark,
            color=colour,
            markeredgecolor=ink(),
            markeredgewidth=0.5,
            markersize=5,
            label=label,
        )
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    ax.set_xlim(-0.7, len(names) - 0.3)
    ax.set_ylim(0.4, HIGHEST)
    ax.set_ylabel("root mean square of z")
    ax.legend(
        fontsize=8,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=4,
        frameon=False,
    )
    bare(ax)
    return ax


def measure(
    positions: Sequence[Position],
    seeds: int,
    engines: tuple[str, ...],
    seed: int = 1,
    how: RunOptions | None = None,
) -> Honesty:
    """Every engine on the positions, over so many seeds."""
    what = plan(tuple(positions), seeds, engines)
    job = Job("honesty", partial(count, what), CHUNK, {"plan": repr(what.cases)})
    tested = dict.fromkeys(case.position for case in what.cases)
    return Honesty.of(
        unpacked(what, rows(job, what.answers, seed, how)),
        {one.name: truth_of(one) for one in tested},
    )


def document(found: Honesty) -> dict[str, Any]:
    """What was found, as plain data."""
    return {
        "rows": [
            {
                "engine": row.engine,
                "kind": row.kind,
                "positions": row.positions,
                "answers": row.answers,
                "rms_z": {name: _interval(one) for name, one in row.rms.items()},
                "within_two_errors": _interval(row.within),
                "cards_in_half_by_root_ess": _interval(row.bound),
                "largest_bias": row.bias if isfinite(row.bias) else None,
                "bias_p": row.bias_p,
                "exact": row.exact,
                "exact_but_wrong": row.wrong,
                "warned": row.warned,
                "refused": row.refused,
                "verdict": row.verdict,
            }
            for row in found.rows
        ],
        "cases": [
            {
                "engine": one.answers.case.engine,
                "position": one.answers.case.position.name,
                "calls": one.answers.case.position.calls,
                "answers": len(one.z),
                "rms_z": _interval(rms([one.told])),
            }
            for one in found.scores
        ],
    }


def _interval(one: Interval) -> dict[str, float | None]:
    """``None`` for what JSON cannot say."""
    return {
        name: value if isfinite(value) else None
        for name, value in one._asdict().items()
    }


def table(found: Honesty) -> Table:
    """A row for each engine and kind of position, with its verdict."""
    rows = [
        [
            f"{row.engine}, {row.kind}",
            str(row.positions),
            number(row.answers),
            *(_told(one) for one in row.rms.values()),
            percent(row.within.value) if isfinite(row.within.value) else "–",
            f"{row.bias:.1f}" if isfinite(row.bias) else "–",
            percent(row.warned, 0),
            percent(row.refused, 0),
            row.verdict,
        ]
        for row in found.rows
    ]
    header = [
        "engine, who calls",
        "positions",
        "answers",
        *GROUPS,
        "within two",
        "bias",
        "warned",
        "refused",
        "verdict",
    ]
    return Table(
        "Spread of answers in units of the errors that they state: root mean square of z",
        header,
        rows,
    )


def _told(one: Interval) -> str:
    return (
        f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
        if isfinite(one.value)
        else "exact"
    )


def main() -> None:
    """Test the errors of some engines."""
    parser = options(__doc__)
    parser.add_argument(
        "--positions",
        type=int,
        default=len(POSITIONS),
        help="how many of the positions (default: all)",
    )
    parser.add_argument(
        "--seeds",
        type=int,
        default=200,
        help="answers on a position; slow models take a part of them",
    )
    parser.add_argument("--engine", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument(
        "--kind",
        nargs="+",
        choices=KINDS,
        default=tuple(KINDS),
        help="kinds of positions",
    )
    args = parser.parse_args()
    positions = [
        position
        for position in some_positions(args.positions)
        if position.kind in args.kind
    ]
    found = measure(positions, args.seeds, tuple(args.engine), args.seed, setting(args))
    if args.picture:
        plot_honesty(found).figure.savefig(args.picture)
    show(args, document(found), [table(found)])


if __name__ == "__main__":
    start(main)
