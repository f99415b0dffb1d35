"""``--card SQ``: where a card lies, and how the answer moved with each piece of evidence."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from bayesbridge.cards import Card
from bayesbridge.cli.parsing import Once, Parser, UsageError, reading
from bayesbridge.cli.printing import print_table, progress_line, say
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.words import percent

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief

SEAT_NAMES = tuple(seat.name for seat in Seat)


def add_card(parser: Parser) -> None:
    """Ask which card is looked for."""
    parser.add_argument(
        "--card",
        type=reading(Card.of),
        action=Once,
        metavar="SQ",
        help="where this card lies, and how each piece of evidence moved the answer",
    )


def card_steps(belief: Belief, args: Namespace) -> list[dict[str, Any]]:
    """A row for each piece of evidence; none where no card was asked for."""
    if args.card is None:
        return []
    from bayesbridge.history import card_history

    try:
        table = card_history(belief, args.card, draws=args.draws, rng=args.seed, progress=progress_line("steps"))
    except BayesBridgeError as error:
        raise UsageError(f"argument --card: {error}") from None
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def show_card(steps: list[dict[str, Any]], args: Namespace) -> None:
    """For people; nothing where nothing was asked."""
    if not steps:
        return
    seats = [name for name in SEAT_NAMES if any(step[name] > 0.0 for step in steps)]
    rows = [
        [step["event"], *(percent(step[name]) for name in seats), "exact" if step["exact"] else _error(step["error"])]
        for step in steps
    ]
    say()
    print_table(f"Where {args.card} lies, after each piece of evidence", ["after", *seats, ""], rows)


def card_document(steps: list[dict[str, Any]], args: Namespace) -> dict[str, Any]:
    """For ``--json``: nothing where nothing was asked."""
    return {"card_history": {"card": str(args.card), "steps": steps}} if steps else {}


def _error(error: float) -> str:
    return f"± {100 * error:.1f} %"
