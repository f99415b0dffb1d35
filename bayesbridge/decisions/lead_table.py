"""Leads as values: what each card does, which is the best, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bayesbridge.calls import Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.words import number, percent

type Goal = Literal["beat", "tricks"]


@dataclass(frozen=True, slots=True)
class Lead:
    """One card, or several of a suit that did the same in every layout."""

    cards: tuple[Card, ...]
    """High cards first; they follow each other in the leader's hand."""
    beaten: tuple[float, float]
    """P(the contract is beaten), one standard error."""
    tricks: tuple[float, float]
    """Expected tricks of the defence, one standard error."""
    beaten_behind: tuple[float, float]
    """How much less often than after the best lead the contract is beaten, one standard error, paired."""
    tricks_behind: tuple[float, float]
    """How many tricks fewer than after the best lead, one standard error, paired."""
    close: bool
    """Whether the test cannot tell it from the best."""

    @property
    def name(self) -> str:
        """The suit and the ranks, such as ``H432``."""
        return self.cards[0].suit.name + "".join(str(card)[1:] for card in self.cards)


@dataclass(frozen=True, slots=True)
class Leads:
    """All leads against a contract, the best first."""

    contract: Contract
    leader: Seat
    goal: Goal
    choices: tuple[Lead, ...]
    solved: int
    """Layouts that were solved."""
    exact: bool
    """Whether these are all layouts that fit, with their exact weights."""

    @property
    def best(self) -> tuple[Lead, ...]:
        """The best, and all that the test cannot tell from it."""
        return tuple(choice for choice in self.choices if choice.close)

    @property
    def clear(self) -> bool:
        """Whether one lead is better than all others."""
        return len(self.best) == 1

    @property
    def sentence(self) -> str:
        """The answer in words."""
        names = [choice.name for choice in self.best]
        first = self.choices[0]
        told = f"{percent(first.beaten[0])}{_error(100 * first.beaten[1], ' %')}"
        many = f"{first.tricks[0]:.2f}{_error(first.tricks[1])}"
        after = f"{self.contract} is then beaten with {told}; the defence takes {many} tricks on average."
        if self.clear:
            return f"Lead {names[0]}: {after}"
        others = " and ".join(filter(None, (", ".join(names[1:-1]), names[-1])))
        return f"Too close to call: {names[0]} is ahead, {others} may be as good. After {names[0]}, {after}"

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, in a sentence or two."""
        basis = (
            f"Every layout was solved ({number(self.solved)})."
            if self.exact
            else f"From {number(self.solved)} solved layouts; one standard error is given."
        )
        return f"{basis} Double dummy: after the lead all four see all cards."

    def document(self) -> dict[str, Any]:
        """For ``--json`` and web pages."""
        return {
            "contract": str(self.contract),
            "leader": self.leader.name,
            "goal": self.goal,
            "clear": self.clear,
            "best": [str(card) for choice in self.best for card in choice.cards],
            "solved": self.solved,
            "solved_all": self.exact,
            "leads": [
                {
                    "cards": [str(card) for card in choice.cards],
                    **_pair("beaten", choice.beaten),
                    **_pair("tricks", choice.tricks),
                    **_pair("beaten_behind", choice.beaten_behind),
                    **_pair("tricks_behind", choice.tricks_behind),
                    "close": choice.close,
                }
                for choice in self.choices
            ],
        }


def _error(error: float, unit: str = "") -> str:
    return f" ± {error:.{1 if unit else 2}f}{unit}" if error else ""


def _pair(name: str, found: tuple[float, float]) -> dict[str, float]:
    return {name: found[0], f"{name}_error": found[1]}
