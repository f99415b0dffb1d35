"""Scripts that somebody has damaged: one line that says what is wrong, or deals that meet what is left."""

import random
from pathlib import Path

import numpy as np
import pytest

from bayesbridge.constraints import Constraints
from bayesbridge.dealing.language import parse
from bayesbridge.dealing.plan import DealPlan, first
from bayesbridge.errors import BayesBridgeError
from bayesbridge.expressions import opaque
from tests.dealing.plain_conditions import holds

TEXTS = [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("scripts/*.dlr"))]
PIECES = [*'()+-*/%<>=!?:,&|"#\n x0', "hcp", "north", "any", "shape(", "5xxx", "&&", "||", "action", "predeal", "SA"]
PIECES += ["99999", "condition", "not", "spades(east)", "produce", "é", "\\n", "rnd(3)", "1000000000", "losers(south)"]


def damaged(text, rng):
    """A text with one to four changes: letters and words lost, doubled, exchanged or put in."""
    for _ in range(rng.randint(1, 4)):
        place, length = rng.randrange(len(text) + 1), rng.randint(1, 8)
        match rng.randrange(5):
            case 0:
                text = text[:place] + text[place + length :]
            case 1:
                text = text[:place] + rng.choice(PIECES) + text[place:]
            case 2:
                text = text[:place] + text[place : place + length] * 2 + text[place + length :]
            case 3:
                words = text.split(" ")
                one, two = rng.randrange(len(words)), rng.randrange(len(words))
                words[one], words[two] = words[two], words[one]
                text = " ".join(words)
            case _:
                digits = [i for i, letter in enumerate(text) if letter.isdigit()]
                if digits:
                    at = rng.choice(digits)
                    text = text[:at] + str(rng.randint(0, 40)) + text[at + 1 :]
    return text


@pytest.mark.parametrize(
    ("seed", "count", "dealt"), [(1, 300, 12), pytest.param(2, 2_000, 200, marks=pytest.mark.slow)]
)
def test_damaged_scripts_end_in_one_line_or_in_right_deals(seed, count, dealt):
    rng = random.Random(seed)
    read = refused = right = 0
    for _ in range(count):
        text = damaged(rng.choice(TEXTS), rng)
        try:
            script = parse(text)
            read += 1
            if read > dealt or opaque(script.condition):
                continue
            known = Constraints.free()
            for seat, mask in enumerate(script.predealt):
                known = known.hold(seat, mask)
            plan = DealPlan.compiled(known, script.condition)
            found = first(plan.search(10, 1, most=200_000), 10)
        except BayesBridgeError as error:
            refused += "\n" not in str(error)
            continue
        right += 1
        for deal in found.tolist():
            assert holds(script.condition, deal), text
            assert np.bitwise_count(np.array(deal, dtype=np.uint64)).tolist() == [13] * 4
    assert read > count // 10
    assert refused > count // 10
    assert refused + right >= min(count, dealt)
