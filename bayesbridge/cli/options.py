"""From words to values: the parser, the arguments that several commands take, and the
files they read and write.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product, takewhile
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypedDict

from bayesbridge.display.words import SEATS, counted, tell
from bayesbridge.engines.budget import MOST_DRAWS
from bayesbridge.errors import (
    BayesBridgeError,
    Contradiction,
    NotationError,
    Unwritable,
    caused_by_interrupt,
    cut,
    did_you_mean,
)
from bayesbridge.evidence.game import PAPER_DUMMY
from bayesbridge.evidence.kinds import KINDS, Piece, Play
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record, Skipped, iter_records
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
from bayesbridge.runtime.files import advice, final_path, whole_file

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.bidders.systems import Agreement
    from bayesbridge.evidence.models import BidderModel, PlayerModel


class UsageError(BayesBridgeError):
    """A command line that cannot be understood."""


@contextmanager
def attributed(option: str, *others: type[Exception]) -> Iterator[None]:
    """Name the option that an error is about; contradictions of the evidence, and
    ``others``, are not its fault.
    """
    try:
        yield
    except BayesBridgeError as error:
        if isinstance(error, (Contradiction, UsageError, *others)):
            raise
        raise UsageError(f"argument {cut(option)}: {error}") from None


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, as an exception, instead of printing the usage
    and ending the process.
    """

    add_later: Callable[[OneLineParser], None] | None = None
    """Adds arguments when they are first needed, where that takes time."""

    evidence: argparse._ArgumentGroup | None = None
    """Options that ``--help`` only names: all of them would not fit a screen."""

    def __init__(self, **options: Any) -> None:
        formatter = partial(
            argparse.RawDescriptionHelpFormatter, max_help_position=28
        )  # room for names of commands
        super().__init__(allow_abbrev=False, formatter_class=formatter, **options)

    def add_evidence(self, about: str) -> argparse._ArgumentGroup:
        """The group of options for what was seen; other arguments come before it."""
        words = [f"[{one.metavar}]" for one in self._get_positional_actions()]
        self.usage = " ".join(["%(prog)s", *words, "EVIDENCE… [options]"])
        self.evidence = self.add_argument_group("evidence", about)
        self.evidence.add_argument(
            "--help-evidence",
            action=_HelpEvidence,
            nargs=0,
            dest=argparse.SUPPRESS,
            help="explain these options",
        )
        return self.evidence

    def format_help(self, *, full: bool = False) -> str:
        """The help text; the options of evidence by name alone, or nothing else in
        ``full``.
        """
        self.add_now()
        if (group := self.evidence) is None:
            return super().format_help()
        formatter, explained, about = (
            self._get_formatter(),
            group._group_actions,
            group.description,
        )
        if full:
            formatter.start_section(group.title)
            formatter.add_text(about)
            formatter.add_arguments(explained)
            formatter.end_section()
            return formatter.format_help()
        names = (
            f"{one.option_strings[0]} {one.metavar or ''}".strip().replace(" ", "\0")
            for one in explained[1:]
        )
        wrapped = wrap(
            ", ".join(names),
            formatter._width - 2,
            break_on_hyphens=False,
            break_long_words=False,
        )
        group.description = "\n".join(
            [f"{about} --help-evidence explains each.", *wrapped]
        ).replace("\0", " ")
        group._group_actions = []
        try:
            return super().format_help()
        finally:
            group.description, group._group_actions = about, explained

    def add_now(self) -> None:
        add, self.add_later = self.add_later, None
        if add is not None:
            add(self)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str], namespace: argparse.Namespace | None = None
    ) -> tuple[Any, list[str]]:
        """Parse; ``options`` becomes the options among the words in order, by their
        first names.
        """
        self.add_now()
        args = [
            f" {word}" if word.startswith("-.") else word for word in args
        ]  # a hand that begins with a void
        given: list[str] = []
        for word in takewhile(lambda word: word != "--", args):
            action = self._option_string_actions.get(
                word.partition("=")[0] if word.startswith("--") else word[:2]
            )
            name = "" if action is None else action.option_strings[0]
            if name in given and isinstance(action, argparse._StoreAction):
                self.error(f"argument {name}: given twice: give it once")
            given += [name] if name else []
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:  # here, where the options of the command are known
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        found.options = list(
            dict.fromkeys(given + getattr(found, "options", []))
        )  # with a command's within this one
        return found, unknown

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return action.type(arg_string) if callable(action.type) else arg_string
        except BayesBridgeError as error:
            raise argparse.ArgumentError(action, str(error)) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            hint = did_you_mean(str(value), known)
            raise argparse.ArgumentError(
                action, f"invalid choice: {value!r}: {hint}choose {', '.join(known)}"
            )

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ").split()[0]
        if unknown.startswith("--") and message.startswith("unrecognized"):
            names = [name.lstrip("-") for name in self._option_string_actions]
            message += f": {did_you_mean(unknown[2:], names)}".replace(
                "'", "'--", 1
            ).rstrip(": ")
        raise UsageError(f"{message} (see '{self.prog} --help')")


