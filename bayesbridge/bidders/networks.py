"""The networks of the learned bidder and the learned player, in NumPy.

docs/bidders.md has the formulas.

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

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.evidence.measures import LENGTH, POINTS, table
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Hands, Singles
from bayesbridge.game.shapes import ALL
from bayesbridge.runtime.jit import njit, one_thread

BLOCK: Final = 512
"""Hands worked on at a time: their vectors stay in the processor's cache."""

VARIANCE_FLOOR: Final = np.float32(1e-5)
"""Added to the variance of a row before it is divided by its root."""

ZERO: Final = np.float32(0.0)

HAND_LAYERS: Final = (
    "hands_deepen",
    "own",
    "partner",
    "joint",
    "joint_deepen",
    "pair",
)
"""Layers that hands pass; networks that read one hand alone have the first two."""

FACTS: Final = "facts"
"""In a file of parameters what is said about the network."""

SCALE: Final = ":scale"
"""Ends the name of the unit of a parameter that is stored in integers."""

type Parameters = dict[str, Singles]


def suit_features() -> Singles:
    """(8192, 47) features of every holding in one suit.

    Holdings are 13 bits, the two at bit 0, the ace at bit 12. Their features are the
    cards (13), the length (14, one of them 1), which of J Q K A (16, one of them 1),
    high-card points, the length as a number, controls (2 for the ace, 1 for the king),
    and suit quality (how many of A K Q J T, times the length).
    """
    holding = np.arange(1 << 13)
    cards = (holding[:, None] >> np.arange(13) & 1).astype(np.float32)
    length = cards.sum(axis=1)
    points = cards[:, 9:] @ np.arange(1.0, 5.0)
    controls = 2 * cards[:, 12] + cards[:, 11]
    quality = cards[:, 8:].sum(axis=1) * length
    features = [
        cards,
        np.eye(14)[length.astype(int)],
        np.eye(16)[holding >> 9],
        np.stack([points / 4, length / 4, controls, quality / 10], axis=1),
    ]
    return np.concatenate(features, axis=1).astype(np.float32)


def top_features() -> Singles:
    """(256, 29) features of every set of aces and kings.

    Sets are 8 bits, the king of clubs at bit 0, its ace at bit 1, then diamonds. Their
    features are how many aces (5, one of them 1), and for each suit how many key cards,
    the aces and its king (4 × 6).
    """
    has_card = np.arange(256)[:, None] >> np.arange(8) & 1
    aces = has_card[:, 1::2].sum(axis=1)
    kings = has_card[:, ::2]
    key_cards = [np.eye(6)[aces + kings[:, suit]] for suit in range(4)]
    return np.concatenate([np.eye(5)[aces], *key_cards], axis=1).astype(np.float32)


def part(parameters: Parameters, start: str) -> Parameters:
    """The parameters whose names begin so, without that beginning."""
    return {
        name[len(start) :]: value
        for name, value in parameters.items()
        if name.startswith(start)
    }


def linear(parameters: Parameters, name: str, x: Singles) -> Singles:
    """(…, outputs) x times the matrix of a layer, and its bias if there is one.

    x is (…, inputs), and the matrix is kept as (outputs, inputs).
    """
    weight = parameters[f"{name}_weight"]
    rows = x.reshape(-1, x.shape[-1])
    product: Singles = (rows @ weight.T).reshape(*x.shape[:-1], len(weight))
    bias = parameters.get(f"{name}_bias")
    if bias is None:
        return product
    return product + bias


def layer_norm(parameters: Parameters, name: str, x: Singles) -> Singles:
    """Each row of x with mean 0 and variance 1, then scaled and moved."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    deviation: Singles = np.sqrt(variance + VARIANCE_FLOOR)
    return np.asarray(
        centred / deviation * parameters[f"{name}_weight"] + parameters[f"{name}_bias"]
    )


def softmax_in_place(scores: Singles) -> None:
    """Turn scores into shares that add up to 1 along the last axis."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)


def reader_layers(parameters: Parameters) -> list[Parameters]:
    """The parameters of each layer of the reader, the first layer first."""
    layers: list[Parameters] = []
    while True:
        layer = part(parameters, f"reader_layers_{len(layers)}_")
        if not layer:
            return layers
        layers.append(layer)


