"""Are conventions read as they are played? On record and by an opponent's posterior.

    python benchmarks/evaluation/conventions.py boards.pbn --tables 300 --resume conventions

Of every convention: the share of the hands on record that have what the call promises,
beside the probability that the player on the caller's left gives it, who sees their own
hand and the auction up to the call (``bayesbridge estimate``); of an opening lead,
declarer, who sees dummy and the card. Only deals of the test list count, which the
models that ship were not fitted on, and one table of each, in the order of the SHA-256
of the deals: fewer tables are the beginning of more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache, partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
from instrument import Floats, options, setting, show, start
from matplotlib.axes import Axes

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.display.markup import Table
from bayesbridge.display.words import STRAINS, number
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.expressions import Expression, LayoutValues
from bayesbridge.evidence.parser import FUNCTIONS, parse_expression
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.plots import BLUE, GREY, VERMILION, bare, new_axes, percent_axis
from bayesbridge.studies.benchmark import digest_of_masks, is_test
from bayesbridge.studies.jobs import Job, RunOptions, rows

CHUNK: Final = 5
"""Cases in a chunk."""

POINTS: Final = 0.06
ERRORS: Final = 2.0
"""How far the posterior may be off.

So much, or so many standard errors of the difference.
"""

SUITS: Final = {"M": "HS", "m": "CD", **dict.fromkeys("wxyz", "CDHS")}
"""Letters for suits in a pattern: a major, a minor, any."""

OTHER: Final = {
    "hearts": "spades",
    "spades": "hearts",
    "diamonds": "clubs",
    "clubs": "diamonds",
}
"""The other major, the other minor."""

WORDS: Final = {
    "balanced": "any 4333 + any 4432 + any 5332",
    "singleton": "any 0xxx + any 1xxx",
}
"""Shapes in a feature, beside the words of the dealer language."""

SEAT_WORDS: Final = ("north", "east", "south", "west")
"""Seats in the dealer language."""


class Convention(NamedTuple):
    """What a call promises."""

    name: str
    pattern: str
    """The auction, the call at its end.

    Passes before the opening do not matter unless it begins with P. A letter of
    ``SUITS`` is one suit throughout, other letters are other suits; … is any calls; the
    rest is a regular expression. Of a lead: the contract, ``lead``, the card.
    """
    feature: str
    """A condition of the dealer language on the caller's hand, without its seat.

    Such as ``M >= 4`` or ``kings of M == 1``. O is the other major than M, o the other
    minor than m.
    """

    def suits(self, said: str) -> dict[str, str] | None:
        """The suits that letters stand for; ``None`` where calls do not fit."""
        match = _regular(self.pattern).fullmatch(said)
        if match is None:
            return None
        suits = {
            letter: STRAINS[suit] for letter, suit in match.groupdict().items() if suit
        }
        for letter, other_letter in (("M", "O"), ("m", "o")):
            if letter in suits:
                suits[other_letter] = OTHER[suits[letter]]
        return suits

    def expression(self, seat: Seat, suits: dict[str, str]) -> Expression:
        """The feature of the hand of a seat."""
        in_full = partial(_term_in_full, SEAT_WORDS[seat], suits)
        return parse_expression(re.sub(r"(\w+)(?: of (\w+))?", in_full, self.feature))


def _term_in_full(seat: str, suits: dict[str, str], match: re.Match[str]) -> str:
    """``word`` or ``word of suit`` as the dealer language has it, with the seat."""
    word, suit = (suits.get(part, part) for part in match.groups())
    if word in WORDS:
        return f"shape({seat}, {WORDS[word]})"
    if word not in FUNCTIONS:
        return match[0]
    arguments = f"{seat}, {suit}" if suit else seat
    return f"{word}({arguments})"


@cache
def _regular(pattern: str) -> re.Pattern[str]:
    """The regular expression of a pattern, with a group for each letter."""
    letters: list[str] = []

    def suit_group(match: re.Match[str]) -> str:
        """The group of a new letter, which is another suit; or that group again."""
        letter = match[0]
        if letter in letters:
            return f"(?P={letter})"
        other_suits = "".join(f"(?!(?P={earlier}))" for earlier in letters)
        letters.append(letter)
        return f"{other_suits}(?P<{letter}>[{SUITS[letter]}])"

    has_own_passes = pattern.startswith(("P ", "(P "))
    opening = "" if has_own_passes else "(?:P )*"
    calls = pattern.replace("… ", r"(?:\S+ )*")
    return re.compile(opening + re.sub(f"[{''.join(SUITS)}]", suit_group, calls))


CONVENTIONS: Final = tuple(
    Convention(*row)
    for row in (
        ("strong 2C", "2C", "hcp >= 20"),
        ("strong 2C: waiting answer", "2C P 2D", "hcp <= 7"),
        ("multi 2D", "2D", "hearts >= 6 or spades >= 6"),
        ("multi 2D: pass or correct", "2D P 2H", "hearts <= 3"),
        ("weak two", "2M", "M >= 6"),
        ("weak two: asking 2NT", "2M P 2NT", "hcp >= 14"),
        ("preempt", "3x", "x >= 7"),
        ("preempt", "4x", "x >= 7"),
        ("gambling 3NT", "3NT", "clubs >= 7 or diamonds >= 7"),
        ("Stayman", "1NT P 2C", "hearts >= 4 or spades >= 4"),
        ("Stayman: no major", "1NT P 2C P 2D", "hearts <= 3 and spades <= 3"),
        ("Stayman: the other major", "1NT P 2C P 2H P 3NT", "spades >= 4"),
        ("Smolen", "1NT P 2C P 2D P 3M", "O >= 5"),
        ("transfer to hearts", "1NT P 2D", "hearts >= 5"),
        ("transfer to spades", "1NT P 2H", "spades >= 5"),
        ("super-acceptance", "1NT P 2H P (2NT|3.)", "spades >= 4"),
        ("minor transfer", "1NT P 2S", "clubs >= 6"),
        ("Texas transfer", "1NT P 4[DH]", "hearts >= 6 or spades >= 6"),
        ("invitation", "1NT P 2NT", "balanced"),
        ("invitation", "1NT P 2. P 2. P 2NT", "hcp <= 9"),
        ("invitation accepted", "1NT P 2. P 2. P 2NT P 3NT", "hcp >= 16"),
        ("invitation declined", "1NT P 2. P 2. P 2NT P P", "hcp <= 15"),
        ("game try", "1M P 2M P 3x", "hcp >= 15"),
        ("game try accepted", "1M P 2M P (2S|2NT|3.) P 4M", "hcp >= 8"),
        ("game try declined", "1M P 2M P (2S|2NT|3.) P 3M", "hcp <= 7"),
        ("Jacoby 2NT", "(P )?1M P 2NT", "M >= 4"),
        ("Jacoby 2NT: shortness", "(P )?1M P 2NT P 3x", "x <= 1"),
        ("Jacoby 2NT: minimum", "(P )?1M P 2NT P 4M", "hcp <= 13"),
        ("splinter", "1M P 4m", "m <= 1"),
        ("splinter by opener", "1x P 1M P 4y", "y <= 1"),
        ("Bergen raise", "1M P 3m", "M >= 4"),
        ("Drury", "P P (P )?1M P 2C", "M >= 3"),
        ("inverted minor", "1m P 2m", "hcp >= 10"),
        ("fourth suit", "1x P 1y P [12]z P [23]w", "hcp >= 12"),
        ("checkback", "1m P 1M P 1NT P 2[CD]", "M >= 5"),
        ("takeout double", "1x X", "x <= 2"),
        ("takeout double", "2M X", "M <= 2"),
        ("takeout double", "3x X", "x <= 2"),
        ("negative double", "1m 1H X", "spades == 4"),
        ("negative double", "1m 1S X", "hearts >= 4"),
        ("negative double", "1S 2x X", "hearts >= 4"),
        ("support double", "1x P 1M (1S|2C|2D) X", "M == 3"),
        ("support redouble", "1x P 1M X XX", "M == 3"),
        ("responsive double", "1x X [23]x X", "hcp >= 7"),
        ("responsive double", "1x [12]y [23]x X", "y <= 2"),
        ("penalty double", "1NT X", "hcp >= 15"),
        ("penalty double", "1x 1NT X", "hcp >= 9"),
        ("penalty double", "1x X XX (P P )?[12]y (P P )?X", "y >= 4"),
        ("penalty double", "… 4M P P X", "M >= 4"),
        ("Lightner double", "… 6x P P X", "singleton"),
        ("lead-directing double", "1NT P 2x X", "x >= 5"),
        ("redouble", "1x X XX", "hcp >= 10"),
        ("redouble", "1NT X XX", "hcp <= 7"),
        ("cue-bid raise", "1x [12]y [23]y", "x >= 3"),
        ("cue-bid raise", "1x [12]y P [23]x", "y >= 3"),
        ("Michaels", "1m 2m", "hearts >= 5 and spades >= 4"),
        ("Michaels", "1M 2M", "O >= 5"),
        ("unusual 2NT", "1M 2NT", "clubs >= 5 and diamonds >= 5"),
        ("unusual 2NT", "1m 2NT", "hearts >= 5 and o >= 5"),
        ("2C over 1NT: majors", "1NT 2C", "hearts >= 4 and spades >= 4"),
        ("2D over 1NT: a major", "1NT 2D", "hearts >= 6 or spades >= 6"),
        ("weak jump overcall", "1m 2M", "M >= 6"),
        ("Lebensohl", "1NT 2[DHS] 2NT", "hcp <= 8"),
        (
            "key cards: 5C",
            "… .x P 4NT P 5C",
            "aces + kings of x == 1 or aces + kings of x == 4",
        ),
        (
            "key cards: 5D",
            "… .x P 4NT P 5D",
            "aces + kings of x == 0 or aces + kings of x == 3",
        ),
        (
            "key cards: 5H",
            "… .x P 4NT P 5H",
            "aces + kings of x == 2 or aces + kings of x == 5",
        ),
        ("key cards: 5S", "… .x P 4NT P 5S", "queens of x == 1"),
        ("4C over notrump: 4D", "… [123]NT P 4C P 4D", "aces == 0 or aces >= 3"),
        ("4C over notrump: 4H", "… [123]NT P 4C P 4H", "aces == 1 or aces == 4"),
        (
            "4C: control in diamonds",
            "… [123]M P 4C P 4D",
            "top2 of diamonds >= 1 or diamonds <= 1",
        ),
        ("4C: no control", "… [123]M P 4C P 4M", "top2 of diamonds == 0"),
        ("lead: ace", ".y lead xA", "kings of x == 1"),
        ("lead: king", ".y lead xK", "queens of x == 1"),
        ("lead: king", ".NT lead xK", "queens of x == 1"),
        ("lead: queen", ".NT lead xQ", "jacks of x == 1"),
        ("lead: jack", ".NT lead xJ", "tens of x == 1"),
        ("lead: low", ".NT lead x[2-5]", "x >= 4"),
        ("lead: low", ".y lead x[2-4]", "top4 of x >= 1"),
        ("lead: high spot", ".NT lead x[7-9]", "top4 of x == 0"),
        ("lead: high spot", ".y lead x[6-9]", "x <= 2"),
    )
)


class Case(NamedTuple):
    """One table at which a convention came up."""

    convention: Convention
    record: Record
    calls: int
    """How many calls were made, the last by convention; 0 for an opening lead."""
    suits: dict[str, str]

    def judged(self, draws: int, rng: np.random.Generator) -> tuple[float, float]:
        """Whether the hand on record has the feature, 0 or 1, and P(it has).

        The probability is that of the posterior.
        """
        caller, belief = self._after_call() if self.calls else self._after_lead()
        feature = self.convention.expression(caller, self.suits)

        def has(layouts: Layouts) -> Floats:
            """(n,) 1 where the caller's hand has the feature."""
            values = LayoutValues(layouts.masks).of(feature)
            return (values != 0).astype(np.float64)

        assert self.record.deal is not None
        (on_record,) = has(Layouts.of([self.record.deal]))
        posterior = belief.infer("auto", draws, rng)
        return float(on_record), float(posterior.expect(has))

    def _after_call(self) -> tuple[Seat, Belief]:
        """The caller, and what the player on the caller's left believes."""
        deal = self.record.deal
        auction = self.record.auction
        assert deal is not None
        assert auction is not None
        calls = Auction(auction.first, auction.calls[: self.calls])
        caller = calls.bidders[(self.calls - 1) % 4]
        observer = caller.next()
        bidder = LearnedBidder(self.record.vulnerable or "none")
        belief = Belief(observer, deal[observer], dummy=None, bidder=bidder)
        return caller, belief.given(calls)

    def _after_lead(self) -> tuple[Seat, Belief]:
        """The leader, and what declarer believes."""
        contract = self.record.contract
        assert contract is not None
        belief = Belief.of_record(self.record, contract.declarer, cards=1)
        return contract.declarer.next(), belief