class _HelpEvidence(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, OneLineParser)
        parser._print_message(parser.format_help(full=True), sys.stdout)
        parser.exit()


class Mode(NamedTuple):
    """One way to ask a command: the options that it refuses, or all that it takes, and
    why the others have no part.
    """

    why: str
    refuses: str = ""
    takes: str | None = None


def verify(
    args: argparse.Namespace, *modes: Mode | bool | None, uses: str = ""
) -> None:
    """Refuse an option that has no part in one of the modes, but for those that the
    command ``uses``, and a seed.
    """
    for mode, option in product(modes, args.options):
        name = option.lstrip("-")
        if not isinstance(mode, Mode) or name in ("json", *uses.split()):
            continue
        if (
            name in mode.refuses.split()
            if mode.takes is None
            else name not in mode.takes.split()
        ):
            if name != "seed":
                raise UsageError(f"argument {option}: {mode.why}: leave {option} out")
            tell(
                "argument --seed: nothing is drawn, the answer is the same for every seed"
            )


EXACT = Mode("nothing is drawn", "seed")
CLUSTER = Mode("a cluster has the workers that it has", "workers")


type Subparsers = argparse._SubParsersAction[OneLineParser]


def pair(text: str) -> tuple[Seat, Seat]:
    from bayesbridge.estimators.protocol import Question

    return Question.of(text).pair


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number in a range, also written as 10_000_000 or 1e7."""

    def read(text: str) -> int:
        from decimal import Decimal, InvalidOperation

        try:
            value = Decimal(text)
            # The range comes first: the integer of 1e999999999 would fill the memory.
            if value.is_finite() and low <= value <= high and value == int(value):
                return int(value)
            wrong = (
                "is not a whole number" if low <= value <= high else "is out of range"
            )
        except InvalidOperation:
            wrong = "is not a number"
        raise UsageError(
            f"{text!r} {wrong}: write a whole number from {low} to {high:_}"
        )

    return read


READERS: dict[str, Any] = {
    "json": {"default": argparse.SUPPRESS},
    "seed": {"default": argparse.SUPPRESS, "type": whole(0, 2**64 - 1)},
    "pair": pair,
    "draws": whole(2, MOST_DRAWS),
    "solve": whole(0, 1_000_000),
    "seconds": whole(1, 1_000_000),
    "workers": whole(1, 1024),
    "dealer": Seat.of,
    "seat": Seat.of,
    "after_trick": whole(0, 13),
    "after_card": whole(0, 3),
    **dict.fromkeys(("hand", "first", "second"), SETTINGS["hand"].read),
    **{name: {"action": "append"} for name in ("estimator", "reader", "scoring")},
}
"""What reads the arguments of these names, or what else argparse is to know of them,
unless a command says it.
"""


def add_options(parser: argparse._ActionsContainer, text: str, **more: Any) -> None:
    """Put arguments on a parser or a group, a line of the text for each: name, metavar,
    two spaces or more, help.

    An option without a metavar is given or not; of ``either`` and ``or`` one may be given; ``more`` is like
    :data:`READERS`.
    """
    text = text.strip("\n").rstrip()
    margin = len(text) - len(text.lstrip())
    group = parser
    for entry in re.split(rf"\n(?! {{{margin + 1}}})", text):
        head, about = entry.strip().split("  ", 1)
        which, name, metavar = re.findall(r"(either |or |)(\S+) ?(.*)", head)[0]
        group = (
            parser.add_mutually_exclusive_group()
            if which == "either "
            else group
            if which
            else parser
        )
        told = (READERS | more).get(name.strip("-").replace("-", "_").lower(), {})
        told = {"type": told} if callable(told) else dict(told)
        if name.isupper():
            name, metavar = name.lower(), name
        if metavar:
            told["metavar"] = metavar
        elif "choices" not in told:
            told["action"] = "store_true"
        group.add_argument(name, help=" ".join(about.split()), **told)


COMMON = """
--json    print one JSON object and nothing else
--seed N  where random numbers start: same seed, same answer (default: 1)"""


def add_command(
    commands: Subparsers, run: str, text: str, **more: Any
) -> OneLineParser:
    """A new command by a text like its help: name and summary, arguments, examples,
    with a gap after each.

    ``run`` names the module of this package and its function; ``more`` is as in
    :func:`add_options`.
    """
    head, *arguments, examples = re.split(r"\n\s*\n", text.strip())
    name, summary = head.split(maxsplit=1)
    summary = " ".join(summary.split())
    shown = "\n  ".join(["example:", *map(str.strip, examples.splitlines())])
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=shown,
    )
    for entries in (COMMON, *arguments):
        add_options(parser, entries, **more)
    parser.set_defaults(run=run)
    return parser


def verify_solver(args: argparse.Namespace, uses: str = "") -> None:
    """Refuse layouts to solve, or time for that, where nothing solves them."""
    if args.solve or args.seconds:
        from bayesbridge.estimators.odds import layout_solver

        why = "nothing can be solved without the plugin bayesbridge-double-dummy"
        verify(args, layout_solver() is None and Mode(why, "solve seconds"), uses=uses)


@contextmanager
def keeping(args: argparse.Namespace, noun: str) -> Iterator[None]:
    """Let an interrupt say how much of the work is kept, and how to go on."""
    try:
        yield
    except BaseException as error:
        if not caused_by_interrupt(error):
            raise
        if not args.resume:
            raise KeyboardInterrupt(
                "nothing is kept; with --resume FOLDER what is done stays"
            ) from error
        from shlex import join

        from bayesbridge.studies.jobs import kept

        done, again = kept(Path(args.resume), noun), join(["bayesbridge", *args.words])
        raise KeyboardInterrupt(
            f"kept in {args.resume!r}: {done}; go on with: {again}"
        ) from error


NOTES = 5  # notes on what was left out of a file; more are counted


def open_records(
    path: str, option: str = "FILE", quiet: bool = False
) -> Iterator[Record]:
    """The records of a file or of a viewer's link, one at a time; what was left out is
    told unless ``quiet``.
    """
    if not os.path.isfile(path) and "lin=" not in path:
        raise UsageError(
            f"argument {option}: there is no file {path!r}: give a PBN or LIN file, or a viewer's link"
        )
    notes = records = 0
    try:
        for item in iter_records(path):
            if not isinstance(item, Skipped):
                records += 1
                yield item
            elif (notes := notes + 1) <= NOTES and not quiet:
                tell(item)
    except OSError as error:
        raise UsageError(
            f"argument {option}: cannot read {path!r}: {error.strerror}"
        ) from None
    if not quiet and notes > NOTES:
        tell(f"{notes - NOTES} more notes on what was left out")
    if not records:
        raise UsageError(
            f"argument {option}: {path!r} holds no record that can be read: give a PBN or LIN file"
        )


class PlayerName(str):
    """The observer by name; a record tells the seat."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self)


