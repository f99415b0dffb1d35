"""Beliefs for OpenSpiel's bridge: from a state what one player knows, from a posterior
states for a search.

OpenSpiel numbers cards 4 · rank + suit (clubs 0, the two 0), deals card i to player i
mod 4, and seats players N E S W; North deals. Its calls are 52 + the index that
bayesbridge uses. Where dummy is in turn, declarer acts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyspiel
from numpy.typing import NDArray
from scipy.stats import chi2

import bayesbridge as bb
from bayesbridge.game.calls import CALLS, Vulnerability
from bayesbridge.plugins import BidderModel, PlayerModel

FIRST_CALL: Final = 52
"""The action of a pass; what is lower is a card."""

CARDS: Final = np.array([13 * (action % 4) + action // 4 for action in range(52)])
"""Index of the card of each action."""

ACTIONS: Final = np.argsort(CARDS)
"""Action of each card."""

VULNERABLE: Final = {
    (False, False): "None",
    (True, False): "NS",
    (False, True): "EW",
    (True, True): "All",
}
"""By dealer's side, which is North's, and the other."""

type State = Any  # pyspiel.State, which has no types
type Resample = Callable[[State, int], State]
"""From a state and a player another state that the player cannot tell from it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A state of bridge taken apart: the actions of the deal, of the auction and of the
    play.
    """

    deal: tuple[int, ...]
    calls: tuple[int, ...]
    plays: tuple[int, ...]
    vulnerable: Vulnerability

    @classmethod
    def of(cls, state: State) -> Moment:
        """From a state after the deal."""
        game = state.get_game()
        if (name := game.get_type().short_name) != "bridge":
            raise bb.BayesBridgeError(
                f"a state of {name!r}: give one of OpenSpiel's 'bridge'", game=name
            )
        history = state.history()
        if len(history) < 52:
            raise bb.BayesBridgeError(
                f"{len(history)} of 52 cards are dealt: deal the others first",
                dealt=len(history),
            )
        calls = tuple(action for action in history[52:] if action >= FIRST_CALL)
        options = game.get_parameters()
        sides = bool(options.get("dealer_vul")), bool(options.get("non_dealer_vul"))
        plays = tuple(history[52 + len(calls) :])
        return cls(
            tuple(history[:52]), calls, plays, Vulnerability.of(VULNERABLE[sides])
        )

    def hand(self, seat: int) -> bb.Hand:
        """The 13 cards that were dealt to a seat."""
        return bb.Hand(sum(1 << int(CARDS[action]) for action in self.deal[seat::4]))

    @property
    def auction(self) -> bb.Auction:
        """As far as it went."""
        return bb.Auction.four("N").after_all(
            CALLS[action - FIRST_CALL] for action in self.calls
        )

    def cards(self, contract: bb.Contract) -> Iterator[bb.Play]:
        """Who played what, in order."""
        trick = bb.Trick(contract.declarer.next(), contract.strain.trump)
        for action in self.plays:
            seat, card = trick.turn, bb.Card(int(CARDS[action]))
            yield bb.Play(seat, card)
            trick = trick.after(seat, card)
            if trick.complete:
                trick = bb.Trick(trick.winner, trick.trump)


def belief_of(
    state: State,
    player: int | None = None,
    *,
    calls: bool = True,
    bidder: BidderModel | None = None,
    card_player: PlayerModel | None = None,
) -> bb.Belief:
    """What a player knows in a state of ``bridge``: the cards held, the calls, the
    cards played, dummy once it is open.

    ``player`` is the one in turn unless given. The others are taken to bid like experts
    at the state's vulnerability (``bidder`` puts another model in their place);
    ``card_player`` makes their choice of cards count too. With ``calls=False`` the
    calls say nothing: what is certain alone counts.
    """
    moment = Moment.of(state)
    if player is None:
        player = state.current_player()
    if not 0 <= player < 4:
        raise bb.BayesBridgeError(
            f"player {player}: nobody is in turn here; name a player from 0 to 3",
            player=player,
        )
    auction = moment.auction
    contract = auction.contract
    seen: list[Any] = [auction] if calls and auction.calls else []
    if contract is not None:
        dummy = contract.declarer.partner
        for place, play in enumerate(moment.cards(contract)):
            seen.append(play)
            if place == 0 and dummy != player:
                seen.append(bb.Reveal(dummy, moment.hand(dummy)))
    belief = bb.Belief(
        bb.Seat(player),
        moment.hand(player),
        dummy=None,
        trump=contract.strain if contract is not None and not calls else None,
        bidder=bidder or bb.LearnedBidder(moment.vulnerable),
        player=card_player,
    )
    return belief.given(*seen)


def states_of(
    posterior: bb.Posterior, state: State, n: int, rng: Any = None
) -> list[State]:
    """``n`` states of the same game that count the same: hidden cards drawn from the
    posterior, the history kept.
    """
    moment = Moment.of(state)
    belief = posterior.belief
    if belief.hand != moment.hand(belief.observer):
        raise bb.BayesBridgeError(
            f"the posterior is of a {belief.observer.name} who holds {belief.hand.pbn}, in the state "
            f"{moment.hand(belief.observer).pbn}: make it with belief_of(state, {int(belief.observer)})",
            observer=belief.observer,
        )
    game, rest = state.get_game(), [*moment.calls, *moment.plays]
    return [
        _state(game, [*deal, *rest])
        for deal in _deals(posterior.resample(n, rng).masks).tolist()
    ]


def _deals(masks: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(n, 52) the actions that deal the layouts."""
    held = masks[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    deals = np.empty((len(masks), 52), np.int64)
    for seat in range(4):
        deals[:, seat::4] = ACTIONS[np.nonzero(held[:, seat])[1]].reshape(-1, 13)
    return deals


def _state(game: Any, history: list[int]) -> State:
    """The state after a history, by its written form: four times as fast as action by
    action.
    """
    return game.deserialize_state("\n".join(map(str, history)) + "\n")


class Resampler:
    """Plugs beliefs into OpenSpiel's IS-MCTS: ``bot.set_resampler(Resampler())``.

    The posterior is inferred once for each information state and ``draws`` layouts are
    handed out one after the other, from the first again when they are used up.
    ``card_player`` is a model of how cards are chosen, such as ``bb.LearnedPlayer()``;
    ``calls=False`` keeps to what is certain.
    """

    def __init__(
        self,
        *,
        calls: bool = True,
        bidder: BidderModel | None = None,
        card_player: PlayerModel | None = None,
        draws: int = 1000,
        rng: int | None = None,
    ) -> None:
        self.models = {"calls": calls, "bidder": bidder, "card_player": card_player}
        self.draws = draws
        self.random = np.random.default_rng(rng)
        self._known: str | None = None
        self._deals: list[list[int]] = []
        self._next = 0

    def __call__(self, state: State, player: int) -> State:
        """A state that ``player`` cannot tell from this one."""
        known = state.information_state_string(player)
        if known != self._known:
            posterior = belief_of(state, player, **self.models).infer(
                draws=self.draws, rng=self.random
            )
            self._deals = _deals(
                posterior.resample(self.draws, self.random).masks
            ).tolist()
            self._known, self._next = known, 0
        deal = self._deals[self._next % self.draws]
        self._next += 1
        return _state(state.get_game(), [*deal, *state.history()[52:]])


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong with the states that a resampler gives."""

    states: int
    """How many were looked at."""
    told_apart: int
    """States whose information state differs from the true one: the player would know.
    """
    illegal: int
    """States in whose history somebody did what was not legal, such as a revoke."""
    fixed: tuple[str, ...]
    """Cards that lay where they truly lie in every state, though the evidence lets them
    lie elsewhere.
    """
    p_value: float | None
    """Of a chi-squared test that layouts have the right frequencies; ``None`` where
    they are too many to enumerate.
    """

    @property
    def passed(self) -> bool:
        """Nothing found; frequencies count as wrong below one in a million."""
        right = self.p_value is None or self.p_value > 1e-6
        return right and not (self.told_apart or self.illegal or self.fixed)


def audit(
    resample: Resample,
    state: State,
    player: int | None = None,
    *,
    n: int = 1000,
    belief: bb.Belief | None = None,
) -> Audit:
    """Look at ``n`` states that a resampler gives for one state.

    ``belief`` is what their frequencies should follow; without one, what is certain
    (:func:`belief_of` with ``calls=False``). They are tested where at least five draws
    are expected for a layout of average weight.
    """
    if player is None:
        player = state.current_player()
    moment = Moment.of(state)
    certain = belief_of(state, player, calls=False)
    right = certain if belief is None else belief
    known, rest = state.information_state_string(player), list(state.history()[52:])
    told_apart = illegal = 0
    masks = np.zeros((n, 4), np.uint64)
    for i in range(n):
        found = resample(state, player)
        told_apart += found.information_state_string(player) != known
        deal = found.history()[:52]
        illegal += list(found.history()[52:]) != rest or not _is_legal(
            state.get_game(), deal, rest
        )
        for place, action in enumerate(deal):
            masks[i, place % 4] |= np.uint64(1) << np.uint64(CARDS[action])
    truth = np.array([moment.hand(seat).mask for seat in range(4)], np.uint64)
    always = np.bitwise_and.reduce(masks, axis=0) & truth
    free = [
        certain.constraints.may[seat] & ~certain.constraints.must[seat]
        for seat in range(4)
    ]
    fixed = bb.Hand(
        sum(int(kept) & there for kept, there in zip(always, free, strict=True))
    )
    return Audit(n, told_apart, illegal, tuple(map(str, fixed)), _fit(right, masks))


def _is_legal(game: Any, deal: list[int], rest: list[int]) -> bool:
    state = game.new_initial_state()
    for action in [*deal, *rest]:
        if action not in state.legal_actions():
            return False
        state.apply_action(action)
    return True


def _fit(belief: bb.Belief, masks: NDArray[np.uint64]) -> float | None:
    """P value of the frequencies of layouts, those expected less than five times put
    together.
    """
    if belief.count() * 5 > len(masks) or belief.count() < 2:
        return None
    posterior = belief.infer("enumerate")
    layouts = [tuple(row) for row in posterior.layouts.masks.tolist()]
    expected = dict(
        zip(layouts, (len(masks) * posterior.weights).tolist(), strict=True)
    )
    seen = dict.fromkeys(expected, 0)
    for row in masks.tolist():
        if tuple(row) not in seen:
            return 0.0
        seen[tuple(row)] += 1
    common = [key for key, mean in expected.items() if mean >= 5]
    means, counts = [expected[key] for key in common], [seen[key] for key in common]
    if len(common) < len(expected):
        means, counts = (
            [*means, len(masks) - sum(means)],
            [*counts, len(masks) - sum(counts)],
        )
    statistic = sum(
        (count - mean) ** 2 / mean
        for count, mean in zip(counts, means, strict=True)
        if mean > 0
    )
    return float(chi2.sf(statistic, len(means) - 1))


def own_resampler(seed: int = 0) -> Resample:
    """OpenSpiel's own resampling, to compare with or to audit."""
    sampler = pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0)
    return lambda state, player: state.resample_from_infostate(player, sampler)
