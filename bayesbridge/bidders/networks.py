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
from bayesbridge.game.layouts import Floats, Hands, Singles
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
"""Layers that hands pass; networks that read one hand alone have the first two.

Vectors of single hands pass ``hands_deepen``, then ``own`` or ``partner``, by whose
hand it is. Those of two partners together pass ``joint``, whose outputs are added, then
``joint_deepen`` and ``pair``.
"""

FACTS: Final = "facts"
"""In a file of parameters what is said about the network."""

SCALE: Final = ":scale"
"""Ends the name of the unit of a parameter that is stored in integers, as
``own_weight:scale`` is that of ``own_weight``.
"""

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
    top_four = holding >> 9
    points = cards[:, 9:] @ np.arange(1.0, 5.0)
    controls = 2 * cards[:, 12] + cards[:, 11]
    quality = cards[:, 8:].sum(axis=1) * length
    features: list[NDArray[np.floating]] = [
        cards,
        _one_hot(length.astype(int), 14),
        _one_hot(top_four, 16),
        np.stack([points / 4, length / 4, controls, quality / 10], axis=1),
    ]
    return np.concatenate(features, axis=1).astype(np.float32)


def _one_hot(numbers: NDArray[np.integer], size: int) -> Floats:
    """(n, size) rows of zeros with a 1 in the column of each of (n,) numbers."""
    return np.asarray(np.eye(size)[numbers])


def top_features() -> Singles:
    """(256, 29) features of every set of aces and kings.

    Sets are 8 bits, the king of clubs at bit 0, its ace at bit 1, then diamonds. Their
    features are how many aces (5, one of them 1), and for each suit how many key cards,
    the aces and its king (4 × 6).
    """
    has_card = np.arange(256)[:, None] >> np.arange(8) & 1
    kings = has_card[:, ::2]
    aces = has_card[:, 1::2].sum(axis=1)
    features = [_one_hot(aces, 5)]
    for king in kings.T:
        key_cards = aces + king
        features.append(_one_hot(key_cards, 6))
    return np.concatenate(features, axis=1).astype(np.float32)


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


def softmax_in_place(scores: Singles | Floats) -> None:
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
    """(…, n, width) what a causal transformer knows at each of n tokens.

    A token is (k,) rows of the transformer's table, whose vectors are added up;
    ``tokens`` are (n, k). ``extra``, (…, n, width), is what else is added, such as a
    vector for the caller's style.
    """
    x: Singles = parameters["reader_table_weight"][tokens].sum(axis=1) + extra
    place = np.arange(len(tokens))
    places_back = place[:, None] - place
    for layer in reader_layers(parameters):
        x += _attention(layer, layer_norm(layer, "norm_1", x), places_back)
        x += feed_forward(layer, layer_norm(layer, "norm_2", x))
    return layer_norm(parameters, "reader_norm", x)


def _attention(layer: Parameters, x: Singles, places_back: NDArray[np.intp]) -> Singles:
    """(…, n, width) what n tokens take from themselves and from the tokens before them.

    ``x`` is (…, n, width). ``places_back`` is (n, n): how far before the token of a row
    that of a column lies, below 0 if behind it. A bias by this distance, learned up to
    ``reach``, is all that tells the order of tokens.
    """
    bias_by_distance = layer["distance"]
    heads, reach = bias_by_distance.shape
    head_width = x.shape[-1] // heads
    by_head = linear(layer, "ask", x).reshape(*x.shape[:-1], 3, heads, head_width)
    # From (…, n, 3, heads, head_width) three of (…, heads, n, head_width).
    query, key, value = np.moveaxis(by_head, -3, 0).swapaxes(-3, -2)
    scores: Singles = (query @ key.swapaxes(-1, -2)) * np.float32(head_width**-0.5)
    scores += bias_by_distance[:, np.clip(places_back, 0, reach - 1)]
    scores[..., places_back < 0] = -np.inf
    softmax_in_place(scores)
    # (…, heads, n, head_width), then heads side by side: (…, n, width)
    mixed_values = scores @ value
    joined = mixed_values.swapaxes(-3, -2).reshape(x.shape)
    return linear(layer, "answer", joined)


def feed_forward(layer: Parameters, x: Singles) -> Singles:
    """(…, width) the second half of a layer, which looks at each token alone."""
    return linear(layer, "down", np.maximum(linear(layer, "up", x), 0))


