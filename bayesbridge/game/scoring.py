"""What a contract scores, made or down.

By the paper's two schemes, by schemes of your own, and in duplicate bridge.

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
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    NamedTuple,
    Protocol,
    runtime_checkable,
)

from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_NUMBERS: Final = ("base", "per_level", "per_overtrick", "undertrick")
_LEFT_OUT: Final = {"base": 0, "per_level": 1, "per_overtrick": 0}
"""What the numbers are that a mapping may leave out."""

MOST_TRICKS: Final = 13


@runtime_checkable
class Scoring(Protocol):
    """What contracts score.

    A :class:`Scheme`, :class:`Duplicate`, or a class of your own.

    One for which it counts who is vulnerable says so by an attribute ``vulnerable``, a
    :class:`Vulnerability`.
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
    """A scoring scheme of contracts, made or down.

    Made at level n with k overtricks: value · (base + per_level·n + per_overtrick·k).

    Nobody doubles in the three-player game, so a scheme refuses doubled contracts.

    Parameters
    ----------
    name : str
        As tables call it.
    values : tuple of Fraction
        The value of an odd trick by strain, in the order C D H S NT.
    base, per_level, per_overtrick : Fraction
        The factors of the formula.
    undertrick : Fraction
        What each defender earns for each trick that declarer is short of.

    Examples
    --------
    >>> NEW.score(Contract.of("2S by W"), 9)
    Fraction(153, 2)
    """

    name: str
    values: tuple[Fraction, ...]
    base: Fraction
    per_level: Fraction
    per_overtrick: Fraction
    undertrick: Fraction

    doubles: ClassVar[bool] = False
    imps: ClassVar[bool] = False

    @classmethod
    def of(cls, value: Scheme | Mapping[str, Any]) -> Scheme:
        """Read a mapping, such as a table of a TOML file; a scheme passes through.

        A mapping has the keys of the fields, ``values`` by strain; ``base`` and
        ``per_overtrick`` may be left out and are then 0, ``per_level`` 1.

        >>> mine = {
        ...     "name": "mine",
        ...     "values": {"C": 6, "D": 6, "H": 8, "S": 8, "NT": 10},
        ...     "undertrick": 12.5,
        ... }
        >>> Scheme.of(mine).undertrick
        Fraction(25, 2)
        """
        if isinstance(value, Scheme):
            return value
        fields = {**_LEFT_OUT, **value}
        values = fields.pop("values", None)
        by_strain = values if isinstance(values, Mapping) else {}
        prices = {Strain.of(strain): price for strain, price in by_strain.items()}
        has_all_strains = len(prices) == len(by_strain) == len(Strain)
        if set(fields) != {"name", *_NUMBERS} or not has_all_strains:
            keys = ", ".join(("name", "values", *_NUMBERS))
            raise NotationError(
                f"scoring scheme {dict(value)!r}: its keys are {keys}; values has one "
                "for each of C, D, H, S and NT",
                text=value,
            )
        name = fields["name"]
        if not isinstance(name, str):
            raise NotationError(
                f"name {name!r} of a scoring scheme: write text", text=name
            )
        numbers = {key: _exact(key, fields[key]) for key in _NUMBERS}
        exact_values = tuple(_exact("value", prices[strain]) for strain in Strain)
        return cls(name, exact_values, **numbers)

    def score(self, contract: Contract, tricks: int) -> Fraction:
        """What declarer gets less what both defenders get.

        Declarer and dummy take ``tricks`` tricks, 0 … 13.
        """
        if contract.doubled:
            raise BayesBridgeError(
                f"contract {str(contract)!r} is doubled: scheme {self.name!r} has no "
                "price for that",
                contract=contract,
            )
        overtricks = _overtricks(contract, tricks)
        if overtricks < 0:
            return 2 * overtricks * self.undertrick
        # A contract is paid in tricks, and a trick by what its strain is worth.
        paid_tricks = self.base + self.per_level * contract.level
        paid_tricks += self.per_overtrick * overtricks
        return self.values[contract.strain] * paid_tricks


def _exact(key: str, value: Any) -> Fraction:
    """0.1 means one tenth, not the nearest binary fraction: hence by way of its text."""
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise NotationError(
            f"{key} {value!r} is not a number: write such as 25, 0.5 or '1/2'",
            text=value,
        ) from None


