"""Fit the learned bidder, P(call ∣ hand, auction so far), on the tables of a PBN or LIN file.

    python scripts/fit_auction_model.py records.pbn.gz -o bayesbridge/bidders/data/auction.npz

Two steps. A teacher, a transformer that reads the auction and looks back at it with the hand in mind, learns from the
records. The network that ships, whose share of the hand is a few short products, then learns from the records and from
the teacher's probabilities of all calls at once.

Both are fitted together with a style for each pair of players that the records name: 16 numbers that are added to what
the reader is told of the pair's calls and to what the hidden layer is told, with a normal prior, so that a pair of ten
tables stays near the others. A third of the time a pair is hidden, so that the network also knows how to read a pair
it knows nothing of. At the end the numbers are rescaled so that the pairs have mean 0 and variance 1, and a few typical
styles are fitted: a mixture of them is what the two hands of an unknown pair share. Pairs are set aside by a hash of
their name, all their tables with them, to judge by how well the style of a pair is learned from a few of its tables.

Deals are set aside by a hash of their cards (``table_arrays.py``,
whose output this script reads as well). Both steps run for a stated time, since their rate of learning falls with the
time that is left. ``--share 0.25`` fits on a quarter of the deals, for a learning curve.

Needs PyTorch (``pip install torch``), which bayesbridge does not; a GPU makes it minutes instead of days.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import Head, Holdings, Reader, grouped, save, suit_features, train
from table_arrays import HELD_OUT, TRAIN, VALIDATE, Tables, pairs_aside, read
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

CALLS = 38
REACH = 48
"""Distances, and places in the auction, that are told apart."""

STARTS = np.cumsum([0, 39, 36, 3, 5, 4, REACH])
"""Rows of a token: the call before (38: none), the last bid, its doubling, whose it is, vulnerability, the place."""

ROWS = int(STARTS[-1])
TOKENS_A_STEP = 40_000
STYLE = 16
HIDDEN, BOTH_HIDDEN = 0.3, 0.15
"""How often a pair is hidden by itself, and how often both pairs are."""

ENOUGH = 150
"""Tables of a pair that is counted when the styles are rescaled."""


class Auctions(NamedTuple):
    """Tables as tensors, one row each, padded: tokens of every call, what is legal, the call, who calls."""

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


def prepare(tables: Tables, device: torch.device) -> Auctions:
    """Everything on the device; the state of the auction before every call is worked out for all tables at once."""
    length = np.diff(tables.call_start).astype(np.int64)
    n, longest = len(length), int(length.max())
    calls = np.full((n, longest + 1), CALLS, np.uint8)
    inside = np.arange(longest) < length[:, None]
    calls[:, :-1][inside] = tables.calls
    last = np.zeros((n, longest), np.uint8)
    doubled, owner = np.zeros_like(last), np.full((n, longest), 4, np.uint8)
    now_last, now_doubled, now_owner = (np.full(n, value, np.int64) for value in (2, 0, -1))
    for i in range(longest):
        last[:, i] = now_last - 2
        doubled[:, i] = now_doubled
        owner[:, i] = np.where(now_owner < 0, 4, (now_owner - i) % 4)
        call = calls[:, i].astype(np.int64)
        bid = (call > 2) & (call < CALLS)
        now_last, now_owner = np.where(bid, call, now_last), np.where(bid, i, now_owner)
        now_doubled = np.where(bid, 0, np.where((call == 1) | (call == 2), call, now_doubled))
    holdings = (tables.masks[:, :, None] >> (13 * np.arange(4, dtype=np.uint64)) & np.uint64(0x1FFF)).astype(np.int16)
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
        }.items()
    }
    return Auctions(length, **on)


class Batch(NamedTuple):
    tokens: Tensor
    legal: Tensor
    call: Tensor
    real: Tensor
    holdings: Tensor
    hand: Tensor
    pair: Tensor
    """(b, 2) the pairs of dealer's side and of the other, -1 where they are hidden"""


