"""What every card on record cost: over the posterior of its player at that moment, and
double dummy on the real deal.

A card that was worse by what was known is *costly*, whatever became of it; one that was
as good as any, and still cost a trick, was *unlucky*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Unpack

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.alerts import alerts_read
from bayesbridge.decisions.play import believed, card_solver, play, turn_of
from bayesbridge.display.markup import Table
from bayesbridge.display.words import SEATS, card_words, counted, error_text, number
from bayesbridge.engines.budget import USUAL, Budget, DrawLimits
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import NotationError
from bayesbridge.estimators.protocol import run
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.game.cards import Card
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation.record import Record
from bayesbridge.runtime.progress import with_progress
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pandas


KINDS_OF_CARD: Final = ("lead", "declarer", "defence")

SMALL: Final = 0.05  # tricks on average that nobody calls a mistake


@dataclass(frozen=True, slots=True)
class Judged:
    """One card on record."""

    number: int  #: Cards played before it.
    seat: Seat
    player: Seat  #: Who chose: declarer for dummy.
    card: Card
    best: Card  #: The best card, the same where none was better.
    cost: Estimate[
        float
    ]  #: Tricks less than the best card on average, by what the player could know.
    close: bool  #: Whether the test cannot tell it from the best.
    #: Tricks lost on the real deal; ``None`` where the record does not tell all hands.
    double_dummy_cost: int | None
    choices: (
        int  #: Cards that could be told apart; 1 where there was nothing to choose.
    )
    kind: str  #: ``lead``, ``declarer`` or ``defence``.

    @property
    def verdict(self) -> str:
        worse = not self.close and self.cost.mean >= SMALL
        return "costly" if worse else "unlucky" if self.double_dummy_cost else ""

    @property
    def why(self) -> str:
        who, better, (cost, error) = (
            SEATS[self.player.name],
            card_words(self.best),
            self.cost,
        )
        if self.verdict == "costly":
            real = {None: "", 0: "; on the real deal it cost nothing"}.get(
                self.double_dummy_cost, ""
            )
            more = f"{cost:.2f}{error_text(error)}"
            return f"{better} takes {more} tricks more on average, by what {who} could know{real}."
        if self.verdict == "unlucky":
            lost = self.double_dummy_cost
            return f"As good as any by what {who} could know, but it cost {lost} on the real deal."
        return ""

    def document(self) -> dict[str, Any]:
        return {
            "trick": self.number // 4 + 1,
            "seat": self.seat.name,
            "player": self.player.name,
            "card": str(self.card),
            "best": str(self.best),
            **with_errors({"cost": self.cost}),
            "double_dummy_cost": self.double_dummy_cost,
            "choices": self.choices,
            "verdict": self.verdict,
        }


def judged_cards(
    record: Record,
    players: Sequence[Seat] = tuple(Seat),
    *,
    bidder: BidderModel | None = None,
    player: PlayerModel | Literal["usual"] | None = "usual",
    rng: Seed = 0,
    **limits: Unpack[DrawLimits],
) -> Iterator[Judged]:
    """Every card that one of the players chose, in order; ``limits`` are for each of
    them.
    """
    contract = record.contract
    budget = Budget(**limits).over(USUAL["review"])
    if contract is None or record.auction is None or not record.plays:
        what = "no cards played" if record.contract else "no contract"
        raise NotationError(
            f"board {record.board}: {what} on record to review: choose another board",
            board=record.board,
        )
    solver, seed = card_solver(), int(generator(rng).integers(1 << 62))
    dummy, deal = contract.declarer.partner, record.deal
    last: dict[Seat, Posterior] = {}
    for place, (seat, card) in enumerate(with_progress("cards", record.plays)):
        chooser = contract.declarer if seat == dummy else seat
        if chooser not in players:
            continue
        belief = Belief.of_record(
            record, chooser, cards=place, bidder=bidder, player=player
        )
        turn = turn_of(belief, contract)
        real = None if deal is None else 0
        kind = (
            "lead"
            if not place
            else "declarer"
            if chooser == contract.declarer
            else "defence"
        )
        if len(turn.legal) == 1:
            yield Judged(
                place,
                seat,
                chooser,
                card,
                card,
                Estimate(0.0, 0.0),
                True,
                real,
                1,
                kind,
            )
            continue
        if deal is not None:
            taken = run(solver, Layouts.of([deal]), turn.question)["lead_tricks"][0]
            real = int(max(taken[one.index] for one in turn.legal) - taken[card.index])
        posterior = last[chooser] = believed(
            belief, budget.draws or 0, seed + place, last.get(chooser)
        )
        found = play(
            posterior,
            contract,
            goal="tricks",
            solve=budget.solve,
            seconds=budget.seconds,
            rng=seed + place,
        )
        mine, first = found.of(card), found.choices[0]
        best = (
            card if mine.behind.mean < 1e-9 else first.cards[-1]
        )  # of cards that are as good it is the one played
        yield Judged(
            place,
            seat,
            chooser,
            card,
            best,
            mine.behind,
            mine.close,
            real,
            len(found.choices),
            kind,
        )


def review(
    record: Record, players: Sequence[Seat | str] | str = "NESW", **how: Any
) -> pandas.DataFrame:
    """What every card on record cost its player, a row each in the order played;
    ``players`` picks those who chose.

    Columns: ``trick``, ``seat``, ``player`` (declarer for dummy's cards), ``card``,
    ``best``, ``cost`` with its ``cost_error`` (tricks on average over what the player
    could know then), ``double_dummy_cost`` (on the real deal), ``choices`` (cards that
    could be told apart), ``verdict`` (``costly``, ``unlucky`` or empty). Further
    arguments: ``solve`` (layouts solved for every card, 40) or ``seconds`` for that,
    ``draws`` (1000), ``bidder``, ``player``, ``rng``. Needs the plugin
    bayesbridge-double-dummy.

    >>> try:
    ...     review(Record(board="7"))
    ... except NotationError as error:
    ...     print(error)
    board 7: no contract on record to review: choose another board
    """
    import pandas

    rows = judged_cards(record, [Seat.of(seat) for seat in players], **how)
    return pandas.DataFrame([row.document() for row in rows])


def player_costs(rows: Sequence[Judged]) -> dict[str, Any]:
    """For ``--json``: tricks lost by costly cards, in all, for every hundred choices
    and by kind, and ``double_dummy_lost`` by all cards.

    Of cards that the test cannot tell from the best nothing is added up: the sum would
    grow with their number.
    """
    costly = [row for row in rows if row.verdict == "costly"]
    real = [row.double_dummy_cost for row in rows]
    kinds = dict.fromkeys(KINDS_OF_CARD, 0.0)
    for row in costly:
        kinds[row.kind] += row.cost.mean
    choices = sum(row.choices > 1 for row in rows)
    lost = sum(row.cost.mean for row in costly)
    lost_error = hypot(*(row.cost.error for row in costly))
    scale = 100 / max(choices, 1)
    return {
        "choices": choices,
        "costly": len(costly),
        "tricks_lost": lost,
        "tricks_lost_error": lost_error,
        "lost_per_100": scale * lost,
        "lost_per_100_error": scale * lost_error,
        "unlucky": sum(row.verdict == "unlucky" for row in rows),
        "double_dummy_lost": None if None in real else sum(one or 0 for one in real),
        "by_kind": kinds,
    }


class BoardReview(NamedTuple):
    record: Record
    cards: Sequence[Judged]

    def document(self) -> dict[str, Any]:
        record = self.record
        cards = [
            {**row.document(), "name": player_name(record, row.player)}
            for row in self.cards
        ]
        told = {
            "board": record.board,
            "contract": str(record.contract),
            "alerts": alerts_of(record),
        }
        return {
            **told,
            "claimed": record.claimed and not record.dropped,
            "left_out": record.dropped,
            "cards": cards,
        }

    def parts(self, alerts: bool) -> list[Table | str]:
        """For people: tables and sentences; whether ``alerts`` were taken for what the
        calls show.
        """
        record, told = self.record, alert_sentences(self.record, alerts)
        costly = review_table(
            self.cards,
            f"{record.title}, {record.contract}: cards that were costly or unlucky",
        )
        rest = []
        if record.rest:
            cards = counted(len(record.plays), "card", "are")
            rest = [f"{cards} on record{record.rest}."]
        return [
            costly,
            *told,
            *([""] if told else []),
            players_table(players_of([self])),
            *rest,
        ]


def player_name(record: Record, seat: Seat) -> str:
    name = record.tag(SEATS[seat.name]).strip()
    return SEATS[seat.name] if name in ("", "?") else name


def players_of(found: Iterable[BoardReview]) -> dict[str, list[Judged]]:
    players: dict[str, list[Judged]] = {}
    for record, rows in found:
        for row in rows:
            players.setdefault(player_name(record, row.player), []).append(row)
    return players


def alerts_of(record: Record) -> list[dict[str, str | None]]:
    calls, read = (
        [] if record.auction is None else list(record.auction),
        alerts_read(record),
    )
    return [
        {
            "seat": calls[at][0].name,
            "call": str(calls[at][1]),
            "alert": text,
            "statement": read[at].text if at in read else None,
        }
        for at, text in record.alerts
    ]


def alert_sentences(record: Record, taken: bool | None = None) -> list[str]:
    """The same in words; ``taken`` tells whether what can be read of them was used,
    where that is known.
    """
    sentences = []
    for one in alerts_of(record):
        how = {
            True: "taken as",
            False: "--alerts would take it as",
            None: "which can be read as",
        }[taken]
        read = f" ({how} {one['statement']})" if one["statement"] else ""
        said = one["alert"] or "without a word"
        sentences.append(
            f"{SEATS[str(one['seat'])]}'s {one['call']} was alerted: {said}{read}."
        )
    return sentences


def players_table(players: Mapping[str, Sequence[Judged]]) -> Table:
    """What each player lost on a board, and what double dummy says of all their cards."""
    lines: list[list[str | float]] = []
    for name, rows in players.items():
        costs = player_costs(rows)
        real = [str(costs["unlucky"]), number(costs["double_dummy_lost"])]
        lines.append([name, *_loss_cells(costs), *real])
    columns = ["player", "choices", "costly", "tricks lost by these"]
    return Table("By player", [*columns, "unlucky", "double dummy, all"], lines)


def session_table(players: Mapping[str, Sequence[Judged]]) -> Table:
    """What each player lost over several boards, for every hundred choices and by kind
    of card.
    """
    lines: list[list[str | float]] = []
    for name, rows in players.items():
        costs = player_costs(rows)
        error = error_text(costs["lost_per_100_error"], 1)
        rate = f"{costs['lost_per_100']:.1f}{error}"
        kinds = [f"{lost:.2f}" for lost in costs["by_kind"].values()]
        lines.append([name, *_loss_cells(costs), rate, *kinds])
    columns = ["player", "choices", "costly", "tricks lost", "per 100 choices"]
    note = "Tricks lost: on average by costly cards, in all and for every 100 choices."
    return Table("By player", [*columns, *KINDS_OF_CARD], lines, [note])


def _loss_cells(costs: Mapping[str, Any]) -> list[str]:
    """Choices, costly cards, and the tricks that these lost."""
    lost = f"{costs['tricks_lost']:.2f}{error_text(costs['tricks_lost_error'])}"
    return [str(costs["choices"]), str(costs["costly"]), lost]


def review_table(rows: Sequence[Judged], title: str) -> Table:
    lines: list[list[str | float]] = []
    for row in rows:
        if row.verdict:
            cost = f"{row.cost.mean:.2f}{error_text(row.cost.error)}"
            played = (
                f"{row.number // 4 + 1} {SEATS[row.seat.name]} {card_words(row.card)}"
            )
            lines.append(
                [
                    played,
                    card_words(row.best),
                    cost,
                    number(row.double_dummy_cost),
                    row.verdict,
                ]
            )
    note = (
        "cost: tricks on average over what the player could know then, with one standard error, declarer's last eight "
        "tricks by one plan; double dummy: on the real deal. Costly cards were worse by what was known; unlucky ones "
        "were not, and still cost a trick."
    )
    return Table(title, ["card", "best", "cost", "double dummy", ""], lines, [note])
