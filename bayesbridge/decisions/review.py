"""What every card on record cost, by what its player could know and double dummy.

The first is counted over the posterior of the player at that moment, the second on the
real deal. A card that was worse by what was known is *costly*, whatever became of it;
one that was as good as any, and still cost a trick, was *unlucky*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Unpack

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.alerts import alerts_read
from bayesbridge.decisions.play import (
    CardChoices,
    PlayTurn,
    believed,
    card_solver,
    play,
    turn_of,
)
from bayesbridge.display.markup import Table
from bayesbridge.display.words import SEATS, card_words, counted, error_text, number
from bayesbridge.engines.budget import USUAL, Budget, DrawLimits
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import NotationError
from bayesbridge.estimators.protocol import Estimator, run
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Card
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation.record import Record
from bayesbridge.runtime.progress import with_progress
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pandas


KINDS_OF_CARD: Final = ("lead", "declarer", "defence")

COSTLY: Final = "costly"
UNLUCKY: Final = "unlucky"

SMALL: Final = 0.05
"""Tricks on average that nobody calls a mistake."""

ROUNDING: Final = 1e-9
"""Tricks by which cards that are equally good may differ."""

HOW_ALERTS_ARE_READ: Final = {
    True: "taken as",
    False: "--alerts would take it as",
    None: "which can be read as",
}
"""By whether the review used what alerts say; ``None`` where that is not known."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One card on record."""

    #: Cards played before it.
    number: int
    seat: Seat
    #: Who chose: declarer for dummy.
    player: Seat
    card: Card
    #: The best card, the same where none was better.
    best: Card
    #: Tricks less than the best card on average, by what the player could know.
    cost: Estimate[float]
    #: Whether the test cannot tell it from the best.
    close: bool
    #: Tricks lost on the real deal; ``None`` where the record does not tell all hands.
    double_dummy_cost: int | None
    #: Cards that could be told apart; 1 where there was nothing to choose.
    choices: int
    #: ``lead``, ``declarer`` or ``defence``.
    kind: str

    @property
    def verdict(self) -> str:
        """``costly``, ``unlucky`` or empty."""
        if not self.close and self.cost.mean >= SMALL:
            return COSTLY
        return UNLUCKY if self.double_dummy_cost else ""

    @property
    def why(self) -> str:
        """The verdict explained in a sentence; empty without one."""
        player = SEATS[self.player.name]
        if self.verdict == COSTLY:
            cost = f"{self.cost.mean:.2f}{error_text(self.cost.error)}"
            but_harmless = ""
            if self.double_dummy_cost == 0:
                but_harmless = "; on the real deal it cost nothing"
            return (
                f"{card_words(self.best)} takes {cost} tricks more on average, by what "
                f"{player} could know{but_harmless}."
            )
        if self.verdict == UNLUCKY:
            return (
                f"As good as any by what {player} could know, but it cost "
                f"{self.double_dummy_cost} on the real deal."
            )
        return ""

    def document(self) -> dict[str, Any]:
        """The card as plain data."""
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
    """Judge every card that one of the players chose, in order.

    ``limits`` are for each of them.
    """
    budget = Budget(**limits).over(USUAL["review"])
    contract = contract_played(record)
    solver = card_solver()
    seed = int(generator(rng).integers(1 << 62))
    judge = CardJudge(record, contract, bidder, player, budget, solver, seed)
    for card_number, (seat, _) in enumerate(with_progress("cards", record.plays)):
        if judge.chooser(seat) in players:
            yield judge.judge(card_number)


def contract_played(record: Record) -> Contract:
    """Return the contract of a record that can be reviewed."""
    contract = record.contract
    if contract is None or record.auction is None or not record.plays:
        missing = "no cards played" if contract else "no contract"
        raise NotationError(
            f"board {record.board}: {missing} on record to review: choose another board",
            board=record.board,
        )
    return contract