def batch_of(a: Auctions, chosen: np.ndarray) -> Batch:
    """Some tables: (b, n, 6) tokens, (b, n, 38) legal, (b, n) call and if it is one, (4 b, 4) hands, (b, n) whose."""
    n = int(a.length[chosen].max())
    rows = torch.as_tensor(chosen, device=a.calls.device)
    call = a.calls[rows, :n].long()
    previous = torch.cat([torch.full_like(call[:, :1], CALLS), call[:, :-1]], dim=1)
    last, doubled, owner = (x[rows, :n].long() for x in (a.last, a.doubled, a.owner))
    place = torch.arange(n, device=call.device).expand_as(call)
    vulnerable = a.vulnerable[rows].long()
    ours = torch.where(place % 2 == 0, vulnerable[:, :1], vulnerable[:, 1:])
    theirs = torch.where(place % 2 == 0, vulnerable[:, 1:], vulnerable[:, :1])
    parts = (previous, last, doubled, owner, 2 * ours + theirs, place.clamp(max=REACH - 1))
    tokens = torch.stack([part + int(start) for part, start in zip(parts, STARTS, strict=False)], dim=2)
    legal = torch.arange(CALLS, device=call.device) > (last + 2)[:, :, None]
    opposed = (owner % 2 == 1) & (owner < 4)
    legal[:, :, 0] = True
    legal[:, :, 1] = (doubled == 0) & opposed
    legal[:, :, 2] = (doubled == 1) & ~opposed & (owner < 4)
    real = call < CALLS
    holdings = a.holdings[a.deal[rows]].long().flatten(0, 1)
    hand = 4 * torch.arange(len(rows), device=call.device)[:, None] + (a.dealer[rows][:, None] + place) % 4
    return Batch(tokens, legal, call, real, holdings, hand, a.pair[rows])


def hidden(batch: Batch) -> Batch:
    """The same with some pairs hidden at random."""
    chance = torch.rand(len(batch.pair), 3, device=batch.pair.device)
    gone = (chance[:, :2] < HIDDEN) | (chance[:, 2:] < BOTH_HIDDEN)
    return batch._replace(pair=batch.pair.masked_fill(gone, -1))


class Styles(nn.Module):
    """The numbers of every pair. Nothing of it ships."""

    def __init__(self, tables: np.ndarray) -> None:
        super().__init__()
        self.numbers = nn.Parameter(0.1 * torch.randn(len(tables) + 1, STYLE))
        self.numbers.undecayed = True  # the prior shrinks them
        counts = torch.tensor(np.append(np.maximum(tables, 1), 1), dtype=torch.float32)
        self.register_buffer("tables", counts, persistent=False)

    def forward(self, pair: Tensor) -> tuple[Tensor, Tensor]:
        """(b, 2) pairs → (b, 2, 17) their numbers and a 1, all 0 for hidden ones; the tables' share of -log prior."""
        row = pair.remainder(len(self.numbers))  # the last row stands for nobody
        numbers = F.embedding(row, self.numbers)
        known = (pair >= 0)[..., None]
        share = (0.5 * (numbers**2).sum(dim=2) / self.tables[row] * known[..., 0]).sum()
        return torch.cat([numbers, torch.ones_like(numbers[..., :1])], dim=2) * known, share


class Bidder(nn.Module):
    """The network that ships."""

    def __init__(self, options: argparse.Namespace, features: Tensor) -> None:
        super().__init__()
        width = options.width
        self.reader = Reader(ROWS, width, options.layers, options.heads, REACH, options.dropout)
        self.style = nn.Linear(STYLE + 1, width, bias=False)
        self.read = options.style_in == "both"
        self.head = Head(width + STYLE + 1, options.hand_units, options.mixed_units, CALLS, features, options.dropout)

    def forward(self, batch: Batch, style: Tensor) -> Tensor:
        """(calls, 38) scores of the real calls, −∞ for what is illegal, under (b, 2, 17) styles."""
        own = caller_style(batch, style)
        context = self.reader(batch.tokens, self.style(own) if self.read else None)
        context = torch.cat([context, own.to(context.dtype)], dim=2)[batch.real]
        scores = self.head(context, batch.holdings, batch.hand[batch.real])
        return scores.float().masked_fill(~batch.legal[batch.real], -math.inf)


def caller_style(batch: Batch, style: Tensor) -> Tensor:
    """(b, n, 17) the style of the side that makes each call."""
    return style[:, torch.arange(batch.call.shape[1], device=style.device) % 2]


