"""Calls over hidden hands as a distribution of PyMC models.

Something about a player is unknown, a bidding style say, and the player was heard on
many boards whose hands were hidden. The hands are summed out before PyMC begins. On
each board layouts are drawn once, from the posterior under a mixture Q of bidder models
from the whole grid, and weighted anew for the unknowns θ of each grid point::

    P(calls ∣ θ) = P(calls ∣ Q) · E[Π P(call ∣ hand, θ) / P(call ∣ hand, Q) ∣ calls, Q]

with the product over the player's own calls. The same draws serve all grid points, so a
row is smooth in θ.

Between grid points log P is a cubic with the slopes of the spline through the row;
beyond the ends it goes on straight, with a continuous gradient. (If the last cubic went
on, the posterior would be improper.) With two unknowns the pieces are bicubic, and
their mixed derivative is 0 at the four corners, where a plane goes on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.auctions import MixtureBidder, simulate_auction
from bayesbridge.display.words import percent
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.infer import infer
from bayesbridge.engines.target import LikelihoodTerm, SoftEvidence, calls_evidence
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import BayesBridgeError, BayesBridgeWarning, shorten
from bayesbridge.evidence.kinds import Called
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Ints, Layouts, read_only
from bayesbridge.runtime.jit import one_thread
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray

__all__ = ["CallTable", "beyond_grid", "hidden_calls", "tabulate_calls"]

_PACKAGE: Final = str(Path(__file__).parent)

type BidderOfUnknowns = Callable[..., BidderModel]
"""Takes the unknowns by their names."""

MOST_CALLS: Final = 64
"""Calls of an auction as a row of integers; a longer one is cut."""

NO_CALL: Final = -1
"""In such a row, after the last call."""

MIXED: Final = {1: 5, 2: 3}
"""Points of each unknown in Q, by the number of unknowns."""

FEWEST_POINTS: Final = 4
"""That a cubic spline takes."""

MOST_WALKED: Final = 100_000
"""Layouts up to which all are weighted, and none drawn."""

BEYOND: Final = 0.01
"""Share of the posterior beyond the grid that is warned of."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of one or two unknowns, and the interpolation of what is tabulated there."""

    names: tuple[str, ...]
    points: tuple[Floats, ...]  # (n,) of each unknown, rising

    @classmethod
    def of(cls, values: Mapping[str, ArrayLike]) -> Grid:
        """The grid of the given values for each name; refuses what is no grid."""
        if len(values) not in MIXED:
            raise BayesBridgeError(
                f"a grid of {len(values)} unknowns: give values of one or two"
            )
        columns = []
        for name, numbers in values.items():
            column = np.array(numbers, dtype=np.float64)
            rising = column.ndim == 1 and bool((np.diff(column) > 0).all())
            if not rising or len(column) < FEWEST_POINTS:
                raise BayesBridgeError(
                    f"grid of {name} {shorten(numbers)}: "
                    f"give {FEWEST_POINTS} or more rising numbers"
                )
            columns.append(read_only(column))
        return cls(tuple(values), tuple(columns))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points each unknown has."""
        return tuple(len(column) for column in self.points)

    def settings(self) -> list[dict[str, float]]:
        """The unknowns at all grid points, those of the last unknown fastest."""
        return [
            dict(zip(self.names, map(float, values), strict=True))
            for values in product(*self.points)
        ]

    def mixed(self) -> Grid:
        """Fewer points, evenly spread from end to end."""
        columns = []
        for column in self.points:
            places = np.linspace(0, len(column) - 1, MIXED[len(self.points)])
            columns.append(np.unique(column[places.round().astype(int)]))
        return Grid(self.names, tuple(columns))

    def nearest(self, unknowns: Mapping[str, float]) -> dict[str, float]:
        """The unknowns, moved to the end of the grid where they lie beyond it."""
        return {
            name: float(np.clip(unknowns[name], column[0], column[-1]))
            for name, column in zip(self.names, self.points, strict=True)
        }

    def pieces(self, values: Floats) -> Floats:
        """Coefficients of the cubic spline through values on the grid.

        Beyond the grid the spline goes on straight: n points of an unknown make n + 1
        intervals, the first before all points, the last behind them. The spline of two
        unknowns x and y is bicubic: one in x, of splines in y.

        Parameters
        ----------
        values : array, shape (boards, n) or (boards, n, m)
            Values at the points of one unknown or two.

        Returns
        -------
        array, shape (boards, pieces, monomials)
            A piece is an interval of each unknown, number ``x_interval * (m + 1) +
            y_interval``. A monomial is a power 0 to 3 of the distance to the point on
            the left, number ``4 * x_power + y_power`` if there are two.
        """
        x = self.points[0]
        x_slopes = _slopes(x, values, axis=1)
        if len(self.points) == 1:
            return _cubics_with_straight_ends(x, values, x_slopes)
        y = self.points[1]
        y_slopes = _slopes(y, values, axis=2)
        xy_slopes = _slopes(y, x_slopes, axis=2)
        # Beyond the four corners the surface is a plane: it has no twist there.
        for x_end in (0, -1):
            for y_end in (0, -1):
                xy_slopes[:, x_end, y_end] = 0.0
        # (boards, x, y intervals, y powers): the curve along y at each point x, and the
        # slope along x of each of its coefficients.
        curves = _cubics_with_straight_ends(y, values, y_slopes)
        curve_slopes = _cubics_with_straight_ends(y, x_slopes, xy_slopes)
        # Splines through these along x, which goes to the last axis for that.
        surface = _cubics_with_straight_ends(
            x, np.moveaxis(curves, 1, -1), np.moveaxis(curve_slopes, 1, -1)
        )
        boards, y_intervals, y_powers, x_intervals, x_powers = surface.shape
        x_before_y = surface.transpose(0, 3, 1, 4, 2)
        return x_before_y.reshape(
            boards, x_intervals * y_intervals, x_powers * y_powers
        )

    def interpolate(self, pieces: Any, unknowns: Sequence[Any]) -> Any:
        """The values of a spline, as PyTensor's tensors.

        Parameters
        ----------
        pieces : tensor, shape (boards, pieces, monomials)
            The coefficients, as :meth:`pieces` gives them: a piece is an interval of
            each unknown, a monomial a power 0 to 3 of the distance to the point on the
            left, or a product of two; those of the last unknown run fastest.
        unknowns : sequence of tensor, shape (boards,)
            Where each board's spline is asked for.

        Returns
        -------
        tensor, shape (boards,)
        """
        import pytensor.tensor as pt

        boards = pt.arange(pieces.shape[0])
        piece = pt.zeros_like(boards)
        monomials = pt.ones_like(unknowns[0])[:, None]  # (boards, 1)
        for points, unknown in zip(self.points, unknowns, strict=True):
            # The interval before the first point is measured from that one.
            left_ends = np.concatenate([points[:1], points])
            interval = pt.searchsorted(pt.as_tensor(points), unknown, side="right")
            distance = unknown - pt.as_tensor(left_ends)[interval]
            piece = piece * len(left_ends) + interval
            # Every monomial so far times every power of this distance.
            products = monomials[:, :, None] * _powers(distance)[:, None, :]
            monomials = products.reshape((products.shape[0], -1))
        coefficients = pieces[boards, piece]
        return (coefficients * monomials).sum(axis=-1)

    def margin(self, unknowns: Sequence[Any]) -> Any:
        """Tensor: how far the outermost unknown is from the nearest end of the grid.

        It is a share of half its width: 1 in the middle, and negative beyond.
        """
        import pytensor.tensor as pt

        margins = []
        for column, unknown in zip(self.points, unknowns, strict=True):
            middle = (column[0] + column[-1]) / 2
            half_width = (column[-1] - column[0]) / 2
            margins.append(1.0 - abs(unknown - middle) / half_width)
        return pt.min(pt.stack(margins))


def _powers(distance: Any) -> Any:
    """(boards, 4) tensor of powers 0 to 3, whose gradient is finite at 0 too."""
    import pytensor.tensor as pt

    square = distance * distance
    powers = [pt.ones_like(distance), distance, square, square * distance]
    return pt.stack(powers, axis=-1)


def _slopes(points: Floats, values: Floats, axis: int) -> Floats:
    """Slopes at the points of the cubic spline along an axis."""
    return np.asarray(CubicSpline(points, values, axis=axis)(points, 1))


def _cubics_with_straight_ends(
    points: Floats, values: Floats, slopes: Floats
) -> Floats:
    """Coefficients of the cubics between n points, and of straight lines beyond.

    ``values`` and ``slopes`` at the points are (…, n). The answer is (…, n + 1, 4):
    intervals from left to right, and powers 0 to 3 of the distance to the point on the
    left. The line before the first point is measured from that point.
    """
    falling_powers = CubicHermiteSpline(points, values, slopes, axis=-1).c
    # SciPy has (power, interval, …): both go to the end, the powers last and rising.
    cubics = np.moveaxis(falling_powers[::-1], (0, 1), (-1, -2))
    lines = np.zeros((*values.shape, 4))
    lines[..., 0] = values
    lines[..., 1] = slopes
    first_line = lines[..., :1, :]
    last_line = lines[..., -1:, :]
    return np.concatenate([first_line, cubics, last_line], axis=-2)


@dataclass(frozen=True, eq=False, repr=False)
class CallTable:
    """log P(calls of each board ∣ unknowns) on a grid of one or two unknowns.

    :func:`tabulate_calls` makes it, :func:`hidden_calls` puts it into a PyMC model.
    """

    #: What the observer knows of each board, the auction included.
    boards: tuple[Belief, ...]
    #: For each board the bidder model of ``seats`` as a function of the unknowns.
    bidders: tuple[BidderOfUnknowns, ...]
    seats: tuple[Seat, ...]  #: Who bids by the unknowns.
    grid: Grid  #: ``names`` of the unknowns, and the ``points`` of each.
    log_likelihood: Floats
    """(boards, \\*grid) log P(calls of the hidden hands ∣ unknowns, all else that the
    observer knows), natural logarithms.
    """
    error: Floats
    """(boards, \\*grid) one standard error of each entry relative to its row, 0 where
    all layouts were walked: what the table adds to the error of a posterior.
    """
    row_error: Floats
    """(boards,) one standard error that a whole row has in common. It moves what
    ``az.loo`` expects of a board, and no posterior.
    """
    layouts: tuple[Layouts, ...]
    """For each board equally likely layouts to simulate auctions with. They fit all that
    the observer knows but the calls.
    """

    @property
    def calls(self) -> Ints:
        """(boards, 64) numbers of the calls that were heard, -1 after the last."""
        rows = [_call_numbers(_auction(belief)) for belief in self.boards]
        return read_only(np.stack(rows))

    def auction(self, board: int, row: ArrayLike) -> Auction:
        """The auction that a row of integers stands for, as PyMC keeps it.

        Parameters
        ----------
        board : int
            Number of the board, from 0; it tells who called first.
        row : (64,) array of int
            Numbers of the calls, -1 after the last.

        Returns
        -------
        Auction

        Examples
        --------
        >>> import bayesbridge as bb
        >>> auction = bb.Auction.of("W:Pass Pass 1C")
        >>> east = bb.Belief("E", "AQ87.K54.QT3.K62", dummy=None).given(auction)
        >>> grid = {"aggressiveness": np.linspace(-2, 2, 9)}
        >>> table = tabulate_calls([east], bb.StyleBidder, grid, "W", draws=100, rng=1)
        >>> print(table.auction(0, table.calls[0]))
        W:Pass Pass 1C
        """
        start = _auction(self.boards[board])
        calls = [Call(int(number)) for number in np.asarray(row) if number != NO_CALL]
        return Auction(start.first, tuple(calls), start.dummy)

    def simulate(
        self, board: int, unknowns: Mapping[str, float], rng: Seed = None
    ) -> Auction:
        """An auction as it might have gone on a board, the hidden hands dealt anew.

        The observer and all but :attr:`seats` bid as the board's belief says. Unknowns
        beyond the grid are moved to its end: a model need not exist there.

        Parameters
        ----------
        board : int
            Number of the board, from 0.
        unknowns : mapping of str to float
            A value of each unknown.
        rng : seed or generator, optional
            Random numbers.

        Returns
        -------
        Auction
            From the first call to the last pass.
        """
        numbers = generator(rng)
        belief = self.boards[board]
        layouts = self.layouts[board]
        deal = layouts[int(numbers.integers(len(layouts)))]
        bidders = dict.fromkeys(Seat, belief.bidder)
        unknown_bidder = self.bidders[board](**self.grid.nearest(unknowns))
        bidders |= dict.fromkeys(self.seats, unknown_bidder)
        start = _auction(belief)
        return simulate_auction(deal, bidders, start.first, start.dummy, numbers)

    def _logp(
        self, value: Any, calls: Any, _board: Any, pieces: Any, *unknowns_by_board: Any
    ) -> Any:
        """(boards,) tensor of log P of the calls heard, for ``pm.CustomDist``."""
        import pytensor.tensor as pt
        from pymc.distributions.dist_math import check_parameters

        log_likelihood = self.grid.interpolate(pieces, unknowns_by_board)
        are_calls_heard = pt.all(pt.eq(value, calls), axis=-1)
        reason = "the table is of the calls heard: tabulate other calls anew"
        return check_parameters(log_likelihood, are_calls_heard, msg=reason)

    def _random(
        self,
        _calls: Ints,
        board: Ints,
        _pieces: Floats,
        *unknowns_by_board: Floats,
        rng: np.random.Generator,
        size: Any,
    ) -> Ints:
        """Auctions drawn for ``pm.CustomDist``, as numbers of their calls.

        ``board`` and each unknown of ``unknowns_by_board`` are numbers, or arrays that
        broadcast to ``size`` (if it is given). The answer is (…, ``MOST_CALLS``): an
        auction for each element, -1 after its last call. The other arguments are those
        of the likelihood, which simulated auctions do not depend on.
        """
        parameters = [board, *unknowns_by_board]
        shape = size
        if shape is None:
            shape = np.broadcast_shapes(*map(np.shape, parameters))
        columns = [np.broadcast_to(column, shape).ravel() for column in parameters]
        call_numbers = []
        for board_number, *values in zip(*columns, strict=True):
            unknowns = dict(zip(self.grid.names, values, strict=True))
            auction = self.simulate(int(board_number), unknowns, rng)
            call_numbers.append(_call_numbers(auction))
        return np.reshape(call_numbers, (*shape, MOST_CALLS))

    def __repr__(self) -> str:
        seats = " and ".join(seat.name for seat in self.seats)
        size = " × ".join(map(str, self.log_likelihood.shape))
        names = " and ".join(self.grid.names)
        largest = float(self.error.max())
        return f"<CallTable: {seats} by {names}, {size}, errors ≤ {largest:.2g}>"


def tabulate_calls(
    boards: Iterable[Belief],
    bidder: BidderOfUnknowns | Iterable[BidderOfUnknowns],
    grid: Mapping[str, ArrayLike],
    seats: Seat | str | Iterable[Seat | str],
    *,
    draws: int = 2000,
    rng: Seed = None,
) -> CallTable:
    """log P(calls of each board ∣ unknowns) on a grid, the hidden hands summed out.

    Parameters
    ----------
    boards : iterable of Belief
        What an observer knows of each board, the auction included. All seats but
        ``seats`` bid as the bidder of the belief.
    bidder : callable, or iterable of callables
        Takes the unknowns by name, and gives the bidder model of ``seats``: one for all
        boards, or one for each, as where the vulnerability differs.
    grid : mapping of str to (n,) array of float
        Name and four or more rising values of each unknown, of which there are one or
        two.
    seats : Seat, str or iterable of Seat
        Who bids by the unknowns: ``"W"``, or ``"EW"`` where both do.
    draws : int
        Layouts drawn for each board. Where at most 100 000 are possible, all are walked.
    rng : seed or generator, optional
        Random numbers.

    Returns
    -------
    CallTable
        With the Monte Carlo error of each entry.

    Raises
    ------
    BayesBridgeError
        If a board has no call by one of the seats, or if no layout explains the calls
        somewhere on the grid.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> south = bb.Belief("S", "AK9.AK74.85.A872", dummy=None, bidder=bb.StyleBidder())
    >>> boards = [south.given(bb.Auction.of("W:1C Pass 1S 3NT Pass Pass Pass"))]
    >>> grid = {"aggressiveness": np.linspace(-2, 2, 9)}
    >>> table = tabulate_calls(boards, bb.StyleBidder, grid, "W", rng=1)
    >>> timid, bold = table.log_likelihood[0, [2, 6]]
    >>> bool(bold > timid)  # West opened, though South has 18 points
    True
    """
    beliefs = tuple(boards)
    seat_names = (seats,) if isinstance(seats, Seat) else tuple(seats)
    callers = tuple(Seat.of(seat) for seat in seat_names)
    bidders = (bidder,) * len(beliefs) if callable(bidder) else tuple(bidder)
    if not beliefs or not callers or len(bidders) != len(beliefs):
        raise BayesBridgeError(
            f"{len(beliefs)} boards, {len(bidders)} bidders and {len(callers)} seats: "
            "give a board and a seat at least, and one bidder for all or for each board"
        )
    points = Grid.of(grid)
    streams = generator(rng).spawn(len(beliefs))
    rows = []
    with one_thread():
        for number, belief in enumerate(beliefs):
            question = BoardQuestion(number, belief, bidders[number], callers)
            question.verify()
            rows.append(question.row(points, draws, streams[number]))
    shape = (len(beliefs), *points.shape)
    return CallTable(
        boards=beliefs,
        bidders=bidders,
        seats=callers,
        grid=points,
        log_likelihood=read_only(
            np.reshape([row.log_likelihood for row in rows], shape)
        ),
        error=read_only(np.reshape([row.error for row in rows], shape)),
        row_error=read_only(np.array([row.row_error for row in rows])),
        layouts=tuple(row.layouts for row in rows),
    )


class Row(NamedTuple):
    """One board of a :class:`CallTable`, its grid points in one row."""

    log_likelihood: Floats
    error: Floats
    row_error: float
    layouts: Layouts


@dataclass(frozen=True, eq=False)
class BoardQuestion:
    """One board, and the seats whose calls there depend on the unknowns."""

    number: int
    belief: Belief
    bidder: BidderOfUnknowns
    seats: tuple[Seat, ...]

    def verify(self) -> None:
        """Refuse a board that says nothing of a seat, or that no layout fits."""
        callers = {seat for seat, _ in self.belief.auction or ()}
        for seat in self.seats:
            if seat == self.belief.observer:
                raise BayesBridgeError(
                    f"board {self.number}: {seat.name} is the observer, who knows that "
                    "hand: name another seat",
                    seat=seat,
                )
            if seat not in callers:
                raise BayesBridgeError(
                    f"board {self.number}: {seat.name} has not called: give the calls "
                    "as evidence, or leave the board out",
                    seat=seat,
                )
        self.belief.verify()

    def row(self, grid: Grid, draws: int, rng: np.random.Generator) -> Row:
        """log P(calls of this board ∣ unknowns) at each point of the grid.

        One sample of layouts serves all points. It is drawn as if the seats bid by an
        equal mixture of the models at a few points; at a point P(calls) is then that of
        the mixture, times the posterior mean of the ratio of the likelihoods by the
        model there and by the mixture.
        """
        mixture_model = MixtureBidder(tuple(self.models(grid.mixed())))
        mixture_calls = self.calls_by(mixture_model)
        mixture = self.draws((*self.other_terms, *mixture_calls.terms), draws, rng)
        ratios = self.mean_ratios(mixture, mixture_calls, self.models(grid))
        # P(calls ∣ cards played) = P(calls and cards played) / P(cards played).
        no_calls = self.draws(self.play_terms, draws, rng)
        log_mixture = mixture.log_marginal - no_calls.log_marginal
        # Errors of these two move all points alike; those of the ratios differ.
        row_error = np.hypot(mixture.log_marginal_error, no_calls.log_marginal_error)
        without_calls = Posterior.of(no_calls, belief=self.belief)
        return Row(
            log_likelihood=np.log(ratios.mean) + log_mixture,
            error=ratios.error,
            row_error=float(row_error),
            layouts=without_calls.resample(draws, rng),
        )

    def models(self, grid: Grid) -> list[BidderModel]:
        """The bidder model at each point of a grid."""
        return [self.bidder(**setting) for setting in grid.settings()]

    def calls_by(self, model: BidderModel) -> SoftEvidence:
        """What the calls of the seats say of the layout if they bid as a model does."""
        belief = self.belief
        called = [piece for piece in belief.evidence if isinstance(piece, Called)]
        terms = calls_evidence(model, belief.auction, belief.observer, called)
        callers = self.seats
        return SoftEvidence(tuple(term for term in terms if term.seats[0] in callers))

    @property
    def play_terms(self) -> tuple[LikelihoodTerm, ...]:
        """What the choice of cards says of the layout."""
        terms = self.belief.target.soft.terms
        return tuple(term for term in terms if term.call is None)

    @property
    def other_terms(self) -> tuple[LikelihoodTerm, ...]:
        """What the calls of all other seats and the choice of cards say."""
        terms = self.belief.target.soft.terms
        callers = self.seats
        return tuple(
            term for term in terms if term.call is None or term.seats[0] not in callers
        )

    def draws(
        self, terms: tuple[LikelihoodTerm, ...], n: int, rng: np.random.Generator
    ) -> Draws:
        """Layouts under the hard evidence and some soft evidence, ``terms``.

        All of them where they are few, else ``n`` by importance sampling. Without soft
        evidence the usual engine draws them.
        """
        target = replace(self.belief.target, soft=SoftEvidence(terms))
        if not terms:
            return infer(target, "auto", n, rng)
        if target.support_size <= min(MOST_WALKED, target.cost.most_layouts):
            return infer(target, "enumerate", n, rng)
        sample = infer(target, "importance", n, rng)
        if sample.caveat:
            warning = f"board {self.number}: {sample.caveat}"
            warnings.warn(warning, BayesBridgeWarning, skip_file_prefixes=(_PACKAGE,))
        return sample

    def mean_ratios(
        self, draws: Draws, drawn_by: SoftEvidence, models: Sequence[BidderModel]
    ) -> Estimate[Floats]:
        """(models,) posterior means of likelihood ratios, with their relative errors.

        A ratio is P(calls ∣ hands, model) over that by which the layouts were drawn.
        For weights W and ratios r of layouts the mean is m = Σ W r, and its relative
        error √(Σ W² (r / m − 1)²). That is for independent draws, whose effective
        sample size is 1 / Σ W²; where ``draws.ess`` is smaller, the variance is larger
        by this factor.
        """
        used = draws.weights > 0
        weights = draws.weights[used]
        all_layouts = draws.stretch(0, len(draws))
        layouts = all_layouts[used]
        by_model = [self.calls_by(model).of_layouts(layouts) for model in models]
        log_ratios = np.stack(by_model, axis=1) - drawn_by.of_layouts(layouts)[:, None]
        ratios = np.exp(log_ratios)
        mean = weights @ ratios
        if not mean.all():
            unexplained = models[int(np.argmin(mean))]
            raise BayesBridgeError(
                f"board {self.number}: no layout drawn explains the calls under "
                f"{shorten(unexplained)}: give it a slip, or narrow the grid",
                board=self.number,
            )
        if draws.exact:
            return Estimate(mean, np.zeros(len(models)))
        deviations = weights[:, None] * (ratios / mean - 1.0)
        inflation = 1.0 / (draws.ess * float(weights @ weights))
        return Estimate(mean, np.sqrt(inflation * (deviations**2).sum(axis=0)))


def hidden_calls(name: str, table: CallTable, /, **unknowns: Any) -> Any:
    """The calls of hidden hands as an observed variable of the PyMC model in context.

    It has the log likelihood of each board, so that ``pm.compute_log_likelihood`` gives
    ``az.loo`` and ``az.compare`` boards, and simulates auctions of these boards for
    predictive draws. The gradient is exact, and log P goes on straight beyond the grid:
    with a proper prior the posterior is proper. It stands for the auctions that were
    heard; other values of it are refused.

    Parameters
    ----------
    name : str
        Name of the variable. The model gets ``<name>_table`` and ``<name>_error`` too,
        the table and its Monte Carlo error, and ``<name>_margin``: how far the unknowns
        are from the ends of the grid, 1 in its middle and negative beyond it, which
        :func:`beyond_grid` reads.
    table : CallTable
        The table of the boards.
    unknowns : scalar or (boards,) tensor, by keyword
        Each unknown of the table by its name: one value, or one for each board.

    Returns
    -------
    TensorVariable
        (boards, 64) numbers of the calls of each auction, -1 after the last;
        :meth:`CallTable.auction` reads a row.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> import pymc as pm
    >>> south = bb.Belief("S", "AK9.AK74.85.A872", dummy=None, bidder=bb.StyleBidder())
    >>> boards = [south.given(bb.Auction.of("W:1C Pass 1S 3NT Pass Pass Pass"))]
    >>> grid = {"aggressiveness": np.linspace(-2, 2, 9)}
    >>> table = tabulate_calls(boards, bb.StyleBidder, grid, "W", rng=1)
    >>> with pm.Model() as model:
    ...     style = pm.Normal("style", 0, 1)
    ...     calls = hidden_calls("calls", table, aggressiveness=style)
    >>> sorted(model.named_vars)
    ['calls', 'calls_error', 'calls_margin', 'calls_pieces', 'calls_table', 'style']
    """
    import pymc as pm
    import pytensor.tensor as pt

    grid = table.grid
    if set(unknowns) != set(grid.names):
        raise BayesBridgeError(
            f"unknowns {', '.join(unknowns) or 'missing'}: the table is of "
            f"{' and '.join(grid.names)}, name each of them",
            unknowns=tuple(unknowns),
        )
    boards = len(table.boards)
    by_board = [unknowns[unknown] + pt.zeros(boards) for unknown in grid.names]
    board, turn = f"{name}_board", f"{name}_turn"
    axis_names = [f"{name}_{unknown}" for unknown in grid.names]
    axes = dict(zip(axis_names, grid.points, strict=True))
    pm.modelcontext(None).add_coords(
        {board: np.arange(boards), turn: np.arange(MOST_CALLS), **axes}
    )
    pm.Data(f"{name}_table", table.log_likelihood, dims=(board, *axes))
    pm.Data(f"{name}_error", table.error, dims=(board, *axes))
    # Data and no constant: what PyTensor has compiled serves other tables too.
    pieces = pm.Data(f"{name}_pieces", grid.pieces(table.log_likelihood))
    pm.Deterministic(f"{name}_margin", grid.margin(by_board))

    scalars = ",()" * len(by_board)
    return pm.CustomDist(
        name,
        table.calls,
        np.arange(boards),
        pieces,
        *by_board,
        logp=table._logp,
        random=table._random,
        signature=f"(t),(),(p,m){scalars}->(t)",
        dtype="int64",
        observed=table.calls,
        dims=(board, turn),
    )


def beyond_grid(tree: xarray.DataTree, name: str = "calls") -> float:
    """The share of a posterior beyond the grid of :func:`hidden_calls`.

    A warning says where it matters. Beyond the grid log P goes on straight. That keeps
    the posterior proper, but is no longer what the bidder model says.

    Parameters
    ----------
    tree : DataTree
        Draws of PyMC.
    name : str
        Name of the variable.

    Returns
    -------
    float
        Share of the draws in which an unknown of a board lies beyond the grid. Above
        1 % a :class:`~bayesbridge.errors.BayesBridgeWarning` says so.

    Examples
    --------
    >>> import arviz
    >>> tree = arviz.from_dict({"posterior": {"calls_margin": np.full((4, 100), 0.5)}})
    >>> beyond_grid(tree)
    0.0
    """
    share = float((tree["posterior"][f"{name}_margin"] < 0).mean())
    if share > BEYOND:
        warnings.warn(
            f"{percent(share)} of the posterior lies beyond the grid of {name}, where "
            "log P goes on straight: tabulate a wider grid",
            BayesBridgeWarning,
            stacklevel=2,
        )
    return share


def _auction(belief: Belief) -> Auction:
    """The auction of a board, which is known to have one."""
    assert belief.auction is not None
    return belief.auction


def _call_numbers(auction: Auction) -> Ints:
    """(``MOST_CALLS``,) numbers of the calls of an auction, -1 after the last."""
    padded = np.full(MOST_CALLS, NO_CALL)
    numbers = [call.index for call in auction.calls[:MOST_CALLS]]
    padded[: len(numbers)] = numbers
    return padded
