"""Claims that the paper makes in words: each with a verdict from a test that could have
failed.

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


@dataclass(frozen=True, slots=True)
class Part:
    """One number of ours."""

    name: str
    own: float | None
    interval: tuple[float, float] | None  # None where there are too few deals for one


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says in words, beside our numbers."""

    name: str
    quote: str
    parts: tuple[Part, ...]
    allowed: tuple[float, float]  # the claim fails if an interval has no point in here
    enough: tuple[
        float, float
    ]  # the claim holds if all intervals lie in here; contains ``allowed``
    why: str
    percent: bool = True  # whether the numbers are shares
    digits: int = 2

    @property
    def verdict(self) -> str:
        """What the intervals decide: ``holds``, ``does not hold`` or ``too few deals to
        tell``.
        """
        known = [part.interval for part in self.parts if part.interval is not None]
        if any(high < self.allowed[0] or low > self.allowed[1] for low, high in known):
            return FAILS
        inside = all(
            self.enough[0] <= low and high <= self.enough[1] for low, high in known
        )
        return HOLDS if inside and len(known) == len(self.parts) else UNDECIDED


def _part(
    name: str, own: float, error: float, parts: int, middle: float | None = None
) -> Part:
    """A number with the normal interval of a claim with so many parts, around
    ``middle`` where that is another.
    """
    from scipy import stats

    half = float(stats.norm.isf(LEVEL / (2 * parts))) * error
    centre = own if middle is None else middle
    return Part(name, own, (centre - half, centre + half))


def mean_of(name: str, counts: Sequence[int], lowest: int, parts: int) -> Part:
    """Mean of whole numbers, ``counts`` of them from ``lowest`` on."""
    found = Moments.of(dict(enumerate(counts, lowest)))
    if found is None or found.n < FEWEST:
        return Part(name, None, None)
    return _part(name, found.mean, found.deviation / sqrt(found.n - 1), parts)


def share_of(name: str, hits: int, trials: int, parts: int) -> Part:
    """A share, with Wilson's interval."""
    from scipy import stats

    if trials < FEWEST:
        return Part(name, None, None)
    low, high = stats.binomtest(hits, trials).proportion_ci(
        1 - LEVEL / parts, method="wilson"
    )
    return Part(name, hits / trials, (float(low), float(high)))


def between_shares(name: str, first: int, second: int, trials: int, parts: int) -> Part:
    """The difference of two shares of the same trials."""
    if trials < FEWEST:
        return Part(name, None, None)
    p, q = first / trials, second / trials
    return _part(name, p - q, sqrt((p + q - (p - q) ** 2) / trials), parts)


def between_rates(
    name: str, first: tuple[int, int], second: tuple[int, int], parts: int
) -> Part:
    """The difference of two independent shares, (hits, trials) each; Agresti and
    Caffo's interval.
    """
    if min(first[1], second[1]) < FEWEST:
        return Part(name, None, None)
    (p, n), (q, m) = (
        ((hits + 1) / (trials + 2), trials + 2) for hits, trials in (first, second)
    )
    error = sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return _part(name, first[0] / first[1] - second[0] / second[1], error, parts, p - q)


def claims_table(claims: Sequence[dict[str, Any]], *, reasons: bool = False) -> Table:
    """A row for each part, the verdict in the first of its claim; with ``reasons`` what
    the paper says, and why.
    """
    header = ["", "ours", "99 % interval", "verdict"]
    rows = []
    for claim in claims:
        scale, unit = (100.0, " %") if claim["percent"] else (1.0, "")
        for place, part in enumerate(claim["parts"]):
            own = (
                "–"
                if part["own"] is None
                else f"{number(scale * part['own'], claim['digits'])}{unit}"
            )
            interval = "–"
            if part["interval"] is not None:
                low, high = (
                    number(scale * end, claim["digits"]) for end in part["interval"]
                )
                interval = (
                    "exact"
                    if part["interval"][0] == part["interval"][1]
                    else f"{low} … {high}"
                )
            words = [
                claim["verdict"],
                *([f"“{claim['quote']}” {claim['why']}"] * reasons),
            ]
            name = f"{claim['name']}: {part['name']}"
            rows.append(
                [name, own, interval, *(words if not place else [""] * len(words))]
            )
    return Table(
        "Claims of the paper in words",
        [*header, *(["the paper, and why"] * reasons)],
        rows,
    )


