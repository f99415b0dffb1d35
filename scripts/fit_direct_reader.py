"""Fit the direct reader: where the hidden cards lie, straight from the auction and the
own hand, with no bidder model.

    python scripts/fit_direct_reader.py records.pbn.gz -o benchmarks/evaluation/direct.npz

A transformer reads the own hand and the whole auction and gives, for each of the three
hidden seats, the chance of every card and of every length of a suit. It is a baseline
for the posterior, which must find the same from P(call ∣ hand) by Bayes' rule. All four
chairs of each table are learned from. The split is by deal.

Needs PyTorch (``pip install torch``), which bayesbridge does not.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import Holdings, Reader, grouped, save, suit_features, train
from table_arrays import HELD_OUT, TRAIN, VALIDATE, Tables, read
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

HEARD = 32
"""Calls of an auction that are read, the last ones."""

SIZES = (39, 4, 4, HEARD + 1)
"""Rows of a token: the call (38: the end), who called (from the reader's seat),
vulnerability (ours, theirs), the place from the first call.
"""

STARTS = np.cumsum([0, *SIZES])
ROWS = int(STARTS[-1])
TOKENS_A_STEP = 80_000


class Auctions(NamedTuple):
    length: np.ndarray
    calls: Tensor
    vulnerable: Tensor
    dealer: Tensor
    holdings: Tensor
    deal: Tensor


def prepare(tables: Tables, device: torch.device) -> Auctions:
    length = np.minimum(np.diff(tables.call_start), HEARD).astype(np.int64)
    calls = np.full((len(length), HEARD + 1), 38, np.uint8)
    inside = np.arange(HEARD) < length[:, None]
    calls[:, :HEARD][inside] = tables.calls[
        (tables.call_start[:-1, None] + np.arange(HEARD))[inside]
    ]
    holdings = (
        tables.masks[:, :, None] >> (13 * np.arange(4, dtype=np.uint64))
        & np.uint64(0x1FFF)
    ).astype(np.int16)
    on = {
        "calls": calls,
        "vulnerable": tables.vulnerable.astype(np.int64),
        "dealer": tables.dealer.astype(np.int64),
        "holdings": holdings,
        "deal": tables.deal.astype(np.int64),
    }
    return Auctions(
        length,
        **{name: torch.tensor(value, device=device) for name, value in on.items()},
    )


class Batch(NamedTuple):
    tokens: Tensor
    own: Tensor
    end: Tensor
    others: Tensor


def batch_of(a: Auctions, chosen: np.ndarray, chair: Tensor) -> Batch:
    """Some tables, each from one chair: the last token, after the last call, gives the
    answer.
    """
    rows = torch.as_tensor(chosen, device=a.calls.device)
    n = int(a.length[chosen].max()) + 1
    call = a.calls[rows, :n].long()
    place = torch.arange(n, device=call.device).expand_as(call)
    who = (a.dealer[rows][:, None] + place - chair[:, None]) % 4
    swap = ((chair - a.dealer[rows]) % 2)[:, None]
    vulnerable = a.vulnerable[rows]
    ours, theirs = vulnerable.gather(1, swap), vulnerable.gather(1, 1 - swap)
    parts = (call, who, (2 * ours + theirs).expand_as(call), place)
    tokens = torch.stack(
        [part + int(start) for part, start in zip(parts, STARTS, strict=False)], dim=2
    )
    hands = a.holdings[a.deal[rows]].long()
    turned = hands.gather(
        1,
        ((chair[:, None] + torch.arange(4, device=call.device)) % 4)[:, :, None].expand(
            -1, -1, 4
        ),
    )
    end = torch.as_tensor(a.length[chosen], device=call.device)
    return Batch(tokens, turned[:, 0], end, turned[:, 1:])


class Direct(nn.Module):
    """The network: (n, 52, 3) scores of seats for each card, (n, 3, 4, 14) scores of
    lengths.
    """

    def __init__(self, options: argparse.Namespace, features: Tensor) -> None:
        super().__init__()
        width = options.width
        self.reader = Reader(
            ROWS, width, options.layers, options.heads, HEARD + 1, options.dropout
        )
        self.holdings = Holdings(width, 64, features)
        self.enter = nn.Linear(width, width)
        self.hidden = nn.Linear(width, 2 * width)
        self.cards, self.lengths = nn.Linear(2 * width, 156), nn.Linear(2 * width, 168)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        hand = self.enter(F.relu(self.holdings(batch.own)))
        read_ = self.reader(batch.tokens, hand[:, None])
        last = F.relu(
            self.hidden(read_[torch.arange(len(read_), device=read_.device), batch.end])
        )
        return self.cards(last).view(-1, 52, 3).float(), self.lengths(last).view(
            -1, 3, 4, 14
        ).float()


def losses(model: Direct, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Mean −log P(true seat) of hidden cards, of hidden honours (A K Q J T), and −log
    P(true length).
    """
    cards, lengths = model(batch)
    place = torch.arange(52, device=cards.device)
    held = (batch.others[:, :, place // 13] >> (place % 13)) & 1  # (n, 3, 52)
    hidden = held.any(dim=1)
    seat = held.argmax(dim=1)
    found = F.cross_entropy(cards[hidden], seat[hidden], reduction="none")
    honour = (place % 13 >= 8).expand_as(hidden)[hidden]
    bits = torch.arange(13, device=cards.device)
    length = ((batch.others[..., None] >> bits) & 1).sum(dim=3)
    return (
        found.mean(),
        found[honour].mean(),
        F.cross_entropy(lengths.flatten(0, 2), length.flatten()),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "records",
        type=Path,
        help="PBN or LIN file, may be .gz, or what table_arrays.py made of it",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("direct.npz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument(
        "--rate", type=float, default=1.5e-3, help="highest learning rate"
    )
    parser.add_argument("--dropout", type=float, default=0.08)
    parser.add_argument("--decay", type=float, default=0.05, help="of the weights")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=4)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    split = tables.split[tables.deal]
    a, features = prepare(tables, device), suit_features().to(device)
    learn, choose, judge = (
        np.flatnonzero(split == which) for which in (TRAIN, VALIDATE, HELD_OUT)
    )
    model = Direct(options, features).to(device)
    print(
        f"direct: {sum(x.numel() for x in model.parameters())} parameters", flush=True
    )

    def batches(generator: np.random.Generator):  # type: ignore[no-untyped-def]
        for group in grouped(a.length, learn, TOKENS_A_STEP, generator):
            yield batch_of(
                a,
                group,
                torch.as_tensor(generator.integers(0, 4, len(group)), device=device),
            )

    def loss(batch: Batch) -> Tensor:
        cards, _, lengths = losses(model, batch)
        return cards + 0.3 * lengths

    def leaders(which: np.ndarray) -> dict[str, float]:
        """The opening leader's losses."""
        which = which[tables.level[which] > 0]
        model.eval()
        sums = []
        with (
            torch.no_grad(),
            torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"),
        ):
            for group in grouped(
                a.length, which, TOKENS_A_STEP, np.random.default_rng(0)
            ):
                leader = (tables.contract[group, 1].astype(np.int64) + 1) % 4
                found = losses(
                    model, batch_of(a, group, torch.as_tensor(leader, device=device))
                )
                sums.append(torch.stack(found) * len(group))
        model.train()
        means = torch.stack(sums).sum(dim=0) / len(which)
        return {
            name: round(float(x), 4)
            for name, x in zip(("cards", "honours", "lengths"), means, strict=True)
        }

    some = choose[:: max(1, len(choose) // 8000)]
    train(
        model,
        batches,
        loss,
        lambda: leaders(some)["honours"],
        options.seconds,
        options.rate,
        options.decay,
        rng,
        "direct",
    )
    facts = {
        "seed": options.seed,
        "source": str(tables.source),
        "tables": len(learn),
        "validation": leaders(choose),
        "held out": leaders(judge),
    }
    save(options.output, model, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