def _overtricks(contract: Contract, tricks: int) -> int:
    """Tricks above what the contract needs, below zero if it is down."""
    if not 0 <= tricks <= MOST_TRICKS:
        raise BayesBridgeError(
            f"{tricks} tricks: declarer takes 0 to 13", tricks=tricks
        )
    return tricks - contract.tricks_needed


_CLASSIC: Final = {"C": 6, "D": 7, "H": 8, "S": 9, "NT": 10}

OLD: Final = Scheme.of({"name": "old", "values": _CLASSIC, "undertrick": 25})
"""Value · level; overtricks earn nothing."""

NEW: Final = Scheme.of(
    {
        "name": "new",
        "values": _CLASSIC,
        "base": 6,
        "per_overtrick": "1/2",
        "undertrick": 25,
    }
)
"""Value · (6 + level + half the overtricks)."""

SCHEMES: Final[Mapping[str, Scheme]] = {scheme.name: scheme for scheme in (OLD, NEW)}

MEASURES_OF_STUDIES: Final = ("made", "tricks")
"""Names that studies give to other columns than schemes."""


def beside_built_in(schemes: Iterable[Scheme]) -> dict[str, Scheme]:
    """The built-in schemes and then these, by name.

    A name that two have, or that is a measure of a study, is refused.
    """
    by_name = dict(SCHEMES)
    for scheme in schemes:
        if scheme.name in (*by_name, *MEASURES_OF_STUDIES):
            raise NotationError(
                f"a scoring scheme named {scheme.name!r} is there already: rename it",
                text=scheme.name,
            )
        by_name[scheme.name] = scheme
    return by_name


