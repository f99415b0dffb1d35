"""Fit the learned bidder, P(call ∣ own hand, partner's hand, auction so far), on the
tables of a PBN or LIN file.

    python scripts/fit_auction_model.py records.pbn.gz -o bayesbridge/bidders/data/auction.npz

Every network reads the auction by a transformer that sees no hand, and has two readings
of a call: partner's hand hidden, P(call ∣ own hand, auction), and partner's hand shown.
Partners know what their calls mean and a reader of the bare auction does not: partner's
hand is the best witness of it. Two are fitted and ship: a wide one, whose word counts,
and a narrow one, which guides the draws.

Four teachers are fitted first, from the records alone, and kept beside the output
(``--teachers`` takes them from there; ``--teach`` fits one, so that several can be
fitted side by side). Each knows the records by heart after ten passes; their mean is
0.01 nats a call better than each of them. The wide one learns from the records and from
their mean probabilities of all calls, the narrow one from the records and from the wide
one's.

What two hands are worth together is a vector of its own, the sum of what each brings
and two layers upon it: the tricks that the pair can take must be read off it (those
that the estimator ``tricks`` expects in the deal), since calls alone, few of them of
slams, teach it slowly.

The wide one is fitted together with a style for each pair of players that the records
name: 16 numbers that are added to what the reader is told of the pair's calls and to
what the hidden layer is told, with a normal prior, so that a pair of ten tables stays
near the others. A third of the time a pair is hidden, so that the networks also know
how to read a pair they know nothing of. Networks that listen to others learn styles
late, so at last the styles alone are fitted to the records (``--styles``: nothing else,
to the networks of ``--start``): what is said of unknown pairs stays as it is. Then the
numbers are rescaled so that the pairs have mean 0 and variance 1, and the styles that
ship by name are learned from tables of pairs whose openings on record tell what they
play. Pairs are set aside by a hash of their name, all their tables with them, to judge
by how well the style of a pair is learned from a few of its tables.

Deals are set aside by a hash of their cards (``table_arrays.py``, whose output this
script reads as well). The cards from the two to the eight count as cards and are not
told apart: by them a network would know deals by heart. All fits run for a stated time,
since the rate of learning falls with the time that is left. ``--share 0.25`` fits on a
quarter of the deals, for a learning curve.

Needs PyTorch (``pip install torch``), which bayesbridge does not; a GPU makes it
minutes instead of days.
"""

from __future__ import annotations

import argparse
import json
import math
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import (
    TOPS,
    Hands,
    Reader,
    grouped,
    parameters_of,
    round_weights,
    suit_features,
    train,
)
from table_arrays import HELD_OUT, TRAIN, VALIDATE, Tables, pairs_aside, read
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

CALLS = 38
REACH = 48
"""Distances, and places in the auction, that are told apart."""

STARTS = np.cumsum([0, 39, 36, 3, 5, 4, REACH])
"""Rows of a token: the call before (38: none), the last bid, its doubling, whose it is,
vulnerability, the place.
"""

ROWS = int(STARTS[-1])
TOKENS_A_STEP = 40_000
STYLE = 16
HIDDEN, BOTH_HIDDEN = 0.4, 0.4
"""How often the style of a pair is hidden by itself, and how often those of both pairs
are.
"""

WEIGHTS = 0.4, 0.6
"""Of the readings with partner's hand hidden and shown, in the fit."""

ANSWER_WEIGHT, HIGH_WEIGHT = 6.0, 2.0
"""Of calls after partner's 4NT, and other bids from 4C on: rare, and sharp in what they
mean. A weight by what was before biases no reading.
"""

TRICKS_WEIGHT = 0.03
"""Of the squared error of the tricks that are read off a pair's vector: it is to know
what two hands are worth together, which calls alone teach slowly.
"""

SLAM_TRICKS, SLAM_WEIGHT = 11.25, 2.0
"""Of calls of a pair that can take so many tricks, partner's hand shown: few pairs can,
and few of them bid a slam.
"""

ENOUGH = 150
"""Tables of a pair that is counted when the styles are rescaled."""

LONGEST = 10, 16, 32
"""Auctions of up to so many calls share a shape; longer ones, one in three thousand,
are not learned from.
"""

SMALL = 7
"""The cards of a suit that are not told apart, from the two on."""

FOUR_CLUBS, FOUR_NOTRUMP = 2 + 16, 2 + 20


class Auctions(NamedTuple):
    """Tables as tensors, one row each, padded: tokens of every call, what is legal, the
    call, who calls.
    """

    length: np.ndarray
    calls: Tensor
    last: Tensor
    doubled: Tensor
    owner: Tensor
    vulnerable: Tensor
    holdings: Tensor
    deal: Tensor
    dealer: Tensor
    pair: Tensor
    tricks: Tensor


