"""The auction of the three-player game, hands grouped into types, for OpenSpiel.

One chance event deals a type to every seat; then the seats call in turn. A call is a
number: 0 for a pass, n for nNT. What a contract is worth is the mean over the deals with
these types, so that the game is small and OpenSpiel's own algorithms run on it
unchanged: CFR, best responses, exploitability, PSRO.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python import policy as policies

import bayesbridge as bb
from bayesbridge.bidders.notrump_tree import NotrumpTree
from bayesbridge.studies.auction.game import auctions_of
from bayesbridge.studies.auction.strategies import Auctions

SHORT_NAME: Final = "bayesbridge_typed_auction"


class TypedAuction(pyspiel.Game):
    """An auction in no trumps, with hands by types, as a game of OpenSpiel.

    Parameters
    ----------
    tree : NotrumpTree
        Every auction.
    auctions : Auctions
        Types and tricks of auctions on deals, each as likely as another.
    payoffs : array, shape (levels, 14, 2)
        Of the declarer and of each other seat, by level − 1 and tricks.
    types : int
        How many types of hands there are.

    Examples
    --------
    >>> game = bb.auction_game("new", types=2, deals=40, levels=1, workers=1)
    >>> typed = typed_auction(game)
    >>> state = typed.new_initial_state()
    >>> state.apply_action(state.chance_outcomes()[0][0])
    >>> state.current_player(), state.legal_actions()
    (0, [0, 1])
    """

    def __init__(
        self,
        tree: NotrumpTree,
        auctions: Auctions,
        payoffs: NDArray[np.float64],
        types: int,
    ) -> None:
        self.tree = tree
        self.types = types
        seats = tree.players
        dealt = auctions.types.reshape(-1, seats).astype(np.int64)
        tricks = auctions.tricks.reshape(-1, seats)
        # An outcome is a type for each seat: its key has a digit for each.
        keys = dealt @ types ** np.arange(seats)
        _, examples, outcomes = np.unique(keys, return_index=True, return_inverse=True)
        self.dealt = dealt[examples]  # (outcomes, seats)
        self.chances = np.bincount(outcomes) / len(keys)  # (outcomes,)
        self.values = _mean_payoffs(payoffs, tricks, outcomes)
        self.limit = float(np.abs(payoffs).max())
        super().__init__(self._type(), self._info(), {})

    def _type(self) -> Any:
        """OpenSpiel's description of this kind of game."""
        seats = self.tree.players
        return pyspiel.GameType(
            short_name=SHORT_NAME,
            long_name="Auction bridge in no trumps, hands by types",
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=seats,
            min_num_players=seats,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
        )

    def _info(self) -> Any:
        """OpenSpiel's description of the sizes of this game."""
        seats = self.tree.players
        return pyspiel.GameInfo(
            num_distinct_actions=self.tree.levels + 1,
            max_chance_outcomes=len(self.chances),
            num_players=seats,
            min_utility=-self.limit,
            max_utility=self.limit,
            utility_sum=0.0,
            # Before each bid all others may pass, and at the end too.
            max_game_length=seats * (self.tree.levels + 1),
        )

    def __deepcopy__(self, _memo: Any) -> TypedAuction:
        """Itself: OpenSpiel copies what a state holds, and a game never changes."""
        return self

    def __repr__(self) -> str:
        return f"{SHORT_NAME}(types={self.types}, levels={self.tree.levels})"

    def new_initial_state(self) -> TypedAuctionState:
        """The start: no types are dealt."""
        return TypedAuctionState(self)

    def make_py_observer(
        self, _observation_type: Any = None, _params: Any = None
    ) -> TypedAuctionObserver:
        """What a seat knows: the type of its hand and the calls."""
        return TypedAuctionObserver()


