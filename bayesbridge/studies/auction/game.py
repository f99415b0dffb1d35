"""The auction as a game: what bidders earn, what a seat could gain, an equilibrium."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np

from bayesbridge.bidders.notrump_tree import (
    HIGHEST_LEVEL,
    OVER,
    NotrumpTree,
    notrump_tree,
)
from bayesbridge.errors import BayesBridgeError, Unwritable
from bayesbridge.game.layouts import Floats, read_only
from bayesbridge.game.scoring import Scheme
from bayesbridge.runtime.files import whole_file
from bayesbridge.runtime.progress import report_progress
from bayesbridge.studies.auction.deals import JOB, GameDeals
from bayesbridge.studies.auction.payoffs import payoffs, scheme_of
from bayesbridge.studies.auction.regret import Learning, learn
from bayesbridge.studies.auction.strategies import (
    Auctions,
    Profile,
    Strategy,
    Worth,
    best_response,
    standard_error,
    with_seat,
    worth,
)
from bayesbridge.studies.auction.types import FITTED_TO, Grouping, LevelTypes
from bayesbridge.studies.jobs import RunOptions, open_executor, rows

SEATS: Final = 3
BATCH: Final = 20_000  # auctions in a round of regret minimisation
KEPT_ROUNDS: Final = 20  # between two writings of what was learned


class Bidding(NamedTuple):
    """How the three seats bid: by which types, and what."""

    groupings: tuple[Grouping, ...]
    profile: Profile

    def with_seat(self, seat: int, grouping: Grouping, strategy: Strategy) -> Bidding:
        """The same, but for one seat."""
        groupings = list(self.groupings)
        groupings[seat] = grouping
        return Bidding(tuple(groupings), with_seat(self.profile, seat, strategy))


class MeanOverDeals(NamedTuple):
    """A mean over fresh deals and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, by_deal: Floats) -> Self:
        """From the values of independent deals."""
        return cls(float(by_deal.mean()), float(standard_error(by_deal)))


class Gains(NamedTuple):
    """What best responses would gain."""

    by_seat: list[MeanOverDeals]
    total: MeanOverDeals  # NashConv: nothing in an equilibrium


