"""A script of the dealer language, read: what is given, what is wanted, and what is to be done with the deals."""

from __future__ import annotations

from dataclasses import dataclass, field

from bayesbridge.dealing.expressions import TRUE, Expression


@dataclass(frozen=True, slots=True)
class Print:
    """Print each deal: ``form`` is the word of the language, ``seats`` those of ``print(…)``.

    ``values`` are expressions and texts printed with the deal.
    """

    form: str
    seats: tuple[int, ...] = ()
    values: tuple[Expression | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of an expression over all deals."""

    title: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often an expression has each value from ``low`` to ``high``; a second one makes a table of both."""

    title: str
    value: Expression
    low: int
    high: int
    other: Expression | None = None
    other_low: int = 0
    other_high: int = 0


@dataclass(frozen=True, slots=True)
class EvalContract:
    """How often a contract makes double dummy, and what it scores on average."""

    title: str
    seat: int
    level: int
    strain: int
    vulnerable: bool


type Action = Print | Average | Frequency | EvalContract


@dataclass(frozen=True, slots=True)
class Script:
    """``None`` where the script does not say; see :func:`bayesbridge.dealing.parser.parse`."""

    condition: Expression = TRUE
    predealt: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Masks of the cards given to each seat."""
    produce: int | None = None
    generate: int | None = None
    dealer: int | None = None
    vulnerable: str | None = None
    seed: int | None = None
    actions: tuple[Action, ...] = field(default=())

    @property
    def prints(self) -> bool:
        """Whether deals are printed: if no action is named, they are."""
        return not self.actions or any(isinstance(action, Print) for action in self.actions)