def read(parameters: Parameters, tokens: NDArray[np.intp], extra: Singles) -> Singles:
    """(…, n, width) what the reader knows at each of n tokens.

    ``tokens`` are (n, k) rows of the reader's table, added up; ``extra`` is (…, n,
    width), added to them.
    """
    x: Singles = parameters["reader_table_weight"][tokens].sum(axis=1) + extra
    place = np.arange(len(tokens))
    distance = place[:, None] - place
    for layer in reader_layers(parameters):
        x += _attention(layer, layer_norm(layer, "norm_1", x), distance)
        x += feed_forward(layer, layer_norm(layer, "norm_2", x))
    return layer_norm(parameters, "reader_norm", x)


def _attention(layer: Parameters, x: Singles, distance: NDArray[np.intp]) -> Singles:
    """(…, n, width) what each token finds in itself and the tokens before it.

    ``distance`` is (n, n): by how many places the token of a row lies after that of a
    column.
    """
    width = x.shape[-1]
    heads, reach = layer["distance"].shape
    head_width = width // heads
    joined = linear(layer, "ask", x).reshape(*x.shape[:-1], 3, heads, head_width)
    query, key, value = np.moveaxis(joined, -3, 0).swapaxes(-3, -2)
    scores: Singles = (query @ key.swapaxes(-1, -2)) * np.float32(head_width**-0.5)
    scores += layer["distance"][:, np.clip(distance, 0, reach - 1)]
    scores[..., distance < 0] = -np.inf
    softmax_in_place(scores)
    mixed = (scores @ value).swapaxes(-3, -2).reshape(x.shape)
    return linear(layer, "answer", mixed)


def feed_forward(layer: Parameters, x: Singles) -> Singles:
    """(…, width) the second half of a layer, which looks at each token alone."""
    return linear(layer, "down", np.maximum(linear(layer, "up", x), 0))


class Context(NamedTuple):
    """What is known before one choice among k calls or cards."""

    scale: Singles
    """(vectors, units) by what the own hand's vector is multiplied; where partner's
    hand is taken, also partner's and the pair's"""
    shift: Singles
    """(hands, units) what is added with each of the hands"""
    choices: NDArray[np.intp]
    """(k,) what may be chosen, rising"""
    out: Singles
    """(units, k) from the hidden layer to the choices"""
    bias: Singles
    """(k,) what the context alone says for them"""

    def scores(
        self, own: Singles, partner: Singles | None = None, pair: Singles | None = None
    ) -> Singles:
        """(n, k) the score of every choice with each of n hands.

        ``own`` has the vectors of the hands; ``partner`` those of partners' hands and
        ``pair`` those of both together, if partners' hands are shown.
        """
        if partner is None or pair is None:
            hidden = _join_one_hand(own, self.scale[0], self.shift[0])
        else:
            shift = self.shift.sum(axis=0)
            hidden = _join_two_hands(own, partner, pair, self.scale, shift)
        scores: Singles = hidden @ self.out
        scores += self.bias
        return scores


class Holdings(NamedTuple):
    """Tables of vectors that are added up to the vector of a hand."""

    suits: Singles
    """(4, 8192, units) by suit and holding"""
    points: Singles
    """(41, units) by the points of the hand; one row of zeros where there is none"""
    shapes: Singles
    """(560, units) by its shape, likewise"""
    tops: Singles
    """(256, units) by its aces and kings, likewise"""

    @classmethod
    def of(cls, parameters: Parameters) -> Self:
        """The tables of a network, from the parameters that speak of hands."""
        features = suit_features()
        # A matrix of features for each suit, its biases for all holdings alike.
        bias = parameters["holdings_suit_in_bias"][:, None]
        with one_thread():
            hidden = np.maximum(features @ parameters["holdings_suit_in"] + bias, 0)
            suits: Singles = (
                hidden @ parameters["holdings_suit_out"]
                + features @ parameters["holdings_suit_skip"]
            )
        # A hand's vector is the sum over its suits: one of them brings the bias.
        suits[0] += parameters["holdings_hand_bias"]
        # One row of zeros, where a network has no such table.
        zeros = np.zeros((1, suits.shape[2]), np.float32)
        points = parameters.get("points", zeros)
        shapes = parameters.get("shapes", zeros)
        tops = zeros
        if "tops" in parameters:
            tops = top_features() @ parameters["tops"]
        return cls(suits, points, shapes, tops)


