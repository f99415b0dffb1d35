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
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import (
    Holdings,
    Reader,
    Schedule,
    grouped,
    half_precision,
    holdings_of,
    save,
    suit_features,
    tensors,
    token_rows,
    train,
)
from table_arrays import Tables, read, rows_by_split
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

HEARD = 32
"""Calls of an auction that are read, the first ones."""

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
LENGTHS_SHARE = 0.3
"""Weight of the loss of lengths beside that of cards."""

VALIDATION_TABLES = 8000
"""About so many are judged while the network learns."""


class Auctions(NamedTuple):
    """Auctions of all tables, on the device but for their lengths."""

    length: np.ndarray
    """(tables,) calls that are read."""
    calls: Tensor
    """(tables, HEARD + 1) the calls, padded with ``NO_CALL``."""
    vulnerable: Tensor
    """(tables, 2) dealer's side and the other."""
    dealer: Tensor
    """(tables,) seat of the first call."""
    holdings: Tensor
    """(deals, 4, 4) the hands N E S W by suit, 13 bits each."""
    deal: Tensor
    """(tables,) which deal."""


def prepare(tables: Tables, device: torch.device) -> Auctions:
    """Padded arrays of the tables."""
    calls_made = np.diff(tables.call_start).astype(np.int64)
    length = np.minimum(calls_made, HEARD)
    calls = np.full((len(length), HEARD + 1), NO_CALL, np.uint8)
    is_made = np.arange(HEARD) < length[:, None]
    call_index = tables.call_start[:-1, None] + np.arange(HEARD)
    calls[:, :HEARD][is_made] = tables.calls[call_index[is_made]]
    arrays = {
        "calls": calls,
        "vulnerable": tables.vulnerable.astype(np.int64),
        "dealer": tables.dealer.astype(np.int64),
        "holdings": holdings_of(tables.masks),
        "deal": tables.deal.astype(np.int64),
    }
    return Auctions(length, **tensors(arrays, device))


class Batch(NamedTuple):
    """Tables of a step, each from one chair."""

    tokens: Tensor
    """(n, places, 4) rows of the reader's table: the calls."""
    own: Tensor
    """(n, 4) the reader's cards by suit."""
    end: Tensor
    """(n,) the place after the last call, whose token gives the answer."""
    hidden: Tensor
    """(n, 3, 4) cards of the hidden hands by suit, from the left on."""


def batch_of(auctions: Auctions, chosen: np.ndarray, chair: Tensor) -> Batch:
    """Some tables, each from one chair; ``chair`` (n,) are seats."""
    device = auctions.calls.device
    rows = torch.as_tensor(chosen, device=device)
    places = int(auctions.length[chosen].max()) + 1
    seats = (chair[:, None] + torch.arange(4, device=device)) % 4
    hands = auctions.holdings[auctions.deal[rows]].long()
    seat_of_row = seats[:, :, None].expand(-1, -1, 4)
    hands = hands.gather(1, seat_of_row)
    return Batch(
        tokens=tokens_of(auctions, rows, chair, places),
        own=hands[:, 0],
        end=torch.as_tensor(auctions.length[chosen], device=device),
        hidden=hands[:, 1:],
    )


def tokens_of(auctions: Auctions, rows: Tensor, chair: Tensor, places: int) -> Tensor:
    """(n, places, 4) rows of the reader's table: the calls, told from each chair."""
    dealer = auctions.dealer[rows]
    call = auctions.calls[rows, :places].long()
    place = torch.arange(places, device=call.device).expand_as(call)
    caller = (dealer[:, None] + place - chair[:, None]) % 4
    # Vulnerability is by dealer's side and the other.
    own_side = ((chair - dealer) % 2)[:, None]
    vulnerable = auctions.vulnerable[rows]
    own_vulnerable = vulnerable.gather(1, own_side)
    their_vulnerable = vulnerable.gather(1, 1 - own_side)
    vulnerability = (2 * own_vulnerable + their_vulnerable).expand_as(call)
    return token_rows((call, caller, vulnerability, place), STARTS)


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


