"""The network of the learned bidder, the styles of pairs, and the loss of a fit.

The network gives scores of all calls in two readings: partner's hand hidden, and
partner's hand shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from auction_batches import (
    CALLS,
    FOUR_CLUBS,
    FOUR_NOTRUMP,
    NO_CALL,
    PASS,
    REACH,
    ROWS,
    Auctions,
    Batch,
    groups_of,
)
from reading_networks import TOPS, Hands, Reader, half_precision
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

STYLE = 16
"""Numbers of a style. A network is given a 1 behind them where the style is known."""

HEAD_WIDTH = 32
"""Width of one head of the reader's attention."""

READING_SHARES = (0.4, 0.6)
"""Of both readings in the loss, partner's hand hidden and shown.

Results of both stand in this order everywhere.
"""

HIDDEN = 0.4
BOTH_HIDDEN = 0.4
"""How often a pair is hidden by itself, and how often both pairs are."""

ANSWER_WEIGHT = 6.0
HIGH_WEIGHT = 2.0
"""Of calls after partner's 4NT, and after partner's other bids from 4C on.

They are rare, and sharp in what they mean. A weight by what was before biases no
reading.
"""

TRICKS_WEIGHT = 0.03
"""Of the squared error of the tricks that are read off a pair's vector.

It is to know what two hands are worth together, which calls alone teach slowly.
"""

MEAN_TRICKS = 6.5
"""Expected tricks are read off as differences from this."""

SLAM_TRICKS = 11.25
SLAM_WEIGHT = 2.0
"""Of calls of a pair that expects so many tricks, partner's hand shown.

Few pairs can, and few of them bid a slam.
"""


class Styles(nn.Module):
    """The numbers of every pair. Nothing of it ships.

    ``tables`` (pairs,) is how many tables each pair has.
    """

    def __init__(self, tables: np.ndarray) -> None:
        super().__init__()
        # The last row stands for nobody.
        self.numbers = nn.Parameter(0.1 * torch.randn(len(tables) + 1, STYLE))
        self.numbers.undecayed = True  # the prior shrinks them
        counts = np.append(np.maximum(tables, 1), 1)
        counts = torch.tensor(counts, dtype=torch.float32)
        self.register_buffer("tables", counts, persistent=False)

    def forward(self, pair: Tensor) -> tuple[Tensor, Tensor]:
        """(b, 2, 17) styles of (b, 2) pairs, 0 where hidden, and their −log prior.

        A pair's −log prior is spread evenly over all its tables. Returned is the share
        of these tables.
        """
        row = pair.remainder(len(self.numbers))  # -1 becomes the last row
        numbers = F.embedding(row, self.numbers)
        is_known = (pair >= 0)[..., None]
        pair_loss = 0.5 * (numbers**2).sum(dim=2)
        prior_loss = (pair_loss / self.tables[row] * is_known[..., 0]).sum()
        return known_style(numbers) * is_known, prior_loss


def known_style(numbers: Tensor) -> Tensor:
    """(…, 17) numbers of styles, and the 1 that says that they are known."""
    is_known = torch.ones_like(numbers[..., :1])
    return torch.cat([numbers, is_known], dim=-1)


class Scores(NamedTuple):
    """What a network gives for a batch."""

    hidden: Tensor
    """(b n, 38) scores of the calls, partner's hand hidden; −∞ for illegal ones."""
    shown: Tensor
    """(b n, 38) the same, partner's hand shown."""
    tricks: Tensor
    """(b, 2, 5) tricks of both pairs in each strain, less ``MEAN_TRICKS``."""

    @property
    def readings(self) -> tuple[Tensor, Tensor]:
        """The scores of both readings."""
        return self.hidden, self.shown


class Sizes(NamedTuple):
    """Sizes of a network."""

    width: int
    """Of the reader."""
    layers: int
    """Of the reader."""
    hand_units: int
    mixed_units: int
    pair_units: int = 1
    """Files of networks that know no vectors of pairs do not state it."""


