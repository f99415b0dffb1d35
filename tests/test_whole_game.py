"""A whole game of cards seen from one chair: the truth is never excluded."""

from math import log2

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from bayesbridge import Auction, Belief, Hand, Seat, Trick
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.errors import Contradiction, IllegalPlay
from bayesbridge.evidence.kinds import Called, HighCards, Play, Reveal
from bayesbridge.game.layouts import Layouts, high_card_points
from tests.engines.positions import allows
from tests.strategies import deals, false_evidence, seats, strains, true_evidence

FEW = 3000  # layouts up to which all of them are looked at


class Calm:
    """A bidder whom no hand surprises: strong ones like bids, weak ones passes."""

    def log_likelihood(self, hands, auction, index):
        lean = 0.2 if auction.calls[index].is_bid else -0.2
        return -np.logaddexp(
            0.0, -lean * (high_card_points(hands).astype(np.float64) - 10.0)
        )


class Game(RuleBasedStateMachine):
    """An auction, a dummy, tricks, and in between other evidence.

    That is whatever else the observer may come to know.
    """

    @initialize(
        deal=deals,
        observer=seats,
        first=st.integers(1, 3),
        dummy=st.none() | st.integers(1, 3),
        told=st.none() | strains,
    )
    def begin(self, deal, observer, first, dummy, told):
        """Three players and a dummy's seat, or four.

        With an auction, or with a strain that is simply told.
        """
        self.deal = deal
        self.truth = Layouts.of([deal]).masks
        empty = None if dummy is None else observer.next(dummy)
        opener = observer.next(first)
        self.auction = (
            None
            if told is not None
            else Auction(opener if opener != empty else observer, (), empty)
        )
        self.leader = opener
        self.belief = Belief(
            observer, deal[observer], dummy=empty, trump=told, bidder=Calm()
        )
        self.tricks: list[Trick] = []
        self.played = 0
        self.count = self.belief.count()
        self.points_known = False

    def see(self, piece):
        """More evidence never leaves more layouts, and a call leaves as many."""
        self.belief = self.belief.given(piece)
        before = self.count
        self.count = self.belief.count()
        assert 1 <= self.count <= before
        assert self.count == before or not isinstance(piece, Called)
        assert self.belief.evidence[-1] == piece

    @property
    def strain(self):
        """Of the contract, once there is one."""
        if self.belief.trump is not None or self.auction is None:
            return self.belief.trump
        return None if self.auction.contract is None else self.auction.contract.strain

    @property
    def dummy(self):
        """The hand that is laid open, once there is one."""
        if (
            self.belief.dummy is not None
            or self.auction is None
            or self.auction.contract is None
        ):
            return self.belief.dummy
        return self.auction.contract.declarer.partner

    @precondition(lambda self: self.auction is not None and not self.auction.is_over)
    @rule(steps=st.lists(st.integers(0, 8), min_size=1, max_size=5))
    def bid(self, steps):
        """Some calls, mostly a little above the last one."""
        for step in steps:
            if self.auction.is_over:
                break
            legal = self.auction.legal_calls()
            call = legal[min(step, len(legal) - 1)]
            self.see(Called(self.auction.turn, call))
            self.auction = self.auction.after(call)
        assert self.belief.auction == self.auction
        assert self.belief.assumed_passes == ()

    @precondition(
        lambda self: (
            self.strain is not None and self.dummy not in (None, self.belief.observer)
        )
    )
    @rule()
    def open_dummy(self):
        """Also more than once: what is known already changes nothing."""
        self.see(Reveal(self.dummy, self.deal[self.dummy]))

    @precondition(lambda self: self.strain is not None and self.played.bit_count() < 52)
    @rule(choices=st.lists(st.integers(0, 12), min_size=1, max_size=8))
    def play(self, choices):
        """Some cards by the rules, from the hands as they are."""
        for choice in choices:
            if self.played.bit_count() == 52:
                break
            if not self.tricks or self.tricks[-1].complete:
                leader = self.tricks[-1].winner if self.tricks else self.leader
                self.tricks.append(Trick(leader, self.strain.trump, ()))
            trick = self.tricks[-1]
            legal = list(trick.legal(Hand(self.deal[trick.turn].mask & ~self.played)))
            card = legal[choice % len(legal)]
            self.see(Play(trick.turn, card))
            self.tricks[-1] = trick.after(trick.turn, card)
            self.played |= card.mask
        assert list(self.belief.table.tricks) == self.tricks
        if self.played.bit_count() == 52:
            assert self.count == 1

    @rule(data=st.data())
    def hear(self, data):
        """Give other evidence that is true.

        Points are of one seat only, since those of several are costly to count.
        """
        piece = data.draw(
            true_evidence(self.deal, self.played, points=not self.points_known)
        )
        self.points_known |= isinstance(piece, HighCards)
        self.see(piece)

    @rule(data=st.data())
    def be_misled(self, data):
        """False evidence excludes the truth, or conflicts with the rest.

        In a conflict it is named; it is not kept.
        """
        piece = data.draw(false_evidence(self.deal, self.played))
        assume(not (self.points_known and isinstance(piece, HighCards)))
        conflict = None
        try:
            belief = self.belief.given(piece)
            assert not allows(belief.constraints, self.truth)[0]
            assert 1 <= belief.count() < self.count
        except (Contradiction, IllegalPlay) as error:
            conflict = error
        # A hand is laid open that a card on the table did not come from.
        if isinstance(conflict, IllegalPlay):
            assert isinstance(piece, Reveal)
            assert piece.hand.pbn in str(conflict)
        elif conflict is not None:
            named = conflict.data["evidence"]
            assert piece in named
            assert set(named) <= {
                piece,
                Reveal(self.belief.observer, self.belief.hand),
                *self.belief.evidence,
            }
            assert str(piece) in str(conflict)

    @invariant()
    def the_truth_is_possible(self):
        """It fits, it is counted, and every card may lie where it lies."""
        constraints = self.belief.constraints
        assert allows(constraints, self.truth)[0]
        if self.count <= FEW:
            self.the_truth_has_weight()
            return
        # Count now and then only: tables of large counts take longest to build.
        if len(self.belief.evidence) % 4:
            return
        lying = LayoutIndex.of(constraints).card_marginals()
        for seat in Seat:
            assert all(lying[card.index, seat] > 0 for card in self.deal[seat])

    def the_truth_has_weight(self):
        """Among all layouts, one by one."""
        posterior = self.belief.infer(rng=1)
        assert posterior.exact
        assert posterior.count() == len(posterior) == self.count
        (row,) = np.flatnonzero((posterior.layouts.masks == self.truth).all(axis=1))
        assert posterior.weights[row] > 0
        assert posterior.weights.sum() == pytest.approx(1)
        assert -1e-9 <= posterior.entropy_bits <= log2(self.count) + 1e-9
        chances = posterior.card_probabilities()
        for seat in Seat:
            assert all(
                chances.sel(card=str(card), seat=seat.name) > 0
                for card in self.deal[seat]
            )


class TestGame(Game.TestCase):
    settings = settings(
        max_examples=4, stateful_step_count=20, suppress_health_check=list(HealthCheck)
    )


@pytest.mark.slow
class TestManyGames(Game.TestCase):
    settings = settings(
        max_examples=15, stateful_step_count=40, suppress_health_check=list(HealthCheck)
    )