def prepare(tables: Tables, device: torch.device) -> Auctions:
    """Everything on the device; the state of the auction before every call is worked
    out for all tables at once.
    """
    length = np.diff(tables.call_start).astype(np.int64)
    n, longest = len(length), int(length.max())
    calls = np.full((n, longest + 1), CALLS, np.uint8)
    inside = np.arange(longest) < length[:, None]
    calls[:, :-1][inside] = tables.calls
    last = np.zeros((n, longest), np.uint8)
    doubled, owner = np.zeros_like(last), np.full((n, longest), 4, np.uint8)
    now_last, now_doubled, now_owner = (
        np.full(n, value, np.int64) for value in (2, 0, -1)
    )
    for i in range(longest):
        last[:, i] = now_last - 2
        doubled[:, i] = now_doubled
        owner[:, i] = np.where(now_owner < 0, 4, (now_owner - i) % 4)
        call = calls[:, i].astype(np.int64)
        bid = (call > 2) & (call < CALLS)
        now_last, now_owner = np.where(bid, call, now_last), np.where(bid, i, now_owner)
        now_doubled = np.where(
            bid, 0, np.where((call == 1) | (call == 2), call, now_doubled)
        )
    holdings = (
        tables.masks[:, :, None] >> (13 * np.arange(4, dtype=np.uint64))
        & np.uint64(0x1FFF)
    ).astype(np.int16)
    on = {
        name: torch.tensor(value, device=device)
        for name, value in {
            "calls": calls,
            "last": last,
            "doubled": doubled,
            "owner": owner,
            "holdings": holdings,
            "vulnerable": tables.vulnerable.astype(np.uint8),
            "deal": tables.deal.astype(np.int64),
            "dealer": tables.dealer.astype(np.int64),
            "pair": tables.pair.astype(np.int64),
            "tricks": (tables.tricks / 20).astype(np.float32),
        }.items()
    }
    return Auctions(length, **on)


class Batch(NamedTuple):
    """Some tables of up to n calls.

    tokens:   (b, n, 6) what is known before each call legal:    (b n, 38) call:     (b
    n,) the call made, 0 behind the end of an auction real:     (b n,) whether it counts
    holdings: (4 b, 4) the hands, by suit hand:     (b n,) whose of the hands calls
    partner:  (b n,) whose partner's hand it is pair:     (b, 2) the pairs of dealer's
    side and of the other, -1 where they are hidden tricks:   (b, 2, 5) what North–South
    and East–West can take in each strain row:      (b,) which of all tables gone:
    (b, 2) whether a pair that was known is hidden
    """

    tokens: Tensor
    legal: Tensor
    call: Tensor
    real: Tensor
    holdings: Tensor
    hand: Tensor
    partner: Tensor
    pair: Tensor
    tricks: Tensor
    row: Tensor
    gone: Tensor

    def hide(self, gone: Tensor) -> Batch:
        """The same with some pairs hidden."""
        return self._replace(pair=self.pair.masked_fill(gone, -1), gone=gone)

    @property
    def place(self) -> Tensor:
        """(b n,) places in the auctions."""
        return torch.arange(self.tokens.shape[1], device=self.call.device).repeat(
            len(self.tokens)
        )

    @property
    def table(self) -> Tensor:
        """(b n,) which of the tables."""
        return torch.arange(
            len(self.tokens), device=self.call.device
        ).repeat_interleave(self.tokens.shape[1])


def batch_of(a: Auctions, rows: Tensor, n: int) -> Batch:
    """Some of the tables, whose auctions have up to n calls."""
    call = a.calls[rows, :n].long()
    previous = torch.cat([torch.full_like(call[:, :1], CALLS), call[:, :-1]], dim=1)
    last, doubled, owner = (x[rows, :n].long() for x in (a.last, a.doubled, a.owner))
    place = torch.arange(n, device=call.device).expand_as(call)
    vulnerable = a.vulnerable[rows].long()
    ours = torch.where(place % 2 == 0, vulnerable[:, :1], vulnerable[:, 1:])
    theirs = torch.where(place % 2 == 0, vulnerable[:, 1:], vulnerable[:, :1])
    parts = (
        previous,
        last,
        doubled,
        owner,
        2 * ours + theirs,
        place.clamp(max=REACH - 1),
    )
    tokens = torch.stack(
        [part + int(start) for part, start in zip(parts, STARTS, strict=False)], dim=2
    )
    legal = torch.arange(CALLS, device=call.device) > (last + 2)[:, :, None]
    opposed = (owner % 2 == 1) & (owner < 4)
    legal[:, :, 0] = True
    legal[:, :, 1] = (doubled == 0) & opposed
    legal[:, :, 2] = (doubled == 1) & ~opposed & (owner < 4)
    holdings = a.holdings[a.deal[rows]].long().flatten(0, 1)
    first = 4 * torch.arange(len(rows), device=call.device)[:, None]
    caller = a.dealer[rows][:, None] + place
    real = call < CALLS
    hands = ((first + caller % 4).flatten(), (first + (caller + 2) % 4).flatten())
    flat = legal.flatten(0, 1), call.masked_fill(~real, 0).flatten(), real.flatten()
    pair, tricks = a.pair[rows], a.tricks[a.deal[rows]]
    return Batch(
        tokens,
        *flat,
        holdings,
        *hands,
        pair,
        tricks,
        rows,
        torch.zeros_like(pair, dtype=torch.bool),
    )


def groups_of(a: Auctions, chosen: np.ndarray) -> Iterator[Batch]:
    """All chosen tables, always in the same order, many at a time."""
    for group in grouped(a.length, chosen, TOKENS_A_STEP, np.random.default_rng(0)):
        yield batch_of(
            a, torch.as_tensor(group, device=a.calls.device), int(a.length[group].max())
        )


def hidden(batch: Batch, both: float = BOTH_HIDDEN) -> Batch:
    """The same with some pairs hidden at random."""
    chance = torch.rand(len(batch.pair), 3, device=batch.pair.device)
    return batch.hide((chance[:, :2] < HIDDEN) | (chance[:, 2:] < both))


