"""The learned bidder of the four-player game, fitted on records.

It tells P(call ∣ own hand, partner's hand, auction so far).

Partner's hand may be hidden or shown: partners know what their calls mean
(docs/pairs.md). A wide network says P(call); a narrow one guides the draws
(:mod:`~bayesbridge.bidders.networks`). Relative seat 0 is the caller, 1 the left-hand
opponent, 2 the partner. ``scripts/fit_auction_model.py`` makes the parameters.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auction_tree import EMPTY_AUCTION, NO_BID, NOBODY, Node
from bayesbridge.bidders.auctions import Turn, seat_to_call
from bayesbridge.bidders.networks import (
    BLOCK,
    Context,
    Network,
    linear,
    network,
    read,
    softmax_in_place,
    stored,
)
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import Cost
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, Vulnerability
from bayesbridge.game.layouts import FrozenArrays, Hands, Singles, read_only
from bayesbridge.runtime.files import whole_file
from bayesbridge.runtime.jit import one_thread

PLAYERS: Final = 4
OPENING: Final = 38
"""Stands for the call before the first."""

NOBODYS_BID: Final = 4
"""Owner of the last bid where nobody has bid."""

PLACES: Final = 48
"""Places in an auction that are told apart; later calls count as the last of them."""

STARTS: Final = np.cumsum((0, 39, 36, 3, 5, 4, PLACES))
"""Where the rows of each part of a token begin: the call before, the last bid (0:
none), how it is doubled, whose it is (relative seat, 4: nobody's), who is vulnerable (2
· the caller's side + the other side), the place in the auction.
"""

FIRST_ROWS: Final = STARTS[:-1]
"""(6,) the first row of each part of a token."""


class AuctionSteps(NamedTuple):
    """An auction of n calls, each with what its caller knew of the auction before it."""

    tokens: NDArray[np.intp]
    """(n, 6) rows of the reader's table, one for each part (``STARTS``)"""
    legal: NDArray[np.bool_]
    """(n, 38) which calls were legal"""


def encode(
    calls: Sequence[int], *, dealer_vulnerable: bool, others_vulnerable: bool
) -> AuctionSteps:
    """The steps of a four-player auction, from the indices of its n calls.

    The calls must be legal. ``dealer_vulnerable`` and ``others_vulnerable`` speak of
    the dealer's side and of the other one.

    What a caller sees is a token of six parts, such as the call before and who is
    vulnerable. The network has a table with a block of rows for each part, and a token
    is the numbers of six rows.
    """
    parts = np.zeros((len(calls), len(FIRST_ROWS)), np.intp)
    legal = np.zeros((len(calls), len(CALLS)), np.bool_)
    vulnerable = (dealer_vulnerable, others_vulnerable)
    auction = EMPTY_AUCTION
    for place, call in enumerate(calls):
        parts[place] = token_parts(auction, vulnerable)
        legal[place] = auction.legal(PLAYERS)
        auction = auction.after(call, parent=place)
    return AuctionSteps(tokens=FIRST_ROWS + parts, legal=legal)


def token_parts(node: Node, vulnerable: tuple[bool, bool]) -> tuple[int, ...]:
    """The six parts of what the caller after an auction sees, each counted from 0.

    They are the call before, the last bid, how it is doubled, who bid it, who is
    vulnerable, and the place in the auction. ``vulnerable`` says it of the dealer's
    side and of the other one.
    """
    call_before = OPENING if node.call == NOBODY else node.call
    last_bid = node.last_bid - NO_BID  # 0 where nobody has bid, 1 for 1C
    bidder = NOBODYS_BID
    if node.bidder != NOBODY:
        bidder = (node.bidder - node.length) % PLAYERS  # 0 caller, 2 partner
    side = node.length % 2
    sides_vulnerable = 2 * vulnerable[side] + vulnerable[1 - side]
    place = min(node.length, PLACES - 1)
    return call_before, last_bid, node.doubled, bidder, sides_vulnerable, place


STYLE_SIZE: Final = 16
"""How many numbers a style has."""

LARGEST_NUMBER: Final = 10
"""No number of a style in a file may be larger."""

MEAN_STEPS: Final = 40.0
ROOT_STEPS: Final = 127.0
"""Into so many steps a unit of the mean, and of the root of the covariance, is cut in
the text of a style.
"""

LARGEST_STEP: Final = 127
"""A number of steps is kept in a byte with a sign."""

TYPICAL_VARIANCE: Final = 1e-6
"""Of the numbers of a typical style, which are as good as known."""

LONGEST_NAME: Final = 60
"""Characters of a pair's name that the text of a style keeps."""

LEARN_AGAIN: Final = (
    "learn it again with 'bayesbridge style RECORDS --pair A+B --out FILE.json'"
)

_STYLE_TEXT: Final = re.compile(
    r"(?P<pair>.*)\.(?P<tables>\d{1,9})\.(?P<network>[0-9a-f]{8})"
    r"\.(?P<numbers>[A-Za-z0-9_-]{203})"
)


@dataclass(frozen=True, slots=True, eq=False)
class PairStyle(FrozenArrays):
    """What is known of how a pair bids.

    It is a normal distribution over 16 numbers, which have mean 0 and variance 1 over
    the pairs on record. :func:`bayesbridge.learn_style` learns it.

    Parameters
    ----------
    pair : str
        The names of the players, ``"Birch+Oak"``.
    mean : array of shape (16,)
    covariance : array of shape (16, 16)
    tables : int
        How many tables it was learned from.
    """

    pair: str
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    tables: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairStyle):
            return False
        return np.array_equal(self.mean, other.mean) and np.array_equal(
            self.covariance, other.covariance
        )

    def __hash__(self) -> int:
        return hash(self.mean.tobytes())

    @property
    def variable(self) -> str:
        """A name for it in Python code."""
        return f"style_of_{re.sub(r'\W+', '_', self.pair).lower()}"

    @property
    def numbers(self) -> Singles:
        """(17,) the mean as the network takes it, with a 1 that says that it is known.

        All are 0 where nothing is known.
        """
        if self == AVERAGE:
            return read_only(np.zeros(STYLE_SIZE + 1, np.float32))
        return read_only(np.append(self.mean, 1.0).astype(np.float32))

    @staticmethod
    @cache
    def network() -> str:
        """A short hash of the network's file.

        The numbers of a style mean nothing to another network.
        """
        file = files("bayesbridge.bidders") / "data/auction.npz"
        return sha256(file.read_bytes()).hexdigest()[:8]

    def to_dict(self) -> dict[str, object]:
        """The style as plain data, for JSON."""
        return {
            "pair": self.pair,
            "tables": self.tables,
            "network": self.network(),
            "mean": self.mean.tolist(),
            "covariance": self.covariance.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write a file that ``--style EW:FILE.json`` and :meth:`of` read.

        Parameters
        ----------
        path : str or Path
            Where to; a file that is there already is replaced.
        """
        with whole_file(Path(path)) as unfinished:
            unfinished.write_text(json.dumps(self.to_dict()) + "\n", "utf-8")

    @property
    def text(self) -> str:
        """One word of some 230 characters, for a link.

        It keeps the mean in steps of 1/40, the covariance's root of 1/127.
        """
        name = self.pair[:LONGEST_NAME]
        root = np.linalg.cholesky(self.covariance)[np.tril_indices(STYLE_SIZE)]
        steps = np.rint(np.concatenate([MEAN_STEPS * self.mean, ROOT_STEPS * root]))
        # A byte holds 127 steps: 3.2 of the mean, and 1 of the root, enough while no
        # variance is above the prior's 1.
        if not (np.abs(steps) <= LARGEST_STEP).all():
            raise BayesBridgeError(
                f"style of {name!r}: its numbers pass 3: learn it again from records"
            )
        numbers = urlsafe_b64encode(steps.astype(np.int8).tobytes()).decode()
        return f"{name}.{self.tables}.{self.network()}.{numbers.rstrip('=')}"

    @classmethod
    def of_text(cls, text: str) -> PairStyle | None:
        """A typical style by its name, or what :attr:`text` gave.

        ``None`` for anything else, such as a file's name.
        """
        if text in TYPICAL:
            mean = stored("auction.npz", "style_")[text].astype(np.float64)
            return cls(text, mean, TYPICAL_VARIANCE * np.eye(STYLE_SIZE))
        match = _STYLE_TEXT.fullmatch(text)
        if match is None:
            return None
        if match["network"] != cls.network():
            raise BayesBridgeError(
                f"style of {match['pair']!r}: not one of this network: {LEARN_AGAIN}"
            )
        # 152 bytes are 203 characters of base64, and one that only fills up.
        steps = np.frombuffer(urlsafe_b64decode(f"{match['numbers']}="), np.int8)
        mean = steps[:STYLE_SIZE] / MEAN_STEPS
        root = np.zeros((STYLE_SIZE, STYLE_SIZE))
        root[np.tril_indices(STYLE_SIZE)] = steps[STYLE_SIZE:] / ROOT_STEPS
        return cls(match["pair"], mean, root @ root.T, int(match["tables"]))

    @classmethod
    def of(cls, text: str, where: str) -> PairStyle:
        """Read the text of a file that ``bayesbridge style --out`` wrote.

        Parameters
        ----------
        text : str
            The text, JSON.
        where : str
            The name of the file, for errors.

        Returns
        -------
        PairStyle

        Raises
        ------
        BayesBridgeError
            If it is no style, or one that was learned for another network.
        """
        try:
            return cls._of_document(json.loads(text))
        except (
            ValueError,
            KeyError,
            TypeError,
            RecursionError,
            np.linalg.LinAlgError,
        ) as error:
            raise BayesBridgeError(
                f"{where}: not a style of this network ({error}): {LEARN_AGAIN}"
            ) from None

    @classmethod
    def _of_document(cls, document: Any) -> Self:
        """A style from plain data; any built-in error says what is wrong with it."""
        mean = np.array(document["mean"], object)
        covariance = np.array(document["covariance"], object)
        if document.get("network") != cls.network():
            # This stands behind "not a style of this network" in the error.
            raise ValueError("it was learned for another")
        is_mean = mean.shape == (STYLE_SIZE,) and _all_small(mean)
        is_square = covariance.shape == (STYLE_SIZE, STYLE_SIZE)
        if not (is_mean and is_square and _all_small(covariance)):
            raise ValueError(
                f"mean and covariance have {STYLE_SIZE} and {STYLE_SIZE} x {STYLE_SIZE} numbers from "
                f"-{LARGEST_NUMBER} to {LARGEST_NUMBER}"
            )
        if type(document["pair"]) is not str or not _is_count(document["tables"]):
            raise ValueError("pair is a text, and tables a whole number")
        covariance = covariance.astype(np.float64)
        np.linalg.cholesky(covariance)  # raises where it is not positive definite
        return cls(
            document["pair"],
            mean.astype(np.float64),
            covariance,
            document["tables"],
        )


def _all_small(numbers: NDArray[np.object_]) -> bool:
    """Whether an array of objects holds nothing but numbers of at most 10, no NaN."""
    return all(
        type(number) in (int, float) and abs(number) <= LARGEST_NUMBER
        for number in numbers.flat
    )


def _is_count(value: object) -> bool:
    """Whether a value is a whole number that is not negative, and no truth value."""
    return type(value) is int and value >= 0


AVERAGE: Final = PairStyle("", np.zeros(STYLE_SIZE), np.eye(STYLE_SIZE))
"""Nothing is known of the pair."""

TYPICAL: Final = ("standard", "strong-club")
"""The typical styles by name, of pairs on record that play so; ``bidders.pairs.habits``
has them in words.
"""

type Styles = tuple[PairStyle, PairStyle]
"""Of North and South, of East and West."""

SIDES: Final = ("NS", "EW")

NETWORK_FILE: Final = "auction.npz"


def known_before_calls(
    network: Network, tokens: NDArray[np.intp], styles: Singles
) -> Singles:
    """(…, n, width) what the network knows before each of n calls.

    That is what it reads in the auction, and the numbers of the caller's style behind
    it. ``tokens`` are (n, 6) as :func:`encode` gives them, ``styles`` (…, n, 17) those
    of the callers.
    """
    style_vectors = linear(network.parameters, "style", styles)
    reading = read(network.parameters, tokens, style_vectors)
    return np.concatenate([reading, styles], axis=-1)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LearnedBidder:
    """Experts of the four-player game on record.

    A network says P(call ∣ hand, auction so far). Where partner's hand is shown it is
    read too, since partners know what their calls mean.

    Parameters
    ----------
    vulnerable : Vulnerability or str
        ``"none"``, ``"NS"``, ``"EW"`` or ``"both"``.
    slip : float
        The probability of a call made at random, any legal one.
    style : PairStyle, mapping of str to PairStyle, or tuple of two, optional
        What is known of pairs: ``{"EW": style}`` of one, a single style of both. Other
        pairs bid as experts do on average.
    size : {"wide", "guide"}
        The network: the wide one that answers, or the quicker one that guides draws.

    Raises
    ------
    BayesBridgeError
        If ``slip`` is no probability, or a side of ``style`` neither NS nor EW.

    Examples
    --------
    >>> from bayesbridge.game.calls import CALLS
    >>> from bayesbridge.game.cards import Hand
    >>> strong, weak = Hand.of("AQ5.KJ3.A954.Q73"), Hand.of("Q52.J93.T954.J73")
    >>> opener = np.array([strong.mask, weak.mask], np.uint64)
    >>> chances = LearnedBidder("NS").probabilities(opener, Auction.four("N"))
    >>> [str(CALLS[i]) for i in chances.argmax(axis=1)]
    ['1NT', 'Pass']
    """

    vulnerable: Vulnerability
    slip: float
    style: Styles
    size: Literal["wide", "guide"]

    of_bridge: ClassVar[bool] = True
    reads_partner: ClassVar[bool] = True
    cost: ClassVar[Cost] = Cost(most_layouts=20_000, moves=8, draws=5_000)

    def __init__(
        self,
        vulnerable: Vulnerability | str = Vulnerability.NONE,
        slip: float = 1e-4,
        style: PairStyle | Mapping[str, PairStyle] | Styles | None = None,
        size: Literal["wide", "guide"] = "wide",
    ) -> None:
        """Take the settings; ``size`` is that of the network, wide or quick."""
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(
                f"slip {slip}: it is a probability, from 0 to 1", slip=slip
            )
        object.__setattr__(self, "vulnerable", Vulnerability.of(vulnerable))
        object.__setattr__(self, "slip", slip)
        object.__setattr__(self, "style", _styles_of_sides(style))
        object.__setattr__(self, "size", size)

    def __repr__(self) -> str:
        # A style is too long to be written out: a name stands for it.
        names = ", ".join(f"{side!r}: {style.variable}" for side, style in self.named)
        styles = f", style={{{names}}}" if names else ""
        return f"LearnedBidder({self.vulnerable.value!r}, slip={self.slip}{styles})"

    @property
    def named(self) -> tuple[tuple[str, PairStyle], ...]:
        """The sides whose style is known, each with its style."""
        styles = zip(SIDES, self.style, strict=True)
        return tuple((side, style) for side, style in styles if style.pair)

    @property
    def systems(self) -> tuple[str, ...]:
        """How each side with a known style bids, as sentences without a full stop."""
        sentences = []
        for side, style in self.named:
            manner = f"in the typical style {style.pair}"
            if style.tables:
                manner = f"as {style.pair} did at {style.tables} tables"
            sentences.append(f"{side} bid {manner}")
        return tuple(sentences)

    @property
    def guide(self) -> LearnedBidder:
        """The same experts by the quicker network."""
        return LearnedBidder(self.vulnerable, self.slip, self.style, "guide")

    def log_likelihood(
        self, hands: Hands, auction: Auction, index: int, partners: Hands | None = None
    ) -> NDArray[np.float64]:
        """(n,) log P(call number ``index`` ∣ hand, calls before it) for (n,) masks.

        Parameters and result are those of :class:`~bayesbridge.plugins.PairModel`; the
        auction is one of four players.
        """
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        context = _contexts(self, auction)[index]
        legal_calls = context.choices
        column = int(np.searchsorted(legal_calls, turn.call.index))
        slip_each = self.slip / len(legal_calls)
        chances = np.empty(len(hands))
        # A softmax of one column: P(call) = 1 / Σ exp(score − score of the call). The
        # sum is infinite, and what is left is a slip, where the call is 88 behind.
        with np.errstate(over="ignore"):
            for block, scores in self._scores(context, hands, partners):
                scores -= scores[:, column, None]
                inverse_chance = np.exp(scores, out=scores).sum(axis=1)
                chances[block] = (1 - self.slip) / inverse_chance + slip_each
        return np.log(chances, out=chances)

    def probabilities(
        self, hands: Hands, auction: Auction, partners: Hands | None = None
    ) -> NDArray[np.float64]:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, for (n,) masks.

        ``partners`` are (n,) masks of partner's hand, hidden if not given. The columns
        are the calls by their index; what is illegal has 0.
        """
        one_row("hands", hands)
        seat_to_call(auction)  # raises where the auction is over
        # There is a context before each call that is made. What is known before the
        # next one does not depend on it, so any call, as a pass, will do.
        contexts = _contexts(self, auction.after("pass"))
        context = contexts[len(auction.calls)]
        legal_calls = context.choices
        slip_each = self.slip / len(legal_calls)
        chances = np.zeros((len(hands), len(CALLS)))
        for block, scores in self._scores(context, hands, partners):
            softmax_in_place(scores)
            chances[block, legal_calls] = (1 - self.slip) * scores + slip_each
        return chances

    def _scores(
        self, context: Context, hands: Hands, partners: Hands | None
    ) -> Iterator[tuple[slice, Singles]]:
        """The scores of the legal calls, block by block.

        With each slice of the hands come scores (its length, calls), or (1, calls)
        where its hands are all the same. Matrices are small enough for one thread.
        """
        net = network(NETWORK_FILE, f"{self.size}_")
        with one_thread():
            for start in range(0, len(hands), BLOCK):
                block = slice(start, start + BLOCK)
                shown_partners = None if partners is None else partners[block]
                vectors = net.vectors(hands[block], shown_partners)
                yield block, context.scores(*vectors)


def _styles_of_sides(
    style: PairStyle | Mapping[str, PairStyle] | Styles | None,
) -> Styles:
    """The styles of both sides, from all that a learned bidder takes."""
    if isinstance(style, tuple):
        return style
    if isinstance(style, Mapping):
        for side in style:
            if side not in SIDES:
                raise BayesBridgeError(
                    f"style of side {side!r}: name NS or EW", side=side
                )
        return style.get("NS", AVERAGE), style.get("EW", AVERAGE)
    if style is None:
        return AVERAGE, AVERAGE
    return style, style


@lru_cache(maxsize=512)
def _contexts(bidder: LearnedBidder, auction: Auction) -> tuple[Context, ...]:
    """What the network knows before each call of an auction, without any hand."""
    if auction.dummy is not None:
        raise BayesBridgeError(
            f"auction '{auction}' of three players: the learned bidder knows the "
            "four-player game only; use IterativeBidder"
        )
    dealer = auction.first
    calls = [call.index for call in auction.calls]
    steps = encode(
        calls,
        dealer_vulnerable=dealer in bidder.vulnerable,
        others_vulnerable=dealer.next() in bidder.vulnerable,
    )
    side_of_call = (dealer + np.arange(len(calls))) % 2
    style_by_side = np.stack([style.numbers for style in bidder.style])
    net = network(NETWORK_FILE, f"{bidder.size}_")
    legal_calls = [np.flatnonzero(is_legal) for is_legal in steps.legal]
    with one_thread():
        features = known_before_calls(net, steps.tokens, style_by_side[side_of_call])
        return net.contexts(features, legal_calls)
