"""The learned bidder of the four-player game: P(call ∣ own hand, partner's hand,
auction so far), fitted on records.

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
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, seat_to_call
from bayesbridge.bidders.networks import BLOCK, Context, linear, network, read, stored
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import Cost
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.layouts import FrozenArrays, Hands, Singles, read_only
from bayesbridge.runtime.files import whole_file
from bayesbridge.runtime.jit import one_thread

OPENING: Final = 38  # stands for the call before the first
PLACES: Final = (
    48  # in an auction that are told apart; later calls count as the last of them
)
STARTS: Final = np.cumsum((0, 39, 36, 3, 5, 4, PLACES))
"""Where the rows of each part of a token begin: the call before, the last bid (0:
none), how it is doubled, whose it is (relative seat, 4: nobody's), who is vulnerable (2
· the caller's side + the other side), the place in the auction.
"""


class Steps(NamedTuple):
    """An auction of n calls, each with what its caller knew of the auction before
    making it.
    """

    tokens: NDArray[
        np.intp
    ]  # (n, 6) rows of the reader's table, one for each part (STARTS)
    legal: NDArray[np.bool_]  # (n, 38) which calls were legal


def encode(
    calls: Sequence[int], dealer_vulnerable: bool, others_vulnerable: bool
) -> Steps:
    """The steps of a four-player auction given as call indices, which must be legal."""
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
        ours, theirs = (dealer_vulnerable, others_vulnerable)[
            :: 1 if i % 2 == 0 else -1
        ]
        previous = calls[i - 1] if i else OPENING
        tokens[i] = (
            previous,
            last - 2,
            doubled,
            owner,
            2 * ours + theirs,
            min(i, PLACES - 1),
        )
        if call > 2:
            last, bidder, doubled = call, i, 0
        elif call:
            doubled += 1
    return Steps(tokens + STARTS[:-1], legal)


STYLE: Final = 16  # numbers of a style
LEARN_AGAIN: Final = (
    "learn it again with 'bayesbridge style RECORDS --pair A+B --out FILE.json'"
)


@dataclass(frozen=True, slots=True, eq=False)
class PairStyle(FrozenArrays):
    """What is known of how a pair bids, learned from so many tables: a normal
    distribution over 16 numbers, which have mean 0 and variance 1 over the pairs on
    record.
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
        return f"style_of_{re.sub(r'\W+', '_', self.pair).lower()}"

    @property
    def numbers(self) -> Singles:
        """(17,) its mean as the network takes it, with a 1 that says that it is known;
        all 0 where nothing is known.
        """
        if self == AVERAGE:
            return read_only(np.zeros(STYLE + 1, np.float32))
        return read_only(np.append(self.mean, 1.0).astype(np.float32))

    @staticmethod
    @cache
    def network() -> str:
        """A short hash of the network's file: the numbers of a style mean nothing to
        another network.
        """
        return sha256(
            (files("bayesbridge.bidders") / "data/auction.npz").read_bytes()
        ).hexdigest()[:8]

    def to_dict(self) -> dict[str, object]:
        numbers = {"mean": self.mean.tolist(), "covariance": self.covariance.tolist()}
        return {
            "pair": self.pair,
            "tables": self.tables,
            "network": self.network(),
            **numbers,
        }

    def save(self, path: str | Path) -> None:
        """Write a file that ``--style EW:FILE.json`` and :meth:`of` read."""
        with whole_file(Path(path)) as part:
            part.write_text(json.dumps(self.to_dict()) + "\n", "utf-8")

    @property
    def text(self) -> str:
        """One word of some 230 characters, for a link: the mean in steps of 1/40, the
        covariance's root of 1/127.
        """
        root = np.linalg.cholesky(self.covariance)[np.tril_indices(STYLE)]
        numbers = np.rint(np.concatenate([40.0 * self.mean, 127.0 * root]))
        if not (np.abs(numbers) <= 127).all():
            raise BayesBridgeError(
                f"style of {self.pair[:60]!r}: its numbers pass 3: learn it again from records"
            )
        packed = (
            urlsafe_b64encode(numbers.astype(np.int8).tobytes()).decode().rstrip("=")
        )
        return f"{self.pair[:60]}.{self.tables}.{self.network()}.{packed}"

    @classmethod
    def of_text(cls, text: str) -> PairStyle | None:
        """A typical style by its name, or what :attr:`text` gave; ``None`` for anything
        else, such as a file's name.
        """
        if text in TYPICAL:
            mean = stored("auction.npz", "style_")[text].astype(np.float64)
            return cls(text, mean, 1e-6 * np.eye(STYLE))
        if (
            match := re.fullmatch(
                r"(.*)\.(\d{1,9})\.([0-9a-f]{8})\.([A-Za-z0-9_-]{203})", text
            )
        ) is None:
            return None
        if match[3] != cls.network():
            raise BayesBridgeError(
                f"style of {match[1]!r}: not one of this network: {LEARN_AGAIN}"
            )
        numbers = np.frombuffer(urlsafe_b64decode(f"{match[4]}="), np.int8)
        root = np.zeros((STYLE, STYLE))
        root[np.tril_indices(STYLE)] = numbers[STYLE:] / 127.0
        return cls(
            match[1],
            numbers[:STYLE] / 40.0,
            root @ root.T,
            int(match[2]),
        )

    @classmethod
    def of(cls, text: str, where: str) -> PairStyle:
        """Read the text of a file that ``bayesbridge style --out`` wrote."""
        try:
            found = json.loads(text)
            arrays = [np.array(found[key], object) for key in ("mean", "covariance")]
            if found.get("network") != cls.network():
                raise ValueError("it was learned for another")
            numbers = all(
                type(x) in (int, float) and abs(x) <= 10
                for one in arrays
                for x in one.flat
            )  # not NaN
            if [one.shape for one in arrays] != [
                (STYLE,),
                (STYLE, STYLE),
            ] or not numbers:
                raise ValueError(
                    f"mean and covariance have {STYLE} and {STYLE} x {STYLE} numbers from -10 to 10"
                )
            if (
                type(pair := found["pair"]) is not str
                or type(tables := found["tables"]) is not int
                or tables < 0
            ):
                raise ValueError("pair is a text, and tables a whole number")
            mean, covariance = (one.astype(np.float64) for one in arrays)
            np.linalg.cholesky(covariance)
            return cls(pair, mean, covariance, tables)
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


AVERAGE: Final = PairStyle(
    "", np.zeros(STYLE), np.eye(STYLE)
)  # nothing is known of the pair
TYPICAL: Final = ("standard", "strong-club")
"""The typical styles by name, of pairs on record that play so; ``bidders.pairs.habits``
has them in words.
"""


type Styles = tuple[PairStyle, PairStyle]  # of North and South, of East and West
SIDES: Final = ("NS", "EW")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LearnedBidder:
    """Experts of the four-player game, at a vulnerability; with probability ``slip``
    they make any legal call.

    ``style={"EW": style}`` is what is known of a pair (:class:`PairStyle`); other pairs
    bid as experts do on average.

    >>> from bayesbridge.game.calls import CALLS
    >>> from bayesbridge.game.cards import Hand
    >>> opener = np.array([Hand.of("AQ5.KJ3.A954.Q73").mask, Hand.of("Q52.J93.T954.J73").mask], np.uint64)
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
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(
                f"slip {slip}: it is a probability, from 0 to 1", slip=slip
            )
        object.__setattr__(self, "vulnerable", Vulnerability.of(vulnerable))
        object.__setattr__(self, "slip", slip)
        if isinstance(style, Mapping):
            if wrong := [side for side in style if side not in SIDES]:
                raise BayesBridgeError(
                    f"style of side {wrong[0]!r}: name NS or EW", side=wrong[0]
                )
            style = style.get("NS", AVERAGE), style.get("EW", AVERAGE)
        both = (
            style if isinstance(style, tuple) else (style or AVERAGE, style or AVERAGE)
        )
        object.__setattr__(self, "style", both)
        object.__setattr__(self, "size", size)

    def __repr__(self) -> str:
        # A style is too long to be written out: a name stands for it.
        known = ", ".join(f"{side!r}: {style.variable}" for side, style in self.named)
        styles = f", style={{{known}}}" if known else ""
        return f"LearnedBidder({self.vulnerable.value!r}, slip={self.slip}{styles})"

    @property
    def named(self) -> tuple[tuple[str, PairStyle], ...]:
        return tuple(
            (side, s) for side, s in zip(SIDES, self.style, strict=True) if s.pair
        )

    @property
    def systems(self) -> tuple[str, ...]:
        told = {
            side: f"as {s.pair} did at {s.tables} tables"
            for side, s in self.named
            if s.tables
        }
        return tuple(
            f"{side} bid {told.get(side, f'in the typical style {s.pair}')}"
            for side, s in self.named
        )

    @property
    def guide(self) -> LearnedBidder:
        return LearnedBidder(self.vulnerable, self.slip, self.style, "guide")

    def log_likelihood(
        self, hands: Hands, auction: Auction, index: int, partners: Hands | None = None
    ) -> NDArray[np.float64]:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks,
        partners' hands (n,) hidden or shown.
        """
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        context = _contexts(self, auction)[index]
        chosen = int(np.searchsorted(context.choices, turn.call.index))
        result = np.empty(len(hands))
        slip = self.slip / len(context.choices)
        with np.errstate(
            over="ignore"
        ):  # a call 88 nats behind another has the probability of a slip
            for block, scores in self._scores(context, hands, partners):
                scores -= scores[:, chosen, None]
                result[block] = (1 - self.slip) / np.exp(scores, out=scores).sum(
                    axis=1
                ) + slip
        return np.log(result, out=result)

    def probabilities(
        self, hands: Hands, auction: Auction, partners: Hands | None = None
    ) -> NDArray[np.float64]:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, partners' hands
        hidden or shown; 0 if illegal.
        """
        one_row("hands", hands)
        seat_to_call(auction)
        context = _contexts(self, auction.after("pass"))[len(auction.calls)]
        result = np.zeros((len(hands), 38))
        for block, scores in self._scores(context, hands, partners):
            scores -= scores.max(axis=1, keepdims=True)
            shares = np.exp(scores, out=scores) / scores.sum(axis=1, keepdims=True)
            result[block, context.choices] = (1 - self.slip) * shares + self.slip / len(
                context.choices
            )
        return result

    def _scores(
        self, context: Context, hands: Hands, partners: Hands | None
    ) -> Iterator[tuple[slice, Singles]]:
        """The scores of the legal calls, block by block: a slice of the hands, (its
        length or 1, calls).
        """
        net = network("auction.npz", f"{self.size}_")
        with one_thread():
            for start in range(0, len(hands), BLOCK):
                block = slice(start, start + BLOCK)
                shown = None if partners is None else partners[block]
                yield block, context.scores(*net.vectors(hands[block], shown))


@lru_cache(maxsize=512)
def _contexts(bidder: LearnedBidder, auction: Auction) -> tuple[Context, ...]:
    if auction.dummy is not None:
        raise BayesBridgeError(
            f"auction '{auction}' of three players: the learned bidder knows the four-player game only; "
            "use IterativeBidder"
        )
    first, calls = auction.first, [call.index for call in auction.calls]
    steps = encode(calls, first in bidder.vulnerable, first.next() in bidder.vulnerable)
    style = np.stack([side.numbers for side in bidder.style])[
        (first + np.arange(len(calls))) % 2
    ]
    net = network("auction.npz", f"{bidder.size}_")
    with one_thread():
        known = np.concatenate(
            [
                read(
                    net.parameters, steps.tokens, linear(net.parameters, "style", style)
                ),
                style,
            ],
            axis=1,
        )
        return net.contexts(known, [np.flatnonzero(row) for row in steps.legal])
