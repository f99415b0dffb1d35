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
"""Pairs of neighbouring ranks in a suit, 2 and 3 to Q and K; the ace stays alone."""

OWNERS: Final = 4
"""Who may own a card: declarer 0, left opponent 1, dummy 2, right opponent 3."""

OWNERS_OF_TWO: Final = OWNERS**2
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

NORM_EPSILON: Final = np.float32(1e-6)
"""Added to mean squares that are divided by, so that none is 0."""

TRICK_COUNTS: Final = 14
RANKS: Final = 13
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
    """(n, 14) P(0 … 13 tricks) of (n, 4) hands, block by block."""
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
            chances[begin : begin + BLOCK] = _sharpened(logits).T[: len(part)]
    return chances


def _sharpened(logits: Singles) -> Singles:
    """(14, n) probabilities by (14, n) logits: their softmax over the numbers of tricks.

    The factor makes the network surer of itself than it was trained to be.
    """
    below_highest = logits - logits.max(axis=0)  # so that nothing overflows
    odds = np.exp(np.float32(SHARPER) * below_highest)
    return np.asarray(odds / odds.sum(axis=0), np.float32)


class Buffers(NamedTuple):
    """Arrays that every block uses again, for tokens of width d.

    Tokens (the vectors of suits) are the 4 · BLOCK columns: those of the first suit of
    every layout, then of the second, and so on. So kernels work on several layouts at
    once.
    """

    entry: Singles  # (4 · BLOCK, 2d) the first hidden layer, a row for each token
    tokens: Singles  # (d, 4 · BLOCK) the tokens so far
    normed: Singles  # (d, 4 · BLOCK) the same, normalised
    mixed: Singles  # (d, 4 · BLOCK) what attention makes of those
    addend: Singles  # (d, 4 · BLOCK) what is added to the tokens next
    joined: Singles  # (3d, 4 · BLOCK) queries, keys and values of attention
    hidden: Singles  # (2d, 4 · BLOCK) the hidden layer of the work on single tokens

    @classmethod
    def of(cls, width: int) -> Buffers:
        """Buffers whose content is undefined."""
        columns = len(Suit) * BLOCK
        entry = np.empty((columns, 2 * width), np.float32)
        normed = np.empty((width, columns), np.float32)
        joined = np.empty((3 * width, columns), np.float32)
        # Some share memory, which the processor's cache holds: what attention reads is
        # not needed once it has mixed it.
        return cls(
            entry=entry,
            tokens=np.empty((width, columns), np.float32),
            normed=normed,
            mixed=normed,
            addend=np.empty((width, columns), np.float32),
            joined=joined,
            hidden=joined[: 2 * width],
        )


def _logits(hands: Masks, trump: Suit | None, buffers: Buffers) -> Singles:
    """(14, n) logits of 0 … 13 tricks for the (n, 4) hands of a block.

    The four suits of a layout are four tokens (vectors of width d). After the layers
    the trump suit's token, which stands first, and the mean of the four give the
    logits; at no trumps the mean stands for both.
    """
    net = weights()
    _begin_tokens(hands, trump, buffers)
    layers = sum(name.startswith("up.") and name.endswith(".weight") for name in net)
    for layer in range(layers):
        next_norm = f"before.{layer + 1}.weight"
        if layer == layers - 1:
            next_norm = "norm.weight"
        _run_layer(layer, next_norm, buffers)
    width, columns = buffers.normed.shape
    layouts = columns // len(Suit)
    tokens = buffers.normed.reshape(width, len(Suit), layouts)
    mean_token = _sum_of_suits(tokens) * np.float32(1 / len(Suit))
    trump_token = mean_token if trump is None else tokens[:, 0]
    gathered = net["gather.weight"] @ np.concatenate([trump_token, mean_token])
    rectify(gathered, net["gather.bias"])
    logits = net["leave.weight"] @ gathered + net["leave.bias"][:, None]
    return np.asarray(logits, np.float32)


def _sum_of_suits(tokens: Singles) -> Singles:
    """(d, n) the four tokens of (d, 4, n) added up, always in this order."""
    return tokens[:, 0] + tokens[:, 1] + tokens[:, 2] + tokens[:, 3]


