"""The study of the auction: best responses, an equilibrium, and what a bid tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.jobs import RunOptions
from bayesbridge.studies.study import Comparison

if TYPE_CHECKING:
    from bayesbridge.game.scoring import Scheme

TITLE: Final = "The auction as a game of three"
SEAT_NAMES: Final = ("first", "second", "third")


SETTINGS: Final = ("scheme", "types", "iterations", "utility", "undertrick")

AUCTIONS_OF_A_DEAL: Final = 24
"""Each of four hands is the dummy with each of six orders of the three others."""


@dataclass(frozen=True, slots=True)
class AuctionStudy:
    """The auction, solved; it is no count of deals, and has settings of its own."""

    scheme: str | None = None
    """One of the built-in schemes alone."""
    types: int = 64
    """How many types of hands players tell apart."""
    iterations: int = 300
    """Rounds of regret minimisation."""
    utility: str = "relative"
    """What players want (``payoffs``)."""
    undertrick: tuple[Fraction, ...] = ()
    """Prices in the place of a scheme's own."""

    name: ClassVar[str] = "auction"
    help: ClassVar[str] = "the auction of three as a game: best responses, equilibrium"
    deals: ClassVar[int] = 20_000
    schemes: ClassVar[bool] = True
    settings: ClassVar[tuple[str, ...]] = SETTINGS
    count_exactly: ClassVar[None] = None

    @property
    def tables(self) -> Callable[[Comparison], Iterable[Table]]:
        """What makes the tables of each game."""
        return tables

    def with_settings(self, settings: Mapping[str, Any]) -> AuctionStudy:
        """The same with other settings."""
        return replace(self, **settings)

    def simulate(
        self,
        deals: int,
        seed: int,
        how: RunOptions | int | None = None,
        runs: int = 1,
        schemes: Sequence[Scheme] = (),
    ) -> Comparison:
        """Solve the auction by each scheme.

        Parameters
        ----------
        deals : int
            Random deals: half to find strategies, half to judge them.
        seed : int
            Where random numbers start.
        how : RunOptions or int, optional
            Workers and a checkpoint; they do not change the answer.
        runs : int
            1: this study has one run.
        schemes : sequence of Scheme
            Schemes of your own beside the built-in ones.
        """
        if runs != 1:
            raise BayesBridgeError(
                f"{runs} runs: the auction is solved once; leave runs out", runs=runs
            )
        if self.iterations < 1:
            raise BayesBridgeError(
                f"{self.iterations} iterations: give at least 1",
                iterations=self.iterations,
            )
        options = how if isinstance(how, RunOptions) else RunOptions(how)
        started = time.perf_counter()
        games = list(self._games(deals, seed, options, schemes))
        return Comparison(
            TITLE,
            "points a deal",
            counts={"deals": deals, "auctions": AUCTIONS_OF_A_DEAL * deals},
            total=deals,
            deals_per_second=deals / (time.perf_counter() - started),
            answers={"games": games},
        )

    def _games(
        self, deals: int, seed: int, options: RunOptions, schemes: Sequence[Scheme]
    ) -> Iterator[dict[str, Any]]:
        """Solve the auction by each scheme, once for each price of an undertrick.

        ``schemes`` are those of the user, beside the built-in ones. All games have the
        same deals, which are worked out once.
        """
        from bayesbridge.game.scoring import SCHEMES
        from bayesbridge.studies.auction.findings import findings
        from bayesbridge.studies.auction.game import auction_game
        from bayesbridge.studies.auction.payoffs import scheme_of

        built_in = list(SCHEMES.values())
        if self.scheme is not None:
            built_in = [scheme_of(self.scheme)]
        all_schemes = [*built_in, *schemes]
        first_game = auction_game(
            all_schemes[0],
            self.types,
            utility=self.utility,
            deals=deals,
            seed=seed,
            workers=options.workers,
            checkpoint=options.checkpoint,
        )
        for scheme in all_schemes:
            prices = self.undertrick or (scheme.undertrick,)
            for price in prices:
                priced_scheme = replace(scheme, undertrick=price)
                game_on_same_deals = replace(first_game, scheme=priced_scheme)
                yield findings(game_on_same_deals, self.iterations, options.checkpoint)


def tables(comparison: Comparison) -> Iterator[Table]:
    """The tables of each game."""
    for game in comparison.answers["games"]:
        scoring = f"{game['scheme']} scheme, {number(game['undertrick'])} an undertrick"
        yield points_table(game, scoring)
        yield gains_table(game, scoring)
        yield opening_table(game, scoring)
        yield bits_table(game, scoring)


def plus_minus(estimate: Mapping[str, float], digits: int = 2) -> str:
    """A mean with its standard error."""
    mean = number(estimate["mean"], digits)
    return f"{mean} ± {number(estimate['standard_error'], digits)}"


