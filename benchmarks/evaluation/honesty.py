"""Are the stated errors honest? Scores z = (answer − truth) / stated error.

    python benchmarks/evaluation/honesty.py --engine importance --kind style

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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate, pairwise, product
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
    """The hand and the calls after it, such as ``W:2NT E:3NT``.

    They take the place of those of a random deal.
    """

    @property
    def name(self) -> str:
        """The kind and the number in it."""
        return f"{self.kind} {self.number}"

    def belief(self) -> Belief:
        """What is known; compiled once for the positions that were asked for last."""
        return _belief(self)


def _rng(*numbers: int) -> np.random.Generator:
    """A generator of its own for each combination of numbers."""
    return np.random.default_rng(numbers)


@lru_cache(maxsize=8)
def _belief(position: Position) -> Belief:
    """What the observer of a position knows."""
    if position.told:
        return _belief_of_told_calls(position)
    if position.kind == "none":
        return _belief_without_calls(position)
    return _belief_of_random_auction(position)


def _belief_of_told_calls(position: Position) -> Belief:
    """The hand and the calls that the position itself names."""
    hand, *calls = position.told.split()
    belief = Belief("S", hand, bidder=BIDDERS[position.kind])
    return belief.given(*(Called(*call.split(":")) for call in calls))


def _belief_without_calls(position: Position) -> Belief:
    """Cards of a random deal; in positions of an even number a length too."""
    is_even = position.number % 2 == 0
    scenario = Scenario("direct", shown=position.shown, told_lengths=is_even)
    return scenario.draw(_rng(_kind_number(position), position.number)).belief


def _kind_number(position: Position) -> int:
    """The place of the kind in ``KINDS``, a part of every seed."""
    return list(KINDS).index(position.kind)


def _belief_of_random_auction(position: Position) -> Belief:
    """The first random deal whose auction serves, its calls cut to their number.

    Where cards are played, the auction is whole.
    """
    scenario = _scenario_of(position)
    kind_number = _kind_number(position)
    for attempt in range(TRIES):
        rng = _rng(kind_number, position.number, attempt)
        belief = scenario.draw(rng).belief
        calls = [piece for piece in belief.evidence if isinstance(piece, Called)]
        if len(calls) < position.calls:
            continue
        if position.cards:
            return belief
        first_calls = calls[: position.calls]
        if _is_told_enough(position, belief.observer, first_calls):
            return _with_first_calls(belief, first_calls)
    raise BayesBridgeError(
        f"no auction of {position.calls} calls in {TRIES} deals", position=position.name
    )


def _scenario_of(position: Position) -> Scenario:
    """How deals are bid, and played, for a position whose players call."""
    is_four_player_game = position.kind in ("learned", "played")
    dummy = None if is_four_player_game else Scenario("auto").dummy
    player = LearnedPlayer() if position.cards else None
    return Scenario(
        "auto",
        BIDDERS[position.kind],
        dummy=dummy,
        player=player,
        cards=position.cards,
        open_dummy=position.cards > 0,
        shown=position.shown,
    )


def _is_told_enough(
    position: Position, observer: Seat, calls: Sequence[Called]
) -> bool:
    """Whether somebody hidden has called, and bid in positions of an odd number."""
    hidden_calls = [piece.call for piece in calls if piece.seat != observer]
    if position.number % 2 == 1:
        return any(call != PASS for call in hidden_calls)
    return bool(hidden_calls)


def _with_first_calls(belief: Belief, calls: Sequence[Called]) -> Belief:
    """The observer's hand, these calls, and the cards that were shown."""
    shown_cards = [piece for piece in belief.evidence if isinstance(piece, Holds)]
    own_hand = Belief(
        belief.observer,
        belief.hand,
        dummy=belief.dummy,
        bidder=belief.bidder,
        player=belief.player,
    )
    return own_hand.given(*calls, *shown_cards)