def _begin_tokens(hands: Masks, trump: Suit | None, buffers: Buffers) -> None:
    """Write the network's first tokens: a vector of width d for each suit of each layout.

    ``hands``: (n, 4) masks of declarer, left, dummy and right. The tokens of all trump
    suits come first, those of the other suits follow from spades down.

    A small network makes the token of a suit. Its hidden layer is the positive part of
    a sum of vectors: one for each card, by its rank and owner, and one for the role of
    the suit (trumps, a side suit, or a suit at no trumps). The token is a linear
    function of that. ``buffers`` gets the tokens, and these normalised for the first
    layer of attention.
    """
    net = weights()
    if trump is None:
        suits = list(SUITS_DOWN)
        roles = [AT_NO_TRUMPS] * 4
    else:
        suits = [trump, *(suit for suit in SUITS_DOWN if suit != trump)]
        roles = [TRUMPS, SIDE_SUIT, SIDE_SUIT, SIDE_SUIT]
    write_entry_layer(
        hands=hands,
        suits=np.array(suits, np.int64),
        pairs=net["pairs"],
        roles=net["role"][roles],
        entry=buffers.entry,
    )
    entry_columns = buffers.entry.T  # (2d, tokens): a row for each token before
    np.matmul(net["begin.weight"], entry_columns, out=buffers.addend)
    buffers.tokens[:] = 0.0  # what the addend and its bias are added to
    scale_of_first_layer = net["before.0.weight"]
    _add_and_normalise(buffers, bias=net["begin.bias"], scale=scale_of_first_layer)


def _run_layer(layer: int, next_norm: str, buffers: Buffers) -> None:
    """Take the tokens (vectors of the suits) through one layer of the network.

    First attention: each token takes in what the others of its layout hold. Then each
    is worked on alone, through a hidden layer twice as wide. Both results are added to
    the tokens, which are normalised anew for what follows; ``next_norm`` names the
    weights of that after the layer.
    """
    net = weights()
    np.matmul(net[f"joined.{layer}.weight"], buffers.normed, buffers.joined)
    attend(buffers.joined, net[f"joined.{layer}.bias"], HEADS, buffers.mixed)
    np.matmul(net[f"out.{layer}.weight"], buffers.mixed, buffers.addend)
    between = net[f"between.{layer}.weight"]
    _add_and_normalise(buffers, net[f"out.{layer}.bias"], between)

    np.matmul(net[f"up.{layer}.weight"], buffers.normed, buffers.hidden)
    rectify(buffers.hidden, net[f"up.{layer}.bias"])
    np.matmul(net[f"down.{layer}.weight"], buffers.hidden, buffers.addend)
    _add_and_normalise(buffers, net[f"down.{layer}.bias"], net[next_norm])


def _add_and_normalise(buffers: Buffers, bias: Singles, scale: Singles) -> None:
    """Add the addend and a bias (d,) to the tokens; write them to ``normed``, scaled."""
    add_and_norm(buffers.tokens, buffers.addend, bias, scale, buffers.normed)


@njit
def write_entry_layer(
    hands: Masks,
    suits: NDArray[np.int64],
    pairs: Singles,
    roles: Singles,
    entry: Singles,
) -> None:
    """Write the first hidden layer, a row for each suit of each layout.

    ``hands``: (n, 4) masks of declarer 0, left 1, dummy 2 and right 3.
    ``suits``: (4,) suits, as their tokens are ordered.
    ``pairs``: (100, 2d) what two cards add by their owners, of :func:`weights`.
    ``roles``: (4, 2d) what the role of each suit adds, in the same order.
    ``entry``: (4n, 2d) is written: the sums, and 0 where they are negative; the n
    layouts of the first suit, then those of the second …
    """
    n = len(hands)
    rows = np.empty(PAIRS + 1, np.int64)
    for place in range(4):
        # A card's owner is a number of two bits. In ``low`` and ``high`` the bit of a
        # card is the lower and the upper one of them: left and right have the lower.
        shift = np.uint64(13 * suits[place])
        for layout in range(n):
            low = (hands[layout, 1] | hands[layout, 3]) >> shift
            high = (hands[layout, 2] | hands[layout, 3]) >> shift
            _find_rows(low, high, rows)
            _add_rows(roles[place], pairs, rows, entry[place * n + layout])


