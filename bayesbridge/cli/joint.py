"""``--joint T,points[N]``: how two numbers go together, on the screen and in JSON."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.parsing import Parser, UsageError
from bayesbridge.cli.printing import print_table, say
from bayesbridge.errors import BayesBridgeError
from bayesbridge.words import percent

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.deal import Seat


def add_joint(parser: Parser) -> None:
    """Ask which numbers are wanted together."""
    parser.add_argument(
        "--joint",
        type=_two_names,
        action="append",
        default=[],
        metavar="T,card[HA]",
        help="how two numbers go together, repeatable: T, condition, Delta, c1[S], delta[S], points[N], level[N], "
        "length[N:S], card[HA] …",
    )


def _two_names(text: str) -> tuple[str, str]:
    first, comma, second = (part.strip() for part in text.partition(","))
    if not comma or "," in second:
        raise ArgumentTypeError(f"{text!r}: name two numbers with a comma between, such as T,points[N]")
    return first, second


def joints(
    posterior: Posterior, wanted: list[tuple[str, str]], pair: tuple[Seat, Seat] | None
) -> dict[str, xarray.Dataset]:
    """By what was asked."""
    from bayesbridge.joint_distributions import joint_distribution

    try:
        return {",".join(names): joint_distribution(posterior, *names, pair=pair) for names in wanted}
    except BayesBridgeError as error:
        raise UsageError(f"argument --joint: {error}") from None


def joint_documents(found: dict[str, xarray.Dataset]) -> dict[str, Any]:
    """For ``--json``: nothing where nothing was asked."""
    from bayesbridge.documents import nested

    said = {
        text: {
            "exact": bool(joint.attrs["exact"]),
            "method": joint.attrs["method"],
            "probability": nested(joint["probability"]),
            "error": nested(joint["error"]),
        }
        for text, joint in found.items()
    }
    return {"joint": said} if said else {}


def show_joints(found: dict[str, xarray.Dataset]) -> None:
    """A table for each: the first number down, the second across; what no layout has is left out."""
    for joint in found.values():
        say()
        shares = joint["probability"]
        down, across = (str(dim) for dim in shares.dims)
        columns = [place for place in range(shares.shape[1]) if shares.values[:, place].any()]
        header = [down, *(str(shares[across].values[place]) for place in columns), "all"]
        rows = [
            [str(label), *(percent(share) if share else "·" for share in row[columns]), percent(row.sum())]
            for label, row in zip(shares[down].values, shares.values, strict=True)
            if row.any()
        ]
        rows.append(["all", *(percent(shares.values[:, place].sum()) for place in columns), ""])
        how = "exact" if joint.attrs["exact"] else "estimated"
        print_table(f"{down} (down) and {across} (across) together, {how}", header, rows)
