"""Belief is an immutable value that reads hard evidence.

The same seed gives the same answer; records are read too.
"""

import warnings
from dataclasses import FrozenInstanceError
from functools import reduce
from operator import and_
from pathlib import Path

import numpy as np
import pytest

from bayesbridge import (
    Auction,
    Belief,
    IterativeBidder,
    Layouts,
    LearnedBidder,
    LearnedPlayer,
    Seat,
    StyleBidder,
    SystemBidder,
    Trick,
)
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.errors import (
    BayesBridgeError,
    BayesBridgeWarning,
    IllegalCall,
    IllegalPlay,
    NotationError,
)
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import (
    Called,
    HighCards,
    Holds,
    Lacks,
    Length,
    Play,
    Reveal,
    Shape,
    Void,
)
from bayesbridge.game.cards import SUIT_MASK, Hand, Strain, Suit
from bayesbridge.notation import Record, Vulnerability, open_records
from tests.deals import random_deal, random_play
from tests.engines.positions import allows

HAND = "AKQ2.KJ3.A54.Q32"
SOUTH = Belief("S", HAND, dummy="N")
DUMMY = Reveal("N", "J54.AQ2.KQ76.A54")


def test_given_returns_a_new_belief_and_leaves_the_old_one():
    count = SOUTH.count()
    later = SOUTH.given(Void("E", "H"))
    assert SOUTH.evidence == ()
    assert SOUTH.count() == count > later.count()
    assert later.evidence == (Void("E", "H"),)
    assert later.given(DUMMY).evidence == (Void("E", "H"), DUMMY)
    assert later.evidence == (Void("E", "H"),)
    for name in ("observer", "hand", "evidence", "bidder", "anything"):
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            setattr(SOUTH, name, None)
    assert Belief("S", HAND) == SOUTH != later
    assert SOUTH.given() == SOUTH


def test_the_order_of_hard_evidence_does_not_matter_to_the_count():
    pieces = [Length("W", "S", 4), HighCards("E", 1, 3), Holds("E", "HT"), DUMMY]
    counts = {
        SOUTH.given(
            *np.random.default_rng(i).permutation(np.array(pieces, object))
        ).count()
        for i in range(4)
    }
    assert len(counts) == 1
    assert SOUTH.given(*pieces, *pieces).count() in counts, (
        "saying it twice says no more"
    )


def test_whole_tricks_and_auctions_count_as_their_parts():
    trick = Trick.of("W:H2 H4 H5 HK")
    auction = Auction.of("S:1NT Pass Pass", dummy="N")
    calls = [Called("S", "1NT"), Called("W", "Pass"), Called("E", "Pass")]
    plays = [Play("W", "H2"), Play("N", "H4"), Play("E", "H5"), Play("S", "HK")]
    assert SOUTH.given(auction, trick) == SOUTH.given(*calls, *plays)
    assert SOUTH.given(auction, trick).table.tricks == (trick,)
    assert SOUTH.given(auction).auction == auction
    assert SOUTH.given(auction).table.strain is Strain.NT


def test_players_left_out_have_passed():
    belief = SOUTH.given(Called("W", "1H"), Called("S", "2C"))
    assert belief.assumed_passes == (Seat.E,)
    assert belief.auction == Auction.of("W:1H Pass 2C", dummy="N")
    with pytest.raises(IllegalCall):
        SOUTH.given(Called("W", "2H"), Called("E", "1H"))


def test_history_is_every_stage():
    belief = SOUTH.given(Play("W", "H4"), DUMMY, Void("E", "D"))
    stages = list(belief.history())
    assert [len(stage.evidence) for stage in stages] == [0, 1, 2, 3]
    assert (stages[0], stages[-1]) == (SOUTH, belief)
    counts = [stage.count() for stage in stages]
    assert counts == sorted(counts, reverse=True)


SOFT = SOUTH.given(Called("W", "Pass"), Called("E", "1NT"))


@pytest.mark.parametrize(
    ("belief", "method"),
    [
        (SOUTH, "direct"),
        (SOUTH.given(Called("W", "Pass")), "likelihood-weighting"),
        (SOFT, "resample-move"),
        (SOFT, "importance"),
        (SOFT, "auto"),
    ],
)
def test_the_same_seed_gives_the_same_layouts(belief, method):
    posterior, repeated, other_seed = (
        belief.infer(method, draws=100, rng=seed) for seed in (7, 7, 8)
    )
    np.testing.assert_array_equal(posterior.layouts.masks, repeated.layouts.masks)
    np.testing.assert_array_equal(posterior.weights, repeated.weights)
    assert not np.array_equal(posterior.layouts.masks, other_seed.layouts.masks)
    generator = belief.infer(method, draws=100, rng=np.random.default_rng(7))
    np.testing.assert_array_equal(posterior.layouts.masks, generator.layouts.masks)


