"""Bidders from ONNX files: networks made here byte by byte, answers beside NumPy's, and
one line for what is wrong.
"""

import numpy as np
import pytest
from bayesbridge_onnx import VARIABLE, OnnxBidder, bayesbridge_bidders, read

from bayesbridge import Auction, BayesBridgeError, Belief, Call, Called, Hand
from bayesbridge.evidence.models import with_settings
from bayesbridge.game.calls import Vulnerability
from bayesbridge.plugins import check_bidder, load

HANDS = np.array(
    [
        Hand.of(text).mask
        for text in ("AQ5.KJ3.A954.Q73", "KQJ9742.3.954.73", "Q52.J93.T954.J73")
    ],
    dtype=np.uint64,
)
DESCRIPTION = """
name = "robot"
model = "robot.onnx"
slip = 0.01

[[inputs]]
name = "x"
parts = [
    { what = "cards" },
    { what = "lengths", suits = "SHDC", shift = 3.25, scale = 0.5 },
    { what = "points", shift = 10, scale = 0.25 },
    { what = "vulnerable" },
    { what = "legal" },
    { what = "made" },
    { what = "history", calls = 4, none = true },
]

[output]
name = "y"
kind = "logits"
"""
ALL = tuple(Call(index) for index in range(38))
WIDTH = 52 + 4 + 1 + 2 + 38 + 4 * 38 + 4 * 39


def varint(value):
    """A number as protocol buffers write it."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


def field(number, value):
    """A field of a message: a whole number, or text, or another message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def tensor(name, array):
    dims = b"".join(field(1, size) for size in array.shape)
    return dims + field(2, 1) + field(8, name) + field(9, array.astype("<f4").tobytes())


def value_info(name, shape):
    dims = b"".join(
        field(1, field(1, size) if isinstance(size, int) else field(2, size))
        for size in shape
    )
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def node(kind, inputs, output):
    return (
        b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind)
    )


def write_network(path, weights, bias, kind=None, shape=("n", WIDTH)):
    """y = x·weights + bias, or a function of it: an ONNX model of two or three nodes."""
    sum_name = "y" if kind is None else "z"
    nodes = [node("MatMul", ("x", "w"), "xw"), node("Add", ("xw", "b"), sum_name)]
    if kind is not None:
        nodes.append(node(kind, ("z",), "y"))
    graph = b"".join(field(1, encoded) for encoded in nodes) + field(2, "bids")
    graph += field(5, tensor("w", weights)) + field(5, tensor("b", bias))
    graph += field(11, value_info("x", shape))
    graph += field(12, value_info("y", (*shape[:-1], weights.shape[1])))
    path.write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))


@pytest.fixture
def robot(tmp_path):
    """The TOML file of a network with random weights, and the weights."""
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(WIDTH, 38)) * 0.3
    bias = rng.normal(size=38)
    write_network(tmp_path / "robot.onnx", weights, bias)
    path = tmp_path / "robot.toml"
    path.write_text(DESCRIPTION)
    return path, weights.astype(np.float32), bias.astype(np.float32)


def features(hand, before, caller, vulnerable):
    """The input by hand, from the notation."""
    suits = hand.pbn.split(".")
    row = [float(rank in suit) for suit in suits for rank in "AKQJT98765432"]
    row += [(len(suit) - 3.25) * 0.5 for suit in suits]
    honours = [rank for rank in hand.pbn if rank in "JQKA"]
    points = sum("JQKA".index(rank) + 1 for rank in honours)
    row.append((points - 10) * 0.25)
    row += [float(caller in vulnerable), float(caller.next() in vulnerable)]
    row += [float(before.can(call)) for call in ALL]
    made_calls = list(before)
    for place in range(4):
        seat = caller.next(place)
        row += [float((seat, call) in made_calls) for call in ALL]
    for made_call in [None, None, None, None, *before.calls][-4:]:
        row += [float(call == made_call) for call in (*ALL, None)]
    return row


