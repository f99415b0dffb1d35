"""Systems: what statements say, how they reweigh a bidder, mixtures, calibration, and errors in one line."""

from contextlib import nullcontext
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from scipy import stats

import bayesbridge as bb
from bayesbridge.bidders.systems import Statement, System, SystemBidder, system_names
from bayesbridge.bidders.turn import call_probabilities
from bayesbridge.plugins import check_bidder
from tests.bidders.conftest import deal_masks

START = bb.Auction.four("N")


@pytest.fixture(scope="module")
def hands():
    """(20 000,) masks of random hands."""
    return deal_masks(5000, 7).ravel()


@pytest.fixture(scope="module")
def plain(hands):
    """(20 000, 38) chances of the dealer's calls under the learned bidder."""
    return bb.LearnedBidder().probabilities(hands, START)


LIMIT = '["after 1S Pass"]\n3S = "10-12 points, S4-5"\n'


@pytest.fixture
def limit_raise(tmp_path):
    """A file that says one thing, which experts on average do not do."""
    (tmp_path / "limit.toml").write_text(LIMIT)
    return str(tmp_path / "limit.toml")


def before(calls):
    """The auction in which it is somebody's turn after these calls."""
    return START.after_all(calls) if calls else START


@pytest.mark.parametrize("system", system_names())
def test_every_statement_has_hands_that_fit_and_others(system):
    many = deal_masks(40_000, 3).ravel()
    points = bb.plugins.high_card_points(many)
    lengths = np.stack([np.bitwise_count(many >> np.uint64(13 * suit) & np.uint64(0x1FFF)) for suit in range(4)], 1)
    for place, meanings in System.of(system).places.items():
        assert all(call in before(" ".join(map(str, place))).legal_calls() for call in meanings)
        for said in {one for statements in meanings.values() for one in statements}:
            fits = said.fits(many)
            fitting, other = fits.argmax(), fits.argmin()
            assert (fits[fitting], fits[other]) == (True, False), (system, place, said.text)
            for which, expected in ((fitting, True), (other, False)):
                shape = tuple(lengths[which].tolist())
                assert (said.low <= points[which] <= said.high and shape in said.shapes) == expected


KNOWN = """
acol           |              | AQ5.KJ3.Q954.973  | 1NT  | 12 to 14
acol           |              | AQ5.KJ3.A954.Q73  | 1D   | too strong
acol           |              | AQ5.KJ93.A95.Q73  | 1H   | a four-card major
acol           | 1C Pass 1S Pass | Q5.KJ3.A95.AQ873 | 1NT | 15 to 17
acol           | 1H Pass      | A5.KJ94.J754.Q73  | 3H   | limit raise
acol           | 1S Pass      | A5.KJ9.J754.QT73  | 2NT  | natural
acol           | 1NT Pass     | 52.KJ943.754.973  | 2D   | transfer
precision      |              | AQ5.KJ3.A954.Q73  | 1C   | 16 or more
precision      |              | AQJ52.KJ3.A954.7  | 1S   | 15, limited
precision      |              | AQ54.KJ32.5.Q973  | 2D   | short diamonds
precision      | 1C Pass      | Q542.J32.J65.973  | 1D   | negative
precision      | 1C Pass      | KQJ42.A32.65.973  | 1S   | positive
precision      | 1C Pass 1D Pass | AQ5.KJ3.A954.Q73 | 1NT | 16 to 18
sayc           |              | AQ5.KJ3.A954.Q73  | 1NT  | 15 to 17
sayc           |              | AK5.AKJ3.AQJ4.97  | 2C   | strong
sayc           |              | KQT984.73.T95.73  | 2S   | weak two
sayc           |              | AKJ5.KJ3.AQ94.K7  | 2NT  | 20 or 21
sayc           | 1S Pass      | KJ94.A5.J754.Q73  | 3S   | limit raise
sayc           | 1S Pass      | KJ94.A5.AJ54.Q73  | 2NT  | strong raise
sayc           | 1S Pass      | KJ9.85.Q754.T973  | 2S   | single raise
sayc           | 1S Pass      | K9.85.A754.AJ973  | 2C   | 10 or more
sayc           | 1NT Pass     | KJ94.A53.J754.73  | 2C   | Stayman
sayc           | 1NT Pass     | KJ943.53.754.973  | 2H   | transfer
sayc           | 1NT Pass 2C Pass | AQ5.KJ3.A954.Q73 | 2D | no major
sayc           | 2C Pass      | 8543.753.J54.973  | 2D   | waiting
sayc           | 2H Pass      | A74.Q852.J742.73  | 3H   | weak raise
sayc           | 1H           | AJ94.5.KJ75.KT73  | X    | takeout
sayc           | 1C 1S        | 94.KJ75.Q854.J73  | X    | negative
two-over-one   | 1S Pass      | K9.85.K754.AJ973  | 1NT  | not enough to force to game
two-over-one   | 1S Pass      | K9.85.AQ54.AJ973  | 2C   | game force
two-over-one   | 1C Pass      | K9.852.A54.AJ973  | 2C   | inverted
"""


