"""Joint inference of a player's style θ and of the layout: each call is evidence about
both.

The style model reads nothing of a hand but its five cells, so layouts with the same
cells are one *row*, weighted by the likelihood of the other evidence (over its density,
where layouts are drawn). Summing them out leaves a smooth function of at most four
numbers, m(θ) = Σ_rows weight · P(their calls ∣ cells, θ).

With z a style's distance from the centres of its prior in spreads, a normal proposal is
fitted to the posterior of z by tempered importance sampling, and mixed with a tenth of
the prior, so that no weight passes ten times the likelihood. Points come in batches,
each a scrambled Sobol' net: their spread is the standard error of every answer.

Given styles θ_d with weights w_d for the prior and the records, a layout of row r has
the likelihood Σ w_d P_r(θ_d), and P(calls) = Σ w_d m(θ_d). Draws of NUTS have w_d ∝ 1 /
m(θ_d); P(calls) then comes from points around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri
from scipy.stats import qmc

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.auctions import Turn
from bayesbridge.bidders.fit import (
    STYLE,
    CallRecord,
    Design,
    Prior,
    Styles,
    sample_quietly,
    style_variables,
)
from bayesbridge.bidders.style import (
    CELLS,
    LEANING,
    Cells,
    Options,
    StyleBidder,
    Terms,
    cells,
)
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.enumeration import BLOCK, MOST_LAYOUTS, Enumeration
from bayesbridge.engines.target import LikelihoodTerm, SoftEvidence
from bayesbridge.engines.tilt import tilted_draws
from bayesbridge.engines.weights import (
    Batches,
    Estimate,
    Weights,
    standard_error,
    stretches_of,
    tempering,
)
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Layouts, Masks
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import pymc
    import xarray

BATCHES: Final = 32
DEFENCE: Final = 0.1  # share of the prior in the mixture
ENOUGH: Final = 100.0  # effective styles or layouts below which a warning is given


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """A mixture of a fitted normal distribution and the prior; ``mean`` (k,), ``root``
    (k, k) lower triangular.
    """

    mean: Floats
    root: Floats

    @classmethod
    def around(cls, points: Floats, weights: Floats) -> Cloud:
        """Fitted to (n, k) points with (n,) normalised weights; a little of the prior
        keeps every spread above 0.
        """
        mean = weights @ points
        centred = points - mean
        covariance = (weights[:, None] * centred).T @ centred
        covariance = 1.15**2 * covariance + 1e-6 * np.eye(
            len(mean)
        )  # tails that are too wide cost little
        return cls(mean, np.linalg.cholesky(covariance))

    @classmethod
    def fitted(
        cls,
        log_likelihood: Callable[[Floats], Floats],
        dimensions: int,
        rng: np.random.Generator,
    ) -> Cloud:
        """For a posterior ∝ standard normal · likelihood, which is a function of (n, k)
        points.
        """
        cloud = best = cls(np.zeros(dimensions), np.eye(dimensions))
        best_share, before = 0.0, 0.0
        for _ in range(8):
            points = cloud.draw(1, 128, rng)[0]
            log = log_likelihood(points) + cloud.log_weight(points)
            share = Weights(log).ess / len(points)
            if share > best_share:
                best, best_share = cloud, share
            if share >= 0.6 or (share >= 0.3 and share < 1.1 * before):
                break
            before = share
            cloud = cls.around(
                points, Weights(tempering(log, 24.0, halvings=12) * log).W
            )
        return best

    def draw(self, batches: int, n: int, rng: np.random.Generator) -> Floats:
        """(batches, n, k) points; n is a power of two."""
        uniform = np.stack(
            [qmc.Sobol(len(self.mean) + 1, rng=rng).random(n) for _ in range(batches)]
        )
        normal = ndtri(uniform[..., 1:].clip(1e-15, 1 - 1e-15))
        return np.asarray(
            np.where(
                uniform[..., :1] < DEFENCE, normal, self.mean + normal @ self.root.T
            )
        )

    def points(self, n: int, rng: np.random.Generator) -> Floats:
        """(BATCHES, m, k) points, ``n`` of them or some more; one where there is
        nothing to vary.
        """
        if not len(self.mean):
            return np.zeros((1, 1, 0))
        return self.draw(BATCHES, 1 << max(0, int(np.ceil(np.log2(n / BATCHES)))), rng)

    def log_weight(self, points: Floats) -> Floats:
        """(…) log of prior / density of (…, k) points."""
        prior = -0.5 * (points**2).sum(axis=-1)
        fitted = (points - self.mean) @ np.linalg.inv(self.root).T
        own = -0.5 * (fitted**2).sum(axis=-1) - np.log(np.diag(self.root)).sum()
        return np.asarray(
            prior - np.logaddexp(own + np.log1p(-DEFENCE), prior + np.log(DEFENCE))
        )


def _log_mean(log: Floats) -> Estimate[float]:
    """The logarithm of the mean of exp over (B, n) points in batches."""
    most = float(log.max())
    batches = np.exp(log - most).mean(axis=1)
    mean = float(batches.mean())
    return Estimate(
        most + float(np.log(mean)), float(standard_error(batches / mean - 1.0))
    )


@dataclass(frozen=True, eq=False)
class StyleQuestion:
    """A belief in style bidders, one seat whose style is not known, and what is known
    of that style beforehand.
    """

    belief: Belief
    seat: Seat
    prior: Prior
    calls: tuple[
        tuple[Options, int], ...
    ]  # of the seat in this auction: the options, and which it was
    others: SoftEvidence  # all other soft evidence
    # the calls on record of the same player, None if there are none
    design: Design | None

    @classmethod
    def of(
        cls,
        belief: Belief,
        seat: Seat | str,
        records: Sequence[CallRecord],
        prior: Prior,
    ) -> StyleQuestion:
        caller, auction, bidder = Seat.of(seat), belief.auction, belief.bidder
        if caller == belief.observer:
            raise BayesBridgeError(
                f"{caller.name} is the observer, who knows that hand: name another",
                seat=caller,
            )
        if auction is None or caller not in {who for who, _ in auction}:
            raise BayesBridgeError(
                f"{caller.name} has not called: give the calls as evidence first",
                seat=caller,
            )
        if not isinstance(bidder, StyleBidder):
            raise BayesBridgeError(
                f"the belief takes the others for {type(bidder).__name__}, which has no style to learn: "
                "ask about belief.with_bidder(bb.StyleBidder())"
            )
        if belief.constraints.conditions:
            raise BayesBridgeError(
                "a style is inferred without conditions: leave Condition out",
                seat=caller,
            )
        turns = [
            Turn.of(auction, index)
            for index, (who, _) in enumerate(auction)
            if who == caller
        ]
        players = sorted({record.player for record in records})
        if len(players) > 1:
            raise BayesBridgeError(
                f"records of {', '.join(players)}: give those of {caller.name} alone"
            )
        return cls(
            belief,
            caller,
            prior,
            tuple(
                (Options.of(turn.before, bidder.vulnerable), turn.call.index)
                for turn in turns
            ),
            SoftEvidence(
                tuple(
                    one
                    for one in belief.target.soft.terms
                    if caller not in one.seats or one.call is None
                )
            ),
            Design.of(records, players) if records else None,
        )

    def log_records(self, styles: Floats) -> Floats:
        """(…) log P(the calls on record) for (…, 4) styles."""
        if (design := self.design) is None:
            return np.zeros(styles.shape[:-1])
        made = 0, np.arange(len(design.call)), design.call
        each = [
            np.log(design.probabilities(style[None, None])[made]).sum()
            for style in styles.reshape(-1, 4)
        ]
        return np.reshape(each, styles.shape[:-1])

    def weighted(self, cloud: Cloud, points: Floats) -> tuple[Floats, Floats]:
        """(…, 4) styles at (…, k) points of a mixture, and (…) their log weights for
        the prior and the records.
        """
        styles = self.prior.styles(points)
        return styles, cloud.log_weight(points) + self.log_records(styles)

    def cloud(
        self,
        rng: np.random.Generator,
        log_likelihood: Callable[[Floats], Floats] | None = None,
    ) -> Cloud:
        """A mixture that covers what the records, and a further likelihood of (n, 4)
        styles, say of the style.
        """
        free = len(self.prior.unknown)
        if self.design is None and log_likelihood is None:
            return Cloud(np.zeros(free), np.eye(free))

        def log(points: Floats) -> Floats:
            styles = self.prior.styles(points)
            return self.log_records(styles) + (
                0.0 if log_likelihood is None else log_likelihood(styles)
            )

        return Cloud.fitted(log, free, rng)

    def drawn(self, n: int, rng: np.random.Generator) -> Draws:
        """About ``n`` layouts by the engine ``importance``, the style summed out over
        points of its prior.
        """
        target, cloud = self.belief.target, self.cloud(rng)
        styles, log = self.weighted(cloud, cloud.draw(1, 64, rng)[0])
        style_weights = Weights(log).W

        def log_likelihood(
            hands: NDArray[np.uint64], _: NDArray[np.uint64] | None = None, /
        ) -> Floats:
            total = np.zeros(len(hands))
            for part, chances in SeatChances.of(cells(hands), self.calls).of_styles(
                styles
            ):
                total += style_weights[part] @ chances
            with np.errstate(divide="ignore"):
                return np.minimum(np.log(total), 0.0)

        pieces = tuple(
            piece
            for one in target.soft.terms
            if self.seat in one.seats
            for piece in one.pieces
        )
        calls = LikelihoodTerm(
            (int(self.seat),), pieces, log_likelihood, log_likelihood
        )
        soft = SoftEvidence((*self.others.terms, calls))
        return tilted_draws(
            replace(target, soft=soft), n, rng, "they are too many to walk"
        )


class SeatChances(NamedTuple):
    """Everything about rows of cells and the calls of a seat but for the style: of each
    call its number, how many were legal, and by strain the options, their terms for
    each cell that occurs, and the cell of each row.
    """

    calls: list[
        tuple[int, int, list[tuple[NDArray[np.int64], Terms, NDArray[np.intp]]]]
    ]
    rows: int  # how many rows there are

    @classmethod
    def of(cls, cell: Cells, made: Sequence[tuple[Options, int]]) -> SeatChances:
        unique = [
            np.unique(cell[:, strain], return_inverse=True) for strain in range(5)
        ]
        calls = []
        for options, call in made:
            strains = []
            for strain in np.unique(options.strain).tolist():
                used, where = unique[strain]
                here = Options(
                    *(column[options.strain == strain] for column in options)
                )
                strains.append((here.call, Terms.of(used[:, None], here), where))
            calls.append((call, 1 + len(options.call), strains))
        return cls(calls, len(cell))

    def of_calls(
        self, style: Sequence[Any], exp: Callable[[Any], Any]
    ) -> Iterator[Any]:
        """(k,) the probability of each call, for the four numbers of a style in
        PyTensor.

        Or (d, k) for d styles as arrays: (d, 1, 1), the slip (d, 1).
        """
        aggressiveness, preference, temperature, slip = style
        for call, legal, strains in self.calls:
            total, chosen = np.ones(self.rows), 1.0
            for calls, terms, where in strains:
                odds = exp(
                    terms.utility(aggressiveness + preference * LEANING[calls])
                    / temperature
                )
                total = total + odds.sum(axis=-1)[..., where]
                if call in calls:
                    chosen = odds[..., int(np.searchsorted(calls, call))][..., where]
            yield slip / legal + (1.0 - slip) * chosen / total

    def of_styles(self, styles: Floats) -> Iterator[tuple[slice, Floats]]:
        """Stretches of (d, 4) styles, and (stretch, k) the probability of all calls for
        each of them.
        """
        size = max(1, min(64, (1 << 20) // max(1, self.rows)))  # 8 MB of styles × rows
        for begin in range(0, len(styles), size):
            part = slice(begin, begin + size)
            *numbers, slip = styles[part].T[..., None]
            yield (
                part,
                reduce(
                    np.multiply,
                    self.of_calls([*(one[..., None] for one in numbers), slip], np.exp),
                ),
            )


@dataclass(frozen=True, slots=True, eq=False)
class StyleRows:
    """The layouts by what the style model sees of them, and the chances of the seat's
    calls for each row.
    """

    drawn: Draws | None
    layouts: Enumeration | Masks  # all of them, or those of drawn that have weight
    chances: SeatChances
    # (k,) log weight of each row, most the largest; the weights add up to P(the other
    # evidence)
    log: Floats
    most: float
    row: NDArray[np.int64]  # (n,) the row of each layout
    # (n,) log weight of each layout: log P(other evidence ∣ layout) − log density
    base: Floats
    others: Floats  # (n,) log P(other evidence ∣ layout)

    @classmethod
    def of(cls, question: StyleQuestion, drawn: Draws | None) -> StyleRows:
        target, codes, others = question.belief.target, [], []
        if drawn is None:
            layouts: Enumeration | Masks = Enumeration.of(target.sampler)
            log_density: Floats | float = float(np.log(float(target.count)))
        else:
            used, likelihood = drawn.weights > 0, drawn.log_likelihood
            assert likelihood is not None
            layouts = drawn.stretch(0, len(drawn))[used]
            log_density = (
                likelihood[used] - np.log(drawn.weights[used]) - drawn.log_marginal
            )
        for masks in (
            layouts.blocks(BLOCK) if isinstance(layouts, Enumeration) else [layouts]
        ):
            codes.append(
                cells(masks[:, question.seat]).astype(np.int64) @ CELLS ** np.arange(5)
            )
            others.append(question.others.of_layouts(masks))
        log = np.concatenate(others)
        base = log - log_density
        if (most := base.max()) == -np.inf:
            raise Contradiction(
                f"no layout explains what the others called under {question.belief.bidder!r}: "
                "give the model a slip (slip=0.02), or take a call back",
                evidence=question.belief.evidence,
            )
        found, row = np.unique(np.concatenate(codes), return_inverse=True)
        weights = np.bincount(row, np.exp(base - most))
        used = weights > 0
        row = np.where(used, np.cumsum(used) - 1, 0)[row]
        cell = (found[used, None] // CELLS ** np.arange(5) % CELLS).astype(np.int16)
        log_rows = np.log(weights[used]) + most
        chances = SeatChances.of(cell, question.calls)
        return cls(
            drawn, layouts, chances, log_rows, float(log_rows.max()), row, base, log
        )

    def log_marginal(self, styles: Floats) -> Floats:
        found, rows = np.empty(len(styles)), np.exp(self.log - self.most)
        for part, chances in self.chances.of_styles(styles):
            found[part] = chances @ rows
        with np.errstate(divide="ignore"):
            return np.log(found) + self.most


class WeightedRows(NamedTuple):
    """The rows weighted by styles."""

    # (B, k) by batch, likelihood of each row over P(calls): its mean over layouts and
    # batches is 1
    table: Floats
    by_style: (
        Floats  # (4, k) mean of each parameter of the style for a layout of the row
    )
    styles: Floats  # (B, n, 4)
    weights: Floats  # (B, n) posterior weight of each style, adding up to one
    marginal: Floats  # (B, n) m(θ) over the weight of the heaviest row
    evidence: Estimate[float] | None = (
        None  # log P(calls ∣ hard evidence, records), where the styles tell it
    )

    @classmethod
    def of(cls, rows: StyleRows, styles: Floats, prior: Floats | None) -> WeightedRows:
        """Of (B, n, 4) styles with (B, n) weights for prior and records; ``None`` for
        draws from the posterior.
        """
        batches, n, _ = styles.shape
        row_weights = np.exp(rows.log - rows.most)
        table, by_style = (
            np.zeros((batches, len(rows.log))),
            np.zeros((4, len(rows.log))),
        )
        marginal, weights = np.empty((batches, n)), np.empty((batches, n))
        for batch in range(batches):
            for part, chances in rows.chances.of_styles(styles[batch]):
                m = marginal[batch, part] = chances @ row_weights
                w = 1.0 / m if prior is None else prior[batch, part]
                weights[batch, part] = w * m
                table[batch] += w @ chances
                by_style += (w[:, None] * styles[batch, part]).T @ chances
        total = weights.sum()
        by_style /= np.maximum(table.sum(axis=0), np.finfo(float).tiny)
        return cls(table * batches / total, by_style, styles, weights / total, marginal)

    @classmethod
    def by_points(
        cls,
        question: StyleQuestion,
        rows: StyleRows,
        cloud: Cloud,
        n: int,
        rng: np.random.Generator,
    ) -> WeightedRows:
        styles, log = question.weighted(cloud, cloud.points(n, rng))
        found = cls.of(rows, styles, np.exp(log - log.max()))
        with np.errstate(divide="ignore"):
            above, below = _log_mean(log + np.log(found.marginal)), Estimate(0.0, 0.0)
        if question.design is not None:
            known = question.cloud(rng)
            below = _log_mean(question.weighted(known, known.points(log.size, rng))[1])
        error = float(np.hypot(above.error, below.error))
        return found._replace(
            evidence=Estimate(above.mean + rows.most - below.mean, error)
        )


class Diagnostics(NamedTuple):
    """How the style was sampled, ``importance`` or ``nuts``, and the worst diagnostics
    over its parameters.
    """

    sampler: str
    ess: float
    rhat: float  #: ``nan`` without chains.
    divergences: int


@dataclass(frozen=True, slots=True, repr=False)
class JointPosterior:
    """What is known of the player and of the layout, after their records and the calls
    of this auction.
    """

    #: Their style, as draws that count the same; the player's name is that of the seat.
    styles: Styles
    layouts: Posterior  #: The layouts, with the style summed out.
    style: dict[
        str, Estimate[float]
    ]  #: Posterior mean of each parameter of the style, with its error.
    diagnostics: Diagnostics

    @property
    def warning(self) -> str:
        """What to be wary of, and what to do; empty where all is well."""
        return self.layouts.caveat

    def card_errors(self) -> xarray.DataArray:
        """Standard error of each of ``Posterior.card_probabilities``, card × seat."""
        like = self.layouts.card_probabilities()
        return like.copy(
            data=_card_errors(self.layouts, like.values[::-1])[::-1]
        ).rename("standard error")

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> Estimate[Any]:
        """Posterior mean of any function of a batch of layouts, as
        ``Posterior.expect``, with its error.
        """
        mean = self.layouts.expect(quantity)
        found = _errors(
            self.layouts,
            lambda masks: np.asarray(quantity(Layouts.adopt(masks))),
            np.asarray(mean),
        )
        return Estimate(mean, float(found) if np.ndim(mean) == 0 else found)

    def __repr__(self) -> str:
        means = ", ".join(
            f"{name} {one.mean:.2f} ± {one.error:.2g}"
            for name, one in self.style.items()
        )
        return f"<JointPosterior: {means}; {self.layouts!r}{f'; {self.warning}' if self.warning else ''}>"


def _errors(
    draws: Draws, quantity: Callable[[Masks], NDArray[Any]], mean: Floats
) -> Floats:
    """(…) standard errors of posterior means of a function of layouts, (m, 4) → (m, …)."""
    batches = draws.batches
    assert batches is not None
    rows = batches.relative.shape[1]
    by_row, own, begin = np.zeros((rows, mean.size)), np.zeros(mean.size), 0
    for masks, weights in draws.blocks(1 << 14):
        u = quantity(masks).reshape(len(masks), -1).astype(np.float64) - mean.ravel()
        places = batches.row[begin : begin + len(masks)], np.arange(len(masks))
        by_row += sparse.csr_array((weights, places), shape=(rows, len(masks))) @ u
        if batches.drawn:
            own += (weights**2) @ (u**2)
        begin += len(masks)
    return np.asarray(
        np.hypot(standard_error(batches.relative @ by_row), np.sqrt(own)).reshape(
            mean.shape
        )
    )


def _card_errors(draws: Draws, cards: Floats) -> Floats:
    """(52, 4) standard errors of P(seat holds card)."""
    found = np.zeros(cards.shape)
    card, seat = np.nonzero((cards > 0.0) & (cards < 1.0))
    found[card, seat] = _errors(
        draws,
        lambda masks: masks[:, seat] >> card.astype(np.uint64) & np.uint64(1),
        cards[card, seat],
    )
    return found


def infer_jointly(
    belief: Belief,
    seat: Seat | str,
    records: Iterable[CallRecord] = (),
    prior: Prior | None = None,
    *,
    method: str = "auto",
    sampler: str = "importance",
    layouts: int = 4000,
    draws: int = 500,
    tune: int = 500,
    chains: int = 2,
    rng: Seed = None,
) -> JointPosterior:
    """The joint posterior of the style of one seat and of the layout.

    ``belief`` holds the calls of this auction, and its bidder is a
    :class:`~bayesbridge.StyleBidder`: the other seats have its style. ``records`` are
    calls of the same player with known hands. ``method``: ``counts`` walks all layouts,
    ``draws`` about ``layouts`` of them, drawn where the calls point; ``auto`` takes
    counts where they can be walked. ``sampler`` of the style: ``importance`` takes
    ``draws · chains`` weighted points or a few more, ``nuts`` as many draws in chains,
    with ``tune`` steps before.

    >>> import bayesbridge as bb
    >>> seen = bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Holds("E", "ST S9 S8 HT H9 H8 DJ DT D9 CK")
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bb.StyleBidder()).given(bb.Called("W", "1NT"), *seen)
    >>> found = infer_jointly(belief, "W", draws=100, rng=1)
    >>> bool(found.style["aggressiveness"].mean > 0.5)  # West opened with few points
    True
    """
    choices = (
        ("method", method, ("auto", "counts", "draws")),
        ("sampler", sampler, ("importance", "nuts")),
    )
    for name, given, known in choices:
        if given not in known:
            raise BayesBridgeError(
                f"unknown {name} {given!r}: choose {', '.join(known)}", **{name: given}
            )
    for name, number, least in (
        ("layouts", layouts, 2),
        ("draws", draws, 4),
        ("tune", tune, 0),
        ("chains", chains, 1),
    ):
        if number < least:
            raise BayesBridgeError(
                f"{number} {name}: give at least {least}", **{name: number}
            )
    question, numbers = (
        StyleQuestion.of(belief, seat, list(records), prior or Prior()),
        generator(rng),
    )
    walkable = belief.count() <= min(MOST_LAYOUTS, belief.target.cost.most_layouts)
    with one_thread():
        walk = method == "counts" or (method != "draws" and walkable)
        rows = StyleRows.of(
            question, None if walk else question.drawn(layouts, numbers)
        )
        if sampler == "nuts" and question.prior.unknown:
            return _with_nuts(question, rows, (draws, tune, chains), numbers)
        n = draws * chains
        weighted = WeightedRows.by_points(
            question, rows, question.cloud(numbers, rows.log_marginal), n, numbers
        )
        chosen = numbers.permutation(
            Weights(np.log(weighted.weights.ravel())).resample(n, numbers)
        )
        styles = _styles_of(question, weighted.styles.reshape(-1, 4)[chosen])
        found = Diagnostics(
            sampler, 1.0 / float((weighted.weights**2).sum()), np.nan, 0
        )
        return _posterior(question, rows, weighted, styles, found)


def _styles_of(question: StyleQuestion, values: Floats) -> Styles:
    import xarray

    draws = {
        name: (("chain", "draw", "player"), values[None, :, column, None])
        for column, name in enumerate(STYLE)
    }
    coords = {
        "chain": [0],
        "draw": np.arange(len(values)),
        "player": [question.seat.name],
    }
    axes = {name: coords[name] for name in ("chain", "draw")}
    stats = xarray.Dataset(
        {"diverging": (("chain", "draw"), np.zeros((1, len(values)), dtype=bool))}, axes
    )
    return Styles(
        xarray.DataTree.from_dict(
            {"posterior": xarray.Dataset(draws, coords), "sample_stats": stats}
        )
    )


def posterior_model(question: StyleQuestion, rows: StyleRows) -> pymc.Model:
    """The PyMC model of the style, the layouts summed out."""
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords={"player": [question.seat.name]}) as model:
        style = style_variables(question.prior, [question.seat.name], pooled=False)
        if (design := question.design) is not None:
            made = design.chances(style, pt.special.softmax)[
                np.arange(len(design.call)), design.call
            ]
            pm.Potential("records", pt.log(made).sum())
        calls = rows.chances.of_calls([number[0] for number in style], pt.exp)
        pm.Potential(
            "calls", pt.logsumexp(sum(map(pt.log, calls), pt.as_tensor(rows.log)))
        )
    return model


def _with_nuts(
    question: StyleQuestion,
    rows: StyleRows,
    size: tuple[int, int, int],
    rng: np.random.Generator,
) -> JointPosterior:
    with posterior_model(question, rows):
        styles = Styles(sample_quietly(*size, rng))
    found = Diagnostics("nuts", styles.least_ess, styles.worst_rhat, styles.divergences)
    posterior = styles.tree["posterior"].dataset
    values = np.stack([posterior[name].values[..., 0] for name in STYLE], axis=-1)
    z = np.stack(
        [
            posterior[f"z_{STYLE[column]}"].values.ravel()
            for column in question.prior.unknown
        ],
        axis=1,
    )
    around = Cloud.around(z, np.full(len(z), 1.0 / len(z)))
    evidence = WeightedRows.by_points(
        question, rows, around, size[0] * size[2], rng
    ).evidence
    chains, draws, _ = values.shape
    stretches = stretches_of(chains, found.ess)
    each = draws // stretches
    batches = values[:, draws - stretches * each :].reshape(chains * stretches, each, 4)
    return _posterior(
        question,
        rows,
        WeightedRows.of(rows, batches, None)._replace(evidence=evidence),
        styles,
        found,
    )


def _posterior(
    question: StyleQuestion,
    rows: StyleRows,
    weighted: WeightedRows,
    styles: Styles,
    found: Diagnostics,
) -> JointPosterior:
    assert weighted.evidence is not None
    drawn, (log_marginal, log_marginal_error) = rows.drawn, weighted.evidence
    with np.errstate(divide="ignore"):
        log_row = np.log(weighted.table.mean(axis=0))[rows.row]
    # The table is relative to P(calls) over the weight of the heaviest row.
    weights, log_seat = Weights(rows.base + log_row), log_row + log_marginal - rows.most
    means = weighted.weights.ravel() @ weighted.styles.reshape(-1, 4)
    moved = (weighted.weights[..., None] * (weighted.styles - means)).sum(axis=1)
    stated = standard_error(len(moved) * moved)
    warnings = [styles.warning if found.sampler == "nuts" else ""]
    if found.ess < ENOUGH:
        warnings.append(
            f"the draws of the style are worth {found.ess:.0f} independent ones: ask for more draws"
        )
    if drawn is not None:
        apart = float(np.linalg.norm(weights.W - drawn.weights[drawn.weights > 0]))
        log_marginal_error = float(
            np.hypot(log_marginal_error, np.hypot(drawn.log_marginal_error, apart))
        )
        away = weighted.by_style[:, rows.row].T - means
        stated = np.hypot(stated, np.sqrt((weights.W**2) @ (away**2)))
        warnings.append(drawn.caveat)
        if weights.ess < ENOUGH:
            warnings.append(
                f"the layouts drawn are worth {weights.ess:.0f} independent ones: ask for more layouts"
            )
    style = {
        name: Estimate(*one)
        for name, *one in zip(STYLE, means, stated.tolist(), strict=True)
    }
    target = question.belief.target
    draws = Draws(
        target,
        "joint",
        (
            f"{target.count} layouts, {'all walked' if drawn is None else f'{len(rows.row)} drawn'}",
            f"{len(rows.log)} different to the style model, summed out",
            f"the style by {found.sampler}, worth {found.ess:.0f} independent draws",
        ),
        rows.layouts,
        importance=weights,
        likelihood=rows.others + log_seat,
        log_marginal=log_marginal,
        log_marginal_error=log_marginal_error,
        batches=Batches.of(weighted.table, rows.row, drawn=drawn is not None),
        caveat="; ".join(filter(None, warnings)),
    )
    # Independent draws that would leave the least certain card the same error; all layouts where no card has one.
    cards = (
        Posterior.of(draws, belief=question.belief).card_probabilities().values[::-1]
    )
    error = _card_errors(draws, cards)
    open_ = (cards > 0.01) & (cards < 0.99) & (error > 0)
    ess = np.min(
        cards[open_] * (1.0 - cards[open_]) / error[open_] ** 2, initial=np.inf
    )
    draws = replace(draws, ess=float(ess) if np.isfinite(ess) else float(target.count))
    return JointPosterior(
        styles, Posterior.of(draws, belief=question.belief), style, found
    )
