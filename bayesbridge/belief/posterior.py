"""Posterior: layouts with weights, how they were found, and the questions every
posterior answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import log, log2, sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.display import markup
from bayesbridge.display.markup import Table
from bayesbridge.display.words import SEATS, SUITS, counted, percent
from bayesbridge.engines.budget import MOST_DRAWS
from bayesbridge.engines.draws import Draws, Marginals
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, TablesTooLarge, WrongArgument, shorten
from bayesbridge.game.cards import Card, Hand, Suit
from bayesbridge.game.deal import Seat, around_table
from bayesbridge.game.layouts import Floats, Layouts, read_only
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pandas
    import xarray

    from bayesbridge.belief.belief import Belief

UNSEEN: Final = 84_478_098_072_866_400
"""Layouts of the 39 cards that a player does not see before anything happens: 39! /
13!³.
"""

# Effective sample size / draws asked for below which an answer comes with a warning
ENOUGH: Final = 0.1
DECEIVING: Final = (
    0.7  # Pareto k̂ above which importance weights deceive (Vehtari and others, 2024)
)

CONVOLUTION: Final = "convolution"
"""The method of numbers that were counted suit by suit under hard evidence, in place of
an engine.
"""

MOST_ROWS: Final = 1_000_000  # half a gigabyte

CARDS = tuple(str(Card(index)) for index in range(51, -1, -1))
"""Names of the cards in the order of hands: spades first, high cards first."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Posterior(Draws):
    """P(layout ∣ evidence) for one belief.

    >>> from bayesbridge import Belief
    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> posterior
    <Posterior: direct, 20000 of 84478098072866400 layouts, ESS 20000>
    >>> round(posterior.card_probabilities().sel(card="SJ", seat="N").item(), 4), round(posterior.entropy_bits, 2)
    (0.3333, 56.23)
    >>> round(posterior.expect(lambda layouts: layouts.points[:, 0] >= 12), 2)
    0.1
    """

    belief: Belief
    seed: int | None = None
    """What random numbers started from, as ``rng=`` takes it; ``None`` for a generator
    already in use.
    """
    asked: tuple[str, int | None] = ("auto", None)
    """The method and the draws that were asked for, ``None`` for the usual number: with
    the seed the same again.
    """
    whole: Posterior | None = None
    """The posterior that these layouts were drawn from by :func:`subsample`: marginals
    are its own.
    """

    @classmethod
    def of(cls, draws: Draws, **more: Any) -> Posterior:
        return cls(
            **{field.name: getattr(draws, field.name) for field in fields(draws)},
            **more,
        )

    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly."""
        return self.target.count

    @cached_property
    def layouts(self) -> Layouts:
        """All layouts of the posterior; with an open dummy these can be ten million, 32
        bytes each.
        """
        return Layouts.adopt(self.stretch(0, len(self)))

    @property
    def card_table(self) -> Floats:
        """(52, 4) P(seat holds card), in the order of ``CARDS``; exact where the
        evidence is hard.
        """
        return read_only((self.tables or self.marginals).card_marginals()[::-1])

    @property
    def length_table(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return read_only((self.tables or self.marginals).length_distributions())

    @property
    def point_table(self) -> Floats:
        """(4, 38) P(seat has so many high-card points); from the draws where
        :attr:`counts_points` is false.
        """
        return (
            self.marginals.points[:, :38]
            if self._counted_points is None
            else self._counted_points
        )

    def card_probabilities(self) -> xarray.DataArray:
        """P(seat holds card), card × seat; exact from the counting tables where the
        evidence is hard.
        """
        return _labelled(
            self.card_table,
            "probability",
            card=CARDS,
            seat=[seat.name for seat in Seat],
        )

    def length_probabilities(self) -> xarray.DataArray:
        """P(seat has so many cards of a suit), seat × suit × length."""
        names = {
            "seat": [seat.name for seat in Seat],
            "suit": [suit.name for suit in Suit],
        }
        return _labelled(self.length_table, "probability", **names, length=range(14))

    def point_probabilities(self) -> xarray.DataArray:
        """P(seat has so many high-card points), seat × points; from the draws where
        :attr:`counts_points` is false.
        """
        return _labelled(
            self.point_table,
            "probability",
            seat=[seat.name for seat in Seat],
            points=range(38),
        )

    @property
    def counts_cards(self) -> bool:
        """Whether the places of the cards and the lengths of the suits are exact, by
        walking or by counting.
        """
        return self.tables is not None or (self.whole or self).exact

    @property
    def counts_points(self) -> bool:
        """Whether the points are exact: beside calls their tables may be too large
        where those of cards are not.
        """
        return self._counted_points is not None or (self.whole or self).exact

    @cached_property
    def _counted_points(self) -> Floats | None:
        """(4, 38) exact, or ``None`` if there are no tables or too large ones."""
        if (tables := self.tables) is None:
            return None
        try:
            counted = tables if isinstance(tables, LevelTables) else self.target
            return read_only(counted.point_distributions())
        except TablesTooLarge:
            return None

    @cached_property
    def marginals(self) -> Marginals:
        """Weighted sums over the layouts held."""
        if (
            self.whole is not None
        ):  # what all draws together say is better than what few say
            return self.whole.marginals
        return Marginals.of(self.blocks())

    def rebind(self, belief: Belief) -> Posterior | None:
        """The same draws for a belief that has learned nothing since, as by the
        observer's own calls; else ``None``.

        >>> from bayesbridge import Belief, Called
        >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("E", "1NT"))
        >>> posterior = belief.infer(draws=100, rng=1)
        >>> posterior.rebind(belief.given(Called("S", "2NT")))
        <Posterior: levels, 100 of 84478098072866400 layouts, ESS 100>
        >>> posterior.rebind(belief.given(Called("W", "2NT"))) is None
        True
        """
        return (
            replace(self, belief=belief) if belief.target.same_as(self.target) else None
        )

    @property
    def warning(self) -> str:
        """What to be wary of, and what to do; empty where all is well."""
        asked = self.asked[1] or self.target.cost.draws
        if self.exact or self.caveat:
            return self.caveat
        if (self.importance or self.proposed) is not None and self.ess < ENOUGH * asked:
            return (
                f"{asked} draws were asked for and their effective sample size is {self.ess:.0f}: ask for more draws, "
                "or take back the call that is hardest to explain"
            )
        if (khat := self.khat) is not None and khat > DECEIVING:
            return (
                f"the largest weights have a Pareto k̂ of {khat:.2f}, above {DECEIVING}: errors are larger than stated; "
                "ask for more draws"
            )
        return ""

    @property
    def entropy_bits(self) -> float:
        """Entropy of the posterior in bits, from log₂ of the number of layouts down to
        0.
        """
        # log₂ of the count plus log₂ of the mean likelihood L minus the posterior mean of log₂ L
        bits = log2(self.count()) + (
            self.log_marginal - self.mean_log_likelihood
        ) / log(2.0)
        return min(max(bits, 0.0), log2(self.count()))

    @property
    def log_evidence_error(self) -> float:
        """About one standard error of :attr:`log_evidence`, 0 where it is exact."""
        return self.log_marginal_error

    @property
    def log_evidence(self) -> float:
        """log P(all evidence ∣ the observer's own hand): counted for hard evidence,
        estimated for soft unless exact.
        """
        return log(self.count()) - log(UNSEEN) + self.log_marginal

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> Floats | float:
        """Posterior mean of any function of a batch of layouts: (n,) or (n, …) in, a
        number or an array out.
        """
        total: Floats | float = 0.0
        for masks, weights in self.blocks():
            given = quantity(Layouts.adopt(masks))
            values = np.asarray(given, dtype=np.float64)
            if values.shape[:1] != (len(masks),):
                what = f"quantity gave {shorten(given)} for {len(masks)} layouts: let it give one number for each"
                raise WrongArgument(what, argument="quantity", value=given)
            total = total + (weights @ values.reshape(len(values), -1)).reshape(
                values.shape[1:]
            )
        return float(total) if np.ndim(total) == 0 else total

    def resample(self, n: int, rng: Seed = None) -> Layouts:
        """``n`` layouts that count the same."""
        if not 0 <= n <= MOST_DRAWS:
            raise BayesBridgeError(f"n {n}: take from 0 to {MOST_DRAWS} layouts", n=n)
        numbers = generator(rng)
        if isinstance(self.source, Enumeration) and self.importance is None:
            return Layouts.adopt(self.target.sampler.draw(int(n), numbers))
        chosen = (self.importance or Weights(np.zeros(len(self)))).resample(
            int(n), numbers, "multinomial"
        )
        if isinstance(self.source, Enumeration):
            return Layouts.adopt(self.source.index.layouts(chosen))
        return Layouts.adopt(self.stretch(0, len(self))[chosen])

    def to_dataframe(self, n: int | None = None, rng: Seed = None) -> pandas.DataFrame:
        """A pandas table, a row for each layout: ``weight``, hands in PBN,
        ``points[N]`` …, ``length[N:S]`` ….

        With ``n`` as many rows are drawn by their weights, and count the same. A table
        has at most a million rows.
        """
        import pandas

        rows = len(self) if n is None else n
        if rows > MOST_ROWS:
            raise BayesBridgeError(
                f"{rows} rows are too many for a table: draw fewer, as in n=100_000",
                n=n,
            )
        layouts = self.layouts if n is None else self.resample(n, rng)
        lengths, points = layouts.lengths, layouts.points
        columns: dict[str, Any] = {
            "weight": self.weights
            if n is None
            else np.full(len(layouts), 1.0 / max(n, 1))
        }
        columns |= {
            seat.name: [Hand(int(mask)).pbn for mask in layouts.masks[:, seat]]
            for seat in Seat
        }
        columns |= {f"points[{seat.name}]": points[:, seat] for seat in Seat}
        for seat in Seat:
            columns |= {
                f"length[{seat.name}:{suit.name}]": lengths[:, seat, suit]
                for suit in reversed(Suit)
            }
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        accuracy = "exact" if self.exact else f"ESS {self.ess:.0f}"
        return f"<Posterior: {self.method}, {len(self)} of {self.count()} layouts, {accuracy}>"

    def _repr_html_(self) -> str:
        names = ("card_probabilities", "length_probabilities", "point_probabilities")
        return markup.piece(
            position_html(
                {name: getattr(self, name)() for name in names},
                self.belief.roles,
                self.belief.middle_html,
            ),
            markup.sentence(" ".join(self.marginal_accuracy)),
            markup.sentence(
                "" if self.counts_points else "Points are estimated from the draws."
            ),
        )

    @property
    def marginal_accuracy(self) -> list[str]:
        """How exact the places of the cards and the lengths are; :attr:`counts_points`
        tells of the points.
        """
        if not self.counts_cards:
            return accuracy_sentences(accuracy_document(self))
        return accuracy_sentences(
            accuracy_document(self, self.method_of(counted=True), True)
        )

    def method_of(self, counted: bool) -> str:
        """What gave numbers of which some were ``counted``: the engine, unless suits
        were counted and merged.
        """
        return (
            CONVOLUTION
            if counted and self.target.plain and not self.exact
            else self.method
        )


def accuracy_document(
    posterior: Posterior, method: str | None = None, exact: bool | None = None
) -> dict[str, Any]:
    """How an answer was computed and how exact it is."""
    is_exact = posterior.exact if exact is None else exact
    why = posterior.why
    if method == CONVOLUTION:
        counted = f"{posterior.count()} layouts are too many to walk, but their suits can be counted and merged"
        why = f"{method}: {counted}; {'every answer is exact' if is_exact else f'the other estimators by {why}'}"
    return {
        "method": method or posterior.method,
        "exact": is_exact,
        "layouts": str(posterior.count()),
        "draws": len(posterior),
        "ess": None if is_exact else posterior.ess,
        "why": why,
        "entropy_bits": posterior.entropy_bits,
        "log_evidence": posterior.log_evidence,
        "log_evidence_error": posterior.log_evidence_error,
        "warning": posterior.warning or None,
    }


def accuracy_sentences(told: Mapping[Any, Any]) -> list[str]:
    """The same for people, from the document or from the attributes of a result."""
    layouts = int(told["layouts"])
    fit = counted(layouts, "layout", "fit")
    lines = [f"{fit}; the uncertainty about them is {told['entropy_bits']:.2f} bits."]
    if told["exact"]:
        how = (
            "walking every layout"
            if told["method"] == "enumerate"
            else "counting suit by suit"
        )
        lines.append(f"Computed exactly, by {how} ({told['method']}).")
    else:
        error = percent(0.5 / sqrt(max(told["ess"], 1.0)))
        lines.append(
            f"Estimated, one standard error of a probability is at most {error}. {told['why']}."
        )
    return [*lines, *([f"Warning: {told['warning']}."] if told["warning"] else [])]


SURE: Final = 1e-9  # sums of weights miss 0 and 1 by so much


def position_html(
    marginals: Mapping[Any, xarray.DataArray], roles: Mapping[str, str], middle: str
) -> str:
    """The hands around a compass and the honours, from the three ``…_probabilities`` of
    a posterior or a result.
    """
    cards = marginals["card_probabilities"]
    masks = np.array(
        [Card.of(str(name)).mask for name in cards["card"].values], dtype=np.uint64
    )
    table = cards.transpose("card", "seat").values
    must = [int(masks[table[:, seat] > 1.0 - SURE].sum()) for seat in Seat]
    may = [int(masks[table[:, seat] > SURE].sum()) for seat in Seat]
    lengths, points = (
        marginals["length_probabilities"],
        marginals["point_probabilities"],
    )
    mean_lengths = (
        (lengths * lengths["length"])
        .sum("length")
        .transpose("seat", "suit")
        .values.tolist()
    )
    mean_points = (points * points["points"]).sum("points").values.tolist()
    hands = around_table(must, may, roles, middle, mean_lengths, mean_points)
    return hands + markup.side_by_side(honour_tables(cards))


def honour_tables(cards: xarray.DataArray) -> list[Table]:
    """P(seat holds honour), a table for each suit where one is not certain; a letter
    names who surely holds it.
    """
    table = cards.transpose("card", "seat")
    shares = dict(zip(map(str, table["card"].values), table.values, strict=True))
    hidden = [
        seat
        for seat in Seat
        if any(SURE < row[seat] < 1.0 - SURE for row in shares.values())
    ]
    tables = []
    for suit in reversed(Suit):
        held = {rank: shares[f"{suit.name}{rank}"] for rank in "AKQJT"}
        known = {
            rank: Seat(int(row.argmax())).name
            for rank, row in held.items()
            if row.max() > 1.0 - SURE
        }
        if len(known) < len(held):
            rows = [
                [
                    SEATS[seat.name],
                    *(known.get(rank, float(row[seat])) for rank, row in held.items()),
                ]
                for seat in hidden
            ]
            tables.append(
                Table(
                    SUITS[suit.name],
                    ["", *(rank.replace("T", "10") for rank in held)],
                    rows,
                )
            )
    return tables


def _labelled(values: NDArray[Any], name: str, **coords: Any) -> xarray.DataArray:
    import xarray

    # A copy: whoever asks may write to the answer, and the next answer is not changed by that.
    return xarray.DataArray(
        values.copy(),
        coords={key: list(names) for key, names in coords.items()},
        dims=list(coords),
        name=name,
    )


def subsample(posterior: Posterior, n: int, rng: Seed, why: str) -> Posterior:
    """``n`` layouts of a posterior, drawn by their weights, that count the same, for
    questions that take long for each.

    Marginals, the evidence and the entropy stay those of the whole posterior; ``why``
    is added to its own.

    >>> from bayesbridge import Belief, Reveal
    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").given(Reveal("N", "J54.AQ2.KQ76.A54")).infer()
    >>> subsample(posterior, 300, 1, "300 drawn")
    <Posterior: enumerate, 300 of 10400600 layouts, ESS 300>
    """
    return replace(
        posterior,
        reasons=(*posterior.reasons, why),
        source=posterior.resample(n, rng).masks,
        exact=False,
        importance=None,
        proposed=posterior.proposed or posterior.importance,
        likelihood=None,
        mean_log=posterior.mean_log_likelihood,
        ess=float(n) if posterior.exact else 1.0 / (1.0 / n + 1.0 / posterior.ess),
        batches=None,
        whole=posterior.whole or posterior,
    )
