"""The answer of ``estimate`` for people: the answer first, on one screen."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bayesbridge.belief.posterior import accuracy_document
from bayesbridge.belief.posterior_page import accuracy_sentences
from bayesbridge.cli.estimate_answer import EstimateAnswer
from bayesbridge.cli.screens import Part, how_parts, part_lines
from bayesbridge.decisions.sensitivity import (
    depends_sentence,
    far_from_experts,
)
from bayesbridge.decisions.shortage import length_changes
from bayesbridge.display.markup import Table
from bayesbridge.display.words import (
    BITS,
    card_words,
    error_text,
    percent,
    share_error,
    with_symbols,
)
from bayesbridge.engines.weights import Estimate
from bayesbridge.game.cards import Card
from bayesbridge.views.call_readings import readings_table
from bayesbridge.views.sentences import sentences
from bayesbridge.views.tables import games_table, hidden_tables

SCREEN: Final = 50
"""Lines that an answer takes, if ``--all`` does not ask for the rest."""

FOOTER: Final = 3
"""Lines at most of the sentence on what the rest is."""

ALWAYS: Final = 0
ANSWER: Final = 1
CALLS: Final = 2
POINTS: Final = 3
LENGTHS: Final = 4
CARDS: Final = 5
BASIS: Final = 6
"""Ranks of the sections."""


@dataclass(frozen=True, slots=True)
class Section:
    """Parts of a screen that are shown together or not at all."""

    name: str
    """What the section shows, in a sentence on what is left out."""
    rank: int
    """0 for one that is always shown; of others low ranks are shown first."""
    parts: Sequence[Part]

    @property
    def height(self) -> int:
        """The lines that the section takes."""
        return sum(len(part_lines(part)) for part in self.parts)


def estimate_parts(
    answer: EstimateAnswer, args: Namespace, game_line: Sequence[str]
) -> list[Part]:
    """The answer for people: all of it, or what one screen has room for."""
    headline = Section("", ALWAYS, [*game_line, *headline_sentences(answer), ""])
    sections = [headline, *table_sections(answer, args)]
    if answer.card_steps:
        table = card_table(answer.card_steps, args.card)
        sections.append(Section("", ALWAYS, [table]))
    sections.append(Section("", ALWAYS, source_parts(answer)))
    if args.all:
        sections.append(Section("", ALWAYS, legend(answer)))
        return parts_of(sections)
    return on_one_screen(sections)


def on_one_screen(sections: Sequence[Section]) -> list[Part]:
    """The sections that fit one screen, in their order, and the names of the others."""
    if sum(section.height for section in sections) <= SCREEN:
        return parts_of(sections)
    room = SCREEN - FOOTER
    shown = []
    for section in sorted(sections, key=lambda section: section.rank):
        if section.rank == ALWAYS or section.height <= room:
            shown.append(section)
            room -= section.height
    names = [section.name for section in sections if section not in shown]
    footer = f"With --all also: {', '.join(names)}."
    return [*parts_of(section for section in sections if section in shown), "", footer]


def parts_of(sections: Iterable[Section]) -> list[Part]:
    """The parts of the sections in order."""
    return [part for section in sections for part in section.parts]


def headline_sentences(answer: EstimateAnswer) -> list[str]:
    """The answer in sentences, and what it depends on."""
    lines = [shortage.sentence for shortage in answer.shortages]
    if answer.plan is not None:
        lines += [answer.plan.sentence, answer.plan.caution]
    contracts = answer.contracts
    if not contracts:
        return [*lines, *answer.answer.tables[0].notes[:1]]
    strength, _honours, tricks = sentences(answer.posterior, contracts)
    depends = depends_sentence(system_answers(answer.systems))
    return [*lines, *(line for line in (tricks, depends, strength) if line)]


def system_answers(systems: Mapping[str, Estimate[float]]) -> dict[str, str]:
    """What becomes of the contract with systems that move its chance much, in words.

    >>> far = {"experts": Estimate(0.2, 0.04), "sayc": Estimate(0.616, 0.05)}
    >>> system_answers(far)
    {'sayc': 'it makes with 62 % ± 5 %'}
    """
    return {
        name: f"it makes with {percent(make.mean, 0)}{error_text(100 * make.error, 0, ' %')}"
        for name, make in far_from_experts(systems).items()
    }


def table_sections(answer: EstimateAnswer, args: Namespace) -> list[Section]:
    """The tables, in their order on the screen.

    Where four bid and no contract is asked about, what the calls and the hands are
    comes first; else the table of the answer.
    """
    posterior = answer.posterior
    points, lengths, cards = hidden_sections(answer)
    by_answer = answer_sections(answer, args)
    read = Section("how each call was read", CALLS, [])
    if answer.readings:
        changes = length_changes(posterior, answer.readings)
        read = replace(read, parts=[readings_table(answer.readings, changes)])
    if posterior.belief.dummy is None and answer.evaluation.odds is None:
        return [read, points, lengths, *by_answer, cards]
    return [*by_answer, read, points, lengths, cards]


def hidden_sections(answer: EstimateAnswer) -> list[Section]:
    """Points, lengths and cards of the hidden hands; cards only where any is told of."""
    tables = hidden_tables(answer.posterior)
    return [
        Section("points of the hidden hands", POINTS, tables[:1]),
        Section("lengths of the suits", LENGTHS, tables[1:2]),
        Section("cards placed best", CARDS, tables[2:]),
    ]


def answer_sections(answer: EstimateAnswer, args: Namespace) -> list[Section]:
    """The sections with the answer: of one contract, of the games, or of estimators.

    Notes stand in a section of their own, below the first table. The first of them is
    the answer in words, which the headline of the screen has already. A section has the
    rank of how soon it is shown when a screen has no room for all.
    """
    contracts = answer.contracts
    if len(contracts) > 1:
        return [Section("", ALWAYS, [games_table(contracts)])]
    if contracts:
        tables = contracts[0].tables
        notes_rank = BASIS
    else:
        tables = answer.answer.tables
        notes_rank = ALWAYS
    first_table, *further_tables = tables
    notes = first_table.notes[1:]
    sections = [Section("", ALWAYS, [replace(first_table, notes=())])]
    if notes:
        sections.append(Section("what the figures rest on", notes_rank, [*notes, ""]))
    # Estimators that somebody named are what was asked for.
    further_rank = ALWAYS if args.estimator else ANSWER
    for table in further_tables:
        sections.append(Section(table.title, further_rank, [table]))
    return sections


def source_parts(answer: EstimateAnswer) -> list[Part]:
    """What was seen, and how exact the answer is.

    Of contracts their tables tell the errors, so this is about cards and lengths alone;
    else about the numbers shown too.
    """
    posterior = answer.posterior
    if answer.contracts:
        accuracy = posterior.marginal_accuracy
    else:
        is_exact = all(number.exact for number in answer.answer.shown)
        document = accuracy_document(posterior, answer.answer.method, is_exact)
        accuracy = accuracy_sentences(document)
    parts = how_parts(posterior, accuracy)
    if not posterior.belief.constraints.hidden:
        return ["Every card is known.", *parts]
    return parts


def legend(answer: EstimateAnswer) -> list[Part]:
    """What bits are, where cards are in doubt."""
    return [BITS] if answer.posterior.count() > 1 else []


def card_table(steps: Sequence[Mapping[str, Any]], card: Card) -> Table:
    """Where a card lies after each piece of evidence."""
    seats = [name for name in "NESW" if any(step[name] > 0.0 for step in steps)]
    rows = []
    for step in steps:
        shares = [step[name] for name in seats]
        accuracy = "exact"
        if not step["exact"]:
            accuracy = share_error(max(shares), step["error"]).strip()
        rows.append([with_symbols(step["event"]), *map(percent, shares), accuracy])
    title = f"Where {card_words(card)} lies, after each piece of evidence"
    return Table(title, ["after", *seats, ""], rows)
