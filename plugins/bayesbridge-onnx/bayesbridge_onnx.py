"""Bidder models from ONNX files; a TOML file beside each says what its inputs and
outputs mean.

The environment variable BAYESBRIDGE_ONNX names such TOML files, or folders of them,
with the system's path separator between them. README.md describes the TOML file.
"""

import math
import os
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bayesbridge import Auction, Call
from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.calls import Vulnerability
from bayesbridge.plugins import Cost, high_card_points, hookimpl, suit_lengths

VARIABLE = "BAYESBRIDGE_ONNX"
SUITS, RANKS = "CDHS", "23456789TJQKA"
CALLS = tuple(str(Call(index)) for index in range(38))
TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}
PARTS = {
    "cards": {"suits", "ranks"},
    "lengths": {"suits"},
    "points": set(),
    "vulnerable": set(),
    "legal": set(),
    "made": set(),
    "history": {"calls", "none"},
}
"""What an input may be made of, and the keys that each takes beside ``what``, ``shift``
and ``scale``.
"""
BLOCK = 8192
"""Hands that a network is given at a time."""


class Part(NamedTuple):
    """A stretch of an input: numbers of the hand, or of the auction."""

    what: str
    order: tuple[int, ...] = ()
    """Cards or suits in the order of the input."""
    calls: int = 0
    """Of a history: how many of the last calls."""
    none: bool = False
    """Of a history: whether a column says that there was no call."""
    shift: float = 0.0
    scale: float = 1.0

    @property
    def width(self) -> int:
        """How many numbers it has."""
        sizes = {
            "points": 1,
            "vulnerable": 2,
            "legal": 38,
            "made": 4 * 38,
            "history": self.calls * (38 + self.none),
        }
        return sizes.get(self.what, len(self.order))


class Input(NamedTuple):
    """One input of the network."""

    name: str
    parts: tuple[Part, ...]
    steps: bool
    """Whether it has a row for each turn of the caller so far, the present one last."""

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return sum(part.width for part in self.parts)


class Description(NamedTuple):
    """What a TOML file says."""

    path: Path
    name: str
    model: Path
    slip: float
    inputs: tuple[Input, ...]
    output: str
    logits: bool
    order: tuple[int, ...]
    """The index of the call behind each number of the output, in the order of
    bayesbridge's calls.
    """