def _moments(record: Record) -> Iterator[tuple[str, int]]:
    """What patterns look at, with the number of calls.

    The calls up to each call; then the lead, with 0.
    """
    words = ["P" if call == PASS else str(call) for _, call in record.auction or ()]
    for calls in range(1, len(words) + 1):
        yield " ".join(words[:calls]), calls
    contract = record.contract
    if record.plays and contract is not None:
        _, lead = record.plays[0]
        yield f"{contract.level}{contract.strain.name} lead {lead}", 0


def _test_records(path: str) -> list[tuple[str, Record]]:
    """Tables of test deals with the SHA-256 of the deal, in its order."""
    records = []
    for record in iter_records(path):
        if not isinstance(record, Record) or record.deal is None:
            continue
        if is_test(record.deal):
            digest = digest_of_masks(hand.mask for hand in record.deal.hands)
            records.append((digest, record))
    return sorted(records, key=itemgetter(0))


@cache
def cases(path: str, tables: int) -> tuple[Case, ...]:
    """The first ``tables`` test deals of each convention, one table of each."""
    by_deal: dict[Convention, dict[str, Case]] = {
        convention: {} for convention in CONVENTIONS
    }
    for digest, record in _test_records(path):
        wanted = [key for key, deals in by_deal.items() if len(deals) < tables]
        for words, calls in _moments(record):
            for convention in wanted:
                suits = convention.suits(words)
                if suits is not None:
                    case = Case(convention, record, calls, suits)
                    by_deal[convention].setdefault(digest, case)
    cases: list[Case] = []
    for deals in by_deal.values():
        cases += deals.values()
    if not cases:
        raise BayesBridgeError(
            f"{path!r} holds no table of a test deal with a conventional call",
            path=path,
        )
    return tuple(cases)


