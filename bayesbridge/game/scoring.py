"""What a contract scores, made or down: the paper's two schemes, schemes of your own,
and duplicate bridge.

The paper compares two schemes, *old* and *new*, and prints neither: both are recovered
from four made contracts among the author's published games (docs/write-a-plugin.md).
Hence a scheme is data; what no scheme can say is a class of your own, a
:class:`Scoring`. :class:`Duplicate` follows the Laws of Duplicate Bridge (2017): law 77
for the score, law 78B for IMPs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, runtime_checkable

from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_NUMBERS: Final = ("base", "per_level", "per_overtrick", "undertrick")


@runtime_checkable
class Scoring(Protocol):
    """What contracts score: a :class:`Scheme`, :class:`Duplicate`, or a class of your
    own.
    """

    @property
    def name(self) -> str:
        """As tables call it."""

    @property
    def doubles(self) -> bool:
        """Whether doubled contracts have a price."""

    @property
    def imps(self) -> bool:
        """Whether the difference of two scores is also told in IMPs."""

    def score(self, contract: Contract, tricks: int) -> Fraction | float:
        """What the declaring side scores with ``tricks`` tricks, 0 … 13."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A scoring scheme: made at level n with k overtricks, value · (base + per_level·n
    + per_overtrick·k).

    Nobody doubles in the three-player game, so a scheme refuses doubled contracts.

    >>> NEW.score(Contract.of("2S by W"), 9)
    Fraction(153, 2)
    """

    name: str
    values: tuple[
        Fraction, ...
    ]  #: The value of an odd trick by strain, in the order C D H S NT.
    base: Fraction
    per_level: Fraction
    per_overtrick: Fraction
    undertrick: (
        Fraction  #: What each defender earns for each trick that declarer is short of.
    )

    doubles: ClassVar[bool] = False
    imps: ClassVar[bool] = False

    @classmethod
    def of(cls, value: Scheme | Mapping[str, Any]) -> Scheme:
        """Read a mapping, such as a table of a TOML file; a scheme passes through.

        A mapping has the keys of the fields, ``values`` by strain; ``base`` and
        ``per_overtrick`` may be left out and are then 0, ``per_level`` 1.

        >>> mine = {"name": "mine", "values": {"C": 6, "D": 6, "H": 8, "S": 8, "NT": 10}, "undertrick": 12.5}
        >>> Scheme.of(mine).undertrick
        Fraction(25, 2)
        """
        if isinstance(value, Scheme):
            return value
        filled = {"base": 0, "per_level": 1, "per_overtrick": 0, **value}
        keys = ("name", "values", *_NUMBERS)
        told = filled.pop("values", None)
        by_strain = told if isinstance(told, Mapping) else {}
        values = {Strain.of(name): price for name, price in by_strain.items()}
        if {*filled, "values"} != set(keys) or not len(values) == len(by_strain) == 5:
            raise NotationError(
                f"scoring scheme {dict(value)!r}: its keys are {', '.join(keys)}; values has one for each of C, D, H, "
                "S and NT",
                text=value,
            )
        if not isinstance(filled["name"], str):
            raise NotationError(
                f"name {filled['name']!r} of a scoring scheme: write text",
                text=filled["name"],
            )
        numbers = {key: _exact(key, filled[key]) for key in _NUMBERS}
        return cls(
            filled["name"],
            tuple(_exact("value", values[strain]) for strain in Strain),
            **numbers,
        )

    def score(self, contract: Contract, tricks: int) -> Fraction:
        """What declarer gets less what both defenders get when declarer and dummy take
        ``tricks`` tricks, 0 … 13.
        """
        if contract.doubled:
            raise BayesBridgeError(
                f"contract {str(contract)!r} is doubled: scheme {self.name!r} has no price for that",
                contract=contract,
            )
        over = _overtricks(contract, tricks)
        if over < 0:
            return 2 * over * self.undertrick
        return self.values[contract.strain] * (
            self.base + self.per_level * contract.level + self.per_overtrick * over
        )


def _exact(what: str, value: Any) -> Fraction:
    """0.1 means one tenth, not the nearest binary fraction: hence by way of its text."""
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise NotationError(
            f"{what} {value!r} is not a number: write such as 25, 0.5 or '1/2'",
            text=value,
        ) from None


def _overtricks(contract: Contract, tricks: int) -> int:
    if not 0 <= tricks <= 13:
        raise BayesBridgeError(
            f"{tricks} tricks: declarer takes 0 to 13", tricks=tricks
        )
    return tricks - contract.tricks_needed


_CLASSIC: Final = {"C": 6, "D": 7, "H": 8, "S": 9, "NT": 10}

OLD: Final = Scheme.of(
    {"name": "old", "values": _CLASSIC, "undertrick": 25}
)  # value · level; overtricks earn nothing
NEW: Final = Scheme.of(
    {
        "name": "new",
        "values": _CLASSIC,
        "base": 6,
        "per_overtrick": "1/2",
        "undertrick": 25,
    }
)

SCHEMES: Final[Mapping[str, Scheme]] = {scheme.name: scheme for scheme in (OLD, NEW)}


def beside_built_in(schemes: Iterable[Scheme]) -> dict[str, Scheme]:
    """The built-in schemes and then these, by name; one that two have, or a measure of
    a study, is refused.
    """
    named = dict(SCHEMES)
    for scheme in schemes:
        if scheme.name in (*named, "made", "tricks"):
            raise NotationError(
                f"a scoring scheme named {scheme.name!r} is there already: rename it",
                text=scheme.name,
            )
        named[scheme.name] = scheme
    return named


IMP_STEPS: Final = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""Differences of scores from which one IMP more is won."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Standard duplicate scoring, a scheme like ``old`` and ``new``; ``vulnerable``
    says which sides are.

    >>> Duplicate().score(Contract.of("3NT by S"), 10)
    Fraction(430, 1)
    >>> Duplicate(Vulnerability.NS).score(Contract.of("4SX by S"), 8)
    Fraction(-500, 1)
    """

    vulnerable: Vulnerability = Vulnerability.NONE
    name: str = "duplicate"

    doubles: ClassVar[bool] = True
    imps: ClassVar[bool] = True

    def score(self, contract: Contract, tricks: int) -> Fraction:
        """What the declaring side scores with ``tricks`` tricks, 0 … 13, by law 77;
        below zero if it is down.
        """
        doubled, over = contract.doubled, _overtricks(contract, tricks)
        vulnerable = contract.declarer in self.vulnerable
        if over < 0 and not doubled:
            return Fraction(over * (100 if vulnerable else 50))
        if over < 0:
            # The first undertricks doubled, each later one 300; redoubled everything is twice.
            first = ((200,) if vulnerable else (100, 200, 200))[:-over]
            return Fraction(-doubled * (sum(first) + 300 * (-over - len(first))))
        odd = 20 if contract.strain in (Strain.C, Strain.D) else 30
        points = (contract.level * odd + 10 * (contract.strain == Strain.NT)) * (
            1,
            2,
            4,
        )[doubled]
        game = (500 if vulnerable else 300) if points >= 100 else 50
        slam = {6: (500, 750), 7: (1000, 1500)}.get(contract.level, (0, 0))[vulnerable]
        overtrick = doubled * (200 if vulnerable else 100) if doubled else odd
        return Fraction(points + game + slam + 50 * doubled + over * overtrick)