@dataclass(frozen=True)
class OnnxBidder:
    """A network of a file: P(call ∣ hand, auction so far), mixed with any legal call by
    ``slip``.
    """

    path: str
    """Of the TOML file."""
    vulnerable: Vulnerability = Vulnerability.NONE
    slip: float | None = None
    """``None``: as the file says."""

    cost: ClassVar[Cost] = Cost(most_layouts=20_000, moves=15)

    def log_likelihood(self, hands, auction, index):
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        turn = Turn.of(auction, index)
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(hands, turn.before)[:, turn.call.index])

    def probabilities(self, hands, auction):
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is
        illegal.
        """
        seat_to_call(auction)
        network = network_of(self.path)
        slip = network.told.slip if self.slip is None else self.slip
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(
                f"slip {slip}: it is a probability, from 0 to 1", slip=slip
            )
        legal = list(legal_indices(auction))
        found = np.zeros((len(hands), 38))
        for begin in range(0, len(hands), BLOCK):
            some = np.ascontiguousarray(hands[begin : begin + BLOCK])
            meant = network.chances(some, auction, Vulnerability.of(self.vulnerable))[
                :, legal
            ]
            total = meant.sum(axis=1, keepdims=True)
            meant = np.divide(
                meant, total, out=np.full_like(meant, 1.0 / len(legal)), where=total > 0
            )
            found[begin : begin + BLOCK, legal] = (1.0 - slip) * meant + slip / len(
                legal
            )
        return found


class Network:
    """A network that is loaded and fits its description."""

    def __init__(self, told: Description) -> None:
        import onnxruntime

        self.told = told
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = (
            1  # the last digits do not depend on the machine
        )
        options.log_severity_level = 4
        try:
            self.session = onnxruntime.InferenceSession(
                str(told.model), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise complaint(
                told.path, f"cannot load {str(told.model)!r}: {one_line(error)}"
            ) from None
        inputs = {one.name: one for one in self.session.get_inputs()}
        if sorted(inputs) != sorted(one.name for one in told.inputs):
            names = f"{', '.join(inputs)}; described are {', '.join(one.name for one in told.inputs)}"
            raise complaint(
                told.path, f"the network's inputs are {names}: describe each once"
            )
        self.types = {}
        for one in told.inputs:
            known = inputs[one.name]
            if known.type not in TYPES:
                raise complaint(
                    told.path,
                    f"input {one.name!r} takes {known.type}: only numbers are made",
                )
            self.types[one.name] = TYPES[known.type]
            width = known.shape[-1] if known.shape else None
            if isinstance(width, int) and width != one.width:
                raise complaint(
                    told.path,
                    f"input {one.name!r} takes {width} numbers and the parts give {one.width}",
                )
            if len(known.shape) != 2 + one.steps:
                raise complaint(
                    told.path,
                    f"input {one.name!r} has {len(known.shape)} dimensions: with steps there are 3, else 2",
                )
        names = [one.name for one in self.session.get_outputs()]
        if told.output not in names:
            raise complaint(
                told.path,
                f"no output {told.output!r}: the network has {', '.join(names)}",
            )

    def chances(self, hands, auction, vulnerable):
        """(n, 38) what the network gives for the calls, from 0 on; illegal calls too."""
        turns = own_turns(auction)
        feed = {}
        for one in self.told.inputs:
            rows = [
                row_of(one, hands, before, vulnerable)
                for before in (turns if one.steps else turns[-1:])
            ]
            feed[one.name] = (np.stack(rows, axis=1) if one.steps else rows[0]).astype(
                self.types[one.name]
            )
        try:
            given = np.asarray(
                self.session.run([self.told.output], feed)[0], dtype=np.float64
            )
        except Exception as error:
            raise complaint(
                self.told.path, f"the network failed: {one_line(error)}"
            ) from None
        if given.ndim == 3:
            given = given[:, -1]
        if (
            given.ndim != 2
            or len(given) != len(hands)
            or given.shape[1] < 1 + max(self.told.order)
        ):
            raise complaint(
                self.told.path,
                f"output of shape {given.shape} for {len(hands)} hands and 38 calls",
            )
        given = given[:, self.told.order]
        if np.isnan(given).any() or (not self.told.logits and (given < 0).any()):
            raise complaint(
                self.told.path,
                'the network gave no probabilities: is kind = "logits" right?',
            )
        return (
            np.exp(given - given.max(axis=1, keepdims=True))
            if self.told.logits
            else given
        )


def own_turns(auction):
    """The auction before each turn of the seat to call, the present one last."""
    seats = len(auction.bidders)
    first = len(auction.calls) % seats
    return [
        Auction(auction.first, auction.calls[:i], auction.dummy)
        for i in range(first, len(auction.calls) + 1, seats)
    ]


def row_of(one, hands, before, vulnerable):
    """(n, width) an input before one call."""
    blocks = []
    for part in one.parts:
        if part.what == "cards":
            values = hands[:, None] >> np.array(
                part.order, dtype=np.uint64
            ) & np.uint64(1)
        elif part.what == "lengths":
            values = suit_lengths(hands)[:, list(part.order)]
        elif part.what == "points":
            values = high_card_points(hands)[:, None]
        else:
            values = np.tile(of_auction(part, before, vulnerable), (len(hands), 1))
        blocks.append((values.astype(np.float64) - part.shift) * part.scale)
    return np.concatenate(blocks, axis=1)


def of_auction(part, before, vulnerable):
    """(width,) what does not depend on the hand, told from the side of the seat to
    call.
    """
    seat = seat_to_call(before)
    found = np.zeros(part.width)
    if part.what == "vulnerable":
        found[:] = seat in vulnerable, seat.next() in vulnerable
    elif part.what == "legal":
        found[list(legal_indices(before))] = 1.0
    elif part.what == "made":
        for other, call in before:
            found[38 * ((other - seat) % 4) + call.index] = 1.0
    else:
        width = 38 + part.none
        last = [None] * part.calls + [call.index for call in before.calls]
        for place, index in enumerate(last[len(last) - part.calls :]):
            if index is not None:
                found[place * width + index] = 1.0
            elif part.none:
                found[place * width + 38] = 1.0
    return found


def read(path):
    """What a TOML file says, checked."""
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise complaint(path, f"cannot be read: {one_line(error)}") from None
    table = taker(path, told, "the file", {"name", "model", "slip", "inputs", "output"})
    name, model = table("name", str), table("model", str)
    inputs = table("inputs", list)
    if not inputs:
        raise complaint(
            path, "no inputs: describe each input of the network in [[inputs]]"
        )
    output = taker(path, table("output", dict), "[output]", {"name", "kind", "calls"})
    kind = output("kind", str)
    if kind not in ("logits", "probabilities"):
        raise complaint(path, f"kind {kind!r}: write logits or probabilities")
    return Description(
        path,
        name,
        path.parent / model,
        number(path, "slip", table("slip", int | float, 1e-4)),
        tuple(read_input(path, one) for one in inputs),
        output("name", str),
        kind == "logits",
        read_calls(path, output("calls", list, list(CALLS))),
    )


def read_input(path, told):
    """One table of [[inputs]]."""
    if not isinstance(told, dict):
        raise complaint(path, f"input {told!r}: write [[inputs]] tables")
    table = taker(path, told, "[[inputs]]", {"name", "parts", "steps"})
    parts = tuple(read_part(path, part) for part in table("parts", list))
    if not parts:
        raise complaint(
            path, f"input {told['name']!r} has no parts: choose of {', '.join(PARTS)}"
        )
    return Input(table("name", str), parts, table("steps", bool, False))


def read_part(path, told):
    """One part of an input."""
    what = told.get("what") if isinstance(told, dict) else told
    if not isinstance(told, dict) or what not in PARTS:
        raise complaint(
            path,
            f'part {what!r}: choose of {", ".join(PARTS)}, such as {{ what = "cards" }}',
        )
    table = taker(
        path, told, f"part {what!r}", {"what", "shift", "scale", *PARTS[what]}
    )
    suits = letters(path, "suits", table("suits", str, "SHDC"), SUITS)
    ranks = letters(path, "ranks", table("ranks", str, "AKQJT98765432"), RANKS)
    order = {
        "cards": tuple(13 * s + r for s in suits for r in ranks),
        "lengths": suits,
    }.get(what, ())
    calls = table("calls", int, 16)
    if not 1 <= calls <= 1000:
        raise complaint(path, f"calls {calls}: a history has from 1 to 1000 calls")
    shift, scale = (
        number(path, key, table(key, int | float, usual))
        for key, usual in (("shift", 0.0), ("scale", 1.0))
    )
    return Part(what, order, calls, table("none", bool, False), shift, scale)


def read_calls(path, told):
    """For each of bayesbridge's calls its place in the output."""
    try:
        indices = [Call.of(text).index for text in told]
    except BayesBridgeError as error:
        raise complaint(path, f"calls of the output: {error}") from None
    if sorted(indices) != list(range(38)):
        raise complaint(
            path,
            f"calls of the output: {len(set(indices))} different ones of 38: name each call once",
        )
    return tuple(indices.index(call) for call in range(38))