def count(
    path: str, tables: int, draws: int, seed: np.random.SeedSequence, many: int
) -> Floats:
    """(many, 2) the cases of one chunk."""
    first = CHUNK * seed.spawn_key[0]
    chunk = cases(path, tables)[first : first + many]
    pairs = [
        case.judged(draws, np.random.default_rng(child))
        for case, child in zip(chunk, seed.spawn(many), strict=True)
    ]
    return np.array(pairs)


class Row(NamedTuple):
    """A convention on record and by the posterior; shares, with one standard error."""

    convention: Convention
    tables: int
    record: float
    record_error: float
    posterior: float
    difference: float
    """Posterior less record, the mean over tables."""
    difference_error: float

    @classmethod
    def of(cls, convention: Convention, pairs: Floats) -> Row:
        """From (tables, 2) what was on record and what the posterior said."""
        columns = np.column_stack([pairs, pairs[:, 1] - pairs[:, 0]])
        deviations = columns.std(axis=0, ddof=1)
        record, posterior, difference = columns.mean(axis=0).tolist()
        record_error, _, difference_error = deviations / np.sqrt(len(pairs))
        return cls(
            convention,
            len(pairs),
            record,
            float(record_error),
            posterior,
            difference,
            float(difference_error),
        )

    @property
    def within(self) -> bool:
        """Whether the posterior is right, up to :data:`POINTS` or :data:`ERRORS`."""
        return abs(self.difference) <= max(POINTS, ERRORS * self.difference_error)


