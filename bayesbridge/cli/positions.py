"""The position that the options describe, and the models of those who are at it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypedDict

from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.records import (
    Observer,
    PlayerName,
    chosen_record,
    open_records,
    seat_of,
)
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.display.words import counted, tell
from bayesbridge.evidence.game import PAPER_DUMMY
from bayesbridge.evidence.kinds import Piece, Play
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import CARDS_IN_TRICK
from bayesbridge.notation import Record
from bayesbridge.position import (
    SETTINGS,
    AuctionText,
    Position,
    SideStyle,
    Sourced,
    calls_of,
    calls_told,
    players_in,
)

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.bidders.agreements import Agreement
    from bayesbridge.evidence.models import BidderModel, PlayerModel

RECORD: Final = Mode("the record tells it", "hand players dummy position")
NO_RECORD: Final = Mode(
    "no --record FILE is named", "board room after-trick after-card alerts"
)
NO_TRICK: Final = Mode(
    "it counts from a trick on, and no --after-trick is named", "after-card"
)
NO_AUCTION: Final = Mode("it says who began --auction, and none is given", "dealer")
UNCALLED: Final = Mode(
    "nobody else has called, so the answer depends on no bidder",
    "bidder slip vulnerable system style",
)
UNCHOSEN: Final = Mode(
    "no hidden hand has played to a known contract, so the answer depends on no player",
    "player",
)
UNPLAYED: Final = Mode(
    "no card is played, so trumps have no part in the answer", "trump"
)

MOST_EARLIER_TABLES: Final = 200
"""Tables of a pair that ``--adapt`` learns from."""


def belief_of(
    args: Namespace, used_options: Collection[str] = ()
) -> tuple[Position, Belief]:
    """The position that the options describe, and the belief in it.

    Options about how others bid and play are refused where they cannot change the
    belief. ``used_options`` are names of some that the command needs for something
    else, as ``vulnerable`` for scores: these are never refused.
    """
    position = position_of(args)
    if "vulnerable" in used_options:
        position = with_optional_vulnerability(position)
    belief = position.belief()
    refuse_options_without_effect(args, belief, used_options)
    return position, belief


def with_optional_vulnerability(position: Position) -> Position:
    """The position with a vulnerability that a bidder model need not know of.

    Else a model without such a setting would be refused.
    """
    if "vulnerable" not in position.settings:
        return position
    vulnerable = position.settings["vulnerable"]._replace(needed=False)
    settings = {**position.settings, "vulnerable": vulnerable}
    return position._replace(settings=settings)


def vulnerability_of(position: Position) -> Vulnerability:
    """The vulnerability of the position, by default none."""
    setting = position.settings.get("vulnerable")
    return Vulnerability.NONE if setting is None else setting.value


def position_of(args: Namespace) -> Position:
    """What the options say, added to the position file or the record."""
    position = record_position(args)
    if args.position:
        position = Position.read(args.position)
    settings = merged_settings(args, position)
    position = position._replace(settings=settings)
    return position.with_more({}, list(option_pieces(args, position)))


def merged_settings(args: Namespace, position: Position) -> dict[str, Sourced[Any]]:
    """The settings of the position and of the options, and what follows from them.

    A hand without an observer is South's. An auction that four seats bid, as its text
    shows, is one of bridge: that is implied, not stated.
    """
    given = settings_of(args, SETTINGS)
    if args.record:
        # The position of the record has the systems, with what was alerted.
        given.pop("system", None)
    settings = {**position.settings, **given}
    if "hand" in settings:
        settings.setdefault("observer", Sourced(Seat.S, "argument --hand"))
    auctions = [
        piece for piece in args.evidence if isinstance(piece.value, AuctionText)
    ]
    if auctions and players_in(settings, [piece.value for piece in auctions]) == 4:
        # The calls of an auction do not show that they were given as one text.
        settings.setdefault("players", Sourced(4, auctions[0].where, implied=True))
    return settings


def settings_of(args: Namespace, names: Iterable[str]) -> dict[str, Sourced[Any]]:
    """The settings that options give, each with its option."""
    settings = {}
    for name in names:
        value = getattr(args, name)
        if value is not None:
            if SETTINGS[name].many:
                value = tuple(value)
            settings[name] = Sourced(value, f"argument --{name}")
    return settings


def option_pieces(args: Namespace, position: Position) -> Iterator[Sourced[Piece]]:
    """The evidence of the options in order, with the calls of an auction one by one.

    The cards of ``--trick`` are what the command asks about, no evidence. But where no
    card came before them they begin with the opening lead, which helps to tell who made
    the calls of an auction.
    """
    evidence = [piece.value for piece in args.evidence]
    if getattr(args, "trick", None) is not None:
        evidence += [Play(seat, card) for seat, card in args.trick]
    if not any(isinstance(value, AuctionText) for value in evidence):
        refuse_options(args, NO_AUCTION)
    for piece in args.evidence:
        if isinstance(piece.value, AuctionText):
            yield from auction_pieces(args, position, piece, evidence)
        else:
            yield piece


def auction_pieces(
    args: Namespace,
    position: Position,
    text: Sourced[AuctionText],
    evidence: list[Any],
) -> Iterator[Sourced[Piece]]:
    """The calls of an auction that is given as one text, with their seats.

    What else the options say (``evidence``, with the text itself) and the position has
    tells how many players bid and who began.
    """
    settings = {name: setting.value for name, setting in position.settings.items()}
    pieces_of_position = [sourced.value for sourced in position.pieces]
    players = players_in(position.settings, [*pieces_of_position, *evidence])
    # With three players the dummy is a seat that does not bid; in bridge there is none.
    dummy = None
    if players == 3:
        dummy = settings.get("dummy", PAPER_DUMMY)
    with attributed("--auction"):
        calls = calls_of(
            text.value,
            dealer=args.dealer,
            observer=settings.get("observer"),
            dummy=dummy,
            evidence=evidence,
        )
    for call in calls_told(text.value, calls):
        yield Sourced(call, text.where)


def record_position(args: Namespace) -> Position:
    """What the observer saw of the record; empty where no record is named.

    ``args.observer`` may be the name of a player: it becomes the player's seat.
    """
    refuse_options(
        args,
        RECORD.when(args.record),
        NO_RECORD.when(not args.record),
        NO_TRICK.when(args.after_trick is None),
    )
    if args.record is None:
        if isinstance(args.observer, PlayerName):
            with attributed("--observer"):
                Seat.of(args.observer)
        return Position({})
    observer = named_observer(args)
    records = open_records(args.record, "--record")
    record = chosen_record(records, args, args.record, observer)
    args.observer = None if observer is None else seat_of(record, observer)
    return position_on_record(args, record, args.observer, cards_played(args, record))


def named_observer(args: Namespace) -> Observer | None:
    """Who looks at the record.

    South by default; ``None`` where it is the seat in turn, as when the question is
    what to play.
    """
    if args.observer is not None or getattr(args, "by_turn", False):
        observer: Observer | None = args.observer
        return observer
    return Seat.S


def cards_played(args: Namespace, record: Record) -> int:
    """How many cards of the record the options say that were played.

    All of them without ``--after-trick``. Refuses more than the record has, with the
    option that asks for too many.
    """
    if args.after_trick is None:
        return len(record.plays)
    cards: int = CARDS_IN_TRICK * args.after_trick + (args.after_card or 0)
    if cards <= len(record.plays):
        return cards
    option = f"--after-trick {args.after_trick}"
    if args.after_card:
        option = f"--after-card {args.after_card}"
    tricks, single_cards = divmod(len(record.plays), CARDS_IN_TRICK)
    length = counted(tricks, "whole trick")
    if single_cards:
        length += f" and {counted(single_cards, 'card')}"
    why_no_more = record.rest
    raise UsageError(f"argument {option}: {record.place} has {length}{why_no_more}")


def position_on_record(
    args: Namespace, record: Record, observer: Seat | None, cards: int
) -> Position:
    """What the observer, by default the seat in turn, saw after so many cards."""
    from bayesbridge.belief.belief import seen_by

    with attributed("--record"):
        if observer is None:
            observer = seat_in_turn(record, cards)
        seat, hand, seen = seen_by(record, observer, cards)
    settings = {
        "observer": seat,
        "hand": hand,
        "players": 4,
        "vulnerable": record.vulnerable or Vulnerability.NONE,
    }
    systems = systems_at(args, record)
    if systems:
        settings["system"] = systems
    source = "argument --record"
    return Position(
        {
            name: Sourced(value, source, needed=name != "vulnerable")
            for name, value in settings.items()
        },
        tuple(Sourced(piece, source) for piece in seen),
    )


def seat_in_turn(record: Record, cards: int) -> Seat:
    """The seat that chooses the next card after so many; declarer after the last."""
    table = record.table(cards)
    if table.contract is None:
        raise UsageError(
            "nothing is played, the board was passed out or its auction is not over: "
            "choose another board"
        )
    return table.contract.declarer if table.chooser is None else table.chooser


def systems_at(args: Namespace, record: Record) -> tuple[Agreement, ...]:
    """The systems that the options name, and with ``--alerts`` what was alerted."""
    from bayesbridge.bidders.agreements import Agreement
    from bayesbridge.bidders.alerts import alerts_system

    systems = tuple(args.system or ())
    if not args.alerts:
        return systems
    alerted = alerts_system(record)
    if alerted is None:
        tell(f"board {record.board}: no alert that can be read as a statement")
        return systems
    return (*systems, Agreement(alerted))


def refuse_options_without_effect(
    args: Namespace, belief: Belief, used_options: Collection[str]
) -> None:
    """Refuse options about bidders, players and trumps that do not affect the belief.

    Bidders have a part where somebody else has called, players where a hidden hand has
    played to a known contract, trumps where a card was played. ``used_options`` are
    those that the command itself needs: they are taken.
    """
    seats_that_played = {
        piece.seat for piece in belief.evidence if isinstance(piece, Play)
    }
    hidden_hand_played = not seats_that_played <= set(seats_shown(belief))
    refuse_options(
        args,
        UNCALLED.when(not others_called(belief)),
        UNCHOSEN.when(not hidden_hand_played),
        UNPLAYED.when(not seats_that_played),
        uses=used_options,
    )


def others_called(belief: Belief) -> bool:
    """Whether the belief has a call by another seat than the observer's."""
    if belief.auction is None:
        return False
    return any(seat != belief.observer for seat, _ in belief.auction)


