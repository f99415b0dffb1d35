"""Fit the learned bidder, P(call ∣ hand, auction so far), on the tables of a PBN or LIN file.

    python scripts/fit_auction_model.py records.pbn.gz -o bayesbridge/bidders/data/auction.npz

Two steps. A teacher, a transformer that reads the auction and looks back at it with the hand in mind, learns from the
records. The network that ships, whose share of the hand is a few short products, then learns from the records and from
the teacher's probabilities of all calls at once. Deals are set aside by a hash of their cards (``table_arrays.py``,
whose output this script reads as well). Both steps run for a stated time, since their rate of learning falls with the
time that is left. ``--share 0.25`` fits on a quarter of the deals, for a learning curve.

Needs PyTorch (``pip install torch``), which bayesbridge does not; a GPU makes it minutes instead of days.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import Head, Holdings, Reader, grouped, save, suit_features, train
from table_arrays import HELD_OUT, TRAIN, VALIDATE, Tables, read
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

CALLS = 38
REACH = 48
"""Distances, and places in the auction, that are told apart."""

STARTS = np.cumsum([0, 39, 36, 3, 5, 4, REACH])
"""Rows of a token: the call before (38: none), the last bid, its doubling, whose it is, vulnerability, the place."""

ROWS = int(STARTS[-1])
TOKENS_A_STEP = 40_000


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
    return Batch(tokens, legal, call, real, holdings, hand)


class Bidder(nn.Module):
    """The network that ships."""

    def __init__(self, options: argparse.Namespace, features: Tensor) -> None:
        super().__init__()
        width = options.width
        self.reader = Reader(ROWS, width, options.layers, options.heads, REACH, options.dropout)
        self.head = Head(width, options.hand_units, options.mixed_units, CALLS, features, options.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """(calls, 38) scores of the real calls, −∞ for what is illegal."""
        context = self.reader(batch.tokens)[batch.real]
        scores = self.head(context, batch.holdings, batch.hand[batch.real])
        return scores.float().masked_fill(~batch.legal[batch.real], -math.inf)


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
        self.dropout = dropout

    def forward(self, batch: Batch) -> Tensor:
        told = self.reader(batch.tokens)
        hand = self.enter(F.relu(self.holdings(batch.holdings)))
        x = told + F.dropout(hand, self.dropout, self.training)[batch.hand]
        after = self.reader.distances(x.shape[1], x.device)
        for look in self.looks:
            x = look(x, told, after)
        scores = self.out(self.norm(x))[batch.real]
        return scores.float().masked_fill(~batch.legal[batch.real], -math.inf)


def loss_on(model: nn.Module, a: Auctions, chosen: np.ndarray) -> tuple[float, float]:
    """Mean −log P(call) over the calls of some tables, and its standard error (calls taken as independent)."""
    model.eval()
    losses = []
    device = a.calls.device
    with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        for group in grouped(a.length, chosen, TOKENS_A_STEP, np.random.default_rng(0)):
            batch = batch_of(a, group)
            losses.append(F.cross_entropy(model(batch), batch.call[batch.real], reduction="none"))
    model.train()
    every = torch.cat(losses)
    return float(every.mean()), float(every.std() / math.sqrt(len(every)))


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
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    split = tables.split[tables.deal]
    a, features = prepare(tables, device), suit_features().to(device)
    keep = rng.random(len(tables.masks)) < options.share
    learn = np.flatnonzero((split == TRAIN) & keep[tables.deal])
    choose, judge = np.flatnonzero(split == VALIDATE), np.flatnonzero(split == HELD_OUT)
    some = choose[:: max(1, len(choose) // 8000)]
    print(f"{len(learn)} tables to learn from, {len(choose)} to choose by, {len(judge)} to judge by", flush=True)

    def batches(generator: np.random.Generator):  # type: ignore[no-untyped-def]
        return (batch_of(a, group) for group in grouped(a.length, learn, TOKENS_A_STEP, generator))

    facts = {"seed": options.seed, "source": str(tables.source), "tables": len(learn)}
    teacher = None
    if options.listen > 0:
        teacher = Teacher(options.teacher_width, options.teacher_layers, features, options.teacher_dropout).to(device)
        if options.teacher is not None and options.teacher.exists():
            teacher.load_state_dict(torch.load(options.teacher, map_location=device), strict=False)
        else:
            train(
                teacher,
                batches,
                lambda b: F.cross_entropy(teacher(b), b.call[b.real]),
                lambda: loss_on(teacher, a, some)[0],
                options.teacher_seconds,
                8e-4,
                0.05,
                rng,
                "teacher",
            )
            if options.teacher is not None:
                torch.save({k: v.half() for k, v in teacher.state_dict().items()}, options.teacher)
        facts["teacher held out"] = loss_on(teacher, a, judge)[0]
        print(f"teacher: {sum(p.numel() for p in teacher.parameters())} parameters, held out {facts}", flush=True)
        teacher.eval()

    bidder = Bidder(options, features).to(device)
    print(f"bidder: {sum(p.numel() for p in bidder.parameters())} parameters", flush=True)

    def loss(b: Batch) -> Tensor:
        scores = bidder(b)
        truth = F.cross_entropy(scores, b.call[b.real])
        if teacher is None:
            return truth
        with torch.no_grad():
            said = F.softmax(teacher(b), dim=1)
        log = F.log_softmax(scores, dim=1).masked_fill(said == 0, 0.0)
        return (1 - options.listen) * truth - options.listen * (said * log).sum(dim=1).mean()

    train(
        bidder,
        batches,
        loss,
        lambda: loss_on(bidder, a, some)[0],
        options.seconds,
        options.rate,
        options.decay,
        rng,
        "bidder",
    )
    for name, tables_of in (("validation", choose), ("held out", judge)):
        mean, error = loss_on(bidder, a, tables_of)
        facts[name] = round(mean, 4)
        print(f"{name}: {mean:.4f} ± {error:.4f} nats a call", flush=True)
    save(options.output, bidder, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
