"""Fit the learned player, P(card ∣ hand, what was seen), on tables of records.

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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from reading_networks import (
    Hands,
    Reader,
    Schedule,
    grouped,
    half_precision,
    save,
    suit_features,
    tensors,
    train,
)
from table_arrays import Tables, read, rows_by_split
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

CARDS = 52
REACH = 64
"""Distances that are told apart."""

HEARD = 24
"""Calls of an auction that are read, the last ones."""

SIZES = (39, 4, 53, 4, 4, 5, 14, 3, 13, 5, 7, 2)
"""Rows of a token.

The call (38: none), who called it; the card before (52: none), who is to play, the
place in the trick, the suit led (4: none), the rank of the best card so far (13: ruffed
or none), who has it (partner, opponent, nobody), the trick, the strain, the level, a
call or a card. Seats are told from declarer: 0 declarer, 1 the leader …
"""

NO_CALL = 38
NO_CARD = 52
NO_SUIT = 4
NO_RANK = 13
NOBODY = 2
DUMMY_SEAT = 2
"""Told from declarer."""

LEADS = ("lead", "later lead", "to a lead")
"""Kinds of turns: the opening lead, a later one, a card to a lead."""

OPENING_LEAD, LATER_LEAD, TO_A_LEAD = range(3)

STARTS = np.cumsum([0, *SIZES])
DUMMY = int(STARTS[-1])
"""Rows of the cards that dummy still holds, once it is open."""

ROWS = DUMMY + CARDS
TOKENS_A_STEP = 60_000
HIDDEN_SHARE = 1 / 8
"""Of the tables in which the auction, or dummy, is hidden from the reader."""

VALIDATION_TABLES = 4000
"""About so many are judged while the network learns."""


class Plays(NamedTuple):
    """Tables with at least a lead, on the device but for their lengths."""

    length: np.ndarray
    """(tables,) tokens of a table: ``HEARD`` and one for each card played."""
    calls: Tensor
    """(tables, HEARD) the last calls, at the end; ``NO_CALL`` before the first."""
    callers: Tensor
    """(tables, HEARD) who made them, told from declarer."""
    cards: Tensor
    """(tables, 52) the cards in the order played, padded with ``NO_CARD``."""
    masks: Tensor
    """(tables, 4) the hands N E S W as masks of 52 bits."""
    strain: Tensor
    """(tables,)"""
    level: Tensor
    """(tables,) less 1."""
    declarer: Tensor
    """(tables,) seat."""


def prepare(tables: Tables, chosen: np.ndarray, device: torch.device) -> Plays:
    """Padded arrays of the chosen tables."""
    declarer = tables.contract[chosen, 1].astype(np.int64)
    calls, callers = last_calls(tables, chosen, declarer)
    turns = np.diff(tables.card_start)[chosen]
    cards = np.full((len(chosen), CARDS), NO_CARD, np.uint8)
    is_played = np.arange(CARDS) < turns[:, None]
    card_index = tables.card_start[chosen][:, None] + np.arange(CARDS)
    cards[is_played] = tables.cards[card_index[is_played]]
    arrays = {
        "calls": calls,
        "callers": callers,
        "cards": cards,
        "masks": tables.masks[tables.deal[chosen]].astype(np.int64),
        "strain": tables.contract[chosen, 0].astype(np.int64),
        "level": tables.level[chosen].astype(np.int64) - 1,
        "declarer": declarer,
    }
    return Plays(turns + HEARD, **tensors(arrays, device))


def last_calls(
    tables: Tables, chosen: np.ndarray, declarer: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n, HEARD) the last calls of the chosen tables, and who made them."""
    calls_made = np.diff(tables.call_start)[chosen]
    # The last calls stand at the end: a number below 0 is before the first call.
    call_number = np.arange(HEARD) - HEARD + calls_made[:, None]
    is_made = call_number >= 0
    call_index = tables.call_start[chosen][:, None] + call_number
    calls = np.full((len(chosen), HEARD), NO_CALL, np.uint8)
    calls[is_made] = tables.calls[call_index[is_made]]
    dealer = tables.dealer[chosen].astype(np.int64)
    callers = (dealer[:, None] + call_number - declarer[:, None]) % 4
    return calls, callers.astype(np.uint8)


