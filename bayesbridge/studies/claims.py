"""Claims that the paper makes in words.

Each has a verdict from a test that could have failed.

A part of a claim is a number of ours with an interval that covers it 99 times in 100
for all parts of the claim together. The claim fails if the interval of any part lies
outside what it allows, and holds if all lie within what is close enough; in between
there are too few deals to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, prod, sqrt
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.paper import COMPARATIVE, HEADLINE
from bayesbridge.studies.study import Moments, Study, cells, finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


HOLDS: Final = "holds"
FAILS: Final = "does not hold"
UNDECIDED: Final = "too few deals to tell"
LEVEL: Final = 0.01  # probability that the intervals of a claim miss a number of ours
FEWEST: Final = 30  # deals below which a mean or a share has no interval

type Range = tuple[float, float]
"""Both ends belong to it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One number of ours."""

    name: str
    own: float | None
    interval: Range | None  # None where there are too few deals for one


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says in words, beside our numbers."""

    name: str
    quote: str
    parts: tuple[Part, ...]
    # the claim fails if an interval has no point in here
    allowed: Range
    # the claim holds if all intervals lie in here; contains ``allowed``
    enough: Range
    why: str
    percent: bool = True  # whether the numbers are shares
    digits: int = 2

    @property
    def verdict(self) -> str:
        """``holds``, ``does not hold`` or ``too few deals to tell``, by the intervals."""
        intervals = [part.interval for part in self.parts if part.interval is not None]
        lowest_allowed, highest_allowed = self.allowed
        if any(
            high < lowest_allowed or low > highest_allowed for low, high in intervals
        ):
            return FAILS
        if len(intervals) < len(self.parts):
            return UNDECIDED
        lowest_enough, highest_enough = self.enough
        if all(
            lowest_enough <= low and high <= highest_enough for low, high in intervals
        ):
            return HOLDS
        return UNDECIDED


def _normal_interval(centre: float, error: float, number_of_parts: int) -> Range:
    """The interval around ``centre`` for one number of a claim with so many parts."""
    from scipy import stats

    half_width = float(stats.norm.isf(LEVEL / (2 * number_of_parts))) * error
    return centre - half_width, centre + half_width


def _exact_part(name: str, value: int) -> Part:
    """A number that was counted, so that its interval is one point."""
    return Part(name, float(value), (value, value))


def mean_of(
    name: str, counts: Sequence[int], lowest: int, number_of_parts: int
) -> Part:
    """Mean of whole numbers: ``counts[i]`` of them are ``lowest + i``."""
    moments = Moments.of(dict(enumerate(counts, lowest)))
    if moments is None or moments.n < FEWEST:
        return Part(name, None, None)
    error = moments.deviation / sqrt(moments.n - 1)
    return Part(
        name, moments.mean, _normal_interval(moments.mean, error, number_of_parts)
    )


def share_of(name: str, hits: int, trials: int, number_of_parts: int) -> Part:
    """A share, with Wilson's interval."""
    from scipy import stats

    if trials < FEWEST:
        return Part(name, None, None)
    low, high = stats.binomtest(hits, trials).proportion_ci(
        1 - LEVEL / number_of_parts, method="wilson"
    )
    return Part(name, hits / trials, (float(low), float(high)))


def between_shares(
    name: str, first_hits: int, second_hits: int, trials: int, number_of_parts: int
) -> Part:
    """The difference of two shares of the same trials, of which none is in both."""
    if trials < FEWEST:
        return Part(name, None, None)
    p = first_hits / trials
    q = second_hits / trials
    error = sqrt((p + q - (p - q) ** 2) / trials)
    return Part(name, p - q, _normal_interval(p - q, error, number_of_parts))


def between_rates(
    name: str, first: tuple[int, int], second: tuple[int, int], number_of_parts: int
) -> Part:
    """The difference of two independent shares, each (hits, trials).

    The interval is that of Agresti and Caffo: both samples get a hit and a miss more.
    """
    first_hits, first_trials = first
    second_hits, second_trials = second
    if min(first_trials, second_trials) < FEWEST:
        return Part(name, None, None)
    p = (first_hits + 1) / (first_trials + 2)
    q = (second_hits + 1) / (second_trials + 2)
    error = sqrt(p * (1 - p) / (first_trials + 2) + q * (1 - q) / (second_trials + 2))
    difference = first_hits / first_trials - second_hits / second_trials
    return Part(name, difference, _normal_interval(p - q, error, number_of_parts))


