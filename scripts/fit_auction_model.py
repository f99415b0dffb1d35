"""Fit the learned bidder, P(call ∣ hand, auction so far), on the records of a PBN or LIN file.

    python scripts/fit_auction_model.py auctions.pbn.gz -o bayesbridge/bidders/data/auction.npz

Needs NumPy only; one core reads 100 000 tables in some minutes and takes about two minutes an epoch. The split is by
deal, never by table: of each hundred deals, by a hash of the cards, 90 train, 5 validate and 5 are held out. Same file
and same seed, same parameters (up to the rounding of the machine's matrix products).
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.encoding import MADE_WIDTH, STEP_WIDTH, SUIT_WIDTH, Steps, encode, step_inputs, suit_features
from bayesbridge.notation import Record, iter_records

type Floats = NDArray[np.float32]
type Parameters = dict[str, Floats]

TRAIN, VALIDATE, HELD_OUT = 0, 1, 2


class Tables(NamedTuple):
    """All tables of a file; call i of table t is row ``start[t] + i`` of ``steps`` and ``call``.

    start: (tables + 1,)    split: (tables,)    dealer: (tables,)
    fields: (tables, 4, 4) holding of each seat in each suit, 13 bits
    """

    start: NDArray[np.int64]
    split: NDArray[np.int64]
    dealer: NDArray[np.int64]
    fields: NDArray[np.int64]
    steps: Steps
    call: NDArray[np.int64]

    @property
    def length(self) -> NDArray[np.int64]:
        return np.diff(self.start)


def split_of(masks: tuple[int, ...]) -> int:
    """Where a deal belongs, by a hash of its cards: the same in every file."""
    digest = hashlib.sha256(repr(masks).encode()).hexdigest()
    share = int(digest[:8], 16) % 100
    return TRAIN if share < 90 else VALIDATE if share < 95 else HELD_OUT


def read(path: Path) -> Tables:
    """Every record with a whole deal and a whole auction."""
    lengths, splits, dealers, fields, steps, calls = [0], [], [], [], [], []
    for record in iter_records(path):
        if not isinstance(record, Record) or record.deal is None or record.auction is None:
            continue
        if not record.auction.is_over:
            continue
        masks = tuple(hand.mask for hand in record.deal.hands)
        indices = [call.index for call in record.auction.calls]
        dealer, left = record.auction.first, record.auction.first.next()
        sides = [record.vulnerable is not None and seat in record.vulnerable for seat in (dealer, left)]
        lengths.append(len(indices))
        splits.append(split_of(masks))
        dealers.append(int(dealer))
        fields.append([[mask >> 13 * suit & 0x1FFF for suit in range(4)] for mask in masks])
        steps.append(encode(indices, *sides))
        calls += indices
    return Tables(
        np.cumsum(lengths),
        np.array(splits),
        np.array(dealers),
        np.array(fields),
        Steps(*(np.concatenate(arrays) for arrays in zip(*steps, strict=True))),
        np.array(calls),
    )


class Batch(NamedTuple):
    """Some auctions, longest first, their calls in order of time: first calls, then second calls …

    active: how many auctions have a call number 0, 1, 2 …
    hand:   (calls,) which of the 4 · auctions hands called
    """

    active: list[int]
    inputs: Floats
    made: Floats
    illegal: NDArray[np.bool_]
    call: NDArray[np.int64]
    fields: NDArray[np.int64]
    hand: NDArray[np.int64]


def batch_of(tables: Tables, chosen: NDArray[np.int64]) -> Batch:
    length = tables.length[chosen]
    order = np.argsort(-length, kind="stable")
    chosen, length = chosen[order], length[order]
    active = [int(np.count_nonzero(length > t)) for t in range(length[0])]
    rows = np.concatenate([tables.start[chosen[:k]] + t for t, k in enumerate(active)])
    hand = np.concatenate([4 * np.arange(k) + (tables.dealer[chosen[:k]] + t) % 4 for t, k in enumerate(active)])
    steps = Steps(*(array[rows] for array in tables.steps))
    made = steps.made.reshape(len(rows), MADE_WIDTH).astype(np.float32)
    fields = tables.fields[chosen].reshape(-1, 4)
    return Batch(active, step_inputs(steps), made, ~steps.legal, tables.call[rows], fields, hand)


def batches(tables: Tables, chosen: NDArray[np.int64], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """All chosen tables in random order, auctions of like length together so that no step is wasted."""
    shuffled = rng.permutation(chosen)
    groups = []
    for start in range(0, len(shuffled), 40 * size):
        near = shuffled[start : start + 40 * size]
        near = near[np.argsort(tables.length[near], kind="stable")]
        groups += [near[i : i + size] for i in range(0, len(near), size)]
    for i in rng.permutation(len(groups)):
        yield batch_of(tables, groups[i])


def shapes(units: int, suit_units: int, hand_units: int, mixed_units: int) -> dict[str, tuple[int, ...]]:
    """The parameters; :mod:`bayesbridge.bidders.learned` says what each does."""
    return {
        "suit_in": (4, SUIT_WIDTH, suit_units),
        "suit_in_bias": (4, suit_units),
        "suit_out": (4, suit_units, hand_units),
        "suit_skip": (4, SUIT_WIDTH, hand_units),
        "hand_bias": (hand_units,),
        "hand_mix": (hand_units, mixed_units),
        "mix_bias": (mixed_units,),
        "context_mix": (units, mixed_units),
        "made_mix": (MADE_WIDTH, mixed_units),
        "gate_in": (STEP_WIDTH, 3 * units),
        "gate_in_bias": (3 * units,),
        "gate_state": (units, 3 * units),
        "gate_state_bias": (3 * units,),
        "call_out": (mixed_units, 38),
        "call_bias": (38,),
        "context_out": (units, 38),
    }


def views(flat: Floats, layout: dict[str, tuple[int, ...]]) -> Parameters:
    """The parameters as windows of one flat vector, so that the optimiser needs no names."""
    found, at = {}, 0
    for name, shape in layout.items():
        found[name] = flat[at : at + math.prod(shape)].reshape(shape)
        at += math.prod(shape)
    return found


def initial(layout: dict[str, tuple[int, ...]], rng: np.random.Generator) -> Floats:
    """Random weights that keep the size of what flows through them; biases zero."""
    # Of the 47 features of a suit about eight differ from zero, of the 152 and the 79 inputs some twenty.
    inputs = {"suit_in": 8, "suit_skip": 32, "made_mix": 40, "gate_in": 40}
    flat = np.zeros(sum(map(math.prod, layout.values())), np.float32)
    for name, window in views(flat, layout).items():
        if not name.endswith("bias"):
            window[...] = rng.normal(size=window.shape) / math.sqrt(inputs.get(name, 2 * window.shape[-2]))
    return flat


class Dropout(NamedTuple):
    """Strikes out units at random while training, each with probability ``share``, so that none is relied on."""

    share: float
    rng: np.random.Generator

    def __call__(self, units: Floats) -> Floats:
        kept = self.rng.random(units.shape, np.float32) >= self.share
        return units * (kept / np.float32(1 - self.share))


def loss_and_gradient(
    p: Parameters, g: Parameters | None, batch: Batch, suits: Floats, dropout: Dropout | None = None
) -> tuple[float, Floats]:
    """Mean −log P(call) over a batch, and every call's; the gradient is written to ``g``, which may be left out."""
    units = len(p["gate_state"])
    n, auctions = len(batch.call), batch.active[0]
    gates = batch.inputs @ p["gate_in"] + p["gate_in_bias"]
    starts = np.cumsum([0, *batch.active])
    state = np.zeros((n, units), np.float32)
    before = np.zeros((n, units), np.float32)
    recalled = np.zeros((n, 3 * units), np.float32)
    for t, k in enumerate(batch.active):
        now = slice(starts[t], starts[t] + k)
        if t:
            before[now] = state[starts[t - 1] : starts[t - 1] + k]
        recalled[now] = before[now] @ p["gate_state"] + p["gate_state_bias"]
        both = gates[now, : 2 * units]
        both += recalled[now, : 2 * units]
        gates[now, : 2 * units] = 1 / (1 + np.exp(-both))
        new = gates[now, 2 * units :]
        new += gates[now, :units] * recalled[now, 2 * units :]
        gates[now, 2 * units :] = np.tanh(new)
        keep = gates[now, units : 2 * units]
        state[now] = (1 - keep) * gates[now, 2 * units :] + keep * before[now]

    held = [suits[batch.fields[:, s]] for s in range(4)]
    inner = [np.maximum(held[s] @ p["suit_in"][s] + p["suit_in_bias"][s], 0) for s in range(4)]
    hand = p["hand_bias"] + sum(inner[s] @ p["suit_out"][s] + held[s] @ p["suit_skip"][s] for s in range(4))
    hand = np.maximum(hand, 0)
    if dropout:
        hand = dropout(hand)
    mixed = (hand @ p["hand_mix"] + p["mix_bias"])[batch.hand]
    mixed += state @ p["context_mix"] + batch.made @ p["made_mix"]
    mixed = np.maximum(mixed, 0)
    if dropout:
        mixed = dropout(mixed)
    logits = mixed @ p["call_out"] + p["call_bias"] + state @ p["context_out"]
    logits[batch.illegal] = -np.inf
    logits -= logits.max(axis=1, keepdims=True)
    chance = np.exp(logits)
    chance /= chance.sum(axis=1, keepdims=True)
    losses = -np.log(np.maximum(chance[np.arange(n), batch.call], 1e-30))
    if g is None:
        return float(losses.mean()), losses

    scale = np.float32(1 / (1 - dropout.share) if dropout else 1)
    chance[np.arange(n), batch.call] -= 1
    chance /= n
    g["call_out"][...] = mixed.T @ chance
    g["call_bias"][...] = chance.sum(axis=0)
    g["context_out"][...] = state.T @ chance
    d_mixed = (chance @ p["call_out"].T) * (mixed > 0) * scale
    g["context_mix"][...] = state.T @ d_mixed
    g["made_mix"][...] = batch.made.T @ d_mixed
    g["mix_bias"][...] = d_mixed.sum(axis=0)
    d_state = d_mixed @ p["context_mix"].T + chance @ p["context_out"].T

    d_hand = np.zeros((4 * auctions, d_mixed.shape[1]), np.float32)
    for t, k in enumerate(batch.active):  # within one step no hand calls twice, so += is safe
        d_hand[batch.hand[starts[t] : starts[t] + k]] += d_mixed[starts[t] : starts[t] + k]
    g["hand_mix"][...] = hand.T @ d_hand
    d_hand = (d_hand @ p["hand_mix"].T) * (hand > 0) * scale
    g["hand_bias"][...] = d_hand.sum(axis=0)
    for s in range(4):
        g["suit_out"][s] = inner[s].T @ d_hand
        g["suit_skip"][s] = held[s].T @ d_hand
        d_inner = (d_hand @ p["suit_out"][s].T) * (inner[s] > 0)
        g["suit_in"][s] = held[s].T @ d_inner
        g["suit_in_bias"][s] = d_inner.sum(axis=0)

    d_gates = np.empty_like(gates)
    d_recalled = np.empty_like(recalled)
    for t, k in reversed(list(enumerate(batch.active))):
        now = slice(starts[t], starts[t] + k)
        reset, keep, new = (gates[now, i * units : (i + 1) * units] for i in range(3))
        d = d_state[now]
        d_new = d * (1 - keep) * (1 - new**2)
        d_gates[now, :units] = d_new * recalled[now, 2 * units :] * reset * (1 - reset)
        d_gates[now, units : 2 * units] = d * (before[now] - new) * keep * (1 - keep)
        d_gates[now, 2 * units :] = d_new
        d_recalled[now, : 2 * units] = d_gates[now, : 2 * units]
        d_recalled[now, 2 * units :] = d_new * reset
        if t:
            d_state[starts[t - 1] : starts[t - 1] + k] += d * keep + d_recalled[now] @ p["gate_state"].T
    g["gate_in"][...] = batch.inputs.T @ d_gates
    g["gate_in_bias"][...] = d_gates.sum(axis=0)
    g["gate_state"][...] = before.T @ d_recalled
    g["gate_state_bias"][...] = d_recalled.sum(axis=0)
    return float(losses.mean()), losses