def test_a_run_without_a_seed_can_be_repeated():
    posterior = SOUTH.infer(draws=50)
    assert posterior.seed is not None
    np.testing.assert_array_equal(
        SOUTH.infer(draws=50, rng=posterior.seed).layouts.masks, posterior.layouts.masks
    )


def test_auto_takes_the_most_exact_engine_and_says_why():
    few = SOUTH.given(DUMMY, Holds("E", "HT H9 H8 H7 H6 H5 H4 DJ"), Length("E", "S", 2))
    assert (few.infer().method, few.infer().exact) == ("enumerate", True)
    assert f"{few.count()} layouts can all be walked" in few.infer().why
    many = SOUTH.infer(draws=100, rng=1)
    assert (many.method, many.exact) == ("direct", False)
    assert "too many to walk" in many.why
    soft = SOUTH.given(Called("W", "Pass")).infer(draws=5000, rng=1)
    assert soft.method == "levels"
    keen = (
        Belief("S", HAND, bidder=IterativeBidder(slip=1e-6))
        .given(Called("W", "3NT"))
        .infer(draws=500, rng=1)
    )
    assert (keen.method, keen.exact, keen.ess) == ("levels", False, 500)
    style = (
        Belief("S", HAND, bidder=StyleBidder())
        .given(Called("W", "1H"))
        .infer(draws=500, rng=1)
    )
    assert style.method == "importance"
    assert style.ess > 100


BAD = [
    (lambda: Belief("N", HAND), "N is the dummy's seat"),
    (lambda: Belief("S", "AKQ2.KJ3.A54.Q3"), "S's hand .* has 12 cards"),
    (lambda: Belief("S", HAND, trump="Z"), "unknown strain 'Z'"),
    (lambda: Belief("S", HAND, bidder="keen"), "bidder 'keen' has no log_likelihood"),
    (lambda: SOUTH.given("void E H"), "'void E H' is no evidence"),
    (lambda: SOUTH.given(Called("N", "1NT")), "N is the dummy's seat and does not bid"),
    (
        lambda: SOUTH.given(Called("W", "2NT"), Called("E", "1NT")),
        "illegal call '1NT' by E .* does not outrank 2NT",
    ),
    (lambda: SOUTH.infer("magic"), "unknown method 'magic': choose auto, enumerate"),
    (lambda: SOUTH.infer(draws=0), "0 draws: take at least 2"),
    (lambda: SOUTH.infer(draws="many"), "draws 'many': give a whole number"),
    (lambda: SOUTH.infer(draws=10**30), "draws: take at most 50000000"),
    (lambda: SOUTH.infer(rng=-1), "rng -1: give a whole number from 0 on"),
    (
        lambda: SOFT.infer("direct"),
        'use method="auto", "importance" or "resample-move"',
    ),
]


@pytest.mark.parametrize(("act", "says"), BAD)
def test_bad_input_gets_one_clear_line(act, says):
    with pytest.raises(BayesBridgeError, match=says) as error:
        act()
    assert "\n" not in str(error.value)


RECORDS = open_records(Path(__file__).parents[2] / "examples" / "boards.pbn").records
FIRST = RECORDS[0]


def test_the_dummy_opens_after_the_lead():
    belief = Belief.of_record(FIRST, "N")
    kinds = [type(piece) for piece in belief.evidence]
    calls = len(FIRST.auction.calls)
    assert kinds[: calls + 3] == [Called] * calls + [Play, Reveal, Play]
    assert kinds.count(Reveal) == 1
    assert belief.count() == 1


def test_the_experts_know_the_vulnerability_unless_replaced():
    record = RECORDS[1]
    assert Belief.of_record(record, "S", cards=0).bidder.vulnerable is Vulnerability.NS
    assert Belief.of_record(
        record, "S", cards=0, bidder=IterativeBidder(0.5)
    ).bidder == IterativeBidder(0.5)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.board)
def test_the_truth_is_never_excluded(record):
    for seat in Seat:
        counts = [
            Belief.of_record(record, seat, cards=cards).count()
            for cards in (0, 1, 4, 20, 36, 52)
        ]
        assert counts == sorted(counts, reverse=True)
        assert counts[-1] == 1


def test_a_hand_that_is_not_on_record():
    with pytest.raises(
        NotationError, match="does not tell W's 13 cards: choose another observer"
    ):
        Belief.of_record(
            Record(auction=Auction.of("S:1NT Pass 3NT Pass Pass Pass")), "W"
        )


SUITS = [SUIT_MASK << (13 * suit) for suit in Suit]