POSITIONS: Final = (
    Position("none", 1),
    Position("none", 2),
    Position("none", 3, shown=1),
    Position("none", 4, shown=2),
    Position("no trumps", 1, calls=2, told="8532.J32.9854.Q3 W:2NT E:3NT"),
    Position("no trumps", 2, calls=1),
    Position("no trumps", 3, calls=1),
    Position("no trumps", 4, calls=2),
    Position("no trumps", 5, calls=2),
    Position("no trumps", 6, calls=3),
    Position("no trumps", 7, calls=4),
    Position("no trumps", 8, calls=5),
    Position("no trumps", 9, calls=6),
    Position("suits", 1, calls=1),
    Position("suits", 2, calls=1),
    Position("suits", 3, calls=2),
    Position("suits", 4, calls=3),
    Position("suits", 5, calls=4),
    Position("suits", 6, calls=5),
    Position("suits", 7, calls=6),
    Position("suits", 8, calls=3, shown=9),
    Position("style", 1, calls=1),
    Position("style", 2, calls=2),
    Position("style", 3, calls=3),
    Position("style", 4, calls=4),
    Position("style", 5, calls=5),
    Position("style", 6, calls=6),
    Position("style", 7, calls=2, shown=9),
    Position("style", 8, calls=5, shown=9),
    Position("learned", 1, calls=1),
    Position("learned", 2, calls=2),
    Position("learned", 3, calls=3),
    Position("learned", 4, calls=4),
    Position("learned", 5, calls=6),
    Position("learned", 6, calls=5, shown=9),
    Position("played", 1, calls=4, cards=1),
    Position("played", 2, calls=4, cards=2),
    Position("played", 3, calls=4, cards=5),
    Position("played", 4, calls=4, cards=8),
    Position("played", 5, calls=4, cards=12, shown=6),
)
"""All positions."""


def some_positions(many: int) -> tuple[Position, ...]:
    """``many`` of the positions, spread over the kinds."""
    if not 1 <= many <= len(POSITIONS):
        raise BayesBridgeError(
            f"{many} positions: take 1 to {len(POSITIONS)}", positions=many
        )
    by_number = sorted(POSITIONS, key=lambda position: position.number)
    chosen = set(by_number[:many])
    return tuple(position for position in POSITIONS if position in chosen)


type Floats = NDArray[np.float64]

CARDS: Final = ("card_1", "card_2", "card_3")
LENGTHS: Final = ("length_1", "length_2")
POINTS: Final = ("points_1", "points_2")
TRICKS: Final = ("conditions fail", "T if they hold", "T ≥ 8", "T")
EVIDENCE: Final = "log P"
QUANTITIES: Final = (*CARDS, *LENGTHS, *POINTS, *TRICKS, EVIDENCE)
"""What every answer is asked.

Which cards, suits and seats differs from position to position.
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
"""Not an engine: ``likelihood-weighting``, with errors of draws that count the same.

