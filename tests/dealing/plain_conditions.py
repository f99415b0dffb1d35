"""Conditions of the dealer language on one deal, in plain Python.

They are read card by card, with none of the package's tables.
"""

from bayesbridge.evidence.expressions import Held, Number, Operation, ShapeIn

RANKS = "23456789TJQKA"


def holds(expression, deal):
    """Whether a deal meets a condition."""
    return value(expression, [suits_of(int(mask)) for mask in deal]) != 0


def suits_of(mask):
    """The ranks of a hand in C D H S, as text."""
    suits = []
    for suit in range(4):
        ranks = [RANKS[rank] for rank in range(13) if mask >> (13 * suit + rank) & 1]
        suits.append("".join(ranks))
    return suits


def value(node, hands):
    """The value of an expression, by the suits of four hands."""
    match node:
        case Number(number):
            return number
        case Held(measure, seat, None):
            return sum(measured(measure, suit) for suit in hands[seat])
        case Held(measure, seat, suit):
            return measured(measure, hands[seat][suit])
        case ShapeIn(seat, shapes):
            return int(tuple(map(len, hands[seat])) in shapes)
        case Operation("and", operands):
            return int(all(value(operand, hands) for operand in operands))
        case Operation("or", operands):
            return int(any(value(operand, hands) for operand in operands))
        case Operation("not", (operand,)):
            return int(not value(operand, hands))
        case Operation("?", (chosen, yes, no)):
            return value(yes, hands) if value(chosen, hands) else value(no, hands)
        case Operation("score", (*contract, tricks)):
            vulnerable, level, strain = (number.value for number in contract)
            return paid(
                vulnerable, level, strain, min(max(value(tricks, hands), 0), 13)
            )
        case Operation("imps", (difference,)):
            points = value(difference, hands)
            sign = 1 if points > 0 else -1
            return sign * sum(abs(points) >= step for step in IMPS)
        case Operation(operator, (left_operand, right_operand)):
            left_value = value(left_operand, hands)
            right_value = value(right_operand, hands)
            return wrapped(OPERATIONS[operator](left_value, right_value))
    raise AssertionError(node)


def wrapped(number):
    """As 64 bits keep it."""
    return (int(number) + (1 << 63)) % (1 << 64) - (1 << 63)


def divided(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
    "%": lambda a, b: a - b * divided(a, b),
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

IMPS = [20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900]
IMPS += [1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000]


def measured(measure, suit):
    """A measure of a holding such as ``"2QA"``."""
    if measure.weights is not None:
        return sum(measure.weights[RANKS.index(rank)] for rank in suit)
    if measure.name == "short":
        return int(len(suit) <= 2)
    return {"loser": losers, "quality": quality, "cccc": four_c}[measure.name](suit)


def losers(suit):
    winners = "AKQ"[: len(suit)]
    return sum(rank not in suit for rank in winners)


def quality(suit):
    worth = sum({"A": 40, "K": 30, "Q": 20, "J": 10}.get(rank, 0) for rank in suit)
    honours = sum(rank in "AKQJ" for rank in suit)
    if len(suit) > 6:
        worth += 10 * min(len(suit) - 6, 3 - 2 * ("Q" in suit) - ("J" in suit))
    else:
        if "T" in suit:
            worth += 10 if honours >= 2 or "J" in suit else 5
        if "9" in suit and (honours == 2 or "T" in suit or "8" in suit):
            worth += 5
    return worth * len(suit)


def four_c(suit):
    """By the rules of *The Bridge World*, October 1982, times 100."""
    length = len(suit)
    worth = {0: 300, 1: 200, 2: 100}.get(length, 0)
    better = 0  # honours above the one that is looked at
    for rank in "AKQJ":
        if rank in suit:
            if rank == "A":
                worth += 300
            elif rank == "K":
                worth += 50 if length == 1 else 200
            elif rank == "Q":
                worth += {1: 25, 2: 75}.get(length, 100) - (25 if better == 0 else 0)
            else:
                worth += {1: 25, 2: 50}.get(better, 0)
            better += 1
    if "T" in suit and (better == 2 or (better == 1 and "9" in suit)):
        worth += 25
    return worth + quality(suit)


def paid(vulnerable, level, strain, tricks, doubled=0):
    """Duplicate score by law 77; ``doubled`` is 1 for a double, 2 for a redouble."""
    down = level + 6 - tricks
    if down > 0 and not doubled:
        return -down * (100 if vulnerable else 50)
    if down > 0:
        penalties = [100, 200, 200] + [300] * 10
        if vulnerable:
            penalties = [200] + [300] * 12
        return -doubled * sum(penalties[:down])
    trick = 20 if strain in (0, 1) else 30
    bid = (trick * level + 10 * (strain == 4)) * 2**doubled
    bonus = 50
    if bid >= 100:
        bonus = 500 if vulnerable else 300
    slam_bonus = {6: 500, 7: 1000}
    if vulnerable:
        slam_bonus = {6: 750, 7: 1500}
    bonus += slam_bonus.get(level, 0)
    overtrick = doubled * (200 if vulnerable else 100) or trick
    return bid + bonus + 50 * doubled - down * overtrick
