"""``bayesbridge capture`` and ``bayesbridge bid``: the paper's two algorithms on hands,
and why they end as they do.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from bayesbridge.capture import literal
from bayesbridge.cli import options, screens
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    CAPTURES,
    SEATS,
    SUITS,
    game,
    game_with_choice,
    model_words,
    percent,
)
from bayesbridge.display.words import LETTERS as LETTERS_IN_WORDS
from bayesbridge.errors import PluginError
from bayesbridge.evidence.game import PAPER_DUMMY
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS, Call, call_words
from bayesbridge.game.cards import Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.position import Position, calls_of

LETTERS = {"c1": "c₁", "c2": "c₂", "c0": "c₀", "delta": "δ", "M": "M", "kappa": "κ"}


def run(args: Namespace) -> int:
    found = literal.capture(args.first, args.second)
    by_suit = {
        key: {suit.name: getattr(found, key)[suit] for suit in Suit} for key in LETTERS
    }
    whole = {
        key: getattr(found, key) for key in ("T", "chi", "condition", "Delta", "Z")
    }
    document = {"first": args.first.pbn, "second": args.second.pbn, **whole, **by_suit}
    hands = [hand.pbn.split(".") for hand in (args.first, args.second)]
    rows = [
        [
            SUITS[suit.name],
            *(cards[3 - suit] or "–" for cards in hands),
            *(str(getattr(found, key)[suit]) for key in LETTERS),
        ]
        for suit in reversed(Suit)
    ]
    rows.append(
        ["all", "", "", "13", "13", "26", f"Δ = {found.Delta}", "", f"T = {found.T}"]
    )
    columns = ["suit", "first", "second", *LETTERS.values()]
    table = Table("Algorithm 2: captures of two hands", columns, rows, left=3)
    return screens.present(
        args, document, table, LETTERS_IN_WORDS, why_captured(found), CAPTURES
    )


def run_bid(args: Namespace) -> int:
    """The chance of every call where an auction or who bids is given, else Algorithm 1."""
    if any(getattr(args, name) is not None for name in ("auction", *options.BIDS)):
        return _show_calls(args)
    found = literal.bid(args.hand)
    call = Call.bid(found.level, "NT") if found.level else PASS
    counts = dict(enumerate(found.counts, 7))
    told = {str(target): count for target, count in counts.items()}
    document = {
        "hand": args.hand.pbn,
        "level": found.level,
        "call": str(call),
        "counts": told,
    }
    rows = [
        [f"{k - 6}NT", str(k), str(count), "yes" if count >= k else "no"]
        for k, count in counts.items()
    ]
    table = Table(
        "Algorithm 1: the iterative bid", ["bid", "target", "captures", "met"], rows
    )
    why = f"{call}: {why_bid(args.hand, found)}"
    game = game_with_choice(PAPER_DUMMY.name)
    return screens.present(args, document, game, table, why)


def _show_calls(args: Namespace) -> int:
    import numpy as np

    from bayesbridge.bidders.auctions import call_probabilities
    from bayesbridge.decisions.sensitivity import bidders_in_doubt, depends_sentence
    from bayesbridge.estimators.registry import offered

    position = Position(options.settings_of(args, options.BIDS))
    four = args.players != 3
    options.verify(
        args, not four and options.Mode("systems are of the four-player game", "system")
    )
    dummy = None if four else PAPER_DUMMY
    dealer, colon, calls = (args.auction or "").rpartition(":")
    with options.attributed("--auction"):
        auction = Auction(Seat.of(dealer) if colon else Seat.S, dummy=dummy)
        if call_words(calls):
            found = calls_of(
                args.auction,
                dealer=None,
                observer=None if colon else Seat.S,
                dummy=dummy,
            )
            auction = Auction(found[0].seat, tuple(one.call for one in found), dummy)
    if auction.turn is None:
        raise options.UsageError(
            f"argument --auction: '{auction}' is over: nobody calls any more"
        )
    usual = "learned" if four else "iterative"
    bidder = position.bidder(usual) or offered("bidders", [usual]).bidder(usual)
    with options.attributed("--bidder", PluginError):
        hands = np.array([args.hand.mask], np.uint64)
        chances = call_probabilities(bidder, hands, auction)[0]
    ranked = sorted(
        auction.legal_calls(), key=lambda call: (-chances[call.index], call)
    )
    about = {
        "hand": args.hand.pbn,
        "seat": auction.turn.name,
        "auction": str(auction),
        "players": 4 if four else 3,
    }
    document = {
        **about,
        "call": str(ranked[0]),
        "calls": {str(call): float(chances[call.index]) for call in ranked},
    }
    systems: dict[str, dict[str, str | float]] = {}
    for name, model in (bidders_in_doubt(bidder) if auction.calls else {}).items():
        under = call_probabilities(model, hands, auction)[0]
        systems[name] = {
            "call": str(CALLS[under.argmax()]),
            "chance": float(under.max()),
        }
    document |= {"by_system": systems} if systems else {}
    advised = {
        name: f"the hand bids {one['call']} ({percent(float(one['chance']), 0)})"
        for name, one in systems.items()
        if one["call"] != document["call"]
    }
    known = [f"System: {agreement}." for agreement in getattr(bidder, "systems", ())]
    told = "; say what they play by --system" if four and not known else ""
    seat = None if dummy is None else dummy.name
    said = [
        game_with_choice(seat) if args.players is None else game(seat),
        f"The hand bids as {model_words(bidder)}{told}.",
        *known,
    ]
    said += [depends_sentence(advised)] if advised else []
    shown = [call for call in ranked if chances[call.index] >= 0.005] or ranked[:1]
    rows: list[list[str | float]] = [
        [str(call), float(chances[call.index])] for call in shown
    ]
    rest = 1.0 - sum(float(chances[call.index]) for call in shown)
    notes = [
        f"The other {len(ranked) - len(shown)} calls: {percent(max(rest, 0.0))} together."
    ]
    when = f"after {auction}" if auction.calls else "first in hand"
    title = f"What {SEATS[auction.turn.name]} calls with {args.hand.pbn} {when}"
    table = Table(
        title, ["call", "P"], rows, notes if len(ranked) > len(shown) else [], bars=True
    )
    return screens.present(args, document, *said, table)


def why_captured(found: literal.Capture) -> str:
    if found.condition == "neither":
        return f"T = 0: condition A fails, for the leading gaps add up to Δ = {found.Delta}, more than 6."
    if found.condition == "only A":
        fewest = [min(held) for held in zip(found.c1, found.c2, strict=True)]
        return f"T = 0: condition A holds (Δ = {found.Delta}), {_short(fewest, found.delta)}."
    end = f"χ = {found.chi} ends it"
    if found.chi < 13:
        end = f"it ends at χ = {found.chi}, for no suit can go on within the budget Z = {found.Z}"
    return f"T = {found.T}: both conditions hold, the two hands have {found.T} captures, and {end}."


def why_bid(hand: Hand, found: literal.Bid) -> str:
    if found.level == 7:
        return "every target up to 13 tricks is met."
    k = found.level + 7
    delta = [13 - hand.field(suit).bit_length() for suit in Suit]
    if count := found.counts[k - 7]:
        why = f"only {count} captures"
    elif sum(delta) > 13 - k:
        why = f"condition A fails, for the leading gaps add up to Δ = {sum(delta)}, more than 13 − {k}"
    else:
        why = _short([hand.length(suit) for suit in Suit], delta)
    if not found.level:
        return f"the target of {k} tricks is not met: {why}."
    return f"the target of {k - 1} tricks is met with {found.counts[k - 8]} captures, that of {k} is not: {why}."


def _short(held: Sequence[int], delta: Sequence[int]) -> str:
    suits = ", ".join(
        SUITS[suit.name] for suit in reversed(Suit) if held[suit] <= delta[suit]
    )
    return (
        f"condition B fails in {suits}: no more cards are held than the leading gap δ"
    )
