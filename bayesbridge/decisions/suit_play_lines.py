"""Plans for a suit as trees of cards, and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bayesbridge.cards import RANKS
from bayesbridge.deal import Seat
from bayesbridge.decisions.suit_play_layouts import Combination
from bayesbridge.decisions.suit_play_search import NONE, Counts, Plan
from bayesbridge.words import SEATS

CARD_NAMES: Final = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}


class Table(NamedTuple):
    """Who sits where: declarer's two hands, the defender after the second and the one after the first."""

    first: Seat
    second: Seat

    @property
    def left(self) -> Seat:
        """The defender who plays after the second hand."""
        return self.second.next(1)

    @property
    def right(self) -> Seat:
        """The defender who plays after the first hand."""
        return self.first.next(1)


@dataclass(frozen=True, slots=True)
class Step:
    """A trick: who leads what, and what follows."""

    leader: Seat
    card: str
    answers: tuple[Answer, ...]
    """By what the next defender plays."""

    @property
    def forced(self) -> bool:
        """Whether no hand has a choice from here on: the last card of the suit."""
        return all(not answer.card and all(after is None for _, after in answer.then) for answer in self.answers)

    @property
    def document(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "leader": self.leader.name,
            "lead": self.card,
            "answers": [
                {
                    "played": answer.played or None,
                    "card": answer.card or None,
                    "then": [
                        {"played": played or None, "next": None if step is None else step.document}
                        for played, step in answer.then
                    ],
                }
                for answer in self.answers
            ],
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What the third hand plays on a defender's card, and how it goes on."""

    played: str
    """Ranks of the equals of which one is played; empty if the defender shows out."""
    card: str
    """The rank that the third hand plays; empty if it has none of the suit."""
    then: tuple[tuple[str, Step | None], ...]
    """The next trick by what the last defender plays; ``None`` where nothing is left to choose."""


def steps(plan: Plan, combination: Combination, table: Table) -> Step | None:
    """A plan of the search with its cards."""
    nothing = (0,) * len(combination.groups)
    return _steps(plan, combination, table, combination.first, combination.second, nothing, nothing)


def _steps(
    plan: Plan,
    combination: Combination,
    table: Table,
    first: tuple[int, ...],
    second: tuple[int, ...],
    left: Counts,
    right: Counts,
) -> Step | None:
    if plan is None:
        return None
    hand, gap, replies = plan
    out = [len(group) - a - b for group, a, b in zip(combination.groups, left, right, strict=True)]

    def chosen(ranks: tuple[int, ...], wanted: int) -> int:
        equals = [rank for rank in ranks if _closed(combination.gap(rank), out) == wanted]
        return equals[-1] if wanted == len(out) else equals[0]

    own, other = (first, second) if hand == 0 else (second, first)
    led = chosen(own, gap)
    rest = tuple(rank for rank in own if rank != led)
    side = 1 - hand
    answers = []
    for group, card, plans in replies:
        third = None if card == NONE else chosen(other, card)
        kept = tuple(rank for rank in other if rank != third)
        hands = (rest, kept) if hand == 0 else (kept, rest)
        played = _played((left, right), side, group)
        then = tuple(
            (
                _ranks(combination, last),
                _steps(after, combination, table, *hands, *_played(played, 1 - side, last)),
            )
            for last, after in plans
        )
        answers.append(Answer(_ranks(combination, group), "" if third is None else RANKS[third], then))
    return Step((table.first, table.second)[hand], RANKS[led], tuple(answers))


def _closed(gap: int, out: list[int]) -> int:
    while gap < len(out) and not out[gap]:
        gap += 1
    return gap


def _played(played: tuple[Counts, Counts], side: int, group: int) -> tuple[Counts, Counts]:
    if group == NONE:
        return played
    more = tuple(count + (place == group) for place, count in enumerate(played[side]))
    return (more, played[1]) if side == 0 else (played[0], more)


def _ranks(combination: Combination, group: int) -> str:
    return "" if group == NONE else "".join(RANKS[rank] for rank in combination.groups[group])


def told(step: Step | None, lowest: str, tricks: int) -> Iterator[str]:
    """A tree as lines of text, so many tricks deep; ``lowest`` are the defenders' lowest equals.

    Cases that go on in the same way are told together, and those in which nothing is left to choose not at all.
    """
    if step is None or not tricks:
        return
    yield _trick(step, lowest)
    if tricks == 1:
        return
    groups: dict[tuple[str, ...], list[tuple[Answer, str]]] = {}
    branches = [(answer, played, after) for answer in step.answers for played, after in answer.then]
    for answer, played, after in branches:
        if after is not None and not after.forced:
            groups.setdefault(tuple(told(after, lowest, tricks - 1)), []).append((answer, played))
    for lines, cases in groups.items():
        always = len(groups) == 1 and len(cases) == len(branches)
        if not always:
            yield f"  {_condition(step, cases, lowest)}:"
        yield from (line if always else f"    {line}" for line in lines)


def _trick(step: Step, lowest: str) -> str:
    """A lead and what the third hand plays on it."""
    leader, third = SEATS[step.leader.name], SEATS[step.leader.partner.name]
    usual = next((answer for answer in step.answers if answer.played == lowest), step.answers[0])
    text = f"{leader} leads the {_card(step.card)}"
    if usual.card:
        text += f", {third} plays the {_card(usual.card)}"
    others: dict[str, list[str]] = {}
    for answer in step.answers:
        if answer.card != usual.card:
            others.setdefault(answer.card, []).append(_play(answer.played, lowest))
    defender = SEATS[step.leader.next(1).name]
    for card, plays in others.items():
        text += f"; the {_card(card)} if {defender} {' or '.join(plays)}"
    return f"{text}."


def _condition(step: Step, cases: list[tuple[Answer, str]], lowest: str) -> str:
    """When a continuation is meant: by the second card alone where that tells it, else by both."""
    second, fourth = (SEATS[step.leader.next(turn).name] for turn in (1, 3))
    met: dict[str, list[str]] = {}
    for answer, played in cases:
        met.setdefault(answer.played, []).append(played)
    every = {answer.played: len(answer.then) for answer in step.answers}
    told_by: dict[tuple[str, ...], list[str]] = {}
    for one, lasts in met.items():
        told_by.setdefault(() if len(lasts) == every[one] else tuple(lasts), []).append(one)
    parts = []
    for final, ones in told_by.items():
        what = [] if len(ones) == len(every) else [f"{second} {' or '.join(_play(one, lowest) for one in ones)}"]
        if final:
            what.append(f"{fourth} {' or '.join(_play(last, lowest) for last in final)}")
        parts.append(" and ".join(what) or "in any case")
    return f"If {', or if '.join(parts)}"


def _play(ranks: str, lowest: str) -> str:
    if not ranks:
        return "shows out"
    if ranks == lowest:
        return "plays low"
    return f"plays {' or '.join(f'the {_card(rank)}' for rank in ranks)}"


def _card(rank: str) -> str:
    return CARD_NAMES.get(rank, rank)
