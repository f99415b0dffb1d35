"""A duplicate match of two bidders: each deal at two tables, IMPs for the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.dealing.run import Numbering
from bayesbridge.decisions.entrants import BidTable, Entrant, EntrantLike, bid_table
from bayesbridge.decisions.final_scores import FinalScores, Goal
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import counted, number
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.contract_question import group_of
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.trick_estimates import layout_solver, solve_layouts
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, Layouts
from bayesbridge.game.scoring import Duplicate, imps
from bayesbridge.notation.record import Record
from bayesbridge.runtime.random64 import Seed, generator
from bayesbridge.studies.deals import deal_blocks
from bayesbridge.studies.jobs import PROCESSES, Job, RunOptions, rows

if TYPE_CHECKING:
    import pandas

BOARDS: Final = 100
FEWEST_BOARDS: Final = 2  # one alone has no error that could be stated
OPEN_ROOM: Final = "open"  # where the first sits North and South
CLOSED_ROOM: Final = "closed"

BOARD_RESULT: Final = np.dtype(
    [
        ("imps", "f8"),  # of the first entrant
        ("promised", "f8"),  # what its calls by value promised over the likeliest
        ("choices", "i8"),  # decisions in which it compared calls
        ("departures", "i8"),  # those in which it chose another than the likeliest
        ("open", "U12"),  # the contract where it sits North and South
        ("closed", "U12"),
    ]
)


class MatchBoard(NamedTuple):
    """One board of a match, with all that a worker must know."""

    deal: Deal
    dealer: Seat
    vulnerable: Vulnerability
    entrants: tuple[Entrant, Entrant]
    layouts: int | None
    solved: bool


@dataclass(frozen=True, slots=True, eq=False)
class MatchResult(FrozenArrays, Displayable):
    """What came of a match, board by board.

    >>> import bayesbridge as bb
    >>> from bayesbridge.studies import RunOptions
    >>> here = RunOptions(workers=1, scheduler="threads")
    >>> result = bb.match("learned", "sayc", boards=2, solved=False, how=here)
    >>> result.names, len(result.boards)
    (('learned', 'sayc'), 2)
    """

    names: tuple[str, str]
    boards: NDArray[Any]
    """(n,) structured: ``imps`` of the first, what its choices by value ``promised``,
    ``choices`` and ``departures`` from the likeliest call, contracts ``open`` and
    ``closed``.
    """
    solved: bool
    """Whether tricks are double dummy; otherwise they are the network's."""

    @property
    def gain(self) -> Estimate[float]:
        """IMPs a board of the first entrant over the second."""
        return mean_of_boards(self.boards["imps"])

    def after(self, boards: int) -> Estimate[float]:
        """The same after the first boards.

        Parameters
        ----------
        boards : int
            How many, at least 2.

        Returns
        -------
        Estimate
            Mean and standard error, IMPs a board.
        """
        return mean_of_boards(self.boards["imps"][:boards])

    @property
    def sentence(self) -> str:
        """Who is ahead, if anybody is by more than two standard errors."""
        first, second = self.names
        gain = self.gain
        figure = f"{abs(gain.mean):.2f} ± {gain.error:.2f} IMPs a board"
        boards = counted(len(self.boards), "board")
        if abs(gain.mean) <= 2 * gain.error:
            return f"{first} and {second} are level on {boards}: {figure}."
        winner, loser = self.names if gain.mean > 0 else reversed(self.names)
        return f"{winner} is ahead of {loser} by {figure}, on {boards}."

    @property
    def caution(self) -> str:
        """What the figures rest on."""
        if self.solved:
            return "Tricks are double dummy; errors are those of boards."
        return (
            "Tricks are what the network expects; errors are those of boards and do "
            "not count its own."
        )

    @property
    def tables(self) -> list[Table]:
        """One table of boards and IMPs."""
        margins = self.boards["imps"]
        cells = [
            ["won by the first", number(int((margins > 0).sum()))],
            ["won by the second", number(int((margins < 0).sum()))],
            ["level", number(int((margins == 0).sum()))],
            ["IMPs a board", f"{self.gain.mean:+.2f} ± {self.gain.error:.2f}"],
        ]
        if self.boards["choices"].any():
            choices = int(self.boards["choices"].sum())
            departures = int(self.boards["departures"].sum())
            promised = self.boards["promised"].mean()
            cells += [
                ["decisions by value", number(choices)],
                ["another call chosen", number(departures)],
                ["IMPs a board promised", f"{promised:+.2f}"],
            ]
        first, second = self.names
        title = f"{first} against {second}, {counted(len(self.boards), 'board')}"
        return [Table(title, ["", "boards"], cells, [self.sentence, self.caution])]

    def document(self) -> dict[str, Any]:
        """As plain data, for ``--json``.

        ``imps`` are what the first entrant gained a board, ``promised`` what its
        choices by value were expected to gain.
        """
        first, second = self.names
        columns = BOARD_RESULT.names or ()
        return {
            "first": first,
            "second": second,
            **with_errors({"imps": self.gain}),
            "solved": self.solved,
            "promised": float(self.boards["promised"].mean()),
            "boards": [
                dict(zip(columns, row, strict=True)) for row in self.boards.tolist()
            ],
        }

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each board."""
        import pandas

        return pandas.DataFrame(self.boards)


def mean_of_boards(values: Floats) -> Estimate[float]:
    """Mean of at least two independent boards."""
    error = float(values.std(ddof=1)) / sqrt(len(values))
    return Estimate(float(values.mean()), error)


def match(
    first: EntrantLike,
    second: EntrantLike,
    *,
    boards: int | Iterable[Record] = BOARDS,
    layouts: int | None = None,
    solved: bool | None = None,
    rng: Seed = 0,
    how: RunOptions | None = None,
) -> MatchResult:
    """A duplicate match of two bidders: the same deals at two tables.

    Parameters
    ----------
    first, second : str, BidderModel or Entrant
        ``learned``, a system such as ``sayc``, the bidder of a plugin, each also with
        ``:value``: it then chooses by :func:`bayesbridge.call_values`; or a model.
        Otherwise the likeliest call is made.
    boards : int or iterable of Record
        How many random deals, dealer and vulnerability in turn; or records that tell
        all four hands.
    layouts : int, optional
        On how many layouts calls are compared by value, 512 by default.
    solved : bool, optional
        Whether tricks are double dummy; without it wherever a solver is installed.
    rng : seed
        Where random numbers start: same seed, same match.
    how : RunOptions, optional
        Workers, and a folder that keeps finished boards; they do not change the answer.

    Returns
    -------
    MatchResult
        IMPs by board, from the side of the first.

    Raises
    ------
    BayesBridgeError
        If an entrant is not known, or fewer than two boards tell all hands.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> from bayesbridge.studies import RunOptions
    >>> here = RunOptions(workers=1, scheduler="threads")
    >>> bb.match("learned", "learned", boards=2, solved=False, how=here).gain.mean
    0.0
    """
    entrants = (Entrant.of(first), Entrant.of(second))
    by_solver = layout_solver() is not None if solved is None else solved
    if by_solver and layout_solver() is None:
        raise BayesBridgeError(
            "nothing can be solved without the plugin bayesbridge-double-dummy"
        )
    numbers = generator(rng)
    seed = int(numbers.integers(1 << 62))
    records = drawn_boards(boards, numbers) if isinstance(boards, int) else boards
    tasks = list(match_boards(records, entrants, layouts, by_solver))
    if len(tasks) < FEWEST_BOARDS:
        raise BayesBridgeError(
            f"{counted(len(tasks), 'board')} with all four hands: a match needs at "
            f"least {FEWEST_BOARDS}, for an error"
        )
    parameters = {"first": repr(entrants[0]), "second": repr(entrants[1])}
    job = Job.over(tasks, play_board, name="match", parameters=parameters)
    results = rows(job, len(tasks), seed, how or RunOptions(scheduler=PROCESSES))
    names = (entrants[0].name, entrants[1].name)
    return MatchResult(names, results, by_solver)


def drawn_boards(boards: int, rng: Seed) -> Iterator[Record]:
    """Random deals, dealer and vulnerability in turn."""
    first = 1
    for masks in deal_blocks(max(boards, 0), rng):
        yield from Numbering(first).records(Layouts.adopt(masks))
        first += len(masks)


def match_boards(
    records: Iterable[Record],
    entrants: tuple[Entrant, Entrant],
    layouts: int | None,
    solved: bool,
) -> Iterator[MatchBoard]:
    """The boards of records; those that do not tell all hands are left out.

    A record that names no dealer gets the seats in turn, from North on.
    """
    for index, record in enumerate(records):
        if record.deal is None:
            continue
        dealer = record.dealer
        if dealer is None:
            dealer = Seat(index % len(Seat))
        yield MatchBoard(
            deal=record.deal,
            dealer=dealer,
            vulnerable=record.vulnerable or Vulnerability.NONE,
            entrants=entrants,
            layouts=layouts,
            solved=solved,
        )


def play_board(seed: np.random.SeedSequence, board: MatchBoard) -> NDArray[Any]:
    """One board at two tables, as :data:`BOARD_RESULT`.

    The first entrant sits North and South in the open room, East and West in the
    closed. Of its decisions by value are counted: what each promised to gain over the
    likeliest call, and whether it departs from that call.
    """
    first, second = board.entrants
    open_seed, closed_seed = seed.generate_state(2, np.uint64).tolist()
    open_room = bid_at(board, (first, second), open_seed)
    closed_room = bid_at(board, (second, first), closed_seed)
    contracts = (open_room.auction.contract, closed_room.auction.contract)
    gain = gain_of_north_south(board, *contracts)
    north_south = 0
    east_west = 1
    choices_of_first = [
        *open_room.compared(north_south),
        *closed_room.compared(east_west),
    ]
    promised = sum(choice.promised for choice in choices_of_first)
    departures = sum(choice.departs for choice in choices_of_first)
    contract_names = [str(contract or "passed out") for contract in contracts]
    result = (gain, promised, len(choices_of_first), departures, *contract_names)
    return np.array(result, BOARD_RESULT)


def bid_at(board: MatchBoard, entrants: tuple[Entrant, Entrant], seed: int) -> BidTable:
    """The auction of one table."""
    return bid_table(
        board.deal,
        board.dealer,
        board.vulnerable,
        entrants,
        layouts=board.layouts,
        rng=seed,
    )


def gain_of_north_south(
    board: MatchBoard, contract: Contract | None, other: Contract | None
) -> float:
    """IMPs that North and South of one table win over those of another.

    Tricks are double dummy if the board is to be solved, else those that the network of
    tricks expects.
    """
    if contract == other:
        return 0.0
    solver = layout_solver() if board.solved else None
    if solver is not None:
        difference = solved_score(board, contract, solver)
        difference -= solved_score(board, other, solver)
        return float(imps(difference))
    # As if this deal were the one layout, on which two calls lead to these contracts.
    scores = FinalScores(
        goal=Goal.of("imps", field=None, vulnerable=board.vulnerable, dummy=None),
        seat=Seat.N,
        dummy=None,
        layouts=Layouts.of([board.deal]).masks,
        contracts=[contract, other],
        contract_numbers=np.array([[0, 1]]),
    )
    (gain,) = scores.gains(call=0, reference=1)
    return float(gain)


def solved_score(
    board: MatchBoard, contract: Contract | None, solver: Estimator
) -> float:
    """What North and South score double dummy."""
    if contract is None:
        return 0.0
    layouts = Layouts.of([board.deal])
    tricks = int(solve_layouts(solver, layouts, group_of(contract, None))[0])
    score = float(Duplicate(board.vulnerable).score(contract, tricks))
    return -score if contract.declarer % 2 else score