def read_observer(text: str) -> Seat | PlayerName:
    """A seat, or what may be the name of a player."""
    try:
        return Seat.of(text)
    except NotationError:
        return PlayerName(text.strip())


def seat_of(record: Record, observer: Seat | PlayerName) -> Seat | None:
    """Where the observer sits; ``None`` where no player there has the name."""
    if isinstance(observer, Seat):
        return observer
    words = observer.casefold()
    names = {seat: record.tag(SEATS[seat.name]).casefold() for seat in Seat}
    same = [seat for seat in Seat if names[seat] == words]
    alike = [seat for seat in Seat if words in names[seat]]
    return next(iter(same or alike), None)


def _shows_hand(record: Record, observer: Seat | PlayerName | None) -> bool:
    """Whether the record tells the observer's hand."""
    if observer is None:
        return True
    seat = seat_of(record, observer)
    return seat is not None and record.hands[seat] is not None


def chosen_record(
    records: Iterable[Record],
    args: argparse.Namespace,
    file: str,
    observer: Seat | PlayerName | None,
) -> Record:
    """The record asked for; the file is read to its end, so that all that is wrong with
    it is told.
    """
    chosen: Record | None = None
    boards: dict[str, None] = {}  # in order, each once
    names: set[str] = set()
    for record in records:
        names |= {record.tag(name) for name in SEATS.values()}
        same_board = args.board in (None, record.board)
        same_room = args.room is None or args.room.lower() == record.room.lower()
        if record.auction is not None and _shows_hand(record, observer):
            if chosen is None and same_board and same_room:
                chosen = record
            boards[f"{record.board} {record.room}".strip()] = None
    if chosen is not None:
        return chosen
    if isinstance(observer, PlayerName) and not boards:
        hint = did_you_mean(observer, [name for name in names if name])
        fault = f"{str(observer)!r} is neither a seat nor a player there"
        raise UsageError(
            f"argument --observer: {fault}: {hint}write N, E, S, W or a name"
        )
    what = " ".join(filter(None, ("board", args.board, args.room)))
    hand = "" if observer is None else f" and {observer.name}'s hand"
    mend = "name another file or --observer"
    if boards:
        shown = ", ".join(list(boards)[:12])
        mend = f"choose {shown}{' …' if len(boards) > 12 else ''}"
    raise UsageError(f"no {what} in {file!r} with an auction{hand}: {mend}")


