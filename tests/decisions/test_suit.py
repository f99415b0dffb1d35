"""Suit play: against a search of every plan, plans walked card by card, evidence, and
figures of textbooks.
"""

from itertools import combinations
from math import comb

import pytest

import bayesbridge as bb
from bayesbridge.decisions.suit import Combination, SuitGame, prior_shares, weights_of
from bayesbridge.game.cards import RANKS
from bayesbridge.game.cards import holding as read_holding

pytestmark = pytest.mark.quick


def every_outcome(first, second, west, east_of, goal, won=0):
    """Outcomes of all plans, as sets of layouts that reach the goal: single cards, no
    equals, nothing dropped.

    ``west`` maps the name of a layout to West's cards, ``east_of`` to East's;
    declarer's hands are sets of ranks.
    """
    if not west:
        return {frozenset()}
    if not first and not second:
        return {frozenset(west) if won >= goal else frozenset()}
    found = set()
    for hand, own, other in ((0, first, second), (1, second, first)):
        for lead in own:
            # The first hand leads: East, the second hand, West. The second hand leads: West, the first hand, East.
            next_, last = (east_of, west) if hand == 0 else (west, east_of)
            joined = {frozenset()}
            for card in seen(next_):
                here = holding(next_, card)
                choices = set()
                for third in other or {None}:
                    inner = {frozenset()}
                    for final in seen({name: last[name] for name in here}):
                        there = holding({name: last[name] for name in here}, final)
                        after_next = {name: next_[name] - {card} for name in there}
                        after_last = {name: last[name] - {final} for name in there}
                        hands = (own - {lead}, other - {third})
                        sides = (
                            (after_last, after_next)
                            if hand == 0
                            else (after_next, after_last)
                        )
                        ours = max(lead, -1 if third is None else third)
                        theirs = max(
                            -1 if card is None else card, -1 if final is None else final
                        )
                        deeper = every_outcome(
                            *(hands if hand == 0 else hands[::-1]),
                            *sides,
                            goal,
                            won + (ours > theirs),
                        )
                        inner = join(inner, deeper, there)
                    choices |= {finished(one, here) for one in inner}
                joined = join(joined, choices, here)
            found |= {finished(one, west) for one in joined}
    return found


LOST = "lost"


def join(before, more, here):
    """Each layout takes its worst reply: a name that any branch loses is marked as
    lost.
    """
    lost = {
        one | {(LOST, name) for name in here if name not in two}
        for one in before
        for two in more
    }
    return {frozenset(one) for one in lost}


def finished(marked, names):
    return frozenset(name for name in names if (LOST, name) not in marked)


def seen(hands):
    return {card for held in hands.values() for card in held or {None}}


def holding(hands, card):
    return [
        name
        for name, held in hands.items()
        if card in held or (card is None and not held)
    ]


@pytest.mark.parametrize(
    ("first", "second", "missing"),
    [("AQ", "32", "K4"), ("KJ", "32", "AQ"), ("AT", "Q2", "KJ3"), ("K9", "Q2", "AJT")],
)
def test_every_plan_of_a_short_suit(first, second, missing):
    """All plans, card by card, reach no more than the search says, with weights of all
    kinds.
    """
    fields = [read_holding(text) for text in (first, second, missing)]
    pair = Combination.of(fields[0], fields[1], 0x1FFF & ~sum(fields))
    ranks = [RANKS.index(letter) for letter in missing]
    west = {
        frozenset(held): frozenset(held)
        for size in range(len(ranks) + 1)
        for held in combinations(ranks, size)
    }
    east = {name: frozenset(ranks) - held for name, held in west.items()}
    layouts = pair.layouts
    for vacant in ((13, 13), (3, 9)):
        weights = weights_of(pair, prior_shares(pair, vacant))
        a, b = vacant
        shares = {
            name: comb(a + b - len(ranks), a - len(name)) / comb(a + b, a)
            for name in west
        }
        for goal in (1, 2):
            everything = every_outcome(
                frozenset(pair.first), frozenset(pair.second), west, east, goal
            )
            best = max(sum(shares[name] for name in outcome) for outcome in everything)
            game = SuitGame(pair, goal)
            reached = max(
                sum(
                    weight
                    for place, weight in enumerate(weights)
                    if outcome >> place & 1
                )
                for outcome, _ in game.front(game.start, (1 << len(layouts)) - 1, goal)
            )
            assert reached == pytest.approx(best, abs=1e-12)


