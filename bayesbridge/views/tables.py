"""Parts of answers, each worked out once: the terminal prints these tables, pages show
them as HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.decisions.history import CallReading, strength
from bayesbridge.decisions.sensitivity import ModelAnswer, largest_error
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    SEATS,
    STRAINS,
    SUITS,
    card_words,
    error_text,
    number,
    percent,
    share_error,
)
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.game.cards import Suit
from bayesbridge.game.deal import Seat

RANGES: Final = ((0, 5), (6, 9), (10, 12), (13, 15), (16, 37))


def hidden_tables(posterior: Posterior) -> list[Table]:
    """What is known of the hidden hands: points, lengths, the cards that the evidence
    tells most about, if any.
    """
    if not posterior.belief.constraints.hidden:
        return []
    means, hidden = (
        posterior.length_table @ range(14),
        posterior.belief.constraints.hidden,
    )
    rows = [
        [Seat(seat).name, *(f"{mean:.2f}" for mean in means[seat][::-1])]
        for seat in hidden
    ]
    lengths = Table("Mean length of the hidden suits", ["seat", *SUITS.values()], rows)
    cards = cards_table(posterior, 8)
    return [points_table(posterior), lengths, *([cards] if cards.rows else [])]


def points_table(posterior: Posterior) -> Table:
    """How strong the hidden hands are: the mean, the middle four fifths, and the chance
    of each range.
    """
    rows: list[list[str | float]] = []
    for seat in posterior.belief.constraints.hidden:
        shares = posterior.point_table[seat]
        mean, low, high = strength(shares)
        ranges = [
            min(1.0, float(shares[first : last + 1].sum())) for first, last in RANGES
        ]
        rows.append([Seat(seat).name, f"{mean:.1f}", f"{low} to {high}", *ranges])
    sampled = (
        " (from the draws)"
        if posterior.counts_cards and not posterior.counts_points
        else ""
    )
    names = [
        f"{first}+" if last > 36 else f"{first} to {last}" for first, last in RANGES
    ]
    return Table(
        f"High-card points of the hidden hands{sampled}",
        ["seat", "mean", "80 % of cases", *names],
        rows,
    )


def cards_table(posterior: Posterior, most: int = 52) -> Table:
    """The cards that the evidence tells most about, beyond the room in the hands; cards
    that lie alike share a row.
    """
    belief = posterior.belief
    known = belief.constraints
    bits = told_bits(posterior)
    chances = posterior.card_table
    alike: dict[tuple[str, ...], list[int]] = {}
    for place in bits:
        texts = (percent(float(chances[place, seat])) for seat in known.hidden)
        alike.setdefault((CARDS[place][0], *texts), []).append(place)
    ranked = sorted(
        alike.values(), key=lambda places: (-round(bits[places[0]], 3), places[0] % 13)
    )
    rows: list[list[str | float]] = []
    for places in [places for places in ranked if bits[places[0]] >= 0.005][:most]:
        shares = [float(chances[places[0], seat]) for seat in known.hidden]
        names = CARDS[places[0]][0] + "".join(CARDS[place][1] for place in places)
        rows.append([card_words(names), *shares, f"{bits[places[0]]:.2f}"])
    bidding_alone = belief.auction is not None and not belief.table.plays
    source = "bidding" if bidding_alone else "evidence"
    title = (
        f"The cards that the {source} places best; bits: beyond the room in each hand"
    )
    return Table(
        title, ["cards", *(Seat(seat).name for seat in known.hidden), "bits"], rows
    )


def length_tables(posterior: Posterior) -> list[Table]:
    """For each hidden hand P(so many cards) in each suit, with the mean at the end of
    the row.
    """
    hidden = posterior.belief.constraints.hidden
    shares = posterior.length_table.clip(0.0, 1.0)
    most = max(
        (
            place
            for place in range(14)
            if shares[list(hidden), :, place].max(initial=0.0) >= 0.0005
        ),
        default=0,
    )
    return [
        Table(
            f"{SEATS[Seat(seat).name]}: how many cards of each suit",
            ["", *map(str, range(most + 1)), "mean"],
            [
                [
                    name,
                    *map(float, shares[seat, suit, : most + 1]),
                    f"{shares[seat, suit] @ range(14):.2f}",
                ]
                for suit, name in zip((3, 2, 1, 0), SUITS.values(), strict=True)
            ],
        )
        for seat in hidden
    ]


def readings_table(read: Sequence[CallReading], changes: Sequence[str] = ()) -> Table:
    """How each call was read: points, the suits whose length it changed most, and what
    else stands out.

    ``changes`` say where the answer differs, which goes by all calls together.
    """
    rows: list[list[str | float]] = []
    majors: dict[Seat, float] = {}
    for one in read:
        row: list[str | float] = [
            f"{one.seat.name} {one.call}",
            "too rare to read",
            "",
            "",
        ]
        if one.points is not None:
            major, before = (
                one.features["major_4"],
                majors.get(one.seat, 0.7),
            )  # 70 % of all hands
            majors[one.seat] = major
            lengths = [
                (SUITS[suit.name][0], one.lengths[suit]) for suit in one.moved[:2]
            ]
            shares = {
                "balanced": one.features["balanced"],
                "a short suit": one.features["shortness"],
            }
            said = [
                f"{percent(share)} {name}"
                for name, share in shares.items()
                if share >= 0.65
            ]
            if abs(major - before) > 0.1 and not {Suit.H, Suit.S} & {*one.moved[:2]}:
                told = {"a four-card major": major, "no four-card major": 1.0 - major}
                said = [
                    f"{percent(share)} {name}"
                    for name, share in told.items()
                    if share >= 0.8
                ] or said
            said = slam_words(one) or said
            row[1:] = [
                f"{one.points.mean:.1f} ({one.points.low} to {one.points.high})",
                ", ".join(
                    f"{name} {spread.mean:.1f} ({spread.low} to {spread.high})"
                    for name, spread in lengths
                ),
                ", ".join(said),
            ]
        rows.append(row)
    notes = [
        "Means, in brackets 80 % of cases. Lengths: the suits that the call changed most.",
        "By the caller's own calls up to it and the cards in sight, not by what the others called.",
        *changes,
    ]
    return Table(
        "How each call was read", ["call", "points", "lengths", ""], rows, notes
    )


CONTROL_SHARE: Final = 0.65
"""Share of the hands from which on a control bid is said to show a control."""


def slam_words(reading: CallReading) -> list[str]:
    """What an answer to 4NT or a control bid shows; empty for other calls."""
    words = []
    if reading.key_cards:
        number = max(range(len(reading.key_cards)), key=reading.key_cards.__getitem__)
        share = percent(reading.key_cards[number])
        words.append(f"{number} key card{'' if number == 1 else 's'} ({share})")
    control = reading.features.get("control", 0.0)
    if control >= CONTROL_SHARE and reading.suit is not None:
        suit = STRAINS[reading.suit.name]
        words.append(f"{percent(control)} control in {suit}")
    return words


def told_bits(posterior: Posterior) -> dict[int, float]:
    """What is told of each card not in sight, by its place: Σ p log₂ p/q, q being a
    hand's share of the room left.
    """
    known = posterior.belief.constraints
    places = {seat: 13 - known.must[seat].bit_count() for seat in known.hidden}
    total = sum(places.values())
    bits: dict[int, float] = {}
    for card, shares in enumerate(posterior.card_table):
        if known.unknown_mask >> (51 - card) & 1:
            terms = (
                (float(shares[seat]), total / room) for seat, room in places.items()
            )
            bits[card] = max(
                0.0, sum(p * log2(p * inverse) for p, inverse in terms if p > 0.0)
            )
    return bits


def games_table(odds: Sequence[ContractOdds]) -> Table:
    """Expected tricks and the chance of game, strain by strain."""
    rows: list[list[str | float]] = [
        [
            STRAINS[one.contract.strain.name],
            f"{one.mean.mean:.2f}{error_text(one.mean.error)}",
            str(one.contract).partition(" ")[0],
            f"{percent(one.make.mean)}{share_error(*one.make)}",
        ]
        for one in odds
    ]
    title = f"Tricks of {odds[0].whose}"
    note = "Double dummy, as the network 'tricks' predicts it; ± is one standard error of the draws."
    return Table(title, ["strain", "tricks", "game", "makes"], rows, [note])


GOOD_GAME: Final = 0.3
"""Chance below which no game is worth bidding, whatever the scoring."""

RANK_NAMES = {"A": "ace", "K": "king", "Q": "queen"}


def sentences(
    posterior: Posterior, odds: Sequence[ContractOdds], asked: bool
) -> list[str]:
    """Three: strength, honours, tricks; ``asked`` whether ``odds`` has the one contract
    that is meant.
    """
    dealt = "As dealt, whatever was played: " if posterior.belief.table.plays else ""
    tricks = _tricks(odds, asked, posterior.belief)
    return [_strength(posterior), _honours(posterior), f"{dealt}{tricks}"]


def _strength(posterior: Posterior) -> str:
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    if not hidden:
        return "Every card is known."
    rows = sorted(
        (*strength(posterior.point_table[seat]), SEATS[seat.name]) for seat in hidden
    )
    (mean, low, high, name), *others = reversed(rows)
    if not others:
        return f"{name} has {mean:.1f} high-card points on average."
    if mean - others[-1][0] < 0.5:
        return (
            f"The hidden hands are about equally strong: some {mean:.0f} points each."
        )
    rest = " and ".join(f"{name} about {mean:.0f}" for mean, _, _, name in others)
    return (
        f"{name} has the strongest hidden hand: about {mean:.0f} points, "
        f"{low} to {high} in four cases of five; {rest}."
    )


def _honours(posterior: Posterior) -> str:
    known, chances, bits = (
        posterior.belief.constraints,
        posterior.card_table,
        told_bits(posterior),
    )
    missing = [place for place in bits if CARDS[place][1] in RANK_NAMES]
    if not missing:
        return "Every ace, king and queen is in sight."
    said = []
    for place in sorted(missing, key=lambda place: -round(bits[place], 4))[:2]:
        if bits[place] > 0.02:
            shares = {
                Seat(seat): round(float(chances[place][seat]), 9)
                for seat in known.hidden
            }
            seat = max(shares, key=shares.__getitem__)
            card = f"{RANK_NAMES[CARDS[place][1]]} of {STRAINS[CARDS[place][0]]}"
            said.append(f"the {card} ({SEATS[seat.name]} with {percent(shares[seat])})")
    if not said:
        return "No missing ace, king or queen is likelier in one hand than the room in the hands says."
    return f"Among the missing honours most is known about {' and '.join(said)}."


def _tricks(odds: Sequence[ContractOdds], asked: bool, belief: Belief) -> str:
    """What becomes of the contract asked about, or of the best game."""
    best = max(odds, key=lambda one: one.make.mean)
    declarer = best.contract.declarer
    name = f"{str(best.contract).partition(' ')[0]} by {SEATS[declarer.name]}"
    makes = f"makes with {percent(best.make.mean)}"
    tricks = f"{best.mean.mean:.1f} tricks on average."
    if asked:
        return f"{name} {makes}{share_error(*best.make)}; {tricks}"
    if best.make.mean >= GOOD_GAME:
        return f"Of all games {name} has the best chance: it {makes}, with {tricks}"
    ours = declarer in (belief.observer, belief.observer.partner, belief.dummy)
    side = "Your side has" if ours else "The other side has"
    return f"{side} no good game: {name}, the best, {makes}, with {tricks}"


BAYES_FACTOR_NOTE: Final = (
    "log Bayes factor: how much the evidence speaks for the model against the first, "
    "in nats; above 3 is much."
)
ERROR_NOTE: Final = "±: the largest standard error of a probability."


def models_table(answers: Sequence[ModelAnswer]) -> Table:
    """A row for each bidder model: what the evidence says for it, and its answers."""
    possible = [
        answer.evaluation for answer in answers if answer.evaluation is not None
    ]
    heads: list[str] = []
    notes: list[str] = []
    if possible:
        heads = list(figures(possible[0]))
        notes = figure_notes(possible[0])
    first = answers[0].log_evidence
    rows = []
    for answer in answers:
        cells = ["impossible"]
        if answer.evaluation is not None:
            factor = answer.log_evidence - first
            cells = [number(answer.log_evidence, 3), number(factor, 3)]
            cells += figures(answer.evaluation).values()
        rows.append([answer.bidder, *cells])
    return Table(
        "The same question under every bidder model",
        ["", "log P(evidence)", "log Bayes factor", *heads],
        rows,
        [*notes, BAYES_FACTOR_NOTE],
    )


def figures(evaluation: Evaluation) -> dict[str, str]:
    """What people are shown of an evaluation in one row, by the heads of its columns."""
    odds = evaluation.odds
    if odds is not None:
        return {
            "makes": percent(odds.make.mean) + share_error(*odds.make),
            "tricks": f"{odds.mean.mean:.2f}{error_text(odds.mean.error)}",
        }
    cells = {}
    for shown in Answer.of(evaluation).shown:
        if shown.output.dims:
            continue
        head = shown.name
        mean: float | None = float(shown.mean[0])
        if shown.counts_tricks and shown.count.undefined_value is not None:
            cells[shown.count.failing] = percent(shown.fails)
            head = f"{shown.name} if {shown.count.holding}"
            mean = shown.mean_if_held
        cells[head] = number(mean, 2)
    error = largest_error(evaluation)
    cells["±"] = percent(error) if error else "exact"
    return cells


def figure_notes(evaluation: Evaluation) -> list[str]:
    """What a reader must know of the columns."""
    odds = evaluation.odds
    if odds is not None:
        return [
            f"{odds.contract}, dummy {SEATS[odds.group.pair[1].name]}.",
            odds.caution,
        ]
    notes: list[str] = []
    for shown in Answer.of(evaluation).shown:
        if not shown.output.dims:
            notes += shown.notes
    return [*dict.fromkeys(notes), ERROR_NOTE]
