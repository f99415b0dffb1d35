"""A bidder of the three-player game who bids as an equilibrium of it does.

``studies/auction`` solves the auction in no trumps; ``scripts/fit_equilibrium.py``
writes the strategies into a file of this package. Hands enter by their type: the tricks
that a hand should take, a sum over its suits, cut into as many parts of equal size as
there are types.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.bidders.notrump_tree import NotrumpTree, notrump_tree
from bayesbridge.capture.tables import HOLDS_RANK, LENGTH
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS
from bayesbridge.game.cards import SUIT_CARDS, SUIT_MASK, Strain, Suit
from bayesbridge.game.layouts import Floats, Hands

TABLE: Final = Path(__file__).with_name("data") / "equilibrium.npz"
TABLE_VERSION: Final = 1
SCHEMES: Final = ("new", "old")
PLAYERS: Final = 3
RANKS: Final = 13
LENGTHS: Final = 14
LEVEL_OF_PASS: Final = 0
"""How the tree of auctions writes a pass; a bid is written as its level."""

FULL_SHARE: Final = 255
"""A probability of 1 in the table, whose numbers are bytes."""


def features(hands: Hands) -> Floats:
    """(n, 27) how many cards of each rank, and suits of each length, hands have.

    The twos and the voids come first.
    """
    counts = np.zeros((len(hands), RANKS + LENGTHS))
    rows = np.arange(len(hands))
    masks = hands.astype(np.int64)
    for suit in Suit:
        holdings = masks >> (SUIT_CARDS * suit) & SUIT_MASK
        counts[:, :RANKS] += HOLDS_RANK[holdings]
        counts[rows, RANKS + LENGTH[holdings]] += 1.0
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class StrengthTypes:
    """Hands by the tricks that they should take; type 0 is the weakest."""

    weights: Floats
    """(27,) tricks of each of the ``features``"""
    cuts: Floats
    """(types − 1,) rising: where the next type begins"""

    @property
    def number(self) -> int:
        """How many types there are."""
        return len(self.cuts) + 1

    def of(self, hands: Hands) -> NDArray[np.int16]:
        """(n,) the type of each hand."""
        strength = features(hands) @ self.weights
        return np.searchsorted(self.cuts, strength, side="right").astype(np.int16)


class EquilibriumTable(NamedTuple):
    """The strategies of one scheme."""

    types: StrengthTypes
    tree: NotrumpTree
    strategies: Floats
    """(3, types, slots) probabilities of calls, by the order of speaking"""

    @classmethod
    def read(cls, path: Path, scheme: str) -> Self:
        """From a file that :func:`write_tables` wrote."""
        with np.load(path, allow_pickle=False) as arrays:
            version = int(arrays["version"])
            if version != TABLE_VERSION:
                raise BayesBridgeError(
                    f"table {str(path)!r} has version {version}, this package reads "
                    f"version {TABLE_VERSION}: fit it again by "
                    "scripts/fit_equilibrium.py",
                    path=path,
                )
            tree = notrump_tree(PLAYERS, int(arrays["levels"]))
            types = StrengthTypes(arrays["weights"], arrays["cuts"])
            shares = arrays[f"strategies_{scheme}"].astype(np.float64)
        return cls(types, tree, normalised(tree, shares))


def normalised(tree: NotrumpTree, shares: Floats) -> Floats:
    """Strategies (…, slots) whose calls at each node add up to 1."""
    callers = np.flatnonzero(tree.calls)
    totals = np.add.reduceat(shares, tree.first_slot[callers], axis=-1)
    return np.asarray(shares / np.repeat(totals, tree.calls[callers], axis=-1))


def write_tables(
    path: Path, levels: int, types: StrengthTypes, strategies: dict[str, Floats]
) -> None:
    """Keep strategies (3, types, slots) by scheme, in bytes."""
    arrays: dict[str, Any] = {
        "version": np.array(TABLE_VERSION),
        "levels": np.array(levels),
        "weights": types.weights,
        "cuts": types.cuts,
    }
    for scheme, shares in strategies.items():
        rounded = np.rint(shares * FULL_SHARE).astype(np.uint8)
        arrays[f"strategies_{scheme}"] = rounded
    np.savez_compressed(path, **arrays)


@lru_cache(maxsize=2)
def equilibrium_table(scheme: str) -> EquilibriumTable:
    """The table that ships with the package."""
    return EquilibriumTable.read(TABLE, scheme)


@dataclass(frozen=True, slots=True)
class EquilibriumBidder:
    """Players who bid no trumps as an equilibrium of the three-player auction does.

    Where the auction has left the game that was solved, as after a suit bid, every
    legal call is as likely as another and says nothing.

    Parameters
    ----------
    slip : float
        ε, the share of calls made at random, any legal one; at 0 what the model cannot
        explain is impossible.
    scheme : {"new", "old"}
        The scoring scheme of the game that was solved.

    Raises
    ------
    BayesBridgeError
        If ``slip`` is no probability, or the scheme is unknown.

    Examples
    --------
    >>> from bayesbridge.game.cards import Hand
    >>> hands = [Hand.of("AKQ2.AKJ.AK4.A32"), Hand.of("J54.Q72.9876.865")]
    >>> masks = np.array([hand.mask for hand in hands], dtype=np.uint64)
    >>> auction = Auction.of("W:1NT", dummy="N")
    >>> strong, weak = np.exp(EquilibriumBidder().log_likelihood(masks, auction, 0))
    >>> bool(strong > 10 * weak)
    True
    """

    slip: float = 0.02
    scheme: str = "new"

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(
                f"slip {self.slip!r}: it is a probability, from 0 to 1", slip=self.slip
            )
        if self.scheme not in SCHEMES:
            raise BayesBridgeError(
                f"unknown scoring scheme {self.scheme!r}: write {' or '.join(SCHEMES)}",
                scheme=self.scheme,
            )

    def log_likelihood(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """(n,) log P(call number ``index`` ∣ hand, calls before it) for (n,) masks.

        Parameters and result are those of :class:`~bayesbridge.plugins.BidderModel`.
        Hands of a type (of about the same strength) call alike.
        """
        turn = Turn.of(auction, index)
        chance_by_type = self._by_type(turn.before)[:, turn.call.index]
        with np.errstate(divide="ignore"):
            log_chances = np.log(chance_by_type)
        return np.asarray(log_chances[self._table.types.of(hands)])

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, for (n,) masks.

        The columns are the calls by their index; what is illegal has 0. Hands of a
        type (of about the same strength) call alike.
        """
        seat_to_call(auction)  # raises where the auction is over
        return self._by_type(auction)[self._table.types.of(hands)]

    @property
    def _table(self) -> EquilibriumTable:
        return equilibrium_table(self.scheme)

    def _by_type(self, before: Auction) -> Floats:
        """(types, 38) P(call ∣ type of hand) after these calls.

        The strategy of a player has a row for each type, and a column (a slot) for each
        call at each node of the tree of auctions in no trumps. The slots of a node
        stand side by side: Pass, then one for each level above the last bid.
        """
        table = self._table
        tree = table.tree
        legal = list(legal_indices(before))
        at_random = np.zeros(len(CALLS))
        at_random[legal] = 1.0 / len(legal)
        node = node_of(before, tree)
        if node is None:
            return np.tile(at_random, (table.types.number, 1))
        last_level = int(tree.level[node])
        bids = int(tree.calls[node]) - 1
        calls = [PASS.index]
        calls += [notrump_index(last_level + step) for step in range(1, bids + 1)]
        slot_of_pass = int(tree.first_slot[node])
        slots = slice(slot_of_pass, slot_of_pass + len(calls))
        strategy = table.strategies[int(tree.player[node])]
        chances = np.tile(self.slip * at_random, (table.types.number, 1))
        chances[:, calls] += (1.0 - self.slip) * strategy[:, slots]
        return chances


def notrump_index(level: int) -> int:
    """The index of the call nNT among the 38 calls."""
    return 5 * level + 2


def node_of(auction: Auction, tree: NotrumpTree) -> int | None:
    """The node of the tree, or ``None`` where the auction is not of the game.

    It is not with four bidders, a suit bid or a level above the highest of the tree.
    The tree knows no doubles, which are taken as passes.
    """
    if auction.dummy is None:
        return None
    levels = []
    for _, call in auction:
        if not call.is_bid:
            levels.append(LEVEL_OF_PASS)
        elif call.strain is Strain.NT and call.level <= tree.levels:
            levels.append(call.level)
        else:
            return None
    return tree.node_after(tuple(levels))