@pytest.mark.parametrize("seed", range(8))
def test_voids_are_read_off_the_play(seed):
    """A seat that did not follow may hold only what it had played of that suit before.

    This holds after any number of cards.
    """
    rng = np.random.default_rng([4, seed])
    deal = random_deal(rng)
    trump = [None, *Suit][seed % 5]
    record = random_play(deal, trump, rng, cards=int(rng.integers(36, 49)))
    belief = Belief("S", deal["S"], trump=Strain.NT if trump is None else trump)
    belief = belief.given(record[0], Reveal("N", deal["N"]), *record[1:])
    constraints = reduce(and_, (fact.constraints for fact in belief.facts))
    shown = 0
    for i, play in enumerate(record):
        lead = record[i - i % 4]
        if play.card.suit != lead.card.suit:
            suit = SUITS[lead.card.suit]
            earlier = sum(
                p.card.mask
                for p in record[:i]
                if p.seat == play.seat and p.card.suit == lead.card.suit
            )
            assert constraints.may[play.seat] & suit == earlier
            shown += 1
    assert shown > 0
    # And nothing else: what no play shows is not assumed.
    everything = sum(SUITS)
    for seat in Seat:
        leads_not_followed = {
            record[i - i % 4].card.suit
            for i, p in enumerate(record)
            if p.seat == seat and p.card.suit != record[i - i % 4].card.suit
        }
        open_suits = [suit for suit in Suit if suit not in leads_not_followed]
        assert all(
            constraints.may[seat] & SUITS[suit] == everything & SUITS[suit]
            for suit in open_suits
        )


def test_a_void_typed_after_plays_keeps_the_cards_played():
    tricks = Trick.of("W:H2 H4 H5 HK"), Trick.of("S:C2 C5 C6 C7")
    typed = SOUTH.given(*tricks, Void("E", "H"))
    assert typed.constraints.may[Seat.E] & SUITS[Suit.H] == Hand.of("H5").mask
    assert typed.count() == SOUTH.given(*tricks, Length("E", "H", 1, 1)).count() > 0
    before = SOUTH.given(Void("E", "H"))
    assert before.constraints.may[Seat.E] & SUITS[Suit.H] == 0
    # A void that the play has shown already adds nothing.
    shown = SOUTH.given(Trick.of("W:H2 H4 D2 HK"))
    assert shown.given(Void("E", "H")).count() == shown.count() == SOUTH.given(
        Void("E", "H"), Holds("E", "D2"), Holds("N", "H4"), Holds("W", "H2")
    ).count()  # fmt: skip


def lengths(hand):
    """Longest first."""
    return sorted(map(hand.length, Suit), reverse=True)


@pytest.mark.parametrize("seed", range(6))
def test_each_kind_says_what_it_means(seed):
    """Each kind of evidence agrees with a plain reading of it on single deals.

    The reading shares no code with constraints.
    """
    rng = np.random.default_rng([6, seed])
    deals = [random_deal(rng) for _ in range(300)]
    masks = Layouts.of(deals).masks
    seat = Seat(int(rng.integers(4)))
    suit = Suit(int(rng.integers(4)))
    held_cards = Hand.of([card for i, card in enumerate(deals[0][seat]) if i % 5 == 0])
    low = int(rng.integers(1, 4))
    meanings = [
        (Void(seat, suit), lambda hand: all(card.suit != suit for card in hand)),
        (
            Length(seat, suit, low, low + 2),
            lambda hand: low <= sum(c.suit == suit for c in hand) <= low + 2,
        ),
        (
            HighCards(seat, 8, 11),
            lambda hand: 8 <= sum(max(0, card.rank - 8) for card in hand) <= 11,
        ),
        (
            Holds(seat, held_cards),
            lambda hand: all(card in hand for card in held_cards),
        ),
        (
            Lacks(seat, held_cards),
            lambda hand: not any(card in hand for card in held_cards),
        ),
        (
            Play(seat, next(iter(held_cards))),
            lambda hand: next(iter(held_cards)) in hand,
        ),
        (
            Shape(seat, "balanced"),
            lambda hand: lengths(hand) in ([4, 3, 3, 3], [4, 4, 3, 2], [5, 3, 3, 2]),
        ),
        (Shape(seat, "2-5-4-2"), lambda hand: lengths(hand) == [5, 4, 2, 2]),
        (
            Shape(seat, "any 5-4"),
            lambda hand: lengths(hand)[0] >= 5 and lengths(hand)[1] >= 4,
        ),
        (
            Shape(seat, "S4+ H2-3"),
            lambda hand: hand.length(Suit.S) >= 4 and hand.length(Suit.H) in (2, 3),
        ),
        (
            Shape(seat, "D-1 or C5"),
            lambda hand: hand.length(Suit.D) <= 1 or hand.length(Suit.C) == 5,
        ),
        (Reveal(seat, deals[1][seat]), lambda hand: hand == deals[1][seat]),
    ]
    for piece, means in meanings:
        constraints = piece.constrain(Constraints.free())
        truth = [means(deal[seat]) for deal in deals]
        assert allows(constraints, masks).tolist() == truth
        assert any(truth) or isinstance(piece, Void)
        assert not all(truth)