class Styles(nn.Module):
    """The numbers of every pair. Nothing of it ships."""

    def __init__(self, tables: np.ndarray) -> None:
        super().__init__()
        self.numbers = nn.Parameter(0.1 * torch.randn(len(tables) + 1, STYLE))
        self.numbers.undecayed = True  # the prior shrinks them
        counts = torch.tensor(np.append(np.maximum(tables, 1), 1), dtype=torch.float32)
        self.register_buffer("tables", counts, persistent=False)

    def forward(self, pair: Tensor) -> tuple[Tensor, Tensor]:
        """(b, 2) pairs → (b, 2, 17) their numbers and a 1, all 0 for hidden ones; the
        tables' share of -log prior.
        """
        row = pair.remainder(len(self.numbers))  # the last row stands for nobody
        numbers = F.embedding(row, self.numbers)
        known = (pair >= 0)[..., None]
        share = (0.5 * (numbers**2).sum(dim=2) / self.tables[row] * known[..., 0]).sum()
        return torch.cat(
            [numbers, torch.ones_like(numbers[..., :1])], dim=2
        ) * known, share


class Said(NamedTuple):
    """What a network says of a batch: (b n, 38) scores of the calls, −∞ for what is
    illegal, partner's hand hidden and shown; (b, 2, 5) tricks of the pairs.
    """

    hidden: Tensor
    shown: Tensor
    tricks: Tensor


