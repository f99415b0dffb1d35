"""``bayesbridge contracts``: which contract to bid, by expected score."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.modes import verify_solver
from bayesbridge.cli.positions import belief_of
from bayesbridge.cli.progress_bar import on_terminal
from bayesbridge.cli.usage import attributed
from bayesbridge.decisions.contracts import (
    contract_named,
    contract_table,
    contracts_asked,
    pair_of,
)
from bayesbridge.decisions.information import enquiries, value_of_information
from bayesbridge.decisions.sensitivity import EXPERTS, by_system, depends_sentence
from bayesbridge.display.markup import Table
from bayesbridge.display.words import percent, tell
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.estimators.answer_tables import (
    SHOWN,
    answers_table,
    contracts_table,
    plain_rows,
)
from bayesbridge.notation.toml_text import Toml
from bayesbridge.views.documents import evidence_document, named


def run(args: Namespace) -> int:
    verify_solver(args)
    uses = MODELS if "call" in (args.find_out or "") else ""
    position, belief = belief_of(args, f"vulnerable {uses}")
    told = position.settings.get("vulnerable")
    vulnerable = "None" if told is None else told.value
    scheme = args.scheme
    if scheme is not None and scheme.endswith(".toml"):
        scheme = Toml.read(scheme, "--scheme").document
    with position.attributed():
        belief.verify()
    with attributed("--pair"):
        pair = pair_of(belief, args.pair)
    with attributed("--contracts"):
        contracts_asked(belief, args.contracts, pair)
    if args.against is not None:
        with attributed("--against"):
            contract_named(belief, args.against, pair)
    posterior = belief.infer(
        draws=args.draws or USUAL["contracts"].draws, rng=args.seed
    )
    if args.find_out:
        with attributed("--find-out"):
            enquiries(posterior, args.find_out)
    asked: dict[str, Any] = {
        "scheme": scheme,
        "vulnerable": vulnerable,
        "pair": pair,
        "rng": args.seed,
    }
    unsolved: dict[str, Any] = {**asked, "against": None, "budget": Budget(solve=0)}
    solving: dict[str, Any] = {
        "against": args.against,
        "budget": Budget(args.draws, args.solve, args.seconds),
    }
    if on_terminal() and args.solve != 0:
        solving["first"] = lambda early: tell(
            f"so far, by the network: {contracts_table(early.rows, early.attrs, SHOWN).notes[0]}"
        )
    with attributed("--scheme"):
        found = contract_table(posterior, args.contracts, **asked, **solving)
    if found.attrs["failure"]:
        tell(f"not corrected: {found.attrs['failure']}")
    tables = by_system(
        belief,
        lambda drawn: contract_table(drawn, args.contracts, **unsolved).rows,
        args.seed,
    )
    figures = ("make", "make_error", "score", "score_error")
    systems = {
        name: {**named(rows[0]["contract"]), **{one: rows[0][one] for one in figures}}
        for name, rows in tables.items()
    }
    answers = None
    if args.find_out is not None:
        answers = value_of_information(
            posterior, args.contracts, args.find_out or None, **asked
        )
    document = {
        "contracts": [
            {
                **named(row["contract"]),
                **{key: row[key] for key in row if key != "contract"},
            }
            for row in found.rows
        ],
        **{
            name: value
            for name, value in found.attrs.items()
            if name not in ("layouts", "failure")
        },
        "judged": found.attrs["layouts"],
        **({"by_system": systems} if systems else {}),
        **(
            {}
            if answers is None
            else {"find_out": {"questions": plain_rows(answers), **answers.attrs}}
        ),
        **accuracy_document(posterior),
        **evidence_document(belief),
    }
    table = contracts_table(
        found.rows, found.attrs, SHOWN if args.contracts is None else len(found.rows)
    )
    over = belief.auction is not None and belief.auction.is_over
    after = (
        ["The auction is over: this is what each contract would have been worth."]
        if over
        else []
    )
    more: list[Table | str] = (
        []
        if answers is None
        else ["", answers_table(plain_rows(answers), answers.attrs)]
    )
    first = screens.answer_first(table, _depends(found.rows[0]["contract"], tables))
    how = screens.how_parts(posterior)
    game = screens.game_line(position)
    return screens.present(args, document, *game, *first, *after, *more, *how)


def _depends(best: str, tables: dict[str, list[dict[str, Any]]]) -> str:
    """That another contract is best under a system, by more than two standard errors;
    empty otherwise.
    """
    told = {}
    for name, (first, *others) in tables.items():
        behind = next((row for row in others if row["contract"] == best), None)
        if behind is None or first["contract"] == tables[EXPERTS][0]["contract"]:
            continue
        if behind["behind"] > 2 * behind["behind_error"]:
            chance = (
                ""
                if first["make"] is None
                else f", and makes with about {percent(first['make'], 0)}"
            )
            told[name] = f"{first['contract']} is best{chance}"
    return depends_sentence(told)