@pytest.mark.parametrize("calls", ["", "1NT", "1C X", "Pass 1H 2D Pass"])
def test_answers_are_those_of_numpy(robot, calls):
    path, weights, bias = robot
    before = Auction.four("N").after_all(calls)
    rows = [
        features(Hand(int(mask)), before, before.turn, Vulnerability.EW)
        for mask in HANDS
    ]
    outputs = np.array(rows, dtype=np.float32) @ weights + bias
    is_legal = [before.can(call) for call in ALL]
    logits = np.where(is_legal, outputs, -np.inf).astype(np.float64)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    legal = np.isfinite(logits)
    expected = np.where(
        legal, 0.99 * chances + 0.01 / legal.sum(axis=1, keepdims=True), 0.0
    )
    bidder = OnnxBidder(str(path), Vulnerability.EW)
    assert bidder.probabilities(HANDS, before) == pytest.approx(expected, abs=1e-5)
    assert bidder.log_likelihood(
        HANDS, before.after("Pass"), len(before.calls)
    ) == pytest.approx(np.log(expected[:, 0]), abs=1e-4)


def test_it_keeps_the_contract(robot):
    check_bidder(OnnxBidder(str(robot[0])), players=4)
    check_bidder(OnnxBidder(str(robot[0])))


def test_settings_are_those_of_other_models(robot):
    bidder = OnnxBidder(str(robot[0]))
    random_bidder = with_settings(
        bidder, {"vulnerable": Vulnerability.ALL, "slip": 1.0}
    )
    assert random_bidder.probabilities(HANDS, Auction.four("N"))[
        :, 3:
    ] == pytest.approx(np.full((3, 35), 1 / 36))
    with pytest.raises(BayesBridgeError, match=r"slip 2\.0: it is a probability"):
        with_settings(bidder, {"slip": 2.0}).probabilities(HANDS, Auction.four("N"))


def test_probabilities_in_another_order_of_calls(tmp_path, robot):
    """The same network with a softmax at its end and its calls turned round says the
    same.
    """
    path, weights, bias = robot
    write_network(tmp_path / "turned.onnx", weights[:, ::-1], bias[::-1], "Softmax")
    turned = tmp_path / "turned.toml"
    names = ", ".join(f'"{call}"' for call in reversed(ALL))
    text = DESCRIPTION.replace('"robot.onnx"', '"turned.onnx"').replace(
        '"logits"', f'"probabilities"\ncalls = [{names}]'
    )
    turned.write_text(text)
    for calls in ("", "1NT Pass 2C"):
        before = Auction.four("S").after_all(calls)
        expected = OnnxBidder(str(path)).probabilities(HANDS, before)
        assert OnnxBidder(str(turned)).probabilities(HANDS, before) == pytest.approx(
            expected, abs=1e-5
        )


def test_a_network_of_steps_has_a_row_for_each_turn(tmp_path):
    """Points and the last four calls, step by step; the last step's answer counts."""
    rng = np.random.default_rng(6)
    weights = rng.normal(size=(1 + 4 * 38, 38))
    bias = rng.normal(size=38)
    write_network(tmp_path / "steps.onnx", weights, bias, shape=("n", "t", 1 + 4 * 38))
    path = tmp_path / "steps.toml"
    parts = '[{ what = "points" }, { what = "history", calls = 4 }]'
    path.write_text(
        f'name = "steps"\nmodel = "steps.onnx"\nslip = 0\n[[inputs]]\nname = "x"\nsteps = true\nparts = {parts}\n'
        '[output]\nname = "y"\nkind = "logits"\n'
    )
    before = Auction.of("N:1C Pass 1H Pass 2NT Pass")
    row = np.zeros(1 + 4 * 38)
    row[0] = 16
    for place, call in enumerate(before.calls[-4:]):
        row[1 + 38 * place + call.index] = 1
    logits = np.where([before.can(call) for call in ALL], row @ weights + bias, -np.inf)
    expected = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert OnnxBidder(str(path)).probabilities(HANDS[:1], before)[0] == pytest.approx(
        expected, abs=1e-5
    )
    check_bidder(OnnxBidder(str(path)), players=4, hands=10)


def test_a_posterior_follows_the_network(tmp_path):
    """A network that opens with points: who opens has more of them, who passes has
    fewer.
    """
    weights = np.zeros((WIDTH, 38))
    bias = np.full(38, -9.0)
    # One-level bids by points, Pass for the others.
    weights[56, 3:8] = 4.0
    bias[3:8] = 0.0
    bias[0] = 4.0
    write_network(tmp_path / "robot.onnx", weights, bias)
    (tmp_path / "robot.toml").write_text(DESCRIPTION)
    start = Belief(
        "S",
        "AKQ2.KJ3.A54.Q32",
        dummy=None,
        bidder=OnnxBidder(str(tmp_path / "robot.toml")),
    )
    means = []
    for call in ("1C", "Pass"):
        points = (
            start.given(Called("W", call))
            .infer(draws=2000, rng=1)
            .point_probabilities()
            .sel(seat="W")
        )
        means.append(float((points * points.points).sum()))
    assert means[0] > 10 > 7 > means[1]


