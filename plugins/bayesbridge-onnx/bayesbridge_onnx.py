"""Bidder models from ONNX files, each described by a TOML file.

The TOML file beside a network says what its inputs and outputs mean.
The environment variable BAYESBRIDGE_ONNX names such TOML files, or folders of them,
with the system's path separator between them. README.md describes the TOML file.
"""

import math
import os
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from bayesbridge import Auction, Call
from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.calls import Vulnerability
from bayesbridge.plugins import Cost, high_card_points, hookimpl, suit_lengths

VARIABLE = "BAYESBRIDGE_ONNX"
SUITS = "CDHS"
RANKS = "23456789TJQKA"
CALL_COUNT = 38
CALLS = tuple(str(Call(index)) for index in range(CALL_COUNT))
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
"""Kinds of parts of an input, and the keys of each.

Every kind takes ``what``, ``shift`` and ``scale`` too.
"""
FILE_KEYS = {"name", "model", "slip", "inputs", "output"}
INPUT_KEYS = {"name", "parts", "steps"}
PART_KEYS = {"what", "shift", "scale"}
OUTPUT_KEYS = {"name", "kind", "calls"}
"""Keys of the tables of a TOML file."""
DEFAULT_SLIP = 1e-4
DEFAULT_HISTORY = 16
LONGEST_HISTORY = 1000
"""Calls of a history."""
BLOCK = 8192
"""Hands that a network is given at a time."""
FATAL_ERRORS_ONLY = 4
"""ONNX Runtime's level of log messages."""


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
            "legal": CALL_COUNT,
            "made": 4 * CALL_COUNT,
            "history": self.calls * (CALL_COUNT + self.none),
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
    """A network as its TOML file describes it."""

    path: Path
    name: str
    model: Path
    slip: float
    inputs: tuple[Input, ...]
    output: str
    logits: bool
    order: tuple[int, ...]
    """For each of bayesbridge's calls its column in the output."""


@dataclass(frozen=True)
class OnnxBidder:
    """P(call ∣ hand, auction so far) by the network of a file.

    With probability ``slip`` any legal call is made instead.
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
        probabilities = self.probabilities(hands, turn.before)
        with np.errstate(divide="ignore"):
            return np.log(probabilities[:, turn.call.index])

    def probabilities(self, hands, auction):
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn.

        Illegal calls have probability 0. Where the network gives no legal call a
        chance, all legal calls are equally likely.
        """
        seat_to_call(auction)
        network = network_of(self.path)
        slip = network.description.slip if self.slip is None else self.slip
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(
                f"slip {slip}: it is a probability, from 0 to 1", slip=slip
            )
        vulnerable = Vulnerability.of(self.vulnerable)
        legal = list(legal_indices(auction))
        probabilities = np.zeros((len(hands), CALL_COUNT))
        for begin in range(0, len(hands), BLOCK):
            rows = slice(begin, begin + BLOCK)
            block = np.ascontiguousarray(hands[rows])
            meant = network.chances(block, auction, vulnerable)[:, legal]
            total = meant.sum(axis=1, keepdims=True)
            uniform = np.full_like(meant, 1.0 / len(legal))
            meant = np.divide(meant, total, out=uniform, where=total > 0)
            probabilities[rows, legal] = (1.0 - slip) * meant + slip / len(legal)
        return probabilities


