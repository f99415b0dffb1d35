"""The networks of the learned bidder and the learned player, in NumPy; docs/bidders.md
has the formulas.

**The reader** is a small causal transformer over what everybody at the table knows: it
never sees a hidden hand. Every token is the sum of a few rows of one table, and looks
back at those before it, by what they say and how far they lie.

**A hand** is a sum over its four suits of vectors looked up by the 13 bits of the
holding (small networks made them, evaluated for all 8192 holdings once) and of vectors
for what no suit tells. Two short products later it joins the context, which is what the
reader says, in one hidden layer whose units the context scales and shifts; so do
partner's hand, where it is shown, and what the two are worth together.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.evidence.measures import LENGTH, POINTS, table
from bayesbridge.game.layouts import Hands, Singles
from bayesbridge.game.shapes import ALL
from bayesbridge.runtime.jit import njit, one_thread

BLOCK: Final = (
    512  # hands worked on at a time: their vectors stay in the processor's cache
)


def suit_features() -> Singles:
    """(8192, 47) features of every holding in one suit, the two at bit 0, the ace at
    bit 12.

    The cards (13), the length (14, one of them 1), which of J Q K A (16, one of them
    1), high-card points, the length as a number, controls (2 for the ace, 1 for the
    king), and suit quality (how many of A K Q J T, times the length).
    """
    holding = np.arange(1 << 13)
    cards = (holding[:, None] >> np.arange(13) & 1).astype(np.float32)
    length = cards.sum(axis=1)
    numbers = [
        cards[:, 9:] @ np.arange(1.0, 5.0) / 4,
        length / 4,
        2 * cards[:, 12] + cards[:, 11],
        cards[:, 8:].sum(axis=1) * length / 10,
    ]
    features = [
        cards,
        np.eye(14)[length.astype(int)],
        np.eye(16)[holding >> 9],
        np.stack(numbers, axis=1),
    ]
    return np.concatenate(features, axis=1).astype(np.float32)


def top_features() -> Singles:
    """(256, 29) features of a set of aces and kings, the king of clubs at bit 0, its
    ace at bit 1, then diamonds.

    How many aces (5, one of them 1), and how many key cards for each suit, the aces and
    its king (4 × 6).
    """
    held = np.arange(256)[:, None] >> np.arange(8) & 1
    aces = held[:, 1::2].sum(axis=1)
    counts = [
        np.eye(5)[aces],
        *(np.eye(6)[aces + held[:, 2 * suit]] for suit in range(4)),
    ]
    return np.concatenate(counts, axis=1).astype(np.float32)


def part(parameters: dict[str, Singles], start: str) -> dict[str, Singles]:
    """The parameters whose names begin so, without that beginning."""
    return {
        name[len(start) :]: value
        for name, value in parameters.items()
        if name.startswith(start)
    }


def linear(parameters: dict[str, Singles], name: str, x: Singles) -> Singles:
    """x times the matrix of a layer (kept as outputs × inputs), and its bias if there
    is one.
    """
    weight = parameters[f"{name}_weight"]
    found: Singles = (x.reshape(-1, x.shape[-1]) @ weight.T).reshape(
        *x.shape[:-1], len(weight)
    )
    bias = parameters.get(f"{name}_bias")
    return found if bias is None else found + bias


def _look_back(
    layer: dict[str, Singles], x: Singles, after: NDArray[np.intp]
) -> Singles:
    width = x.shape[-1]
    heads, reach = layer["distance"].shape
    asked = linear(layer, "ask", x).reshape(*x.shape[:-1], 3, heads, width // heads)
    q, k, v = np.moveaxis(asked, -3, 0).swapaxes(-3, -2)
    scores: Singles = (q @ k.swapaxes(-1, -2)) * np.float32((width // heads) ** -0.5)
    scores += layer["distance"][:, np.clip(after, 0, reach - 1)]
    scores[..., after < 0] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return linear(layer, "answer", (scores @ v).swapaxes(-3, -2).reshape(x.shape))


def layer_norm(parameters: dict[str, Singles], name: str, x: Singles) -> Singles:
    """Each row with mean 0 and variance 1, then scaled and moved."""
    centred = x - x.mean(axis=-1, keepdims=True)
    spread: Singles = np.sqrt(
        (centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5)
    )
    return np.asarray(
        centred / spread * parameters[f"{name}_weight"] + parameters[f"{name}_bias"]
    )


def read(
    parameters: dict[str, Singles], tokens: NDArray[np.intp], extra: Singles
) -> Singles:
    """(…, n, width) what each token knows: (n, k) rows of the reader's table, added up
    with (…, n, width).
    """
    x: Singles = parameters["reader_table_weight"][tokens].sum(axis=1) + extra
    place = np.arange(len(tokens))
    after, number = place[:, None] - place, 0
    while layer := part(parameters, f"reader_layers_{number}_"):
        x += _look_back(layer, layer_norm(layer, "norm_1", x), after)
        x += linear(
            layer,
            "down",
            np.maximum(linear(layer, "up", layer_norm(layer, "norm_2", x)), 0),
        )
        number += 1
    return layer_norm(parameters, "reader_norm", x)


class Context(NamedTuple):
    """What is known before one choice."""

    # (vectors, units) of the own hand's vector; where partner's hand is taken, of that
    # and the pair's
    scale: Singles
    shift: Singles  # (hands, units) what it adds with each of the hands
    choices: NDArray[np.intp]  # (k,) what may be chosen, rising
    out: Singles  # (units, k) from the hidden layer to them
    bias: Singles  # (k,) what the context alone says for them

    def scores(
        self, own: Singles, partner: Singles | None = None, pair: Singles | None = None
    ) -> Singles:
        """(n, k) the score of every choice, from the vectors of n hands and, if shown,
        of partners and of the pairs.
        """
        if partner is None or pair is None:
            hidden = _one_hand(own, self.scale[0], self.shift[0])
        else:
            hidden = _two_hands(own, partner, pair, self.scale, self.shift.sum(axis=0))
        found: Singles = hidden @ self.out
        found += self.bias
        return found


class Holdings(NamedTuple):
    """Vectors: (4, 8192, units) by suit, and of whole hands by points, shape, aces and
    kings.
    """

    suits: Singles
    points: Singles
    shapes: Singles
    tops: Singles

    @classmethod
    def of(cls, p: dict[str, Singles]) -> Holdings:
        features = suit_features()
        with one_thread():
            hidden = np.maximum(
                features @ p["holdings_suit_in"] + p["holdings_suit_in_bias"][:, None],
                0,
            )
            suits: Singles = (
                hidden @ p["holdings_suit_out"] + features @ p["holdings_suit_skip"]
            )
        suits[0] += p["holdings_hand_bias"]
        nothing = np.zeros(
            (1, suits.shape[2]), np.float32
        )  # one row, for a network without a part
        tops = top_features() @ p["tops"] if "tops" in p else nothing
        return cls(suits, p.get("points", nothing), p.get("shapes", nothing), tops)


class Network:
    def __init__(self, parameters: dict[str, Singles]) -> None:
        self.parameters, self.holdings = (
            parameters,
            Holdings.of(part(parameters, "hands_")),
        )
        self.names = ("", "partner_") if "partner_weight" in parameters else ("",)
        self.mix = {
            name: np.ascontiguousarray(parameters[f"{name}_weight"].T)
            for name in (
                "hands_deepen",
                "own",
                "partner",
                "joint",
                "joint_deepen",
                "pair",
            )
            if f"{name}_weight" in parameters
        }
        tops = {"own": "tops", "partner": "partner_tops"}
        self.tops = {
            part: top_features() @ parameters[name]
            for part, name in tops.items()
            if name in parameters
        }

    def vectors(
        self, hands: Hands, partners: Hands | None = None
    ) -> tuple[Singles, ...]:
        """(n, units) the share of n hands in the hidden layer; with partners' hands
        shown also theirs and the pairs'.

        (1, units) where all hands, or all partners' hands, are the same.
        """
        own = _one_or_all(hands).tobytes()
        if partners is None:
            return (_kept_vectors(self, own, "own"),)
        other = _one_or_all(partners).tobytes()
        pairs = _kept_pairs(self, *sorted((own, other)))
        return (
            _kept_vectors(self, own, "own"),
            _kept_vectors(self, other, "partner"),
            pairs,
        )

    def contexts(
        self, known: Singles, choices: list[NDArray[np.intp]]
    ) -> tuple[Context, ...]:
        """(n, width) what the reader says before each of n choices, and what may be
        chosen.
        """
        p = self.parameters
        scaled = (*self.names, "pair_") if len(self.names) > 1 else self.names
        scales = np.stack([linear(p, f"{name}scale", known) for name in scaled], axis=1)
        shifts = np.stack(
            [linear(p, f"{name}shift", known) for name in self.names], axis=1
        )
        biases = linear(p, "context_out", known) + p["out_bias"]
        out = p["out_weight"].T
        return tuple(
            Context(
                scale,
                shift,
                allowed,
                np.ascontiguousarray(out[:, allowed]),
                bias[allowed],
            )
            for scale, shift, bias, allowed in zip(
                scales, shifts, biases, choices, strict=True
            )
        )


def _one_or_all(hands: Hands) -> Hands:
    return (
        hands[:1]
        if len(hands) > 1 and (hands == hands[0]).all()
        else np.ascontiguousarray(hands)
    )


@lru_cache(maxsize=128)
def _kept_vectors(network: Network, hands: bytes, part: str) -> Singles:
    """Kept, as the calls of one auction are evaluated one after the other for the same
    hands.
    """
    found: Singles = _kept_trunk(network, hands) @ network.mix[part]
    if part in network.tops:
        found += network.tops[part][_top_cards(np.frombuffer(hands, np.int64))]
    return found


@lru_cache(maxsize=64)
def _kept_pairs(network: Network, first: bytes, second: bytes) -> Singles:
    """What pairs of hands are worth together, whoever of them calls."""
    p = network.parameters
    joint: Singles = (
        _kept_trunk(network, first) @ network.mix["joint"] + 2 * p["joint_bias"]
    )
    joint = joint + _kept_trunk(network, second) @ network.mix["joint"]
    deeper: Singles = np.maximum(joint, 0, out=joint) @ network.mix["joint_deepen"]
    deeper += p["joint_deepen_bias"]
    found: Singles = np.maximum(deeper, 0, out=deeper) @ network.mix["pair"]
    found += p["pair_bias"]
    return found


@lru_cache(maxsize=64)
def _kept_trunk(network: Network, hands: bytes) -> Singles:
    looked_up = look_up(np.frombuffer(hands, np.uint64).copy(), network.holdings)
    deeper: Singles = looked_up @ network.mix["hands_deepen"]
    deeper += network.parameters["hands_deepen_bias"]
    return np.maximum(deeper, 0, out=deeper)


_SHAPES: Final = np.zeros((14, 14, 14), np.int64)
"""The place of the lengths C D H among the 560 shapes, in rising order."""
_SHAPES[tuple(np.array(sorted(ALL))[:, :3].T)] = np.arange(len(ALL))
_LENGTH: Final = table(LENGTH)
_POINTS: Final = table(POINTS)


@njit
def look_up(hands: Hands, tables: Holdings) -> Singles:
    """The relu of the sum of the rows of each hand; a table of one row holds nothing."""
    suits, points, shapes, tops = tables
    out, whole = np.empty((len(hands), suits.shape[2]), np.float32), len(points) > 1
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        clubs, diamonds, hearts, spades = (
            hand & 0x1FFF,
            (hand >> 13) & 0x1FFF,
            (hand >> 26) & 0x1FFF,
            hand >> 39,
        )
        total, shape, top = np.int64(0), np.int64(0), np.int64(0)
        if whole:
            total = (
                _POINTS[clubs] + _POINTS[diamonds] + _POINTS[hearts] + _POINTS[spades]
            )
            shape = _SHAPES[_LENGTH[clubs], _LENGTH[diamonds], _LENGTH[hearts]]
            top = _top_cards(hand)
        for j in range(out.shape[1]):
            suit = (
                suits[0, clubs, j]
                + suits[1, diamonds, j]
                + suits[2, hearts, j]
                + suits[3, spades, j]
            )
            out[i, j] = max(
                suit + points[total, j] + shapes[shape, j] + tops[top, j],
                np.float32(0.0),
            )
    return out


@njit
def _top_cards(hand: Any) -> Any:
    """The aces and kings of a hand or of (n,) hands, as :func:`top_features` numbers
    them.
    """
    return (
        (hand >> 11) & 3
        | ((hand >> 24) & 3) << 2
        | ((hand >> 37) & 3) << 4
        | ((hand >> 50) & 3) << 6
    )


@njit
def _one_hand(own: Singles, scale: Singles, shift: Singles) -> Singles:
    """One pass over the units of all hands, which is what takes the time."""
    out = np.empty(own.shape, np.float32)
    for i in range(len(out)):
        for j in range(len(scale)):
            out[i, j] = max(own[i, j] * scale[j] + shift[j], np.float32(0.0))
    return out


@njit
def _two_hands(
    own: Singles, partner: Singles, pair: Singles, scale: Singles, shift: Singles
) -> Singles:
    """The same of two hands each, and of what they are worth together; a single row
    stands for all.
    """
    out = np.empty(pair.shape, np.float32)
    one, other = len(own) > 1, len(partner) > 1
    for i in range(len(out)):
        a, b = i if one else 0, i if other else 0
        for j in range(len(shift)):
            both = (
                own[a, j] * scale[0, j]
                + partner[b, j] * scale[1, j]
                + pair[i, j] * scale[2, j]
            )
            out[i, j] = max(both + shift[j], np.float32(0.0))
    return out


def stored(file: str, start: str = "") -> dict[str, Singles]:
    """The parameters of a file that ships with the package whose names begin so,
    without that beginning.
    """
    with (
        (files("bayesbridge.bidders") / "data" / file).open("rb") as stream,
        np.load(stream) as found,
    ):
        names = [
            name
            for name in found.files
            if name.startswith(start) and name != "facts" and ":" not in name
        ]
        return {
            name[len(start) :]: found[name] * found.get(f"{name}:scale", np.float32(1))
            for name in names
        }


@cache
def network(file: str, start: str = "") -> Network:
    return Network(stored(file, start))