def _mean_payoffs(
    payoffs: NDArray[np.float64],
    tricks: NDArray[np.int8],
    outcomes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """(outcomes, seats, levels, 2) mean pay-off by declarer, level − 1 and role.

    Roles are the declarer and another seat. ``outcomes`` (n,) is the outcome of each
    auction, ``tricks`` (n, seats) what each seat takes as declarer.
    """
    sizes = np.bincount(outcomes)
    levels = len(payoffs)
    seats = tricks.shape[1]
    means = np.empty((len(sizes), seats, levels, 2))
    for declarer, level, role in np.ndindex(seats, levels, 2):
        values = payoffs[level, tricks[:, declarer], role]
        means[:, declarer, level, role] = np.bincount(outcomes, values) / sizes
    return means


class TypedAuctionState(pyspiel.State):
    """An auction so far, with the types that were dealt."""

    def __init__(self, game: TypedAuction) -> None:
        super().__init__(game)
        self.game = game
        self.outcome: int | None = None  # number of the chance event
        self.node = 0
        self.calls: tuple[int, ...] = ()

    def current_player(self) -> Any:
        """The seat in turn, or OpenSpiel's number of chance or of the end."""
        if self.outcome is None:
            return pyspiel.PlayerId.CHANCE
        player = int(self.game.tree.player[self.node])
        if player < 0:
            return pyspiel.PlayerId.TERMINAL
        return player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each outcome of the deal of types, and its chance."""
        return list(enumerate(self.game.chances.tolist()))

    def _legal_actions(self, _player: int) -> list[int]:
        """A pass, and the bids above the last one."""
        tree = self.game.tree
        level = int(tree.level[self.node])
        return [0, *range(level + 1, tree.levels + 1)]

    def _apply_action(self, action: int) -> None:
        """Deal the types of an outcome, or make a call."""
        if self.outcome is None:
            self.outcome = action
            return
        tree = self.game.tree
        # The first child of a node is a pass; the lowest bid follows.
        child = 0
        if action:
            child = action - tree.level[self.node]
        self.node = int(tree.first_child[self.node] + child)
        self.calls = (*self.calls, action)

    def _action_to_string(self, player: int, action: int) -> str:
        """The types of an outcome, or a call, in words."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"types {self.game.dealt[action].tolist()}"
        return f"{action}NT" if action else "Pass"

    def is_terminal(self) -> bool:
        """Whether the auction is over."""
        is_dealt = self.outcome is not None
        return is_dealt and self.game.tree.player[self.node] < 0

    def returns(self) -> list[float]:
        """The pay-off of each seat; 0 before the end and where all pass."""
        tree = self.game.tree
        level = int(tree.level[self.node])
        if not self.is_terminal() or level == 0:
            return [0.0] * tree.players
        declarer = int(tree.declarer[self.node])
        own_value, other_value = self.game.values[self.outcome, declarer, level - 1]
        payoffs = [float(other_value)] * tree.players
        payoffs[declarer] = float(own_value)
        return payoffs

    def hand_type(self, player: int) -> int:
        """The type that a seat was dealt."""
        return int(self.game.dealt[self.outcome, player])

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        dealt = []
        if self.outcome is not None:
            dealt = self.game.dealt[self.outcome].tolist()
        return f"types {dealt}, calls {list(self.calls)}"


class TypedAuctionObserver:
    """What a seat knows of a state."""

    def __init__(self) -> None:
        self.tensor = np.zeros(0, np.float32)
        self.dict: dict[str, Any] = {}

    def set_from(self, _state: TypedAuctionState, _player: int) -> None:
        """There is no tensor."""

    def string_from(self, state: TypedAuctionState, player: int) -> str:
        """The seat, its type and the calls."""
        if state.outcome is None:
            return f"seat {player}"
        calls = " ".join(map(str, state.calls))
        return f"seat {player}, type {state.hand_type(player)}, calls {calls}"


def typed_auction(game: bb.AuctionGame) -> TypedAuction:
    """The auction of :func:`bayesbridge.auction_game`, on its deals to learn from."""
    auctions = auctions_of(game.learning, [game.grouping] * game.tree.players)
    return TypedAuction(game.tree, auctions, game.payoffs, game.grouping.number)


def policy_of(
    game: TypedAuction, profile: tuple[NDArray[np.float64], ...]
) -> policies.TabularPolicy:
    """Strategies of all seats as a policy of OpenSpiel.

    Parameters
    ----------
    game : TypedAuction
    profile : tuple of arrays, shape (types, slots)
        For each seat P(call ∣ type, auction), as ``bb.auction_game`` learns it.

    Returns
    -------
    TabularPolicy
    """
    tabular = policies.TabularPolicy(game)
    for row, state in enumerate(tabular.states):
        player = state.current_player()
        first_slot = game.tree.first_slot[state.node]
        strategy = profile[player][state.hand_type(player)]
        tabular.action_probability_array[row] = 0.0
        for place, action in enumerate(state.legal_actions()):
            chance = strategy[first_slot + place]
            tabular.action_probability_array[row, action] = chance
    return tabular