It must fail.
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
    """An estimator that counts the numbers of one position, layout by layout."""

    cards: tuple[tuple[int, int], ...]
    """(card, seat) pairs, one for each of ``CARDS``."""
    lengths: tuple[tuple[int, int], ...]
    """(seat, suit) pairs, one for each of ``LENGTHS``."""
    points: tuple[int, ...]
    """Seats, one for each of ``POINTS``."""
    pair: tuple[Seat, Seat]
    """Whose tricks are counted.

    A hidden player with the dummy, or with their partner where all four bid.
    """
    name: str = "capture"
    """That of the estimator whose T it counts: by this name results know T."""

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Whole numbers all of them; T with its conditions."""
        descriptions = dict.fromkeys(CARDS, "Whether the seat holds the card.")
        descriptions |= dict.fromkeys(LENGTHS, "Cards of the seat in the suit.")
        descriptions |= dict.fromkeys(POINTS, "High-card points of the seat.")
        outputs = [
            Output(name, description, dtype="int8")
            for name, description in descriptions.items()
        ]
        capture_outputs = CaptureEstimator().outputs
        outputs += [output for output in capture_outputs if output.name == "T"]
        return tuple(outputs)

    def estimate(self, layouts: Layouts, question: Question) -> dict[str, NDArray[Any]]:
        """(n,) of each output."""
        masks = layouts.masks
        hands = [np.ascontiguousarray(masks[:, seat]) for seat in range(4)]
        values: dict[str, NDArray[Any]] = {}
        for name, (card, seat) in zip(CARDS, self.cards, strict=True):
            holds_card = hands[seat] >> np.uint64(card) & np.uint64(1)
            values[name] = holds_card.astype(np.int8)
        for name, (seat, suit) in zip(LENGTHS, self.lengths, strict=True):
            values[name] = suit_lengths(hands[seat])[:, suit].astype(np.int8)
        for name, seat in zip(POINTS, self.points, strict=True):
            values[name] = high_card_points(hands[seat]).astype(np.int8)
        player, partner = question.pair
        values["T"] = captures(hands[player], hands[partner]).T
        return values


def probe_of(position: Position) -> Probe:
    """The numbers of a position, at random by its name alone.

    They are among those that the hard evidence leaves open.
    """
    rng = np.random.default_rng([ord(letter) for letter in position.name])
    belief = position.belief()
    constraints: Constraints = belief.constraints.normalised()
    seats = constraints.hidden
    open_cards = [card for card in range(52) if constraints.unknown_mask >> card & 1]
    places = [
        (card, seat)
        for card, seat in product(open_cards, seats)
        if constraints.may[seat] >> card & 1
    ]
    suits = sorted({card // 13 for card in open_cards})
    chosen_places = rng.choice(len(places), len(CARDS), replace=False)
    lengths = [(int(rng.choice(seats)), int(rng.choice(suits))) for _ in LENGTHS]
    points = rng.choice(seats, len(POINTS), replace=False)
    players = [seat for seat in seats if seat != belief.dummy]
    player = Seat(int(rng.choice(players)))
    partner = player.partner if belief.dummy is None else belief.dummy
    return Probe(
        cards=tuple(places[index] for index in chosen_places),
        lengths=tuple(lengths),
        points=tuple(int(seat) for seat in points),
        pair=(player, partner),
    )


def answer(
    position: Position, engine: str, draws: int, rng: np.random.Generator
) -> Answer | None:
    """Ask an engine once, with its default settings but for the draws.

    ``None`` where it refuses.
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
    """All numbers with their errors.

    ``as_if_equal`` gives the errors of draws that count the same.
    """
    evaluation = evaluate(posterior, [probe], ask(posterior, probe.pair))
    answer = EstimatorsAnswer.of(evaluation)
    if as_if_equal:
        layouts = answer.kept.layouts
        equal = KeptDraws(layouts, None, float(layouts), exact=False, batches=None)
        answer = replace(answer, kept=equal)
    table = summary_table(answer, list(answer.numbers), probability=0.89, kind="eti")
    stated = {}
    for name in (*CARDS, *LENGTHS, *POINTS, *TRICKS):
        error = float(table["mcse"].get(name, nan))
        if isfinite(error):
            stated[name] = Stated(float(table["mean"][name]), error)
    if isfinite(posterior.log_evidence) and not as_if_equal:
        stated[EVIDENCE] = Stated(posterior.log_evidence, posterior.log_evidence_error)
    return Answer(stated, posterior.ess, bool(posterior.caveat))


def truth_of(position: Position) -> dict[str, float]:
    """What is known exactly of a position.

    That is all of it where layouts can be walked, else what tables count.
    """
    belief = position.belief()
    probe = _probe(position)
    if belief.target.count <= WALKED:
        walked = read(belief.infer("enumerate"), probe)
        return {name: stated.value for name, stated in walked.stated.items()}
    posterior = belief.infer(draws=2, rng=1)
    if posterior.tables is None:
        return {}
    truth = _counted_places(posterior, probe)
    truth[EVIDENCE] = posterior.log_evidence
    for count_exactly in (_counted_points, _counted_tricks):
        with suppress(TablesTooLarge):
            truth |= count_exactly(posterior, probe)
    return truth


def _counted_places(posterior: Posterior, probe: Probe) -> dict[str, float]:
    """P(card at seat) and mean lengths, by the counting tables."""
    tables = posterior.tables
    assert tables is not None
    card_marginals = tables.card_marginals()
    length_distributions = tables.length_distributions()
    truth = {}
    for name, place in zip(CARDS, probe.cards, strict=True):
        truth[name] = float(card_marginals[place])
    for name, holding in zip(LENGTHS, probe.lengths, strict=True):
        mean_length = (length_distributions[holding] * np.arange(14)).sum()
        truth[name] = float(mean_length)
    return truth