class Losses(NamedTuple):
    """Mean losses of a batch."""

    cards: Tensor
    """−log P(true seat) of hidden cards."""
    honours: Tensor
    """The same of the honours A K Q J T alone."""
    lengths: Tensor
    """−log P(true length of a suit of a hidden hand)."""


def losses_of(model: Direct, batch: Batch) -> Losses:
    """How well the network knows the hidden hands of a batch."""
    cards, lengths = model(batch)
    card = torch.arange(52, device=cards.device)
    holders = (batch.hidden[:, :, card // 13] >> (card % 13)) & 1  # (n, 3, 52)
    is_hidden = holders.any(dim=1)
    seat = holders.argmax(dim=1)
    card_loss = F.cross_entropy(cards[is_hidden], seat[is_hidden], reduction="none")
    is_honour = (card % 13 >= TEN).expand_as(is_hidden)[is_hidden]
    bits = torch.arange(13, device=cards.device)
    length = ((batch.hidden[..., None] >> bits) & 1).sum(dim=3)
    length_loss = F.cross_entropy(lengths.flatten(0, 2), length.flatten())
    return Losses(card_loss.mean(), card_loss[is_honour].mean(), length_loss)


@dataclass(frozen=True)
class Fitting:
    """A network and the tables that it is fitted to and judged on."""

    model: Direct
    tables: Tables
    auctions: Auctions
    training: np.ndarray
    """Rows of the tables to learn from."""
    validation_sample: np.ndarray
    """Rows of those that are judged while the network learns."""

    def batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        """All tables to learn from, each from a chair at random."""
        device = self.auctions.calls.device
        for group in grouped(self.auctions.length, self.training, TOKENS_A_STEP, rng):
            chairs = rng.integers(0, 4, len(group))
            yield batch_of(self.auctions, group, torch.as_tensor(chairs, device=device))

    def loss(self, batch: Batch) -> Tensor:
        """What is made small."""
        losses = losses_of(self.model, batch)
        return losses.cards + LENGTHS_SHARE * losses.lengths

    def validate(self) -> float:
        """The leader's loss of honours at some tables to choose by."""
        return self.leader_losses(self.validation_sample)["honours"]

    def leader_losses(self, chosen: np.ndarray) -> dict[str, float]:
        """The opening leader's losses, where somebody leads."""
        chosen = chosen[self.tables.level[chosen] > 0]
        device = self.auctions.calls.device
        self.model.eval()
        sums = []
        order = np.random.default_rng(0)
        with torch.no_grad(), half_precision(device):
            for group in grouped(self.auctions.length, chosen, TOKENS_A_STEP, order):
                leader = (self.tables.contract[group, 1].astype(np.int64) + 1) % 4
                chairs = torch.as_tensor(leader, device=device)
                batch = batch_of(self.auctions, group, chairs)
                losses = torch.stack(losses_of(self.model, batch))
                sums.append(losses * len(group))
        self.model.train()
        means = torch.stack(sums).sum(dim=0) / len(chosen)
        return {
            name: round(float(mean), 4)
            for name, mean in zip(Losses._fields, means, strict=True)
        }


def options_of_command() -> argparse.Namespace:
    """What the command line asks for."""
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
    return parser.parse_args()


def main() -> None:
    """Fit the reader, judge it, and write the file that ships."""
    options = options_of_command()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    split = tables.split[tables.deal]
    training, validation, held_out = rows_by_split(split)
    step = max(1, len(validation) // VALIDATION_TABLES)
    auctions = prepare(tables, device)
    model = Direct(options, suit_features().to(device)).to(device)
    parameters = sum(values.numel() for values in model.parameters())
    print(f"direct: {parameters} parameters", flush=True)
    fitting = Fitting(model, tables, auctions, training, validation[::step])
    train(
        model,
        fitting.batches,
        fitting.loss,
        fitting.validate,
        Schedule(options.seconds, options.rate, options.decay),
        rng,
        "direct",
    )
    facts = {
        "seed": options.seed,
        "source": str(tables.source),
        "tables": len(training),
        "validation": fitting.leader_losses(validation),
        "held out": fitting.leader_losses(held_out),
    }
    save(options.output, model, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