RECORD = Mode("the record tells it", "hand players dummy position")
NO_RECORD = Mode(
    "no --record FILE is named", "board room after-trick after-card alerts"
)
NO_TRICK = Mode(
    "it counts from a trick on, and no --after-trick is named", "after-card"
)
NO_AUCTION = Mode("it says who began --auction, and none is given", "dealer")


def record_position(args: argparse.Namespace) -> Position:
    """What the observer saw of the record; empty where no record is named."""
    verify(
        args,
        RECORD if args.record else NO_RECORD,
        args.after_trick is None and NO_TRICK,
    )
    if args.record is None:
        if isinstance(args.observer, PlayerName):
            with attributed("--observer"):
                Seat.of(args.observer)
        return Position({})
    from bayesbridge.belief.belief import seen_by

    named = args.observer
    if named is None and not getattr(args, "by_turn", False):
        named = Seat.S  # what to play is asked by who chooses then
    records = open_records(args.record, "--record")
    record = chosen_record(records, args, args.record, named)
    observer = args.observer = None if named is None else seat_of(record, named)
    tricks, more = args.after_trick, args.after_card
    cards = len(record.plays) if tricks is None else 4 * tricks + (more or 0)
    if cards > len(record.plays):
        option = "--after-card" if more else "--after-trick"
        whole_tricks, over = divmod(len(record.plays), 4)
        told = counted(whole_tricks, "whole trick")
        if over:
            told += f" and {counted(over, 'card')}"
        raise UsageError(
            f"argument {option} {more or tricks}: {record.place} has {told}{record.rest}"
        )
    with attributed("--record"):
        if observer is None:
            table = record.table(cards)
            if table.contract is None:
                why = "the board was passed out or its auction is not over: choose another board"
                raise UsageError(f"nothing is played, {why}")
            observer = (
                table.contract.declarer if table.chooser is None else table.chooser
            )
        seat, hand, seen = seen_by(record, observer, cards)
    settings = {
        "observer": seat,
        "hand": hand,
        "players": 4,
        "vulnerable": record.vulnerable or Vulnerability.NONE,
    }
    settings |= {"system": systems} if (systems := _systems_at(args, record)) else {}
    return Position(
        {
            name: Sourced(value, "argument --record", name != "vulnerable")
            for name, value in settings.items()
        },
        tuple(Sourced(piece, "argument --record") for piece in seen),
    )


def _systems_at(args: argparse.Namespace, record: Record) -> tuple[Agreement, ...]:
    """The systems that the options name, and with ``--alerts`` what was alerted at the
    table.
    """
    from bayesbridge.bidders.alerts import alerts_system
    from bayesbridge.bidders.systems import Agreement

    told = alerts_system(record) if args.alerts else None
    if args.alerts and told is None:
        tell(f"board {record.board}: no alert that can be read as a statement")
    return (*(args.system or ()), *([] if told is None else [Agreement(told)]))


def add_kinds(group: Any, names: Iterable[str]) -> None:
    """An option for each kind of evidence; what they say is kept in order, with the
    option that said it.
    """
    for name in names:
        kind = KINDS[name]
        group.add_argument(
            f"--{name}",
            type=lambda text, name=name, read=kind.of: Sourced(
                read(text), f"argument --{name}"
            ),
            action="append",
            dest="evidence",
            default=[],
            metavar=kind.example,
            help=kind.help,
        )