def measure(
    path: str, tables: int, draws: int, seed: int = 1, how: RunOptions | None = None
) -> list[Row]:
    """The conventions that came up more than once, in their order.

    A run is told apart by a hash of its cases.
    """
    judged = cases(path, tables)
    text = "\n".join(
        f"{case.convention} {case.record.deal} {case.record.auction} {case.calls}"
        for case in judged
    )
    key: dict[str, int | str] = {
        "draws": draws,
        "cases": hashlib.sha256(text.encode()).hexdigest()[:16],
    }
    job = Job("conventions", partial(count, path, tables, draws), CHUNK, key)
    pairs_of: dict[Convention, list[Floats]] = {}
    for case, pair in zip(judged, rows(job, len(judged), seed, how), strict=True):
        pairs_of.setdefault(case.convention, []).append(pair)
    return [
        Row.of(convention, np.array(pairs))
        for convention, pairs in pairs_of.items()
        if len(pairs) > 1
    ]


def plot_rows(rows: list[Row]) -> Axes:
    """The posterior against the record: on the diagonal if all is right.

    Bars are two errors of the difference.
    """
    ax = new_axes(5.2, 4.8)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0)
    for row in rows:
        ax.errorbar(
            row.record,
            row.posterior,
            2 * row.difference_error,
            fmt=".",
            color=BLUE if row.within else VERMILION,
            elinewidth=0.8,
        )
        if not row.within:
            ax.annotate(
                f"  {row.convention.name}",
                (row.record, row.posterior),
                fontsize=6,
                va="center",
            )
    for axis in (ax.xaxis, ax.yaxis):
        percent_axis(axis)
    ax.set_xlabel("share of the hands on record")
    ax.set_ylabel("by the posterior of an opponent")
    bare(ax)
    return ax