class Network:
    """A reader, and the hidden layer in which hands join what it says."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.holdings = Holdings.of(part(parameters, "hands_"))
        self.scale_layers = ["scale"]
        """Layers that say what vectors are multiplied by in a context."""
        self.shift_layers = ["shift"]
        """Layers that say what is added there."""
        if "partner_weight" in parameters:
            self.scale_layers += ["partner_scale", "pair_scale"]
            self.shift_layers += ["partner_shift"]
        self.matrices = {
            name: np.ascontiguousarray(parameters[f"{name}_weight"].T)
            for name in HAND_LAYERS
            if f"{name}_weight" in parameters
        }
        """(inputs, outputs) of each layer that hands pass."""
        self.top_vectors: dict[str, Singles] = {}
        """(256, units) by aces and kings, of the own hand and of partner's."""
        for layer, name in (("own", "tops"), ("partner", "partner_tops")):
            if name in parameters:
                self.top_vectors[layer] = top_features() @ parameters[name]

    def vectors(
        self, hands: Hands, partners: Hands | None = None
    ) -> tuple[Singles, ...]:
        """(n, units) what n hands give to the hidden layer.

        With partners' hands shown also what these give, and what the pairs do. Where
        all hands, or all partners' hands, are the same, their vectors are (1, units).
        """
        own = _distinct(hands).tobytes()
        own_vectors = _vectors_of_hands(self, own, "own")
        if partners is None:
            return (own_vectors,)
        partner = _distinct(partners).tobytes()
        partner_vectors = _vectors_of_hands(self, partner, "partner")
        pair_vectors = _vectors_of_pairs(self, *sorted((own, partner)))
        return own_vectors, partner_vectors, pair_vectors

    def contexts(
        self, known: Singles, choices: Sequence[NDArray[np.intp]]
    ) -> tuple[Context, ...]:
        """The contexts of n choices.

        ``known`` is (n, width), what the reader says before each, and ``choices`` says
        what may be chosen.
        """
        p = self.parameters
        scale_parts = [linear(p, layer, known) for layer in self.scale_layers]
        shift_parts = [linear(p, layer, known) for layer in self.shift_layers]
        scales = np.stack(scale_parts, axis=1)
        shifts = np.stack(shift_parts, axis=1)
        biases = linear(p, "context_out", known) + p["out_bias"]
        out = p["out_weight"].T
        contexts = []
        for scale, shift, bias, allowed in zip(
            scales, shifts, biases, choices, strict=True
        ):
            out_allowed = np.ascontiguousarray(out[:, allowed])
            contexts.append(Context(scale, shift, allowed, out_allowed, bias[allowed]))
        return tuple(contexts)


def _distinct(hands: Hands) -> Hands:
    """The hands, or the first of them alone where all are the same."""
    if len(hands) > 1 and (hands == hands[0]).all():
        return hands[:1]
    return np.ascontiguousarray(hands)


# The vectors of hands are kept, as the calls of one auction are evaluated one after the
# other for the same hands. Hands are bytes there, since arrays have no hash.


@lru_cache(maxsize=128)
def _vectors_of_hands(network: Network, hands: bytes, layer: str) -> Singles:
    """(n, units) what hands give to the hidden layer as ``own`` or ``partner``."""
    vectors: Singles = _deepened(network, hands) @ network.matrices[layer]
    if layer in network.top_vectors:
        tops = _top_cards(np.frombuffer(hands, np.int64))
        vectors += network.top_vectors[layer][tops]
    return vectors


@lru_cache(maxsize=64)
def _vectors_of_pairs(network: Network, hands: bytes, partners: bytes) -> Singles:
    """(n, units) what pairs of hands are worth together, whoever of them calls."""
    p = network.parameters
    matrix = network.matrices["joint"]
    joint: Singles = _deepened(network, hands) @ matrix + 2 * p["joint_bias"]
    joint = joint + _deepened(network, partners) @ matrix
    np.maximum(joint, 0, out=joint)
    deepened: Singles = joint @ network.matrices["joint_deepen"]
    deepened += p["joint_deepen_bias"]
    np.maximum(deepened, 0, out=deepened)
    vectors: Singles = deepened @ network.matrices["pair"]
    vectors += p["pair_bias"]
    return vectors


@lru_cache(maxsize=64)
def _deepened(network: Network, hands: bytes) -> Singles:
    """(n, units) the vectors of hands after their first layer."""
    looked_up = look_up(np.frombuffer(hands, np.uint64).copy(), network.holdings)
    deepened: Singles = looked_up @ network.matrices["hands_deepen"]
    deepened += network.parameters["hands_deepen_bias"]
    return np.maximum(deepened, 0, out=deepened)