class Adam:
    """Adam with decoupled weight decay and clipped gradients; the rate warms up, then falls along a half cosine."""

    def __init__(self, size: int, steps: int, rate: float, decay: float) -> None:
        self.first, self.second = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self.steps, self.rate, self.decay, self.done = steps, rate, decay, 0

    def step(self, flat: Floats, gradient: Floats) -> None:
        gradient *= min(1.0, 1.0 / (float(np.sqrt(np.vdot(gradient, gradient))) + 1e-6))
        cosine = 0.5 * (1 + math.cos(math.pi * self.done / self.steps))
        rate = self.rate * min(1.0, (self.done + 1) / 200) * (0.01 + 0.99 * cosine)
        self.done += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.01 * (gradient**2 - self.second)
        first = self.first / (1 - 0.9**self.done)
        second = self.second / (1 - 0.99**self.done)
        flat *= 1 - rate * self.decay
        flat -= rate * first / (np.sqrt(second) + 1e-8)


def mean_loss(p: Parameters, tables: Tables, split: int, suits: Floats, most: int | None = None) -> tuple[float, float]:
    """Mean −log P(call) over the calls of a split, and its standard error (calls taken as independent)."""
    chosen = np.flatnonzero(tables.split == split)[:most]
    rng = np.random.default_rng(0)
    losses = np.concatenate(
        [loss_and_gradient(p, None, batch, suits)[1] for batch in batches(tables, chosen, 512, rng)]
    )
    return float(losses.mean()), float(losses.std() / math.sqrt(len(losses)))