def test_files_are_found_by_the_environment(robot, monkeypatch, tmp_path):
    import bayesbridge_onnx

    monkeypatch.delenv(VARIABLE, raising=False)
    assert bayesbridge_bidders() == {}
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    registry = load([("onnx", bayesbridge_onnx)], installed=False)
    assert "robot" in registry.bidders
    monkeypatch.setenv(VARIABLE, f"{robot[0]}")
    assert bayesbridge_bidders() == {"robot": OnnxBidder(str(robot[0]))}
    (tmp_path / "again.toml").write_text(DESCRIPTION)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(BayesBridgeError, match="name 'robot' is taken"):
        bayesbridge_bidders()


@pytest.mark.parametrize(
    ("original", "replacement", "message"),
    [
        ('name = "robot"', "name = 3", "name is 3 in the file: give a str"),
        ('name = "robot"\n', "", "name is missing in the file: give a str"),
        (
            "slip = 0.01",
            "slop = 0.01",
            "unknown key 'slop' in the file: it takes inputs, model, name, output, slip",
        ),
        ("slip = 0.01", "slip = nan", "slip nan: give a finite number"),
        ("slip = 0.01", "slip =", "cannot be read: TOMLDecodeError"),
        (
            '{ what = "cards" }',
            '{ what = "tricks" }',
            "part 'tricks': choose of cards, lengths",
        ),
        (
            '{ what = "cards" }',
            '{ what = "cards", suits = "SHD" }',
            "suits 'SHD': write each of CDHS once",
        ),
        (
            '{ what = "cards" }',
            '{ what = "cards", calls = 3 }',
            "unknown key 'calls' in part 'cards'",
        ),
        ("calls = 4", "calls = 0", "calls 0: a history has from 1 to 1000 calls"),
        ('"logits"', '"odds"', "kind 'odds': write logits or probabilities"),
        (
            '"logits"',
            '"logits"\ncalls = ["Pass"]',
            "calls of the output: 1 different ones of 38",
        ),
        (
            '"logits"',
            '"logits"\ncalls = ["8C"]',
            "calls of the output: unknown call '8C'",
        ),
        ("[[inputs]]", "[inputs]", "inputs is {'name'"),
    ],
)
def test_a_wrong_description_is_one_line(robot, original, replacement, message):
    path = robot[0]
    assert original in DESCRIPTION
    path.write_text(DESCRIPTION.replace(original, replacement, 1))
    with pytest.raises(BayesBridgeError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("original", "replacement", "message"),
    [
        ('"robot.onnx"', '"none.onnx"', "cannot load"),
        (
            'name = "x"',
            'name = "hand"',
            "the network's inputs are x; described are hand: describe each once",
        ),
        (
            '    { what = "made" },\n',
            "",
            f"input 'x' takes {WIDTH} numbers and the parts give {WIDTH - 152}",
        ),
        (
            'name = "x"',
            'name = "x"\nsteps = true',
            "input 'x' has 2 dimensions: with steps there are 3, else 2",
        ),
        ('name = "y"', 'name = "bid"', "no output 'bid': the network has y"),
        (
            '"logits"',
            '"probabilities"',
            'the network gave no probabilities: is kind = "logits" right?',
        ),
    ],
)
def test_a_network_that_does_not_fit_is_one_line(robot, original, replacement, message):
    path = robot[0]
    path.write_text(DESCRIPTION.replace(original, replacement, 1))
    with pytest.raises(BayesBridgeError) as caught:
        OnnxBidder(str(path)).probabilities(HANDS, Auction.four("N"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_network_and_one_that_is_too_narrow(robot, tmp_path):
    path, weights, bias = robot
    (tmp_path / "robot.onnx").write_bytes(b"no network")
    with pytest.raises(BayesBridgeError, match="cannot load"):
        OnnxBidder(str(path)).probabilities(HANDS, Auction.four("N"))
    write_network(tmp_path / "robot.onnx", weights[:, :30], bias[:30])
    with pytest.raises(
        BayesBridgeError, match=r"output of shape \(3, 30\) for 3 hands and 38 calls"
    ):
        OnnxBidder(str(path)).probabilities(HANDS, Auction.four("N"))
