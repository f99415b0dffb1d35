"""A record in steps: how what one seat believes sharpens, call by call."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from bayesbridge.belief.belief import Belief
from bayesbridge.cli import screens
from bayesbridge.cli.positions import Models
from bayesbridge.decisions.history import sharpening
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    BITS,
    MADE,
    NOT_FROM_THE_DEAL,
    number,
    percent,
    with_symbols,
)
from bayesbridge.engines.budget import USUAL
from bayesbridge.estimators.outlook import Basis
from bayesbridge.game.calls import Contract
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record
from bayesbridge.views.documents import styles_document


def show_steps(args: Namespace, record: Record, observer: Seat, models: Models) -> int:
    """Print what the observer believes after each call and trick of the record."""
    belief = Belief.of_record(record, observer, **models)
    contract = record.contract
    pair = belief.pair
    if contract is not None:
        pair = (contract.declarer, contract.declarer.partner)
    table = sharpening(
        belief,
        pair=pair,
        contract=contract,
        by_card=args.cards,
        draws=args.draws or USUAL["record"].draws,
        rng=args.seed,
    )
    steps = table.to_dict("records")
    document = {
        "steps": [step_document(step) for step in steps],
        "board": record.board,
        "room": record.room,
        "observer": observer.name,
        "contract": None if contract is None else str(contract),
        "pair": [seat.name for seat in pair],
    }
    if belief.systems:
        document["systems"] = list(belief.systems)
    document |= styles_document(belief.bidder)
    return screens.present(
        args,
        document,
        steps_table(record, observer, steps),
        *(f"Assumed to play: {system}." for system in belief.systems),
        "points: the mean high-card points of the other hands.",
        *made_sentences(contract, steps),
        BITS,
    )


def step_document(step: Mapping[Any, Any]) -> dict[Any, Any]:
    """A step as plain data, with ``None`` for figures that it does not have."""
    figures = {}
    for key, value in step.items():
        missing = isinstance(value, float) and isnan(value)
        figures[key] = None if missing else value
    return figures | {"layouts": str(step["layouts"]), "exact": bool(step["exact"])}


def steps_table(
    record: Record, observer: Seat, steps: Sequence[Mapping[Any, Any]]
) -> Table:
    """A row for each step: layouts, bits, points of the others, the contract's chance."""
    contract = record.contract
    hidden_seats = [seat.name for seat in Seat if seat != observer]
    columns = ["event", "layouts", "bits"]
    columns += [f"points {name}" for name in hidden_seats]
    columns.append(MADE)
    rows = []
    for step in steps:
        points = [number(step[f"points_{name}"], 1) for name in hidden_seats]
        rows.append(
            [
                with_symbols(step["event"]),
                number(step["layouts"]),
                number(step["entropy_bits"], 1),
                *points,
                "–" if contract is None else made_text(step),
            ]
        )
    title = f"{record.title}: what {observer.name} believes"
    return Table(f"{title} ({contract or 'no contract'})", columns, rows)


def made_text(step: Mapping[Any, Any]) -> str:
    """The chance of the contract, and what it is where not double dummy from the deal."""
    return percent(step["made"]) + NOT_FROM_THE_DEAL.get(step["made_basis"], "")


def made_sentences(
    contract: Contract | None, steps: Sequence[Mapping[Any, Any]]
) -> list[str]:
    """What the column of P(made) holds, and how exact it is.

    At most steps it is double dummy from the deal, as a network predicts. Where few
    layouts are left each is solved from there on, and once the tricks taken decide, the
    contract is settled.
    """
    if contract is None:
        return []
    sentence = f"{MADE}: {contract}, by the network tricks on the hands as dealt"
    largest_error = max(step["made_error"] for step in steps)
    if largest_error:
        share = percent(largest_error)
        sentence += f"; one standard error of the draws is at most {share}"
    sentences = [f"{sentence}."]
    bases = {step["made_basis"] for step in steps}
    if Basis.SOLVED in bases:
        sentences.append("From here on: all layouts that are left, solved.")
    if Basis.SETTLED in bases:
        sentences.append("Settled: by the tricks taken.")
    return sentences
