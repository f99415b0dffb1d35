"""``bayesbridge contracts``: which contract to bid, by expected score."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, accuracy_document
from bayesbridge.cli import screens
from bayesbridge.cli.evidence_options import MODELS
from bayesbridge.cli.modes import refuse_solving_without_solver
from bayesbridge.cli.positions import belief_of, vulnerability_of
from bayesbridge.cli.progress_bar import on_terminal
from bayesbridge.cli.usage import attributed
from bayesbridge.decisions.contracts import (
    ContractTable,
    contract_named,
    contract_table,
    contracts_asked,
    pair_of,
)
from bayesbridge.decisions.information import enquiries, value_of_information
from bayesbridge.decisions.sensitivity import EXPERTS, by_system, depends_sentence
from bayesbridge.display.words import error_text, percent, tell
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.estimators.answer_tables import (
    SHOWN,
    answers_table,
    contracts_table,
    plain_rows,
)
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.notation.toml_text import Toml
from bayesbridge.position import Position
from bayesbridge.views.documents import evidence_document, named

FIGURES_BY_SYSTEM: Final = ("make", "make_error", "score", "score_error")
NOT_FOR_PROGRAMS: Final = ("layouts", "failure")
"""Attributes of a table that the document has under another name, or not at all."""

CLEARLY_BEHIND: Final = 2
"""Standard errors by which a contract is worse for certain."""


@dataclass(frozen=True, slots=True)
class ContractsRequest:
    """What is asked: a posterior, the contracts to judge, and how they score."""

    position: Position
    posterior: Posterior
    pair: tuple[Seat, Seat]
    contracts: str | None
    """The contracts that ``--contracts`` names; ``None`` for all that may be bid."""
    scheme: Any
    vulnerable: Vulnerability
    against: str | None
    budget: Budget
    seed: int

    @property
    def belief(self) -> Belief:
        """What the observer knows."""
        return self.posterior.belief

    def table(self, **progress: Any) -> ContractTable:
        """The contracts ranked, on layouts that are solved as the budget allows."""
        with attributed("--scheme"):
            return contract_table(
                self.posterior,
                self.contracts,
                against=self.against,
                budget=self.budget,
                **self.scored,
                **progress,
            )

    def unsolved_table(self, posterior: Posterior) -> ContractTable:
        """The contracts ranked over another posterior, by the network alone."""
        return contract_table(
            posterior,
            self.contracts,
            against=None,
            budget=Budget(solve=0),
            **self.scored,
        )

    @property
    def scored(self) -> dict[str, Any]:
        """How the contracts score, and for whom."""
        return {
            "scheme": self.scheme,
            "vulnerable": self.vulnerable,
            "pair": self.pair,
            "rng": self.seed,
        }


def run(args: Namespace) -> int:
    """Rank the contracts, and say what an answer to each question would be worth."""
    request = contracts_request(args)
    table = request.table(**first_ranking(args))
    if table.attrs["failure"]:
        tell(f"not corrected: {table.attrs['failure']}")
    tables_by_system = by_system(request.belief, request.unsolved_table, request.seed)
    answers = None
    if args.find_out is not None:
        answers = value_of_information(
            request.posterior,
            request.contracts,
            args.find_out or None,
            **request.scored,
        )
    document = contracts_document(request, table, tables_by_system, answers)
    parts = contracts_parts(request, table, tables_by_system, answers)
    return screens.present(args, document, *parts)


def contracts_request(args: Namespace) -> ContractsRequest:
    """The request of the options; each part is verified before the work."""
    refuse_solving_without_solver(args)
    uses = ["vulnerable"]
    if "call" in (args.find_out or ""):
        uses += MODELS.split()
    position, belief = belief_of(args, uses)
    scheme = scheme_of(args)
    with position.attributed():
        belief.verify()
    with attributed("--pair"):
        pair = pair_of(belief, args.pair)
    with attributed("--contracts"):
        contracts_asked(belief, args.contracts, pair)
    if args.against is not None:
        with attributed("--against"):
            contract_named(belief, args.against, pair)
    draws = args.draws or USUAL["contracts"].draws
    posterior = belief.infer(draws=draws, rng=args.seed)
    if args.find_out:
        with attributed("--find-out"):
            enquiries(posterior, args.find_out)
    return ContractsRequest(
        position=position,
        posterior=posterior,
        pair=pair,
        contracts=args.contracts,
        scheme=scheme,
        vulnerable=vulnerability_of(position),
        against=args.against,
        budget=Budget(args.draws, args.solve, args.seconds),
        seed=args.seed,
    )


def scheme_of(args: Namespace) -> Any:
    """The scoring that ``--scheme`` names, read if it is a file."""
    if args.scheme is not None and args.scheme.endswith(".toml"):
        return Toml.read(args.scheme, "--scheme").document
    return args.scheme


def first_ranking(args: Namespace) -> dict[str, Any]:
    """What says on a terminal how the contracts rank before layouts are solved."""
    if not on_terminal() or args.solve == 0:
        return {}

    def tell_first(early: ContractTable) -> None:
        table = contracts_table(early.rows, early.attrs, SHOWN)
        tell(f"so far, by the network: {table.notes[0]}")

    return {"first": tell_first}


def contracts_document(
    request: ContractsRequest,
    table: ContractTable,
    tables_by_system: Mapping[str, ContractTable],
    answers: Any,
) -> dict[str, Any]:
    """The answer as plain data."""
    document: dict[str, Any] = {"contracts": [plain_row(row) for row in table.rows]}
    for name, value in table.attrs.items():
        if name not in NOT_FOR_PROGRAMS:
            document[name] = value
    document["judged"] = table.attrs["layouts"]
    if tables_by_system:
        document["by_system"] = {
            name: best_row(system_table)
            for name, system_table in tables_by_system.items()
        }
    if answers is not None:
        document["find_out"] = {"questions": plain_rows(answers), **answers.attrs}
    document |= accuracy_document(request.posterior)
    document |= evidence_document(request.belief)
    return document


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as plain data, its contract taken apart."""
    figures = {key: value for key, value in row.items() if key != "contract"}
    return {**named(row["contract"]), **figures}