class Batch(NamedTuple):
    """Tables of a step: a row for each table, then for each token or turn."""

    tokens: Tensor
    """(n, HEARD + turns, parts) rows of the reader's table."""
    dummy: Tensor
    """(n, turns) mask of the cards that dummy holds; 0 before it is open."""
    legal: Tensor
    """(n, turns, 52) whether each card may be played."""
    card: Tensor
    """(n, turns) the card on record."""
    is_choice: Tensor
    """(n, turns) whether declarer or a defender has a choice."""
    holdings: Tensor
    """(n, turns, 4) cards of each suit of the hand in turn."""
    lead: Tensor
    """(n, turns) place in ``LEADS``."""


def batch_of(plays: Plays, chosen: np.ndarray, hide: Tensor | None = None) -> Batch:
    """Some tables, played card by card for all of them at once.

    ``hide`` (n, 2): whether calls, and dummy, are hidden from the network.
    """
    rows = torch.as_tensor(chosen, device=plays.cards.device)
    state = TrickState.first(plays, rows)
    turns = []
    for number in range(int(plays.length[chosen].max()) - HEARD):
        card = plays.cards[rows, number].long()
        turns.append(state.turn_batch(number, card))
        state.play(number, card)
    columns = zip(*turns, strict=True)
    batch = Batch(*(torch.stack(column, dim=1) for column in columns))
    calls = call_tokens(plays, rows, hide)
    tokens = torch.cat([calls, batch.tokens], dim=1)
    starts = torch.as_tensor(STARTS[:-1], device=rows.device)
    dummy = batch.dummy
    if hide is not None:
        dummy = torch.where(hide[:, 1:], 0, dummy)
    return batch._replace(tokens=tokens + starts, dummy=dummy)


def call_tokens(plays: Plays, rows: Tensor, hide: Tensor | None) -> Tensor:
    """(n, HEARD, parts) the calls, a token each."""
    calls = plays.calls[rows].long()
    if hide is not None:
        calls = torch.where(hide[:, :1], NO_CALL, calls)
    zero = torch.zeros_like(calls)
    columns = [
        calls,
        plays.callers[rows].long(),
        zero + NO_CARD,
        zero,
        zero,
        zero + NO_SUIT,
        zero + NO_RANK,
        zero + NOBODY,
        zero,
        plays.strain[rows][:, None].expand_as(calls),
        plays.level[rows][:, None].expand_as(calls),
        zero,
    ]
    return torch.stack(columns, dim=2)


