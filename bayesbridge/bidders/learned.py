"""The learned bidder: P(call ∣ hand, auction so far) of the four-player game, fitted on expert auctions.

A small transformer in NumPy reads what everybody at the table knows, call by call, and never sees a hand. Every token
is the sum of a few rows of one table; relative seat 0 is the caller, 1 the left-hand opponent, 2 the partner, 3 the
right-hand opponent, so that the same auction reads the same from every seat. A layer lets each token look back at those
before it, by what they say and by how far back they lie, and then works on each token alone; both are added to what
went in::

    x ← x + answer(Σ over the past of softmax(q·k / √d + distance) v)       with q, k, v = ask(norm(x))
    x ← x + down(relu(up(norm(x))))

A token never sees a later one, so a longer sequence gives the same for its beginning.

A hand is a sum over its four suits of vectors looked up by the 13 bits of the holding: the small networks that made
them are evaluated for all 8192 holdings once. Two short products later it joins the context in one hidden layer, whose
units the context scales and shifts::

    v = relu(relu(Σ_s suit_s[holding in s])·W + w)·A      hand: once for each hand, whatever the context
    scores = relu(v ∘ scale(c) + shift(c))·C + c·D + b    c: what the reader says, once, whatever the hand

So a thousand candidate hands cost a thousand short products, not a thousand readings of the auction.
``scripts/fit_auction_model.py`` makes the parameters; docs/bidders.md tells how good they are.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.turn import Turn, seat_to_call
from bayesbridge.calls import Vulnerability
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import Cost
from bayesbridge.files import whole_file
from bayesbridge.jit import njit, one_thread
from bayesbridge.layouts import read_only

OPENING: Final = 38
"""Stands for the call before the first."""

PLACES: Final = 48
"""Places in an auction that are told apart; later calls count as the last of them."""

STARTS: Final = np.cumsum((0, 39, 36, 3, 5, 4, PLACES))
"""Where the rows of each part of a token begin: the call before, the last bid (0: none), how it is doubled, whose it is
(relative seat, 4: nobody's), who is vulnerable (2 · the caller's side + the other side), the place in the auction."""


class Steps(NamedTuple):
    """An auction of n calls, each with what its caller knew of the auction before making it.

    tokens: (n, 6) rows of the reader's table, one for each part (:data:`STARTS`)
    legal:  (n, 38) which calls were legal
    """

    tokens: NDArray[np.intp]
    legal: NDArray[np.bool_]


def encode(calls: Sequence[int], dealer_vulnerable: bool, others_vulnerable: bool) -> Steps:
    """The steps of a four-player auction given as call indices, which must be legal.

    >>> steps = encode([0, 3, 1], dealer_vulnerable=True, others_vulnerable=False)
    >>> (steps.tokens - STARTS[:-1]).tolist()  # after 1C, which is the right-hand opponent's, a double
    [[38, 0, 0, 4, 2, 0], [0, 0, 0, 4, 1, 1], [3, 1, 0, 3, 2, 2]]
    >>> steps.legal[2, :5].tolist()
    [True, True, False, False, True]
    """
    n = len(calls)
    tokens = np.zeros((n, len(STARTS) - 1), np.intp)
    legal = np.zeros((n, 38), np.bool_)
    legal[:, 0] = True
    last, bidder, doubled = 2, None, 0
    for i, call in enumerate(calls):
        legal[i, last + 1 :] = True
        owner = 4
        if bidder is not None:
            owner = (bidder - i) % 4
            legal[i, 1] = doubled == 0 and owner % 2 == 1
            legal[i, 2] = doubled == 1 and owner % 2 == 0
        ours, theirs = (dealer_vulnerable, others_vulnerable)[:: 1 if i % 2 == 0 else -1]
        previous = calls[i - 1] if i else OPENING
        tokens[i] = previous, last - 2, doubled, owner, 2 * ours + theirs, min(i, PLACES - 1)
        if call > 2:
            last, bidder, doubled = call, i, 0
        elif call:
            doubled += 1
    return Steps(tokens + STARTS[:-1], legal)


def suit_features() -> NDArray[np.float32]:
    """(8192, 47) features of every holding in one suit, the two at bit 0, the ace at bit 12.

    The cards (13), the length (14, one of them 1), which of J Q K A (16, one of them 1), high-card points, the length
    as a number, controls (2 for the ace, 1 for the king), and suit quality (how many of A K Q J T, times the length).
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
    features = [cards, np.eye(14)[length.astype(int)], np.eye(16)[holding >> 9], np.stack(numbers, axis=1)]
    return np.concatenate(features, axis=1).astype(np.float32)