def claims_table(claims: Sequence[dict[str, Any]], *, reasons: bool = False) -> Table:
    """A row for each part of a claim; the first row of a claim has its verdict.

    With ``reasons`` that row also has what the paper says, and why we judge so.
    """
    header = ["", "ours", "99 % interval", "verdict"]
    if reasons:
        header.append("the paper, and why")
    rows = []
    for claim in claims:
        judgement = [claim["verdict"]]
        if reasons:
            judgement.append(f"“{claim['quote']}” {claim['why']}")
        for part in claim["parts"]:
            name = f"{claim['name']}: {part['name']}"
            rows.append(
                [name, _own_cell(claim, part), _interval_cell(claim, part), *judgement]
            )
            judgement = [""] * len(judgement)
    return Table("Claims of the paper in words", header, rows)


def _own_cell(claim: dict[str, Any], part: dict[str, Any]) -> str:
    if part["own"] is None:
        return "–"
    unit = " %" if claim["percent"] else ""
    return f"{_claim_number(claim, part['own'])}{unit}"


def _interval_cell(claim: dict[str, Any], part: dict[str, Any]) -> str:
    if part["interval"] is None:
        return "–"
    low, high = part["interval"]
    if low == high:
        return "exact"
    return f"{_claim_number(claim, low)} … {_claim_number(claim, high)}"


def _claim_number(claim: dict[str, Any], value: float) -> str:
    """A number with the digits of its claim, shares as percentages."""
    scale = 100.0 if claim["percent"] else 1.0
    return number(scale * value, claim["digits"])


TRUMPS: Final = (
    "C",
    "D",
    "H",
    "S",
    "the bidder's longest suit",
    "the longest suit of both hands",
)
"""What is played instead of no trumps, on the same deals."""

NAMED_SUITS: Final = (0, 1, 2, 3)  # places in ``TRUMPS`` of a suit named beforehand
LONGEST_SUITS: Final = (4, 5)  # and of a suit chosen for its length

RESULTS: Final = range(7, 14)  # counts of Algorithm 1 for a target of 7 that meet it
LEAST_RESULT: Final = RESULTS[0]

DIFFERENCES: Final = range(-13, 14)
"""Tricks at no trumps less tricks with trumps: from none against all to all against
none.
"""
LEAST_DIFFERENCE: Final = DIFFERENCES[0]

PLAYERS: Final = 3

SHAPES: Final = {
    # random deals
    "deals": (1,),
    # contracts by the player that bids, in the order of speaking, and whether made
    "seats": (PLAYERS, 2),
    # contracts by what is played as trumps, and by the place in ``DIFFERENCES``
    "tricks": (len(TRUMPS), len(DIFFERENCES)),
    # first hands by the place in ``RESULTS``, and whether the second hand fails
    "second": (len(RESULTS), 2),
}
"""What :func:`count` counts: tables by name, one after the other in a flat array."""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """Count what the claims need of random deals: the tables of ``SHAPES``, flat.

    A *contract* is a deal that one of three players bids by Algorithm 1; it is played
    out at no trumps, and once with each of ``TRUMPS``.
    """
    import numpy as np

    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(sum(map(prod, SHAPES.values())), dtype=np.int64)
    # Arrays that share the memory of ``counts``, by the names of ``SHAPES``.
    views = cells(counts, SHAPES)
    views["deals"] += deals
    for masks in deal_blocks(deals, seed):
        _count_second_hands(masks, views["second"])
        contracts = find_contracts(masks)
        notrump_tricks, trump_tricks = _tricks_by_trumps(contracts.table)
        made = (notrump_tricks >= contracts.target).astype(int)
        np.add.at(views["seats"], (contracts.bidder, made), 1)
        for trumps, tricks in enumerate(trump_tricks):
            difference = notrump_tricks - tricks
            column = difference - LEAST_DIFFERENCE
            np.add.at(views["tricks"], (trumps, column), 1)
    return counts


