"""Tilted draws against enumeration; stated errors against the spread over seeds."""

import math

import numpy as np
import pytest

from bayesbridge import (
    Auction,
    Card,
    Contract,
    Hand,
    IterativeBidder,
    LearnedBidder,
    LearnedPlayer,
    Seat,
    StyleBidder,
)
from bayesbridge.engines import rounds
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.engines.tilt import tilted
from bayesbridge.engines.weights import Weights
from bayesbridge.evidence.constraints import Constraints
from tests.engines.positions import HANDS, allows, closed


def open_dummy(unknown):
    """North and South are open, East and West share so many unknown cards each."""
    constraints = Constraints.free()
    for seat, text in enumerate(HANDS):
        cards = sorted(Hand.of(text), key=lambda card: (card.index * 7) % 52)
        if seat % 2 == 1:
            cards = cards[: 13 - unknown]
        constraints = constraints.hold(seat, sum(card.mask for card in cards))
    return constraints


def strong_pair(unknown):
    """The same where East and West have nearly all points."""
    constraints = Constraints.free()
    for seat, text in ((0, "T97.T95.J76.T982"), (2, "8543.876.T98.J76")):
        constraints = constraints.hold(seat, Hand.of(text).mask)
    open_cards = constraints.must[0] | constraints.must[2]
    closed_cards = [card for card in range(52) if not open_cards >> card & 1]
    closed_cards.sort(key=lambda card: (card * 7) % 52)
    certain = 13 - unknown
    east = closed_cards[:certain]
    west = closed_cards[certain : 2 * certain]
    for seat, cards in ((1, east), (3, west)):
        constraints = constraints.hold(seat, sum(1 << card for card in cards))
    return constraints


def called(bidder, auction):
    """What calls say about a seat's hand, and who called."""

    def likelihood(seat, hands):
        return sum(
            bidder.log_likelihood(hands, auction, i)
            for i, (who, _) in enumerate(auction)
            if who == seat
        )

    return likelihood, sorted({int(seat) for seat, _ in auction})


def lead():
    """West leads a heart and East follows, after which both hands lie behind cards."""
    plays = [
        (Seat.W, Card.of("H8")),
        (Seat.N, Card.of("H3")),
        (Seat.E, Card.of("HT")),
        (Seat.S, Card.of("HA")),
    ]
    constraints = Constraints.free()
    for seat, text in enumerate(HANDS):
        if seat % 2 == 0:
            constraints = constraints.hold(seat, Hand.of(text).mask)
    west = Hand.of("H8 H4 S3 C6 D9 DT").mask
    east = Hand.of("HT S6 C8 D6 DJ S7").mask

    def likelihood(seat, hands):
        return LearnedPlayer().log_likelihood(
            hands, Contract.of("3NT by S"), plays, Seat(seat)
        )

    return constraints.hold(3, west).hold(1, east), likelihood, [1, 3]


QUESTIONS = {
    "learned, open dummy": lambda: (
        open_dummy(8),
        *called(LearnedBidder(), Auction.of("E:1S Pass Pass 1NT")),
    ),
    "learned, closed": lambda: (
        closed(0, 5, 4, 4),
        *called(LearnedBidder(), Auction.of("E:1C Pass 1H Pass 1S")),
    ),
    "style, closed": lambda: (
        closed(0, 4, 4, 4),
        *called(StyleBidder(), Auction.of("E:1S 2H Pass 3H", dummy="N")),
    ),
    "style, open dummy": lambda: (
        open_dummy(8),
        *called(StyleBidder(), Auction.of("E:1D Pass 2C", dummy="N")),
    ),
    "iterative, closed": lambda: (
        closed(4, 0, 4, 4),
        *called(IterativeBidder(), Auction.of("N:1NT Pass", dummy="E")),
    ),
    "a bid or a slip": lambda: (
        strong_pair(8),
        *called(StyleBidder(), Auction.of("W:5H", dummy="N")),
    ),
    "player, open dummy": lead,
}
QUICK = "learned, open dummy", "a bid or a slip", "player, open dummy"
"""Questions that dozens of runs take no more than seconds for."""


