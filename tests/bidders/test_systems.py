"""Systems: what statements say, and how they reweigh a bidder.

Mixtures, calibration, and errors in one line.
"""

from contextlib import nullcontext
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from scipy import stats

import bayesbridge as bb
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.bidders.statements import Statement, points_and_shapes
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.bidders.system_files import AskingCall
from bayesbridge.bidders.systems import System
from bayesbridge.plugins import check_bidder
from tests.deals import deal_masks

START = bb.Auction.four("N")


@pytest.fixture(scope="module")
def hands():
    """(20 000,) masks of random hands."""
    return deal_masks(5000, 7).ravel()


@pytest.fixture(scope="module")
def plain(hands):
    """(20 000, 38) chances of the dealer's calls under the learned bidder."""
    return bb.LearnedBidder().probabilities(hands, START)


def before(calls):
    """The auction in which it is somebody's turn after these calls."""
    return START.after_all(calls) if calls else START


KNOWN = """
acol           |              | AQ5.KJ3.Q954.973  | 1NT  | 12 to 14
acol           | 1C Pass 1S Pass | Q5.KJ3.A95.AQ873 | 1NT | 15 to 17
acol           | 1H Pass      | A5.KJ94.J754.Q73  | 3H   | limit raise
precision      |              | AQ5.KJ3.A954.Q73  | 1C   | 16 or more
precision      |              | AQ54.KJ32.5.Q973  | 2D   | short diamonds
precision      | 1C Pass 1D Pass | AQ5.KJ3.A954.Q73 | 1NT | 16 to 18
sayc           |              | AK5.AKJ3.AQJ4.97  | 2C   | strong
sayc           | 1S Pass      | KJ94.A5.J754.Q73  | 3S   | limit raise
sayc           | 1S Pass      | KJ94.A5.AJ54.Q73  | 2NT  | strong raise
sayc           | 1C 1S        | 94.KJ75.Q854.J73  | X    | negative
sayc           | 1S Pass      | KJ94.A865.KJ74.3  | 4C   | splinter
sayc           | 1S Pass 2NT Pass | AQ852.KJ3.A954.7 | 3C | short in clubs
sayc           | 1S Pass 3S Pass | AQ852.KJ3.AJ54.7 | 4S | accepts
sayc           | 1NT Pass 2NT Pass | AQ5.KJ3.KJ54.Q73 | 3NT | accepts
sayc           | 1NT Pass 4C Pass | AQ5.KJ3.A954.Q73 | 4S | two aces
sayc           | 1S Pass 3S Pass 4NT Pass | KJ94.A865.QJ4.83 | 5H | two key cards
acol           | 1NT Pass 2NT Pass | AQ5.KJ3.Q954.973 | Pass | minimum
two-over-one   | 1S Pass 4C Pass 4NT Pass | KQ94.8652.KJ43.3 | 5C | one key card
two-over-one   | 1S Pass      | K9.85.K754.AJ973  | 1NT  | not enough to force to game
two-over-one   | 1S Pass      | K9.85.AQ54.AJ973  | 2C   | game force
"""


@pytest.mark.parametrize("line", KNOWN.strip().splitlines())
def test_well_known_hands_make_the_call_of_their_system(line):
    system, calls, hand, expected, _ = (column.strip() for column in line.split("|"))
    chances = SystemBidder(system).probabilities(
        np.array([bb.Hand.of(hand).mask], np.uint64), before(calls)
    )[0]
    assert str(bb.Call(int(chances.argmax()))) == expected


@pytest.mark.parametrize(
    ("system", "calls"),
    [
        *product(("sayc", "acol", "precision"), [""]),
        ("precision", "1C Pass"),
        ("two-over-one", "1S Pass"),
        ("sayc", "1D 2C"),
    ],
)
def test_of_the_hands_that_make_a_call_the_share_faith_fits(system, calls, hands):
    """On other hands than those that made the factors.

    Those were a tenth as many: together 3.3 times the error.
    """
    bidder = SystemBidder(system)
    auction = before(calls)
    chances, plain = (
        model.probabilities(hands, auction) for model in (bidder, bidder.base)
    )
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    as_often = []
    for call, statements in System.of(system).meanings(auction).items():
        fits = np.logical_or.reduce(
            [
                statement.fits(hands, *points_and_shapes(hands))
                for statement in statements
            ]
        )
        weights = chances[:, call.index]
        usual = plain[:, call.index]
        share = weights @ fits / weights.sum()
        error = np.sqrt(weights**2 @ (fits - share) ** 2) / weights.sum()
        assert share > min(0.9, usual @ fits / usual.sum()) - 5 * 3.3 * error - 0.005, (
            str(call),
            share,
            error,
        )
        as_often.append(weights.sum() / min(usual.sum(), fits.sum()))
    # but for what others that hold always leave to it, a call is no rarer
    assert np.median(as_often) > 0.8


