"""``bayesbridge bid``: what a hand calls, and what its calls are worth.

In an auction; or what it bids by the paper's Algorithm 1.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.capture import literal
from bayesbridge.cli import screens
from bayesbridge.cli.evidence_options import BIDS
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.positions import settings_of
from bayesbridge.cli.progress_bar import end_progress, on_terminal
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    SEATS,
    SUITS,
    game,
    game_with_choice,
    model_words,
    percent,
    tell,
)
from bayesbridge.errors import (
    BayesBridgeError,
    Contradiction,
    PluginError,
    caused_by_interrupt,
)
from bayesbridge.evidence.game import PAPER_DUMMY
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS, Call, call_words
from bayesbridge.game.cards import Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.position import Position, calls_of

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.decisions.call_answer import CallValues
    from bayesbridge.evidence.models import BidderModel
    from bayesbridge.game.layouts import Floats

LEAST_SHOWN: Final = 0.005
"""P(call) from which a call has a row of its own."""

INTERRUPTED: Final = 130
"""Exit status."""

VALUES: Final = "goal field layouts seconds calls sampled"
WITHOUT_AUCTION: Final = Mode(
    "Algorithm 1 looks at no auction: give --auction or --players 4",
    f"{VALUES} no-values seed",
)
HIGHEST_LEVEL: Final = 7
TRICKS_BEFORE_LEVEL: Final = 6
"""Tricks that a contract needs beside those of its level."""

FIRST_TARGET: Final = TRICKS_BEFORE_LEVEL + 1
"""The first number of tricks that Algorithm 1 tries to reach."""

WITHOUT_VALUES: Final = Mode(
    "with --no-values nothing is finished and scored", f"{VALUES} seed"
)
OF_FOUR: Final = Mode("systems are of the four-player game", "system")


def run(args: Namespace) -> int:
    """What the hand calls, where an auction or who bids is given; else Algorithm 1."""
    if all(getattr(args, name) is None for name in ("auction", *BIDS)):
        refuse_options(args, WITHOUT_AUCTION)
        return present_algorithm(args, literal.bid(args.hand))
    request = BidRequest.of(args)
    chances = CallProbabilities.of(request)
    if args.no_values:
        return present_chances(args, request, chances)
    values, interrupted = values_so_far(args, request)
    present_values(args, request, chances, values)
    return INTERRUPTED if interrupted else 0


@dataclass(frozen=True, slots=True)
class BidRequest:
    """What is asked: a hand, the auction at its turn, and who bids how."""

    hand: Hand
    auction: Auction
    seat: Seat
    bidder: BidderModel
    names_game: bool
    """Whether the options say how many players bid."""

    @classmethod
    def of(cls, args: Namespace) -> BidRequest:
        """The request of the options; options that have no part in it are refused."""
        of_bridge = args.players != 3
        refuse_options(
            args, OF_FOUR.when(not of_bridge), WITHOUT_VALUES.when(args.no_values)
        )
        auction = auction_of(args, None if of_bridge else PAPER_DUMMY)
        if auction.turn is None:
            raise UsageError(
                f"argument --auction: '{auction}' is over: nobody calls any more"
            )
        bidder = bidder_of(args, "learned" if of_bridge else "iterative")
        names_game = args.players is not None
        return cls(args.hand, auction, auction.turn, bidder, names_game)

    @property
    def of_bridge(self) -> bool:
        """Whether all four seats bid."""
        return self.auction.dummy is None

    @property
    def belief(self) -> Belief:
        """What the seat in turn knows."""
        from bayesbridge.belief.belief import Belief

        dummy = self.auction.dummy
        belief = Belief(self.seat, self.hand, dummy=dummy, bidder=self.bidder)
        return belief.given(self.auction) if self.auction.calls else belief


def auction_of(args: Namespace, dummy: Seat | None) -> Auction:
    """The auction before the call that is asked about."""
    dealer, colon, calls = (args.auction or "").rpartition(":")
    with attributed("--auction"):
        if not call_words(calls):
            return Auction(Seat.of(dealer) if colon else Seat.S, dummy=dummy)
        observer = None if colon else Seat.S
        called = calls_of(args.auction, dealer=None, observer=observer, dummy=dummy)
        made = tuple(piece.call for piece in called)
        return Auction(called[0].seat, made, dummy)


def bidder_of(args: Namespace, usual: str) -> BidderModel:
    """The bidder that the options name, else the usual one."""
    from bayesbridge.estimators.registry import offered

    named = Position(settings_of(args, BIDS)).bidder(usual)
    return named or offered("bidders", [usual]).bidder(usual)


def likeliest_by_system(request: BidRequest) -> dict[str, tuple[Call, float]]:
    """The likeliest call and its chance under each of the usual systems, by name.

    It is empty where the options name a system, or another model of bidders.
    """
    from bayesbridge.decisions.sensitivity import bidders_in_doubt

    by_system = {}
    for system, bidder in bidders_in_doubt(request.bidder).items():
        chances = chances_under(bidder, request)
        likeliest = CALLS[int(chances.argmax())]
        by_system[system] = (likeliest, float(chances.max()))
    return by_system


@dataclass(frozen=True, slots=True)
class CallProbabilities:
    """How often the bidder makes every legal call with the hand."""

    by_call: Mapping[Call, float]
    """The likeliest first."""
    by_system: Mapping[str, tuple[Call, float]]
    """The likeliest call and its chance under systems that nobody named, by system."""

    @classmethod
    def of(cls, request: BidRequest) -> CallProbabilities:
        """The chances of every legal call by the bidder that the options name.

        Where the options name no system and somebody has called, other systems could
        read these calls otherwise: then also the likeliest call under each of the usual
        systems.
        """
        with attributed("--bidder", PluginError):
            chances = chances_under(request.bidder, request)  # by the index of a call

        def likeliest_first(call: Call) -> tuple[float, Call]:
            """Sorts by falling chance, then in the order of calls."""
            return -chances[call.index], call

        legal_calls = sorted(request.auction.legal_calls(), key=likeliest_first)
        return cls(
            by_call={call: float(chances[call.index]) for call in legal_calls},
            by_system=likeliest_by_system(request) if request.auction.calls else {},
        )

    @property
    def likeliest(self) -> Call:
        """The call that is made most often."""
        return next(iter(self.by_call))

    @property
    def depends(self) -> str:
        """A sentence on systems that make another call likeliest.

        Empty where none does.
        """
        from bayesbridge.decisions.sensitivity import depends_sentence

        advice = {
            name: f"the hand bids {call} ({percent(chance, 0)})"
            for name, (call, chance) in self.by_system.items()
            if call != self.likeliest
        }
        return depends_sentence(advice) if advice else ""


def chances_under(model: BidderModel, request: BidRequest) -> Floats:
    """(38,) P(call ∣ hand, auction) by a model."""
    import numpy as np

    from bayesbridge.bidders.auctions import call_probabilities

    hand = np.array([request.hand.mask], np.uint64)
    chances: Floats = call_probabilities(model, hand, request.auction)[0]
    return chances


def values_so_far(args: Namespace, request: BidRequest) -> tuple[CallValues, bool]:
    """What the calls are worth, and whether an interrupt ended the work early."""
    from bayesbridge.decisions.call_values import values_in_steps

    with attributed("--calls"):
        calls = None if args.calls is None else verified_calls(args.calls, request)
    with attributed("--goal"):
        goal = goal_of(args.goal)
    steps = values_in_steps(
        request.belief,
        calls,
        goal=goal,
        field=args.field,
        vulnerable=args.vulnerable,
        rollouts="sampled" if args.sampled else "likeliest",
        layouts=args.layouts,
        seconds=args.seconds,
        rng=args.seed,
        quickly=on_terminal(),
    )
    values = None
    try:
        for values in steps:
            tell_so_far(values)
    except BayesBridgeError as error:
        if isinstance(error, Contradiction | PluginError):
            raise
        raise UsageError(str(error)) from None
    except BaseException as error:
        if values is None or not caused_by_interrupt(error):
            raise
        return values, True
    assert values is not None
    return values, False


def tell_so_far(values: CallValues) -> None:
    """On a terminal, what the first layouts say."""
    if on_terminal():
        end_progress()
        gains = ", ".join(
            f"{row.call} {values.gain_text(row.gain)}" for row in values.rows
        )
        tell(f"so far, on {len(values.layouts)} layouts: {gains}")


def verified_calls(text: str, request: BidRequest) -> list[Call]:
    """Calls that the seat in turn may make."""
    words = text.replace(",", " ").split()
    if not words:
        raise BayesBridgeError("no call named: give one or more, such as X,Pass")
    return [request.auction.verify(word) for word in words]


def goal_of(text: str | None) -> str | dict[str, Any] | None:
    """The name of a goal, or the scheme that a file holds."""
    from bayesbridge.notation.toml_text import Toml

    if text is not None and text.endswith(".toml"):
        return dict(Toml.read(text, "--goal").document)
    return text


def present_values(
    args: Namespace, request: BidRequest, chances: CallProbabilities, values: CallValues
) -> int:
    """What to call first, then the table."""
    document = {
        **chances_document(request, chances),
        "values": values.document(),
    }
    (table,) = values.tables
    answer = screens.answer_first(table, chances.depends)
    return screens.present(
        args, document, game_line(request), *answer, *assumptions(request)
    )


def present_chances(
    args: Namespace, request: BidRequest, chances: CallProbabilities
) -> int:
    """How often the bidder makes each call."""
    depends = [chances.depends] if chances.depends else []
    table = chances_table(request, chances)
    document = chances_document(request, chances)
    return screens.present(
        args, document, game_line(request), *depends, table, *assumptions(request)
    )


def game_line(request: BidRequest) -> str:
    """Which game is meant."""
    dummy = request.auction.dummy
    seat = None if dummy is None else dummy.name
    return game(seat) if request.names_game else game_with_choice(seat)


def assumptions(request: BidRequest) -> list[str]:
    """How the players are assumed to bid."""
    systems = getattr(request.bidder, "systems", ())
    hint = ""
    if request.of_bridge and not systems:
        hint = " Set a system with --system."
    return [
        f"Bidder: {model_words(request.bidder)}.{hint}",
        *(f"Assumed to play: {agreement}." for agreement in systems),
    ]


def chances_document(request: BidRequest, chances: CallProbabilities) -> dict[str, Any]:
    """The question and the chances of the calls as plain data."""
    document: dict[str, Any] = {
        "hand": request.hand.pbn,
        "seat": request.seat.name,
        "auction": str(request.auction),
        "players": 4 if request.of_bridge else 3,
        "call": str(chances.likeliest),
        "calls": {str(call): chance for call, chance in chances.by_call.items()},
    }
    if chances.by_system:
        document["by_system"] = {
            name: {"call": str(call), "chance": chance}
            for name, (call, chance) in chances.by_system.items()
        }
    return document


def chances_table(request: BidRequest, chances: CallProbabilities) -> Table:
    """The likelier calls, and how likely all others are together."""
    ranked = chances.by_call
    shown = [call for call, chance in ranked.items() if chance >= LEAST_SHOWN]
    shown = shown or [chances.likeliest]
    rows: list[list[str | float]] = [[str(call), ranked[call]] for call in shown]
    notes = []
    other_calls = len(ranked) - len(shown)
    if other_calls:
        other_share = max(1.0 - sum(ranked[call] for call in shown), 0.0)
        notes = [f"The other {other_calls} calls: {percent(other_share)} together."]
    auction = request.auction
    when = f"after {auction}" if auction.calls else "first in hand"
    title = f"What {SEATS[request.seat.name]} calls with {request.hand.pbn} {when}"
    return Table(title, ["call", "P"], rows, notes, bars=True)


def present_algorithm(args: Namespace, bid: literal.Bid) -> int:
    """The bid by Algorithm 1, target by target."""
    call = Call.bid(bid.level, "NT") if bid.level else PASS
    counts = dict(enumerate(bid.counts, FIRST_TARGET))
    document = {
        "hand": args.hand.pbn,
        "level": bid.level,
        "call": str(call),
        "counts": {str(target): count for target, count in counts.items()},
    }
    rows = [
        [
            f"{target - TRICKS_BEFORE_LEVEL}NT",
            str(target),
            str(count),
            "yes" if count >= target else "no",
        ]
        for target, count in counts.items()
    ]
    columns = ["bid", "target", "captures", "met"]
    table = Table("Algorithm 1: the iterative bid", columns, rows)
    why = f"{call}: {why_bid(args.hand, bid)}"
    return screens.present(
        args, document, game_with_choice(PAPER_DUMMY.name), table, why
    )


def why_bid(hand: Hand, bid: literal.Bid) -> str:
    """Why Algorithm 1 goes no higher: it fails the next target of tricks."""
    if bid.level == HIGHEST_LEVEL:
        return "every target up to 13 tricks is met."
    captures = dict(enumerate(bid.counts, FIRST_TARGET))  # by target
    target_met = bid.level + TRICKS_BEFORE_LEVEL
    target = target_met + 1
    gaps = [13 - hand.field(suit).bit_length() for suit in Suit]
    if captures[target]:
        # Captures are counted where both conditions hold.
        why = f"only {captures[target]} captures"
    elif sum(gaps) > 13 - target:
        why = (
            f"condition A fails, for the leading gaps add up to Δ = {sum(gaps)}, more "
            f"than 13 − {target}"
        )
    else:
        lengths = [hand.length(suit) for suit in Suit]
        short = [
            SUITS[suit.name] for suit in reversed(Suit) if lengths[suit] <= gaps[suit]
        ]
        why = (
            f"condition B fails in {', '.join(short)}: no more cards are held than the "
            "leading gap δ"
        )
    if not bid.level:
        return f"the target of {target} tricks is not met: {why}."
    return (
        f"the target of {target_met} tricks is met with {captures[target_met]} "
        f"captures, that of {target} is not: {why}."
    )