def taker(path, told, where, keys):
    """A function that takes a value of a table by key and type; keys that nobody knows
    are refused.
    """
    if unknown := sorted(set(told) - keys):
        raise complaint(
            path,
            f"unknown key {unknown[0]!r} in {where}: it takes {', '.join(sorted(keys))}",
        )

    def take(key: str, kind: Any, usual: Any = None) -> Any:
        value = told.get(key, usual)
        wrong = isinstance(value, bool) and kind is not bool
        if wrong or not isinstance(value, kind):
            said = "is missing" if key not in told else f"is {value!r}"
            raise complaint(
                path,
                f"{key} {said} in {where}: give a {getattr(kind, '__name__', 'number')}",
            )
        return value

    return take


def letters(path, key, text, known):
    """The places of letters, each of which stands there once."""
    if sorted(text) != sorted(known):
        raise complaint(
            path,
            f"{key} {text!r}: write each of {known} once, in the order of the input",
        )
    return tuple(known.index(letter) for letter in text)


def number(path, key, value):
    """A finite number."""
    if not math.isfinite(value):
        raise complaint(path, f"{key} {value}: give a finite number")
    return float(value)


def complaint(path, what):
    """The error of a file, in one line."""
    return BayesBridgeError(f"{path}: {what}", path=str(path))


def one_line(error):
    """What an error says, on one line and not too long."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]


@lru_cache(maxsize=8)
def network_of(path):
    """The network of a TOML file, loaded once."""
    return Network(read(path))


def files():
    """The TOML files that the environment names."""
    found = []
    for word in os.environ.get(VARIABLE, "").split(os.pathsep):
        path = Path(word)
        if word and path.is_dir():
            found += sorted(path.glob("*.toml"))
        elif word:
            found.append(path)
    return found


@hookimpl
def bayesbridge_bidders():
    """A bidder for each TOML file, by the name that the file gives."""
    offered = {}
    for path in files():
        name = read(path).name
        if name in offered:
            raise complaint(
                path, f"name {name!r} is taken by {offered[name].path}: choose another"
            )
        offered[name] = OnnxBidder(str(path))
    return offered