class Look(nn.Module):
    """A hand looks back at the auction: attention from its own vector to what was read."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.told = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.answer = nn.Linear(width, width)
        self.distance = nn.Parameter(torch.zeros(heads, REACH))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, read_: Tensor, after: Tensor) -> Tensor:
        b, n, d = x.shape
        q = self.ask(self.norm_1(x)).view(b, n, self.heads, -1).transpose(1, 2)
        k, v = self.told(read_).view(b, n, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = self.distance[:, after.clamp(min=0)].masked_fill(after < 0, -math.inf).to(q.dtype)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(b, -1, -1, -1))
        x = x + F.dropout(self.answer(seen.transpose(1, 2).reshape(b, n, d)), self.dropout, self.training)
        return x + F.dropout(self.down(F.relu(self.up(self.norm_2(x)))), self.dropout, self.training)


class Teacher(nn.Module):
    """Reads the auction, then looks at it with a hand in mind."""

    def __init__(self, width: int, layers: int, features: Tensor, dropout: float) -> None:
        super().__init__()
        heads = width // 64
        self.reader = Reader(ROWS, width, layers, heads, REACH, dropout)
        self.holdings = Holdings(width, 128, features)
        self.enter = nn.Linear(width, width)
        self.looks = nn.ModuleList(Look(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, CALLS)
        self.style = nn.Linear(STYLE + 1, width, bias=False)
        self.dropout = dropout

    def forward(self, batch: Batch, style: Tensor) -> Tensor:
        told = self.reader(batch.tokens, self.style(caller_style(batch, style)))
        hand = self.enter(F.relu(self.holdings(batch.holdings)))
        x = told + F.dropout(hand, self.dropout, self.training)[batch.hand]
        after = self.reader.distances(x.shape[1], x.device)
        for look in self.looks:
            x = look(x, told, after)
        scores = self.out(self.norm(x))[batch.real]
        return scores.float().masked_fill(~batch.legal[batch.real], -math.inf)


class Fitted(nn.Module):
    """A network and the styles that it is fitted with."""

    def __init__(self, network: Bidder | Teacher, tables: np.ndarray) -> None:
        super().__init__()
        self.network, self.styles = network, Styles(tables)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        style, share = self.styles(batch.pair)
        return self.network(batch, style), share


def hide(batch: Batch) -> Batch:
    """The same with both pairs hidden."""
    return batch._replace(pair=torch.full_like(batch.pair, -1))


@torch.no_grad()
def losses_on(model: Fitted, a: Auctions, chosen: np.ndarray, known: bool) -> tuple[Tensor, Tensor]:
    """−log P(call) of all calls of some tables, and the pair that makes each; the same order every time."""
    model.eval()
    losses, pairs = [], []
    with halved(a.calls.device):
        for group in grouped(a.length, chosen, TOKENS_A_STEP, np.random.default_rng(0)):
            batch = batch_of(a, group)
            scores, _ = model(batch if known else hide(batch))
            losses.append(F.cross_entropy(scores, batch.call[batch.real], reduction="none"))
            pairs.append(batch.pair[:, torch.arange(batch.call.shape[1]) % 2][batch.real])
    model.train()
    return torch.cat(losses), torch.cat(pairs)


def halved(device: torch.device) -> torch.autocast:
    """Half precision where the device is quick with it."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def mean_and_error(values: Tensor) -> list[float]:
    """The mean of some calls and its standard error, calls taken as independent."""
    return [round(float(values.mean()), 4), round(float(values.std() / math.sqrt(len(values))), 4)]


@torch.no_grad()
def rescale(model: Fitted) -> None:
    """Make the pairs' numbers have mean 0 and covariance 1; the network says the same as before."""
    styles, network = model.styles, model.network
    numbers = styles.numbers[:-1][styles.tables[:-1] >= ENOUGH]
    centre, root = numbers.mean(dim=0), torch.linalg.cholesky(torch.cov(numbers.T))
    start = network.reader.table.weight.shape[1]
    head = network.head
    for weight, first in ((network.style, 0), (head.shift, start), (head.scale, start), (head.context_out, start)):
        part = weight.weight[:, first : first + STYLE + 1]
        effect = part[:, :STYLE].clone()
        part[:, STYLE] += effect @ centre
        part[:, :STYLE] = effect @ root
    styles.numbers.copy_(torch.linalg.solve_triangular(root, (styles.numbers - centre).T, upper=False).T)


def with_one(numbers: Tensor) -> Tensor:
    """Numbers of styles and the 1 that says that they are known."""
    return torch.cat([numbers, torch.ones_like(numbers[:, :1])], dim=1)