@dataclass(slots=True)
class CardJudge:
    """Judges the cards of a record one after the other."""

    record: Record
    contract: Contract
    bidder: BidderModel | None
    player: PlayerModel | Literal["usual"] | None
    budget: Budget
    solver: Estimator
    """Solves a deal for each card of the seat in turn."""
    seed: int
    posteriors: dict[Seat, Posterior] = field(default_factory=dict)
    """The latest posterior of each player, from which the next one goes on."""

    def chooser(self, seat: Seat) -> Seat:
        """Who chooses the cards of a seat: declarer for dummy."""
        declarer = self.contract.declarer
        if seat == declarer.partner:
            return declarer
        return seat

    def judge(self, card_number: int) -> Judged:
        """Judge the card with this number, counted from 0."""
        seat, card = self.record.plays[card_number]
        chooser = self.chooser(seat)
        belief = Belief.of_record(
            self.record,
            chooser,
            cards=card_number,
            bidder=self.bidder,
            player=self.player,
        )
        turn = turn_of(belief, self.contract)
        as_good_as_any = Judged(
            number=card_number,
            seat=seat,
            player=chooser,
            card=card,
            best=card,
            cost=Estimate(0.0, 0.0),
            close=True,
            double_dummy_cost=self._double_dummy_cost(turn, card),
            choices=1,
            kind=self._kind(card_number, chooser),
        )
        if len(turn.legal) == 1:
            return as_good_as_any
        ranking = self._compare(belief, card_number)
        choice = ranking.of(card)
        best_choice = ranking.choices[0]
        best_card = card
        if choice.behind.mean >= ROUNDING:  # of equal cards the lowest is named
            best_card = best_choice.cards[-1]
        return replace(
            as_good_as_any,
            best=best_card,
            cost=choice.behind,
            close=choice.close,
            choices=len(ranking.choices),
        )

    def _compare(self, belief: Belief, card_number: int) -> CardChoices:
        """The cards that the player could choose, by what the player believes."""
        player = belief.observer
        seed = self.seed + card_number
        posterior = believed(
            belief, self.budget.draws or 0, seed, self.posteriors.get(player)
        )
        self.posteriors[player] = posterior
        return play(
            posterior,
            self.contract,
            goal="tricks",
            solve=self.budget.solve,
            seconds=self.budget.seconds,
            rng=seed,
        )

    def _double_dummy_cost(self, turn: PlayTurn, card: Card) -> int | None:
        """Tricks that a card loses on the real deal; ``None`` where it is not known."""
        deal = self.record.deal
        if deal is None:
            return None
        if len(turn.legal) == 1:
            return 0
        outputs = run(self.solver, Layouts.of([deal]), turn.question)
        tricks = outputs["lead_tricks"][0]
        most = max(tricks[legal_card.index] for legal_card in turn.legal)
        return int(most - tricks[card.index])

    def _kind(self, card_number: int, chooser: Seat) -> str:
        """One of :data:`KINDS_OF_CARD`."""
        if card_number == 0:
            return "lead"
        if chooser == self.contract.declarer:
            return "declarer"
        return "defence"


def review(
    record: Record, players: Sequence[Seat | str] | str = "NESW", **how: Any
) -> pandas.DataFrame:
    """Tell what every card on record cost its player, a row each in the order played.

    Needs the plugin bayesbridge-double-dummy.

    Parameters
    ----------
    record : Record
        A board with its auction and its cards, as :func:`bayesbridge.open_records`
        reads it.
    players : str or sequence of seats
        Those whose choices are judged, such as ``"EW"``; all by default. Declarer
        chooses for dummy.
    **how
        ``solve``, layouts solved for every card (40), or ``seconds`` for that;
        ``draws``, layouts drawn of each posterior (1000); ``bidder`` and ``player``,
        how the others call and choose cards; ``rng``, where random numbers start (0).

    Returns
    -------
    pandas.DataFrame
        ``trick``, ``seat``, ``player`` (declarer for dummy's cards), ``card`` and the
        ``best`` one; ``cost`` with its ``cost_error``, tricks on average over what the
        player could know then; ``double_dummy_cost``, tricks on the real deal;
        ``choices``, cards that could be told apart; ``verdict``: ``costly``,
        ``unlucky`` or empty.

    Raises
    ------
    NotationError
        If no contract or no card is on record.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> from bayesbridge.notation.record import Record
    >>> try:
    ...     bb.review(Record(board="7"))
    ... except bb.BayesBridgeError as error:
    ...     print(error)
    board 7: no contract on record to review: choose another board
    """
    import pandas

    cards = judged_cards(record, [Seat.of(seat) for seat in players], **how)
    return pandas.DataFrame([card.document() for card in cards])


def player_costs(rows: Sequence[Judged]) -> dict[str, Any]:
    """Add up what costly cards lost, as plain data.

    Tricks are given in all, for every hundred choices and by kind;
    ``double_dummy_lost`` is by all cards. Of cards that the test cannot tell from the
    best nothing is added up: the sum would grow with their number.
    """
    costly = [row for row in rows if row.verdict == COSTLY]
    lost_by_kind = dict.fromkeys(KINDS_OF_CARD, 0.0)
    for row in costly:
        lost_by_kind[row.kind] += row.cost.mean
    choices = sum(row.choices > 1 for row in rows)
    lost = sum(row.cost.mean for row in costly)
    lost_error = hypot(*(row.cost.error for row in costly))
    scale = 100 / max(choices, 1)
    double_dummy_costs = [
        row.double_dummy_cost for row in rows if row.double_dummy_cost is not None
    ]
    double_dummy_lost = None
    if len(double_dummy_costs) == len(rows):
        double_dummy_lost = sum(double_dummy_costs)
    return {
        "choices": choices,
        "costly": len(costly),
        "tricks_lost": lost,
        "tricks_lost_error": lost_error,
        "lost_per_100": scale * lost,
        "lost_per_100_error": scale * lost_error,
        "unlucky": sum(row.verdict == UNLUCKY for row in rows),
        "double_dummy_lost": double_dummy_lost,
        "by_kind": lost_by_kind,
    }


