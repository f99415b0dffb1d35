"""``bayesbridge capture``: Algorithm 2 on two hands."""

from __future__ import annotations

from argparse import Namespace

from bayesbridge.capture import literal
from bayesbridge.cards import Hand, Suit
from bayesbridge.cli.explanations import why_captured
from bayesbridge.cli.options import Subparsers, add_command, full_hand
from bayesbridge.cli.screens import print_json, print_table, say
from bayesbridge.words import CAPTURES, SUITS
from bayesbridge.words import LETTERS as LETTERS_IN_WORDS

BY_SUIT = ("c1", "c2", "c0", "delta", "M", "kappa")
LETTERS = ("c₁", "c₂", "c₀", "δ", "M", "κ")


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "capture",
        "captures of two hands together, by the paper's rule (Algorithm 2)",
        run,
        "bayesbridge capture AKQ2.KJ3.A54.Q32 J54.AQ2.KQ32.A54",
    )
    parser.add_argument("first", metavar="FIRST", type=full_hand, help="player 1's hand: spades.hearts.diamonds.clubs")
    parser.add_argument("second", metavar="SECOND", type=full_hand, help="player 2's hand")


def run(args: Namespace) -> int:
    """Capture and print."""
    found = literal.capture(args.first, args.second)
    if args.json:
        print_json(_document(args.first, args.second, found))
        return 0
    rows = [
        [
            SUITS[suit.name],
            args.first.pbn.split(".")[3 - suit] or "–",
            args.second.pbn.split(".")[3 - suit] or "–",
            *(str(getattr(found, key)[suit]) for key in BY_SUIT),
        ]
        for suit in Suit
    ]
    rows.append(["all", "", "", "13", "13", "26", f"Δ = {found.Delta}", "", f"T = {found.T}"])
    print_table("Algorithm 2: captures of two hands", ["suit", "first", "second", *LETTERS], rows, left=3)
    say(LETTERS_IN_WORDS)
    say(why_captured(found))
    say(CAPTURES)
    return 0


def _document(first: Hand, second: Hand, found: literal.Capture) -> dict[str, object]:
    by_suit = {key: {suit.name: getattr(found, key)[suit] for suit in Suit} for key in BY_SUIT}
    return {
        "first": first.pbn,
        "second": second.pbn,
        "T": found.T,
        "chi": found.chi,
        "condition": found.condition,
        "Delta": found.Delta,
        "Z": found.Z,
        **by_suit,
    }