@pytest.mark.parametrize("line", KNOWN.strip().splitlines())
def test_well_known_hands_make_the_call_of_their_system(line):
    system, calls, hand, expected, _ = (part.strip() for part in line.split("|"))
    chances = SystemBidder(system).probabilities(np.array([bb.Hand.of(hand).mask], np.uint64), before(calls))[0]
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
    """On other hands than those that made the factors, which were a tenth as many: together 3.3 times the error."""
    bidder, auction = SystemBidder(system), before(calls)
    chances, plain = (one.probabilities(hands, auction) for one in (bidder, bidder.base))
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    for call, statements in System.of(system).places[auction.calls].items():
        fits = np.logical_or.reduce([one.fits(hands) for one in statements])
        weights, usual = chances[:, call.index], plain[:, call.index]
        share = weights @ fits / weights.sum()
        error = np.sqrt(weights**2 @ (fits - share) ** 2) / weights.sum()
        assert share > min(0.9, usual @ fits / usual.sum()) - 5 * 3.3 * error - 0.005, (str(call), share, error)


def test_a_limit_raise_is_read_as_one(limit_raise, hands):
    """10-12 points with at least 80 %, where experts on average have that with 10 %; and the call is no rarer."""
    points = bb.plugins.high_card_points(hands)
    auction = before("1S Pass 3S")
    found, usual = (
        np.exp(bidder.log_likelihood(hands, auction, 2)) for bidder in (SystemBidder(limit_raise), bb.LearnedBidder())
    )
    inside = (points >= 10) & (points <= 12)
    assert found @ inside / found.sum() > 0.8
    assert usual @ inside / usual.sum() < 0.2
    assert 0.8 < found.sum() / usual.sum() < 1.25
    # Of two that may be played the call then tells nothing.
    mixed = SystemBidder(f"{limit_raise}=0.5")
    np.testing.assert_allclose(np.exp(mixed.log_likelihood(hands, auction, 2)), (found + usual) / 2, rtol=1e-4)


def test_what_a_player_has_denied_is_not_meant(hands):
    """Two over one by a passed hand is no game force; a raise is a raise."""
    bidder, plain = SystemBidder("two-over-one"), bb.LearnedBidder()
    two, raised = bb.Call.of("2D").index, bb.Call.of("2S").index
    points = bb.plugins.high_card_points(hands)
    some = hands[(points > 8) & (points < 11)][:500]
    for calls, meant in (("1S Pass", True), ("Pass Pass 1S Pass", False)):
        ours, theirs = (one.probabilities(some, before(calls)).mean(axis=0) for one in (bidder, plain))
        assert (ours[two] < 0.5 * theirs[two]) == meant
        assert ours[raised] != theirs[raised]


def test_a_statement_fits_what_its_pieces_allow(hands):
    """Against the pieces of evidence of the same words, asked hand by hand."""
    statement = Statement.of("11-15 points, any 5-4, H-3, always")
    assert Statement.of(statement.text) == statement
    assert statement.always
    for mask, fits in zip(hands[:400].tolist(), statement.fits(hands[:400]), strict=True):
        hand = bb.Hand(mask)
        lengths = [hand.length(suit) for suit in bb.Suit]
        longest, second = sorted(lengths, reverse=True)[:2]
        assert fits == (11 <= hand.points <= 15 and longest >= 5 and second >= 4 and lengths[2] <= 3)