WALKED: Final = 100_000
"""Layouts up to which a position is walked for the truth, whatever the model costs."""


def _counted_points(posterior: Posterior, probe: Probe) -> dict[str, float]:
    """Mean points, where they can be counted."""
    if not posterior.counts_points:
        return {}
    mean_points = (posterior.point_table * np.arange(38)).sum(axis=-1)
    return {
        name: float(mean_points[seat])
        for name, seat in zip(POINTS, probe.points, strict=True)
    }


def _counted_tricks(posterior: Posterior, probe: Probe) -> dict[str, float]:
    """What the capture estimator counts, which the probe only samples."""
    from bayesbridge.estimators.answer import capture_tricks

    tricks = capture_tricks(posterior, probe.pair)
    if not tricks.exact:
        return {}
    truth = {
        "conditions fail": tricks.fails,
        "T ≥ 8": tricks.at_least(8),
        "T": float(tricks.mean[0]),
    }
    if tricks.mean_if_held is not None:
        truth["T if they hold"] = tricks.mean_if_held
    return truth


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
"""Draws of one reference answer, in units of those of an engine.

There are CHUNK answers.
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
"""Positions by engine and kind.

``auto`` answers all of them, those of ``learned`` and ``played`` by ``importance``.
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

    def case_of(self, answer: int) -> Case:
        """The case that the answer of this number belongs to."""
        return self.cases[bisect_right(self.starts, answer) - 1]


def plan(
    positions: tuple[Position, ...] = POSITIONS,
    seeds: int = 200,
    engines: tuple[str, ...] = ENGINES,
) -> Plan:
    """Every engine on those of the positions that it is tested on.

    Each position with calls has a reference too.
    """
    unknown = [name for name in engines if name not in ENGINES]
    if unknown:
        raise BayesBridgeError(
            f"unknown engine {unknown[0]!r}: choose {', '.join(ENGINES)}",
            engine=unknown[0],
        )
    if seeds < CHUNK:
        raise BayesBridgeError(f"{seeds} seeds: take at least {CHUNK}", seeds=seeds)
    cases = []
    for position in positions:
        kind = position.kind
        tested = [engine for engine in engines if _is_tested(engine, position)]
        if tested and kind in REFERENCE_DRAWS:
            draws = DRAWS * REFERENCE_DRAWS[kind]
            cases.append(Case(REFERENCE, position, CHUNK, draws))
        for engine in tested:
            chunks = max(1, round(SHARES[engine][kind] * seeds / CHUNK))
            cases.append(Case(engine, position, CHUNK * chunks, DRAWS))
    if not cases:
        raise BayesBridgeError(
            f"none of these positions tests {' or '.join(engines)}: take more positions"
        )
    return Plan(tuple(cases))


def _is_tested(engine: str, position: Position) -> bool:
    """Whether an engine is asked about a position."""
    return engine == "auto" or position.number in TESTED[engine].get(position.kind, ())


VALUES: Final = slice(3, 3 + len(QUANTITIES))
ERRORS: Final = slice(VALUES.stop, VALUES.stop + len(QUANTITIES))
WIDTH: Final = ERRORS.stop
"""Columns of an answer as a row: refused, warned, ess; then ``VALUES`` and ``ERRORS``.

They are ``nan`` where a quantity is not told.
"""


def count(study: Plan, seed: np.random.SeedSequence, answers: int) -> Floats:
    """(answers, WIDTH) the answers of one chunk."""
    case = study.case_of(CHUNK * seed.spawn_key[0])
    answer_rows = []
    for child in seed.spawn(answers):
        rng = np.random.default_rng(child)
        stated = answer(case.position, case.engine, case.draws, rng)
        answer_rows.append(packed(stated))
    return np.stack(answer_rows)


