"""Fit the direct reader: where hidden cards lie, with no bidder model.

    python scripts/fit_direct_reader.py records.pbn.gz -o benchmarks/evaluation/direct.npz

It reads them straight from the auction and the own hand. A transformer gives, for each
of the three hidden seats, the chance of every card and of every length of a suit. It is
a baseline for the posterior, which must find the same from P(call ∣ hand) by Bayes'
rule. All four chairs of each table are learned from. The split is by deal.

Needs PyTorch (``pip install torch``), which bayesbridge does not.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
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
"""Rows of a token.

The call (38: the end), who called (from the reader's seat), vulnerability (ours,
theirs), the place from the first call.
"""

NO_CALL = 38
TEN = 8
"""Rank of the lowest honour; 0 is the two."""

STARTS = np.cumsum([0, *SIZES])
ROWS = int(STARTS[-1])
TOKENS_A_STEP = 80_000
VALIDATION_TABLES = 8000
"""About so many are judged while the network learns."""


class Auctions(NamedTuple):
    """Auctions of all tables, on the device but for their lengths."""

    length: np.ndarray
    calls: Tensor
    vulnerable: Tensor
    dealer: Tensor
    holdings: Tensor
    deal: Tensor


def prepare(tables: Tables, device: torch.device) -> Auctions:
    """Padded arrays of the tables."""
    length = np.minimum(np.diff(tables.call_start), HEARD).astype(np.int64)
    calls = np.full((len(length), HEARD + 1), NO_CALL, np.uint8)
    is_made = np.arange(HEARD) < length[:, None]
    call_index = tables.call_start[:-1, None] + np.arange(HEARD)
    calls[:, :HEARD][is_made] = tables.calls[call_index[is_made]]
    suit_shifts = 13 * np.arange(4, dtype=np.uint64)
    holdings = tables.masks[:, :, None] >> suit_shifts & np.uint64(0x1FFF)
    arrays = {
        "calls": calls,
        "vulnerable": tables.vulnerable.astype(np.int64),
        "dealer": tables.dealer.astype(np.int64),
        "holdings": holdings.astype(np.int16),
        "deal": tables.deal.astype(np.int64),
    }
    return Auctions(
        length,
        **{name: torch.tensor(value, device=device) for name, value in arrays.items()},
    )


class Batch(NamedTuple):
    """Tables of a step, each from one chair."""

    tokens: Tensor
    """(n, places, 4) rows of the reader's table."""
    own: Tensor
    """(n, 4) the reader's cards by suit."""
    end: Tensor
    """(n,) the place after the last call, whose token gives the answer."""
    others: Tensor
    """(n, 3, 4) cards of the hidden hands by suit, from the left on."""


def batch_of(auctions: Auctions, chosen: np.ndarray, chair: Tensor) -> Batch:
    """Some tables, each from one chair."""
    device = auctions.calls.device
    rows = torch.as_tensor(chosen, device=device)
    places = int(auctions.length[chosen].max()) + 1
    dealer = auctions.dealer[rows]
    call = auctions.calls[rows, :places].long()
    place = torch.arange(places, device=device).expand_as(call)
    caller = (dealer[:, None] + place - chair[:, None]) % 4
    # Vulnerability is by dealer's side and the other.
    own_side = ((chair - dealer) % 2)[:, None]
    vulnerable = auctions.vulnerable[rows]
    own_vulnerable = vulnerable.gather(1, own_side)
    their_vulnerable = vulnerable.gather(1, 1 - own_side)
    sides = (2 * own_vulnerable + their_vulnerable).expand_as(call)
    parts = (call, caller, sides, place)
    tokens = torch.stack(
        [part + int(start) for part, start in zip(parts, STARTS, strict=False)], dim=2
    )
    seats = (chair[:, None] + torch.arange(4, device=device)) % 4
    hands = auctions.holdings[auctions.deal[rows]].long()
    hands = hands.gather(1, seats[:, :, None].expand(-1, -1, 4))
    end = torch.as_tensor(auctions.length[chosen], device=device)
    return Batch(tokens, hands[:, 0], end, hands[:, 1:])