def best_row(table: ContractTable) -> dict[str, Any]:
    """The best contract of a table, with the figures that depend on systems."""
    row = table.rows[0]
    return {**named(row["contract"]), **{key: row[key] for key in FIGURES_BY_SYSTEM}}


def contracts_parts(
    request: ContractsRequest,
    table: ContractTable,
    tables_by_system: Mapping[str, ContractTable],
    answers: Any,
) -> list[screens.Part]:
    """The answer for people: the best contract, the table, what to find out."""
    shown = SHOWN if request.contracts is None else len(table.rows)
    best = table.rows[0]["contract"]
    parts = [
        *screens.game_line(request.position),
        *screens.answer_first(
            contracts_table(table.rows, table.attrs, shown),
            system_sentence(best, tables_by_system),
        ),
    ]
    auction = request.belief.auction
    if auction is not None and auction.is_over:
        parts.append(
            "The auction is over: this is what each contract would have been worth."
        )
    if answers is not None:
        parts += ["", answers_table(plain_rows(answers), answers.attrs)]
    return [*parts, *screens.how_parts(request.posterior)]


def system_sentence(
    best_contract: str, tables_by_system: Mapping[str, ContractTable]
) -> str:
    """A sentence on the systems under which another contract is best; else empty.

    Only those count that differ from the answer for experts, and in whose own table
    ``best_contract``, the answer of the command, is clearly behind.
    """
    if not tables_by_system:
        return ""
    best_for_experts = tables_by_system[EXPERTS].rows[0]["contract"]
    advice_by_system = {}
    for system, table in tables_by_system.items():
        best_row = table.rows[0]
        is_other = best_row["contract"] != best_for_experts
        if is_other and is_clearly_behind(best_contract, table):
            chance = chance_clause(best_row)
            advice_by_system[system] = f"{best_row['contract']} is best{chance}"
    return depends_sentence(advice_by_system)


def is_clearly_behind(contract: str, table: ContractTable) -> bool:
    """Whether another contract of the table is better by more than two errors."""
    for row in table.rows[1:]:
        if row["contract"] == contract:
            return bool(row["behind"] > CLEARLY_BEHIND * row["behind_error"])
    return False


def chance_clause(row: Mapping[str, Any]) -> str:
    """How often the contract makes; empty for none, as a pass.

    >>> chance_clause({"make": 0.616, "make_error": 0.05})
    ', and makes with 62 % ± 5 %'
    """
    if row["make"] is None:
        return ""
    error = error_text(100 * row["make_error"], 0, " %")
    return f", and makes with {percent(row['make'], 0)}{error}"