def test_points_and_a_shape_are_read_where_a_hand_has_both():
    """Against all sums of honours, suit by suit: of n cards at most nine are none."""
    honours = [part for k in range(5) for part in combinations((4, 3, 2, 1), k)]
    sums = [{sum(part) for part in honours if len(part) <= n <= len(part) + 9} for n in range(14)]
    for lengths in combinations_with_replacement(range(14), 4):
        if sum(lengths) == 13:
            held = set(map(sum, product(*(sums[n] for n in lengths))))
            for points in range(41):
                text = f"{points} points, {'-'.join(map(str, lengths))}"
                with nullcontext() if points in held else pytest.raises(bb.errors.NotationError, match="no hand of 13"):
                    Statement.of(text)


@pytest.mark.parametrize("systems", ["precision", ["weak-twos", "NS:strong-notrump=0.5", "weak-notrump=0.25"]])
def test_it_keeps_the_contract(systems):
    check_bidder(SystemBidder(systems, base=bb.StyleBidder(), faith=0.99), players=4, hands=20)


class Silent:
    """Passes whatever happens, and knows nothing but its one method."""

    def log_likelihood(self, hands, auction, index):
        return np.full(len(hands), 0.0 if str(auction.calls[index]) == "Pass" else -np.inf)


def test_the_word_of_the_system_stands_where_the_base_never_makes_the_call(hands, limit_raise):
    chances = SystemBidder("precision", base=Silent(), faith=0.8).probabilities(hands[:500], START)
    points = bb.plugins.high_card_points(hands[:500])
    strong = (points >= 16) & (points <= 21)
    np.testing.assert_allclose(chances[strong, bb.Call.of("1C").index], 0.8)
    assert strong.any()
    raised = SystemBidder(limit_raise, base=Silent()).probabilities(hands[:500], before("1S Pass"))
    np.testing.assert_allclose(raised.sum(axis=1), 1.0)
    fits = Statement.of("10-12 points, S4-5").fits(hands[:500])
    assert np.array_equal(raised[:, bb.Call.of("3S").index] > 0, fits)
    # A call that is impossible under all systems of a mixture tells nothing of which it is.
    mixed = SystemBidder(["strong-notrump=0.5", "weak-notrump=0.5"], base=Silent())
    later = START.after("2C")
    assert np.isneginf(mixed.log_likelihood(hands[:5], later, 0)).all()


def test_a_file_may_be_like_a_system_of_the_package(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('like = "sayc"\nabout = "ours"\n["after 1NT Pass"]\n2C = "C6+"\n["after 2C Pass"]\n')
    ours, theirs = System.of(str(own)), System.of("sayc")
    changed = {place for place in theirs.places if ours.places.get(place) != theirs.places[place]}
    assert changed == {before("1NT Pass").calls, before("2C Pass").calls}
    assert f"NS play {own} (ours; " in str(SystemBidder(f"NS:{own}"))


def test_a_mixture_is_summed_out_over_the_calls_of_a_seat(tmp_path, hands):
    asked = tmp_path / "asked.toml"
    asked.write_text('[opening]\n1NT = "15-17 points"\n["after 1NT Pass 2C Pass"]\n2H = "H4"\n2S = ["S4", "S5"]\n')
    auction = bb.Auction.of("N:1NT Pass 2C Pass 2S Pass Pass Pass")
    some, mine = hands[:300], (0, 4)

    def total(bidder):
        return sum(bidder.log_likelihood(some, auction, index) for index in mine)

    parts = [SystemBidder(str(asked)), SystemBidder("weak-notrump"), bb.LearnedBidder()]
    expected = np.log(sum(w * np.exp(total(one)) for w, one in zip((0.2, 0.5, 0.3), parts, strict=True)))
    mixed = SystemBidder([f"{asked}=0.2", "weak-notrump=0.5"])
    np.testing.assert_allclose(total(mixed), expected, atol=1e-4)
    assert np.abs(total(parts[0]) - expected).max() > 0.5
    np.testing.assert_allclose(
        mixed.probabilities(some, START.after_all("1NT Pass 2C Pass"))[:, bb.Call.of("2S").index],
        np.exp(mixed.log_likelihood(some, auction, 4)),
        rtol=1e-4,
    )


def test_a_system_of_one_side_leaves_the_other_alone(hands):
    bidder, plain = SystemBidder("EW:precision"), bb.LearnedBidder()
    for dealer, same in (("N", True), ("E", False), ("S", True), ("W", False)):
        auction = bb.Auction.four(dealer)
        found, usual = (call_probabilities(one, hands[:50], auction) for one in (bidder, plain))
        assert np.array_equal(found, usual) == same


def test_posteriors_are_calibrated_where_players_keep_the_system(hands, plain):
    """Ranks of the opener's true points in the posterior are uniform under the right system and not under others."""
    generator = np.random.default_rng(11)
    truth = deal_masks(750, 12).ravel()
    points, true_points = bb.plugins.high_card_points(hands), bb.plugins.high_card_points(truth)
    right = SystemBidder("weak-notrump")
    chances = right.probabilities(truth, START)
    calls = (chances.cumsum(axis=1) > generator.random((len(truth), 1)) * chances.sum(axis=1)[:, None]).argmax(axis=1)
    opened = np.isin(calls, [bb.Call.of(call).index for call in ("1C", "1D", "1NT")])
    uniform = generator.random(len(truth))

    def p_value(weights):
        chance = np.array([np.bincount(points, weight, minlength=38) for weight in weights.T])
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)  # some calls are not legal
        held = calls[opened], true_points[opened]
        ranks = chance.cumsum(axis=1)[held] - uniform[opened] * chance[held]
        return stats.chisquare(np.histogram(ranks, bins=10, range=(0, 1))[0]).pvalue

    assert p_value(right.probabilities(hands, START)) > 1e-6
    assert p_value(SystemBidder("strong-notrump").probabilities(hands, START)) < 1e-9
    assert p_value(plain) < 1e-6


