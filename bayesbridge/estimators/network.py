"""The network behind the estimator ``tricks``.

P(double-dummy tricks ∣ all four hands), without a solver.

The four suits are four tokens; each begins as a sum over its 13 cards of a vector that
depends on the rank and on who holds it (declarer, left, dummy or right), plus one for
its role (trumps, a side suit, a suit at no trumps). Three times the tokens look at each
other (attention) and are then worked on alone; trumps and the mean of the tokens, or
the mean alone at no trumps, give the distribution::

    x = B·relu(Σ_cards suit[rank, owner] + role)
    x = x + attention(norm(x));  x = x + down·relu(up·norm(x))          three times
    P(tricks) = softmax(1.2·leave·relu(gather·[trumps, mean]))

Nothing tells one side suit from another, so renaming suits changes no digit that
matters. ``scripts/fit_tricks.py`` makes the weights; docs/estimators.md tells how good
they are.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts, Masks, Singles
from bayesbridge.runtime.jit import ANY_ORDER, njit, one_thread

PAIRS: Final = 6
"""Pairs of neighbouring ranks in a suit; the ace stays alone."""

OWNERS_OF_TWO: Final = 16
"""Ways in which two cards may be owned."""

HEADS: Final = 3
"""Heads of each attention."""

BLOCK: Final = 256
"""Layouts worked on at a time: their vectors stay in the processor's cache."""

MOST_REMEMBERED: Final = 1000
"""Layouts up to which predictions are kept for whoever asks about the same."""

SHARPER: Final = 1.2
"""Factor of the logits: a small network that imitates a large one is too modest. Chosen
on 2 500 deals set aside.
"""

TRICK_COUNTS: Final = 14
SUITS_DOWN: Final = (Suit.S, Suit.H, Suit.D, Suit.C)

# Rows of ``role`` in :func:`weights`.
TRUMPS: Final = 0
SIDE_SUIT: Final = 1
AT_NO_TRUMPS: Final = 2


def trick_probabilities(
    layouts: Layouts, declarer: Seat | str, strain: Strain | str
) -> Singles:
    """P(declarer's side takes so many tricks double dummy), by a network alone.

    Parameters
    ----------
    layouts : Layouts
        n full deals.
    declarer : Seat or str
        The seat that declares; its partner is dummy.
    strain : Strain or str
        The trumps, or no trumps.

    Returns
    -------
    array of float32, shape (n, 14)
        The probabilities of 0 … 13 tricks in each layout, which add up to one.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> deal = bb.Deal.of("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    >>> int(trick_probabilities(bb.Layouts.of([deal]), "N", "S").argmax())
    13
    """
    first = Seat.of(declarer)
    seats = [first.next(step) for step in range(4)]
    return table_tricks(layouts.masks[:, seats], Strain.of(strain).trump)


def table_tricks(table: Masks, trump: Suit | None) -> Singles:
    """(n, 14) P(declarer's side takes 0 … 13 tricks).

    The (n, 4) hands are declarer's, the left opponent's, dummy's and the right one's.
    """
    if len(table) > MOST_REMEMBERED:
        return _predicted(table, trump)
    contiguous = np.ascontiguousarray(table, np.uint64)
    return _remembered(contiguous.tobytes(), trump).copy()


@lru_cache(16)
def _remembered(table: bytes, trump: Suit | None) -> Singles:
    """The same, kept: the parts of a page ask about the same layouts."""
    return _predicted(np.frombuffer(table, np.uint64).reshape(-1, 4), trump)