def test_what_a_player_has_denied_is_not_meant(hands):
    """Two over one by a passed hand is no game force; a raise is a raise."""
    bidder = SystemBidder("two-over-one")
    plain = bb.LearnedBidder()
    two = bb.Call.of("2D").index
    raised = bb.Call.of("2S").index
    points = bb.plugins.high_card_points(hands)
    limited = hands[(points > 8) & (points < 11)][:500]
    for calls, meant in (("1S Pass", True), ("Pass Pass 1S Pass", False)):
        by_system, by_learned = (
            model.probabilities(limited, before(calls)).mean(axis=0)
            for model in (bidder, plain)
        )
        assert (by_system[two] < 0.5 * by_learned[two]) == meant
        assert by_system[raised] != by_learned[raised]


def held(masks, cards):
    """(n,) how many of these cards each hand has."""
    return np.bitwise_count(masks & np.uint64(bb.Hand.of(cards).mask))


def points(masks):
    return sum(
        rank * held(masks, f"S{letter} H{letter} D{letter} C{letter}")
        for rank, letter in enumerate("JQKA", 1)
    )


def length(masks, suit):
    return held(masks, [f"{suit}{rank}" for rank in "23456789TJQKA"])


ACES = "SA HA DA CA"


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        (
            "11-15 points, S5+ D4, always",
            lambda m: (
                (points(m) > 10)
                & (points(m) < 16)
                & (length(m, "S") > 4)
                & (length(m, "D") == 4)
            ),
        ),
        (
            "0 or 3 aces, -14 points",
            lambda m: np.isin(held(m, ACES), (0, 3)) & (points(m) <= 14),
        ),
        ("1 or 4 key cards", lambda m: np.isin(held(m, f"{ACES} HK"), (1, 4))),
        (
            "2 key cards with the queen",
            lambda m: (held(m, f"{ACES} HK") == 2) & (held(m, "HQ") == 1),
        ),
        (
            "2 or 5 key cards without the queen",
            lambda m: np.isin(held(m, f"{ACES} HK"), (2, 5)) & (held(m, "HQ") == 0),
        ),
    ],
)
def test_a_statement_fits_what_its_words_say(hands, text, fitting):
    """Hearts are agreed."""
    statement = Statement.of(text, bb.Suit.H)
    assert Statement.of(statement.text, bb.Suit.H) == statement
    assert statement.always == text.endswith("always")
    assert np.array_equal(
        statement.fits(hands, *points_and_shapes(hands)), fitting(hands)
    )
    assert fitting(hands).any()


@pytest.mark.parametrize(
    ("calls", "suit"),
    [
        ("1S P 3S P 4NT P", "S"),
        ("1S P 4C P 4NT P", "S"),  # a splinter
        ("1S P 2NT P 3C P 4NT P", "S"),  # the strong raise, and shortness
        ("1H P 1S P 3S P 4C P 4D P 4NT P", "S"),  # controls
        ("1H P 2C P 2H P 4NT P", "H"),
        ("1S 2H 3H P 3S P 4NT P", "S"),  # their suit is no suit of ours
        ("1C P 1NT P 2S P 3S P 4NT P", "S"),
        ("1NT P 2D P 3H P 4NT P", "H"),  # a raise of a transfer
        ("1NT P 2D P 2H P 4NT P", None),  # invites
        ("1NT P 4NT P", None),
        ("1S P 2C P 2NT P 4NT P", None),
        ("1S 4NT P", None),
        ("1S P 3S P 4NT 5C", None),
    ],
)
def test_answers_are_about_the_agreed_suit(calls, suit):
    sayc = System.of("sayc")
    auction = before(calls)
    answers = (
        None
        if suit is None
        else sayc.places[AskingCall(bb.Call.of("4NT"), bb.Suit.of(suit))]
    )
    assert sayc.meanings(auction) == answers or (
        answers is None and bb.Call.of("5C") not in sayc.meanings(auction)
    )


