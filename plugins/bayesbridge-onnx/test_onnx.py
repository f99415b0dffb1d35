"""Bidders from ONNX files.

Networks are made here byte by byte, answers compared with NumPy's, and what is wrong is
one line.
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
STEPS_DESCRIPTION = """
name = "steps"
model = "steps.onnx"
slip = 0
[[inputs]]
name = "x"
steps = true
parts = [{ what = "points" }, { what = "history", calls = 4 }]
[output]
name = "y"
kind = "logits"
"""
ALL = tuple(Call(index) for index in range(38))
WIDTH = 52 + 4 + 1 + 2 + 38 + 4 * 38 + 4 * 39


FIELDS = {
    "model": {"ir_version": 1, "graph": 7, "opset_import": 8},
    "operators": {"version": 2},
    "graph": {"node": 1, "name": 2, "initializer": 5, "input": 11, "output": 12},
    "node": {"input": 1, "output": 2, "op_type": 4},
    "tensor": {"dims": 1, "data_type": 2, "name": 8, "raw_data": 9},
    "value_info": {"name": 1, "type": 2},
    "type": {"tensor_type": 1},
    "tensor_type": {"elem_type": 1, "shape": 2},
    "shape": {"dim": 1},
    "dimension": {"dim_value": 1, "dim_param": 2},
}
"""Numbers of the fields of ONNX's messages."""

FLOAT = 1
"""ONNX's number of single precision."""


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


def message(kind, **values):
    """A message with these fields; the values of a list are written one by one."""
    encoded = b""
    for name, value in values.items():
        number = FIELDS[kind][name]
        repeated = value if isinstance(value, list) else [value]
        for element in repeated:
            encoded += field(number, element)
    return encoded


def tensor(name, array):
    """The values of an array, by a name."""
    raw_data = array.astype("<f4").tobytes()
    dims = list(array.shape)
    return message("tensor", dims=dims, data_type=FLOAT, name=name, raw_data=raw_data)


def value_info(name, shape):
    """The type of an input or output; a dimension may be a name."""
    dimensions = []
    for size in shape:
        key = "dim_value" if isinstance(size, int) else "dim_param"
        dimensions.append(message("dimension", **{key: size}))
    shape_message = message("shape", dim=dimensions)
    tensor_type = message("tensor_type", elem_type=FLOAT, shape=shape_message)
    type_message = message("type", tensor_type=tensor_type)
    return message("value_info", name=name, type=type_message)


def node(kind, inputs, output):
    """An operation on values by name."""
    return message("node", input=list(inputs), output=output, op_type=kind)


def write_network(path, weights, bias, kind=None, shape=("n", WIDTH)):
    """y = x·weights + bias, or a function of it: an ONNX model of two or three nodes."""
    sum_name = "y" if kind is None else "z"
    nodes = [node("MatMul", ("x", "w"), "xw"), node("Add", ("xw", "b"), sum_name)]
    if kind is not None:
        nodes.append(node(kind, ("z",), "y"))
    output_shape = (*shape[:-1], weights.shape[1])
    graph = message(
        "graph",
        node=nodes,
        name="bids",
        initializer=[tensor("w", weights), tensor("b", bias)],
        input=value_info("x", shape),
        output=value_info("y", output_shape),
    )
    operators = message("operators", version=17)
    model = message("model", ir_version=8, graph=graph, opset_import=operators)
    path.write_bytes(model)


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
    is_legal = np.array([before.can(call) for call in ALL])
    odds = np.where(is_legal, np.exp(outputs.astype(np.float64)), 0.0)
    chances = odds / odds.sum(axis=1, keepdims=True)
    expected = np.where(is_legal, 0.99 * chances + 0.01 / is_legal.sum(), 0.0)
    bidder = OnnxBidder(str(path), Vulnerability.EW)
    assert bidder.probabilities(HANDS, before) == pytest.approx(expected, abs=1e-5)
    after_pass = before.after("Pass")
    log_likelihood = bidder.log_likelihood(HANDS, after_pass, len(before.calls))
    assert log_likelihood == pytest.approx(np.log(expected[:, 0]), abs=1e-4)


def test_it_keeps_the_contract(robot):
    check_bidder(OnnxBidder(str(robot[0])), players=4)
    check_bidder(OnnxBidder(str(robot[0])))


def test_settings_are_those_of_other_models(robot):
    bidder = OnnxBidder(str(robot[0]))
    settings = {"vulnerable": Vulnerability.ALL, "slip": 1.0}
    random_bidder = with_settings(bidder, settings)
    no_calls = Auction.four("N")
    probabilities = random_bidder.probabilities(HANDS, no_calls)
    assert probabilities[:, 3:] == pytest.approx(np.full((3, 35), 1 / 36))
    wrong_bidder = with_settings(bidder, {"slip": 2.0})
    with pytest.raises(BayesBridgeError, match=r"slip 2\.0: it is a probability"):
        wrong_bidder.probabilities(HANDS, no_calls)


def test_probabilities_in_another_order_of_calls(tmp_path, robot):
    """The same network with a softmax and its calls turned round says the same."""
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
    path.write_text(STEPS_DESCRIPTION)
    before = Auction.of("N:1C Pass 1H Pass 2NT Pass")
    row = np.zeros(1 + 4 * 38)
    row[0] = 16
    for place, call in enumerate(before.calls[-4:]):
        row[1 + 38 * place + call.index] = 1
    is_legal = [before.can(call) for call in ALL]
    logits = np.where(is_legal, row @ weights + bias, -np.inf)
    weights_of_calls = np.exp(logits - logits.max())
    expected = weights_of_calls / weights_of_calls.sum()
    bidder = OnnxBidder(str(path))
    answer = bidder.probabilities(HANDS[:1], before)[0]
    assert answer == pytest.approx(expected, abs=1e-5)
    check_bidder(bidder, players=4, hands=10)


def test_a_posterior_follows_the_network(tmp_path):
    """A network opens with points: who opens has more of them, who passes has fewer."""
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