def held(layouts):
    """(n, 208) who holds which card."""
    bits = layouts[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    return bits.reshape(len(layouts), -1).astype(float)


def exactly(constraints, likelihood, seats):
    """Card probabilities and log P(evidence), by walking all layouts."""
    layouts = Enumeration.of(constraints).stretch(0, 10**7)
    weights = Weights(log_likelihood_of(layouts, likelihood, seats))
    return weights.W @ held(layouts), weights.log_mean, weights.ess / len(layouts)


def log_likelihood_of(layouts, likelihood, seats):
    """(n,) log likelihood of (n, 4) layouts, added up over some seats."""
    return sum(
        likelihood(seat, np.ascontiguousarray(layouts[:, seat])) for seat in seats
    )


def z_scores(draws, truth):
    """Deviations of card probabilities in standard errors.

    These are the errors that weights of independent draws give.
    """
    cards = held(draws.layouts)
    means = draws.weights.W @ cards
    errors = np.sqrt(draws.weights.W**2 @ (cards - means) ** 2)
    unsure = (truth > 0.02) & (truth < 0.98)
    return (means - truth)[unsure] / errors[unsure]


def worst_z(draws, truth):
    """The largest deviation of a card probability in standard errors."""
    return float(np.abs(z_scores(draws, truth)).max())


@pytest.fixture(scope="module", params=QUESTIONS)
def question(request):
    """Constraints, likelihood, hidden seats that it speaks of, and the exact answer."""
    constraints, likelihood, seats = QUESTIONS[request.param]()
    hidden = [seat for seat in seats if seat in constraints.normalised().hidden]
    return constraints, likelihood, hidden, exactly(constraints, likelihood, hidden)


def test_answers_agree_with_enumeration(question):
    constraints, likelihood, seats, (truth, log_marginal, _) = question
    draws = tilted(
        constraints, LayoutIndex.of(constraints), likelihood, seats, draws=4000, rng=1
    )
    assert allows(constraints, draws.layouts).all()
    assert worst_z(draws, truth) < 4.5
    assert abs(draws.log_marginal - log_marginal) < 4.5 * draws.log_marginal_error
    assert draws.ess / draws.drawn > 0.1
    assert draws.degrees[-1] == 1.0
    expected = log_likelihood_of(draws.layouts, likelihood, seats)
    np.testing.assert_allclose(draws.log_likelihood, expected, atol=1e-12)
    thinned = draws.subsample(1000, rng=2)
    assert 800 < len(thinned.layouts) < 1200
    assert thinned.ess / len(thinned.layouts) > draws.ess / draws.drawn - 0.05
    assert worst_z(thinned, truth) < 4.5


def test_without_weights_the_answers_are_wrong(question):
    """Negative control: the proposal alone is not the posterior."""
    constraints, likelihood, seats, (truth, _, _) = question
    draws = tilted(
        constraints, LayoutIndex.of(constraints), likelihood, seats, draws=20_000, rng=1
    )
    bare = held(draws.layouts).mean(axis=0)
    unsure = (truth > 0.02) & (truth < 0.98)
    z = (bare - truth)[unsure] / np.sqrt(truth[unsure] * (1 - truth[unsure]) / 20_000)
    assert np.abs(z).max() > 5.0


def spread(question, seeds):
    """rms z of card probabilities and of log P(evidence) over seeds."""
    constraints, likelihood, seats, (truth, log_marginal, _) = question
    sampler = LayoutIndex.of(constraints)
    z_of_cards = []
    z_of_evidence = []
    for seed in range(seeds):
        draws = tilted(
            constraints, sampler, likelihood, seats, draws=1000, rng=[17, seed]
        )
        z_of_cards.append(z_scores(draws, truth))
        error = draws.log_marginal_error
        z_of_evidence.append((draws.log_marginal - log_marginal) / error)
    return root_mean_square(z_of_cards), root_mean_square(z_of_evidence)


def root_mean_square(values):
    """The square root of the mean square, over all axes."""
    return math.sqrt(np.mean(np.square(values)))


@pytest.mark.parametrize(
    "question",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
        for name in QUESTIONS
    ],
    indirect=True,
)
def test_stated_errors_are_those_over_a_few_seeds(question):
    cards, evidence = spread(question, 12)
    assert 0.6 < cards < 1.5
    # χ² of 12 lies between 2.2 and 34.8 but for one case in a thousand each way.
    assert math.sqrt(2.2 / 12) < evidence < math.sqrt(34.8 / 12)


@pytest.mark.parametrize("question", ["learned, closed"], indirect=True)
def test_more_evidence_starts_from_the_proposal_before(question):
    constraints, likelihood, _, (truth, log_marginal, _) = question
    sampler = LayoutIndex.of(constraints)
    earlier, _ = called(LearnedBidder(), Auction.of("E:1C Pass 1H"))
    before = tilted(constraints, sampler, earlier, [1, 2, 3], draws=500, rng=1)
    after = tilted(
        constraints,
        sampler,
        likelihood,
        [1, 2, 3],
        draws=2000,
        rng=2,
        start=before.proposal,
    )
    anew = tilted(constraints, sampler, likelihood, [1, 2, 3], draws=2000, rng=2)
    assert after.degrees[0] >= anew.degrees[0]
    assert worst_z(after, truth) < 4.5
    assert abs(after.log_marginal - log_marginal) < 4.5 * after.log_marginal_error