class Bidder(nn.Module):
    """A network that ships: the reader, and one hidden layer in which hands and auction
    meet.
    """

    def __init__(
        self,
        width: int,
        layers: int,
        units: int,
        mixed: int,
        joint: int,
        dropout: float,
        features: Tensor,
    ) -> None:
        super().__init__()
        context = width + STYLE + 1
        self.dropout = dropout
        self.reader = Reader(ROWS, width, layers, width // 32, REACH, dropout)
        self.style = nn.Linear(STYLE + 1, width, bias=False)
        self.hands = Hands(units, features, dropout, whole=True)
        self.own, self.partner = (
            nn.Linear(units, mixed, bias=False),
            nn.Linear(units, mixed, bias=False),
        )
        self.tops, self.partner_tops = (
            nn.Parameter(torch.zeros(TOPS, mixed)),
            nn.Parameter(torch.zeros(TOPS, mixed)),
        )
        self.shift, self.scale = nn.Linear(context, mixed), nn.Linear(context, mixed)
        self.partner_shift, self.partner_scale = (
            nn.Linear(context, mixed),
            nn.Linear(context, mixed),
        )
        self.joint, self.joint_deepen = nn.Linear(units, joint), nn.Linear(joint, joint)
        self.pair, self.pair_scale = nn.Linear(joint, mixed), nn.Linear(context, mixed)
        self.tricks = nn.Linear(joint, 5)
        self.out, self.context_out = (
            nn.Linear(mixed, CALLS),
            nn.Linear(context, CALLS, bias=False),
        )
        for scale in (self.scale, self.partner_scale, self.pair_scale):
            nn.init.zeros_(scale.weight)
            nn.init.ones_(scale.bias)
        for layer, _ in self.styled:
            # What it makes of the auction and of a style are of different size
            layer.weight.sixteen_bits = True

    def freeze(self) -> None:
        """Let nothing but what is made of a style be fitted: what is said of unknown
        pairs stays as it is.
        """
        self.requires_grad_(False)
        for layer, start in self.styled:
            layer.weight.requires_grad_(True)
            layer.weight.undecayed = True
            kept = torch.zeros_like(layer.weight[:1])
            kept[:, start:] = 1.0
            layer.weight.register_hook(lambda gradient, kept=kept: gradient * kept)

    @property
    def styled(self) -> list[tuple[nn.Linear, int]]:
        """The layers that are told a style, and where its numbers begin among their
        inputs.
        """
        start = self.reader.table.weight.shape[1]
        told = (
            self.shift,
            self.scale,
            self.partner_shift,
            self.partner_scale,
            self.pair_scale,
            self.context_out,
        )
        return [(self.style, 0), *((layer, start) for layer in told)]

    def forward(self, batch: Batch, style: Tensor) -> Said:
        """What it says, given (b, 2, 17) styles of dealer's pair and the other."""
        context = context_of(self.reader, self.style, batch, style)
        hands, tops = self.hands(batch.holdings), self.hands.top_cards(batch.holdings)
        own, partner = (
            self.own(hands) + tops @ self.tops,
            self.partner(hands) + tops @ self.partner_tops,
        )
        mixed = own.index_select(0, batch.hand) * self.scale(context) + self.shift(
            context
        )
        partner = partner.index_select(0, batch.partner)
        shown = (
            mixed + partner * self.partner_scale(context) + self.partner_shift(context)
        )
        pairs = F.relu(self.joint(hands).unflatten(0, (-1, 2, 2)).sum(dim=1))
        pairs = F.relu(self.joint_deepen(pairs))
        side = 2 * batch.table + batch.hand % 2
        shown = shown + self.pair(pairs).flatten(0, 1).index_select(
            0, side
        ) * self.pair_scale(context)
        bias, illegal = self.context_out(context), ~batch.legal
        scores = [
            (self.out(F.dropout(F.relu(x), self.dropout, self.training)) + bias)
            .float()
            .masked_fill(illegal, -math.inf)
            for x in (mixed, shown)
        ]
        return Said(*scores, self.tricks(pairs))


def context_of(reader: Reader, told: nn.Linear, batch: Batch, style: Tensor) -> Tensor:
    """(b n, width + 17) what was read before every call, and the caller's style."""
    own = style.index_select(
        1, torch.arange(batch.tokens.shape[1], device=style.device) % 2
    )
    context = reader(batch.tokens, told(own))
    return torch.cat([context, own.to(context.dtype)], dim=2).flatten(0, 1)


def losses(said: Said, call: Tensor) -> tuple[Tensor, Tensor]:
    """−log P(call) of each call by both readings."""
    return tuple(F.cross_entropy(one, call, reduction="none") for one in said[:2])  # type: ignore[return-value]


class Teacher(NamedTuple):
    """A fitted network that is listened to; without the styles of the pairs it is heard
    of hidden pairs alone.
    """

    network: Bidder
    styles: Styles | None

    def words(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """(b n, 38) probabilities by both readings, and (b n, 1) whether they count."""
        known = batch.pair[batch.table, batch.place % 2] >= 0
        style = torch.zeros(len(batch.pair), 2, STYLE + 1, device=batch.pair.device)
        said = self.network(
            batch, style if self.styles is None else self.styles(batch.pair)[0]
        )
        heard = ~known if self.styles is None else torch.ones_like(known)
        return (
            F.softmax(said.hidden, dim=1),
            F.softmax(said.shown, dim=1),
            heard[:, None].float(),
        )


class Words(NamedTuple):
    """What teachers say in the mean of every call of some tables, asked once: a fit
    goes through them many times.

    start:       (tables,) where the calls of a table begin probability: (4, calls, 2,
    38) whichever pairs are hidden (1: dealer's, 2: the other), by both readings
    """

    start: Tensor
    probability: Tensor

    def of(self, batch: Batch) -> Tensor:
        """(b n, 2, 38), all 0 behind the end of an auction."""
        call = self.start[batch.row[batch.table]] + batch.place
        state = batch.gone[:, 0].long() + 2 * batch.gone[:, 1].long()
        found = self.probability[
            state[batch.table], call.clamp(max=self.probability.shape[1] - 1)
        ]
        return found.masked_fill(~batch.real[:, None, None], 0.0).float()


@torch.no_grad()
def words_of(teachers: Sequence[Teacher], a: Auctions, chosen: np.ndarray) -> Words:
    """What they say of the chosen tables."""
    device = a.calls.device
    length = np.zeros(len(a.length), np.int64)
    length[chosen] = a.length[chosen]
    words = Words(
        torch.as_tensor(np.cumsum(length) - length, device=device),
        torch.zeros(4, int(length.sum()), 2, CALLS, dtype=torch.half, device=device),
    )
    with halved(device):
        for batch in groups_of(a, chosen):
            place = (words.start[batch.row[batch.table]] + batch.place)[batch.real]
            for state in range(4):
                hide = (
                    torch.tensor([state & 1, state & 2], device=device)
                    .bool()
                    .expand_as(batch.pair)
                )
                taught = [teacher.words(batch.hide(hide)) for teacher in teachers]
                heard = sum(one[2] for one in taught).clamp(min=1)
                means = [
                    sum(one[reading] * one[2] for one in taught) / heard
                    for reading in range(2)
                ]
                words.probability[state, place] = torch.stack(means, dim=1)[
                    batch.real
                ].half()
    return words


def loss_of(
    network: Bidder, styles: Styles, batch: Batch, words: Words | None, listen: float
) -> Tensor:
    """Summed, of the records and of what teachers say in the mean, with the styles by
    their prior.
    """
    style, total = styles(batch.pair)
    said = network(batch, style)
    counted = batch.real * weight_of(batch)
    slam = (
        batch.tricks.amax(dim=2).flatten()[2 * batch.table + batch.hand % 2]
        > SLAM_TRICKS
    )
    counts = counted, counted * (1 + (SLAM_WEIGHT - 1) * slam)
    taught = None if words is None else words.of(batch)
    for reading, (share, each) in enumerate(
        zip(WEIGHTS, losses(said, batch.call), strict=True)
    ):
        if taught is not None:
            log = F.log_softmax(said[reading], dim=1).masked_fill(
                taught[:, reading] == 0, 0.0
            )
            each = (1 - listen) * each - listen * (taught[:, reading] * log).sum(dim=1)
        total = total + share * (each * counts[reading]).sum()
    return total + TRICKS_WEIGHT * F.mse_loss(
        said.tricks, batch.tricks - 6.5, reduction="sum"
    )


def weight_of(batch: Batch) -> Tensor:
    """(b n,) of calls after partner's bid and a pass: 4NT, others from 4C on."""
    before = batch.tokens[:, :, 0]
    found = torch.ones(before.shape, device=before.device)
    bid, passed = before[:, 1:-1], before[:, 2:] == 0
    high = (bid >= FOUR_CLUBS) & (bid < CALLS) & passed
    found[:, 2:] += (HIGH_WEIGHT - 1) * high + (ANSWER_WEIGHT - HIGH_WEIGHT) * (
        high & (bid == FOUR_NOTRUMP)
    )
    return found.flatten()


class Judged(NamedTuple):
    """−log P(call) of all calls of some tables, hidden and shown, (calls, 2); more of
    each call.
    """

    loss: Tensor
    right: Tensor
    """(calls, 2) whether the call made is the likeliest."""
    pair: Tensor
    """(calls,) which pair calls, -1 if not known."""
    answer: Tensor
    """(calls,) whether it answers partner's 4NT after a suit, by 5C to 5S."""


@torch.no_grad()
def judge(
    network: nn.Module, styles: Styles, a: Auctions, chosen: np.ndarray, known: bool
) -> Judged:
    """The same order every time."""
    network.eval()
    found = []
    with halved(a.calls.device):
        for batch in groups_of(a, chosen):
            pair = batch.pair if known else torch.full_like(batch.pair, -1)
            said = network(batch, styles(pair)[0])
            pairs = batch.pair[batch.table, batch.place % 2]
            right = torch.stack(
                [one.argmax(dim=1) == batch.call for one in said[:2]], dim=1
            )
            call = batch.call.masked_fill(~batch.real, CALLS).view(
                len(batch.tokens), -1
            )
            each = (
                torch.stack(losses(said, batch.call), dim=1),
                right,
                pairs,
                answers(call).flatten(),
            )
            found.append([one[batch.real] for one in each])
    return Judged(*(torch.cat(part) for part in zip(*found, strict=True)))


def answers(call: Tensor) -> Tensor:
    """(b, n) whether a call is 5C to 5S after partner's 4NT and a pass, partner's side
    having bid a suit last.
    """
    found = torch.zeros_like(call, dtype=torch.bool)
    bid = torch.where((call > 2) & (call < CALLS), call, -1)
    for i in range(4, call.shape[1]):
        asked = (call[:, i - 2] == FOUR_NOTRUMP) & (call[:, i - 1] == 0)
        ours = bid[:, i % 2 : i - 2 : 2]
        place = torch.where(
            ours >= 0, torch.arange(ours.shape[1], device=call.device), -1
        ).amax(dim=1)
        last = ours.gather(1, place.clamp(min=0)[:, None])[:, 0]
        suit = (place >= 0) & ((last - 3) % 5 != 4)
        found[:, i] = (
            asked
            & suit
            & (call[:, i] > FOUR_NOTRUMP)
            & (call[:, i] <= FOUR_NOTRUMP + 4)
        )
    return found


def halved(device: torch.device) -> torch.autocast:
    """Half precision where the device is quick with it."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def mean_and_error(values: Tensor) -> list[float]:
    """The mean of some calls and its standard error, calls taken as independent."""
    values = values.float()
    return [
        round(float(values.mean()), 4),
        round(float(values.std() / math.sqrt(len(values))), 4),
    ]


@torch.no_grad()
def rescale(styles: Styles, networks: Sequence[Bidder]) -> None:
    """Make the pairs' numbers have mean 0 and covariance 1; the networks say the same
    as before.
    """
    numbers = styles.numbers[:-1][styles.tables[:-1] >= ENOUGH]
    centre, root = numbers.mean(dim=0), torch.linalg.cholesky(torch.cov(numbers.T))
    for layer, first in (one for network in networks for one in network.styled):
        part = layer.weight[:, first : first + STYLE + 1]
        effect = part[:, :STYLE].clone()
        part[:, STYLE] += effect @ centre
        part[:, :STYLE] = effect @ root
    styles.numbers.copy_(
        torch.linalg.solve_triangular(root, (styles.numbers - centre).T, upper=False).T
    )


def with_one(numbers: Tensor) -> Tensor:
    """Numbers of styles and the 1 that says that they are known."""
    return torch.cat([numbers, torch.ones_like(numbers[:, :1])], dim=1)


def openings(tables: Tables) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(tables,) the first bid (-1: none), its pair, and the points and lengths (C D H
    S) of the hand that made it.
    """
    length, start = np.diff(tables.call_start), tables.call_start[:-1].astype(np.int64)
    place = np.zeros(len(start), np.int64)
    for _ in range(3):
        place += (tables.calls[start + place] == 0) & (place + 1 < length)
    first = tables.calls[start + place].astype(np.int64)
    hand = tables.masks[tables.deal, (tables.dealer + place) % 4]
    held_ = (
        (hand[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1))
        .astype(np.int64)
        .reshape(-1, 4, 13)
    )
    points = held_[:, :, 9:].sum(axis=1) @ np.arange(1, 5)
    return (
        np.where(first > 2, first, -1),
        tables.pair[np.arange(len(start)), place % 2],
        points,
        held_.sum(axis=2),
    )


def systems(tables: Tables, learn: np.ndarray) -> dict[str, np.ndarray]:
    """Pairs of 150 tables and more by what they open, as far as their tables tell it
    clearly.
    """
    first, pair, points, lengths = (one[learn] for one in openings(tables))
    one_club, one_notrump, one_spade = 3, 7, 6
    seen = np.bincount(pair[pair >= 0], minlength=len(tables.names))

    def share(opened: int, fits: np.ndarray) -> np.ndarray:
        of_pair = np.bincount(
            pair[(first == opened) & (pair >= 0)], minlength=len(seen)
        )
        return np.bincount(
            pair[(first == opened) & fits & (pair >= 0)], minlength=len(seen)
        ) / np.maximum(of_pair, 1)

    known = seen >= ENOUGH
    strong, five = share(one_club, points >= 15), share(one_spade, lengths[:, 3] >= 5)
    usual = share(one_notrump, (points >= 14) & (points <= 17))
    return {
        "standard": np.flatnonzero(
            known & (strong < 0.4) & (usual > 0.9) & (five > 0.9)
        ),
        "strong-club": np.flatnonzero(known & (strong > 0.9)),
    }


def named_styles(
    network: Bidder,
    a: Auctions,
    tables: Tables,
    learn: np.ndarray,
    most: int,
    rng: np.random.Generator,
) -> dict[str, Tensor]:
    """The styles that ship by name: each the likeliest one of some tables of all the
    pairs that play so.
    """
    found = {}
    for name, pairs in systems(tables, learn).items():
        own = np.isin(tables.pair[learn], pairs)
        rows, side = np.nonzero(own)
        chosen = rng.choice(len(rows), min(most, len(rows)), replace=False)
        who = np.zeros(len(chosen), np.int64)
        found[name] = learned_styles(
            network, a, learn[rows[chosen]], side[chosen], who
        )[0]
        print(
            f"{name}: {len(pairs)} pairs, {len(rows)} tables, of which {len(chosen)}",
            flush=True,
        )
    return found


def learned_styles(
    network: Bidder, a: Auctions, rows: np.ndarray, side: np.ndarray, who: np.ndarray
) -> Tensor:
    """(pairs, 16) the most likely styles of new pairs, given their tables, their side
    there and which pair it is.
    """
    device = a.calls.device
    numbers = torch.zeros(int(who.max()) + 1, STYLE, device=device, requires_grad=True)
    optimiser = torch.optim.Adam([numbers], lr=0.1)
    steps = 150
    network.eval()
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = 0.1 * (1 - step / steps)
        optimiser.zero_grad(set_to_none=True)
        (0.5 * (numbers**2).sum()).backward()
        for part in np.array_split(np.arange(len(rows)), max(1, len(rows) // 4000)):
            own = numbers[torch.as_tensor(who[part], device=device)]
            own_losses(network, a, rows[part], side[part], own)[:, 1].sum().backward()
        optimiser.step()
    return numbers.detach()


def own_losses(
    network: Bidder,
    a: Auctions,
    rows: np.ndarray,
    side: np.ndarray,
    numbers: Tensor | None,
) -> Tensor:
    """(calls, 2) −log P of the calls of one side of some tables, given its style or
    not, the other side hidden.
    """
    batch = batch_of(
        a, torch.as_tensor(rows, device=a.calls.device), int(a.length[rows].max())
    )
    own = torch.as_tensor(side, device=batch.call.device)
    mine = batch.real & (batch.place % 2 == own[batch.table])
    style = torch.zeros(len(rows), 2, STYLE + 1, device=own.device)
    if numbers is not None:
        style = style.index_put(
            (torch.arange(len(rows), device=own.device), own), with_one(numbers)
        )
    with halved(own.device):
        said = network(batch, style)
    return torch.stack(losses(said, batch.call), dim=1)[mine]


LEARNED_TABLES = (5, 10, 30, 100)
"""Tables of a pair from which its style is learned."""

FEWEST_JUDGED = 30
MOST_JUDGED = 100
"""Other tables of a pair on which its calls are judged."""


def new_pairs(
    network: Bidder, a: Auctions, pair: np.ndarray, aside: np.ndarray
) -> dict[str, object]:
    """How well calls of pairs set aside are foretold after some of their tables.

    They are judged on up to 100 other tables of theirs.
    """
    network.eval()
    seats = np.argwhere(aside[pair] & (pair >= 0))
    most_learned = LEARNED_TABLES[-1]
    rows = []
    sides = []
    for number in np.flatnonzero(aside):
        own_seats = seats[pair[seats[:, 0], seats[:, 1]] == number]
        if len(own_seats) >= most_learned + FEWEST_JUDGED:
            rows.append(own_seats[: most_learned + MOST_JUDGED, 0])
            sides.append(own_seats[: most_learned + MOST_JUDGED, 1])
    if not rows:
        return {"pairs": 0}
    pairs = [np.full(len(own_rows), place) for place, own_rows in enumerate(rows)]

    def tables_of_each(start: int, end: int) -> tuple[np.ndarray, ...]:
        """Rows, sides and pairs of these tables of each pair."""
        return tuple(
            np.concatenate([values[start:end] for values in group])
            for group in (rows, sides, pairs)
        )

    judged_rows, judged_sides, judged_pairs = tables_of_each(
        most_learned, most_learned + MOST_JUDGED
    )
    with torch.no_grad():
        before = own_losses(network, a, judged_rows, judged_sides, None)
    results: dict[str, object] = {
        "pairs": len(rows),
        "tables": len(judged_rows),
        "none": [mean_and_error(before[:, reading]) for reading in range(2)],
    }
    for tables in LEARNED_TABLES:
        styles = learned_styles(network, a, *tables_of_each(0, tables))
        with torch.no_grad():
            style = styles[torch.as_tensor(judged_pairs, device=styles.device)]
            after = own_losses(network, a, judged_rows, judged_sides, style)
        results[str(tables)] = [
            [
                *mean_and_error(after[:, reading]),
                *mean_and_error((after - before)[:, reading]),
            ]
            for reading in range(2)
        ]
    return results


def verdicts(
    networks: Mapping[str, nn.Module],
    styles: Styles,
    a: Auctions,
    chosen: np.ndarray,
    seen: np.ndarray,
) -> dict[str, object]:
    """How well networks foretell the calls of some tables.

    Two figures each: partner's hand hidden and shown.
    """
    figures: dict[str, object] = {}
    for (name, network), pairs_known in product(networks.items(), (False, True)):
        judged = judge(network, styles, a, chosen, pairs_known)
        label = f"{name}, {'pairs known' if pairs_known else 'nothing known'}"
        figures[label] = [
            mean_and_error(judged.loss[:, reading]) for reading in range(2)
        ]
        tables_of_pair = torch.tensor(seen, device=judged.pair.device)
        tables = tables_of_pair[judged.pair.clamp(min=0)]
        tables = tables.masked_fill(judged.pair < 0, 0)
        is_middle = (tables >= 100) & (tables < 300)
        figures[f"{label}, pairs of 100 to 299 tables"] = [
            mean_and_error(judged.loss[is_middle, reading]) for reading in range(2)
        ]
        if not pairs_known and bool(judged.answer.any()):
            loss = judged.loss[judged.answer]
            is_right = judged.right[judged.answer]
            figures[f"{label}, answers to 4NT"] = [
                [
                    *mean_and_error(loss[:, reading]),
                    *mean_and_error(is_right[:, reading]),
                    len(loss),
                ]
                for reading in range(2)
            ]
    return figures


def network_file(
    path: Path,
    networks: Mapping[str, Bidder],
    styles: Mapping[str, Tensor],
    facts: Mapping[str, object],
) -> None:
    """The file that ships: the parameters, and how they were made."""
    parts = {
        name: value.detach().float().cpu().numpy().astype(np.float16)
        for name, value in styles.items()
    }
    for name, network in networks.items():
        parts |= parameters_of(network, f"{name}_")
    np.savez_compressed(path, **parts, facts=np.array(str(facts)))


def begin(network: Bidder, path: Path, name: str) -> Bidder:
    """Take a network's parameters from a file.

    If that knows no vectors of pairs, these say nothing to begin with.
    """
    parameters = {}
    with np.load(path) as arrays:
        for key in network.state_dict():
            array_name = f"{name}_{key.replace('.', '_')}"
            if array_name in arrays:
                scale = arrays.get(f"{array_name}:scale", np.float32(1))
                parameters[key] = torch.tensor(arrays[array_name] * scale)
    network.load_state_dict(parameters, strict=False)
    if "pair.weight" not in parameters:
        nn.init.zeros_(network.pair.weight)
        nn.init.zeros_(network.pair.bias)
    return network


def teacher_of(path: Path, features: Tensor, seen: np.ndarray) -> Teacher:
    """The network of a file, and the styles of the pairs if it holds them."""
    styles = None
    with np.load(path) as arrays:
        sizes = literal_eval(str(arrays["facts"]))["sizes"][0]
        if "pairs" in arrays:
            numbers = torch.tensor(arrays["pairs"].astype(np.float32))
            styles = Styles(seen)
            styles.load_state_dict({"numbers": numbers})
            styles = styles.to(features.device).eval()
    network = begin(Bidder(*(*sizes, 1)[:5], 0.0, features), path, "wide")
    return Teacher(network.to(features.device).eval(), styles)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "records",
        type=Path,
        help="PBN or LIN file, may be .gz, or what table_arrays.py made of it",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("auction.npz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds",
        type=float,
        nargs=4,
        default=[150, 295, 115, 100],
        help="for a teacher, wide, guide and styles",
    )
    parser.add_argument(
        "--teachers",
        type=Path,
        nargs="*",
        default=[],
        help="files to listen to (default: fit four)",
    )
    parser.add_argument(
        "--teach",
        action="store_true",
        help="fit one teacher, by this seed, and nothing else",
    )
    parser.add_argument("--start", type=Path, help="a file whose networks go on from")
    parser.add_argument(
        "--styles",
        action="store_true",
        help="fit the styles alone, to the networks of --start",
    )
    parser.add_argument(
        "--listen", type=float, default=0.9, help="weight of another network's word"
    )
    parser.add_argument(
        "--rate", type=float, default=1.3e-3, help="highest learning rate"
    )
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--tables", type=int, default=768, help="in a step")
    parser.add_argument("--decay", type=float, default=0.05, help="of the weights")
    for name, size in {
        "wide": [320, 4, 448, 576, 160],
        "guide": [128, 3, 144, 192, 64],
    }.items():
        parser.add_argument(
            f"--{name}",
            type=int,
            nargs=5,
            default=size,
            help="reader, layers; hand, mixed, pair units",
        )
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the deals to learn from"
    )
    parser.add_argument(
        "--named",
        type=int,
        default=2000,
        help="tables from which each of the named styles is learned",
    )
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    split = tables.split[tables.deal]
    aside = pairs_aside(tables.names)
    new = aside[tables.pair] & (tables.pair >= 0)
    a = prepare(tables._replace(pair=np.where(new, -1, tables.pair)), device)
    features = suit_features().to(device)
    features[:, :SMALL] = 0.0
    keep = rng.random(len(tables.masks)) < options.share
    learn = np.flatnonzero((split == TRAIN) & keep[tables.deal] & ~new.any(axis=1))
    choose, held_out = (
        np.flatnonzero(split == VALIDATE),
        np.flatnonzero(split == HELD_OUT),
    )
    some = choose[:: max(1, len(choose) // 8000)]
    seated = tables.pair[learn]
    seen = np.bincount(seated[seated >= 0], minlength=len(tables.names))
    print(
        f"{len(learn)} tables to learn from, {len(choose)} to choose by, {len(held_out)} to judge by",
        flush=True,
    )
    print(
        f"{len(seen)} pairs, {int(aside.sum())} aside, {int((seen >= 100).sum())} with 100 tables",
        flush=True,
    )
    wide, guide = (
        Bidder(*options.wide, options.dropout, features),
        Bidder(*options.guide, 0.02, features),
    )
    if options.start is not None:
        begin(wide, options.start, "wide")
        begin(guide, options.start, "guide")
    wide, guide = wide.to(device), guide.to(device)
    styles = Styles(seen).to(device)

    parts = [
        learn[(a.length[learn] > low) & (a.length[learn] <= high)]
        for low, high in zip((0, *LONGEST), LONGEST, strict=False)
    ]
    sizes = [max(1, round(options.tables * len(part) / len(learn))) for part in parts]

    def batches(generator: np.random.Generator) -> Iterator[tuple[Tensor, ...]]:
        """Tables by the length of their auctions, of each length the same number in
        every step.
        """
        mixed = [
            torch.as_tensor(generator.permutation(part), device=device)
            for part in parts
        ]
        for step in range(
            min(len(part) // size for part, size in zip(parts, sizes, strict=True))
        ):
            yield tuple(
                part[step * size : (step + 1) * size]
                for part, size in zip(mixed, sizes, strict=True)
            )

    def fit(
        name: str,
        network: Bidder,
        styles: Styles,
        teachers: Sequence[Teacher],
        seconds: float,
        both: float,
    ) -> None:
        """One network: from the records and its teachers; the styles with the wide one.
        ``both``: hidden so often.
        """
        words = words_of(teachers, a, learn) if teachers else None

        def validation() -> float:
            by = [
                judge(network, styles, a, some, known).loss.mean(dim=0)
                for known in (False, True)
            ]
            print(
                f"{name}, nothing known and pairs known: {[[round(float(x), 4) for x in one] for one in by]}"
            )
            return float(sum(by).mean()) / 2

        def loss(rows: tuple[Tensor, ...]) -> Tensor:
            some_of_each = [
                hidden(batch_of(a, part.to(device), n), both)
                for part, n in zip(rows, LONGEST, strict=True)
            ]
            calls = sum(batch.real.sum() for batch in some_of_each)
            return (
                sum(
                    loss_of(network, styles, batch, words, options.listen)
                    for batch in some_of_each
                )
                / calls
            )

        print(
            f"{name}: {sum(p.numel() for p in network.parameters())} parameters",
            flush=True,
        )
        fitted = nn.ModuleList([network, *([styles] if network is not guide else [])])
        train(
            fitted,
            batches,
            loss,
            validation,
            seconds,
            options.rate,
            options.decay,
            rng,
            name,
            recorded=True,
        )
        network.eval()

    def teach(path: Path, network: Bidder) -> None:
        """A teacher, into a file."""
        own = Styles(seen).to(device)
        fit(path.name, network, own, [], options.seconds[0], BOTH_HIDDEN)
        network_file(
            path, {"wide": network}, {"pairs": own.numbers}, {"sizes": [options.wide]}
        )

    if options.teach:
        teach(options.output, wide)
        return
    paths = options.teachers or [
        options.output.with_suffix(f".{i}.npz") for i in range(4)
    ]
    for path in [] if options.teachers or options.styles else paths:
        teach(path, Bidder(*options.wide, options.dropout, features).to(device))
    if not options.styles:
        teachers = [teacher_of(path, features, seen) for path in paths]
        fit("wide", wide, styles, teachers, options.seconds[1], BOTH_HIDDEN)
        fit(
            "guide",
            guide,
            styles,
            [Teacher(wide, styles)],
            options.seconds[2],
            BOTH_HIDDEN,
        )
    for name, network, share in (("wide", wide, 0.8), ("guide", guide, 0.2)):
        network.freeze()
        fit(f"{name}, styles", network, styles, [], share * options.seconds[3], 0.0)
    rescale(styles, (wide, guide))
    for network in (wide, guide):
        round_weights(network)
    networks = {"wide": wide, "guide": guide}
    facts: dict[str, object] = {
        "seed": options.seed,
        "source": str(tables.source),
        "tables": len(learn),
        "sizes": [options.wide, options.guide],
        "seconds": options.seconds,
        "teachers": [path.name for path in paths],
    }
    network_file(options.output, networks, {}, facts)  # what follows takes time
    facts["held out"] = verdicts(networks, styles, a, held_out, seen)
    print(json.dumps(facts), flush=True)
    named = named_styles(wide, a, tables, learn, options.named, rng)
    network_file(
        options.output,
        networks,
        {f"style_{name}": numbers for name, numbers in named.items()},
        facts,
    )
    a = a._replace(pair=torch.tensor(tables.pair.astype(np.int64), device=device))
    facts["new pairs"] = new_pairs(wide, a, tables.pair, aside)
    network_file(
        options.output,
        networks,
        {f"style_{name}": numbers for name, numbers in named.items()},
        facts,
    )
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