_SHAPES: Final = np.zeros((14, 14, 14), np.int64)
"""The place of the lengths C D H among the 560 shapes, in rising order."""
_SHAPES[tuple(np.array(sorted(ALL))[:, :3].T)] = np.arange(len(ALL))
_LENGTH: Final = table(LENGTH)
"""(8192,) cards of each holding."""
_POINTS: Final = table(POINTS)
"""(8192,) high-card points of each holding."""


@njit
def look_up(hands: Hands, tables: Holdings) -> Singles:
    """(n, units) the relu of the sum of the rows of each of (n,) hands.

    A table of one row holds nothing.
    """
    suits, points, shapes, tops = tables
    units = suits.shape[2]
    vectors = np.empty((len(hands), units), np.float32)
    has_hand_tables = len(points) > 1
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        clubs = hand & SUIT_MASK
        diamonds = (hand >> 13) & SUIT_MASK
        hearts = (hand >> 26) & SUIT_MASK
        spades = hand >> 39
        points_row = np.int64(0)
        shape_row = np.int64(0)
        tops_row = np.int64(0)
        if has_hand_tables:
            minor_points = _POINTS[clubs] + _POINTS[diamonds]
            points_row = minor_points + _POINTS[hearts] + _POINTS[spades]
            shape_row = _SHAPES[_LENGTH[clubs], _LENGTH[diamonds], _LENGTH[hearts]]
            tops_row = _top_cards(hand)
        for j in range(units):
            minors = suits[0, clubs, j] + suits[1, diamonds, j]
            all_suits = minors + suits[2, hearts, j] + suits[3, spades, j]
            by_points_and_shape = (
                all_suits + points[points_row, j] + shapes[shape_row, j]
            )
            vectors[i, j] = max(by_points_and_shape + tops[tops_row, j], ZERO)
    return vectors


@njit
def _top_cards(hand: Any) -> Any:
    """The aces and kings of a hand or of (n,) hands.

    They are numbered as :func:`top_features` does, two bits a suit.
    """
    return (
        (hand >> 11) & 3
        | ((hand >> 24) & 3) << 2
        | ((hand >> 37) & 3) << 4
        | ((hand >> 50) & 3) << 6
    )


@njit
def _join_one_hand(own: Singles, scale: Singles, shift: Singles) -> Singles:
    """(n, units) the hidden layer: the relu of (n, units) vectors, scaled and shifted.

    ``scale`` and ``shift`` are (units,). One pass over all units, as the time goes into
    memory.
    """
    hidden = np.empty(own.shape, np.float32)
    for i in range(len(hidden)):
        for j in range(len(scale)):
            hidden[i, j] = max(own[i, j] * scale[j] + shift[j], ZERO)
    return hidden


@njit
def _join_two_hands(
    own: Singles, partner: Singles, pair: Singles, scale: Singles, shift: Singles
) -> Singles:
    """(n, units) the hidden layer where partner's hand is shown.

    ``own``, ``partner`` and ``pair`` are (n, units); a single row of the first two
    stands for all. ``scale`` is (3, units), of the three in turn, ``shift`` (units,).
    """
    hidden = np.empty(pair.shape, np.float32)
    own_rows = len(own)
    partner_rows = len(partner)
    for i in range(len(hidden)):
        own_row = min(i, own_rows - 1)
        partner_row = min(i, partner_rows - 1)
        for j in range(len(shift)):
            by_hand = (
                own[own_row, j] * scale[0, j] + partner[partner_row, j] * scale[1, j]
            )
            scaled = by_hand + pair[i, j] * scale[2, j]
            hidden[i, j] = max(scaled + shift[j], ZERO)
    return hidden


def stored(file: str, start: str = "") -> Parameters:
    """The parameters of a file of the package whose names begin with ``start``.

    The names come without that beginning.
    """
    path = files("bayesbridge.bidders") / "data" / file
    parameters: Parameters = {}
    with path.open("rb") as stream, np.load(stream) as arrays:
        for name in arrays.files:
            is_parameter = name != FACTS and ":" not in name
            if is_parameter and name.startswith(start):
                unit = arrays.get(f"{name}{SCALE}", np.float32(1))
                parameters[name[len(start) :]] = arrays[name] * unit
    return parameters


@cache
def network(file: str, start: str = "") -> Network:
    """The network of a file of the package, kept once it is built."""
    return Network(stored(file, start))