@njit(inline="always")
def _add_rows(
    start: Singles, pairs: Singles, rows: NDArray[np.int64], total: Singles
) -> None:
    """Write to ``total`` (2d,) the sum of ``start`` (2d,) and seven rows of ``pairs``.

    Negative sums become 0. The order of the addends is fixed: another rounds otherwise.
    """
    a, b, c, d, e, f, g = rows
    for j in range(len(total)):
        lower = start[j] + pairs[a, j] + pairs[b, j] + pairs[c, j]
        value = lower + pairs[d, j] + pairs[e, j] + pairs[f, j] + pairs[g, j]
        total[j] = max(value, np.float32(0))


@njit
def _find_rows(low: np.uint64, high: np.uint64, rows: NDArray[np.int64]) -> None:
    """Write to ``rows`` (7,) the rows of ``pairs`` that a suit's 13 cards stand for.

    ``low`` and ``high`` have a bit for each card from the two up (bits of other suits
    may follow): the lower and the upper bit of its owner's number. A pair of cards k has
    16 rows from 16 k on, by its two lower and two upper bits; the ace has 4 rows.
    """
    both_cards = np.uint64(3)
    one_card = np.uint64(1)
    for pair in range(PAIRS):
        owners = np.int64(low & both_cards) + 4 * np.int64(high & both_cards)
        rows[pair] = OWNERS_OF_TWO * pair + owners
        low >>= np.uint64(2)
        high >>= np.uint64(2)
    owner_of_ace = np.int64(low & one_card) + 2 * np.int64(high & one_card)
    rows[PAIRS] = OWNERS_OF_TWO * PAIRS + owner_of_ace


@njit(fastmath=ANY_ORDER)
def add_and_norm(
    x: Singles, addend: Singles, bias: Singles, scale: Singles, out: Singles
) -> None:
    """Add ``addend + bias`` to ``x``, and write to ``out`` what that is, normalised.

    ``x``, ``addend`` and ``out`` are (d, columns), ``bias`` and ``scale`` (d,). Each
    column of ``out`` is that of ``x`` over its root mean square, times ``scale``.
    """
    rows, columns = x.shape
    square_sums = np.zeros(columns, np.float32)
    for i in range(rows):
        for j in range(columns):
            value = x[i, j] + addend[i, j] + bias[i]
            x[i, j] = value
            square_sums[j] += value * value
    inverse_rms = np.empty(columns, np.float32)
    for j in range(columns):
        mean_square = square_sums[j] / np.float32(rows)
        inverse_rms[j] = np.float32(1) / np.sqrt(mean_square + NORM_EPSILON)
    for i in range(rows):
        for j in range(columns):
            out[i, j] = x[i, j] * inverse_rms[j] * scale[i]


@njit
def rectify(x: Singles, bias: Singles) -> None:
    """``x = max(x + bias, 0)``."""
    rows, columns = x.shape
    for i in range(rows):
        for j in range(columns):
            x[i, j] = max(x[i, j] + bias[i], np.float32(0))


@njit(fastmath=ANY_ORDER)
def attend(joined: Singles, bias: Singles, heads: int, out: Singles) -> None:
    """Write to ``out`` what each suit's token takes in from the four of its layout.

    Head by head, this is a mean of the four values, weighted by a softmax of how well
    the token's query fits their keys.

    ``joined``: (3d, 4n) queries, keys and values, one below the other; a layout's four
    tokens are n columns apart.
    ``bias``: (3d,) of these. That of the keys adds the same to all that a query
    compares, so it is left out.
    ``out``: (d, 4n) is written; each head has its d / ``heads`` rows.
    """
    d, columns = out.shape
    n = columns // 4
    head_rows = d // heads
    scale = np.float32(1) / np.sqrt(np.float32(head_rows))
    weights_of_four = np.empty((4, n), np.float32)
    inverse_total = np.empty(n, np.float32)
    for first_row in range(0, d, head_rows):
        for token in range(0, columns, n):
            weights_of_four[:] = np.float32(0)
            for row in range(first_row, first_row + head_rows):
                queries = joined[row, token : token + n]
                _add_fits(queries, bias[row], scale, joined[d + row], weights_of_four)
            _fits_to_odds(weights_of_four, inverse_total)
            for row in range(first_row, first_row + head_rows):
                value = 2 * d + row
                mean = out[row, token : token + n]
                _write_means(
                    joined[value], bias[value], weights_of_four, inverse_total, mean
                )