class Direct(nn.Module):
    """The network: scores of seats for each card, and of lengths."""

    def __init__(self, options: argparse.Namespace, features: Tensor) -> None:
        super().__init__()
        width = options.width
        self.reader = Reader(
            ROWS, width, options.layers, options.heads, HEARD + 1, options.dropout
        )
        self.holdings = Holdings(width, 64, features)
        self.enter = nn.Linear(width, width)
        self.hidden = nn.Linear(width, 2 * width)
        self.cards = nn.Linear(2 * width, 52 * 3)
        self.lengths = nn.Linear(2 * width, 3 * 4 * 14)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """(n, 52, 3) scores of seats for each card, (n, 3, 4, 14) of lengths."""
        hand = self.enter(F.relu(self.holdings(batch.own)))
        context = self.reader(batch.tokens, hand[:, None])
        tables = torch.arange(len(context), device=context.device)
        hidden = F.relu(self.hidden(context[tables, batch.end]))
        cards = self.cards(hidden).view(-1, 52, 3)
        lengths = self.lengths(hidden).view(-1, 3, 4, 14)
        return cards.float(), lengths.float()


def losses(model: Direct, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Mean −log P(true seat) of hidden cards and honours, and −log P(true length).

    Honours are A K Q J T.
    """
    cards, lengths = model(batch)
    card = torch.arange(52, device=cards.device)
    held = (batch.others[:, :, card // 13] >> (card % 13)) & 1  # (n, 3, 52)
    is_hidden = held.any(dim=1)
    seat = held.argmax(dim=1)
    loss = F.cross_entropy(cards[is_hidden], seat[is_hidden], reduction="none")
    is_honour = (card % 13 >= TEN).expand_as(is_hidden)[is_hidden]
    bits = torch.arange(13, device=cards.device)
    length = ((batch.others[..., None] >> bits) & 1).sum(dim=3)
    length_loss = F.cross_entropy(lengths.flatten(0, 2), length.flatten())
    return loss.mean(), loss[is_honour].mean(), length_loss


def main() -> None:
    """Fit the reader, judge it, and write the file that ships."""
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
    auctions = prepare(tables, device)
    features = suit_features().to(device)
    training = np.flatnonzero(split == TRAIN)
    validation = np.flatnonzero(split == VALIDATE)
    test = np.flatnonzero(split == HELD_OUT)
    model = Direct(options, features).to(device)
    parameters = sum(values.numel() for values in model.parameters())
    print(f"direct: {parameters} parameters", flush=True)

    def batches(generator: np.random.Generator) -> Iterator[Batch]:
        for group in grouped(auctions.length, training, TOKENS_A_STEP, generator):
            chairs = generator.integers(0, 4, len(group))
            yield batch_of(auctions, group, torch.as_tensor(chairs, device=device))

    def loss(batch: Batch) -> Tensor:
        cards, _, lengths = losses(model, batch)
        return cards + 0.3 * lengths

    def leader_losses(chosen: np.ndarray) -> dict[str, float]:
        """The opening leader's losses, where somebody leads."""
        chosen = chosen[tables.level[chosen] > 0]
        model.eval()
        sums = []
        order = np.random.default_rng(0)
        with (
            torch.no_grad(),
            torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"),
        ):
            for group in grouped(auctions.length, chosen, TOKENS_A_STEP, order):
                leader = (tables.contract[group, 1].astype(np.int64) + 1) % 4
                chairs = torch.as_tensor(leader, device=device)
                group_losses = losses(model, batch_of(auctions, group, chairs))
                sums.append(torch.stack(group_losses) * len(group))
        model.train()
        means = torch.stack(sums).sum(dim=0) / len(chosen)
        return {
            name: round(float(mean), 4)
            for name, mean in zip(("cards", "honours", "lengths"), means, strict=True)
        }

    step = max(1, len(validation) // VALIDATION_TABLES)
    validation_sample = validation[::step]
    train(
        model,
        batches,
        loss,
        lambda: leader_losses(validation_sample)["honours"],
        options.seconds,
        options.rate,
        options.decay,
        rng,
        "direct",
    )
    facts = {
        "seed": options.seed,
        "source": str(tables.source),
        "tables": len(training),
        "validation": leader_losses(validation),
        "held out": leader_losses(test),
    }
    save(options.output, model, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
