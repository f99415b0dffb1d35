"""Styles of pairs of the learned bidder: rescaled, learned from tables, and named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from auction_batches import PASS, REDOUBLE, Auctions, batch_of
from auction_network import STYLE, Bidder, Styles, known_style, losses
from reading_networks import half_precision
from table_arrays import Tables
from torch import Tensor

ENOUGH = 150
"""Tables of a pair that counts when the styles are rescaled, or has a system."""

ONE_CLUB = 3
ONE_SPADE = 6
ONE_NOTRUMP = 7
"""Indices of these calls."""

SPADES = 3

LEARNING_STEPS = 150
LEARNING_RATE = 0.1
"""With which the styles of new pairs are learned. The rate falls to 0."""

TABLES_A_STEP = 4000


@torch.no_grad()
def rescale(styles: Styles, networks: Sequence[Bidder]) -> None:
    """Make the pairs' numbers have mean 0 and covariance 1.

    The networks are changed so that they give the same as before.
    """
    is_counted = styles.tables[:-1] >= ENOUGH
    numbers = styles.numbers[:-1][is_counted]
    centre = numbers.mean(dim=0)
    root = torch.linalg.cholesky(torch.cov(numbers.T))
    for network in networks:
        for layer, start in network.styled:
            weight = layer.weight[:, start : start + STYLE + 1]
            effect = weight[:, :STYLE].clone()
            weight[:, STYLE] += effect @ centre
            weight[:, :STYLE] = effect @ root
    centred = (styles.numbers - centre).T
    scaled = torch.linalg.solve_triangular(root, centred, upper=False)
    styles.numbers.copy_(scaled.T)


class PairTables(NamedTuple):
    """Tables of some pairs, k in all: those from which styles are learned or judged."""

    row: np.ndarray
    """(k,) which of all tables."""
    side: np.ndarray
    """(k,) the pair's side there: 0 dealer's, 1 the other."""
    pair: np.ndarray
    """(k,) which of the pairs, from 0 on."""

    def part(self, chosen: np.ndarray) -> PairTables:
        """The chosen tables."""
        return PairTables(self.row[chosen], self.side[chosen], self.pair[chosen])


def learned_styles(network: Bidder, auctions: Auctions, tables: PairTables) -> Tensor:
    """(pairs, 16) the most likely styles of pairs by their tables."""
    device = auctions.calls.device
    shape = (int(tables.pair.max()) + 1, STYLE)
    numbers = torch.zeros(shape, device=device, requires_grad=True)
    optimiser = torch.optim.Adam([numbers], lr=LEARNING_RATE)
    places = np.arange(len(tables.row))
    groups = np.array_split(places, max(1, len(places) // TABLES_A_STEP))
    network.eval()
    for step in range(LEARNING_STEPS):
        rate = LEARNING_RATE * (1 - step / LEARNING_STEPS)
        optimiser.param_groups[0]["lr"] = rate
        optimiser.zero_grad(set_to_none=True)
        prior_loss = 0.5 * (numbers**2).sum()
        prior_loss.backward()
        for group in groups:
            group_tables = tables.part(group)
            style = numbers[torch.as_tensor(group_tables.pair, device=device)]
            loss = own_losses(network, auctions, group_tables, style)
            _, shown_loss = loss.unbind(dim=1)
            shown_loss.sum().backward()
        optimiser.step()
    return numbers.detach()


def own_losses(
    network: Bidder, auctions: Auctions, tables: PairTables, numbers: Tensor | None
) -> Tensor:
    """(calls, 2) −log P of the calls of one side at each table, in both readings.

    ``numbers`` (k, 16) are the styles of that side, ``None`` if they are hidden. The
    other side's are hidden.
    """
    rows = torch.as_tensor(tables.row, device=auctions.calls.device)
    batch = batch_of(auctions, rows, int(auctions.length[tables.row].max()))
    side = torch.as_tensor(tables.side, device=rows.device)
    style = torch.zeros(len(rows), 2, STYLE + 1, device=rows.device)
    if numbers is not None:
        table = torch.arange(len(rows), device=rows.device)
        style = style.index_put((table, side), known_style(numbers))
    with half_precision(rows.device):
        scores = network(batch, style)
    is_own = batch.is_real & (batch.place % 2 == side[batch.table])
    return torch.stack(losses(scores, batch.call), dim=1)[is_own]


class Openings(NamedTuple):
    """The first bid of each table."""

    bid: np.ndarray
    """(tables,) index of the call, -1 where all passed."""
    pair: np.ndarray
    """(tables,) the pair that made it, -1 where nobody is named."""
    points: np.ndarray
    """(tables,) high-card points of the hand that made it."""
    lengths: np.ndarray
    """(tables, 4) its lengths C D H S."""

    @classmethod
    def of(cls, tables: Tables) -> Openings:
        """From the calls and the hands."""
        length = np.diff(tables.call_start)
        start = tables.call_start[:-1].astype(np.int64)
        place = np.zeros(len(start), np.int64)
        for _ in range(3):
            is_pass = tables.calls[start + place] == PASS
            place += is_pass & (place + 1 < length)
        call = tables.calls[start + place].astype(np.int64)
        hand = tables.masks[tables.deal, (tables.dealer + place) % 4]
        bits = np.arange(52, dtype=np.uint64)
        cards = hand[:, None] >> bits & np.uint64(1)
        cards = cards.astype(np.int64).reshape(-1, 4, 13)
        honours = cards[:, :, 9:].sum(axis=1)  # J Q K A
        return cls(
            bid=np.where(call > REDOUBLE, call, -1),
            pair=tables.pair[np.arange(len(start)), place % 2],
            points=honours @ np.arange(1, 5),
            lengths=cards.sum(axis=2),
        )

    def part(self, chosen: np.ndarray) -> Openings:
        """Those of the chosen tables."""
        return Openings(*(values[chosen] for values in self))

    def tables_of_pair(self, chosen: np.ndarray, pairs: int) -> np.ndarray:
        """(pairs,) how many of the chosen tables each pair opened."""
        openers = self.pair[chosen & (self.pair >= 0)]
        return np.bincount(openers, minlength=pairs)

    def shares(self, bid: int, fits: np.ndarray, pairs: int) -> np.ndarray:
        """(pairs,) share of each pair's openings with a bid in which the hand fits."""
        is_bid = self.bid == bid
        fitting = self.tables_of_pair(is_bid & fits, pairs)
        return fitting / np.maximum(self.tables_of_pair(is_bid, pairs), 1)