class Network:
    """A network that is loaded and fits its description."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.session = load_session(description)
        self.types = input_types(description, self.session.get_inputs())
        names = [output.name for output in self.session.get_outputs()]
        if description.output not in names:
            raise complaint(
                description.path,
                f"no output {description.output!r}: the network has {', '.join(names)}",
            )

    def chances(self, hands, auction, vulnerable):
        """(n, 38) what the network gives for the calls, from 0 on; illegal calls too."""
        description = self.description
        answers = self.answers(hands, auction, vulnerable)
        if answers.ndim == 3:
            answers = answers[:, -1]  # of the present turn
        columns = 1 + max(description.order)
        is_table = answers.ndim == 2 and len(answers) == len(hands)
        if not is_table or answers.shape[1] < columns:
            raise complaint(
                description.path,
                f"output of shape {answers.shape} for {len(hands)} hands and 38 calls",
            )
        answers = answers[:, description.order]
        is_negative = not description.logits and (answers < 0).any()
        if np.isnan(answers).any() or is_negative:
            raise complaint(
                description.path,
                'the network gave no probabilities: is kind = "logits" right?',
            )
        if description.logits:
            return np.exp(answers - answers.max(axis=1, keepdims=True))
        return answers

    def answers(self, hands, auction, vulnerable):
        """The output of the network as it stands, in double precision."""
        turns = own_turns(auction)
        feed = {}
        for description in self.description.inputs:
            if description.steps:
                rows = [
                    input_rows(description, hands, before, vulnerable)
                    for before in turns
                ]
                values = np.stack(rows, axis=1)
            else:
                values = input_rows(description, hands, turns[-1], vulnerable)
            feed[description.name] = values.astype(self.types[description.name])
        try:
            outputs = self.session.run([self.description.output], feed)
            return np.asarray(outputs[0], dtype=np.float64)
        except Exception as error:
            raise complaint(
                self.description.path, f"the network failed: {one_line(error)}"
            ) from None


def load_session(description):
    """ONNX Runtime's session of a network, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # The last digits do not depend on the machine.
    options.inter_op_num_threads = 1
    options.intra_op_num_threads = 1
    options.log_severity_level = FATAL_ERRORS_ONLY
    model = str(description.model)
    try:
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise complaint(
            description.path, f"cannot load {model!r}: {one_line(error)}"
        ) from None


def input_types(description, network_inputs):
    """The numpy type of each input by name; an error where inputs do not fit."""
    network_inputs = {argument.name: argument for argument in network_inputs}
    described_names = [described.name for described in description.inputs]
    if sorted(network_inputs) != sorted(described_names):
        names = (
            f"{', '.join(network_inputs)}; described are {', '.join(described_names)}"
        )
        raise complaint(
            description.path,
            f"the network's inputs are {names}: describe each once",
        )
    types = {}
    for described in description.inputs:
        argument = network_inputs[described.name]
        problem = input_problem(described, argument)
        if problem is not None:
            raise complaint(description.path, f"input {described.name!r} {problem}")
        types[described.name] = TYPES[argument.type]
    return types


def input_problem(described, argument):
    """How an input of the network differs from its description, or ``None``."""
    if argument.type not in TYPES:
        return f"takes {argument.type}: only numbers are made"
    width = argument.shape[-1] if argument.shape else None
    if isinstance(width, int) and width != described.width:
        return f"takes {width} numbers and the parts give {described.width}"
    dimensions = len(argument.shape)
    if dimensions != 2 + described.steps:
        return f"has {dimensions} dimensions: with steps there are 3, else 2"
    return None


def own_turns(auction):
    """The auction before each turn of the seat to call, the present one last."""
    seats = len(auction.bidders)
    first = len(auction.calls) % seats
    return [
        Auction(auction.first, auction.calls[:turn], auction.dummy)
        for turn in range(first, len(auction.calls) + 1, seats)
    ]


def input_rows(description, hands, before, vulnerable):
    """(n, width) an input before one call, a row for each hand."""
    blocks = []
    for part in description.parts:
        if part.what in HAND_FEATURES:
            values = HAND_FEATURES[part.what](part, hands)
        else:
            features = AUCTION_FEATURES[part.what](part, before, vulnerable)
            values = np.tile(features, (len(hands), 1))
        blocks.append((values.astype(np.float64) - part.shift) * part.scale)
    return np.concatenate(blocks, axis=1)


def card_features(part, hands):
    """(n, cards) 1 for each card that the hand holds."""
    cards = np.array(part.order, dtype=np.uint64)
    return hands[:, None] >> cards & np.uint64(1)


