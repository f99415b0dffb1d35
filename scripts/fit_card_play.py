"""Fit the learned player, P(card ∣ hand, what was seen), on the tables of a PBN or LIN
file.

    python scripts/fit_card_play.py records.pbn.gz -o bayesbridge/bidders/data/play.npz

A transformer reads what everybody sees: the auction, the contract, dummy after the
lead, and every card so far. A hand (the cards still held) is added in one hidden layer,
as in ``fit_auction_model.py``. Every card of declarer and of the defenders with a
choice of at least two is learned from, the opening lead among them. The split is by
deal. In one table of eight the auction is hidden from the reader, in one of eight the
dummy: the player must do without either.

Needs PyTorch (``pip install torch``), which bayesbridge does not; a GPU makes it
minutes instead of days.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import Hands, Reader, grouped, save, suit_features, train
from table_arrays import HELD_OUT, TRAIN, VALIDATE, Tables, read
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

CARDS = 52
REACH = 64
"""Distances that are told apart."""

HEARD = 24
"""Calls of an auction that are read, the last ones."""

SIZES = (39, 4, 53, 4, 4, 5, 14, 3, 13, 5, 7, 2)
"""Rows of a token: the call (38: none), who called it; the card before (52: none), who
is to play, the place in the trick, the suit led (4: none), the rank of the best card so
far (13: ruffed or none), who has it (partner, opponent, nobody), the trick, the strain,
the level, a call or a card. Seats are told from declarer: 0 declarer, 1 the leader …
"""

STARTS = np.cumsum([0, *SIZES])
DUMMY = int(STARTS[-1])
"""Rows of the cards that dummy still holds, once it is open."""

ROWS = DUMMY + CARDS
TOKENS_A_STEP = 60_000


class Plays(NamedTuple):
    """Tables with at least a lead, on the device."""

    length: np.ndarray
    heard: Tensor
    callers: Tensor
    cards: Tensor
    masks: Tensor
    strain: Tensor
    level: Tensor
    declarer: Tensor


def prepare(tables: Tables, chosen: np.ndarray, device: torch.device) -> Plays:
    """Padded arrays of the chosen tables; the auction is told from declarer's seat."""
    cards_of = np.diff(tables.card_start)[chosen]
    calls_of = np.diff(tables.call_start)[chosen]
    cards = np.full((len(chosen), CARDS), CARDS, np.uint8)
    inside = np.arange(CARDS) < cards_of[:, None]
    cards[inside] = tables.cards[
        (tables.card_start[chosen][:, None] + np.arange(CARDS))[inside]
    ]
    back = np.arange(HEARD) - HEARD + calls_of[:, None]
    there = back >= 0
    heard = np.full((len(chosen), HEARD), 38, np.uint8)
    heard[there] = tables.calls[(tables.call_start[chosen][:, None] + back)[there]]
    declarer = tables.contract[chosen, 1].astype(np.int64)
    callers = (
        tables.dealer[chosen].astype(np.int64)[:, None] + back - declarer[:, None]
    ) % 4
    arrays = {
        "heard": heard,
        "callers": callers.astype(np.uint8),
        "cards": cards,
        "masks": tables.masks[tables.deal[chosen]].astype(np.int64),
        "strain": tables.contract[chosen, 0].astype(np.int64),
        "level": tables.level[chosen].astype(np.int64) - 1,
        "declarer": declarer,
    }
    return Plays(
        cards_of + HEARD,
        **{name: torch.tensor(value, device=device) for name, value in arrays.items()},
    )


class Batch(NamedTuple):
    tokens: Tensor
    dummy: Tensor
    legal: Tensor
    card: Tensor
    real: Tensor
    holdings: Tensor
    lead: Tensor
    following: Tensor