type Floats = NDArray[np.float32]


class Reader:
    """The parameters whose names begin with ``reader_``, made ready."""

    def __init__(self, parameters: dict[str, Floats]) -> None:
        self.table = parameters["reader_table_weight"]
        self.norm = parameters["reader_norm_weight"], parameters["reader_norm_bias"]
        self.layers: list[dict[str, Floats]] = []
        while f"reader_layers_{len(self.layers)}_distance" in parameters:
            start = f"reader_layers_{len(self.layers)}_"
            self.layers.append({name[len(start) :]: p for name, p in parameters.items() if name.startswith(start)})

    def read(self, tokens: NDArray[np.intp], extra: Floats | None = None) -> Floats:
        """(n, k) rows of the table, added up, with (…, n, width) to add → (…, n, width) what each token knows."""
        x: Floats = self.table[tokens].sum(axis=1)
        if extra is not None:
            x = x + extra
        place = np.arange(len(tokens))
        after = place[:, None] - place
        for layer in self.layers:
            x += _look_back(layer, _normal(x, layer["norm_1_weight"], layer["norm_1_bias"]), after)
            hidden = linear(layer, "up", _normal(x, layer["norm_2_weight"], layer["norm_2_bias"]))
            x += linear(layer, "down", np.maximum(hidden, 0))
        return _normal(x, *self.norm)


def linear(parameters: dict[str, Floats], name: str, x: Floats) -> Floats:
    """x times the matrix of a layer (kept as outputs × inputs), and its bias if there is one."""
    weight = parameters[f"{name}_weight"]
    product: Floats = (x.reshape(-1, x.shape[-1]) @ weight.T).reshape(*x.shape[:-1], len(weight))
    bias = parameters.get(f"{name}_bias")
    return product if bias is None else product + bias