IMP_STEPS: Final = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""Differences of scores from which one IMP more is won."""


MINOR_TRICK: Final = 20
MAJOR_TRICK: Final = 30
FIRST_NO_TRUMP_EXTRA: Final = 10
POINTS_FOR_GAME: Final = 100

DOUBLING: Final = (1, 2, 4)
"""Factors of trick points, undoubled, doubled and redoubled."""

PART_SCORE_BONUS: Final = 50
SMALL_SLAM: Final = 6
GRAND_SLAM: Final = 7


class _Prices(NamedTuple):
    """What depends on whether the declaring side is vulnerable."""

    game: int
    small_slam: int
    grand_slam: int
    doubled_overtrick: int
    undertrick: int
    first_doubled_undertricks: tuple[int, ...]


_NOT_VULNERABLE: Final = _Prices(300, 500, 1000, 100, 50, (100, 200, 200))
_VULNERABLE: Final = _Prices(500, 750, 1500, 200, 100, (200,))
LATER_DOUBLED_UNDERTRICK: Final = 300


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Standard duplicate scoring, a scheme like ``old`` and ``new``.

    Parameters
    ----------
    vulnerable : Vulnerability, optional
        Which sides are vulnerable; nobody by default.
    name : str, optional
        As tables call it.

    Examples
    --------
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
        """What the declaring side scores by law 77; below zero if it is down.

        It takes ``tricks`` tricks, 0 … 13.
        """
        is_vulnerable = contract.declarer in self.vulnerable
        prices = _VULNERABLE if is_vulnerable else _NOT_VULNERABLE
        overtricks = _overtricks(contract, tricks)
        if overtricks < 0:
            return Fraction(-_penalty(prices, contract.doubled, -overtricks))
        return Fraction(_points_made(prices, contract, overtricks))


def _penalty(prices: _Prices, doubled: int, undertricks: int) -> int:
    """What the defenders score; ``doubled`` is 0, 1 or 2."""
    if not doubled:
        return undertricks * prices.undertrick
    first = prices.first_doubled_undertricks[:undertricks]
    later = LATER_DOUBLED_UNDERTRICK * (undertricks - len(first))
    return doubled * (sum(first) + later)


def _points_made(prices: _Prices, contract: Contract, overtricks: int) -> int:
    """Trick points, bonuses and overtricks of a contract that is made."""
    doubled = contract.doubled
    is_minor = contract.strain in (Strain.C, Strain.D)
    odd_trick = MINOR_TRICK if is_minor else MAJOR_TRICK
    points = contract.level * odd_trick
    if contract.strain is Strain.NT:
        points += FIRST_NO_TRUMP_EXTRA
    points *= DOUBLING[doubled]

    bonus = prices.game if points >= POINTS_FOR_GAME else PART_SCORE_BONUS
    if contract.level == SMALL_SLAM:
        bonus += prices.small_slam
    elif contract.level == GRAND_SLAM:
        bonus += prices.grand_slam
    insult = 50 * doubled

    overtrick = doubled * prices.doubled_overtrick if doubled else odd_trick
    return points + bonus + insult + overtricks * overtrick


def _for_any_sides(scheme: Scheme) -> Callable[[Vulnerability], Scoring]:
    """The scheme whoever is vulnerable."""

    def scoring(_: Vulnerability) -> Scoring:
        return scheme

    return scoring


SCORINGS: Final[Mapping[str, Callable[[Vulnerability], Scoring]]] = {
    "old": _for_any_sides(OLD),
    "new": _for_any_sides(NEW),
    "duplicate": Duplicate,
}
"""What makes the scoring of each name, given who is vulnerable."""

type SchemeLike = Scoring | str | Mapping[str, Any] | None


def scoring_of(
    scheme: SchemeLike, vulnerable: Vulnerability | str, dummy: Seat | None
) -> Scoring:
    """The scoring that is meant.

    Without one ``new`` where three players bid (``dummy`` names the fourth hand), else
    ``duplicate``.

    Who is vulnerable is refused where it does not count, and where the scoring says
    otherwise.
    """
    sides = Vulnerability.of(vulnerable)
    if scheme is None:
        scheme = "duplicate" if dummy is None else "new"
    if isinstance(scheme, str):
        scoring = _named(scheme, sides)
    elif isinstance(scheme, Scoring):
        scoring = scheme
    else:
        scoring = Scheme.of(scheme)
    if sides is Vulnerability.NONE:
        return scoring
    sides_of_scoring = vulnerable_sides(scoring)
    if sides_of_scoring is None:
        raise BayesBridgeError(
            f"vulnerable {sides.value}: scheme {scoring.name!r} knows no "
            "vulnerability: leave it out",
            vulnerable=sides,
        )
    if sides_of_scoring is not sides:
        raise BayesBridgeError(
            f"vulnerable {sides.value}: scheme {scoring.name!r} was made with "
            f"{sides_of_scoring.value}: make it with {sides.value}",
            vulnerable=sides,
        )
    return scoring


def _named(name: str, sides: Vulnerability) -> Scoring:
    """The scoring of a name (written in any case), where these sides are vulnerable."""
    word = name.strip().lower()
    if word not in SCORINGS:
        *names, last_name = SCORINGS
        raise NotationError(
            f"unknown scoring scheme {word!r}: write {', '.join(names)} or {last_name}"
        )
    return SCORINGS[word](sides)


def vulnerable_sides(scoring: Scoring) -> Vulnerability | None:
    """Which sides are vulnerable in a scoring, ``None`` where that does not count."""
    sides: Vulnerability | None = getattr(scoring, "vulnerable", None)
    return sides


def vulnerability_counts(scheme: str, vulnerable: str) -> bool:
    """Whether an answer by this scoring scheme depends on who is vulnerable.

    It does where somebody is vulnerable: a scheme without vulnerability has none. Where
    nobody is, the scheme tells, if it has a name; of others (those in files) it is not
    known, and they are taken not to.

    >>> vulnerability_counts("duplicate", "None"), vulnerability_counts("new", "None")
    (True, False)
    """
    sides = Vulnerability.of(vulnerable)
    if sides is not Vulnerability.NONE:
        return True
    if scheme not in SCORINGS:
        return False
    scoring = SCORINGS[scheme](sides)
    return vulnerable_sides(scoring) is not None


@lru_cache(maxsize=128)
def scores_by_tricks(level: int, strain: int, vulnerable: bool) -> NDArray[np.int64]:
    """(14,) what declarer scores undoubled with 0 to 13 tricks.

    ``strain`` is one of C D H S NT = 0 … 4.
    """
    import numpy as np

    sides = Vulnerability.ALL if vulnerable else Vulnerability.NONE
    scoring = Duplicate(sides)
    contract = Contract(level, Strain(strain), Seat.N)
    scores = np.array(
        [int(scoring.score(contract, tricks)) for tricks in range(MOST_TRICKS + 1)]
    )
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

    # A step is reached by all that is more than the multiple of ten below it.
    largest_without_step = np.array(IMP_STEPS) - 10
    steps = np.searchsorted(largest_without_step, np.abs(difference), side="left")
    return np.asarray(np.sign(difference) * steps, np.int64)