def _predicted(table: Masks, trump: Suit | None) -> Singles:
    """(n, 14) P(tricks) of (n, 4) hands, block by block."""
    n = len(table)
    chances = np.empty((n, TRICK_COUNTS), np.float32)
    buffers = Buffers.of(width=len(weights()["norm.weight"]))
    with one_thread():
        for begin in range(0, n, BLOCK):
            part = table[begin : begin + BLOCK]
            # Every block has the same size, filled up with its first layout: a product
            # of another size may round differently.
            filling = np.repeat(part[:1], BLOCK - len(part), axis=0)
            logits = _logits(np.concatenate([part, filling]), trump, buffers)
            odds = np.exp(np.float32(SHARPER) * (logits - logits.max(axis=0)))
            shares = odds / odds.sum(axis=0)
            chances[begin : begin + BLOCK] = shares.T[: len(part)]
    return chances


class Buffers(NamedTuple):
    """Arrays that every block uses again, for vectors of width d.

    Vectors are the 4 · BLOCK columns: those of the first suit of every layout, then of
    the second, and so on. So kernels work on several layouts at once.
    """

    hidden: Singles  # (4 · BLOCK, 2d) the first hidden layer, a row for each column
    x: Singles  # (d, 4 · BLOCK) the vectors so far
    normed: Singles  # (d, 4 · BLOCK) the same, normalised
    addend: Singles  # (d, 4 · BLOCK) what is added to them next
    joined: Singles  # (3d, 4 · BLOCK) queries, keys and values

    @classmethod
    def of(cls, width: int) -> Buffers:
        """Buffers whose content is undefined."""
        columns = len(Suit) * BLOCK
        return cls(
            hidden=np.empty((columns, 2 * width), np.float32),
            x=np.empty((width, columns), np.float32),
            normed=np.empty((width, columns), np.float32),
            addend=np.empty((width, columns), np.float32),
            joined=np.empty((3 * width, columns), np.float32),
        )


