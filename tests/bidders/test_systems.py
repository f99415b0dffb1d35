"""Systems: what statements say, how they reweigh a bidder, mixtures, calibration, and errors in one line."""

import numpy as np
import pytest
from scipy import stats

import bayesbridge as bb
from bayesbridge.bidders.systems import Statement, System, SystemBidder, reweighed, system_names
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


@pytest.mark.parametrize(
    ("system", "call", "fitting", "other"),
    [
        ("strong-notrump", "1NT", "AQ5.KJ3.A954.Q73", "AQ5.KJ3.Q954.973"),
        ("weak-notrump", "1NT", "AQ5.KJ3.Q954.973", "AQ5.KJ3.A954.Q73"),
        ("five-card-majors", "1H", "A5.KJ973.A95.Q73", "A54.KJ97.A95.Q73"),
        ("weak-twos", "2S", "KQT984.73.T95.73", "AKT984.A3.T95.73"),
        ("precision", "1C", "AQ5.KJ3.A954.Q73", "A54.KJ97.A95.973"),
        ("precision", "2D", "AJ54.KJ97.5.Q973", "AJ54.KJ97.53.Q97"),
    ],
)
def test_the_systems_of_the_package_mean_what_their_names_say(system, call, fitting, other):
    said = System.of(system).places[()][bb.Call.of(call)]
    masks = np.array([bb.Hand.of(fitting).mask, bb.Hand.of(other).mask], np.uint64)
    assert np.logical_or.reduce([one.fits(masks) for one in said]).tolist() == [True, False]


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


def literally(chances, hand, system, faith):
    """The chances of one hand by the two rules of the module, call by call."""
    said = System.of(system).places[()]
    mask = np.array([hand], np.uint64)
    fits = {call.index: any(one.fits(mask)[0] for one in texts) for call, texts in said.items()}
    wanted = {c.index for c, texts in said.items() if any(one.always and one.fits(mask)[0] for one in texts)}
    lowered = [p * (1 - faith) if not fits.get(call, True) else p for call, p in enumerate(chances)]
    total = sum(lowered)
    now = [p / total for p in lowered]
    share = sum(now[call] for call in wanted)
    if not wanted or share >= faith:
        return now
    return [p * (faith / share if call in wanted else (1 - faith) / (1 - share)) for call, p in enumerate(now)]


@pytest.mark.parametrize("system", system_names())
def test_reweighing_follows_its_two_rules(system, hands, plain):
    found = reweighed(plain[:500], hands[:500], System.of(system).places[()], 0.9)
    expected = [literally(row, hand, system, 0.9) for row, hand in zip(plain, hands[:500].tolist(), strict=False)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert not np.allclose(found, plain[:500], atol=1e-3)


@pytest.mark.parametrize("systems", ["precision", ["weak-twos", "NS:strong-notrump=0.5", "weak-notrump=0.25"]])
def test_it_keeps_the_contract(systems):
    check_bidder(SystemBidder(systems, base=bb.StyleBidder(), faith=0.99), players=4, hands=20)


class Silent:
    """Passes whatever happens, and knows nothing but its one method."""

    def log_likelihood(self, hands, auction, index):
        return np.full(len(hands), 0.0 if str(auction.calls[index]) == "Pass" else -np.inf)


def test_a_call_that_the_base_never_makes_is_made_where_the_system_says_always(hands):
    chances = SystemBidder("precision", base=Silent(), faith=0.8).probabilities(hands[:200], START)
    strong = bb.plugins.high_card_points(hands[:200]) >= 16
    np.testing.assert_allclose(chances[strong, bb.Call.of("1C").index], 0.8)
    assert strong.any()
    # A call that is impossible under all systems of a mixture tells nothing of which it is.
    mixed = SystemBidder(["strong-notrump=0.5", "weak-notrump=0.5"], base=Silent())
    later = START.after("2C")
    assert np.isneginf(mixed.log_likelihood(hands[:5], later, 0)).all()


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
    assert "1C shows (16+ points, always)" in str(System.of("precision"))
    assert bidder.cost == bb.LearnedBidder.cost
    other = bidder.__replace__(slip=0.5, faith=0.5)
    assert (other.base, other.faith) == (bb.LearnedBidder("NS", slip=0.5), 0.5)


@pytest.mark.parametrize(
    ("systems", "line"),
    [
        ("strong-nt", "unknown system 'strong-nt': did you mean 'strong-notrump'? write five-card-majors, precision"),
        ("weak-twos+strong-notrump+weak-notrump", "contradict each other: opening 1NT shows 15-17 points, balanced"),
        (["weak-twos", "precision"], "opening 2D shows 5-10 points, D6, and 11-15 points, D-1: leave one out"),
        (["weak-twos=0.7", "precision=0.6"], "the shares of weak-twos=0.7 and precision=0.6 add up to 1.3"),
        ("no/such.toml", "cannot read 'no/such.toml': No such file or directory; name a TOML file"),
    ],
)
def test_one_line_says_what_is_wrong(systems, line):
    with pytest.raises(bb.BayesBridgeError) as error:
        SystemBidder(systems)
    assert line in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[opening]\n\n1N = "15-17"', "own.toml:3: 1N: '15-17': '15-17' is neither points, such as 15-17 points"),
        ('[opening]\n1NT = "balanced, any 6"', "own.toml:2: 1NT: no hand of 13 cards fits 'balanced, any 6'"),
        ('["after Pass 1NT"]\n2H = "H5+"', "own.toml: ['after Pass 1NT']: write [opening]"),
        ('[responses]\n2H = "H5+"', "own.toml: ['responses']: "),
        ('1NT = "15-17 points"', "own.toml:1: 1NT: unknown key: write 'about'"),
        ("[opening]\n1NT = balanced", "own.toml:2: 1NT: not TOML"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(tmp_path, monkeypatch, text, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(bb.errors.NotationError) as error:
        SystemBidder("own.toml")
    assert line in str(error.value)
    assert "\n" not in str(error.value)