class Bidder(nn.Module):
    """A network that ships: one hidden layer in which hands and auction meet.

    The names of its layers are those of the file.
    """

    def __init__(self, sizes: Sizes, dropout: float, features: Tensor) -> None:
        super().__init__()
        width, layers, units, mixed, joint = sizes
        heads = width // HEAD_WIDTH
        context = width + STYLE + 1
        self.dropout = dropout
        self.reader = Reader(ROWS, width, layers, heads, REACH, dropout)
        self.style = nn.Linear(STYLE + 1, width, bias=False)
        self.hands = Hands(units, features, dropout, with_totals=True)
        self.own = nn.Linear(units, mixed, bias=False)
        self.partner = nn.Linear(units, mixed, bias=False)
        self.tops = nn.Parameter(torch.zeros(TOPS, mixed))
        self.partner_tops = nn.Parameter(torch.zeros(TOPS, mixed))
        self.shift = nn.Linear(context, mixed)
        self.scale = nn.Linear(context, mixed)
        self.partner_shift = nn.Linear(context, mixed)
        self.partner_scale = nn.Linear(context, mixed)
        self.joint = nn.Linear(units, joint)
        self.joint_deepen = nn.Linear(joint, joint)
        self.pair = nn.Linear(joint, mixed)
        self.pair_scale = nn.Linear(context, mixed)
        self.tricks = nn.Linear(joint, 5)
        self.out = nn.Linear(mixed, CALLS)
        self.context_out = nn.Linear(context, CALLS, bias=False)
        for scale in (self.scale, self.partner_scale, self.pair_scale):
            nn.init.zeros_(scale.weight)
            nn.init.ones_(scale.bias)
        for layer, _ in self.styled:
            # What it makes of the auction and of a style are of different size.
            layer.weight.sixteen_bits = True

    def freeze(self) -> None:
        """Let only what is made of a style be fitted from here on.

        So what is said of unknown pairs stays as it is.
        """
        self.requires_grad_(False)
        for layer, style_start in self.styled:
            layer.weight.requires_grad_(True)
            layer.weight.undecayed = True
            is_style = torch.zeros_like(layer.weight[:1])
            is_style[:, style_start:] = 1.0
            # A gradient is multiplied by it: that of all other inputs becomes 0.
            layer.weight.register_hook(is_style.mul)

    @property
    def styled(self) -> list[tuple[nn.Linear, int]]:
        """The layers that are given a style, and the first of its inputs."""
        width = self.reader.table.weight.shape[1]
        context_layers = (
            self.shift,
            self.scale,
            self.partner_shift,
            self.partner_scale,
            self.pair_scale,
            self.context_out,
        )
        # The context is what was read, and then the style.
        return [(self.style, 0), *((layer, width) for layer in context_layers)]

    def forward(self, batch: Batch, style: Tensor) -> Scores:
        """Scores, given (b, 2, 17) styles of dealer's pair and of the other."""
        context = self.context(batch, style)
        hands = self.hands(batch.holdings)
        tops = self.hands.top_cards(batch.holdings)
        own = self.own(hands) + tops @ self.tops
        partner = self.partner(hands) + tops @ self.partner_tops
        own = own.index_select(0, batch.caller)
        hidden = own * self.scale(context) + self.shift(context)
        partner = partner.index_select(0, batch.partner)
        partner = partner * self.partner_scale(context)
        shown = hidden + partner + self.partner_shift(context)
        pairs = self.pair_vectors(hands)
        pair = self.pair(pairs).flatten(0, 1)
        pair = pair.index_select(0, batch.compass_side)
        shown = shown + pair * self.pair_scale(context)
        bias = self.context_out(context)
        return Scores(
            self.call_scores(hidden, bias, batch.legal),
            self.call_scores(shown, bias, batch.legal),
            self.tricks(pairs),
        )

    def context(self, batch: Batch, style: Tensor) -> Tensor:
        """(b n, width + 17) what was read before every call, and the caller's style."""
        place = torch.arange(batch.tokens.shape[1], device=style.device)
        callers_style = style.index_select(1, place % 2)
        context = self.reader(batch.tokens, self.style(callers_style))
        callers_style = callers_style.to(context.dtype)
        return torch.cat([context, callers_style], dim=2).flatten(0, 1)

    def pair_vectors(self, hands: Tensor) -> Tensor:
        """(b, 2, joint) vectors of the pairs North–South and East–West."""
        joint = self.joint(hands)  # of the hands N E S W: two rounds of two sides
        joint = joint.unflatten(0, (-1, 2, 2)).sum(dim=1)
        return F.relu(self.joint_deepen(F.relu(joint)))

    def call_scores(self, mixed: Tensor, bias: Tensor, legal: Tensor) -> Tensor:
        """(b n, 38) scores of the calls, −∞ for illegal ones."""
        hidden = F.dropout(F.relu(mixed), self.dropout, self.training)
        scores = self.out(hidden) + bias
        return scores.float().masked_fill(~legal, -math.inf)


