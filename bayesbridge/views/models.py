"""The same question under several bidder models, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bayesbridge.decisions.sensitivity import ModelAnswer, largest_error
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    SEATS,
    error_text,
    number,
    percent,
    share_error,
)
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.evaluate import Evaluation

BAYES_FACTOR_NOTE: Final = (
    "log Bayes factor: how much the evidence speaks for the model against the first, "
    "in nats; above 3 is much."
)
ERROR_NOTE: Final = "±: the largest standard error of a probability."


def models_table(answers: Sequence[ModelAnswer]) -> Table:
    """A row for each bidder model: what the evidence says for it, and its answers."""
    heads: list[str] = []
    notes: list[str] = []
    for answer in answers:
        if answer.evaluation is not None:
            heads = list(answer_cells(answer.evaluation))
            notes = answer_notes(answer.evaluation)
            break
    reference = answers[0].log_evidence
    rows = []
    for answer in answers:
        if answer.evaluation is None:
            rows.append([answer.bidder, "impossible"])
            continue
        log_bayes_factor = answer.log_evidence - reference
        cells = answer_cells(answer.evaluation).values()
        rows.append(
            [
                answer.bidder,
                number(answer.log_evidence, 3),
                number(log_bayes_factor, 3),
                *cells,
            ]
        )
    return Table(
        "The same question under every bidder model",
        ["", "log P(evidence)", "log Bayes factor", *heads],
        rows,
        [*notes, BAYES_FACTOR_NOTE],
    )


def answer_cells(evaluation: Evaluation) -> dict[str, str]:
    """An evaluation in one row, by the heads of its columns.

    A number of tricks that cannot always be counted has two columns: how often that
    fails, and the mean if it holds, each with the words that its output declares.
    """
    if evaluation.odds is not None:
        return _contract_cells(evaluation.odds)
    cells = {}
    for distribution in Answer.of(evaluation).shown:
        if distribution.output.dims:
            continue
        head = distribution.name
        mean: float | None = float(distribution.mean[0])
        count = distribution.count
        if distribution.counts_tricks and count.undefined_value is not None:
            cells[count.failing] = percent(distribution.fails)
            head = f"{distribution.name} if {count.holding}"
            mean = distribution.mean_if_held
        cells[head] = number(mean, 2)
    error = largest_error(evaluation)
    cells["±"] = percent(error) if error else "exact"
    return cells


def _contract_cells(odds: ContractOdds) -> dict[str, str]:
    """The chance of a contract and its tricks."""
    return {
        "makes": percent(odds.make.mean) + share_error(*odds.make),
        "tricks": f"{odds.mean.mean:.2f}{error_text(odds.mean.error)}",
    }


def answer_notes(evaluation: Evaluation) -> list[str]:
    """What a reader must know of the columns of an evaluation."""
    odds = evaluation.odds
    if odds is not None:
        dummy = SEATS[odds.dummy.name]
        return [f"{odds.contract}, dummy {dummy}.", odds.caution]
    notes: list[str] = []
    for distribution in Answer.of(evaluation).shown:
        if not distribution.output.dims:
            notes += distribution.notes
    return [*dict.fromkeys(notes), ERROR_NOTE]