def document(rows: list[Row]) -> dict[str, Any]:
    """What was found, as plain data."""
    documents = []
    for row in rows:
        convention = row.convention._asdict()
        cells = row._asdict() | {"convention": convention, "within": row.within}
        documents.append(cells)
    return {"rows": documents}


def table(rows: list[Row]) -> Table:
    """A row for each convention."""
    header = [
        "convention",
        "auction",
        "promises",
        "tables",
        "on record",
        "posterior",
        "difference",
        "",
    ]
    return Table(
        "Share of hands that have what a call promises, in percent",
        header,
        [_cells(row) for row in rows],
    )


def _cells(row: Row) -> list[str]:
    """One row of the table."""
    return [
        row.convention.name,
        f"{row.convention.pattern:35}",
        f"{row.convention.feature:48}",
        number(row.tables),
        f"{100 * row.record:.1f} ± {100 * row.record_error:.1f}",
        f"{100 * row.posterior:.1f}",
        f"{100 * row.difference:+.1f} ± {100 * row.difference_error:.1f}",
        "within" if row.within else "off",
    ]


def main() -> None:
    """Compare what calls promise with what is read from them."""
    parser = options(__doc__)
    parser.add_argument("records", help="a PBN or LIN file")
    parser.add_argument(
        "--tables", type=int, default=300, help="of each convention at most"
    )
    parser.add_argument("--draws", type=int, default=500, help="of each posterior")
    args = parser.parse_args()
    rows = measure(args.records, args.tables, args.draws, args.seed, setting(args))
    if args.picture:
        plot_rows(rows).figure.savefig(args.picture)
    good = sum(row.within for row in rows)
    rule = f"within {100 * POINTS:g} points or {ERRORS:g} standard errors of the record"
    show(
        args,
        document(rows),
        [table(rows)],
        f"{good} of {len(rows)} conventions are read {rule}.",
    )


if __name__ == "__main__":
    start(main)