class Context(NamedTuple):
    """What is known before one choice among k calls or cards."""

    scale: Singles
    """(vectors, units) by what the vector of the own hand is multiplied; where
    partner's hand is read, also partner's vector and the pair's
    """
    shift: Singles
    """(hands, units) what is then added: always, and where partner's hand is shown"""
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

        ``own`` has the vectors of the hands, (n, units); ``partner`` those of partners'
        hands and ``pair`` those of both together, if partners' hands are shown. The
        rows of ``scale`` belong to these three in turn. The second row of ``shift``
        comes in with a partner's hand.
        """
        if partner is None or pair is None:
            own_scale = self.scale[0]
            own_shift = self.shift[0]
            hidden = _join_one_hand(own, own_scale, own_shift)
        else:
            shift_of_both = self.shift.sum(axis=0)
            hidden = _join_two_hands(own, partner, pair, self.scale, shift_of_both)
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
        """The tables of a network, from its parameters for hands.

        What a suit gives to a hand's vector is learned as a small network of the
        holding; it is evaluated here for all 8192 holdings of each suit. The points,
        the shape, and the aces and kings of a hand give a row each, where a network has
        been taught so.
        """
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
        row_of_zeros = np.zeros((1, suits.shape[2]), np.float32)
        tops = row_of_zeros
        if "tops" in parameters:
            tops = top_features() @ parameters["tops"]
        return cls(
            suits=suits,
            points=parameters.get("points", row_of_zeros),
            shapes=parameters.get("shapes", row_of_zeros),
            tops=tops,
        )


class Network:
    """A reader, and the hidden layer in which hands join what it says.

    With partner's hand shown, the hidden layer is the positive part of ::

        own · scale + partner · partner_scale + pair · pair_scale + shift + partner_shift

    where own, partner and pair are vectors of the two hands, alone and together. The
    scales and shifts are linear in what the reader says. With partner's hand hidden the
    terms with ``partner`` and ``pair`` are missing.
    """

    def __init__(self, parameters: Parameters) -> None:
        """Prepare the parameters of the hidden layer, and the tables of hands.

        Hidden units are the positive part of Σ scale · vector + Σ shift. The vectors
        are those of the own hand and, in a network that reads it, of partner's hand and
        of the pair. Each has a scale; shifts only add up, so the pair needs none
        beside partner's.
        """
        self.parameters = parameters
        self.holdings = Holdings.of(part(parameters, "hands_"))
        self.scale_layers = ["scale"]
        """Layers that compute the scales in the order of the vectors."""
        self.shift_layers = ["shift"]
        """Layers that compute the shifts: always, and where partner's hand is shown."""
        if "partner_weight" in parameters:
            self.scale_layers += ["partner_scale", "pair_scale"]
            self.shift_layers += ["partner_shift"]
        self.matrices: dict[str, Singles] = {}
        """(inputs, outputs) of each layer that vectors of hands pass, by its name."""
        for name in HAND_LAYERS:
            if f"{name}_weight" in parameters:
                weight = parameters[f"{name}_weight"]
                self.matrices[name] = np.ascontiguousarray(weight.T)
        self.top_vectors: dict[str, Singles] = {}
        """(256, units) by aces and kings, added behind the layers own and partner."""
        for layer, name in (("own", "tops"), ("partner", "partner_tops")):
            if name in parameters:
                self.top_vectors[layer] = top_features() @ parameters[name]

    def vectors(
        self, hands: Hands, partners: Hands | None = None
    ) -> tuple[Singles, ...]:
        """(n, units) what n hands give to the hidden layer.

        With partners' hands shown also what these give, and what the pairs do. Where
        all hands, or all partners' hands, are the same, their vectors are (1, units).

        Vectors are kept in caches, whose keys are the bytes of the hands.
        """
        own_bytes = _distinct(hands).tobytes()
        own_vectors = _vectors_of_hands(self, own_bytes, "own")
        if partners is None:
            return (own_vectors,)
        partner_bytes = _distinct(partners).tobytes()
        partner_vectors = _vectors_of_hands(self, partner_bytes, "partner")
        # A pair's vector is the same whoever of the two calls: one order for both.
        first, second = sorted((own_bytes, partner_bytes))
        pair_vectors = _vectors_of_pairs(self, first, second)
        return own_vectors, partner_vectors, pair_vectors

    def contexts(
        self, features: Singles, choices: Sequence[NDArray[np.intp]]
    ) -> tuple[Context, ...]:
        """What n decisions need of all that is known without a hand.

        ``features`` is (n, width), what is known before each decision: the reader's
        output, and for calls the caller's style. ``choices`` are the calls or cards
        that each may choose from.
        """
        parameters = self.parameters
        scales = np.stack(
            [linear(parameters, layer, features) for layer in self.scale_layers], axis=1
        )
        shifts = np.stack(
            [linear(parameters, layer, features) for layer in self.shift_layers], axis=1
        )
        biases = linear(parameters, "context_out", features) + parameters["out_bias"]
        out = parameters["out_weight"].T  # (units, all calls or cards)
        contexts = []
        for decision, allowed in enumerate(choices):
            context = Context(
                scale=scales[decision],
                shift=shifts[decision],
                choices=allowed,
                out=np.ascontiguousarray(out[:, allowed]),
                bias=biases[decision, allowed],
            )
            contexts.append(context)
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
        tops = top_cards(np.frombuffer(hands, np.int64))
        vectors += network.top_vectors[layer][tops]
    return vectors