# The steps of `attend` are inlined: as calls they would not be vectorised.
@njit(fastmath=ANY_ORDER, inline="always")
def _add_fits(
    queries: Singles, bias: np.float32, scale: np.float32, keys: Singles, fits: Singles
) -> None:
    """Add to ``fits`` (4, n) one row's products of a token's queries with four keys.

    ``queries``: (n,), to which ``bias`` belongs; ``keys``: (4n,), those of the four
    tokens of a layout n apart.
    """
    n = len(queries)
    k0 = keys
    k1 = keys[n:]
    k2 = keys[2 * n :]
    k3 = keys[3 * n :]
    w0, w1, w2, w3 = fits
    for i in range(n):
        query = (queries[i] + bias) * scale
        w0[i] += query * k0[i]
        w1[i] += query * k1[i]
        w2[i] += query * k2[i]
        w3[i] += query * k3[i]


@njit(fastmath=ANY_ORDER, inline="always")
def _fits_to_odds(fits: Singles, inverse_total: Singles) -> None:
    """Make odds of the (4, n) fits, in place, and write 1 / their totals (n,)."""
    w0, w1, w2, w3 = fits
    for i in range(len(inverse_total)):
        highest = max(max(w0[i], w1[i]), max(w2[i], w3[i]))
        w0[i] = np.exp(w0[i] - highest)
        w1[i] = np.exp(w1[i] - highest)
        w2[i] = np.exp(w2[i] - highest)
        w3[i] = np.exp(w3[i] - highest)
        inverse_total[i] = np.float32(1) / (w0[i] + w1[i] + w2[i] + w3[i])


@njit(fastmath=ANY_ORDER, inline="always")
def _write_means(
    values: Singles,
    bias: np.float32,
    odds: Singles,
    inverse_total: Singles,
    mean: Singles,
) -> None:
    """Write to ``mean`` (n,) one row's mean of four values, by their (4, n) odds.

    ``values``: (4n,), those of the four tokens of a layout n apart, without ``bias``.
    """
    n = len(mean)
    v0 = values
    v1 = values[n:]
    v2 = values[2 * n :]
    v3 = values[3 * n :]
    w0, w1, w2, w3 = odds
    for i in range(n):
        lower = w0[i] * v0[i] + w1[i] * v1[i]
        weighted = lower + w2[i] * v2[i] + w3[i] * v3[i]
        mean[i] = weighted * inverse_total[i] + bias


@cache
def weights() -> dict[str, Singles]:
    """The weights that ship, by name, read once.

    Vectors have width d, hidden ones 2d; products are ``weight @ x``. Two tables are
    made of those in the file. ``role`` (3, 2d): what a suit's role (trumps, a side suit,
    a suit at no trumps) adds to the first hidden layer, with the bias there. ``pairs``
    (100, 2d): what two neighbouring ranks add, by who owns them.
    """
    path = files("bayesbridge.estimators").joinpath("data/tricks.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        names = [name for name in stored.files if name != "about"]
        net = {name: np.asarray(stored[name], np.float32) for name in names}
    by_rank_and_owner = net["suit.weight"].T.reshape(RANKS, OWNERS, -1)
    net["pairs"] = _pair_rows(by_rank_and_owner)
    net["role"] = net["role.weight"] + net["suit.bias"]
    return net


def _pair_rows(by_rank_and_owner: Singles) -> Singles:
    """(100, 2d) sums of the (13, 4, 2d) vectors of cards, for two ranks at a time.

    An owner's number has two bits. The 16 rows of a pair of ranks go by four bits: from
    the lowest, the lower bit of the lower rank's owner and of the higher rank's, then
    the upper bit of each. The last 4 rows are the ace's, by its owner.
    """
    row_bits = np.arange(OWNERS_OF_TWO)
    bit0 = row_bits & 1
    bit1 = row_bits >> 1 & 1
    bit2 = row_bits >> 2 & 1
    bit3 = row_bits >> 3 & 1
    owner_of_lower = bit0 + 2 * bit2
    owner_of_higher = bit1 + 2 * bit3
    rows_by_pair = []
    for lower in range(0, 2 * PAIRS, 2):
        of_lower = by_rank_and_owner[lower, owner_of_lower]
        of_higher = by_rank_and_owner[lower + 1, owner_of_higher]
        rows_by_pair.append(of_lower + of_higher)
    of_ace = by_rank_and_owner[RANKS - 1]
    return np.ascontiguousarray(np.concatenate([*rows_by_pair, of_ace]))