@pytest.mark.parametrize(
    ("system", "calls", "seat", "shown", "least"),
    [
        ("sayc", "W:2C", "W", lambda m: points(m) >= 20, 0.9),
        ("sayc", "W:1S P 4C", "E", lambda m: length(m, "C") < 2, 0.85),
        ("sayc", "W:1NT P 4C P 4H", "W", lambda m: held(m, ACES) == 1, 0.85),
        (
            "sayc",
            "W:1S P 3S P 4NT P 5H",
            "E",
            lambda m: held(m, f"{ACES} SK") == 2,
            0.85,
        ),
        (
            "two-over-one",
            "W:1H P 1S P 3S P 4NT P 5D",
            "W",
            lambda m: held(m, f"{ACES} SK") % 3 == 0,
            0.85,
        ),
    ],
)
def test_an_observer_reads_what_a_call_shows(system, calls, seat, shown, least):
    share, error = share_of(shown, SystemBidder(system), seat, bb.Auction.of(calls))
    assert share > least - 3 * error, (share, error)


def share_of(shown, bidder, seat, *evidence):
    """P(the hand of a seat has a feature) and its standard error.

    By South's posterior.
    """
    belief = bb.Belief(
        "S", "QJ84.T93.K742.J5", dummy=None, bidder=bidder, player=bb.LearnedPlayer()
    ).given(*evidence)
    posterior = belief.infer(draws=500, rng=1)
    fits = shown(posterior.layouts.masks[:, bb.Seat.of(seat)])
    weights = posterior.weights / posterior.weights.sum()
    share = weights @ fits
    return share, np.sqrt(weights**2 @ (fits - share) ** 2)


@pytest.mark.parametrize(
    ("leads", "cards"), [("fourth best", 4), ("third and fifth", 5)]
)
def test_a_lead_is_read_by_the_agreement_of_its_side(leads, cards, tmp_path):
    (tmp_path / "own.toml").write_text(f'leads = "{leads}"\n')
    evidence = bb.Auction.of("S:1NT P 3NT P P P"), bb.Play("W", "H2")
    (read_by_them, their_error), (read_by_us, our_error) = (
        share_of(
            lambda m: length(m, "H") == cards,
            SystemBidder(f"{side}:{tmp_path / 'own.toml'}"),
            "W",
            *evidence,
        )
        for side in ("EW", "NS")
    )
    assert read_by_them > read_by_us + 5 * np.hypot(their_error, our_error)


def test_points_and_a_shape_are_read_where_a_hand_has_both():
    """Against all sums of honours, suit by suit: of n cards at most nine are none."""
    honours = []
    for k in range(5):
        honours += combinations((4, 3, 2, 1), k)

    def sums_of(n):
        """The points that n cards of a suit can have."""
        return {
            sum(combination)
            for combination in honours
            if len(combination) <= n <= len(combination) + 9
        }

    sums = [sums_of(n) for n in range(14)]
    for lengths in combinations_with_replacement(range(14), 4):
        if sum(lengths) == 13:
            held = set(map(sum, product(*(sums[n] for n in lengths))))
            for points in range(41):
                text = f"{points} points, {'-'.join(map(str, lengths))}"
                with (
                    nullcontext()
                    if points in held
                    else pytest.raises(bb.errors.NotationError, match="no hand of 13")
                ):
                    Statement.of(text)


@pytest.mark.parametrize(
    "systems",
    ["precision", ["weak-twos", "NS:strong-notrump=0.5", "weak-notrump=0.25"]],
)
def test_it_keeps_the_contract(systems):
    check_bidder(
        SystemBidder(systems, base=bb.StyleBidder(), faith=0.99), players=4, hands=20
    )


class Silent:
    """Passes whatever happens, and knows nothing but its one method."""

    def log_likelihood(self, hands, auction, index):
        return np.full(
            len(hands), 0.0 if str(auction.calls[index]) == "Pass" else -np.inf
        )


def test_a_base_that_reads_one_hand_is_shown_one(hands):
    bidder = SystemBidder("strong-notrump", base=Silent())
    auction = bb.Auction.of("N:7NT Pass")
    assert not bidder.speaks_at(auction)
    shown = bidder.log_likelihood(hands[:5], auction, 1, partners=hands[5:10])
    assert np.array_equal(shown, bidder.log_likelihood(hands[:5], auction, 1))