def length_features(part, hands):
    """(n, suits) lengths of suits."""
    return suit_lengths(hands)[:, list(part.order)]


def point_features(_part, hands):
    """(n, 1) high-card points."""
    return high_card_points(hands)[:, None]


def vulnerable_features(_part, before, vulnerable):
    """(2,) whether the caller's side is vulnerable, and the other side."""
    seat = seat_to_call(before)
    sides = [seat in vulnerable, seat.next() in vulnerable]
    return np.array(sides, dtype=np.float64)


def legal_features(_part, before, _vulnerable):
    """(38,) 1 for each legal call."""
    features = np.zeros(CALL_COUNT)
    features[list(legal_indices(before))] = 1.0
    return features


def made_features(part, before, _vulnerable):
    """(4 · 38,) 1 for each call that a seat has made, the caller's own first."""
    seat = seat_to_call(before)
    features = np.zeros(part.width)
    for other_seat, call in before:
        seats_after_caller = (other_seat - seat) % 4
        features[CALL_COUNT * seats_after_caller + call.index] = 1.0
    return features


def history_features(part, before, _vulnerable):
    """(calls · 38 or 39,) the last calls one by one, the latest last.

    Where there were fewer, the last column of a call says so if the part has one.
    """
    width = CALL_COUNT + part.none
    features = np.zeros(part.width)
    indices = [None] * part.calls + [call.index for call in before.calls]
    for place, index in enumerate(indices[len(indices) - part.calls :]):
        if index is not None:
            features[place * width + index] = 1.0
        elif part.none:
            features[place * width + CALL_COUNT] = 1.0
    return features


HAND_FEATURES = {
    "cards": card_features,
    "lengths": length_features,
    "points": point_features,
}
"""Parts that depend on the hand."""

AUCTION_FEATURES = {
    "vulnerable": vulnerable_features,
    "legal": legal_features,
    "made": made_features,
    "history": history_features,
}
"""Parts that depend on the auction alone, told from the side of the seat to call."""


def read(path):
    """The description in a TOML file, checked."""
    path = Path(path)
    table = TomlTable(path, toml_values(path), "the file", FILE_KEYS)
    name = table.take("name", str)
    model = table.take("model", str)
    inputs = table.take("inputs", list)
    if not inputs:
        raise complaint(
            path, "no inputs: describe each input of the network in [[inputs]]"
        )
    output = TomlTable(path, table.take("output", dict), "[output]", OUTPUT_KEYS)
    kind = output.take("kind", str)
    if kind not in ("logits", "probabilities"):
        raise complaint(path, f"kind {kind!r}: write logits or probabilities")
    return Description(
        path=path,
        name=name,
        model=path.parent / model,
        slip=table.take_number("slip", DEFAULT_SLIP),
        inputs=tuple(read_input(path, values) for values in inputs),
        output=output.take("name", str),
        logits=kind == "logits",
        order=read_calls(path, output.take("calls", list, list(CALLS))),
    )