SETTING_READERS: dict[str, Callable[[str], Any]] = {"observer": read_observer}
"""What reads the options of settings, where these take more than a position file."""


def add_settings(group: Any, names: Iterable[str], **about: str) -> None:
    """An option for each setting; ``about`` replaces help texts by name."""
    for name in names:
        setting = SETTINGS[name]
        group.add_argument(
            f"--{name}",
            *(["--vul"] if name == "vulnerable" else []),
            type=SETTING_READERS.get(name, setting.read),
            action="append" if setting.many else "store",
            metavar=setting.metavar,
            help=about.get(name, setting.help),
        )


def add_evidence(parser: OneLineParser) -> None:
    """Put the EVIDENCE options on a command."""
    group = parser.add_evidence(
        "Repeatable where they say what was seen; their order is kept."
    )
    looks = "the seat that looks; of a --record also a player's name"
    add_settings(group, SETTINGS, observer=looks)
    add_kinds(group, KINDS)
    told = {"action": "append", "dest": "evidence"}
    text = """
        --auction CALLS  all calls so far in one text, as "1NT p 3NT" or "1H (2S)"; S: before them, or --dealer, says
                         who began
        --dealer S       who began --auction (default: so that the observer calls next, or leads)
        --record FILE    a PBN or LIN file, or a viewer's link: what --observer (default: S) saw of a table, with the
                         hand; other evidence is added
        --board N        the board (default: the first that can be replayed)
        --room NAME      the room, where a board was played twice
        --alerts         of a record: take alerts that can be read, such as 'limit raise' or '5+ spades', for what the
                         calls show
        --after-trick N  of a record so many tricks, 0 for the auction alone (default: all)
        --after-card N   and so many cards of the next trick
        --position FILE  a TOML file that says all this; options are added to it, and settings given as options replace
                         its own
        """
    add_options(
        group,
        text,
        auction={
            "type": lambda text: Sourced(AuctionText(text), "argument --auction"),
            **told,
        },
    )


BIDS = (
    "players",
    "bidder",
    "slip",
    "vulnerable",
    "system",
)  # settings that say who bids
# Settings that say how the others bid and choose cards
MODELS = "bidder slip vulnerable system style player"

UNCALLED = Mode(
    "nobody else has called, so the answer depends on no bidder",
    "bidder slip vulnerable system style",
)
UNCHOSEN = Mode(
    "no hidden hand has played to a known contract, so the answer depends on no player",
    "player",
)
UNPLAYED = Mode("no card is played, so trumps have no part in the answer", "trump")


def belief_of(args: argparse.Namespace, uses: str = "") -> tuple[Position, Belief]:
    """The position of the options, and its belief; ``uses`` as in
    :func:`verify_models`.
    """
    position = position_of(args)
    if "vulnerable" in uses and "vulnerable" in position.settings:
        scored = position.settings["vulnerable"]._replace(needed=False)
        position = position.with_more({"vulnerable": scored}, ())
    belief = position.belief()
    verify_models(args, belief, uses)
    return position, belief


def verify_models(args: argparse.Namespace, belief: Belief, uses: str) -> None:
    """Refuse settings of models that the belief does not ask, but for those that the
    command ``uses`` itself.
    """
    auction, played = (
        belief.auction,
        {piece.seat for piece in belief.evidence if isinstance(piece, Play)},
    )
    called = auction is not None and any(seat != belief.observer for seat, _ in auction)
    shown = [
        belief.observer,
        *(
            [auction.contract.declarer.partner]
            if auction and auction.contract
            else Seat
        ),
    ]
    chosen = not played.issubset(shown)
    verify(
        args,
        not called and UNCALLED,
        not chosen and UNCHOSEN,
        not played and UNPLAYED,
        uses=uses,
    )


class Models(TypedDict):
    bidder: BidderModel
    player: PlayerModel | None


