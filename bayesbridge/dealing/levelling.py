"""Types of hand in wanted shares: each type is drawn from tables of its own, however rare it is.

A deal belongs to the first type whose condition it meets, so no deal counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bayesbridge.dealing.deal_plan import DealPlan
from bayesbridge.dealing.drawing import MOST_DRAWS, Drawn, first, too_few
from bayesbridge.dealing.expressions import Expression, Operation, conjunction
from bayesbridge.dealing.parser import parse_expression
from bayesbridge.errors import Contradiction, NotationError
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator


@dataclass(frozen=True, slots=True)
class HandType:
    """A name, its condition, and its share of the deals in relation to those of the other types."""

    name: str
    condition: Expression
    share: Fraction = Fraction(1)

    @classmethod
    def of(cls, text: str) -> HandType:
        """Read ``name: condition`` or ``name=share: condition``.

        >>> HandType.of("strong=3: hcp(north) > 19").share
        Fraction(3, 1)
        """
        head, colon, condition = text.partition(":")
        name, sign, share = (part.strip() for part in head.partition("="))
        if not colon or not name:
            raise NotationError(f"{text!r} is no type: write name: condition, or name=2: condition", text=text)
        try:
            wanted = Fraction(share) if sign else Fraction(1)
        except (ValueError, ZeroDivisionError):
            wanted = Fraction(0)
        if not 0 < wanted <= 1_000_000:
            raise NotationError(f"share {share!r} of type {name!r}: write a positive number", text=text)
        return cls(name, parse_expression(condition), wanted)


@dataclass(frozen=True, eq=False)
class Levelled:
    """A plan for each type, all under what is asked of every deal."""

    types: tuple[HandType, ...]
    plans: tuple[DealPlan, ...]

    @classmethod
    def of(cls, types: Sequence[HandType], planned: Callable[[Expression], DealPlan]) -> Levelled:
        """``planned`` makes the plan of a condition that comes on top of the common one."""
        plans = []
        for place, one in enumerate(types):
            earlier = tuple(Operation("not", (other.condition,)) for other in types[:place])
            try:
                plans.append(planned(conjunction((one.condition, *earlier))))
            except Contradiction as error:
                reason = "; a deal belongs to the first type that it fits" if earlier else ""
                raise Contradiction(f"type {one.name!r}: {error}{reason}", **error.data) from None
        return cls(tuple(types), tuple(plans))

    def sizes(self, n: int) -> list[int]:
        """How many deals of each type, by largest remainders.

        >>> from bayesbridge.dealing.expressions import TRUE
        >>> Levelled((HandType("a", TRUE), HandType("b", TRUE, Fraction(2))), ()).sizes(10)
        [3, 7]
        """
        total = sum(one.share for one in self.types)
        exact = [n * one.share / total for one in self.types]
        sizes = [int(size) for size in exact]
        order = sorted(range(len(sizes)), key=lambda place: sizes[place] - exact[place])
        for place in order[: n - sum(sizes)]:
            sizes[place] += 1
        return sizes

    def deals(
        self,
        n: int,
        rng: Seed = None,
        *,
        most: int = MOST_DRAWS,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Layouts, list[str], Mapping[str, Drawn]]:
        """``n`` deals in random order with the name of the type of each, and what each search took."""
        random = generator(rng)
        found: dict[str, Drawn] = {}
        parts, names = [], []
        for one, plan, size in zip(self.types, self.plans, self.sizes(n), strict=True):
            found[one.name] = plan.search(size, random, most=most)
            if found[one.name].kept < size:
                raise too_few(found[one.name], size)
            parts.append(first(found[one.name], size))
            names += [one.name] * size
            if progress is not None:
                progress(len(names), n)
        order = random.permutation(n)
        return Layouts.adopt(np.concatenate(parts)[order]), [names[place] for place in order.tolist()], found