def batch_of(p: Plays, chosen: np.ndarray, hide: Tensor | None = None) -> Batch:
    """Some tables, played card by card for all of them at once."""
    rows = torch.as_tensor(chosen, device=p.cards.device)
    n = int(p.length[chosen].max()) - HEARD
    b, device = len(rows), rows.device
    strain, level, declarer = p.strain[rows], p.level[rows], p.declarer[rows]
    hands = p.masks[rows].gather(
        1, (declarer[:, None] + torch.arange(4, device=device)) % 4
    )  # from declarer's seat
    heard = p.heard[rows].long()
    if hide is not None:
        heard = torch.where(hide[:, :1], 38, heard)
    none = torch.zeros_like(heard)
    fixed = (strain[:, None].expand_as(heard), level[:, None].expand_as(heard))
    said = torch.stack(
        [
            heard,
            p.callers[rows].long(),
            none + 52,
            none,
            none,
            none + 4,
            none + 13,
            none + 2,
            none,
            *fixed,
            none,
        ],
        dim=2,
    )
    tokens, dummies, legals, cards, reals, holds, leads, follows = (
        [],
        [],
        [],
        [],
        [],
        [],
        [],
        [],
    )
    zero = torch.zeros(b, dtype=torch.int64, device=device)
    turn, led, best_suit, best_rank, best_by = zero + 1, zero + 4, zero, zero + 13, zero
    before = zero + CARDS
    every = torch.arange(CARDS, device=device)
    rest = hands.clone()
    for i in range(n):
        place = i % 4
        if place == 0:
            led = zero + 4
        card = p.cards[rows, i].long()
        there = card < CARDS
        suit, rank = card // 13, card % 13
        partner = (best_by - turn) % 4 == 2
        holder = torch.where(led == 4, zero + 2, torch.where(partner, zero, zero + 1))
        shown = torch.where((led == 4) | (best_suit != led), zero + 13, best_rank)
        tokens.append(
            torch.stack(
                [
                    zero + 38,
                    zero,
                    before,
                    turn,
                    zero + place,
                    led,
                    shown,
                    holder,
                    zero + i // 4,
                    strain,
                    level,
                    zero + 1,
                ],
                dim=1,
            )
        )
        dummies.append(rest[:, 2] if i else zero)
        own = rest.gather(1, turn[:, None])[:, 0]
        mask = (own[:, None] >> every) & 1
        in_led = mask * (every // 13 == led[:, None])
        legal = torch.where(in_led.any(dim=1, keepdim=True), in_led, mask).bool()
        legals.append(legal)
        cards.append(card)
        reals.append(there & (turn != 2) & (legal.sum(dim=1) > 1))
        holds.append(torch.stack([own >> 13 * s & 0x1FFF for s in range(4)], dim=1))
        leads.append(zero + (0 if i == 0 else 1 if place == 0 else 2))
        follows.append(in_led.any(dim=1))
        if place == 0:
            led, best_suit, best_rank, best_by = suit, suit, rank, turn
        else:
            better = torch.where(suit == best_suit, rank > best_rank, suit == strain)
            best_suit, best_rank = (
                torch.where(better, suit, best_suit),
                torch.where(better, rank, best_rank),
            )
            best_by = torch.where(better, turn, best_by)
        gone = torch.where(there, torch.ones_like(card) << card.clamp(max=51), zero)
        rest = rest & ~torch.zeros_like(rest).scatter(1, turn[:, None], gone[:, None])
        before = card
        turn = best_by if place == 3 else (turn + 1) % 4
    play = torch.cat([said, torch.stack(tokens, dim=1)], dim=1) + torch.as_tensor(
        STARTS[:-1], device=device
    )
    dummy = torch.stack(dummies, dim=1)
    if hide is not None:
        dummy = torch.where(hide[:, 1:], 0, dummy)
    return Batch(
        play,
        dummy,
        *(torch.stack(x, dim=1) for x in (legals, cards, reals, holds, leads, follows)),
    )


class Player(nn.Module):
    """The network that ships."""

    def __init__(self, options: argparse.Namespace, features: Tensor) -> None:
        super().__init__()
        self.reader = Reader(
            ROWS, options.width, options.layers, options.heads, REACH, options.dropout
        )
        width, mixed = options.width, options.mixed_units
        self.hands = Hands(options.hand_units, features, options.dropout)
        self.own = nn.Linear(options.hand_units, mixed, bias=False)
        self.shift, self.scale = nn.Linear(width, mixed), nn.Linear(width, mixed)
        self.out, self.context_out = (
            nn.Linear(mixed, CARDS),
            nn.Linear(width, CARDS, bias=False),
        )
        self.dropout = options.dropout
        nn.init.zeros_(self.scale.weight)
        nn.init.ones_(self.scale.bias)

    def forward(self, batch: Batch) -> Tensor:
        """(choices, 52) scores of the real choices, −∞ for what is illegal."""
        held = (
            (batch.dummy[:, :, None] >> torch.arange(CARDS, device=batch.dummy.device))
            & 1
        ).float()
        shown = F.pad(held @ self.reader.table.weight[DUMMY:], (0, 0, HEARD, 0))
        context = self.reader(batch.tokens, shown)[:, HEARD:][batch.real]
        hand = self.own(self.hands(batch.holdings[batch.real]))
        mixed = F.dropout(
            F.relu(hand * self.scale(context) + self.shift(context)),
            self.dropout,
            self.training,
        )
        scores = self.out(mixed) + self.context_out(context)
        return scores.float().masked_fill(~batch.legal[batch.real], -math.inf)


def losses_on(model: nn.Module, p: Plays, chosen: np.ndarray) -> dict[str, float]:
    """Mean −log P(card) by kind of choice."""
    model.eval()
    found, kinds = [], []
    device = p.cards.device
    with (
        torch.no_grad(),
        torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"),
    ):
        for group in grouped(p.length, chosen, TOKENS_A_STEP, np.random.default_rng(0)):
            batch = batch_of(p, group)
            found.append(
                F.cross_entropy(model(batch), batch.card[batch.real], reduction="none")
            )
            kinds.append(batch.lead[batch.real])
    model.train()
    loss, kind = torch.cat(found), torch.cat(kinds)
    result = {
        name: float(loss[kind == k].mean())
        for k, name in enumerate(("lead", "later lead", "to a lead"))
    }
    return {**result, "all": float(loss.mean())}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "records",
        type=Path,
        help="PBN or LIN file, may be .gz, or what table_arrays.py made of it",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("play.npz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument(
        "--rate", type=float, default=1.5e-3, help="highest learning rate"
    )
    parser.add_argument("--dropout", type=float, default=0.03)
    parser.add_argument("--decay", type=float, default=0.05, help="of the weights")
    parser.add_argument("--width", type=int, default=192, help="of the reader")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--hand-units", type=int, default=128)
    parser.add_argument("--mixed-units", type=int, default=192)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    split = tables.split[tables.deal]
    played = np.flatnonzero((np.diff(tables.card_start) > 0) & (tables.level > 0))
    p, features = prepare(tables, played, device), suit_features().to(device)
    learn, choose, judge = (
        np.flatnonzero(split[played] == which) for which in (TRAIN, VALIDATE, HELD_OUT)
    )
    some = choose[:: max(1, len(choose) // 4000)]
    print(
        f"{len(learn)} tables to learn from, {len(choose)} to choose by, {len(judge)} to judge by",
        flush=True,
    )
    player = Player(options, features).to(device)
    print(
        f"player: {sum(x.numel() for x in player.parameters())} parameters", flush=True
    )

    def batches(generator: np.random.Generator):  # type: ignore[no-untyped-def]
        for group in grouped(p.length, learn, TOKENS_A_STEP, generator):
            yield batch_of(
                p,
                group,
                torch.as_tensor(
                    generator.random((len(group), 2)) < 1 / 8, device=device
                ),
            )

    train(
        player,
        batches,
        lambda b: F.cross_entropy(player(b), b.card[b.real]),
        lambda: losses_on(player, p, some)["all"],
        options.seconds,
        options.rate,
        options.decay,
        rng,
        "player",
    )
    facts = {"seed": options.seed, "source": str(tables.source), "tables": len(learn)}
    for name, which in (("validation", choose), ("held out", judge)):
        facts[name] = {
            kind: round(loss, 4) for kind, loss in losses_on(player, p, which).items()
        }
    save(options.output, player, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