def test_what_it_says_of_itself(tmp_path):
    bidder = SystemBidder(["strong-notrump", "NS:weak-twos+five-card-majors=0.25"], base=bb.LearnedBidder("NS"))
    scope = {"SystemBidder": SystemBidder, "LearnedBidder": bb.LearnedBidder}
    assert eval(repr(bidder), scope) == bidder
    assert str(bidder).startswith("both sides play strong-notrump (opening 1NT shows 15-17 points, balanced")
    assert "NS play weak-twos+five-card-majors with probability 0.25" in str(bidder)
    assert "1C shows 16+ points or (16-21 points, always)" in str(System.of("precision"))
    assert bidder.cost == bb.LearnedBidder.cost
    other = bidder.__replace__(slip=0.5, faith=0.5)
    assert (other.base, other.faith) == (bb.LearnedBidder("NS", slip=0.5), 0.5)


@pytest.mark.parametrize(
    ("systems", "line"),
    [
        ("strong-nt", "unknown system 'strong-nt': did you mean 'strong-notrump'? write acol, five-card-majors"),
        ("weak-twos+strong-notrump+weak-notrump", "contradict each other: opening 1NT shows 15-17 points, balanced"),
        (["weak-twos", "precision"], "opening 2D shows 5-10 points, D6, and 11-15 points, D-1 H3-4 S3-4: leave one"),
        (["weak-twos=0.7", "precision=0.6"], "the shares of weak-twos=0.7 and precision=0.6 add up to 1.3"),
        ("no/such.toml", "cannot read 'no/such.toml': No such file or directory; name a TOML file"),
        ('[opening]\n\n1N = "15-17"', "own.toml:3: 1N: '15-17': '15-17' is neither points, such as 15-17 points"),
        ('[opening]\n1NT = "balanced, any 6"', "own.toml:2: 1NT: no hand of 13 cards fits 'balanced, any 6'"),
        ('[opening]\n1NT = "30-33 points, S8+"', "own.toml:2: 1NT: no hand of 13 cards fits '30-33 points, S8+'"),
        ('["after Pass 1NT"]\n2H = "H5+"', "own.toml: ['after Pass 1NT']: write [opening]"),
        ('[responses]\n2H = "H5+"', "own.toml: ['responses']: "),
        ('1NT = "15-17 points"', "own.toml:1: 1NT: unknown key: write 'about'"),
        ("[opening]\n1NT = balanced", "own.toml:2: 1NT: not TOML"),
        ('about = "x"\nlike = "goren"', "own.toml:2: like: 'goren' is no system of the package: write acol"),
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