def test_the_strain_may_be_unknown_told_or_bid():
    ruffed = Trick.of("W:H2 H4 C4 HK"), Play("E", "D2")
    count_with_trump = Belief("S", SOUTH.hand, trump="C").given(*ruffed).count()
    count_after_bid = SOUTH.given(
        Auction.of("W:2C Pass Pass", dummy="N"), *ruffed
    ).count()
    assert SOUTH.given(*ruffed).count() == count_with_trump == count_after_bid
    with pytest.raises(IllegalPlay, match="it is S's turn"):
        Belief("S", SOUTH.hand, trump="NT").given(*ruffed)
    with pytest.raises(IllegalPlay, match="N cannot play 'D2'"):
        SOUTH.given(ruffed[0], Play("N", "D2"))


REFUSED = [
    (
        [Trick.of("W:H2 H4 D2 HK"), Trick.of("S:H3 H6 H7 H8")],
        "E plays H8 in trick 2, but played D2 to H2 in trick 1",
    ),
    (
        [Trick.of("W:H2 H4 H5 SA")],
        "S cannot play 'SA' .*: the suit led must be followed; legal: HK HJ H3",
    ),
    (
        [Trick.of("W:H2 H4 H5 HK"), Trick.of("W:H6")],
        "W cannot play 'H6' to trick 'S:': it is S's turn",
    ),
    (
        [Play("W", "H2"), Play("N", "H2")],
        "N plays H2 in trick 1, but W played it in trick 1: a card is played once",
    ),
    ([Trick.of("W:H2 H4 H5 H6")], "the hand .* does not hold it"),
    (
        [Reveal("N", "J54.AQ2.KQ76.A54"), Trick.of("W:H4 S4")],
        "N cannot play 'S4' .*: the suit led must be followed",
    ),
]


@pytest.mark.parametrize(("seen", "says"), REFUSED)
def test_plays_that_cannot_be_get_one_clear_line(seen, says):
    with pytest.raises(IllegalPlay, match=says) as error:
        SOUTH.given(*seen)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "evidence",
    [
        (Auction.of("W:1H"),),
        (Called("W", "1H"), Called("N", "Pass")),
        (Called("W", "1H"), Called("S", "X")),
    ],
)
def test_evidence_of_bridge_says_which_game_is_meant(evidence):
    belief = Belief("S", HAND).given(*evidence)
    assert belief == Belief("S", HAND, dummy=None).given(*evidence)
    assert belief.dummy is None


@pytest.mark.parametrize(
    "models",
    [
        {"bidder": LearnedBidder("NS")},
        {"bidder": SystemBidder("sayc")},
        {"player": LearnedPlayer()},
        {"style": {"EW": PairStyle.of_text("strong-club")}},
    ],
    ids=str,
)
def test_models_of_bridge_say_which_game_is_meant(models):
    assert Belief("S", HAND, **models) == Belief("S", HAND, dummy=None, **models)


def test_a_named_dummy_stays_dummy():
    assert Belief("S", HAND).given(Called("W", "1NT")).dummy == Seat.N
    assert Belief("S", HAND).given(Auction.of("W:1H", dummy="N")).dummy == Seat.N
    with pytest.raises(IllegalCall, match="N is the dummy's seat"):
        Belief("S", HAND, dummy="N").given(Called("N", "1H"))


def test_suits_bid_in_the_papers_game_are_warned_of():
    doubtful = Belief("S", HAND).given(Called("W", "1H"))
    with pytest.warns(BayesBridgeWarning, match="give dummy=None for bridge"):
        doubtful.infer(draws=10, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Belief("S", HAND).given(Called("W", "1NT")).infer(draws=10, rng=1)
        Belief("S", HAND, dummy="N").given(Called("W", "1H")).infer(draws=10, rng=1)


def test_cards_without_an_auction_are_not_weighted_and_it_says_why():
    """A contract may be asked about; what is missing is the auction."""
    belief = Belief("S", HAND, dummy=None).given(DUMMY, Play("W", "H5"))
    assert belief.assumptions == (
        "Which of several cards they chose to play was not weighted: "
        "no auction tells the contract.",
    )