def toml_values(path):
    """What a TOML file says."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise complaint(path, f"cannot be read: {one_line(error)}") from None


def read_input(path, values):
    """One table of [[inputs]]."""
    if not isinstance(values, dict):
        raise complaint(path, f"input {values!r}: write [[inputs]] tables")
    table = TomlTable(path, values, "[[inputs]]", INPUT_KEYS)
    parts = tuple(read_part(path, part) for part in table.take("parts", list))
    if not parts:
        raise complaint(
            path,
            f"input {values['name']!r} has no parts: choose of {', '.join(PARTS)}",
        )
    name = table.take("name", str)
    return Input(name, parts, steps=table.take("steps", bool, False))


def read_part(path, values):
    """One part of an input."""
    kind = values.get("what") if isinstance(values, dict) else values
    if not isinstance(values, dict) or kind not in PARTS:
        choices = ", ".join(PARTS)
        raise complaint(
            path, f'part {kind!r}: choose of {choices}, such as {{ what = "cards" }}'
        )
    table = TomlTable(path, values, f"part {kind!r}", PART_KEYS | PARTS[kind])
    suits = table.take_letters("suits", "SHDC", SUITS)
    ranks = table.take_letters("ranks", "AKQJT98765432", RANKS)
    order = ()
    if kind == "cards":
        order = tuple(13 * suit + rank for suit, rank in product(suits, ranks))
    elif kind == "lengths":
        order = suits
    calls = table.take("calls", int, DEFAULT_HISTORY)
    if not 1 <= calls <= LONGEST_HISTORY:
        raise complaint(
            path, f"calls {calls}: a history has from 1 to {LONGEST_HISTORY} calls"
        )
    return Part(
        what=kind,
        order=order,
        calls=calls,
        shift=table.take_number("shift", 0.0),
        scale=table.take_number("scale", 1.0),
        none=table.take("none", bool, False),
    )


def read_calls(path, names):
    """For each of bayesbridge's calls its place in the output."""
    try:
        indices = [Call.of(name).index for name in names]
    except BayesBridgeError as error:
        raise complaint(path, f"calls of the output: {error}") from None
    if sorted(indices) != list(range(CALL_COUNT)):
        different = len(set(indices))
        raise complaint(
            path,
            f"calls of the output: {different} different ones of 38: name each call once",
        )
    return tuple(indices.index(call) for call in range(CALL_COUNT))


class TomlTable:
    """A table of a TOML file, whose values are taken by key and type.

    Keys that nobody knows are refused at once.
    """

    def __init__(self, path, values, place, keys):
        unknown = sorted(set(values) - keys)
        if unknown:
            choices = ", ".join(sorted(keys))
            raise complaint(
                path, f"unknown key {unknown[0]!r} in {place}: it takes {choices}"
            )
        self.path = path
        self.values = values
        self.place = place

    def take(self, key, kind, default=None):
        """The value of a key, which must be of a type; without default it must be there."""
        value = self.values.get(key, default)
        is_wrong_bool = isinstance(value, bool) and kind is not bool
        if is_wrong_bool or not isinstance(value, kind):
            state = "is missing" if key not in self.values else f"is {value!r}"
            type_name = getattr(kind, "__name__", "number")
            raise complaint(
                self.path, f"{key} {state} in {self.place}: give a {type_name}"
            )
        return value

    def take_number(self, key, default):
        """A finite number."""
        value = self.take(key, int | float, default)
        if not math.isfinite(value):
            raise complaint(self.path, f"{key} {value}: give a finite number")
        return float(value)

    def take_letters(self, key, default, alphabet):
        """The places in an alphabet of its letters, each of which is written once."""
        text = self.take(key, str, default)
        if sorted(text) != sorted(alphabet):
            raise complaint(
                self.path,
                f"{key} {text!r}: write each of {alphabet} once, in the order of the input",
            )
        return tuple(alphabet.index(letter) for letter in text)


def complaint(path, problem):
    """The error of a file, in one line."""
    return BayesBridgeError(f"{path}: {problem}", path=str(path))


def one_line(error):
    """The name and text of an error, on one line of at most 300 characters."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]


@lru_cache(maxsize=8)
def network_of(path):
    """The network of a TOML file, loaded once."""
    return Network(read(path))


def files():
    """The TOML files that the environment names."""
    paths = []
    for word in os.environ.get(VARIABLE, "").split(os.pathsep):
        path = Path(word)
        if word and path.is_dir():
            paths += sorted(path.glob("*.toml"))
        elif word:
            paths.append(path)
    return paths


@hookimpl
def bayesbridge_bidders():
    """A bidder for each TOML file, by the name that the file gives."""
    bidders = {}
    for path in files():
        name = read(path).name
        if name in bidders:
            raise complaint(
                path, f"name {name!r} is taken by {bidders[name].path}: choose another"
            )
        bidders[name] = OnnxBidder(str(path))
    return bidders