def packed(answer: Answer | None) -> Floats:
    """(WIDTH,) an answer as a row; ``None`` is refused."""
    row = np.full(WIDTH, nan)
    if answer is None:
        row[:3] = (1.0, 0.0, 0.0)
        return row
    row[:3] = (0.0, answer.warned, answer.ess)
    unstated = Stated(nan, nan)
    numbers = [answer.stated.get(name, unstated) for name in QUANTITIES]
    row[VALUES] = [number.value for number in numbers]
    row[ERRORS] = [number.error for number in numbers]
    return row


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """All n answers of one case; quantities that were not told are ``nan``."""

    case: Case
    value: NDArray[np.float64]
    """(n, quantities)."""
    error: NDArray[np.float64]
    """(n, quantities)."""
    refused: NDArray[np.bool_]
    """(n,) whether the engine gave no answer."""
    warned: NDArray[np.bool_]
    """(n,) whether it warned of its own answer."""
    ess: NDArray[np.float64]
    """(n,) effective draws."""


def unpacked(study: Plan, rows: Floats) -> tuple[Answers, ...]:
    """By case, from (answers, WIDTH) rows."""
    answers = []
    for case, (begin, end) in zip(study.cases, pairwise(study.starts), strict=True):
        case_rows = rows[begin:end]
        answers.append(
            Answers(
                case,
                value=case_rows[:, VALUES],
                error=case_rows[:, ERRORS],
                refused=case_rows[:, 0] > 0,
                warned=case_rows[:, 1] > 0,
                ess=case_rows[:, 2],
            )
        )
    return tuple(answers)


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

HONEST: Final = "honest"
SMALL: Final = "errors too small"
LARGE: Final = "errors too large"
OPEN: Final = "needs more seeds"
WRONG: Final = "error 0 but not exact"
BIASED: Final = "biased"
EXACT: Final = "exact"
UNKNOWN: Final = "says that it does not know"
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
    true_value = np.array([truth.get(name, nan) for name in QUANTITIES])
    has_truth = np.isfinite(true_value)
    is_stated = np.isfinite(value)
    exact = is_stated & (answers.error == 0.0)
    with np.errstate(all="ignore"):
        mean = _mean_over_seeds(value)
        gap = value - np.where(has_truth, true_value, mean)
        # An answer is part of the mean, so that its gap from it is smaller.
        n = _given_answers(answers)
        shrinkage = np.where(has_truth, 1.0, sqrt(1.0 - 1.0 / n))
        is_constant = _is_constant(value, mean)
        is_sampled = is_stated & ~exact & ~is_constant
        z = np.where(is_sampled, gap / (answers.error * shrinkage), nan)
        is_far = np.abs(gap) > 2.0 * answers.error + _rounding(value)
        bias = _bias(answers, true_value, reference)
        bound = _card_bound(gap / shrinkage, exact, answers.ess)
    bias[~is_sampled.any(axis=0)] = nan
    wrong = is_stated & (exact | is_constant) & is_far
    return Scores(answers, z, exact, wrong, bound, bias)


def _given_answers(answers: Answers) -> int:
    """How many answers were not refused, two at least."""
    return max(2, int((~answers.refused).sum()))


def _mean_over_seeds(value: Floats) -> Floats:
    """(quantities,) means of the values that are stated."""
    is_stated = np.isfinite(value)
    total: Floats = np.where(is_stated, value, 0.0).sum(axis=0)
    return total / is_stated.sum(axis=0)


def _bias(answers: Answers, true_value: Floats, reference: Answers | None) -> Floats:
    """(quantities,) means less the truth or the reference, in standard errors.

    ``nan`` without truth and reference.
    """
    value = answers.value
    n = _given_answers(answers)
    mean = _mean_over_seeds(value)
    squares = np.where(np.isfinite(value), (value - mean) ** 2, 0.0)
    mean_error = np.sqrt(squares.sum(axis=0) / (n - 1) / n)
    target, target_error = _target(true_value, reference)
    bias = (mean - target) / np.hypot(mean_error, target_error)
    return np.where(np.isfinite(bias), bias, nan)


def _rounding(value: Floats) -> Floats:
    """By how much values that are equal may differ."""
    return SAME * np.maximum(1.0, np.abs(value))


def _is_constant(value: Floats, mean: Floats) -> NDArray[np.bool_]:
    """(quantities,) whether a number is the same in all answers."""
    is_stated = np.isfinite(value)
    is_near_mean = np.abs(value - mean) <= _rounding(value)
    return is_stated.any(axis=0) & is_near_mean.all(axis=0, where=is_stated)