def points_table(game: Mapping[str, Any], scoring: str) -> Table:
    """Points, contracts and level by seat, of each way of bidding.

    ``scoring`` are the words of the title for the scheme, as in all these tables.
    """
    header = ["", "seat", "points", "declares %", "makes %", "level"]
    rows = []
    for way, bidding in game["bidding"].items():
        for seat, answer in zip(SEAT_NAMES, bidding["by_seat"], strict=True):
            rows.append(
                [
                    way,
                    seat,
                    plus_minus(answer["points"]),
                    percent_of(answer["declares"]),
                    percent_of(answer["made"]),
                    number(answer["mean_level"], 2),
                ]
            )
    title = f"By seat in the order of speaking, {scoring}; best response: of the first"
    return Table(title, header, rows)


def percent_of(share: float | None) -> str:
    """A share as a percentage with one digit."""
    return number(None if share is None else 100 * share, 1)


def gains_table(game: Mapping[str, Any], scoring: str) -> Table:
    """What seats could still gain, by what all bid."""
    header = ["when all bid", *SEAT_NAMES, "together"]
    labelled = [("algorithm 1", game["gains from algorithm 1"])]
    for step in game["gains from the equilibrium"]:
        labelled.append((f"{number(step['iterations'])} iterations", step))
    rows = []
    for label, gains in labelled:
        by_seat = [plus_minus(gain) for gain in gains["by_seat"]]
        rows.append([label, *by_seat, plus_minus(gains["nash_conv"])])
    for step in game["grouping"]:
        label = f"algorithm 1, {number(step['types'])} types by {step['by']}"
        rows.append([label, plus_minus(step), "", "", ""])
    return Table(f"What a seat gains by its best response, {scoring}", header, rows)


def opening_table(game: Mapping[str, Any], scoring: str) -> Table:
    """What the first seat opens, by tenths of hands from weak to strong."""
    header = ["hands", "P(T ≥ 7) %", "1NT left to play", "pass %", "1NT %", "2NT %"]
    rows = []
    for tenth, figures in enumerate(tenths(game["opening"])):
        pass_1nt_2nt = figures["calls"][:3]
        rows.append(
            [
                f"{10 * tenth} to {10 * tenth + 10} %",
                percent_of(figures["chance of 7"]),
                number(figures["1NT left to play"], 1),
                *(percent_of(chance) for chance in pass_1nt_2nt),
            ]
        )
    return Table(f"What the first seat opens in equilibrium, {scoring}", header, rows)


def tenths(opening: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Types from weak to strong put together into tenths of all hands.

    A type that lies in two tenths counts in both, by its share in each.
    """
    means = []
    for tenth in range(10):
        weights = []
        end = 0.0
        for row in opening:
            start = end
            end += row["share"]
            overlap = min(end, (tenth + 1) / 10) - max(start, tenth / 10)
            weights.append(max(0.0, overlap))
        means.append(_mean_of_types(opening, weights))
    return means


def _mean_of_types(
    opening: Sequence[Mapping[str, Any]], weights: Sequence[float]
) -> dict[str, Any]:
    """The figures of the first caller, averaged over types with these weights."""
    total = sum(weights)

    def mean(values: Sequence[float]) -> float:
        """The weighted mean of a figure, given type by type."""
        products = [
            weight * value for weight, value in zip(weights, values, strict=True)
        ]
        return sum(products) / total

    chances_by_call = zip(*(row["calls"] for row in opening), strict=True)
    return {
        "chance of 7": mean([row["chance of 7"] for row in opening]),
        "1NT left to play": mean([row["1NT left to play"] for row in opening]),
        "calls": [mean(chances) for chances in chances_by_call],
    }


def bits_table(game: Mapping[str, Any], scoring: str) -> Table:
    """Bits that the first call tells about T, the tricks that the caller captures.

    A row for each call, a column for each way of bidding.
    """
    header = ["call", *(f"{way}: %, bits" for way in game["bits"])]
    calls_by_level_of_ways = []
    for answer in game["bits"].values():
        calls_by_level_of_ways.append({call["level"]: call for call in answer["calls"]})
    levels = sorted(set(chain.from_iterable(calls_by_level_of_ways)))
    rows = []
    for level in levels:
        name = f"{level}NT" if level else "pass"
        cells = [
            _bits_cell(calls_by_level.get(level))
            for calls_by_level in calls_by_level_of_ways
        ]
        rows.append([name, *cells])
    means = [number(answer["mean"], 3) for answer in game["bits"].values()]
    rows.append(["mean", *means])
    title = f"What the first call tells of the caller's T, {scoring}"
    return Table(title, header, rows)


def _bits_cell(row: Mapping[str, float] | None) -> str:
    if row is None:
        return "–"
    return f"{percent_of(row['chance'])}, {number(row['bits'], 3)}"


STUDY: Final = AuctionStudy()
simulate: Final = STUDY.simulate