def _logits(table: Masks, trump: Suit | None, buffers: Buffers) -> Singles:
    """(14, n) of the (n, 4) hands of one block."""
    net = weights()
    _begin(table, trump, buffers)
    layers = sum(name.startswith("up.") and name.endswith(".weight") for name in net)
    for k in range(layers):
        _run_layer(k, last=k == layers - 1, buffers=buffers)
    width, columns = buffers.x.shape
    tokens = buffers.normed.reshape(width, len(Suit), columns // len(Suit))
    total = tokens[:, 0] + tokens[:, 1] + tokens[:, 2] + tokens[:, 3]
    mean = total * np.float32(0.25)
    of_trumps = mean if trump is None else tokens[:, 0]
    gathered = net["gather.weight"] @ np.concatenate([of_trumps, mean])
    rectify(gathered, net["gather.bias"])
    logits = net["leave.weight"] @ gathered + net["leave.bias"][:, None]
    return np.asarray(logits, np.float32)


def _begin(table: Masks, trump: Suit | None, buffers: Buffers) -> None:
    """The first vectors, from the cards: the trumps first, else spades first."""
    net = weights()
    if trump is None:
        suits = list(SUITS_DOWN)
        roles = [AT_NO_TRUMPS] * 4
    else:
        suits = [trump, *(suit for suit in SUITS_DOWN if suit != trump)]
        roles = [TRUMPS, SIDE_SUIT, SIDE_SUIT, SIDE_SUIT]
    order = np.array(suits, np.int64)
    enter(table, order, net["pairs"], net["role"][roles], buffers.hidden)
    buffers.x[:] = 0.0
    np.matmul(net["begin.weight"], buffers.hidden.T, buffers.addend)
    _add(buffers, net["begin.bias"], net["before.0.weight"])


def _run_layer(k: int, last: bool, buffers: Buffers) -> None:
    """Attention between the suits of a layout, then work on each alone."""
    net = weights()
    np.matmul(net[f"joined.{k}.weight"], buffers.normed, buffers.joined)
    attend(buffers.joined, net[f"joined.{k}.bias"], HEADS, buffers.normed)
    np.matmul(net[f"out.{k}.weight"], buffers.normed, buffers.addend)
    _add(buffers, net[f"out.{k}.bias"], net[f"between.{k}.weight"])
    up = buffers.joined[: 2 * len(buffers.x)]
    np.matmul(net[f"up.{k}.weight"], buffers.normed, up)
    rectify(up, net[f"up.{k}.bias"])
    np.matmul(net[f"down.{k}.weight"], up, buffers.addend)
    next_norm = "norm.weight" if last else f"before.{k + 1}.weight"
    _add(buffers, net[f"down.{k}.bias"], net[next_norm])


def _add(buffers: Buffers, bias: Singles, scale: Singles) -> None:
    """Add the addend and a bias to the vectors, and normalise them with a scale."""
    add_and_norm(buffers.x, buffers.addend, bias, scale, buffers.normed)


@njit
def enter(
    table: Masks,
    order: NDArray[np.int64],
    pairs: Singles,
    role: Singles,
    hidden: Singles,
) -> None:
    """Write the first hidden layer to ``hidden`` (4n, 2d).

    A row for each column of what follows. ``table``: (n, 4) hands of declarer 0, left 1,
    dummy 2 and right 3; ``order``: (4,) suits; ``pairs``: of :func:`weights`; ``role``:
    (4, 2d) by suit.
    """
    n = len(table)
    width = role.shape[1]
    rows = np.empty(PAIRS + 1, np.int64)
    for place in range(4):
        shift = np.uint64(13 * order[place])
        for i in range(n):
            # An owner's number has two bits: the lower and the upper one, card by card.
            low = (table[i, 1] | table[i, 3]) >> shift
            high = (table[i, 2] | table[i, 3]) >> shift
            _find_rows(low, high, rows)
            # A row for each of six pairs of cards, and one for the ace.
            a, b, c, d, e, f, g = rows
            for j in range(width):
                lower = role[place, j] + pairs[a, j] + pairs[b, j] + pairs[c, j]
                value = lower + pairs[d, j] + pairs[e, j] + pairs[f, j] + pairs[g, j]
                hidden[place * n + i, j] = max(value, np.float32(0))


@njit
def _find_rows(low: np.uint64, high: np.uint64, rows: NDArray[np.int64]) -> None:
    """Write to ``rows`` (7,) the rows of ``pairs`` for the cards of a suit.

    ``low`` and ``high`` have the bits of each owner's number, the two's lowest.
    """
    both_cards = np.uint64(3)
    one_card = np.uint64(1)
    for k in range(PAIRS):
        owners = np.int64(low & both_cards) + 4 * np.int64(high & both_cards)
        rows[k] = OWNERS_OF_TWO * k + owners
        low >>= np.uint64(2)
        high >>= np.uint64(2)
    owner_of_ace = np.int64(low & one_card) + 2 * np.int64(high & one_card)
    rows[PAIRS] = OWNERS_OF_TWO * PAIRS + owner_of_ace


@njit(fastmath=ANY_ORDER)
def add_and_norm(
    x: Singles, addend: Singles, bias: Singles, scale: Singles, out: Singles
) -> None:
    """Add ``addend + bias`` to ``x``, and write that to ``out``, normalised.

    ``x``, ``addend`` and ``out`` are (d, columns), ``bias`` and ``scale`` (d,). Each
    column of ``out`` is that of ``x`` over its root mean square, times ``scale``.
    """
    width, columns = x.shape
    factor = np.zeros(columns, np.float32)
    for j in range(width):
        for i in range(columns):
            value = x[j, i] + addend[j, i] + bias[j]
            x[j, i] = value
            factor[i] += value * value
    for i in range(columns):
        mean_square = factor[i] / np.float32(width)
        factor[i] = np.float32(1) / np.sqrt(mean_square + np.float32(1e-6))
    for j in range(width):
        for i in range(columns):
            out[j, i] = x[j, i] * factor[i] * scale[j]


@njit
def rectify(x: Singles, bias: Singles) -> None:
    """``x = max(x + bias, 0)``."""
    rows, columns = x.shape
    for j in range(rows):
        for i in range(columns):
            x[j, i] = max(x[j, i] + bias[j], np.float32(0))


@njit(fastmath=ANY_ORDER)
def attend(joined: Singles, bias: Singles, heads: int, out: Singles) -> None:
    """Each token of a deal becomes, head by head, a mean of the four values.

    A value is weighted by how the token's query fits its key.

    ``joined`` (3d, 4n) holds queries, keys and values one below the other, ``bias`` is
    (3d,) and ``out`` (d, 4n). Of the four tokens of a deal, n columns apart, ``w0`` …
    ``w3`` (n,) are first how they fit, then their odds. The bias of the keys adds the
    same to all that a query compares, so it is left out.
    """
    triple, columns = joined.shape
    d = triple // 3
    n = columns // 4
    part = d // heads
    scale = np.float32(1) / np.sqrt(np.float32(part))
    fits = np.empty((4, n), np.float32)
    w0, w1, w2, w3 = fits
    inverse_total = np.empty(n, np.float32)
    for begin in range(0, d, part):
        for token in range(0, columns, n):
            fits[:] = np.float32(0)
            for j in range(begin, begin + part):
                queries = joined[j, token : token + n]
                k0 = joined[d + j]
                k1 = k0[n:]
                k2 = k0[2 * n :]
                k3 = k0[3 * n :]
                for i in range(n):
                    query = (queries[i] + bias[j]) * scale
                    w0[i] += query * k0[i]
                    w1[i] += query * k1[i]
                    w2[i] += query * k2[i]
                    w3[i] += query * k3[i]
            for i in range(n):
                highest = max(max(w0[i], w1[i]), max(w2[i], w3[i]))
                w0[i] = np.exp(w0[i] - highest)
                w1[i] = np.exp(w1[i] - highest)
                w2[i] = np.exp(w2[i] - highest)
                w3[i] = np.exp(w3[i] - highest)
                inverse_total[i] = np.float32(1) / (w0[i] + w1[i] + w2[i] + w3[i])
            for j in range(begin, begin + part):
                mixed = out[j, token : token + n]
                v0 = joined[2 * d + j]
                v1 = v0[n:]
                v2 = v0[2 * n :]
                v3 = v0[3 * n :]
                value_bias = bias[2 * d + j]
                for i in range(n):
                    lower = w0[i] * v0[i] + w1[i] * v1[i]
                    weighted = lower + w2[i] * v2[i] + w3[i] * v3[i]
                    mixed[i] = weighted * inverse_total[i] + value_bias


@cache
def weights() -> dict[str, Singles]:
    """The weights that ship, by name, read once.

    Vectors have width d, hidden ones 2d; products are ``weight @ x``. Besides ``role``,
    (3, 2d) for trumps, a side suit and a suit at no trumps, with the bias of the first
    product; and ``pairs``, (100, 2d) its rows added up for two ranks: 16 k + owner bits
    of ranks 2 k and 2 k + 1, the low bits of both ranks first, then the high bits; then
    the ace's.
    """
    path = files("bayesbridge.estimators").joinpath("data/tricks.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        names = [name for name in stored.files if name != "about"]
        net = {name: np.asarray(stored[name], np.float32) for name in names}
    by_rank = net["suit.weight"].T.reshape(13, 4, -1)
    bits = np.arange(OWNERS_OF_TWO)
    owner_of_lower = (bits & 1) + (bits >> 1 & 2)
    owner_of_higher = (bits >> 1 & 1) + (bits >> 2 & 2)
    pairs = [
        by_rank[2 * k, owner_of_lower] + by_rank[2 * k + 1, owner_of_higher]
        for k in range(PAIRS)
    ]
    net["pairs"] = np.ascontiguousarray(np.concatenate([*pairs, by_rank[12]]))
    net["role"] = net["role.weight"] + net["suit.bias"]
    return net