def _card_bound(gap: Floats, exact: NDArray[np.bool_], ess: Floats) -> Floats:
    """(n, cards) gaps of cards in units of ½ / √ess; ``nan`` where they are exact."""
    cards = slice(len(CARDS))
    bound = 2.0 * np.sqrt(ess)[:, None] * gap[:, cards]
    return np.where(exact[:, cards], nan, bound)


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


def rms(scores: Sequence[Floats]) -> Interval:
    """Root mean square of the scores of all answers, arrays of (n, …) z.

    An answer counts as one, however many numbers it has.
    """
    squares = np.empty(0)
    if scores:
        squares = np.concatenate([_by_answer(z**2) for z in scores])
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


def within(scores: Sequence[Floats]) -> Interval:
    """Share of the scores within two errors.

    The interval is Wilson's, with as many trials as the answers are worth.
    """
    is_within = [np.where(np.isnan(z), nan, np.abs(z) <= 2.0) for z in scores]
    if not is_within:
        return Interval(nan, nan, nan)
    shares = np.concatenate([_by_answer(z) for z in is_within])
    n = len(shares)
    if not n:
        return Interval(nan, nan, nan)
    share = float(shares.mean())
    spread = float(shares.var(ddof=1)) if n > 1 else 0.0
    variance = share * (1 - share)
    trials = n * (variance / spread if spread else 1.0)
    quantile = float(stats.norm.ppf((1 + LEVEL) / 2)) ** 2
    centre = (share + quantile / (2 * trials)) / (1 + quantile / trials)
    root = sqrt(quantile * (variance + quantile / (4 * trials)) / trials)
    half = root / (1 + quantile / trials)
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
    bias, bias_p = _largest_bias(scores)
    numbers = sum(int(np.isfinite(case.answers.value).sum()) for case in scores)
    answers = sum(len(case.z) for case in scores)
    exact = sum(int(case.exact.sum()) for case in scores)
    warned = sum(int(case.answers.warned.sum()) for case in scores)
    refused = sum(int(case.answers.refused.sum()) for case in scores)
    return Row(
        engine=first_case.engine,
        kind=first_case.position.kind,
        positions=len(scores),
        answers=answers,
        rms=groups,
        within=within([case.z for case in scores]),
        bound=rms([case.bound for case in scores]),
        bias=bias,
        bias_p=bias_p,
        exact=exact / max(1, numbers),
        wrong=sum(int(case.wrong.sum()) for case in scores),
        warned=warned / answers,
        refused=refused / answers,
    )


def _largest_bias(scores: Sequence[Scores]) -> tuple[float, float]:
    """The largest |z| of a mean over the seeds, and its p for so many means."""
    bias = np.concatenate([case.bias for case in scores])
    bias = np.abs(bias[np.isfinite(bias)])
    if not len(bias):
        return nan, 1.0
    largest = float(bias.max())
    p = 2 * float(stats.norm.sf(largest))
    return largest, min(1.0, len(bias) * p)


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


MARK_STEP: Final = 0.09
"""Between the marks of two engines at one position, which is one wide."""


def plot_honesty(honesty: Honesty, *, ax: Axes | None = None) -> Axes:
    """Root mean square of z by position, a mark for each engine, all numbers together.

    The band is honest. Bars are the intervals; engines whose answers are exact there
    have no mark.
    """
    cases = [scores.answers.case for scores in honesty.scores]
    names = list(dict.fromkeys(case.position.name for case in cases))
    ax = new_axes(max(4.8, 1.6 + 0.26 * len(names)), 4.2) if ax is None else ax
    ax.axhspan(*BAND, color=PALE, linewidth=0, zorder=0)
    ax.axhline(1.0, color=GREY, linewidth=0.8, zorder=1)
    for place, engine in enumerate(MARKS):
        intervals = _intervals_by_position(honesty, engine)
        columns = np.array([names.index(name) for name in intervals])
        shift = MARK_STEP * (place - (len(MARKS) - 1) / 2)
        if intervals:
            _draw_marks(ax, engine, columns + shift, list(intervals.values()))
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


