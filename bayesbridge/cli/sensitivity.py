"""``bayesbridge sensitivity``: how much an answer depends on how the others are taken to bid."""

from __future__ import annotations

from argparse import Namespace
from math import isfinite
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.options import (
    Once,
    Subparsers,
    UsageError,
    add_command,
    add_evidence,
    add_pair,
    add_picture,
    picture_target,
    position_of,
    reading,
    whole,
    write_picture,
)
from bayesbridge.cli.screens import add_draws, print_evidence, print_json, print_table, progress_line, say
from bayesbridge.errors import BayesBridgeError
from bayesbridge.position import read_probability
from bayesbridge.views.documents import evidence_document, nested
from bayesbridge.words import CAPTURES, number, percent

if TYPE_CHECKING:
    import xarray

MOST_CARDS = 6
"""Cards shown of those that depend most on the model."""


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "sensitivity",
        "how much the answer depends on the bidder model and on its slip",
        run,
        "bayesbridge sensitivity --observer S --hand AKQ2.KJ3.A54.Q32 --call W:2NT --slips 0.01,0.05",
    )
    parser.add_argument(
        "--slips",
        type=reading(lambda text: [read_probability(part) for part in text.split(",")]),
        action=Once,
        metavar="P,P",
        help="shares of random calls to try (default: 0.005,0.01,0.02,0.05,0.1)",
    )
    parser.add_argument(
        "--bidders",
        type=lambda text: [part.strip() for part in text.split(",")],
        action=Once,
        metavar="NAME,NAME",
        help="bidder models to try (default: that of the position; see 'plugins')",
    )
    parser.add_argument("--level", type=whole(1, 7), default=1, metavar="N", help="asks for T ≥ 6 + N (default: 1)")
    add_picture(parser)
    add_pair(parser)
    add_draws(parser)
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Infer under every model, and print."""
    from bayesbridge.estimators.registry import offered
    from bayesbridge.sensitivity import sensitivity

    target = picture_target(args)
    position = position_of(args)
    belief = position.belief()
    if not belief.target.soft:
        raise UsageError("no call of another seat: the answer depends on no bidder model; give a --call")
    with position.blaming():
        belief.count()
    try:
        bidders = None
        if args.bidders is not None:
            registry = offered("bidders", args.bidders)
            bidders = {name: registry.bidder(name) for name in args.bidders}
        found = sensitivity(
            belief,
            slips=args.slips,
            bidders=bidders,
            pair=args.pair,
            draws=args.draws,
            rng=args.seed,
            progress=progress_line("models"),
        )
    except BayesBridgeError as error:
        raise UsageError(f"arguments --bidders and --slips: {error}") from None
    if target is not None:
        from bayesbridge.plots import plot_sensitivity

        write_picture(target, plot_sensitivity(found, level=args.level)[0].figure)
    if args.json:
        print_json({"models": [_document(found, place) for place in range(found.sizes["model"])],
                    **evidence_document(belief)})  # fmt: skip
        return 0
    print_evidence(belief)
    _show(found, args.level)
    return 0


def _document(found: xarray.Dataset, place: int) -> dict[str, Any]:
    row = found.isel(model=place)
    single = ("log_evidence", "log_evidence_error", "log_bayes_factor", "log_bayes_factor_error", "entropy_bits",
              "qualified", "T_mean", "error")  # fmt: skip
    told: dict[str, Any] = {name: _told(row[name].item()) for name in single}
    possible = isfinite(row["log_evidence"].item())
    arrays = ("T", "T_at_least", "points", "card_probabilities")
    told |= {name: (_values(row[name]) if possible else None) for name in arrays}
    slip = _told(row["slip"].item())
    return {"bidder": str(row["bidder"].item()), "slip": slip, "method": str(row["method"].item()), **told}


def _values(array: xarray.DataArray) -> dict[str, Any]:
    if array.ndim == 2:
        return nested(array)
    return {str(label): float(value) for label, value in zip(array[array.dims[0]].values, array.values, strict=True)}


def _told(value: float) -> float | None:
    return value if isfinite(value) else None


def _show(found: xarray.Dataset, level: int) -> None:
    rows = []
    for place, label in enumerate(found["model"].values):
        row = found.isel(model=place)
        if not isfinite(row["log_evidence"].item()):
            rows.append([str(label), "impossible", *[""] * 5])
            continue
        factor = row["log_bayes_factor"].item()
        error = row["error"].item()
        rows.append(
            [
                str(label),
                number(row["log_evidence"].item(), 3),
                number(factor, 3) if isfinite(factor) else "–",
                percent(row["qualified"].item()),
                number(row["T_mean"].item(), 2),
                percent(row["T_at_least"].sel(tricks=6 + level).item()),
                percent(error) if error else "exact",
            ]
        )
    header = ["", "log P(evidence)", "log Bayes factor", "conditions hold", "T if they hold", f"T ≥ {6 + level}", "±"]
    print_table("The same question under every bidder model", header, rows)
    _show_cards(found)
    say(CAPTURES)
    say("log Bayes factor: how much the evidence speaks for the model against the first, in nats; above 3 is much.")
    say("±: the largest standard error of a probability.")


def _show_cards(found: xarray.Dataset) -> None:
    """The cards whose place depends most on the model."""
    chances = found["card_probabilities"]
    swing = (chances.max("model") - chances.min("model")).to_series().sort_values(ascending=False)
    rows: list[list[str]] = []
    shown: set[object] = set()
    for (card, seat), spread in swing.items():
        if card not in shown and len(shown) < MOST_CARDS and spread >= 0.0005:
            shown.add(card)
            one = chances.sel(card=card, seat=seat)
            rows.append([f"P({seat} holds {card})", percent(one.min().item()), percent(one.max().item())])
    if rows:
        print_table("Cards that depend most on the model", ["", "least", "most"], rows)