def models_at(args: argparse.Namespace, record: Record) -> Models:
    """As the options say, else experts, at the vulnerability of the record; with
    ``--adapt`` in the pairs' styles.
    """
    from bayesbridge.bidders.pairs import History
    from bayesbridge.bidders.play import LearnedPlayer

    settings: dict[str, Sourced[Any]] = {
        "vulnerable": Sourced(record.vulnerable or Vulnerability.NONE, "", False)
    }
    if getattr(args, "adapt", False):
        styles = History.before(open_records(args.file), record, 200).styles(record)
        settings |= (
            {"style": Sourced(tuple(SideStyle(*one, "") for one in styles.items()), "")}
            if styles
            else {}
        )
        if not styles:
            tell(
                "no earlier board of the file names a pair of this table: nothing to adapt to"
            )
    settings |= settings_of(args, MODELS.split())
    settings |= (
        {"system": Sourced(systems, "argument --alerts")}
        if (systems := _systems_at(args, record))
        else {}
    )
    bidder = Position(settings).bidder("learned")
    assert bidder is not None
    return {
        "bidder": bidder,
        "player": None if args.player == "none" else LearnedPlayer(),
    }


def position_of(args: argparse.Namespace) -> Position:
    """What the options say, on top of the position file or the record."""
    position = record_position(args)
    if args.position:
        position = Position.read(args.position)
    given = settings_of(args, SETTINGS)
    if args.record:
        given.pop(
            "system", None
        )  # the position of the record has it, with what was alerted
    settings = {**position.settings, **given}
    if "hand" in settings:
        settings.setdefault("observer", Sourced(Seat.S, "argument --hand"))
    auctions = [
        piece for piece in args.evidence if isinstance(piece.value, AuctionText)
    ]
    if auctions and players_in(settings, [piece.value for piece in auctions]) == 4:
        # The calls of an auction do not show that they were given as one text.
        settings.setdefault("players", Sourced(4, auctions[0].where, implied=True))
    position = position._replace(settings=settings)
    return position.with_more({}, list(_pieces(args, position)))


def settings_of(
    args: argparse.Namespace, names: Iterable[str]
) -> dict[str, Sourced[Any]]:
    return {
        name: Sourced(
            tuple(value) if SETTINGS[name].many else value, f"argument --{name}"
        )
        for name in names
        if (value := getattr(args, name)) is not None
    }


def _pieces(args: argparse.Namespace, known: Position) -> Iterator[Sourced[Piece]]:
    """The evidence of the options in order, with the calls of an auction one by one."""
    values = {name: given.value for name, given in known.settings.items()}
    told = [piece.value for piece in args.evidence]
    if getattr(args, "trick", None) is not None:
        told += [
            Play(*play) for play in args.trick
        ]  # its leader led, where no card came before
    four = (
        players_in(known.settings, [*(piece.value for piece in known.pieces), *told])
        == 4
    )
    dummy = None if four else values.get("dummy", PAPER_DUMMY)
    verify(
        args, not any(isinstance(piece, AuctionText) for piece in told) and NO_AUCTION
    )
    for piece in args.evidence:
        if not isinstance(piece.value, AuctionText):
            yield piece
            continue
        observer = values.get("observer")
        with attributed("--auction"):
            calls = calls_of(
                piece.value,
                dealer=args.dealer,
                observer=observer,
                dummy=dummy,
                evidence=told,
            )
        for call in calls_told(piece.value, calls):
            yield Sourced(call, piece.where)


def verify_target(option: str, name: str, what: str, *endings: str) -> Path:
    """Find out before the work whether its result can be written; ``what`` the result
    is decides how names end.
    """
    path = Path(name)
    if path.suffix not in endings:
        raise UsageError(
            f"argument {option}: {name!r}: {what}, let its name end in {endings[0]}"
        )
    try:
        folder = final_path(path).parent
        if not folder.is_dir():
            raise UsageError(
                f"argument {option}: {name!r}: name a file in a folder that exists"
            )
        if not os.access(folder, os.W_OK):
            raise PermissionError(
                errno.EACCES, f"nothing may be written in {str(folder)!r}"
            )
    except OSError as error:
        raise UsageError(
            f"argument {option}: cannot write {name!r} ({error.strerror}): {advice(error)}"
        ) from None
    return path


@contextmanager
def writing(option: str, path: Path) -> Iterator[Path]:
    """A place to write a file to that then appears whole; what hinders it is said with
    the option.
    """
    try:
        with whole_file(path) as part:
            yield part
    except OSError as error:
        why = error.strerror or error
        raise Unwritable(
            f"argument {option}: cannot write {str(path)!r} ({why}): {advice(error)}",
            path=path,
        ) from None