@dataclass
class TrickState:
    """Where the play stands at some tables; all are (n,) but ``hands``, (n, 4) masks.

    Seats are told from declarer.
    """

    strain: Tensor
    level: Tensor
    hands: Tensor
    turn: Tensor
    suit_led: Tensor
    best_suit: Tensor
    best_rank: Tensor
    best_seat: Tensor
    card_before: Tensor

    @classmethod
    def first(cls, plays: Plays, rows: Tensor) -> TrickState:
        """Before the opening lead."""
        seats = plays.declarer[rows][:, None] + torch.arange(4, device=rows.device)
        zero = torch.zeros(len(rows), dtype=torch.int64, device=rows.device)
        return cls(
            strain=plays.strain[rows],
            level=plays.level[rows],
            hands=plays.masks[rows].gather(1, seats % 4),
            turn=zero + 1,
            suit_led=zero + NO_SUIT,
            best_suit=zero,
            best_rank=zero + NO_RANK,
            best_seat=zero,
            card_before=zero + NO_CARD,
        )

    def turn_batch(self, number: int, card: Tensor) -> Batch:
        """The parts of a batch for one turn, without the dimension of turns.

        ``number`` is how many cards were played, ``card`` (n,) the next on record.
        """
        zero = torch.zeros_like(self.turn)
        lead = TO_A_LEAD
        dummy = self.hands[:, DUMMY_SEAT]
        if number % 4 == 0:
            self.suit_led = zero + NO_SUIT
            lead = LATER_LEAD
        if number == 0:
            lead = OPENING_LEAD
            dummy = zero
        hand = self.hands.gather(1, self.turn[:, None])[:, 0]
        legal = self.legal_cards(hand)
        is_played = card < CARDS
        has_choice = (self.turn != DUMMY_SEAT) & (legal.sum(dim=1) > 1)
        holdings = [hand >> 13 * suit & 0x1FFF for suit in range(4)]
        return Batch(
            tokens=self.token(number),
            dummy=dummy,
            legal=legal,
            card=card,
            is_choice=is_played & has_choice,
            holdings=torch.stack(holdings, dim=1),
            lead=zero + lead,
        )

    def legal_cards(self, hand: Tensor) -> Tensor:
        """(n, 52) whether each card may be played from (n,) hands."""
        cards = torch.arange(CARDS, device=hand.device)
        is_held = (hand[:, None] >> cards) & 1
        is_of_suit_led = is_held * (cards // 13 == self.suit_led[:, None])
        can_follow = is_of_suit_led.any(dim=1)
        return torch.where(can_follow[:, None], is_of_suit_led, is_held).bool()

    def token(self, number: int) -> Tensor:
        """(n, parts) the token of a turn."""
        zero = torch.zeros_like(self.turn)
        is_lead = self.suit_led == NO_SUIT
        is_ruffed = self.best_suit != self.suit_led
        best_rank = torch.where(is_lead | is_ruffed, zero + NO_RANK, self.best_rank)
        is_partner = (self.best_seat - self.turn) % 4 == 2
        holder = torch.where(is_partner, zero, zero + 1)
        columns = [
            zero + NO_CALL,
            zero,
            self.card_before,
            self.turn,
            zero + number % 4,
            self.suit_led,
            best_rank,
            torch.where(is_lead, zero + NOBODY, holder),
            zero + number // 4,
            self.strain,
            self.level,
            zero + 1,
        ]
        return torch.stack(columns, dim=1)

    def play(self, number: int, card: Tensor) -> None:
        """Play a card at each table; ``NO_CARD`` where the play is over."""
        suit = card // 13
        rank = card % 13
        if number % 4 == 0:
            self.suit_led = suit
            self.best_suit = suit
            self.best_rank = rank
            self.best_seat = self.turn
        else:
            is_higher = rank > self.best_rank
            is_trump = suit == self.strain
            wins = torch.where(suit == self.best_suit, is_higher, is_trump)
            self.best_suit = torch.where(wins, suit, self.best_suit)
            self.best_rank = torch.where(wins, rank, self.best_rank)
            self.best_seat = torch.where(wins, self.turn, self.best_seat)
        bit = torch.ones_like(card) << card.clamp(max=51)
        played = torch.where(card < CARDS, bit, torch.zeros_like(card))
        no_cards = torch.zeros_like(self.hands)
        self.hands = self.hands & ~no_cards.scatter(
            1, self.turn[:, None], played[:, None]
        )
        self.card_before = card
        self.turn = self.best_seat if number % 4 == 3 else (self.turn + 1) % 4


class Player(nn.Module):
    """The network that ships."""

    def __init__(self, options: argparse.Namespace, features: Tensor) -> None:
        super().__init__()
        self.reader = Reader(
            ROWS, options.width, options.layers, options.heads, REACH, options.dropout
        )
        width = options.width
        mixed = options.mixed_units
        self.hands = Hands(options.hand_units, features, options.dropout)
        self.own = nn.Linear(options.hand_units, mixed, bias=False)
        self.shift = nn.Linear(width, mixed)
        self.scale = nn.Linear(width, mixed)
        self.out = nn.Linear(mixed, CARDS)
        self.context_out = nn.Linear(width, CARDS, bias=False)
        self.dropout = options.dropout
        nn.init.zeros_(self.scale.weight)
        nn.init.ones_(self.scale.bias)

    def forward(self, batch: Batch) -> Tensor:
        """(choices, 52) scores of the cards, −∞ for illegal ones."""
        context = self.context(batch)
        hand = self.own(self.hands(batch.holdings[batch.is_choice]))
        hidden = F.relu(hand * self.scale(context) + self.shift(context))
        hidden = F.dropout(hidden, self.dropout, self.training)
        scores = self.out(hidden) + self.context_out(context)
        legal = batch.legal[batch.is_choice]
        return scores.float().masked_fill(~legal, -math.inf)

    def context(self, batch: Batch) -> Tensor:
        """(choices, width) what was read up to each choice."""
        cards = torch.arange(CARDS, device=batch.dummy.device)
        dummy = ((batch.dummy[:, :, None] >> cards) & 1).float()
        vectors = dummy @ self.reader.table.weight[DUMMY:]
        # Calls come before the turns, and have no dummy.
        vectors = F.pad(vectors, (0, 0, HEARD, 0))
        turns = self.reader(batch.tokens, vectors)[:, HEARD:]
        return turns[batch.is_choice]


@dataclass(frozen=True)
class Fitting:
    """A player and the tables that it is fitted to and judged on."""

    player: Player
    plays: Plays
    training: np.ndarray
    """Rows of the tables to learn from."""
    validation_sample: np.ndarray
    """Rows of those that are judged while the player learns."""

    def batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        """All tables to learn from, in some the auction or dummy hidden."""
        for group in grouped(self.plays.length, self.training, TOKENS_A_STEP, rng):
            is_hidden = rng.random((len(group), 2)) < HIDDEN_SHARE
            hide = torch.as_tensor(is_hidden, device=self.plays.cards.device)
            yield batch_of(self.plays, group, hide)

    def loss(self, batch: Batch) -> Tensor:
        """Mean −log P(card) of the choices."""
        return F.cross_entropy(self.player(batch), batch.card[batch.is_choice])

    def validate(self) -> float:
        """The same at some tables to choose by."""
        return self.losses_on(self.validation_sample)["all"]

    def losses_on(self, chosen: np.ndarray) -> dict[str, float]:
        """Mean −log P(card) at the chosen tables by kind of choice."""
        self.player.eval()
        losses = []
        leads = []
        order = np.random.default_rng(0)
        with torch.no_grad(), half_precision(self.plays.cards.device):
            for group in grouped(self.plays.length, chosen, TOKENS_A_STEP, order):
                batch = batch_of(self.plays, group)
                cards = batch.card[batch.is_choice]
                scores = self.player(batch)
                losses.append(F.cross_entropy(scores, cards, reduction="none"))
                leads.append(batch.lead[batch.is_choice])
        self.player.train()
        loss = torch.cat(losses)
        lead = torch.cat(leads)
        means = {
            name: float(loss[lead == kind].mean()) for kind, name in enumerate(LEADS)
        }
        return {**means, "all": float(loss.mean())}

    def rounded_losses(self, chosen: np.ndarray) -> dict[str, float]:
        """The same to four places."""
        losses = self.losses_on(chosen)
        return {kind: round(loss, 4) for kind, loss in losses.items()}


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
    return parser.parse_args()


def main() -> None:
    """Fit the player, judge it, and write the file that ships."""
    options = options_of_command()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    tables = read(options.records)
    has_lead = np.diff(tables.card_start) > 0
    played = np.flatnonzero(has_lead & (tables.level > 0))
    plays = prepare(tables, played, device)
    split = tables.split[tables.deal][played]
    training, validation, held_out = rows_by_split(split)
    print(
        f"{len(training)} tables to learn from, {len(validation)} to choose by, "
        f"{len(held_out)} to judge by",
        flush=True,
    )
    player = Player(options, suit_features().to(device)).to(device)
    parameters = sum(values.numel() for values in player.parameters())
    print(f"player: {parameters} parameters", flush=True)
    step = max(1, len(validation) // VALIDATION_TABLES)
    fitting = Fitting(player, plays, training, validation[::step])
    train(
        player,
        fitting.batches,
        fitting.loss,
        fitting.validate,
        Schedule(options.seconds, options.rate, options.decay),
        rng,
        "player",
    )
    facts = {
        "seed": options.seed,
        "source": str(tables.source),
        "tables": len(training),
        "validation": fitting.rounded_losses(validation),
        "held out": fitting.rounded_losses(held_out),
    }
    save(options.output, player, facts)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