def seats_shown(belief: Belief) -> list[Seat]:
    """The observer and dummy, whose cards are in sight; all seats without a contract."""
    auction = belief.auction
    if auction is None or auction.contract is None:
        return list(Seat)
    return [belief.observer, auction.contract.declarer.partner]


class Models(TypedDict):
    """How those at a table bid and choose cards."""

    bidder: BidderModel
    player: PlayerModel | None


def models_at(args: Namespace, record: Record) -> Models:
    """The models that the options name, else experts, at the record's vulnerability.

    With ``--adapt`` they bid in the styles of the pairs, learned from earlier boards.
    """
    from bayesbridge.bidders.play import LearnedPlayer

    # What the record tells comes from no option, and no bidder need ask for it.
    vulnerable = record.vulnerable or Vulnerability.NONE
    of_record = Sourced(vulnerable, where="", needed=False)
    settings: dict[str, Sourced[Any]] = {"vulnerable": of_record}
    settings |= adapted_styles(args, record)
    settings |= settings_of(args, MODELS.split())
    systems = systems_at(args, record)
    if systems:
        settings["system"] = Sourced(systems, "argument --alerts")
    bidder = Position(settings).bidder("learned")
    assert bidder is not None
    player = None if args.player == "none" else LearnedPlayer()
    return {"bidder": bidder, "player": player}


def adapted_styles(args: Namespace, record: Record) -> Mapping[str, Sourced[Any]]:
    """The setting of the styles that ``--adapt`` learns; empty without it."""
    from bayesbridge.bidders.pairs import History

    if not getattr(args, "adapt", False):
        return {}
    history = History.before(open_records(args.file), record, MOST_EARLIER_TABLES)
    styles = history.styles(record)
    if not styles:
        tell(
            "no earlier board of the file names a pair of this table: nothing to adapt "
            "to"
        )
        return {}
    # No option and no text gives them, so there is none to name in an error.
    side_styles = tuple(
        SideStyle(side, style, text="") for side, style in styles.items()
    )
    return {"style": Sourced(side_styles, where="")}