SCORINGS: Final[Mapping[str, Callable[[Vulnerability], Scoring]]] = {
    "old": lambda _: OLD,
    "new": lambda _: NEW,
    "duplicate": Duplicate,
}

type SchemeLike = Scoring | str | Mapping[str, Any] | None


def scoring_of(
    scheme: SchemeLike, vulnerable: Vulnerability | str, dummy: Seat | None
) -> Scoring:
    """The scoring that is meant: without one ``new`` where three players bid (``dummy``
    names the fourth hand), else ``duplicate``. Who is vulnerable is refused where it
    does not count.
    """
    sides = Vulnerability.of(vulnerable)
    meant = scheme if scheme is not None else "duplicate" if dummy is None else "new"
    if isinstance(meant, str):
        name = meant.strip().lower()
        if name not in SCORINGS:
            *others, last = SCORINGS
            raise NotationError(
                f"unknown scoring scheme {name!r}: write {', '.join(others)} or {last}"
            )
        meant = SCORINGS[name](sides)
    elif not isinstance(meant, Scoring):
        meant = Scheme.of(meant)
    if sides is not Vulnerability.NONE and not hasattr(meant, "vulnerable"):
        raise BayesBridgeError(
            f"vulnerable {sides.value}: scheme {meant.name!r} knows no vulnerability: leave it out",
            vulnerable=sides,
        )
    return meant


@lru_cache(maxsize=128)
def scores_by_tricks(level: int, strain: int, vulnerable: bool) -> NDArray[np.int64]:
    """(14,) what declarer scores undoubled with 0 to 13 tricks; ``strain`` C D H S NT =
    0 … 4.
    """
    scheme = Duplicate(Vulnerability.ALL if vulnerable else Vulnerability.NONE)
    contract = Contract(level, Strain(strain), Seat.N)
    import numpy as np

    scores = np.array([int(scheme.score(contract, tricks)) for tricks in range(14)])
    scores.flags.writeable = False
    return scores


def imps(difference: ArrayLike) -> NDArray[np.int64]:
    """International match points for differences of two scores, with their signs.

    The laws name multiples of ten alone; a difference between two of them counts as the
    larger, as *dealer* has it.

    >>> imps([0, 10, 11, 20, -420, 430, 4000, 9000]).tolist()
    [0, 0, 1, 1, -9, 10, 24, 24]
    """
    import numpy as np

    most = np.array(IMP_STEPS) - 10
    return np.asarray(
        np.sign(difference) * np.searchsorted(most, np.abs(difference), side="left"),
        np.int64,
    )