@dataclass(frozen=True, slots=True, eq=False)
class AuctionGame:
    """The auction of three players in no trumps, with hands grouped into types.

    Strategies are found on one half of the deals and judged on the other.

    Attributes
    ----------
    scheme : Scheme
        What contracts score.
    utility : str
        ``relative`` or ``net``: what a player wants (``studies.auction.payoffs``).
    levels : int
        The highest level that may be bid.
    learning, fresh : GameDeals
        The deals on which strategies are found, and those on which they are judged.
    grouping : Grouping
        The types of hands.
    seed : int
        Where random numbers start.
    workers : int, optional
        Threads (default: one for each core). They change no number.

    Examples
    --------
    >>> game = auction_game("old", types=4, deals=40, levels=2, workers=1)
    >>> gains = game.gains(game.learn(5, batch=100))
    >>> len(gains.by_seat), gains.total.error > 0
    (3, True)
    """

    scheme: Scheme
    utility: str
    levels: int
    learning: GameDeals
    fresh: GameDeals
    grouping: Grouping
    seed: int
    workers: int | None = None

    @property
    def tree(self) -> NotrumpTree:
        """The auctions that are possible."""
        return notrump_tree(SEATS, self.levels)

    @property
    def payoffs(self) -> Floats:
        """(levels, 14, 2) what contracts pay declarer and defenders, by tricks."""
        return read_only(payoffs(self.scheme, self.utility, self.levels, SEATS))

    def algorithm_1(self) -> Bidding:
        """All bid as high as Algorithm 1 goes, as soon as that outranks the last bid."""
        types = LevelTypes()
        strategy = highest_bid_strategy(self.tree, types.number)
        return Bidding((types,) * SEATS, (strategy,) * SEATS)

    def worth(self, bidding: Bidding) -> Worth:
        """What a way of bidding comes to on the fresh deals.

        Parameters
        ----------
        bidding : Bidding
            How the three seats bid.

        Returns
        -------
        Worth
            Points, contracts and calls, with standard errors.
        """
        return self._worth(bidding, self.fresh)

    def _worth(self, bidding: Bidding, deals: GameDeals) -> Worth:
        auctions = auctions_of(deals, bidding.groupings)
        with open_executor(workers=self.workers) as (executor, _):
            return worth(self.tree, bidding.profile, auctions, self.payoffs, executor)

    def best_response(
        self, bidding: Bidding, seat: int, grouping: Grouping | None = None
    ) -> Bidding:
        """The same bidding, but one seat answers it as well as it can.

        The response is found on the deals to learn from.

        Parameters
        ----------
        bidding : Bidding
            How the three seats bid.
        seat : int
            Who answers: 0, 1 or 2 in the order of speaking.
        grouping : Grouping, optional
            The types of hands that this seat tells apart (default: those of the game).

        Returns
        -------
        Bidding
        """
        seat_grouping = self.grouping if grouping is None else grouping
        groupings = list(bidding.groupings)
        groupings[seat] = seat_grouping
        auctions = auctions_of(self.learning, groupings)
        with open_executor(workers=self.workers) as (executor, _):
            response = best_response(
                self.tree,
                bidding.profile,
                auctions,
                self.payoffs,
                seat=seat,
                types=seat_grouping.number,
                executor=executor,
            )
        return bidding.with_seat(seat, seat_grouping, response)

    def gain(self, bidding: Bidding, response: Bidding, seat: int) -> MeanOverDeals:
        """What a seat gains by a response, on the fresh deals.

        Parameters
        ----------
        bidding, response : Bidding
            Before and after.
        seat : int
            Whose points count.

        Returns
        -------
        MeanOverDeals
            Mean and standard error, of differences deal by deal.
        """
        before = self.worth(bidding).points[:, seat]
        return MeanOverDeals.of(self.worth(response).points[:, seat] - before)

    def gains(self, bidding: Bidding) -> Gains:
        """What each seat would gain by its best response, on the fresh deals.

        Parameters
        ----------
        bidding : Bidding
            How the three seats bid.

        Returns
        -------
        Gains
            By seat, and their sum, which is nothing in an equilibrium.
        """
        before = self.worth(bidding).points
        after = np.empty_like(before)
        for seat in range(SEATS):
            response = self.best_response(bidding, seat)
            after[:, seat] = self.worth(response).points[:, seat]
        difference = after - before
        by_seat = [MeanOverDeals.of(column) for column in difference.T]
        return Gains(by_seat, MeanOverDeals.of(difference.sum(axis=1)))

    def learn(
        self,
        iterations: int = 300,
        batch: int = BATCH,
        checkpoint: Path | None = None,
    ) -> Bidding:
        """The mean strategies of so many rounds of regret minimisation.

        Parameters
        ----------
        iterations : int
            Rounds.
        batch : int
            Auctions in a round.
        checkpoint : Path, optional
            A folder that keeps what was learned, so that an interrupted run goes on.

        Returns
        -------
        Bidding
        """
        ((_rounds, bidding),) = self.learned(checkpoint, batch, stages=(iterations,))
        return bidding

    def learned(
        self, checkpoint: Path | None, batch: int, stages: tuple[int, ...]
    ) -> Iterator[tuple[int, Bidding]]:
        """The mean strategies after several numbers of rounds.

        Parameters
        ----------
        checkpoint : Path or None
            A folder that keeps what was learned, so that an interrupted run goes on.
        batch : int
            Auctions in a round.
        stages : tuple of int
            Numbers of rounds, which rise.

        Yields
        ------
        rounds : int
            The number of a stage.
        bidding : Bidding
            The mean strategies after so many rounds.
        """
        if min(stages, default=0) < 1:
            raise BayesBridgeError(
                f"{min(stages, default=0)} iterations: give at least 1",
                iterations=stages,
            )
        path_of_learning = None
        if checkpoint is not None:
            path_of_learning = checkpoint / f"learned-{self.digest(batch)}"
        groupings = (self.grouping,) * SEATS
        auctions = auctions_of(self.learning, groupings)
        learning = Learning.start(self.tree, self.grouping.number)
        with open_executor(workers=self.workers) as (executor, _):
            for stage in stages:
                if path_of_learning is not None:
                    learning = _read_learning(path_of_learning, stage, learning)
                while learning.rounds < stage:
                    learning = learn(
                        self.tree,
                        auctions,
                        self.payoffs,
                        learning,
                        batch=batch,
                        seed=self.seed,
                        executor=executor,
                    )
                    report_progress("rounds", learning.rounds, stages[-1])
                    is_stage = learning.rounds == stage
                    is_due = learning.rounds % KEPT_ROUNDS == 0
                    if path_of_learning is not None and (is_due or is_stage):
                        _write_learning(path_of_learning, learning, is_stage=is_stage)
                profile = learning.mean_strategies(self.tree)
                yield stage, Bidding(groupings, profile)

    def digest(self, batch: int) -> str:
        """Twelve digits that differ where what is learned differs.

        Parameters
        ----------
        batch : int
            Auctions in a round.

        Returns
        -------
        str
        """
        content = hashlib.sha256()
        types = self.grouping.types(self.learning)
        for array in (self.payoffs, types, self.learning.tricks):
            content.update(np.ascontiguousarray(array).tobytes())
        content.update(f"{self.seed} {batch}".encode())
        return content.hexdigest()[:12]


def auctions_of(deals: GameDeals, groupings: Sequence[Grouping]) -> Auctions:
    """The auctions of deals, each seat's hands grouped in its own way."""
    types = {id(grouping): grouping.types(deals) for grouping in groupings}
    return deals.auctions([types[id(grouping)] for grouping in groupings])