def test_hands_that_a_rare_call_needs_are_found_or_their_absence_is_told():
    """A slip explains any hand.

    Where no hand that bids was met, equal weights must not pass for good ones.
    """
    constraints = Constraints.free().hold(2, Hand.from_pbn("AK52.KQ3.AQ4.K83").mask)
    sampler = LayoutIndex.of(constraints)
    bids = called(IterativeBidder(), Auction.of("W:7NT", dummy="N"))[0]
    lost = tilted(constraints, sampler, bids, [3], draws=300, rng=1, search=2000)
    assert lost.unexplained == (3,)
    assert lost.ess == 1.0
    assert "none explains" in lost.warning
    assert np.ptp(lost.weights.W) < 1e-12, (
        "equal weights: without the flag they would look perfect"
    )

    def rare(seat, hands):
        """Ten hearts are wanted: each one more is a hundred times as likely."""
        return math.log(100.0) * np.minimum(hearts_of(hands), 9.0) - 42.0

    draws = tilted(constraints, sampler, rare, [3], draws=1000, rng=1)
    assert not draws.unexplained
    assert draws.ess / draws.drawn > 0.3
    hearts = hearts_of(draws.layouts[:, 3])
    ways = [math.comb(10, k) * math.comb(29, 13 - k) for k in range(11)]
    shares = np.array(ways, dtype=float) * 100.0 ** np.minimum(np.arange(11), 9)
    exact = shares @ np.arange(11) / shares.sum()
    error = math.sqrt(draws.weights.W**2 @ (hearts - exact) ** 2)
    assert abs(draws.weights.W @ hearts - exact) < 4.5 * error
    log_marginal = math.log(shares.sum() / math.comb(39, 13)) - 42.0
    assert abs(draws.log_marginal - log_marginal) < 4.5 * draws.log_marginal_error


def hearts_of(hands):
    """(n,) how many hearts each hand has."""
    return np.bitwise_count(hands >> np.uint64(26) & np.uint64(0x1FFF))


def test_a_bid_that_may_be_a_slip_is_followed_both_ways(monkeypatch):
    """Half of the posterior and more is hands that bid by mistake.

    No tilt of all hands alike gets far.
    """
    constraints = Constraints.free().hold(2, Hand.from_pbn("AKQ2.KJ3.A54.Q32").mask)
    sampler = LayoutIndex.of(constraints)
    likelihood, seats = called(StyleBidder(), Auction.of("W:3S", dummy="N"))
    uniform = sampler.draw(200_000, rng=9)
    plain = Weights(log_likelihood_of(uniform, likelihood, [3]))
    slips = math.log(0.02 / 36) - plain.log_mean
    assert -0.7 < slips < -0.3

    def runs():
        """Draws of twelve seeds, and the median of ESS / draws."""
        runs = [
            tilted(constraints, sampler, likelihood, seats, draws=2000, rng=[5, seed])
            for seed in range(12)
        ]
        return runs, np.median([draws.ess / draws.drawn for draws in runs])

    with_floor, share = runs()
    assert share > 0.3, "one fit in eight is poor, as a pilot round may flatter"
    for draws in with_floor:
        assert draws.proposal.spread > 0.3
        error = math.hypot(draws.log_marginal_error, plain.log_mean_error())
        assert abs(draws.log_marginal - plain.log_mean) < 4.5 * error
    no_slips = rounds._Slips(share=rounds.SPREAD, floor=-np.inf)
    monkeypatch.setattr(rounds, "_slips_of", lambda _: no_slips)
    _, share_without = runs()
    assert share_without < 0.5 * share


def test_same_seed_same_answer_and_impossible_hands_have_no_weight():
    constraints = closed(0, 4, 4, 4)
    sampler = LayoutIndex.of(constraints)

    def sharp(seat, hands):
        return np.where(hands & np.uint64(Hand.of("HA").mask), 0.0, -np.inf)

    draws = tilted(constraints, sampler, sharp, [1], draws=500, rng=4)
    repeated = tilted(constraints, sampler, sharp, [1], draws=500, rng=4)
    assert (draws.layouts == repeated.layouts).all()
    truth, log_marginal, _ = exactly(constraints, sharp, [1])
    assert worst_z(draws, truth) < 4.5
    assert abs(draws.log_marginal - log_marginal) < 4.5 * draws.log_marginal_error
    assert not draws.warning
