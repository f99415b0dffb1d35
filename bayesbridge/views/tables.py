"""Parts of answers, each worked out once: the terminal prints these tables, pages show them as HTML.

The tables of a result are in :mod:`bayesbridge.results`, the honours of a posterior in
:mod:`bayesbridge.belief.posterior`, since these values show themselves too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import TYPE_CHECKING, Final

from bayesbridge.deal import Seat
from bayesbridge.markup import Table
from bayesbridge.words import RARE, SEATS, STRAINS, SUITS, error_text, percent, share_error

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.odds import ContractOdds
    from bayesbridge.history import CallReading

MOST_CARDS: Final = 8
"""Rows shown of the cards that the evidence tells most about."""

RANGES: Final = ((0, 5), (6, 9), (10, 12), (13, 15), (16, 37))
"""Points that players take together."""


def hidden_tables(posterior: Posterior) -> list[Table]:
    """What is known of the hidden hands: points, lengths, the cards that the evidence tells most about, if any."""
    if not posterior.belief.constraints.hidden:
        return []
    tables = points_table(posterior), lengths_table(posterior), cards_table(posterior, MOST_CARDS)
    return [table for table in tables if table.rows]


def points_table(posterior: Posterior) -> Table:
    """How strong the hidden hands are: the mean, the middle four fifths, and the chance of each range."""
    from bayesbridge.history import strength

    rows: list[list[str | float]] = []
    for seat in posterior.belief.constraints.hidden:
        shares = posterior.point_table[seat].tolist()
        mean, low, high = strength(shares)
        ranges = [min(1.0, sum(shares[first : last + 1])) for first, last in RANGES]
        rows.append([Seat(seat).name, f"{mean:.1f}", f"{low} to {high}", *ranges])
    sampled = " (from the draws)" if posterior.counts_cards and not posterior.counts_points else ""
    names = [f"{first}+" if last > 36 else f"{first} to {last}" for first, last in RANGES]
    return Table(f"High-card points of the hidden hands{sampled}", ["seat", "mean", "80 % of cases", *names], rows)


def cards_table(posterior: Posterior, most: int = 52) -> Table:
    """The cards that the evidence tells most about; cards of a suit that lie alike share a row.

    Cards that are spread as the room in the hands says, which it takes no table to know, are left out.
    """
    from bayesbridge.belief.posterior import CARDS

    known, bits, chances = posterior.belief.constraints, told_bits(posterior), posterior.card_table
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, card in enumerate(CARDS):
        if known.unknown_mask >> (51 - place) & 1:
            texts = (percent(float(chances[place, seat])) for seat in known.hidden)
            alike.setdefault((card[0], *texts), []).append(place)
    ranked = sorted(alike.values(), key=lambda places: (-round(bits[places[0]], 3), places[0] % 13))
    rows: list[list[str | float]] = []
    for places in [places for places in ranked if bits[places[0]] >= 0.005][:most]:
        shares = [float(chances[places[0], seat]) for seat in known.hidden]
        names = CARDS[places[0]][0] + "".join(CARDS[place][1] for place in places)
        rows.append([names, *shares, f"{bits[places[0]]:.2f}"])
    title = "Where the most telling cards lie; bits: what is known beyond the room in each hand"
    return Table(title, ["cards", *(Seat(seat).name for seat in known.hidden), "bits"], rows)


def lengths_table(posterior: Posterior) -> Table:
    """How long the suits of the hidden hands are on average."""
    means = posterior.length_table @ range(14)
    rows = [
        [Seat(seat).name, *(f"{mean:.2f}" for mean in means[seat][::-1])]
        for seat in posterior.belief.constraints.hidden
    ]
    return Table("Mean length of the hidden suits", ["seat", *SUITS.values()], rows)


def length_tables(posterior: Posterior) -> list[Table]:
    """For each hidden hand P(so many cards) in each suit, with the mean at the end of the row."""
    hidden = posterior.belief.constraints.hidden
    shares = posterior.length_table.clip(0.0, 1.0)
    most = max((place for place in range(14) if shares[list(hidden), :, place].max(initial=0.0) >= 0.0005), default=0)
    return [
        Table(
            f"{SEATS[Seat(seat).name]}: how many cards of each suit",
            ["", *map(str, range(most + 1)), "mean"],
            [
                [name, *map(float, shares[seat, suit, : most + 1]), f"{shares[seat, suit] @ range(14):.2f}"]
                for suit, name in zip((3, 2, 1, 0), SUITS.values(), strict=True)
            ],
        )
        for seat in hidden
    ]


def readings_table(read: Sequence[CallReading]) -> Table:
    """How each call was read."""
    rows: list[list[str | float]] = []
    for one in read:
        row = [f"{one.seat.name} {one.call}"]
        if one.points is None:
            rows.append([*row, "too rare to read", "", "", ""])
            continue
        row += [f"{one.points.mean:.1f}", f"{one.points.low} to {one.points.high}"]
        if one.suit is not None and one.length is not None:
            row += [f"{SUITS[one.suit.name]} {one.length.mean:.1f}", f"{one.length.low} to {one.length.high}"]
        rows.append([*row, *[""] * (5 - len(row))])
    columns = ["call", "points", "80 % of cases", "length", "80 % of cases"]
    if all(one.length is None for one in read):  # nobody named a suit
        columns, rows = columns[:3], [row[:3] for row in rows]
    note = "By the caller's own calls up to it and the cards in sight, not by what the others called."
    return Table("How each call was read", columns, rows, [note])


def told_bits(posterior: Posterior) -> list[float]:
    """What is told of the place of each card, spades first and high cards first, in bits; 0 for cards in sight.

    It is what the evidence says beyond the number of places left in each hidden hand: Σ p log₂ p/q, where q is a
    hand's share of the places.
    """
    known = posterior.belief.constraints
    places = {seat: 13 - known.must[seat].bit_count() for seat in known.hidden}
    total = sum(places.values())
    bits = [0.0] * 52
    for card, shares in enumerate(posterior.card_table):
        if known.unknown_mask >> (51 - card) & 1:
            terms = ((float(shares[seat]), total / room) for seat, room in places.items())
            bits[card] = max(0.0, sum(p * log2(p * inverse) for p, inverse in terms if p > 0.0))
    return bits


def contract_table(odds: ContractOdds) -> Table:
    """How many tricks a contract takes, and which of them make it."""
    rows: list[list[str | float]] = [
        [str(tricks), float(share), share_error(share, error).strip(), "makes" if odds.makes(tricks) else ""]
        for tricks, (share, error) in enumerate(zip(odds.pmf.clip(0.0), odds.pmf_error, strict=True))
        if share >= RARE
    ]
    whose = f"{'actual' if odds.actual else 'double-dummy'} tricks of {declarer_and_dummy(odds)}"
    return Table(f"{odds.contract}: {whose}", ["", "P", "", ""], rows, [odds.sentence, odds.caution], bars=True)


def games_table(odds: Sequence[ContractOdds]) -> Table:
    """Expected tricks and the chance of game, strain by strain."""
    rows: list[list[str | float]] = [
        [
            STRAINS[one.contract.strain.name],
            f"{one.mean[0]:.2f}{error_text(one.mean[1])}",
            str(one.contract).partition(" ")[0],
            f"{percent(one.make[0])}{share_error(*one.make)}",
        ]
        for one in odds
    ]
    title = f"Tricks of {declarer_and_dummy(odds[0])}"
    note = "Double dummy, as the network 'tricks' predicts it; ± is one standard error of the draws."
    return Table(title, ["strain", "tricks", "game", "makes"], rows, [note])


def declarer_and_dummy(odds: ContractOdds) -> str:
    """The two hands of a contract, by the names of their seats."""
    return f"{SEATS[odds.contract.declarer.name]}, dummy {SEATS[odds.dummy.name]}"
