"""Posterior: layouts with weights, and the questions that every posterior answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import log, log2
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import bayesbridge
from bayesbridge.belief.posterior_page import accuracy_sentences, position_html
from bayesbridge.display import markup
from bayesbridge.engines.budget import MOST_DRAWS
from bayesbridge.engines.draws import Draws, Marginals
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, TablesTooLarge, WrongArgument, shorten
from bayesbridge.game.cards import HAND_CARDS, Card, Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts, read_only
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pandas
    import xarray

UNSEEN: Final = 84_478_098_072_866_400
"""Layouts of the 39 cards that a player does not see before anything happens: 39! /
13!³.
"""

ENOUGH: Final = 0.1
"""Effective sample size over draws asked for, below which an answer has a warning."""

DECEIVING: Final = 0.7
"""Pareto k̂ above which importance weights deceive (Vehtari and others, 2024)."""

CONVOLUTION: Final = "convolution"
"""The method of numbers that were counted suit by suit under hard evidence, in place of
an engine.
"""

MOST_ROWS: Final = 1_000_000
"""Rows of the largest table that is given: half a gigabyte."""

MOST_POINTS: Final = 37
"""High-card points of the strongest hand."""

SEAT_NAMES: Final = tuple(seat.name for seat in Seat)

CARDS = tuple(str(Card(index)) for index in range(51, -1, -1))
"""Names of the cards in the order of hands: spades first, high cards first."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Posterior(Draws):
    """P(layout ∣ evidence) for one belief: layouts with weights, and what they tell.

    :meth:`Belief.infer` makes it. Where the evidence is hard, answers about cards,
    lengths and points are counted; else they are weighted sums over the layouts.

    Attributes
    ----------
    belief : Belief
        What the observer knows.

    Examples
    --------
    >>> from bayesbridge import Belief
    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> posterior
    <Posterior: direct, 20000 of 84478098072866400 layouts, ESS 20000>
    >>> round(posterior.card_probabilities().sel(card="SJ", seat="N").item(), 4)
    0.3333
    >>> round(posterior.entropy_bits, 2)
    56.23
    >>> round(posterior.expect(lambda layouts: layouts.points[:, 0] >= 12), 2)
    0.1
    """

    # By its public name: a belief makes posteriors, so its module lies above this one.
    belief: bayesbridge.Belief
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
    def of(cls, draws: Draws, **own_fields: Any) -> Posterior:
        """A posterior of what an engine drew; the other fields by name."""
        of_draws = {field.name: getattr(draws, field.name) for field in fields(draws)}
        return cls(**of_draws, **own_fields)

    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly."""
        return self.target.count

    @cached_property
    def layouts(self) -> Layouts:
        """All layouts of the posterior.

        With an open dummy these can be ten million, 32 bytes each.
        """
        return Layouts.adopt(self.stretch(0, len(self)))

    @property
    def card_table(self) -> Floats:
        """(52, 4) P(seat holds card), in the order of ``CARDS``.

        Exact where the evidence is hard.
        """
        return read_only((self.tables or self.marginals).card_marginals()[::-1])

    @property
    def length_table(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return read_only((self.tables or self.marginals).length_distributions())

    @property
    def point_table(self) -> Floats:
        """(4, 38) P(seat has so many high-card points).

        From the draws where :attr:`counts_points` is false.
        """
        counted_points = self._counted_points
        if counted_points is not None:
            return counted_points
        return self.marginals.points[:, : MOST_POINTS + 1]

    def card_probabilities(self) -> xarray.DataArray:
        """P(seat holds card), card × seat; :attr:`counts_cards` says whether exact.

        Returns
        -------
        xarray.DataArray
            Labels of ``card`` are such as ``SA``, those of ``seat`` N, E, S and W.
        """
        return _labelled(self.card_table, card=CARDS, seat=SEAT_NAMES)

    def length_probabilities(self) -> xarray.DataArray:
        """P(seat has so many cards of a suit), seat × suit × length.

        Returns
        -------
        xarray.DataArray
            Labels of ``suit`` are C, D, H and S, those of ``length`` 0 to 13.
        """
        suits = [suit.name for suit in Suit]
        lengths = range(HAND_CARDS + 1)
        return _labelled(self.length_table, seat=SEAT_NAMES, suit=suits, length=lengths)

    def point_probabilities(self) -> xarray.DataArray:
        """P(seat has so many high-card points), seat × points.

        Returns
        -------
        xarray.DataArray
            Labels of ``points`` are 0 to 37. From the draws where
            :attr:`counts_points` is false.
        """
        points = range(MOST_POINTS + 1)
        return _labelled(self.point_table, seat=SEAT_NAMES, points=points)

    @property
    def counts_cards(self) -> bool:
        """Whether the places of the cards and the lengths of the suits are exact.

        They are after walking all layouts, and after counting suit by suit.
        """
        return self.tables is not None or (self.whole or self).exact

    @property
    def counts_points(self) -> bool:
        """Whether the points are exact.

        Beside calls their tables may be too large where those of cards are not.
        """
        return self._counted_points is not None or (self.whole or self).exact

    @cached_property
    def _counted_points(self) -> Floats | None:
        """(4, 38) exact, or ``None`` if there are no tables or too large ones."""
        if self.tables is None:
            return None
        tables = self.tables if isinstance(self.tables, LevelTables) else self.target
        try:
            return read_only(tables.point_distributions())
        except TablesTooLarge:
            return None

    @cached_property
    def marginals(self) -> Marginals:
        """Weighted sums over the layouts held."""
        if self.whole is not None:
            # What all draws together say is better than what few say.
            return self.whole.marginals
        return Marginals.of(self.blocks())

    def rebind(self, belief: bayesbridge.Belief) -> Posterior | None:
        """The same draws for a belief that has learned nothing since.

        That is a belief of the same hard and soft evidence: the observer's own calls,
        for instance, tell the observer nothing.

        Parameters
        ----------
        belief : Belief
            What is known by now.

        Returns
        -------
        Posterior or None
            ``None`` if the belief has learned something.

        Examples
        --------
        >>> from bayesbridge import Belief, Called
        >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("E", "1NT"))
        >>> posterior = belief.infer(draws=100, rng=1)
        >>> posterior.rebind(belief.given(Called("S", "2NT")))
        <Posterior: levels, 100 of 84478098072866400 layouts, ESS 100>
        >>> posterior.rebind(belief.given(Called("W", "2NT"))) is None
        True
        """
        if belief.target.same_as(self.target):
            return replace(self, belief=belief)
        return None

    @property
    def warning(self) -> str:
        """What to be wary of, and what to do; empty where all is well."""
        if self.exact or self.caveat:
            return self.caveat
        _wanted_method, wanted_draws = self.asked
        draws = wanted_draws or self.target.cost.draws
        # Weighted draws, or equal ones that were resampled from weighted ones.
        had_weights = self.importance is not None or self.proposed is not None
        if had_weights and self.ess < ENOUGH * draws:
            return (
                f"{draws} draws were asked for and their effective sample size is "
                f"{self.ess:.0f}: ask for more draws, "
                "or take back the call that is hardest to explain"
            )
        khat = self.khat
        if khat is not None and khat > DECEIVING:
            return (
                f"the largest weights have a Pareto k̂ of {khat:.2f}, above "
                f"{DECEIVING}: errors are larger than stated; "
                "ask for more draws"
            )
        return ""

    @property
    def entropy_bits(self) -> float:
        """Entropy of the posterior in bits: from log₂ of the number of layouts to 0."""
        # log₂ of the count plus log₂ of the mean likelihood L minus the posterior mean
        # of log₂ L
        most = log2(self.count())
        from_calls = (self.log_marginal - self.mean_log_likelihood) / log(2.0)
        return min(max(most + from_calls, 0.0), most)

    @property
    def log_evidence_error(self) -> float:
        """About one standard error of :attr:`log_evidence`, 0 where it is exact."""
        return self.log_marginal_error

    @property
    def log_evidence(self) -> float:
        """log P(all evidence ∣ the observer's own hand).

        Counted for hard evidence, estimated for soft unless exact.
        """
        return log(self.count()) - log(UNSEEN) + self.log_marginal

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> Floats | float:
        """Posterior mean of any function of a batch of layouts.

        Parameters
        ----------
        quantity : callable
            Takes n :class:`Layouts` and returns an array (n,) or (n, …).

        Returns
        -------
        float or array of float
            A number, or an array of the shape of a row.

        Raises
        ------
        WrongArgument
            If there is not one row for each layout.
        """
        total: Floats | float = 0.0
        for masks, weights in self.blocks():
            n = len(masks)
            answer = quantity(Layouts.adopt(masks))
            values = np.asarray(answer, dtype=np.float64)
            if values.shape[:1] != (n,):
                raise WrongArgument(
                    f"quantity gave {shorten(answer)} for {n} layouts: let it give one "
                    "number for each",
                    argument="quantity",
                    value=answer,
                )
            weighted_sums = weights @ values.reshape(n, -1)
            total = total + weighted_sums.reshape(values.shape[1:])
        if np.ndim(total) == 0:
            return float(total)
        return total

    def resample(self, n: int, rng: Seed = None) -> Layouts:
        """Layouts drawn by their weights, which then count the same.

        Parameters
        ----------
        n : int
            How many, 0 too.
        rng : int, Generator or None
            What random numbers start from.

        Returns
        -------
        Layouts
            ``n`` of them.
        """
        if not 0 <= n <= MOST_DRAWS:
            raise BayesBridgeError(f"n {n}: take from 0 to {MOST_DRAWS} layouts", n=n)
        random = generator(rng)
        walks_all_layouts = isinstance(self.source, Enumeration)
        if walks_all_layouts and self.importance is None:
            # All layouts are equally likely: they are drawn without weights.
            return Layouts.adopt(self.target.sampler.draw(int(n), random))
        weights = self.importance or Weights(np.zeros(len(self)))
        chosen = weights.resample(int(n), random, "multinomial")
        if isinstance(self.source, Enumeration):
            # Only the chosen layouts are made, of what may be ten million.
            return Layouts.adopt(self.source.index.layouts(chosen))
        all_masks = self.stretch(0, len(self))
        return Layouts.adopt(all_masks[chosen])

    def to_dataframe(self, n: int | None = None, rng: Seed = None) -> pandas.DataFrame:
        """A pandas table with a row for each layout.

        Parameters
        ----------
        n : int, optional
            How many rows to draw by their weights, which then count the same; by
            default all layouts. A table has at most a million rows.
        rng : int, Generator or None
            What random numbers start from.

        Returns
        -------
        pandas.DataFrame
            Columns ``weight``, the hands ``N`` … in PBN, ``points[N]`` … and
            ``length[N:S]`` ….
        """
        import pandas

        rows = len(self) if n is None else n
        if rows > MOST_ROWS:
            raise BayesBridgeError(
                f"{rows} rows are too many for a table: draw fewer, as in n=100_000",
                n=n,
            )
        if n is None:
            layouts = self.layouts
            weights = self.weights
        else:
            layouts = self.resample(n, rng)
            weights = np.full(len(layouts), 1.0 / max(n, 1))
        columns: dict[str, Any] = {"weight": weights}
        for seat in Seat:
            masks = layouts.masks[:, seat]
            columns[seat.name] = [Hand(int(mask)).pbn for mask in masks]
        for seat in Seat:
            columns[f"points[{seat.name}]"] = layouts.points[:, seat]
        for seat in Seat:
            for suit in reversed(Suit):
                lengths = layouts.lengths[:, seat, suit]
                columns[f"length[{seat.name}:{suit.name}]"] = lengths
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        accuracy = "exact" if self.exact else f"ESS {self.ess:.0f}"
        layouts = f"{len(self)} of {self.count()} layouts"
        return f"<Posterior: {self.method}, {layouts}, {accuracy}>"

    def _repr_html_(self) -> str:
        marginals = {
            "card_probabilities": self.card_probabilities(),
            "length_probabilities": self.length_probabilities(),
            "point_probabilities": self.point_probabilities(),
        }
        roles = self.belief.roles
        table = position_html(marginals, roles, self.belief.middle_html)
        about_points = ""
        if not self.counts_points:
            about_points = "Points are estimated from the draws."
        return markup.piece(
            table,
            markup.sentence(" ".join(self.marginal_accuracy)),
            markup.sentence(about_points),
        )

    @property
    def marginal_accuracy(self) -> list[str]:
        """Sentences that say how exact the places of the cards and the lengths are.

        :attr:`counts_points` tells of the points.
        """
        if not self.counts_cards:
            return accuracy_sentences(accuracy_document(self))
        method = self.method_of(counted=True)
        return accuracy_sentences(accuracy_document(self, method, exact=True))

    def method_of(self, counted: bool) -> str:
        """The engine behind numbers, or ``convolution``.

        Parameters
        ----------
        counted : bool
            Whether some of the numbers were counted by merging suits.
        """
        if counted and self.target.plain and not self.exact:
            return CONVOLUTION
        return self.method


def accuracy_document(
    posterior: Posterior, method: str | None = None, exact: bool | None = None
) -> dict[str, Any]:
    """How an answer was computed and how exact it is, as plain data.

    ``method`` and ``exact`` are those of the answer where they differ from the
    posterior's: numbers counted suit by suit (the method ``convolution``) may be exact
    although the layouts of the posterior were drawn.
    """
    is_exact = posterior.exact if exact is None else exact
    why = posterior.why
    if method == CONVOLUTION:
        accuracy = "every answer is exact"
        if not is_exact:
            accuracy = f"the other estimators by {why}"
        why = (
            f"{method}: {posterior.count()} layouts are too many to walk, but their "
            "suits can be counted and merged; "
            f"{accuracy}"
        )
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


def _labelled(values: NDArray[Any], **labels: Any) -> xarray.DataArray:
    """Probabilities with labels on every axis, in the order of the axes."""
    import xarray

    # A copy: whoever asks may write to the answer, which does not change the next one.
    return xarray.DataArray(
        values.copy(),
        coords={dim: list(names) for dim, names in labels.items()},
        dims=list(labels),
        name="probability",
    )


def subsample(posterior: Posterior, n: int, rng: Seed, why: str) -> Posterior:
    """A posterior of ``n`` layouts drawn from another by their weights.

    It is for questions that take long for each layout. Its layouts count the same; its
    marginals, evidence and entropy are those of the whole posterior. ``why`` is added
    to the reasons.

    >>> from bayesbridge import Belief, Reveal
    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").given(Reveal("N", "J54.AQ2.KQ76.A54")).infer()
    >>> subsample(posterior, 300, 1, "300 drawn")
    <Posterior: enumerate, 300 of 10400600 layouts, ESS 300>
    """
    ess = float(n)
    if not posterior.exact:
        # The variances of both samplings add up, and each is as 1 / ESS.
        ess = 1.0 / (1.0 / n + 1.0 / posterior.ess)
    return replace(
        posterior,
        reasons=(*posterior.reasons, why),
        source=posterior.resample(n, rng).masks,
        exact=False,
        importance=None,  # the layouts count the same
        proposed=posterior.proposed or posterior.importance,  # for diagnostics
        likelihood=None,
        mean_log=posterior.mean_log_likelihood,  # for the entropy
        ess=ess,
        batches=None,
        whole=posterior.whole or posterior,
    )