TRUMPS: Final = (
    "C",
    "D",
    "H",
    "S",
    "the bidder's longest suit",
    "the longest suit of both hands",
)
"""What is played instead of no trumps, on the same deals."""

RESULTS: Final = range(7, 14)  # counts of Algorithm 1 for a target of 7 that meet it

SHAPES: Final = {"deals": (1,), "seats": (3, 2), "tricks": (6, 27), "second": (7, 2)}
"""Random deals; contracts by who bids and whether made; by what is played as trumps,
contracts by tricks at no trumps less tricks with trumps (from −13 on); first hands by
Algorithm 1's count and whether the second hand fails.
"""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 6 + 162 + 14,) what ``SHAPES`` lists, flat."""
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures
    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(sum(map(prod, SHAPES.values())), dtype=np.int64)
    views = cells(counts, SHAPES)
    views["deals"] += deals
    for masks in deal_blocks(deals, seed):
        result = bids(masks[:, 0].copy()).counts[:, 0]
        met = np.flatnonzero(result >= 7)
        fails = captures(masks[met, 0], masks[met, 1]).condition != BOTH
        np.add.at(views["second"], (result[met] - 7, fails.astype(int)), 1)
        found = find_contracts(masks)
        plain, others = _tricks(found.table)
        np.add.at(
            views["seats"], (found.bidder, (plain >= found.target).astype(int)), 1
        )
        for instead, tricks in enumerate(others):
            np.add.at(views["tricks"], (instead, 13 + plain - tricks), 1)
    return counts


def _tricks(table: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(m,) tricks at no trumps and (6, m) with what ``TRUMPS`` lists, the bidder
    leading, general play.
    """
    import numpy as np

    from bayesbridge.capture.playout import NO_TRUMP, play_out
    from bayesbridge.game.layouts import suit_lengths

    rows = np.arange(len(table))
    by_strain = np.stack([play_out(table, strain, 0, 0) for strain in range(5)])
    lengths = suit_lengths(table[:, [0, 2]])
    # Of equally long suits the highest.
    longest = [
        3 - held[:, ::-1].argmax(axis=1)
        for held in (lengths[:, 0], lengths.sum(axis=1))
    ]
    tricks = by_strain.astype(np.int64)
    return tricks[NO_TRUMP], np.stack(
        [*tricks[:4], *(tricks[suit, rows] for suit in longest)]
    )


def fields(done: Run) -> dict[str, Any]:
    """What a run says of the claims, and what needs no deals; infinite ends of a range
    are ``None``.
    """
    told: list[dict[str, Any]] = []
    for claim in claims_of(done.counts):
        ranges = {
            name: [finite(end) for end in getattr(claim, name)]
            for name in ("allowed", "enough")
        }
        told.append(asdict(claim) | ranges | {"verdict": claim.verdict})
    return {
        "title": "Claims of the paper in words",
        "unit": "as the column says",
        "answers": {"claims": told},
    }


def _named(counts: Counts) -> dict[str, int]:
    views = cells(counts, SHAPES)
    named = {"deals": int(counts[0]), "contracts": int(views["seats"].sum())}
    for seat, (lost, made) in enumerate(views["seats"].tolist(), 1):
        named |= {f"player_{seat}_bids": lost + made, f"player_{seat}_makes": made}
    for result, (met, failed) in zip(RESULTS, views["second"].tolist(), strict=True):
        named |= {
            f"{result}_a1_satisfied": met + failed,
            f"{result}_p2_failure": failed,
        }
    return named


