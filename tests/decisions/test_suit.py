"""Suit play against a search of every plan.

Plans walked card by card, evidence, and figures of textbooks.
"""

from itertools import combinations, product
from math import comb
from typing import NamedTuple

import pytest

import bayesbridge as bb
from bayesbridge.decisions.suit import Combination, SuitGame, prior_shares, weights_of
from bayesbridge.game.cards import RANKS
from bayesbridge.game.cards import holding as read_holding

pytestmark = pytest.mark.quick


def every_outcome(north, south, west, east, goal, won=0):
    """Outcomes of all plans, as sets of layouts that reach the goal.

    Single cards, no equals, nothing dropped.

    ``west`` maps the name of a layout to West's cards, ``east`` to East's; declarer's
    hands are sets of ranks.
    """
    if not west:
        return {frozenset()}
    if not north and not south:
        return {frozenset(west) if won >= goal else frozenset()}
    leads_of_north = Lead(north, south, east, west, goal, won)
    leads_of_south = Lead(south, north, west, east, goal, won)
    return leads_of_north.outcomes() | leads_of_south.outcomes()


class Lead(NamedTuple):
    """A hand is to lead, then a defender, its partner and the last defender play."""

    leader: frozenset
    partner: frozenset
    next_hands: dict
    last_hands: dict
    goal: int
    won: int

    def outcomes(self):
        outcomes = set()
        for lead in self.leader:
            joined = {frozenset()}
            for card in cards_of(self.next_hands):
                names = holding(self.next_hands, card)
                joined = join(joined, self.after_two_cards(lead, card, names), names)
            outcomes |= {finished(outcome, self.next_hands) for outcome in joined}
        return outcomes

    def after_two_cards(self, lead, card, names):
        """Outcomes in the layouts of these names; partner chooses its card."""
        last_hands = {name: self.last_hands[name] for name in names}
        choices = set()
        for third in self.partner or {None}:
            joined = {frozenset()}
            for final in cards_of(last_hands):
                names_of_final = holding(last_hands, final)
                deeper = self.after_trick(lead, card, third, final, names_of_final)
                joined = join(joined, deeper, names_of_final)
            choices |= {finished(outcome, names) for outcome in joined}
        return choices

    def after_trick(self, lead, card, third, final, names):
        return every_outcome(
            self.leader - {lead},
            self.partner - {third},
            {name: self.last_hands[name] - {final} for name in names},
            {name: self.next_hands[name] - {card} for name in names},
            self.goal,
            self.won + beats((lead, third), (card, final)),
        )


def beats(cards, defenders_cards):
    """Whether declarer's side takes the trick; ``None`` is a card of another suit."""
    return highest(cards) > highest(defenders_cards)


def highest(cards):
    return max(-1 if card is None else card for card in cards)


LOST = "lost"


def join(outcomes, replies, names):
    """Each layout takes its worst reply.

    A name that any branch loses is marked as lost.
    """
    joined = set()
    for outcome, reply in product(outcomes, replies):
        lost = {(LOST, name) for name in names if name not in reply}
        joined.add(outcome | lost)
    return joined


def finished(marked, names):
    return frozenset(name for name in names if (LOST, name) not in marked)


def cards_of(hands):
    """The cards that a defender may play in some layout, ``None`` if it has none."""
    return set().union(*(held or {None} for held in hands.values()))


def holding(hands, card):
    return [
        name
        for name, held in hands.items()
        if card in held or (card is None and not held)
    ]


def best_of_all_plans(pair, ranks, goal, vacant):
    """The greatest P(goal) of all plans, card by card; ``ranks`` are missing."""
    west = {}
    for size in range(len(ranks) + 1):
        for held in combinations(ranks, size):
            west[frozenset(held)] = frozenset(held)
    east = {name: frozenset(ranks) - held for name, held in west.items()}
    west_places, east_places = vacant
    places = west_places + east_places
    shares = {
        name: comb(places - len(ranks), west_places - len(name))
        / comb(places, west_places)
        for name in west
    }
    outcomes = every_outcome(
        frozenset(pair.first), frozenset(pair.second), west, east, goal
    )
    return max(sum(map(shares.get, outcome)) for outcome in outcomes)


def best_of_search(pair, weights, goal):
    """The greatest P(goal) of the plans that the search keeps."""
    game = SuitGame(pair, goal)
    all_layouts = (1 << len(pair.layouts)) - 1
    chances = []
    for outcome, _ in game.front(game.start, all_layouts, goal):
        reached = [
            weight for place, weight in enumerate(weights) if outcome >> place & 1
        ]
        chances.append(sum(reached))
    return max(chances)


@pytest.mark.parametrize(
    ("north", "south", "missing"),
    [("AQ", "32", "K4"), ("KJ", "32", "AQ"), ("AT", "Q2", "KJ3"), ("K9", "Q2", "AJT")],
)
def test_every_plan_of_a_short_suit(north, south, missing):
    """All plans, card by card, reach no more than the search says.

    With weights of all kinds.
    """
    fields = [read_holding(text) for text in (north, south, missing)]
    pair = Combination.of(fields[0], fields[1], 0x1FFF & ~sum(fields))
    ranks = [RANKS.index(letter) for letter in missing]
    for vacant in ((13, 13), (3, 9)):
        weights = weights_of(pair, prior_shares(pair, vacant))
        for goal in (1, 2):
            assert best_of_search(pair, weights, goal) == pytest.approx(
                best_of_all_plans(pair, ranks, goal, vacant), abs=1e-12
            )


