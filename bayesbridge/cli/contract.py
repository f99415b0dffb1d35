"""``--contract 4S --by S``: the options that ask whether a contract makes."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from bayesbridge.cli.options import Once, Parser, UsageError, whole
from bayesbridge.errors import BayesBridgeError

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.odds import ContractQuestion

MOST_SOLVED = 1_000_000


def add_contract(parser: Parser) -> None:
    """Ask which contract is meant, and how much time its answer may take."""
    parser.add_argument(
        "--contract",
        action=Once,
        metavar="4S[X[X]]",
        help="whether it makes and how many tricks it takes, by 'tricks', corrected by solved layouts",
    )
    parser.add_argument(
        "--by", action=Once, metavar="S", help="its declarer (default: as the auction says, or the observer)"
    )
    parser.add_argument(
        "--solve",
        type=whole(0, MOST_SOLVED),
        action=Once,
        metavar="N",
        help="layouts to solve for it, 0 for none (default: as --seconds allow; needs bayesbridge-double-dummy)",
    )
    parser.add_argument(
        "--actual",
        action="store_true",
        help="tricks as real declarers take them beside double dummy, by records of experts (default: double dummy)",
    )
    parser.add_argument(
        "--reached",
        action="store_true",
        help="weigh it too that experts stopped in the contract of the auction (default: the calls alone)",
    )
    parser.add_argument(
        "--seconds",
        type=whole(1, 1_000_000),
        action=Once,
        metavar="N",
        help="time on one core for solving, and for estimators that take long (default: 10, or all --draws if chosen)",
    )


def contract_words(args: Namespace) -> list[str]:
    """The options again, for a command line that asks the same."""
    given = ((f"--{name}", getattr(args, name)) for name in ("contract", "by", "solve", "seconds"))
    flags = [f"--{name}" for name in ("actual", "reached") if getattr(args, name)]
    return [str(word) for flag, value in given if value is not None for word in (flag, value)] + flags


def as_reached(posterior: Posterior, args: Namespace) -> Posterior:
    """With ``--reached`` the posterior given also that the auction ended where it did."""
    if not args.reached:
        return posterior
    from bayesbridge.estimators.reached import reached

    try:
        return reached(posterior)
    except BayesBridgeError as error:
        raise UsageError(f"argument --reached: {error}") from None


def asked_contract(belief: Belief, args: Namespace) -> ContractQuestion | None:
    """What the options ask about a contract; ``None`` without one."""
    from bayesbridge.estimators.odds import contract_question

    try:
        return contract_question(belief, args.contract, args.by, args.pair, None, args.solve, args.seconds, args.actual)
    except BayesBridgeError as error:
        raise UsageError(f"argument --contract: {error}") from None
