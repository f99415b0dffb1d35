"""``bayesbridge capture`` and ``bayesbridge bid``: the paper's two algorithms on hands, and why they end as they do."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from bayesbridge.calls import PASS, Call
from bayesbridge.capture import literal
from bayesbridge.cards import Hand, Suit
from bayesbridge.cli.options import Subparsers, add_command, full_hand
from bayesbridge.cli.screens import print_json, print_table, say
from bayesbridge.words import CAPTURES, SUITS
from bayesbridge.words import LETTERS as LETTERS_IN_WORDS

LETTERS = {"c1": "c₁", "c2": "c₂", "c0": "c₀", "delta": "δ", "M": "M", "kappa": "κ"}
"""What is told of each suit."""


def add(commands: Subparsers) -> None:
    """Put both commands on the command line."""
    parser = add_command(
        commands,
        "capture",
        "captures of two hands together, by the paper's rule (Algorithm 2)",
        run,
        "bayesbridge capture AKQ2.KJ3.A54.Q32 J54.AQ2.KQ32.A54",
    )
    parser.add_argument("first", metavar="FIRST", type=full_hand, help="player 1's hand: spades.hearts.diamonds.clubs")
    parser.add_argument("second", metavar="SECOND", type=full_hand, help="player 2's hand")
    parser = add_command(
        commands, "bid", "what a hand bids (Algorithm 1)", run_bid, "bayesbridge bid AKQ2.AKJ.AK4.A32 --json"
    )
    parser.add_argument("hand", metavar="HAND", type=full_hand, help="the hand: spades.hearts.diamonds.clubs")


def run(args: Namespace) -> int:
    """Capture and print."""
    found = literal.capture(args.first, args.second)
    if args.json:
        by_suit = {key: {suit.name: getattr(found, key)[suit] for suit in Suit} for key in LETTERS}
        whole = {key: getattr(found, key) for key in ("T", "chi", "condition", "Delta", "Z")}
        print_json({"first": args.first.pbn, "second": args.second.pbn, **whole, **by_suit})
        return 0
    hands = [hand.pbn.split(".") for hand in (args.first, args.second)]
    rows = [
        [
            SUITS[suit.name],
            *(cards[3 - suit] or "–" for cards in hands),
            *(str(getattr(found, key)[suit]) for key in LETTERS),
        ]
        for suit in Suit
    ]
    rows.append(["all", "", "", "13", "13", "26", f"Δ = {found.Delta}", "", f"T = {found.T}"])
    print_table("Algorithm 2: captures of two hands", ["suit", "first", "second", *LETTERS.values()], rows, left=3)
    say(LETTERS_IN_WORDS, why_captured(found), CAPTURES)
    return 0


def run_bid(args: Namespace) -> int:
    """Bid and print."""
    found = literal.bid(args.hand)
    call = Call.bid(found.level, "NT") if found.level else PASS
    counts = dict(enumerate(found.counts, 7))
    if args.json:
        told = {str(target): count for target, count in counts.items()}
        print_json({"hand": args.hand.pbn, "level": found.level, "call": str(call), "counts": told})
        return 0
    rows = [[f"{k - 6}NT", str(k), str(count), "yes" if count >= k else "no"] for k, count in counts.items()]
    print_table("Algorithm 1: the iterative bid", ["bid", "target", "captures", "met"], rows)
    say(f"{call}: {why_bid(args.hand, found)}")
    return 0


def why_captured(found: literal.Capture) -> str:
    """What ended Algorithm 2, or which condition failed and where."""
    if found.condition == "neither":
        return f"T = 0: condition A fails, for {_gaps(found.delta)}, more than 6."
    if found.condition == "only A":
        short = [
            _short(suit, f"{whose} hand: {held[suit]}", found.delta)
            for suit in Suit
            for whose, held in (("first", found.c1), ("second", found.c2))
            if held[suit] <= found.delta[suit]
        ]
        return f"T = 0: condition A holds (Δ = {found.Delta}), condition B fails in {', '.join(short)}."
    end = f"χ = {found.chi} ends it"
    if found.chi < 13:
        end = f"it ends at χ = {found.chi}, for no suit can go on within the budget Z = {found.Z}"
    return f"T = {found.T}: both conditions hold, the two hands have {found.T} captures, and {end}."


def why_bid(hand: Hand, found: literal.Bid) -> str:
    """Which target of Algorithm 1 was the first that was not met, and why."""
    if found.level == 7:
        return "every target up to 13 tricks is met."
    k = found.level + 7
    short = _shortfall(hand, k, found.counts[k - 7])
    if not found.level:
        return f"the target of {k} tricks is not met: {short}."
    return f"the target of {k - 1} tricks is met with {found.counts[k - 8]} captures, that of {k} is not: {short}."


def _shortfall(hand: Hand, k: int, count: int) -> str:
    if count:
        return f"only {count} captures"
    delta = [13 - hand.field(suit).bit_length() for suit in Suit]
    if sum(delta) > 13 - k:
        return f"condition A fails, for {_gaps(delta)}, more than 13 − {k}"
    short = [_short(suit, str(hand.length(suit)), delta) for suit in Suit if hand.length(suit) <= delta[suit]]
    return f"condition B fails in {', '.join(short)}"


def _short(suit: Suit, held: str, delta: Sequence[int]) -> str:
    return f"{SUITS[suit.name]} ({held} held, no more than the leading gap δ = {delta[suit]})"


def _gaps(delta: Sequence[int]) -> str:
    parts = ", ".join(f"{SUITS[suit.name]} {delta[suit]}" for suit in Suit if delta[suit])
    return f"the leading gaps ({parts}) add up to Δ = {sum(delta)}"