def walked(step, first, second, west, east, table):
    """Tricks of a plan in one layout, card by card, against the worst that the
    defenders can do.
    """
    if step is None:
        return sure(first, second, west | east)
    leads_first = step["leader"] == table[0].name
    own, other = (first, second) if leads_first else (second, first)
    next_, last = (east, west) if leads_first else (west, east)
    lead = RANKS.index(step["lead"])
    assert lead in own
    worst = 13
    for card in next_ or {None}:
        answer = next(one for one in step["answers"] if matches(one["played"], card))
        third = RANKS.index(answer["card"]) if answer["card"] else None
        assert (third in other) if other else third is None
        for final in last or {None}:
            after = next(
                one["next"] for one in answer["then"] if matches(one["played"], final)
            )
            beats = max(lead, -1 if third is None else third) > max(
                -1 if card is None else card, -1 if final is None else final
            )
            hands = own - {lead}, other - {third}
            sides = next_ - {card}, last - {final}
            deeper = walked(
                after,
                *(hands if leads_first else hands[::-1]),
                *(sides[::-1] if leads_first else sides),
                table,
            )
            worst = min(worst, beats + deeper)
    return worst


def matches(played, card):
    return (card is None and not played) or (card is not None and RANKS[card] in played)


def sure(first, second, defenders):
    """Tricks that need no plan: cards above all of the defenders', one a trick."""
    top = max(defenders, default=-1)
    return min(sum(card > top for card in first | second), max(len(first), len(second)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("AJT32", "K954"),
        ("AQT", "432"),
        ("AKxx", "J98"),
        ("KJ7", "Txx"),
        ("AQ98x", "Jx"),
    ],
)
def test_a_plan_does_what_is_said_of_it(first, second):
    """Walked against all defences in each layout of single cards, with its text in
    words.
    """
    play = bb.suit_play(first, second)
    missing = [RANKS.index(letter) for letter in play.missing]
    m = len(missing)
    for line in (*play.goals, play.best):
        mean, reached = 0.0, dict.fromkeys(line.at_least, 0.0)
        for bits in range(1 << m):
            west = frozenset(
                rank for place, rank in enumerate(missing) if bits >> place & 1
            )
            share = comb(26 - m, 13 - len(west)) / comb(26, 13)
            hands = (
                frozenset(RANKS.index(letter) for letter in text)
                for text in (play.first, play.second)
            )
            tricks = walked(
                line.step, *hands, west, frozenset(missing) - west, play.table
            )
            mean += share * tricks
            for goal in reached:
                reached[goal] += share * (tricks >= goal)
        # Where a plan leaves off, all that is left is certain only for its own goal.
        assert line.goal is None or reached[line.goal] >= line.chance - 1e-9
        assert line.text(13)
        assert line.document(2)["plan"] is not None
        if line.goal is None:
            assert mean == pytest.approx(line.tricks, abs=1e-9)


def test_the_text_of_a_plan():
    assert bb.suit_play("AQ", "32").goals[0].text() == (
        "South leads the 2, North plays the queen; the ace if West plays the king.",
    )
    assert bb.suit_play("AKQ", "432").best.text() == ("Nothing is to choose.",)


def test_of_equal_cards_the_lowest_is_played():
    """The ten of jack and ten, the four of 5 and 4, the queen of three honours."""
    (finesse,) = (
        line for line in bb.suit_play("AJT32", "K954").goals if line.goal == 5
    )
    assert finesse.text()[2].startswith("    North leads the ten, South plays the king")
    assert bb.suit_play("AKQ2", "543").goals[-1].text()[0] == (
        "North leads the queen, South plays the 3."
    )
    assert bb.suit_play("AKQJT98765432", "-").goals == ()


def test_declarers_low_cards_count_as_small_where_the_search_is_long():
    """A bound from below, which says so."""
    whole = bb.suit_play("QT86", "A953")
    coarse = bb.suit_play("QT86", "A953", work=1000)
    assert (whole.small, coarse.small != "") == ("", True)
    for fine, rough in zip(whole.goals, coarse.goals, strict=False):
        assert rough.chance <= fine.chance + 1e-12
    assert coarse.best.tricks <= whole.best.tricks


def opened(*more):
    return bb.Belief("S", "K954.KJ3.A54.Q32").given(
        bb.Reveal("N", "AJT32.A2.K76.A54"), *more
    )


def test_length_beside_changes_the_best_play():
    """With seven hearts on the left the queen of spades lies on the right: 6 vacant
    places against 10 … 13.
    """
    belief = opened(bb.Length("W", "H", 7, 7))
    play = bb.suit_play("AJT32", "K954", belief.infer())
    left, right = (
        6,
        12,
    )  # West has 13 - 7 places, East 13 - 1 of the 8 hearts that are out
    same = bb.suit_play("AJT32", "K954", vacant=(left, right))
    assert play.goals[-1].chance == pytest.approx(same.goals[-1].chance, abs=1e-9)
    assert play.goals[-1].chance > bb.suit_play("AJT32", "K954").goals[-1].chance


