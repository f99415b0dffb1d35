"""``bayesbridge bid``: Algorithm 1 on one hand."""

from __future__ import annotations

from argparse import Namespace

from bayesbridge.calls import PASS, Call
from bayesbridge.capture import literal
from bayesbridge.cli.explanations import why_bid
from bayesbridge.cli.options import Subparsers, add_command, full_hand
from bayesbridge.cli.screens import print_json, print_table, say


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands, "bid", "what a hand bids (Algorithm 1)", run, "bayesbridge bid AKQ2.AKJ.AK4.A32 --json"
    )
    parser.add_argument("hand", metavar="HAND", type=full_hand, help="the hand: spades.hearts.diamonds.clubs")


def run(args: Namespace) -> int:
    """Bid and print."""
    found = literal.bid(args.hand)
    call = Call.bid(found.level, "NT") if found.level else PASS
    if args.json:
        counts = {str(k): count for k, count in enumerate(found.counts, 7)}
        print_json({"hand": args.hand.pbn, "level": found.level, "call": str(call), "counts": counts})
        return 0
    rows = [
        [f"{k - 6}NT", str(k), str(count), "yes" if count >= k else "no"] for k, count in enumerate(found.counts, 7)
    ]
    print_table("Algorithm 1: the iterative bid", ["bid", "target", "captures", "met"], rows)
    say(f"{call}: {why_bid(args.hand, found)}")
    return 0