def log_likelihood(network: Bidder, batch: Batch, styles: Tensor, side: int) -> Tensor:
    """(b, 2, k) log P of the calls of both partners of a side under each of (k, 17) styles, the other side hidden."""
    b, k = len(batch.call), len(styles)
    place = torch.arange(batch.call.shape[1], device=styles.device)
    big = Batch(*(x if i == 4 else x.repeat_interleave(k, dim=0) for i, x in enumerate(batch)))
    big = big._replace(real=big.real & (place % 2 == side))
    style = torch.zeros(b * k, 2, STYLE + 1, device=styles.device)
    style[:, side] = styles.repeat(b, 1)
    log = -F.cross_entropy(network(big, style), big.call[big.real], reduction="none")
    row, at = torch.nonzero(big.real, as_tuple=True)
    total = torch.zeros(2 * b * k, device=styles.device).index_add(0, 2 * row + at // 2 % 2, log)
    return total.view(b, k, 2).transpose(1, 2)


def shared(network: Bidder, a: Auctions, chosen: np.ndarray, styles: Tensor, log_weights: Tensor) -> list[float]:
    """Nats a call where a side shares one of the styles; where each player has one; unknown: of the same tables."""
    sums, calls = torch.zeros(2, device=styles.device), 0
    with torch.no_grad(), halved(styles.device):
        for group in grouped(a.length, chosen, max(2000, TOKENS_A_STEP * 8 // len(styles)), np.random.default_rng(0)):
            batch = batch_of(a, group)
            calls += int(batch.real.sum())
            for side in range(2):
                log = log_likelihood(network, batch, styles, side) + log_weights[None, None] / 2
                sums[0] -= log.sum(dim=1).logsumexp(dim=1).sum()
                sums[1] -= (log + log_weights / 2).logsumexp(dim=2).sum()
    return [round(float(x) / calls, 4) for x in sums]


def typical_styles(
    network: Bidder, a: Auctions, learn: np.ndarray, points: int, seconds: float, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Points and weights of the mixture of styles that explains the tables best if both partners share one."""
    device = a.calls.device
    numbers = torch.tensor(rng.standard_normal((points, STYLE)), dtype=torch.float32, device=device, requires_grad=True)
    logits = torch.zeros(points, device=device, requires_grad=True)
    optimiser = torch.optim.Adam([numbers, logits], lr=0.03)
    start = time.monotonic()
    while (spent := time.monotonic() - start) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = 0.03 * (1 - spent / seconds)
        batch = batch_of(a, rng.choice(learn, 400, replace=False))
        with halved(device):
            log = [log_likelihood(network, batch, with_one(numbers), side).sum(dim=1) for side in range(2)]
        loss = -(torch.cat(log) + logits.log_softmax(dim=0)).logsumexp(dim=1).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    return numbers.detach(), logits.detach().log_softmax(dim=0)


def learned_styles(network: Bidder, a: Auctions, rows: np.ndarray, side: np.ndarray, who: np.ndarray) -> Tensor:
    """(pairs, 16) the most likely styles of new pairs, given their tables, their side there and which pair it is."""
    device = a.calls.device
    numbers = torch.zeros(int(who.max()) + 1, STYLE, device=device, requires_grad=True)
    optimiser = torch.optim.Adam([numbers], lr=0.1)
    steps = 150
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = 0.1 * (1 - step / steps)
        optimiser.zero_grad(set_to_none=True)
        (0.5 * (numbers**2).sum()).backward()
        for part in np.array_split(np.arange(len(rows)), max(1, len(rows) // 4000)):
            own_losses(network, a, rows[part], side[part], numbers[torch.as_tensor(who[part], device=device)])[
                0
            ].sum().backward()
        optimiser.step()
    return numbers.detach()


def own_losses(
    network: Bidder, a: Auctions, rows: np.ndarray, side: np.ndarray, numbers: Tensor | None
) -> tuple[Tensor, Tensor]:
    """−log P of the calls of one side of some tables, given its style or not, the other side hidden; which table."""
    batch = batch_of(a, rows)
    own = torch.as_tensor(side, device=batch.call.device)
    place = torch.arange(batch.call.shape[1], device=own.device)
    batch = batch._replace(real=batch.real & (place % 2 == own[:, None]))
    style = torch.zeros(len(rows), 2, STYLE + 1, device=own.device)
    if numbers is not None:
        style = style.index_put((torch.arange(len(rows), device=own.device), own), with_one(numbers))
    with halved(own.device):
        scores = network(batch, style)
    return F.cross_entropy(scores, batch.call[batch.real], reduction="none"), torch.nonzero(batch.real)[:, 0]


def new_pairs(network: Bidder, a: Auctions, pair: np.ndarray, aside: np.ndarray) -> dict[str, object]:
    """How well the calls of pairs set aside are foretold after some of their tables, on up to 100 others of theirs."""
    seats = np.argwhere(aside[pair] & (pair >= 0))
    known = (5, 10, 30, 100)
    rows, sides = [], []
    for one in np.flatnonzero(aside):
        own = seats[pair[seats[:, 0], seats[:, 1]] == one]
        if len(own) >= known[-1] + 30:
            rows.append(own[: known[-1] + 100, 0])
            sides.append(own[: known[-1] + 100, 1])
    if not rows:
        return {"pairs": 0}
    who = [np.full(len(own), i) for i, own in enumerate(rows)]

    def some(start: int, end: int) -> tuple[np.ndarray, ...]:
        return tuple(np.concatenate([x[start:end] for x in group]) for group in (rows, sides, who))

    judged = some(known[-1], known[-1] + 100)
    found: dict[str, object] = {"pairs": len(rows), "tables": len(judged[0])}
    with torch.no_grad():
        before, _ = own_losses(network, a, judged[0], judged[1], None)
    found["none"] = mean_and_error(before)
    for tables in known:
        numbers = learned_styles(network, a, *some(0, tables))
        with torch.no_grad():
            style = numbers[torch.as_tensor(judged[2], device=numbers.device)]
            after, _ = own_losses(network, a, judged[0], judged[1], style)
        found[str(tables)] = [*mean_and_error(after), *mean_and_error(after - before)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz, or what table_arrays.py made of it")
    parser.add_argument("-o", "--output", type=Path, default=Path("auction.npz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--teacher-seconds", type=float, default=300)
    parser.add_argument("--seconds", type=float, default=400, help="for the network that ships")
    parser.add_argument("--teacher", type=Path, help="a fitted teacher: read if the file exists, else written")
    parser.add_argument("--teacher-width", type=int, default=320)
    parser.add_argument("--teacher-layers", type=int, default=3)
    parser.add_argument("--teacher-dropout", type=float, default=0.12)
    parser.add_argument("--listen", type=float, default=0.7, help="weight of the teacher's word; 0: records alone")
    parser.add_argument("--rate", type=float, default=1.5e-3, help="highest learning rate")
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--decay", type=float, default=0.05, help="of the weights")
    parser.add_argument("--width", type=int, default=192, help="of the reader of auctions")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--hand-units", type=int, default=192)
    parser.add_argument("--mixed-units", type=int, default=256)
    parser.add_argument("--share", type=float, default=1.0, help="of the deals to learn from")
    parser.add_argument("--style-in", choices=("both", "head"), default="both", help="reader and hidden layer, or that")
    parser.add_argument("--typical", type=int, nargs="*", default=[4], help="how many typical styles; the last ships")
    parser.add_argument("--fitted", type=Path, help="a fitted bidder: only its typical styles are fitted again")
    parser.add_argument("--typical-seconds", type=float, default=30)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    split = tables.split[tables.deal]
    aside = pairs_aside(tables.names)
    new = aside[tables.pair] & (tables.pair >= 0)
    a = prepare(tables._replace(pair=np.where(new, -1, tables.pair)), device)
    features = suit_features().to(device)
    keep = rng.random(len(tables.masks)) < options.share
    learn = np.flatnonzero((split == TRAIN) & keep[tables.deal] & ~new.any(axis=1))
    choose, judge = np.flatnonzero(split == VALIDATE), np.flatnonzero(split == HELD_OUT)
    some = choose[:: max(1, len(choose) // 8000)]
    seated = tables.pair[learn]
    seen = np.bincount(seated[seated >= 0], minlength=len(tables.names))
    print(f"{len(learn)} tables to learn from, {len(choose)} to choose by, {len(judge)} to judge by", flush=True)
    print(f"{len(seen)} pairs, {int(aside.sum())} aside, {int((seen >= 100).sum())} with 100 tables", flush=True)

    def batches(generator: np.random.Generator):  # type: ignore[no-untyped-def]
        return (hidden(batch_of(a, group)) for group in grouped(a.length, learn, TOKENS_A_STEP, generator))

    def validation(model: Fitted) -> float:
        return sum(float(losses_on(model, a, some, known)[0].mean()) for known in (True, False)) / 2

    facts: dict[str, object] = {"seed": options.seed, "source": str(tables.source), "tables": len(learn)}
    teacher = None
    if options.listen > 0 and options.fitted is None:
        network = Teacher(options.teacher_width, options.teacher_layers, features, options.teacher_dropout)
        teacher = Fitted(network, seen).to(device)

        def teacher_loss(b: Batch) -> Tensor:
            scores, share = teacher(b)
            return F.cross_entropy(scores, b.call[b.real]) + share / len(scores)

        if options.teacher is not None and options.teacher.exists():
            teacher.load_state_dict(torch.load(options.teacher, map_location=device), strict=False)
        else:
            train(
                teacher,
                batches,
                teacher_loss,
                lambda: validation(teacher),
                options.teacher_seconds,
                8e-4,
                0.05,
                rng,
                "teacher",
            )
            if options.teacher is not None:
                torch.save({k: v.half() for k, v in teacher.state_dict().items()}, options.teacher)
        facts["teacher held out"] = [mean_and_error(losses_on(teacher, a, judge, known)[0]) for known in (False, True)]
        print(f"teacher: {sum(p.numel() for p in network.parameters())} parameters, held out {facts}", flush=True)
        teacher.eval()

    bidder = Fitted(Bidder(options, features), seen).to(device)
    print(f"bidder: {sum(p.numel() for p in bidder.network.parameters())} parameters", flush=True)

    def loss(b: Batch) -> Tensor:
        scores, share = bidder(b)
        truth = F.cross_entropy(scores, b.call[b.real]) + share / len(scores)
        if teacher is None:
            return truth
        with torch.no_grad():
            said = F.softmax(teacher(b)[0], dim=1)
        log = F.log_softmax(scores, dim=1).masked_fill(said == 0, 0.0)
        imitated = -(said * log).sum(dim=1).mean() + share / len(scores)
        return (1 - options.listen) * truth + options.listen * imitated

    if options.fitted is not None:
        with np.load(options.fitted) as stored:
            named = {name: stored[name.replace(".", "_")] for name in bidder.network.state_dict()}
            facts = ast.literal_eval(str(stored["facts"]))
        bidder.network.load_state_dict({name: torch.tensor(value).float() for name, value in named.items()})
    else:
        train(
            bidder,
            batches,
            loss,
            lambda: validation(bidder),
            options.seconds,
            options.rate,
            options.decay,
            rng,
            "bidder",
        )
        rescale(bidder)
    network = bidder.network.eval()
    judged = () if options.fitted is not None else (("validation", choose), ("held out", judge))
    for name, tables_of in judged:
        (plain, pairs), (known, _) = (losses_on(bidder, a, tables_of, known) for known in (False, True))
        network.eval()
        counts = torch.tensor(seen, device=device)[pairs.clamp(min=0)].masked_fill(pairs < 0, 0)
        middle = (counts >= 100) & (counts < 300)
        facts[name] = mean_and_error(plain)
        facts[f"{name}, pairs known"] = mean_and_error(known)
        facts[f"{name}, pairs of 100 to 299 tables"] = mean_and_error(plain[middle]), mean_and_error(known[middle])
    if judged:
        facts["new pairs"] = new_pairs(network, a, tables.pair, aside)
    print(json.dumps(facts), flush=True)
    few = np.random.default_rng(1).choice(judge, min(4000, len(judge)), replace=False)
    sampled = torch.randn(64, STYLE, generator=torch.Generator().manual_seed(1)).to(device)
    facts["held out, 4000 tables"] = {"unknown": mean_and_error(losses_on(bidder, a, few, False)[0])}
    network.eval()
    facts["held out, 4000 tables"]["64 styles: shared, a player each"] = shared(
        network, a, few, with_one(sampled), torch.full((64,), -math.log(64), device=device)
    )
    for points in options.typical:
        numbers, log_weights = typical_styles(network, a, learn, points, options.typical_seconds, rng)
        facts["held out, 4000 tables"][f"{points} typical styles"] = shared(
            network, a, few, with_one(numbers), log_weights
        )
        network.register_buffer("typical_points", numbers)
        network.register_buffer("typical_log_weights", log_weights)
    save(options.output, network, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