def test_cards_played_are_gone():
    """After a round of the suit the rest is planned."""
    belief = bb.Belief("S", "K954.KJ3.A54.Q32", trump="NT").given(
        bb.Reveal("N", "AJT32.A2.K76.A54"), bb.Trick.of("W:S6 S2 S7 SK", trump="NT")
    )
    play = bb.suit_play("AJT3", "954", belief.infer())
    assert set(play.missing) == {"Q", "8"}
    # West led one spade and East followed, so 12 places each are left for two cards: the ace drops the queen if 1-1.
    assert play.goals[-1].chance == pytest.approx(12 * 12 * 2 / (24 * 23), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("AAJ", "K95"), "A stands twice in 'AAJ'"),
        (("A1", "K"), "unknown rank '1'"),
        (("-", "-"), "the defenders hold 13 cards"),
        (("Axxxxxxx", "Kxxxxxxx"), "more than 13 cards"),
        ((None, None), "no holdings"),
    ],
)
def test_bad_holdings_are_refused_in_one_line(arguments, words):
    with pytest.raises(bb.BayesBridgeError, match=words) as caught:
        bb.suit_play(*arguments)
    assert "\n" not in str(caught.value)


def test_bad_questions_about_a_posterior():
    posterior = opened().infer()
    with pytest.raises(bb.BayesBridgeError, match="not what N and S hold in any suit"):
        bb.suit_play("AQ", "K2", posterior)
    with pytest.raises(bb.BayesBridgeError, match="no suit"):
        bb.suit_play(posterior=posterior)
    with pytest.raises(bb.BayesBridgeError, match="N's hand is hidden"):
        bb.suit_play("AQ", "K2", bb.Belief("S", "K954.KJ3.A54.Q32").infer(rng=1))
    with pytest.raises(bb.BayesBridgeError, match="vacant places for 4 missing cards"):
        bb.suit_play("AJT32", "K954", vacant=(1, 2))


def test_the_picture():
    """Two bars for each number of tricks: by the plan for it, and by the plan for most
    on average.
    """
    play = bb.suit_play("AQJ32", "654")
    ax = bb.plots.suit_play(play)
    own, average = ([bar.get_height() for bar in bars] for bars in ax.containers)
    assert own == pytest.approx([line.chance for line in play.goals])
    assert average == pytest.approx(list(play.best.at_least.values()))
    assert all(best >= other - 1e-12 for best, other in zip(own, average, strict=True))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [
        f"{goal} or more" for goal in range(2, 6)
    ]
    certain = bb.plots.suit_play(bb.suit_play("AKQ", "432"))
    assert [bar.get_height() for bar in certain.patches] == [1.0, 1.0]


WARMERDAM = [
    ("AK9xx", "QT", None, "4.48"),
    ("AKxx", "J98", 4, "8"),
    ("AKxx", "J98", None, "2.8537"),
    ("AK987x", "Jx", 5, "88"),
    ("AK98xx", "Jx", 5, "88"),
    ("AK98xx", "Jx", None, "5.01"),
    ("AK9xxx", "Jx", 5, "85"),
    ("AK9xxx", "Jx", None, "4.96"),
    ("AK76x", "J98", None, "4.14"),
    ("AKxxx", "J9x", None, "4.01"),
    ("AQ98x", "Jx", 4, "71"),
    ("AQ9x", "Jxx", None, "2.77"),
]
"""Dummy, declarer, the number of tricks or ``None`` for most on average, the figure."""

BRIDGEHANDS = [
    ("AKTx", "Qxx", 4, "60.9"),
    ("AKxx", "Qxx", 4, "35.5"),
    ("AK98", "QTx", 4, "61.6"),
    ("AKTxx", "Qx", 4, "93.2"),
    ("AKTxx", "Qx", 5, "51.7"),
    ("AKxxx", "Qx", 4, "84"),
    ("AKxxx", "Qx", 5, "35.5"),
]

REESE = [("AKJTxx", "xxxx", 6, "89"), ("AQJTxx", "xxxxx", 6, "52")]


def reached(first, second, goal):
    """P(at least so many tricks), or the most tricks on average."""
    play = bb.suit_play(first, second)
    assert not play.small
    if goal is None:
        return play.best.tricks
    if goal <= play.sure:
        return 1.0
    return next((line.chance for line in play.goals if line.goal == goal), 0.0)


@pytest.mark.parametrize(
    ("first", "second", "goal", "printed"), [*WARMERDAM, *BRIDGEHANDS, *REESE]
)
def test_figures_in_print(first, second, goal, printed):
    value = reached(first, second, goal) * (1 if goal is None else 100)
    digits = len(printed.partition(".")[2])
    assert abs(value - float(printed)) <= 0.5 * 10**-digits + 1e-9