@lru_cache(maxsize=64)
def _vectors_of_pairs(network: Network, hands: bytes, partners: bytes) -> Singles:
    """(n, units) what pairs of hands are worth together, whoever of them calls.

    Either hand passes the layer ``joint``, the two outputs are added, and the sum
    passes ``joint_deepen`` and ``pair``. ``hands`` and ``partners`` are the bytes of
    (n,) masks, or of one that stands for all.
    """
    parameters = network.parameters
    joint_matrix = network.matrices["joint"]
    # The bias of the layer comes in with either hand: twice.
    both_biases = 2 * parameters["joint_bias"]
    sum_of_two: Singles = _deepened(network, hands) @ joint_matrix + both_biases
    sum_of_two = sum_of_two + _deepened(network, partners) @ joint_matrix
    np.maximum(sum_of_two, 0, out=sum_of_two)
    deepened: Singles = sum_of_two @ network.matrices["joint_deepen"]
    deepened += parameters["joint_deepen_bias"]
    np.maximum(deepened, 0, out=deepened)
    vectors: Singles = deepened @ network.matrices["pair"]
    vectors += parameters["pair_bias"]
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
    """(n, units) the vectors of (n,) hands: rows of tables, added up, cut off below 0.

    A hand has one row for the holding in each suit. Where the network has tables for
    whole hands (of more than one row), it has one also for its points, its shape, and
    its aces and kings.
    """
    suits, points, shapes, tops = tables
    vectors = np.empty((len(hands), suits.shape[2]), np.float32)
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
            points_row = _POINTS[clubs] + _POINTS[diamonds]
            points_row += _POINTS[hearts] + _POINTS[spades]
            shape_row = _SHAPES[_LENGTH[clubs], _LENGTH[diamonds], _LENGTH[hearts]]
            tops_row = _top_cards(hand)
        for j in range(vectors.shape[1]):
            total = suits[0, clubs, j]
            total += suits[1, diamonds, j]
            total += suits[2, hearts, j]
            total += suits[3, spades, j]
            total += points[points_row, j]
            total += shapes[shape_row, j]
            total += tops[tops_row, j]
            vectors[i, j] = max(total, ZERO)
    return vectors


def top_cards(hand: Any) -> Any:
    """The aces and kings of a hand or of (n,) hands, as 8 bits.

    Bit 0 is the king of clubs, bit 1 its ace, then follow diamonds, hearts and spades:
    bits 11 and 12 of the 13 of each suit.
    """
    clubs = (hand >> 11) & 3
    diamonds = (hand >> (13 + 11)) & 3
    hearts = (hand >> (26 + 11)) & 3
    spades = (hand >> (39 + 11)) & 3
    return clubs | diamonds << 2 | hearts << 4 | spades << 6


_top_cards = njit(top_cards)
"""The same for one hand, in a kernel: for arrays numpy needs no compiling."""


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

    The names come without that beginning. A parameter may be stored in integers; its
    unit then stands under the parameter's name and ``:scale``.
    """
    path = files("bayesbridge.bidders") / "data" / file
    parameters: Parameters = {}
    with path.open("rb") as stream, np.load(stream) as arrays:
        for name in arrays.files:
            is_unit = ":" in name
            is_parameter = name != FACTS and not is_unit
            if is_parameter and name.startswith(start):
                unit = arrays.get(f"{name}{SCALE}", np.float32(1))
                parameters[name[len(start) :]] = arrays[name] * unit
    return parameters


@cache
def network(file: str, start: str = "") -> Network:
    """The network of a file of the package, kept once it is built."""
    return Network(stored(file, start))