def systems(tables: Tables, chosen: np.ndarray) -> dict[str, np.ndarray]:
    """Pairs by what they open, as far as the chosen tables tell it clearly."""
    pairs = len(tables.names)
    openings = Openings.of(tables).part(chosen)
    points = openings.points
    has_enough = openings.tables_of_pair(openings.pair >= 0, pairs) >= ENOUGH
    strong_club = openings.shares(ONE_CLUB, points >= 15, pairs)
    is_notrump_range = (points >= 14) & (points <= 17)
    usual_notrump = openings.shares(ONE_NOTRUMP, is_notrump_range, pairs)
    has_five_spades = openings.lengths[:, SPADES] >= 5
    five_spades = openings.shares(ONE_SPADE, has_five_spades, pairs)
    is_standard = (strong_club < 0.4) & (usual_notrump > 0.9) & (five_spades > 0.9)
    return {
        "standard": np.flatnonzero(has_enough & is_standard),
        "strong-club": np.flatnonzero(has_enough & (strong_club > 0.9)),
    }


def named_styles(
    network: Bidder,
    auctions: Auctions,
    tables: Tables,
    training: np.ndarray,
    most: int,
    rng: np.random.Generator,
) -> dict[str, Tensor]:
    """(16,) the styles that ship by name.

    Each is the likeliest style of at most so many tables of the pairs that play so, as
    if they were one pair.
    """
    styles = {}
    for name, pairs in systems(tables, training).items():
        seats, sides = np.nonzero(np.isin(tables.pair[training], pairs))
        chosen = rng.choice(len(seats), min(most, len(seats)), replace=False)
        one_pair = np.zeros(len(chosen), np.int64)
        pair_tables = PairTables(training[seats[chosen]], sides[chosen], one_pair)
        styles[name] = learned_styles(network, auctions, pair_tables)[0]
        print(
            f"{name}: {len(pairs)} pairs, {len(seats)} tables, of which {len(chosen)}",
            flush=True,
        )
    return styles