def _intervals_by_position(honesty: Honesty, engine: str) -> dict[str, Interval]:
    """An engine's root mean square of z, by the positions where it is not exact."""
    intervals = {}
    for scores in honesty.scores:
        case = scores.answers.case
        if case.engine != engine:
            continue
        interval = rms([scores.told])
        if isfinite(interval.value):
            intervals[case.position.name] = interval
    return intervals


def _draw_marks(
    ax: Axes, engine: str, x: Floats, intervals: Sequence[Interval]
) -> None:
    """The marks of one engine at ``x`` (n,), with the bars of n intervals."""
    colour, mark = MARKS[engine]
    value, low, high = np.clip(np.array(intervals).T, 0.0, HIGHEST)
    ax.vlines(x, low, high, color=colour, linewidth=0.9, zorder=2)
    ax.plot(
        x,
        value,
        mark,
        color=colour,
        markeredgecolor=ink(),
        markeredgewidth=0.5,
        markersize=5,
        label="as if weights were equal" if engine == CONTROL else engine,
    )


def measure(
    positions: Sequence[Position],
    seeds: int,
    engines: tuple[str, ...],
    seed: int = 1,
    how: RunOptions | None = None,
) -> Honesty:
    """Every engine on the positions, over so many seeds."""
    study = plan(tuple(positions), seeds, engines)
    job = Job("honesty", partial(count, study), CHUNK, {"plan": repr(study.cases)})
    answers = unpacked(study, rows(job, study.answers, seed, how))
    tested_positions = dict.fromkeys(case.position for case in study.cases)
    truths = {position.name: truth_of(position) for position in tested_positions}
    return Honesty.of(answers, truths)


def document(honesty: Honesty) -> dict[str, Any]:
    """What was honesty, as plain data."""
    return {
        "rows": [_row_document(row) for row in honesty.rows],
        "cases": [_case_document(scores) for scores in honesty.scores],
    }


def _row_document(row: Row) -> dict[str, Any]:
    """One engine on one kind of position, as plain data."""
    rms_z = {name: _interval_document(interval) for name, interval in row.rms.items()}
    return {
        "engine": row.engine,
        "kind": row.kind,
        "positions": row.positions,
        "answers": row.answers,
        "rms_z": rms_z,
        "within_two_errors": _interval_document(row.within),
        "cards_in_half_by_root_ess": _interval_document(row.bound),
        "largest_bias": row.bias if isfinite(row.bias) else None,
        "bias_p": row.bias_p,
        "exact": row.exact,
        "exact_but_wrong": row.wrong,
        "warned": row.warned,
        "refused": row.refused,
        "verdict": row.verdict,
    }


def _case_document(scores: Scores) -> dict[str, Any]:
    """One engine on one position, as plain data."""
    case = scores.answers.case
    return {
        "engine": case.engine,
        "position": case.position.name,
        "calls": case.position.calls,
        "answers": len(scores.z),
        "rms_z": _interval_document(rms([scores.told])),
    }


def _interval_document(interval: Interval) -> dict[str, float | None]:
    """``None`` for what JSON cannot say."""
    return {
        name: value if isfinite(value) else None
        for name, value in interval._asdict().items()
    }


def table(honesty: Honesty) -> Table:
    """A row for each engine and kind of position, with its verdict."""
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
        [_cells(row) for row in honesty.rows],
    )


def _cells(row: Row) -> list[str]:
    """One row of the table."""
    return [
        f"{row.engine}, {row.kind}",
        str(row.positions),
        number(row.answers),
        *(_interval_text(interval) for interval in row.rms.values()),
        percent(row.within.value) if isfinite(row.within.value) else "–",
        f"{row.bias:.1f}" if isfinite(row.bias) else "–",
        percent(row.warned, 0),
        percent(row.refused, 0),
        row.verdict,
    ]


def _interval_text(interval: Interval) -> str:
    if not isfinite(interval.value):
        return "exact"
    return f"{interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


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
    honesty = measure(
        positions, args.seeds, tuple(args.engine), args.seed, setting(args)
    )
    if args.picture:
        plot_honesty(honesty).figure.savefig(args.picture)
    show(args, document(honesty), [table(honesty)])


if __name__ == "__main__":
    start(main)