def fit(tables: Tables, options: argparse.Namespace) -> Parameters:
    rng = np.random.default_rng(options.seed)
    layout = shapes(options.units, options.suit_units, options.hand_units, options.mixed_units)
    flat = initial(layout, rng)
    gradient = np.zeros_like(flat)
    p, g, suits = views(flat, layout), views(gradient, layout), suit_features()
    train = np.flatnonzero(tables.split == TRAIN)
    # Whole epochs, each of as many batches as the grouping by length gives.
    per_epoch = sum(
        math.ceil(min(40 * options.batch, len(train) - i) / options.batch)
        for i in range(0, len(train), 40 * options.batch)
    )
    optimiser = Adam(len(flat), per_epoch * options.epochs, options.rate, options.decay)
    dropout = Dropout(options.dropout, rng) if options.dropout else None
    print(f"{len(flat)} parameters, {len(train)} tables, {per_epoch} steps an epoch", file=sys.stderr)
    start = time.monotonic()
    for epoch in range(options.epochs):
        losses = []
        for batch in batches(tables, train, options.batch, rng):
            losses.append(loss_and_gradient(p, g, batch, suits, dropout)[0])
            optimiser.step(flat, gradient)
        valid, _ = mean_loss(p, tables, VALIDATE, suits, 1500)
        spent = time.monotonic() - start
        print(f"epoch {epoch + 1}: train {np.mean(losses):.4f}, validation {valid:.4f}, {spent:.0f} s", file=sys.stderr)
        save(options.output, p)
    return p


def save(path: Path, p: Parameters) -> None:
    np.savez_compressed(path, **{name: value.astype(np.float16) for name, value in p.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("-o", "--output", type=Path, default=Path("auction.npz"))
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=64, help="auctions a step")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="highest learning rate")
    parser.add_argument("--dropout", type=float, default=0.12, help="share of hidden units struck out while training")
    parser.add_argument("--decay", type=float, default=0.01, help="of the weights")
    parser.add_argument("--units", type=int, default=128, help="of the recurrent layer")
    parser.add_argument("--suit-units", type=int, default=48)
    parser.add_argument("--hand-units", type=int, default=128)
    parser.add_argument("--mixed-units", type=int, default=192)
    options = parser.parse_args()
    tables = read(options.records)
    p = fit(tables, options)
    for name, split in (("validation", VALIDATE), ("held out", HELD_OUT)):
        loss, error = mean_loss(p, tables, split, suit_features())
        print(f"{name}: {loss:.4f} ± {error:.4f} nats a call")


if __name__ == "__main__":
    main()