def tricks_of_plan(step, leader, partner, west, east, seats):
    """Tricks of a plan in one layout, card by card.

    Against the worst that the defenders can do. ``leader`` and
    ``partner`` are the hands of the two ``seats``, in this order.
    """
    if step is None:
        return sure_tricks(leader, partner, west | east)
    if step["leader"] != seats[0].name:
        assert step["leader"] == seats[1].name
        return tricks_of_plan(step, partner, leader, east, west, seats[::-1])
    lead = RANKS.index(step["lead"])
    assert lead in leader
    worst = 13
    for card in east or {None}:
        answer = next(
            answer for answer in step["answers"] if matches(answer["played"], card)
        )
        third = RANKS.index(answer["card"]) if answer["card"] else None
        assert (third in partner) if partner else third is None
        for final in west or {None}:
            branch = next(
                branch for branch in answer["then"] if matches(branch["played"], final)
            )
            deeper = tricks_of_plan(
                branch["next"],
                leader - {lead},
                partner - {third},
                west - {final},
                east - {card},
                seats,
            )
            worst = min(worst, beats((lead, third), (card, final)) + deeper)
    return worst


def matches(played, card):
    return (card is None and not played) or (card is not None and RANKS[card] in played)


def sure_tricks(north, south, defenders):
    """Tricks that need no plan: cards above all of the defenders', one a trick."""
    top = max(defenders, default=-1)
    return min(sum(card > top for card in north | south), max(len(north), len(south)))


def ranks_of(text):
    return frozenset(RANKS.index(letter) for letter in text)


@pytest.mark.parametrize(
    ("north", "south"),
    [
        ("AJT32", "K954"),
        ("AQT", "432"),
        ("AKxx", "J98"),
        ("KJ7", "Txx"),
        ("AQ98x", "Jx"),
    ],
)
def test_a_plan_does_what_is_said_of_it(north, south):
    """Plans are walked against all defences in each layout of single cards.

    With their text in words.
    """
    play = bb.suit_play(north, south)
    missing = [RANKS.index(letter) for letter in play.missing]
    m = len(missing)
    for line in (*play.goals, play.best):
        mean = 0.0
        reached = dict.fromkeys(line.at_least, 0.0)
        for bits in range(1 << m):
            west = frozenset(
                rank for place, rank in enumerate(missing) if bits >> place & 1
            )
            share = comb(26 - m, 13 - len(west)) / comb(26, 13)
            tricks = tricks_of_plan(
                line.step,
                ranks_of(play.first),
                ranks_of(play.second),
                west,
                frozenset(missing) - west,
                play.table,
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
    exhaustive = bb.suit_play("QT86", "A953")
    coarse = bb.suit_play("QT86", "A953", work=1000)
    assert (exhaustive.small, coarse.small != "") == ("", True)
    for fine, rough in zip(exhaustive.goals, coarse.goals, strict=False):
        assert rough.chance <= fine.chance + 1e-12
    assert coarse.best.tricks <= exhaustive.best.tricks


def opened(*evidence):
    return bb.Belief("S", "K954.KJ3.A54.Q32").given(
        bb.Reveal("N", "AJT32.A2.K76.A54"), *evidence
    )


def test_length_beside_changes_the_best_play():
    """With seven hearts on the left the queen of spades lies on the right.

    There are 6 vacant places against 10 … 13.
    """
    belief = opened(bb.Length("W", "H", 7, 7))
    play = bb.suit_play("AJT32", "K954", belief.infer())
    # West has 13 - 7 places, East 13 - 1 of the 8 hearts that are out
    left = 6
    right = 12
    by_places = bb.suit_play("AJT32", "K954", vacant=(left, right))
    assert play.goals[-1].chance == pytest.approx(by_places.goals[-1].chance, abs=1e-9)
    assert play.goals[-1].chance > bb.suit_play("AJT32", "K954").goals[-1].chance


def test_cards_played_are_gone():
    """After a round of the suit the rest is planned."""
    belief = bb.Belief("S", "K954.KJ3.A54.Q32", trump="NT").given(
        bb.Reveal("N", "AJT32.A2.K76.A54"), bb.Trick.of("W:S6 S2 S7 SK", trump="NT")
    )
    play = bb.suit_play("AJT3", "954", belief.infer())
    assert set(play.missing) == {"Q", "8"}
    # West led one spade and East followed, so 12 places each are left for two cards:
    # the ace drops the queen if 1-1.
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
    """Two bars for each number of tricks.

    By the plan for it, and by the plan for most on average.
    """
    play = bb.suit_play("AQJ32", "654")
    ax = bb.plots.suit_play(play)
    own_bars, average_bars = ax.containers
    own = [bar.get_height() for bar in own_bars]
    average = [bar.get_height() for bar in average_bars]
    assert own == pytest.approx([line.chance for line in play.goals])
    assert average == pytest.approx(list(play.best.at_least.values()))
    assert all(
        chance >= mean_chance - 1e-12
        for chance, mean_chance in zip(own, average, strict=True)
    )
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


def reached(north, south, goal):
    """P(at least so many tricks), or the most tricks on average."""
    play = bb.suit_play(north, south)
    assert not play.small
    if goal is None:
        return play.best.tricks
    if goal <= play.sure:
        return 1.0
    return next((line.chance for line in play.goals if line.goal == goal), 0.0)


@pytest.mark.parametrize(
    ("north", "south", "goal", "printed"), [*WARMERDAM, *BRIDGEHANDS, *REESE]
)
def test_figures_in_print(north, south, goal, printed):
    value = reached(north, south, goal) * (1 if goal is None else 100)
    digits = len(printed.partition(".")[2])
    assert abs(value - float(printed)) <= 0.5 * 10**-digits + 1e-9