def test_the_word_of_the_system_stands_where_the_base_never_makes_the_call(hands):
    chances = SystemBidder("precision", base=Silent(), faith=0.8).probabilities(
        hands[:500], START
    )
    points = bb.plugins.high_card_points(hands[:500])
    strong = (points >= 16) & (points <= 21)
    np.testing.assert_allclose(chances[strong, bb.Call.of("1C").index], 0.8)
    assert strong.any()
    raised = SystemBidder("sayc", base=Silent()).probabilities(
        hands[:500], before("1S X")
    )
    np.testing.assert_allclose(raised.sum(axis=1), 1.0)
    fits = Statement.of("4-9 points, S3+").fits(
        hands[:500], *points_and_shapes(hands[:500])
    )
    assert np.array_equal(raised[:, bb.Call.of("2S").index] > 0, fits)
    # A call that is impossible under all systems of a mixture tells nothing of which it
    # is.
    mixed = SystemBidder(["strong-notrump=0.5", "weak-notrump=0.5"], base=Silent())
    later = START.after("2C")
    assert np.isneginf(mixed.log_likelihood(hands[:5], later, 0)).all()


def test_a_file_may_be_like_a_system_of_the_package(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        'like = "sayc"\nleads = "third and fifth"\nabout = "ours"\n'
        '["after 1NT Pass"]\n2C = "C6+"\n["after 2C Pass"]\n'
    )
    derived = System.of(str(own))
    sayc = System.of("sayc")
    changed = {
        place
        for place in sayc.places
        if derived.places.get(place) != sayc.places[place]
    }
    assert changed == {before("1NT Pass").calls, before("2C Pass").calls}
    assert f"{own}, NS (ours; " in str(SystemBidder(f"NS:{own}"))
    with pytest.raises(
        bb.errors.NotationError,
        match=r"leads fourth best, top of sequence, and leads third and fifth",
    ):
        sayc + derived


def test_a_mixture_is_summed_out_over_the_calls_of_a_seat(tmp_path, hands):
    path = tmp_path / "asked.toml"
    path.write_text(
        '[opening]\n1NT = "15-17 points"\n["after 1NT Pass 2C Pass"]\n'
        '2H = "H4"\n2S = ["S4", "S5"]\n'
    )
    auction = bb.Auction.of("N:1NT Pass 2C Pass 2S Pass Pass Pass")
    sample = hands[:300]
    own_calls = (0, 4)

    def total(bidder):
        return sum(bidder.log_likelihood(sample, auction, index) for index in own_calls)

    bidders = [
        SystemBidder(str(path)),
        SystemBidder("weak-notrump"),
        bb.LearnedBidder(),
    ]
    expected = np.log(
        sum(
            weight * np.exp(total(model))
            for weight, model in zip((0.2, 0.5, 0.3), bidders, strict=True)
        )
    )
    mixed = SystemBidder([f"{path}=0.2", "weak-notrump=0.5"])
    np.testing.assert_allclose(total(mixed), expected, atol=1e-4)
    assert np.abs(total(bidders[0]) - expected).max() > 0.5
    np.testing.assert_allclose(
        mixed.probabilities(sample, START.after_all("1NT Pass 2C Pass"))[
            :, bb.Call.of("2S").index
        ],
        np.exp(mixed.log_likelihood(sample, auction, 4)),
        rtol=1e-4,
    )


def test_a_system_of_one_side_leaves_the_other_alone(hands):
    bidder = SystemBidder("EW:precision")
    plain = bb.LearnedBidder()
    for dealer, unchanged in (("N", True), ("E", False), ("S", True), ("W", False)):
        auction = bb.Auction.four(dealer)
        by_system, usual = (
            call_probabilities(model, hands[:50], auction) for model in (bidder, plain)
        )
        assert np.array_equal(by_system, usual) == unchanged


def test_posteriors_are_calibrated_where_players_keep_the_system(hands, plain):
    """Ranks of the opener's true points are uniform under the right system.

    They are not under others.
    """
    generator = np.random.default_rng(11)
    truth = deal_masks(750, 12).ravel()
    points = bb.plugins.high_card_points(hands)
    true_points = bb.plugins.high_card_points(truth)
    right = SystemBidder("weak-notrump")
    chances = right.probabilities(truth, START)
    calls = (
        chances.cumsum(axis=1)
        > generator.random((len(truth), 1)) * chances.sum(axis=1)[:, None]
    ).argmax(axis=1)
    opened = np.isin(calls, [bb.Call.of(call).index for call in ("1C", "1D", "1NT")])
    uniform = generator.random(len(truth))

    def p_value(weights):
        chance = np.array(
            [np.bincount(points, weight, minlength=38) for weight in weights.T]
        )
        # some calls are not legal
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)
        held = calls[opened], true_points[opened]
        ranks = chance.cumsum(axis=1)[held] - uniform[opened] * chance[held]
        return stats.chisquare(np.histogram(ranks, bins=10, range=(0, 1))[0]).pvalue

    assert p_value(right.probabilities(hands, START)) > 1e-6
    assert p_value(SystemBidder("strong-notrump").probabilities(hands, START)) < 1e-9
    assert p_value(plain) < 1e-6


