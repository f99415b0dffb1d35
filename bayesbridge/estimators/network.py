"""The network behind the estimator ``tricks``: P(double-dummy tricks ∣ all four hands),
without a solver.

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
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts, Masks, Singles
from bayesbridge.runtime.jit import ANY_ORDER, njit, one_thread

PAIRS: Final = 6  # pairs of neighbouring ranks in a suit; the ace stays alone
HEADS: Final = 3  # heads of each attention
BLOCK: Final = (
    256  # layouts worked on at a time: their vectors stay in the processor's cache
)
ASKED_AGAIN: Final = (
    1000  # layouts up to which predictions are kept for the next who asks
)

SHARPER: Final = 1.2
"""Factor of the logits: a small network that imitates a large one is too modest. Chosen
on 2 500 deals set aside.
"""


def trick_probabilities(
    layouts: Layouts, declarer: Seat | str, strain: Strain | str
) -> Singles:
    """(n, 14) P(declarer and partner take 0 … 13 double-dummy tricks) in each of n
    layouts, by the network alone.

    >>> import bayesbridge as bb
    >>> deal = bb.Deal.of("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    >>> int(trick_probabilities(bb.Layouts.of([deal]), "N", "S").argmax())
    13
    """
    first = Seat.of(declarer)
    seats = [first.next(step) for step in range(4)]
    return table_tricks(layouts.masks[:, seats], Strain.of(strain).trump)


def table_tricks(table: Masks, trump: Suit | None) -> Singles:
    """(n, 14) P(declarer's side takes 0 … 13 tricks) of (n, 4) hands: declarer, left,
    dummy, right.
    """
    if len(table) > ASKED_AGAIN:
        return _predicted(table, trump)
    return _kept(np.ascontiguousarray(table, np.uint64).tobytes(), trump).copy()


@lru_cache(16)
def _kept(table: bytes, trump: Suit | None) -> Singles:
    """The same, kept: the parts of a page ask about the same layouts."""
    return _predicted(np.frombuffer(table, np.uint64).reshape(-1, 4), trump)


def _predicted(table: Masks, trump: Suit | None) -> Singles:
    order = np.array(
        [3, 2, 1, 0]
        if trump is None
        else [trump, *(s for s in (3, 2, 1, 0) if s != trump)],
        np.int64,
    )
    chances = np.empty((len(table), 14), np.float32)
    columns, width = 4 * BLOCK, len(weights()["norm.weight"])
    sizes = (
        (columns, 2 * width),
        *((rows, columns) for rows in (width, width, width, 3 * width)),
    )
    room = [
        np.empty(size, np.float32) for size in sizes
    ]  # every block uses these again
    # Every block has the same size, filled up with its first layout: a product of another size may round differently.
    with one_thread():
        for begin in range(0, len(table), BLOCK):
            part = table[begin : begin + BLOCK]
            whole = np.concatenate(
                [part, np.repeat(part[:1], BLOCK - len(part), axis=0)]
            )
            logits = _logits(whole, order, trump is None, weights(), room)
            shares = np.exp(np.float32(SHARPER) * (logits - logits.max(axis=0)))
            chances[begin : begin + BLOCK] = (shares / shares.sum(axis=0)).T[
                : len(part)
            ]
    return chances


def _logits(
    table: Masks,
    order: NDArray[np.int64],
    no_trump: bool,
    net: dict[str, Singles],
    room: list[Singles],
) -> Singles:
    """(14, n) of one block.

    Vectors are columns: those of the first suit of every layout, then of the second,
    and so on. So kernels work on several layouts at once.
    """
    hidden, x, turned, more, joined = room
    width, n = len(x), len(table)
    up = joined[: 2 * width]
    count = sum(name.startswith("up.") and name.endswith(".weight") for name in net)
    norms = [net[f"before.{k}.weight"] for k in range(count)] + [net["norm.weight"]]
    enter(
        table,
        order,
        net["pairs"],
        net["role"][[2, 2, 2, 2] if no_trump else [0, 1, 1, 1]],
        hidden,
    )
    x[:] = 0.0
    np.matmul(net["begin.weight"], hidden.T, more)
    add_and_norm(x, more, net["begin.bias"], norms[0], turned)
    for k in range(count):
        np.matmul(net[f"joined.{k}.weight"], turned, joined)
        attend(joined, net[f"joined.{k}.bias"], HEADS, turned)
        np.matmul(net[f"out.{k}.weight"], turned, more)
        add_and_norm(x, more, net[f"out.{k}.bias"], net[f"between.{k}.weight"], turned)
        np.matmul(net[f"up.{k}.weight"], turned, up)
        rectify(up, net[f"up.{k}.bias"])
        np.matmul(net[f"down.{k}.weight"], up, more)
        add_and_norm(x, more, net[f"down.{k}.bias"], norms[k + 1], turned)
    tokens = turned.reshape(width, 4, n)
    mean = (tokens[:, 0] + tokens[:, 1] + tokens[:, 2] + tokens[:, 3]) * np.float32(
        0.25
    )
    gathered = net["gather.weight"] @ np.concatenate(
        [mean if no_trump else tokens[:, 0], mean]
    )
    rectify(gathered, net["gather.bias"])
    return np.asarray(
        net["leave.weight"] @ gathered + net["leave.bias"][:, None], np.float32
    )


@njit
def enter(
    table: Masks,
    order: NDArray[np.int64],
    pairs: Singles,
    role: Singles,
    hidden: Singles,
) -> None:
    """(4n, 2d) the first hidden layer, a row for each column of what follows; ``role``:
    (4, 2d) by suit.
    """
    n, width = len(table), role.shape[1]
    three = np.uint64(3)
    rows = np.empty(PAIRS + 1, np.int64)
    for place in range(4):
        shift = np.uint64(13 * order[place])
        for i in range(n):
            # Bits of the owner's number: declarer 0, left 1, dummy 2, right 3.
            low, high = (
                (table[i, 1] | table[i, 3]) >> shift,
                (table[i, 2] | table[i, 3]) >> shift,
            )
            for k in range(PAIRS):
                rows[k] = 16 * k + np.int64(low & three) + 4 * np.int64(high & three)
                low, high = low >> np.uint64(2), high >> np.uint64(2)
            rows[PAIRS] = (
                16 * PAIRS
                + np.int64(low & np.uint64(1))
                + 2 * np.int64(high & np.uint64(1))
            )
            a, b, c, d, e, f, g = rows
            for j in range(width):
                lower = role[place, j] + pairs[a, j] + pairs[b, j] + pairs[c, j]
                value = lower + pairs[d, j] + pairs[e, j] + pairs[f, j] + pairs[g, j]
                hidden[place * n + i, j] = max(value, np.float32(0))


@njit(fastmath=ANY_ORDER)
def add_and_norm(
    x: Singles, more: Singles, bias: Singles, scale: Singles, out: Singles
) -> None:
    """Adds ``more + bias`` to ``x``; ``out`` is that, each column over its root mean
    square, times ``scale``.
    """
    width, columns = x.shape
    factor = np.zeros(columns, np.float32)
    for j in range(width):
        for i in range(columns):
            value = x[j, i] + more[j, i] + bias[j]
            x[j, i] = value
            factor[i] += value * value
    for i in range(columns):
        factor[i] = np.float32(1) / np.sqrt(
            factor[i] / np.float32(width) + np.float32(1e-6)
        )
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
    """Each token of a deal becomes, head by head, a mean of the four values, weighted
    by how its query fits their keys.

    ``joined`` (3d, 4n) holds queries, keys and values one below the other. The bias of
    the keys adds the same to all that a query compares, so it is left out.
    """
    triple, columns = joined.shape
    width, n = triple // 3, columns // 4
    part = width // heads
    scale = np.float32(1) / np.sqrt(np.float32(part))
    fits = np.empty((4, n), np.float32)
    total = np.empty(n, np.float32)
    one, two, three, four = fits
    for begin in range(0, width, part):
        for first in range(0, columns, n):
            fits[:] = np.float32(0)
            for j in range(begin, begin + part):
                query, keys = joined[j, first : first + n], joined[width + j]
                second, third, fourth = keys[n:], keys[2 * n :], keys[3 * n :]
                for i in range(n):
                    asked = (query[i] + bias[j]) * scale
                    one[i] += asked * keys[i]
                    two[i] += asked * second[i]
                    three[i] += asked * third[i]
                    four[i] += asked * fourth[i]
            for i in range(n):
                highest = max(max(one[i], two[i]), max(three[i], four[i]))
                one[i] = np.exp(one[i] - highest)
                two[i] = np.exp(two[i] - highest)
                three[i] = np.exp(three[i] - highest)
                four[i] = np.exp(four[i] - highest)
                total[i] = np.float32(1) / (one[i] + two[i] + three[i] + four[i])
            for j in range(begin, begin + part):
                mixed, values = out[j, first : first + n], joined[2 * width + j]
                second, third, fourth = values[n:], values[2 * n :], values[3 * n :]
                for i in range(n):
                    lower = one[i] * values[i] + two[i] * second[i]
                    mixed[i] = (
                        lower + three[i] * third[i] + four[i] * fourth[i]
                    ) * total[i] + bias[2 * width + j]


@cache
def weights() -> dict[str, Singles]:
    """The weights that ship, by name, read once; width d, hidden width 2d, products are
    ``weight @ x``.

    Besides ``role``, (3, 2d) for trumps, a side suit and a suit at no trumps, with the
    bias of the first product; and ``pairs``, (100, 2d) its rows added up for two ranks:
    16 k + owner bits of ranks 2 k and 2 k + 1, the low bits of both ranks first, then
    the high bits; then the ace's.
    """
    path = files("bayesbridge.estimators").joinpath("data/tricks.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        net = {
            name: np.asarray(stored[name], np.float32)
            for name in stored.files
            if name != "about"
        }
    suit = net["suit.weight"].T.reshape(13, 4, -1)
    bits = np.arange(16)
    first, second = (bits & 1) + (bits >> 1 & 2), (bits >> 1 & 1) + (bits >> 2 & 2)
    pairs = [suit[2 * k, first] + suit[2 * k + 1, second] for k in range(PAIRS)]
    net["pairs"] = np.ascontiguousarray(np.concatenate([*pairs, suit[12]]))
    net["role"] = net["role.weight"] + net["suit.bias"]
    return net
