"""Scripts of our own: read, planned, dealt, compared with ``dealer``, and damaged."""

import random
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bayesbridge import BayesBridgeError, Deal, DealPlan
from bayesbridge.dealing.language import parse
from bayesbridge.dealing.run import Numbering, exact_statistics, findings, printed
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expressions import TRUE, LayoutValues, opaque
from bayesbridge.game.layouts import Layouts, high_card_points, suit_lengths
from tests.dealing.plain_conditions import holds

FILES = sorted(Path(__file__).parent.glob("scripts/*.dlr"))
NOT_COMPARED = {"alternate_count": "the packaged dealer takes altcount and ignores it"}
DEALER = shutil.which("dealer") or shutil.which("dealer", path="/usr/games")
TRIED = 200_000
DRAWN = 4_000


@cache
def planned(path):
    """The script and its plan."""
    script = parse(path.read_text("utf-8"))
    return script, plan_of(script)


def plan_of(script):
    constraints = Constraints.free()
    for seat, mask in enumerate(script.predealt):
        constraints = constraints.hold(seat, mask)
    return DealPlan.of(given=constraints, condition=script.condition)


SOME_AND_ALL = [
    pytest.param(path, id=path.stem, marks=[] if place % 4 == 1 else pytest.mark.slow)
    for place, path in enumerate(FILES)
]
"""Every fourth by default; the others are slow tests."""


@pytest.mark.parametrize("path", SOME_AND_ALL)
def test_deals_meet_the_condition(path):
    script, plan = planned(path)
    masks = plan.search(60, 1).first(60)
    assert len(masks) == 60
    for deal, predealt in ((row, script.predealt) for row in masks.tolist()):
        assert holds(script.condition, deal)
        assert all(
            mask & cards == cards for mask, cards in zip(deal, predealt, strict=True)
        )
        assert sum(deal) == (1 << 52) - 1
    exact = exact_statistics(script, plan)
    layouts = Layouts.adopt(masks[:3])
    values = LayoutValues(layouts.masks)
    lines = []
    if script.prints:
        lines += printed(script, layouts, Numbering(), values)
    for finding in findings(script, exact, values):
        lines += finding.lines()
    assert lines


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_script_is_read(path):
    assert parse(path.read_text("utf-8")).condition != TRUE


@pytest.mark.slow
def test_most_plans_are_exact():
    assert sum(planned(path)[1].exact for path in FILES) >= 55


@cache
def dealt_by_dealer(path):
    """What dealer found: (n, 4) masks, and how many deals it tried."""
    text = path.read_text("utf-8").partition("\naction")[0]
    text += f"\ngenerate {TRIED}\nproduce {DRAWN}\naction printoneline\n"
    process = subprocess.run(
        [DEALER, "-s", "11"],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    lines = process.stdout.splitlines()
    deals = []
    for line in lines:
        if line.startswith("n "):
            words = line.split()
            deals.append(
                Deal.of(
                    "N:"
                    + " ".join(
                        words[i] if words[i] != "-" else "..." for i in (1, 3, 5, 7)
                    )
                )
            )
    (tried,) = (int(line.split()[1]) for line in lines if line.startswith("Generated"))
    return Layouts.of(deals).masks, tried


def features(masks):
    """Numbers of a deal to compare: points and lengths of every seat."""
    points = high_card_points(masks)
    lengths = suit_lengths(masks)
    for seat in range(4):
        yield points[:, seat].astype(int)
        for suit in range(4):
            yield lengths[:, seat, suit].astype(int)


@pytest.mark.skipif(
    DEALER is None,
    reason="dealer is not installed: install it, as by apt install dealer",
)
@pytest.mark.parametrize("path", SOME_AND_ALL)
def test_dealer_deals_alike(path):
    if path.stem in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[path.stem])
    _, plan = planned(path)
    dealer_masks, tried = dealt_by_dealer(path)
    masks = plan.search(DRAWN, 2).first(DRAWN)
    if plan.probability is not None:
        # Where dealer stopped at its number of deals, the tries are random instead; the
        # error is much the same.
        chance = float(plan.probability)
        spread = np.sqrt(tried * chance * (1 - chance))
        assert abs(len(dealer_masks) - tried * chance) <= 5.5 * spread + 5
    if len(dealer_masks) < 50:
        return
    worst = min(p for p in map(agreement, features(masks), features(dealer_masks)))
    assert worst > 1e-6 / (20 * len(FILES))


def agreement(sample, dealer_sample):
    """p of a χ² test that two samples come from the same distribution.

    Rare values are put together.
    """
    values = np.unique(np.concatenate([sample, dealer_sample]))
    counts = [(sample == value).sum() for value in values]
    dealer_counts = [(dealer_sample == value).sum() for value in values]
    table = np.array([counts, dealer_counts])
    large = table.sum(0) >= 20
    table = np.column_stack([table[:, large], table[:, ~large].sum(1)])
    table = table[:, table.sum(0) > 0]
    return 1.0 if table.shape[1] < 2 else chi2_contingency(table).pvalue


def test_another_condition_would_be_noticed():
    masks = (
        DealPlan.of(condition="hcp(north) >= 15 && hcp(north) <= 17")
        .deals(DRAWN, rng=1)
        .masks
    )
    other_masks = (
        DealPlan.of(condition="hcp(north) >= 15 && hcp(north) <= 18")
        .deals(DRAWN, rng=2)
        .masks
    )
    assert min(map(agreement, features(masks), features(other_masks))) < 1e-6 / (
        20 * len(FILES)
    )


TEXTS = [path.read_text("utf-8") for path in FILES]
PIECES = [
    *'()+-*/%<>=!?:,&|"#\n x0',
    "hcp",
    "north",
    "any",
    "shape(",
    "5xxx",
    "&&",
    "||",
    "action",
    "predeal",
    "SA",
]
PIECES += [
    "99999",
    "condition",
    "not",
    "spades(east)",
    "produce",
    "é",
    "\\n",
    "rnd(3)",
    "1000000000",
    "losers(south)",
]


def damaged(text, rng):
    """A text with one to four changes.

    Letters and words are lost, doubled, exchanged or put in.
    """
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(text) + 1)
        length = rng.randint(1, 8)
        match rng.randrange(5):
            case 0:
                text = text[:place] + text[place + length :]
            case 1:
                text = text[:place] + rng.choice(PIECES) + text[place:]
            case 2:
                text = (
                    text[:place]
                    + text[place : place + length] * 2
                    + text[place + length :]
                )
            case 3:
                words = text.split(" ")
                word = rng.randrange(len(words))
                other_word = rng.randrange(len(words))
                words[word], words[other_word] = words[other_word], words[word]
                text = " ".join(words)
            case _:
                digits = [i for i, letter in enumerate(text) if letter.isdigit()]
                if digits:
                    digit = rng.choice(digits)
                    text = text[:digit] + str(rng.randint(0, 40)) + text[digit + 1 :]
    return text


@pytest.mark.parametrize(
    ("seed", "count", "dealt"),
    [(1, 300, 12), pytest.param(2, 2_000, 200, marks=pytest.mark.slow)],
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
            masks = plan_of(script).search(10, 1, most=200_000).first(10)
        except BayesBridgeError as error:
            refused += "\n" not in str(error)
            continue
        right += 1
        for deal in masks.tolist():
            assert holds(script.condition, deal), text
            assert (
                np.bitwise_count(np.array(deal, dtype=np.uint64)).tolist() == [13] * 4
            )
    assert read > count // 10
    assert refused > count // 10
    assert refused + right >= min(count, dealt)