def hide_at_random(batch: Batch, both_hidden: float) -> Batch:
    """The same with some pairs hidden; ``both_hidden`` is how often both are."""
    chance = torch.rand(len(batch.pair), 3, device=batch.pair.device)
    is_hidden_alone = chance[:, :2] < HIDDEN
    are_both_hidden = chance[:, 2:] < both_hidden
    return batch.hide(is_hidden_alone | are_both_hidden)


HIDINGS = 4
"""Ways to hide pairs: none, dealer's, the other, both."""


class Teacher(NamedTuple):
    """A fitted network that others learn from."""

    network: Bidder
    styles: Styles | None
    """Without them it teaches only what to think of calls of hidden pairs."""

    def probabilities(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """(b n, 38) probabilities in both readings, and (b n, 1) whether they count."""
        if self.styles is None:
            tables = len(batch.pair)
            style = torch.zeros(tables, 2, STYLE + 1, device=batch.pair.device)
            counts = batch.calling_pair < 0
        else:
            style, _ = self.styles(batch.pair)
            counts = torch.ones_like(batch.call, dtype=torch.bool)
        scores = self.network(batch, style)
        hidden = F.softmax(scores.hidden, dim=1)
        shown = F.softmax(scores.shown, dim=1)
        return hidden, shown, counts[:, None].float()


class Lessons(NamedTuple):
    """Mean probabilities of teachers of every call of some tables.

    They are computed once: a fit goes through the tables many times.
    """

    start: Tensor
    """(tables,) where the calls of a table begin."""
    probability: Tensor
    """(4, calls, 2, 38) by which pairs are hidden, call on record, and reading.

    Of hidden pairs dealer's counts 1, the other 2 (``HIDINGS``).
    """

    def of(self, batch: Batch) -> Tensor:
        """(b n, 2, 38) probabilities, all 0 behind the end of an auction."""
        last_call = self.probability.shape[1] - 1
        call = self.start[batch.row[batch.table]] + batch.place
        dealers_hidden = batch.pair_hidden[:, 0].long()
        others_hidden = batch.pair_hidden[:, 1].long()
        hiding = (dealers_hidden + 2 * others_hidden)[batch.table]
        probability = self.probability[hiding, call.clamp(max=last_call)]
        is_over = ~batch.is_real[:, None, None]
        return probability.masked_fill(is_over, 0.0).float()


@torch.no_grad()
def lessons_of(
    teachers: Sequence[Teacher], auctions: Auctions, chosen: np.ndarray
) -> Lessons:
    """What teachers think of the calls of the chosen tables, on average."""
    device = auctions.calls.device
    length = np.zeros(len(auctions.length), np.int64)
    length[chosen] = auctions.length[chosen]
    shape = (HIDINGS, int(length.sum()), 2, CALLS)
    lessons = Lessons(
        torch.as_tensor(np.cumsum(length) - length, device=device),
        torch.zeros(shape, dtype=torch.half, device=device),
    )
    with half_precision(device):
        for batch in groups_of(auctions, chosen):
            calls = lessons.start[batch.row[batch.table]] + batch.place
            calls = calls[batch.is_real]
            for hiding in range(HIDINGS):
                sides = torch.tensor([hiding & 1, hiding & 2], device=device).bool()
                hidden_batch = batch.hide(sides.expand_as(batch.pair))
                means = mean_probabilities(teachers, hidden_batch)
                lessons.probability[hiding, calls] = means[batch.is_real].half()
    return lessons


def mean_probabilities(teachers: Sequence[Teacher], batch: Batch) -> Tensor:
    """(b n, 2, 38) means over the teachers that count, in both readings."""
    answers = [teacher.probabilities(batch) for teacher in teachers]
    teachers_that_count = sum(counts for _, _, counts in answers).clamp(min=1)
    hidden = sum(hidden * counts for hidden, _, counts in answers)
    shown = sum(shown * counts for _, shown, counts in answers)
    means = [hidden / teachers_that_count, shown / teachers_that_count]
    return torch.stack(means, dim=1)


def losses(scores: Scores, call: Tensor) -> tuple[Tensor, Tensor]:
    """(b n,) −log P(call) in both readings."""
    hidden = F.cross_entropy(scores.hidden, call, reduction="none")
    shown = F.cross_entropy(scores.shown, call, reduction="none")
    return hidden, shown


def loss_of(
    network: Bidder,
    styles: Styles,
    batch: Batch,
    lessons: Lessons | None,
    listen: float,
) -> Tensor:
    """Summed loss of a batch.

    It has three parts: that of the calls on record and of the lessons, which have the
    weight ``listen``; the prior of the styles; the tricks of the pairs.
    """
    style, prior_loss = styles(batch.pair)
    scores = network(batch, style)
    weights = reading_weights(batch)
    probabilities = None if lessons is None else lessons.of(batch)
    total = prior_loss
    for reading, loss in enumerate(losses(scores, batch.call)):
        if probabilities is not None:
            probability = probabilities[:, reading]
            lesson_loss = soft_loss(scores[reading], probability)
            loss = (1 - listen) * loss + listen * lesson_loss
        reading_loss = (loss * weights[reading]).sum()
        total = total + READING_SHARES[reading] * reading_loss
    tricks = batch.tricks - MEAN_TRICKS
    tricks_loss = F.mse_loss(scores.tricks, tricks, reduction="sum")
    return total + TRICKS_WEIGHT * tricks_loss


def soft_loss(scores: Tensor, probability: Tensor) -> Tensor:
    """(b n,) cross entropy of scores to probabilities; what has none costs nothing."""
    log_probability = F.log_softmax(scores, dim=1)
    log_probability = log_probability.masked_fill(probability == 0, 0.0)
    return -(probability * log_probability).sum(dim=1)


def reading_weights(batch: Batch) -> tuple[Tensor, Tensor]:
    """(b n,) weights of calls in both readings, 0 behind the end of an auction."""
    hidden = batch.is_real * call_weights(batch)
    expected_tricks = batch.tricks.amax(dim=2).flatten()[batch.compass_side]
    can_make_slam = expected_tricks > SLAM_TRICKS
    shown = hidden * (1 + (SLAM_WEIGHT - 1) * can_make_slam)
    return hidden, shown


def call_weights(batch: Batch) -> Tensor:
    """(b n,) weights of calls by what partner bid before a pass."""
    call_before = batch.tokens[:, :, 0]
    weights = torch.ones(call_before.shape, device=call_before.device)
    partners_call = call_before[:, 1:-1]
    is_passed = call_before[:, 2:] == PASS
    is_high = (partners_call >= FOUR_CLUBS) & (partners_call < NO_CALL) & is_passed
    is_four_notrump = is_high & (partners_call == FOUR_NOTRUMP)
    weights[:, 2:] += (HIGH_WEIGHT - 1) * is_high
    weights[:, 2:] += (ANSWER_WEIGHT - HIGH_WEIGHT) * is_four_notrump
    return weights.flatten()