def _look_back(layer: dict[str, Floats], x: Floats, after: NDArray[np.intp]) -> Floats:
    width = x.shape[-1]
    heads, reach = layer["distance"].shape
    asked = linear(layer, "ask", x).reshape(*x.shape[:-1], 3, heads, width // heads)
    q, k, v = np.moveaxis(asked, -3, 0).swapaxes(-3, -2)
    scores: Floats = (q @ k.swapaxes(-1, -2)) * np.float32((width // heads) ** -0.5)
    scores += layer["distance"][:, np.clip(after, 0, reach - 1)]
    scores[..., after < 0] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return linear(layer, "answer", (scores @ v).swapaxes(-3, -2).reshape(x.shape))


def _normal(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Each row with mean 0 and variance 1, then scaled and moved."""
    centred = x - x.mean(axis=-1, keepdims=True)
    spread: Floats = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5))
    normal: Floats = centred / spread * weight + bias
    return normal


BLOCK: Final = 512
"""Hands worked on at a time: their vectors stay in the processor's cache."""


class Context(NamedTuple):
    """What is known before one choice.

    scale:   (units,) what it makes of each unit of the hidden layer
    shift:   (units,) and adds to it
    choices: (k,) what may be chosen, rising
    out:     (units, k) from the hidden layer to them
    bias:    (k,) what the context alone says for them
    """

    scale: Floats
    shift: Floats
    choices: NDArray[np.intp]
    out: Floats
    bias: Floats


class Holdings:
    """The parameters whose names begin with ``holdings_``, made ready: the suits as tables of vectors by holding."""

    def __init__(self, p: dict[str, Floats]) -> None:
        features = suit_features()
        tables = []
        with one_thread():
            for s in range(4):
                hidden = features @ p["holdings_suit_in"][s] + p["holdings_suit_in_bias"][s]
                table = np.maximum(hidden, 0) @ p["holdings_suit_out"][s]
                tables.append(table + features @ p["holdings_suit_skip"][s])
        tables[0] += p["holdings_hand_bias"]
        self.suits: Floats = np.stack(tables)

    def vectors(self, hands: NDArray[np.uint64]) -> Floats:
        """(n, units) relu of the sum over the suits; a block of hands at a time is quickest."""
        total = np.empty((len(hands), self.suits.shape[2]), dtype=np.float32)
        _add_holdings(np.array(hands), self.suits, total)
        return total


class HandLayer:
    """The parameters whose names begin with ``head_``, made ready."""

    def __init__(self, parameters: dict[str, Floats]) -> None:
        self.parameters = {name[5:]: x for name, x in parameters.items() if name.startswith("head_")}
        self.holdings = Holdings(self.parameters)
        self._unscaled = np.ones_like(self.parameters["deepen_bias"])

    def vectors(self, hands: NDArray[np.uint64]) -> Floats:
        """(n, units) the hands' share of the hidden layer; a block of hands at a time is quickest."""
        p = self.parameters
        deeper = self.holdings.vectors(hands) @ p["deepen_weight"].T
        return linear(p, "hand_mix", _layer(deeper, self._unscaled, p["deepen_bias"]))

    def contexts(self, known: Floats, choices: list[NDArray[np.intp]]) -> tuple[Context, ...]:
        """(n, width) what the reader says before each of n choices, and what may be chosen."""
        p = self.parameters
        scales, shifts = linear(p, "scale", known), linear(p, "shift", known)
        biases = linear(p, "context_out", known) + p["out_bias"]
        out = p["out_weight"].T
        return tuple(
            Context(scale, shift, allowed, np.ascontiguousarray(out[:, allowed]), bias[allowed])
            for scale, shift, bias, allowed in zip(scales, shifts, biases, choices, strict=True)
        )


def scores(context: Context, vectors: Floats) -> Floats:
    """(n, k) the score of every choice for n hands."""
    found: Floats = _layer(vectors, context.scale, context.shift) @ context.out
    found += context.bias
    return found


def _layer(values: Floats, scale: Floats, shift: Floats) -> Floats:
    """(n, units) relu of values that are scaled and shifted."""
    found = np.empty(values.shape, dtype=np.float32)
    _fill_layer(np.ascontiguousarray(values), scale, shift, found)
    return found


@njit
def _add_holdings(hands: NDArray[np.uint64], suits: Floats, out: Floats) -> None:
    """The relu of the sum of four rows, for each hand."""
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        clubs, diamonds, hearts, spades = hand & 0x1FFF, (hand >> 13) & 0x1FFF, (hand >> 26) & 0x1FFF, hand >> 39
        for j in range(out.shape[1]):
            total = suits[0, clubs, j] + suits[1, diamonds, j] + suits[2, hearts, j] + suits[3, spades, j]
            out[i, j] = max(total, np.float32(0.0))


@njit
def _fill_layer(values: Floats, scale: Floats, shift: Floats, out: Floats) -> None:
    """One pass over the units of all hands, which is what takes the time."""
    for i in range(len(values)):
        for j in range(len(scale)):
            out[i, j] = max(values[i, j] * scale[j] + shift[j], np.float32(0.0))


def stored(name: str) -> dict[str, Floats]:
    """The fitted parameters of a file that ships with the package."""
    with (files("bayesbridge.bidders") / "data" / name).open("rb") as file, np.load(file) as found:
        return {key: found[key].astype(np.float32) for key in found.files if key != "facts"}


class Network(NamedTuple):
    """The parameters of a file that ships with the package, made ready."""

    reader: Reader
    hands: HandLayer
    parameters: dict[str, Floats]


@cache
def network(name: str) -> Network:
    """A file that ships with the package."""
    parameters = stored(name)
    return Network(Reader(parameters), HandLayer(parameters), parameters)


STYLE: Final = 16
"""Numbers of a style."""

FARTHEST: Final = 10
"""Pairs lie within a few units of the mean of all."""

LEARN_AGAIN: Final = "learn it again with 'bayesbridge style RECORDS --pair A+B --out FILE.json'"


@dataclass(frozen=True, slots=True, eq=False)
class PairStyle:
    """What is known of how a pair bids: a normal distribution over 16 numbers, where the pairs on record have mean 0
    and variance 1.

    >>> float(AVERAGE.covariance.trace())
    16.0
    """

    pair: str
    """Who they are, for people."""
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    tables: int = 0
    """How many tables it was learned from."""

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Equal for equal styles."""
        return self.mean.tobytes(), self.covariance.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairStyle) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def variable(self) -> str:
        """A name for it in Python."""
        return f"style_of_{re.sub(r'\W+', '_', self.pair).lower()}"

    def points(self) -> tuple[Floats, NDArray[np.float64]]:
        """(k, 17) styles as the network takes them, and (k,) the logarithms of their weights."""
        return _points(self)

    @staticmethod
    @cache
    def network() -> str:
        """A short hash of the network's file: the numbers of a style mean nothing to another network."""
        return sha256((files("bayesbridge.bidders") / "data/auction.npz").read_bytes()).hexdigest()[:8]

    def to_dict(self) -> dict[str, object]:
        """As JSON holds it."""
        return {
            "pair": self.pair,
            "tables": self.tables,
            "network": self.network(),
            "mean": self.mean.tolist(),
            "covariance": self.covariance.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write a file that ``--style EW:FILE.json`` and :meth:`of` read."""
        with whole_file(Path(path)) as part:
            part.write_text(json.dumps(self.to_dict()) + "\n", "utf-8")

    @property
    def text(self) -> str:
        """One word of some 230 characters, for a link: the mean in steps of 1/40, the covariance's root of 1/127."""
        root = np.linalg.cholesky(self.covariance)[np.tril_indices(STYLE)]
        numbers = np.rint(np.concatenate([40.0 * self.mean, 127.0 * root]))
        if not (np.abs(numbers) <= 127).all():
            raise BayesBridgeError(f"style of {self.pair[:60]!r}: its numbers pass 3: learn it again from records")
        packed = urlsafe_b64encode(numbers.astype(np.int8).tobytes()).decode().rstrip("=")
        return f"{self.pair[:60]}.{self.tables}.{self.network()}.{packed}"

    @classmethod
    def of_text(cls, text: str) -> PairStyle | None:
        """A typical style by its name, or what :attr:`text` gave; ``None`` for anything else, such as a file's name."""
        if text in TYPICAL:
            mean = AVERAGE.points()[0][TYPICAL.index(text), :STYLE].astype(np.float64)
            return cls(text, read_only(mean), read_only(1e-6 * np.eye(STYLE)))
        if (match := re.fullmatch(r"(.*)\.(\d{1,9})\.([0-9a-f]{8})\.([A-Za-z0-9_-]{203})", text)) is None:
            return None
        if match[3] != cls.network():
            raise BayesBridgeError(f"style of {match[1]!r}: not one of this network: {LEARN_AGAIN}")
        numbers = np.frombuffer(urlsafe_b64decode(f"{match[4]}="), np.int8)
        root = np.zeros((STYLE, STYLE))
        root[np.tril_indices(STYLE)] = numbers[STYLE:] / 127.0
        return cls(match[1], read_only(numbers[:STYLE] / 40.0), read_only(root @ root.T), int(match[2]))

    @classmethod
    def of(cls, text: str, where: str) -> PairStyle:
        """Read the text of a file that ``bayesbridge style --out`` wrote."""
        try:
            found = json.loads(text)
            arrays = [np.array(found[key], object) for key in ("mean", "covariance")]
            if found.get("network") != cls.network():
                raise ValueError("it was learned for another")
            if [one.shape for one in arrays] != [(STYLE,), (STYLE, STYLE)]:
                raise ValueError(f"a style has {STYLE} numbers")
            if not all(type(x) in (int, float) and abs(x) <= FARTHEST for one in arrays for x in one.flat):
                raise ValueError(f"mean and covariance are numbers from {-FARTHEST} to {FARTHEST}")
            mean, covariance = (one.astype(np.float64) for one in arrays)
            np.linalg.cholesky(covariance)
            pair, tables = found["pair"], found["tables"]
            if type(pair) is not str or type(tables) is not int or tables < 0:
                raise ValueError(f"pair {pair!r} is a text and tables {tables!r} a whole number, 0 or more")
            return cls(pair, read_only(mean), read_only(covariance), tables)
        except (ValueError, KeyError, TypeError, RecursionError, np.linalg.LinAlgError) as error:
            raise BayesBridgeError(f"{where}: not a style of this network ({error}): {LEARN_AGAIN}") from None


AVERAGE: Final = PairStyle("", read_only(np.zeros(STYLE)), read_only(np.eye(STYLE)))
"""A pair of which nothing is known but that it is one of those on record."""

TYPICAL: Final = ("wide-notrump", "four-card-majors", "strong-club", "standard")
"""The typical styles by name, in the order of the network's; ``bidders.pairs.typical_styles`` has them in words."""


@lru_cache(maxsize=64)
def _points(style: PairStyle) -> tuple[Floats, NDArray[np.float64]]:
    """The typical styles, moved and shrunk to what is known of the pair."""
    parameters = network("auction.npz").parameters
    values, vectors = np.linalg.eigh(style.covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    numbers = style.mean + parameters["typical_points"] @ root
    log_weights = parameters["typical_log_weights"].astype(np.float64)
    return known_style(numbers), log_weights - np.logaddexp.reduce(log_weights)


def known_style(numbers: NDArray[np.floating]) -> Floats:
    """(k, 17) numbers of styles and the 1 that says that they are known."""
    return np.concatenate([numbers, np.ones((len(numbers), 1))], axis=1).astype(np.float32)


type Styles = tuple[PairStyle | None, PairStyle | None]
"""Of North and South, of East and West."""

SIDES: Final = ("NS", "EW")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LearnedBidder:
    """Experts of the four-player game, at a vulnerability; with probability ``slip`` they make any legal call.

    A pair has a style (:class:`PairStyle`), which is one of several as long as it is not known for certain, the same
    for both partners throughout the auction: a belief sums it out. ``style={"EW": style}`` is what is known of a pair.
    A call asked about by itself is read in the light of the mean of the style. With ``style=None`` every call of a
    belief is: partners then share nothing.

    >>> from bayesbridge.calls import CALLS
    >>> from bayesbridge.cards import Hand
    >>> opener = np.array([Hand.of("AQ5.KJ3.A954.Q73").mask, Hand.of("Q52.J93.T954.J73").mask], np.uint64)
    >>> chances = LearnedBidder("NS").probabilities(opener, Auction.four("N"))
    >>> [str(CALLS[i]) for i in chances.argmax(axis=1)]
    ['1NT', 'Pass']
    """

    vulnerable: Vulnerability
    slip: float
    """ε, mixed in so that no call makes a hand impossible; the softmax leaves room for most slips already."""
    style: Styles

    cost: ClassVar[Cost] = Cost(most_layouts=50_000, moves=15)
    """A network: a sampler is quicker beyond so many layouts, and half a second affords so many moves."""

    def __init__(
        self,
        vulnerable: Vulnerability | str = Vulnerability.NONE,
        slip: float = 1e-4,
        style: PairStyle | Mapping[str, PairStyle | None] | Styles | None = AVERAGE,
    ) -> None:
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(f"slip {slip}: it is a probability, from 0 to 1", slip=slip)
        object.__setattr__(self, "vulnerable", Vulnerability.of(vulnerable))
        object.__setattr__(self, "slip", slip)
        object.__setattr__(self, "style", styles_of(style))

    def __repr__(self) -> str:
        # A style is too long to be written out: a name stands for it.
        known = ", ".join(f"{side!r}: {style.variable}" for side, style in self.named)
        styles = f", style={{{known}}}" if known else ""
        return f"LearnedBidder({self.vulnerable.value!r}, slip={self.slip}{styles})"

    @property
    def named(self) -> tuple[tuple[str, PairStyle], ...]:
        """The sides whose pair has a name, and its style."""
        return tuple((side, s) for side, s in zip(SIDES, self.style, strict=True) if s is not None and s.pair)

    @property
    def systems(self) -> tuple[str, ...]:
        """What is known of the pairs, in words."""
        told = {side: f"as {s.pair} did at {s.tables} tables" for side, s in self.named if s.tables}
        return tuple(f"{side} bid {told.get(side, f'in the typical style {s.pair}')}" for side, s in self.named)

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks, by the mean of a style."""
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        context = self._contexts(auction)[index]
        chosen = int(np.searchsorted(context.choices, turn.call.index))
        result = np.empty(len(hands))
        with one_thread():
            for block, vectors in _hand_vectors(hands):
                result[block] = np.log(self._chances(context, vectors)[:, chosen])
        return result

    def style_weights(self, seat: Seat) -> NDArray[np.float64] | None:
        """(k,) log P(style) of the styles that a seat's pair may have; ``None`` where that is not in question."""
        style = self.style[seat % 2]
        return None if style is None else style.points()[1]

    def style_likelihoods(
        self, hands: NDArray[np.uint64], auction: Auction, indices: Sequence[int]
    ) -> NDArray[np.float64]:
        """(n, k) Σ log P(call ∣ hand, style) over some calls of one seat, for (n,) masks and each of the styles."""
        seat = Turn.of(auction, indices[0]).seat
        style = self.style[seat % 2]
        if style is None:
            raise BayesBridgeError(f"{seat.name}'s side has no style: LearnedBidder(style=…) gives one", seat=seat)
        points = style.points()[0]
        other = _mean(self.style[1 - seat % 2])
        by_style = [self._read(auction, seat, point, other) for point in points]
        total = np.zeros((len(hands), len(points)))
        with one_thread():
            for block, vectors in _hand_vectors(hands):
                for index in indices:
                    chosen = int(np.searchsorted(by_style[0][index].choices, auction.calls[index].index))
                    for k, contexts in enumerate(by_style):
                        total[block, k] += np.log(self._chances(contexts[index], vectors)[:, chosen])
        return total

    def probabilities(self, hands: NDArray[np.uint64], auction: Auction) -> NDArray[np.float64]:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, by the mean of a style; 0 for what is illegal."""
        one_row("hands", hands)
        seat_to_call(auction)
        context = self._contexts(auction.after("pass"))[len(auction.calls)]
        result = np.zeros((len(hands), 38))
        with one_thread():
            for block, vectors in _hand_vectors(hands):
                result[block, context.choices] = self._chances(context, vectors)
        return result

    def _chances(self, context: Context, vectors: Floats) -> Floats:
        """(n, legal calls) their probabilities."""
        chances = scores(context, vectors)
        chances -= chances.max(axis=1, keepdims=True)
        np.exp(chances, out=chances)
        chances *= np.float32(1 - self.slip) / chances.sum(axis=1, keepdims=True)
        chances += np.float32(self.slip / len(context.choices))
        return chances

    def _contexts(self, auction: Auction) -> tuple[Context, ...]:
        """What is known before each call, both sides by the mean of their style."""
        first = auction.first
        return self._read(auction, first, _mean(self.style[first % 2]), _mean(self.style[1 - first % 2]))

    def _read(self, auction: Auction, seat: Seat, own: Floats, other: Floats) -> tuple[Context, ...]:
        """The same under (17,) a style of a seat's side and one of the other side."""
        if auction.dummy is not None:
            raise BayesBridgeError(
                f"auction '{auction}' of three players: the learned bidder knows the four-player game only; "
                f"use IterativeBidder",
                auction=auction,
            )
        sides = auction.first in self.vulnerable, auction.first.next() in self.vulnerable
        styles = (own, other) if (auction.first - seat) % 2 == 0 else (other, own)
        return _contexts(tuple(call.index for call in auction.calls), *sides, *(style.tobytes() for style in styles))


def styles_of(style: PairStyle | Mapping[str, PairStyle | None] | Styles | None) -> Styles:
    """The styles of both sides, given one for both or one by side."""
    if isinstance(style, tuple):
        return style
    if not isinstance(style, Mapping):
        return style, style
    if wrong := [side for side in style if side not in SIDES]:
        raise BayesBridgeError(f"style of side {wrong[0]!r}: name NS or EW", side=wrong[0])
    return style.get("NS", AVERAGE), style.get("EW", AVERAGE)


def _mean(style: PairStyle | None) -> Floats:
    """(17,) the mean of a style as the network takes it; all 0 where nothing is known of the pair."""
    if style is None or style == AVERAGE:
        return np.zeros(STYLE + 1, np.float32)
    one: Floats = known_style(style.mean[None])[0]
    return one


@lru_cache(maxsize=512)
def _contexts(
    calls: tuple[int, ...], dealer_vulnerable: bool, others_vulnerable: bool, dealers: bytes, others: bytes
) -> tuple[Context, ...]:
    """Read an auction once, under styles of dealer's side and of the other, and keep what it says before each call."""
    reader, hands, parameters = network("auction.npz")
    steps = encode(calls, dealer_vulnerable, others_vulnerable)
    style = np.stack([np.frombuffer(side, np.float32) for side in (dealers, others)])[np.arange(len(calls)) % 2]
    with one_thread():
        known = reader.read(steps.tokens, linear(parameters, "style", style))
        known = np.concatenate([known, style], axis=1)
        return hands.contexts(known, [np.flatnonzero(row) for row in steps.legal])


def _hand_vectors(hands: NDArray[np.uint64]) -> list[tuple[slice, Floats]]:
    """The hands' share of the hidden layer, block by block: (a slice of the hands, (its length, units))."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(hands), BLOCK)]
    return [(block, _vectors(np.ascontiguousarray(hands[block]).tobytes())) for block in blocks]


@lru_cache(maxsize=64)
def _vectors(hands: bytes) -> Floats:
    """(n, units), kept as the calls of one seat are evaluated one after the other for the same hands."""
    return network("auction.npz").hands.vectors(np.frombuffer(hands, np.uint64))