class BoardReview(NamedTuple):
    """The cards of one board."""

    record: Record
    cards: Sequence[Judged]

    def document(self) -> dict[str, Any]:
        """The board as plain data, with the names of the players.

        ``left_out`` is why cards on record could not be read and were dropped, empty if
        none were; only then a play that ends early was ``claimed``.
        """
        record = self.record
        cards = [
            {**card.document(), "name": player_name(record, card.player)}
            for card in self.cards
        ]
        return {
            "board": record.board,
            "contract": str(record.contract),
            "alerts": alerts_of(record),
            "claimed": record.claimed and not record.dropped,
            "left_out": record.dropped,
            "cards": cards,
        }

    def parts(self, alerts_used: bool) -> list[Table | str]:
        """The board for people: tables, and sentences between them.

        ``alerts_used`` tells whether what the players said of their alerted calls was
        taken for what these calls show.
        """
        record = self.record
        title = f"{record.title}, {record.contract}: cards that were costly or unlucky"
        tables_and_sentences: list[Table | str] = [review_table(self.cards, title)]
        sentences = alert_sentences(record, alerts_used)
        if sentences:
            empty_line = ""
            tables_and_sentences += [*sentences, empty_line]
        cards_by_player = players_of([self])  # of this one board
        tables_and_sentences.append(players_table(cards_by_player))
        why_no_more_cards = record.rest  # such as ``, the rest was claimed``
        if why_no_more_cards:
            cards_are = counted(len(record.plays), "card", "are")  # ``40 cards are``
            tables_and_sentences.append(f"{cards_are} on record{why_no_more_cards}.")
        return tables_and_sentences


def player_name(record: Record, seat: Seat) -> str:
    """The name of a player on record, else the word for the seat."""
    name = record.tag(SEATS[seat.name]).strip()
    if name in ("", "?"):
        return SEATS[seat.name]
    return name


def players_of(reviews: Iterable[BoardReview]) -> dict[str, list[Judged]]:
    """The cards of each player, by name."""
    players: dict[str, list[Judged]] = {}
    for record, cards in reviews:
        for card in cards:
            name = player_name(record, card.player)
            players.setdefault(name, []).append(card)
    return players


def alerts_of(record: Record) -> list[dict[str, str | None]]:
    """The calls that were alerted, with the text and what that can be read as."""
    calls = list(record.auction or ())
    statements = alerts_read(record)
    alerts = []
    for call_number, text in record.alerts:
        seat, call = calls[call_number]
        statement = statements.get(call_number)
        alerts.append(
            {
                "seat": seat.name,
                "call": str(call),
                "alert": text,
                "statement": None if statement is None else statement.text,
            }
        )
    return alerts


def alert_sentences(record: Record, used: bool | None = None) -> list[str]:
    """The alerts in words.

    ``used`` tells whether what can be read of them was taken for what the calls show;
    ``None`` where that is not known.
    """
    how_it_is_read = HOW_ALERTS_ARE_READ[used]  # such as ``taken as``
    sentences = []
    for alert in alerts_of(record):
        seat = SEATS[str(alert["seat"])]
        text = alert["alert"] or "without a word"
        reading = ""
        if alert["statement"]:
            reading = f" ({how_it_is_read} {alert['statement']})"
        sentences.append(f"{seat}'s {alert['call']} was alerted: {text}{reading}.")
    return sentences


def players_table(players: Mapping[str, Sequence[Judged]]) -> Table:
    """What each player lost on a board, and what double dummy says of all their cards."""
    lines: list[list[str | float]] = []
    for name, cards in players.items():
        costs = player_costs(cards)
        unlucky = str(costs["unlucky"])
        double_dummy_lost = number(costs["double_dummy_lost"])
        lines.append([name, *_loss_cells(costs), unlucky, double_dummy_lost])
    columns = ["player", "choices", "costly", "tricks lost by these"]
    return Table("By player", [*columns, "unlucky", "double dummy, all"], lines)


def session_table(players: Mapping[str, Sequence[Judged]]) -> Table:
    """What each player lost over several boards, by the hundred choices and by kind."""
    lines: list[list[str | float]] = []
    for name, cards in players.items():
        costs = player_costs(cards)
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


def review_table(cards: Sequence[Judged], title: str) -> Table:
    """The cards that were costly or unlucky."""
    lines = [_card_cells(card) for card in cards if card.verdict]
    note = (
        "cost: tricks on average over what the player could know then, with one standard "
        "error, declarer's last eight tricks by one plan; double dummy: on the real "
        "deal. Costly cards were worse by what was known; unlucky ones were not, and "
        "still cost a trick."
    )
    return Table(title, ["card", "best", "cost", "double dummy", ""], lines, [note])


def _card_cells(card: Judged) -> list[str | float]:
    """A line of :func:`review_table`."""
    trick = card.number // 4 + 1
    return [
        f"{trick} {SEATS[card.seat.name]} {card_words(card.card)}",
        card_words(card.best),
        f"{card.cost.mean:.2f}{error_text(card.cost.error)}",
        number(card.double_dummy_cost),
        card.verdict,
    ]
