"""Belief: a value that never changes, and the same seed gives the same answer."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, IllegalCall, TooManyLayouts
from bayesbridge.evidence import Called, HighCards, Holds, Length, Play, Reveal, Void
from bayesbridge.tricks import Trick

HAND = "AKQ2.KJ3.A54.Q32"
SOUTH = Belief("S", HAND)
DUMMY = Reveal("N", "J54.AQ2.KQ76.A54")


def test_given_returns_a_new_belief_and_leaves_the_old_one() -> None:
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


def test_the_order_of_hard_evidence_does_not_matter_to_the_count() -> None:
    pieces = [Length("W", "S", 4), HighCards("E", 1, 3), Holds("E", "HT"), DUMMY]
    counts = {SOUTH.given(*np.random.default_rng(i).permutation(np.array(pieces, object))).count() for i in range(4)}
    assert len(counts) == 1
    assert SOUTH.given(*pieces, *pieces).count() in counts, "saying it twice says no more"


def test_whole_tricks_and_auctions_count_as_their_parts() -> None:
    trick, auction = Trick.of("W:H2 H4 H5 HK"), Auction.of("S:1NT Pass Pass", dummy="N")
    parts = [Called("S", "1NT"), Called("W", "Pass"), Called("E", "Pass")]
    plays = [Play("W", "H2"), Play("N", "H4"), Play("E", "H5"), Play("S", "HK")]
    assert SOUTH.given(auction, trick) == SOUTH.given(*parts, *plays)
    assert SOUTH.given(auction, trick).tricks == (trick,)
    assert SOUTH.given(auction).auction == auction
    assert SOUTH.given(auction).contract_strain is Strain.NT


def test_players_left_out_have_passed() -> None:
    belief = SOUTH.given(Called("W", "1H"), Called("S", "2C"))
    assert belief.assumed_passes == (Seat.E,)
    assert belief.auction == Auction.of("W:1H Pass 2C", dummy="N")
    with pytest.raises(IllegalCall):
        SOUTH.given(Called("W", "2H"), Called("E", "1H"))


def test_history_is_every_stage() -> None:
    belief = SOUTH.given(Play("W", "H4"), DUMMY, Void("E", "D"))
    stages = list(belief.history())
    assert [len(stage.evidence) for stage in stages] == [0, 1, 2, 3]
    assert (stages[0], stages[-1]) == (SOUTH, belief)
    counts = [stage.count() for stage in stages]
    assert counts == sorted(counts, reverse=True)


SOFT = SOUTH.given(Called("W", "Pass"), Called("E", "1NT"))


@pytest.mark.parametrize(
    ("belief", "method"),
    [(SOUTH, "sample"), (SOUTH.given(Called("W", "Pass")), "weights"), (SOFT, "smc"), (SOFT, "tilted"), (SOFT, "auto")],
)
def test_the_same_seed_gives_the_same_layouts(belief: Belief, method: str) -> None:
    first, again, other = (belief.infer(method, draws=100, rng=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.layouts.masks, again.layouts.masks)
    np.testing.assert_array_equal(first.weights, again.weights)
    assert not np.array_equal(first.layouts.masks, other.layouts.masks)
    generator = belief.infer(method, draws=100, rng=np.random.default_rng(7))
    np.testing.assert_array_equal(first.layouts.masks, generator.layouts.masks)


def test_a_run_without_a_seed_can_be_repeated() -> None:
    first = SOUTH.infer(draws=50)
    assert first.seed is not None
    np.testing.assert_array_equal(SOUTH.infer(draws=50, rng=first.seed).layouts.masks, first.layouts.masks)


def test_auto_takes_the_most_exact_engine_and_says_why() -> None:
    few = SOUTH.given(DUMMY, Holds("E", "HT H9 H8 H7 H6 H5 H4 DJ"), Length("E", "S", 2))
    assert (few.infer().method, few.infer().exact) == ("enumerate", True)
    assert f"{few.count()} layouts can all be walked" in few.infer().why
    many = SOUTH.infer(draws=100, rng=1)
    assert (many.method, many.exact) == ("sample", False)
    assert "too many to walk" in many.why
    soft = SOUTH.given(Called("W", "Pass")).infer(draws=5000, rng=1)
    assert soft.method == "exact"
    keen = Belief("S", HAND, bidder=IterativeBidder(slip=1e-6)).given(Called("W", "3NT")).infer(draws=500, rng=1)
    assert (keen.method, keen.exact, keen.ess) == ("exact", False, 500)
    style = Belief("S", HAND, bidder=StyleBidder()).given(Called("W", "1H")).infer(draws=500, rng=1)
    assert style.method == "tilted"
    assert style.ess > 100


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: Belief("N", HAND), "N is the dummy's seat"),
    (lambda: Belief("S", "AKQ2.KJ3.A54.Q3"), "S's hand .* has 12 cards"),
    (lambda: Belief("S", HAND, trump="Z"), "unknown strain 'Z'"),
    (lambda: Belief("S", HAND, bidder="keen"), "bidder 'keen' has no log_likelihood"),
    (lambda: SOUTH.given("void E H"), "'void E H' is no evidence"),
    (lambda: SOUTH.given(Called("N", "1NT")), "N is the dummy's seat and does not bid"),
    (lambda: SOUTH.given(Called("W", "2NT"), Called("E", "1NT")), "illegal call '1NT' by E .* does not outrank 2NT"),
    (lambda: SOUTH.infer("magic"), "unknown method 'magic': choose auto, enumerate"),
    (lambda: SOUTH.infer(draws=0), "0 draws: take at least 2"),
    (lambda: SOUTH.infer(draws="many"), "draws 'many': give a whole number"),
    (lambda: SOUTH.infer(draws=10**30), "draws: take at most 50000000"),
    (lambda: SOUTH.infer(rng=-1), "rng -1: give a whole number from 0 on"),
    (lambda: SOFT.infer("sample"), 'use method="auto", "tilted" or "smc"'),
]


@pytest.mark.parametrize(("act", "says"), BAD)
def test_bad_input_gets_one_clear_line(act: Callable[[], Any], says: str) -> None:
    with pytest.raises(BayesBridgeError, match=says) as error:
        act()
    assert "\n" not in str(error.value)


def test_too_many_layouts_say_what_to_do() -> None:
    with pytest.raises(TooManyLayouts, match=r'84478098072866400 layouts fit.*method="sample"') as error:
        SOUTH.infer("enumerate")
    assert error.value.data["layouts"] == SOUTH.count()