def claims_of(counts: Counts) -> tuple[Claim, ...]:
    """Every claim, from the counts of :func:`count`."""
    from bayesbridge.capture import exact

    views = cells(counts, SHAPES)
    more, nobody, about, cost, order = (
        (0.0, inf),
        (0.0, 0.0),
        (0.245, 0.285),
        (0.0, 4.0 * 13),
        (1.0, 3.0),
    )
    better = (
        "No Trump strategies statistically outperform specific trump card selections"
    )
    named, chosen = (
        tuple(
            mean_of(
                f"tricks more than with {TRUMPS[i]}",
                views["tricks"][i].tolist(),
                -13,
                len(some),
            )
            for i in some
        )
        for some in (range(4), (4, 5))
    )
    made, bid = views["seats"][:, 1].tolist(), views["seats"].sum(axis=1).tolist()
    pairs = {
        f"player {a + 1} less player {b + 1}": (a, b)
        for a, b in ((0, 1), (1, 2), (0, 2))
    }
    shares = tuple(
        between_shares(name, bid[a], bid[b], sum(bid), 3)
        for name, (a, b) in pairs.items()
    )
    rates = tuple(
        between_rates(name, (made[a], bid[a]), (made[b], bid[b]), 3)
        for name, (a, b) in pairs.items()
    )
    # The main loop makes one capture in each round, and four come before it: T tells how often it runs.
    rounds = max(T for T, deals in exact.tricks().items() if deals) - 4
    quarter = "approximately 25–28 % of cases that pass Algorithm 1"
    met, failed = views["second"].sum(axis=1).tolist(), views["second"][:, 1].tolist()
    every = tuple(
        share_of(f"counts {r}", failed[r - 7], met[r - 7], len(COMPARATIVE))
        for r in COMPARATIVE
    )
    printed = ", ".join(
        f"{100 * (a1 - a2) / a1:.1f}" for a1, a2 in COMPARATIVE.values()
    )
    old, new = HEADLINE["net points, old scheme"], HEADLINE["net points, new scheme"]
    turned = sum((old[a] < old[b]) != (new[a] < new[b]) for a, b in pairs.values())
    return (
        Claim("no trumps against a suit named beforehand", better, named, more, more,
              "Contracts that Algorithm 1 bids, each played out at no trumps and with the suit as trumps, same cards.",
              False, 3),
        Claim("no trumps against a suit chosen for its length", better, chosen, more, more,
              "The same contracts; nobody would choose trumps that they do not hold.", False, 3),
        Claim("each of three players bids as often", "bias-free variant", shares, nobody, (-0.005, 0.005),
              "Of equal bids the earliest counts, so who speaks first gains; over three deals in turn nobody does."),
        Claim("each makes the contract as often", "balance and fairness", rates, nobody, (-0.01, 0.01),
              "Contracts made, by the order of speaking. Who wins a tie has a defender who could bid as much."),
        Claim("constant time", "at most 52 captures, O(1)",
              (Part("most rounds of any deal", float(rounds), (rounds, rounds)),), cost, cost,
              "Every possible deal, counted: T − 4 rounds of the main loop.", False, 0),
        Claim("the second hand fails, of all that pass", quarter,
              (share_of("7 or more", sum(failed), sum(met), 1),), about, about,
              "All counts of Algorithm 1 together; 24.5 to 28.5 % is taken for the printed range."),
        Claim("the second hand fails, by what Algorithm 1 counts", quarter, every, about, about,
              f"The paper's own table has {printed} %: the more the first hand counts, the fewer fail."),
        Claim("order of the runs under the new scheme",
              "a similar but not identical ordering holds for the new scheme",
              (Part("pairs of runs in another order", float(turned), (turned, turned)),), order, order,
              "In the printed table run 2 is ahead of run 1 and run 1 of run 3 by both schemes: the order is "
              "identical.",
              False, 0),
    )  # fmt: skip


STUDY: Final = Study(
    Job("claims", count),
    "what the paper says in words, tested",
    10_000_000,
    _named,
    fields,
    tables=lambda found: [claims_table(found.answers["claims"])],
)
simulate: Final = STUDY.simulate