BETWEEN_STAGES: Final = "now"
"""In the name of the file that has what was learned last, before a stage is reached."""


def _stage_path(path: Path, stage: int | str) -> Path:
    return path.with_name(f"{path.name}-{stage}.npz")


def _read_learning(path: Path, stage: int, learning: Learning) -> Learning:
    """What a former run learned, at most up to a stage (a number of rounds).

    Where it learned no more than ``learning``, that is the answer. ``path`` is the
    start of the names of the files that :func:`_write_learning` writes.
    """
    for name in (stage, BETWEEN_STAGES):
        try:
            with np.load(_stage_path(path, name), allow_pickle=False) as arrays:
                rounds = int(arrays["rounds"])
                if learning.rounds < rounds <= stage:
                    return Learning(rounds, arrays["regrets"], arrays["played"])
        except (OSError, ValueError, KeyError, EOFError):
            continue
    return learning


def _write_learning(path: Path, learning: Learning, *, is_stage: bool) -> None:
    """Write what was learned to a file, whole or not at all.

    Each stage has a file of its own; between stages one file is written again and
    again. ``path`` is the start of their names.
    """
    name: int | str = learning.rounds if is_stage else BETWEEN_STAGES
    arrays: dict[str, Any] = learning._asdict()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(_stage_path(path, name)) as part, part.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
    except OSError as error:
        raise Unwritable(
            f"checkpoint {str(path.parent)!r} cannot be written ({error.strerror}): "
            "make room and continue with --resume",
            path=path.parent,
        ) from None


def highest_bid_strategy(tree: NotrumpTree, types: int) -> Strategy:
    """Type n bids level n as soon as that outranks the last bid, and passes otherwise."""
    strategy = np.zeros((types, tree.slots))
    highest = np.arange(types)
    for node in np.flatnonzero(tree.player != OVER):
        above = np.minimum(highest, tree.levels) - tree.level[node]
        strategy[highest, tree.first_slot[node] + np.maximum(0, above)] = 1.0
    return strategy


def auction_game(
    scheme: Scheme | str = "new",
    types: int = 64,
    *,
    by: str = "captures",
    utility: str = "relative",
    deals: int = 20_000,
    levels: int = HIGHEST_LEVEL,
    seed: int = 1,
    workers: int | None = None,
    checkpoint: Path | None = None,
) -> AuctionGame:
    """The auction of the three-player game, in no trumps, as a game to solve.

    Parameters
    ----------
    scheme : Scheme or str
        ``old``, ``new``, or a scheme of your own.
    types : int
        How many types of hands players tell apart.
    by : str
        ``captures``: by the exact chances of 7, …, 13 captures over all dummies.
        ``tricks``: by the tricks of the play-out that the ranks and lengths of a hand
        predict.
    utility : str
        ``relative``: a player's points less the mean of the others'. ``net``: the
        bidder's points less those of all defenders.
    deals : int
        Random deals, each bid in 24 ways; strategies are found on the first half of
        them and judged on the second.
    levels : int
        The highest level that may be bid, 1 to 7.
    seed : int
        Where random numbers start.
    workers : int, optional
        Threads (default: one for each core).
    checkpoint : Path, optional
        A folder for deals that are worked out, so that an interrupted run goes on.

    Returns
    -------
    AuctionGame

    Raises
    ------
    BayesBridgeError
        For an unknown scheme, and for types that no hand has.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> game = bb.auction_game("new", types=4, deals=40, levels=2, workers=1)
    >>> worth = game.worth(game.algorithm_1())
    >>> worth.auctions, bool(abs(worth.mean.sum()) < 1e-9)
    (480, True)
    """
    if deals < 4:
        raise BayesBridgeError(f"{deals} deals: a game needs at least 4", deals=deals)
    if not 1 <= levels <= HIGHEST_LEVEL:
        raise BayesBridgeError(f"{levels} levels: give 1 to 7", levels=levels)
    chosen = scheme_of(scheme)
    payoffs(chosen, utility)  # an unknown utility is refused before the work begins
    if by not in FITTED_TO:
        known = " or ".join(FITTED_TO)
        raise BayesBridgeError(f"types by {by!r}: write {known}", by=by)
    how = RunOptions(workers, checkpoint=checkpoint)
    worked_out = GameDeals.of_rows(rows(JOB, deals, seed, how))
    learning = worked_out.of_deals(0, deals // 2)
    fresh = worked_out.of_deals(deals // 2, deals)
    grouping = FITTED_TO[by](learning, types)
    return AuctionGame(
        scheme=chosen,
        utility=utility,
        levels=levels,
        learning=learning,
        fresh=fresh,
        grouping=grouping,
        seed=seed,
        workers=workers,
    )