def test_what_it_says_of_itself(tmp_path):
    bidder = SystemBidder(
        ["strong-notrump", "NS:weak-twos+five-card-majors=0.25"],
        base=bb.LearnedBidder("NS"),
    )
    scope = {"SystemBidder": SystemBidder, "LearnedBidder": bb.LearnedBidder}
    assert eval(repr(bidder), scope) == bidder
    assert str(bidder).startswith(
        "strong-notrump, both sides (opening 1NT shows 15-17 points, balanced"
    )
    assert "weak-twos+five-card-majors, NS with probability 0.25" in str(bidder)
    assert "or (15-17 points, balanced, H-4 S-4, always)" in str(bidder)
    assert (bidder.cost, bidder.guide.base) == (
        bb.LearnedBidder.cost,
        bb.LearnedBidder("NS").guide,
    )
    changed = bidder.__replace__(slip=0.5, faith=0.5)
    assert (changed.base, changed.faith) == (bb.LearnedBidder("NS", slip=0.5), 0.5)


@pytest.mark.parametrize(
    ("systems", "line"),
    [
        (
            "strong-nt",
            "unknown system 'strong-nt': did you mean 'strong-notrump'? "
            "write acol, bergen, drury, five-card-majors",
        ),
        (
            "weak-twos+strong-notrump+weak-notrump",
            "contradict each other: opening 1NT shows 15-17 points, balanced",
        ),
        (
            ["weak-twos", "precision"],
            "2D shows 5-10 points, D6, and opening 2D shows 11-15 points, D-1 H3-4 S3-4: leave one",
        ),
        (
            ["weak-twos=0.7", "precision=0.6"],
            "the shares of weak-twos=0.7 and precision=0.6 add up to 1.3",
        ),
        (
            "no/such.toml",
            "cannot read 'no/such.toml': No such file or directory; name a TOML file",
        ),
        (
            '[opening]\n\n1N = "15-17"',
            "own.toml:3: 1N: '15-17': '15-17' is neither points, such as 15-17 points",
        ),
        (
            '[opening]\n1NT = "balanced, any 6"',
            "own.toml:2: 1NT: no hand of 13 cards fits 'balanced, any 6'",
        ),
        (
            '[opening]\n1NT = "30-33 points, S8+"',
            "own.toml:2: 1NT: no hand of 13 cards fits '30-33 points, S8+'",
        ),
        (
            '["after Pass 1NT"]\n2H = "H5+"',
            "own.toml: ['after Pass 1NT']: write [opening]",
        ),
        ('[responses]\n2H = "H5+"', "own.toml: ['responses']: "),
        ('1NT = "15-17 points"', "own.toml:1: 1NT: unknown key: write 'about'"),
        ("[opening]\n1NT = balanced", "own.toml:2: 1NT: not TOML"),
        (
            '["after 1NT Pass"]\n4S = "2 key cards"',
            "own.toml:2: 4S: '2 key cards': no suit is agreed here",
        ),
        (
            '[opening]\n2C = "-6 points, 2 aces"',
            "own.toml:2: 2C: no hand of 13 cards fits '-6 points, 2 aces'",
        ),
        (
            '["after 1C/1D P"]\n1S = "S4"\n["after 1D P"]',
            "own.toml: ['after 1D P']: after 1D Pass has a section",
        ),
        (
            'leads = "forth best"',
            "own.toml:1: leads: unknown agreement 'forth best': did you mean 'fourth best'?",
        ),
        (
            'leads = "fourth best, third and fifth"',
            "own.toml:1: leads: 'fourth best, third and fifth' says two things",
        ),
        (
            'about = "x"\nlike = "goren"',
            "own.toml:2: like: unknown system 'goren': write acol",
        ),
    ],
)
def test_one_line_says_what_is_wrong(tmp_path, monkeypatch, systems, line):
    """Of systems by name, or of the text of a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(str(systems))
    with pytest.raises(bb.BayesBridgeError) as error:
        SystemBidder("own.toml" if "own.toml" in line else systems)
    assert line in str(error.value)
    assert "\n" not in str(error.value)