def _count_second_hands(
    masks: NDArray[np.uint64], second_hand_counts: NDArray[np.int64]
) -> None:
    """Count how often Algorithm 2 fails by the second hand where Algorithm 1 passes.

    Algorithm 1 counts captures for the first hand alone, and 7 or more pass a target of
    7 tricks. Then Algorithm 2, for both hands, can fail by the second hand only. Deals
    are added to ``second_hand_counts``, (7, 2): by Algorithm 1's count 7, …, 13, and by
    whether Algorithm 2 fails. ``masks`` (n, 4) has both hands in columns 0 and 1.
    """
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures

    target_of_seven = 0  # the column of this target; its counts are 0 for a fail
    result = bids(masks[:, 0].copy()).counts[:, target_of_seven]
    passing = np.flatnonzero(result >= LEAST_RESULT)
    both_hands = captures(masks[passing, 0], masks[passing, 1])
    fails = (both_hands.condition != BOTH).astype(int)
    np.add.at(second_hand_counts, (result[passing] - LEAST_RESULT, fails), 1)


def _tricks_by_trumps(
    table: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(m,) tricks at no trumps and (6, m) tricks with what ``TRUMPS`` lists.

    ``table`` (m, 4) has bidder and dummy in columns 0 and 2; the bidder leads, and
    everybody plays by the general policy.
    """
    import numpy as np

    from bayesbridge.capture.playout import GENERAL, NO_TRUMP, play_out

    strains = (*NAMED_SUITS, NO_TRUMP)
    # (strains, m); the strain of a row is its number
    tricks = np.stack([play_out(table, strain, GENERAL, GENERAL) for strain in strains])
    tricks = tricks.astype(np.int64)
    deal = np.arange(len(table))
    bidders_suit, suit_of_both = _longest_suits(table)
    tricks_by_trumps = [
        *tricks[list(NAMED_SUITS)],
        tricks[bidders_suit, deal],
        tricks[suit_of_both, deal],
    ]
    return tricks[NO_TRUMP], np.stack(tricks_by_trumps)


def _longest_suits(
    table: NDArray[np.uint64],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(m,) the longest suits of the bidder, and of both hands; the highest of equals."""
    from bayesbridge.game.layouts import suit_lengths

    bidder_and_dummy = table[:, [0, 2]]
    lengths = suit_lengths(bidder_and_dummy)  # (m, 2, 4)
    # From spades down, since ``argmax`` takes the first of equals.
    from_spades = lengths[:, :, ::-1]
    bidders_suit = 3 - from_spades[:, 0].argmax(axis=1)
    suit_of_both = 3 - from_spades.sum(axis=1).argmax(axis=1)
    return bidders_suit, suit_of_both


def fields(finished_run: Run) -> dict[str, Any]:
    """The title, unit and answers of a run's comparison: every claim as plain data.

    Infinite ends of a range are ``None``, since JSON has no word for them.
    """
    documents = []
    for claim in claims_of(finished_run.counts):
        document = asdict(claim)
        document["allowed"] = [finite(end) for end in claim.allowed]
        document["enough"] = [finite(end) for end in claim.enough]
        document["verdict"] = claim.verdict
        documents.append(document)
    return {
        "title": "Claims of the paper in words",
        "unit": "as the column says",
        "answers": {"claims": documents},
    }


def _named_counts(counts: Counts) -> dict[str, int]:
    """The counts by the keys of the document."""
    views = cells(counts, SHAPES)
    named = {"deals": int(counts[0]), "contracts": int(views["seats"].sum())}
    for seat, (lost, made) in enumerate(views["seats"].tolist(), 1):
        named[f"player_{seat}_bids"] = lost + made
        named[f"player_{seat}_makes"] = made
    for result, (passed, failed) in zip(RESULTS, views["second"].tolist(), strict=True):
        named[f"{result}_a1_satisfied"] = passed + failed
        named[f"{result}_p2_failure"] = failed
    return named


def claims_of(counts: Counts) -> tuple[Claim, ...]:
    """Every claim, from the counts of :func:`count`."""
    views = cells(counts, SHAPES)
    return (
        *_trump_claims(views["tricks"]),
        *_fairness_claims(views["seats"]),
        _constant_time_claim(),
        *_second_hand_claims(views["second"]),
        _order_claim(),
    )


POSITIVE: Final[Range] = (0.0, inf)


def _trump_claims(difference_counts: NDArray[np.int64]) -> tuple[Claim, Claim]:
    """Claims that no trumps win more tricks than a suit as trumps.

    ``difference_counts`` (6, 27): contracts by what is played as trumps, as ``TRUMPS``
    lists it, and by tricks at no trumps less tricks with it, −13 … 13. A claim fails if
    a mean difference is surely negative, and holds if all are surely positive.
    """

    def mean_differences(trumps: Sequence[int]) -> tuple[Part, ...]:
        """The mean difference to each of these numbers of ``TRUMPS``."""
        return tuple(
            mean_of(
                f"tricks more than with {TRUMPS[number_of_trumps]}",
                counts=difference_counts[number_of_trumps].tolist(),
                lowest=LEAST_DIFFERENCE,
                number_of_parts=len(trumps),
            )
            for number_of_trumps in trumps
        )

    quote = (
        "No Trump strategies statistically outperform specific trump card selections"
    )
    return (
        Claim(
            "no trumps against a suit named beforehand",
            quote,
            mean_differences(NAMED_SUITS),
            allowed=POSITIVE,
            enough=POSITIVE,
            why="Contracts that Algorithm 1 bids, each played out at no trumps and with "
            "the suit as trumps, same cards.",
            percent=False,
            digits=3,
        ),
        Claim(
            "no trumps against a suit chosen for its length",
            quote,
            mean_differences(LONGEST_SUITS),
            allowed=POSITIVE,
            enough=POSITIVE,
            why="The same contracts; nobody would choose trumps that they do not hold.",
            percent=False,
            digits=3,
        ),
    )


PAIRS: Final = ((0, 1), (1, 2), (0, 2))
"""Pairs of the three players, and of the paper's three runs."""


def _fairness_claims(seats: NDArray[np.int64]) -> tuple[Claim, Claim]:
    """Claims that the players, in the order of speaking, bid and make equally often.

    ``seats`` (3, 2): contracts by who bids and whether it is made. A claim fails if
    the difference of two players is surely not 0, which alone is ``allowed``, and holds
    if all differences are surely as small as ``enough`` says.
    """
    bid = seats.sum(axis=1).tolist()
    made = seats[:, 1].tolist()
    differences_of_shares = []
    differences_of_rates = []
    for a, b in PAIRS:
        name = f"player {a + 1} less player {b + 1}"
        differences_of_shares.append(
            between_shares(
                name,
                first_hits=bid[a],
                second_hits=bid[b],
                trials=sum(bid),
                number_of_parts=len(PAIRS),
            )
        )
        differences_of_rates.append(
            between_rates(
                name,
                first=(made[a], bid[a]),
                second=(made[b], bid[b]),
                number_of_parts=len(PAIRS),
            )
        )
    return (
        Claim(
            "each of three players bids as often",
            "bias-free variant",
            tuple(differences_of_shares),
            allowed=(0.0, 0.0),
            enough=(-0.005, 0.005),
            why="Of equal bids the earliest counts, so who speaks first gains; over "
            "three deals in turn nobody does.",
        ),
        Claim(
            "each makes the contract as often",
            "balance and fairness",
            tuple(differences_of_rates),
            allowed=(0.0, 0.0),
            enough=(-0.01, 0.01),
            why="Contracts made, by the order of speaking. Who wins a tie has a "
            "defender who could bid as much.",
        ),
    )


CAPTURES_BEFORE_LOOP: Final = 4
"""The main loop of Algorithm 2 makes one capture in each round, and these come before
it: T tells how often it runs.
"""
MOST_ROUNDS: Final[Range] = (0.0, 4.0 * 13)


def _constant_time_claim() -> Claim:
    """The claim that Algorithm 2 captures at most 52 times, so takes constant time.

    T is the number of tricks that it counts as captured, known for every possible deal.
    """
    from bayesbridge.capture import exact

    most_captures = max(T for T, deals in exact.tricks().items() if deals)
    rounds = most_captures - CAPTURES_BEFORE_LOOP
    return Claim(
        "constant time",
        "at most 52 captures, O(1)",
        (_exact_part("most rounds of any deal", rounds),),
        allowed=MOST_ROUNDS,
        enough=MOST_ROUNDS,
        why="Every possible deal, counted: T − 4 rounds of the main loop.",
        percent=False,
        digits=0,
    )


ABOUT_A_QUARTER: Final[Range] = (0.245, 0.285)  # "25–28 %" as rounded numbers


def _second_hand_claims(second_hand_counts: NDArray[np.int64]) -> tuple[Claim, Claim]:
    """Claims of how often the second hand fails where the first passes Algorithm 1.

    ``second_hand_counts`` (7, 2): deals by what Algorithm 1 counts for the first hand,
    7, …, 13, and by whether Algorithm 2, for both hands, then fails.
    """
    passed = second_hand_counts.sum(axis=1).tolist()
    failed = second_hand_counts[:, 1].tolist()
    # The counts that the paper's own table has: 7 to 10.
    shares_by_result = tuple(
        share_of(
            f"counts {result}",
            hits=failed[result - LEAST_RESULT],
            trials=passed[result - LEAST_RESULT],
            number_of_parts=len(COMPARATIVE),
        )
        for result in COMPARATIVE
    )
    overall_share = share_of(
        "7 or more", hits=sum(failed), trials=sum(passed), number_of_parts=1
    )
    printed_percentages = []
    for passed_in_paper, satisfied_in_paper in COMPARATIVE.values():
        failed_in_paper = passed_in_paper - satisfied_in_paper
        printed_percentages.append(f"{100 * failed_in_paper / passed_in_paper:.1f}")
    printed = ", ".join(printed_percentages)
    quote = "approximately 25–28 % of cases that pass Algorithm 1"
    return (
        Claim(
            "the second hand fails, of all that pass",
            quote,
            (overall_share,),
            allowed=ABOUT_A_QUARTER,
            enough=ABOUT_A_QUARTER,
            why="All counts of Algorithm 1 together; 24.5 to 28.5 % is taken for the "
            "printed range.",
        ),
        Claim(
            "the second hand fails, by what Algorithm 1 counts",
            quote,
            shares_by_result,
            allowed=ABOUT_A_QUARTER,
            enough=ABOUT_A_QUARTER,
            why=f"The paper's own table has {printed} %: the more the first hand "
            "counts, the fewer fail.",
        ),
    )


ONE_TO_THREE: Final[Range] = (1.0, 3.0)  # of three pairs of runs, at least one


def _order_claim() -> Claim:
    """The claim that the two scoring schemes order the paper's three runs differently.

    It holds if one to three of the three pairs of runs are in another order.
    """
    old = HEADLINE["net points, old scheme"]
    new = HEADLINE["net points, new scheme"]
    # ``PAIRS`` are pairs of runs.
    reversed_pairs = sum((old[a] < old[b]) != (new[a] < new[b]) for a, b in PAIRS)
    return Claim(
        "order of the runs under the new scheme",
        "a similar but not identical ordering holds for the new scheme",
        (_exact_part("pairs of runs in another order", reversed_pairs),),
        allowed=ONE_TO_THREE,
        enough=ONE_TO_THREE,
        why="In the printed table run 2 is ahead of run 1 and run 1 of run 3 by both "
        "schemes: the order is identical.",
        percent=False,
        digits=0,
    )


STUDY: Final = Study(
    Job("claims", count),
    "what the paper says in words, tested",
    10_000_000,
    _named_counts,
    fields,
    tables=lambda comparison: [claims_table(comparison.answers["claims"])],
)
simulate: Final = STUDY.simulate
