"""Beliefs for OpenSpiel's bridge, and states of its bridge from posteriors.

From a state comes the belief of one player, from a posterior come states for a search.
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

DECK: Final = 52
"""The first so many actions of a history deal the cards."""

_DEALING_ACTIONS: Final = np.arange(DECK)
CARDS: Final = 13 * (_DEALING_ACTIONS % 4) + _DEALING_ACTIONS // 4
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

SMALLEST_P_VALUE: Final = 1e-6
"""Of frequencies that count as right."""

LEAST_EXPECTED: Final = 5
"""Draws of a layout that a chi-squared test needs."""

type State = Any  # pyspiel.State, which has no types
type Resample = Callable[[State, int], State]
"""From a state and a player another state that the player cannot tell from it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The actions of a state of bridge: the deal, the auction and the play."""

    deal: tuple[int, ...]
    calls: tuple[int, ...]
    plays: tuple[int, ...]
    vulnerable: Vulnerability

    @classmethod
    def of(cls, state: State) -> Moment:
        """From a state after the deal."""
        game = state.get_game()
        name = game.get_type().short_name
        if name != "bridge":
            raise bb.BayesBridgeError(
                f"a state of {name!r}: give one of OpenSpiel's 'bridge'", game=name
            )
        history = state.history()
        if len(history) < DECK:
            raise bb.BayesBridgeError(
                f"{len(history)} of 52 cards are dealt: deal the others first",
                dealt=len(history),
            )
        calls = tuple(action for action in history[DECK:] if action >= FIRST_CALL)
        plays = tuple(history[DECK + len(calls) :])
        options = game.get_parameters()
        dealers_side = bool(options.get("dealer_vul"))
        other_side = bool(options.get("non_dealer_vul"))
        vulnerable = Vulnerability.of(VULNERABLE[dealers_side, other_side])
        return cls(tuple(history[:DECK]), calls, plays, vulnerable)

    def hand(self, seat: int) -> bb.Hand:
        """The 13 cards that were dealt to a seat."""
        cards = CARDS[list(self.deal[seat::4])].tolist()
        return bb.Hand(sum(1 << card for card in cards))

    @property
    def auction(self) -> bb.Auction:
        """The auction as far as it went."""
        return bb.Auction.four("N").after_all(
            CALLS[action - FIRST_CALL] for action in self.calls
        )

    def cards(self, contract: bb.Contract) -> Iterator[bb.Play]:
        """The cards played, each with its player, in order."""
        trick = bb.Trick(contract.declarer.next(), contract.strain.trump)
        for action in self.plays:
            seat = trick.turn
            card = bb.Card(int(CARDS[action]))
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
    """What a player knows in a state of ``bridge``.

    That is the cards held, the calls, the cards played, and dummy once it is open.

    Parameters
    ----------
    state : pyspiel.State
        A state after the deal.
    player : int, optional
        From 0 to 3, N E S W. Without it the player in turn.
    calls : bool, default True
        Whether calls count as evidence. Without them only what is certain counts.
    bidder : BidderModel, optional
        How the others bid. By default like experts, at the state's vulnerability.
    card_player : PlayerModel, optional
        How the others choose their cards. By default choices say nothing.

    Returns
    -------
    Belief
        With the player as observer.

    Raises
    ------
    BayesBridgeError
        The state is not one of ``bridge``, the deal is not complete, or nobody is in
        turn.
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
    evidence: list[Any] = []
    if calls and auction.calls:
        evidence.append(auction)
    if contract is not None:
        dummy = contract.declarer.partner
        for place, play in enumerate(moment.cards(contract)):
            evidence.append(play)
            if place == 0 and dummy != player:
                evidence.append(bb.Reveal(dummy, moment.hand(dummy)))
    trump = None
    if contract is not None and not calls:
        trump = contract.strain
    belief = bb.Belief(
        bb.Seat(player),
        moment.hand(player),
        dummy=None,
        trump=trump,
        bidder=bidder or bb.LearnedBidder(moment.vulnerable),
        player=card_player,
    )
    return belief.given(*evidence)


def states_of(
    posterior: bb.Posterior, state: State, n: int, rng: Any = None
) -> list[State]:
    """``n`` states of the same game, each as likely as another by the posterior.

    Hidden cards are drawn from the posterior; calls and cards played stay.

    Parameters
    ----------
    posterior : Posterior
        Of a belief by :func:`belief_of` about this state.
    state : pyspiel.State
        A state after the deal.
    n : int
        How many states.
    rng : Generator or int, optional
        Where randomness comes from.

    Returns
    -------
    list of pyspiel.State

    Raises
    ------
    BayesBridgeError
        The posterior is of a player with another hand.
    """
    moment = Moment.of(state)
    belief = posterior.belief
    observer = belief.observer
    hand = moment.hand(observer)
    if belief.hand != hand:
        raise bb.BayesBridgeError(
            f"the posterior is of a {observer.name} who holds {belief.hand.pbn}, in "
            f"the state {hand.pbn}: make it with belief_of(state, {int(observer)})",
            observer=observer,
        )
    game = state.get_game()
    later_actions = [*moment.calls, *moment.plays]
    deals = _deals(posterior.resample(n, rng).masks).tolist()
    return [_state(game, [*deal, *later_actions]) for deal in deals]


def _deals(masks: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(n, 52) the actions that deal the layouts of (n, 4) masks."""
    is_held = masks[:, :, None] >> np.arange(DECK, dtype=np.uint64) & np.uint64(1)
    deals = np.empty((len(masks), DECK), np.int64)
    for seat in range(4):
        _, cards = np.nonzero(is_held[:, seat])
        deals[:, seat::4] = ACTIONS[cards].reshape(-1, 13)
    return deals


def _state(game: Any, history: list[int]) -> State:
    """The state after a history.

    Reading its written form is four times as fast as applying action by action.
    """
    return game.deserialize_state("\n".join(map(str, history)) + "\n")


class Resampler:
    """Plugs beliefs into OpenSpiel's IS-MCTS: ``bot.set_resampler(Resampler())``.

    The posterior is inferred once for each information state and ``draws`` layouts are
    handed out one after the other, from the first again when they are used up.

    Parameters
    ----------
    calls : bool, default True
        Whether calls count as evidence. Without them only what is certain counts.
    bidder : BidderModel, optional
        How the others bid. By default like experts.
    card_player : PlayerModel, optional
        How cards are chosen, such as ``bb.LearnedPlayer()``.
    draws : int, default 1000
        Layouts that are drawn for each information state.
    rng : int, optional
        Seed of the draws.
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
        self._information_state: str | None = None
        self._deals: list[list[int]] = []
        self._next = 0

    def __call__(self, state: State, player: int) -> State:
        """A state that ``player`` cannot tell from this one."""
        information_state = state.information_state_string(player)
        if information_state != self._information_state:
            belief = belief_of(state, player, **self.models)
            posterior = belief.infer(draws=self.draws, rng=self.random)
            layouts = posterior.resample(self.draws, self.random)
            self._deals = _deals(layouts.masks).tolist()
            self._information_state = information_state
            self._next = 0
        deal = self._deals[self._next % self.draws]
        self._next += 1
        later_actions = state.history()[DECK:]
        return _state(state.get_game(), [*deal, *later_actions])


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong with the states that a resampler gives."""

    states: int
    """How many were looked at."""
    told_apart: int
    """States that the player would not take for the true one.

    Their information state differs from the true one.
    """
    illegal: int
    """States in whose history somebody did what was not legal, such as a revoke."""
    fixed: tuple[str, ...]
    """Cards that lay where they truly lie in every state, though they need not.

    By the evidence they may lie elsewhere.
    """
    p_value: float | None
    """Of a chi-squared test that layouts have the right frequencies.

    ``None`` where they are too many to enumerate.
    """

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong.

        Frequencies count as wrong where the P value is below one in a million.
        """
        frequencies_fit = self.p_value is None or self.p_value > SMALLEST_P_VALUE
        return frequencies_fit and not (self.told_apart or self.illegal or self.fixed)


def audit(
    resample: Resample,
    state: State,
    player: int | None = None,
    *,
    n: int = 1000,
    belief: bb.Belief | None = None,
) -> Audit:
    """Examine ``n`` states that a resampler gives for one state.

    Frequencies are tested where at least five draws are expected for a layout of
    average weight.

    Parameters
    ----------
    resample : callable
        From a state and a player to another state, such as a :class:`Resampler`.
    state : pyspiel.State
        A state of ``bridge`` after the deal.
    player : int, optional
        From 0 to 3, N E S W. Without it the player in turn.
    n : int, default 1000
        How many states are drawn.
    belief : Belief, optional
        What the frequencies of layouts should follow. Without one, what is certain:
        :func:`belief_of` with ``calls=False``.

    Returns
    -------
    Audit
    """
    if player is None:
        player = state.current_player()
    certain = belief_of(state, player, calls=False)
    resampled_states = [resample(state, player) for _ in range(n)]
    deals = [_masks(resampled) for resampled in resampled_states]
    masks = np.array(deals, np.uint64).reshape(n, 4)
    fixed = _fixed_cards(Moment.of(state), certain, masks)
    return Audit(
        states=n,
        told_apart=_told_apart(resampled_states, state, player),
        illegal=_illegal(resampled_states, state),
        fixed=tuple(map(str, fixed)),
        p_value=_frequency_p_value(certain if belief is None else belief, masks),
    )


def _told_apart(resampled_states: list[State], state: State, player: int) -> int:
    """How many states a player would not take for the true one."""
    information_state = state.information_state_string(player)
    return sum(
        resampled.information_state_string(player) != information_state
        for resampled in resampled_states
    )


def _illegal(resampled_states: list[State], state: State) -> int:
    """How many states have other actions after the deal, or illegal ones."""
    later_actions = state.history()[DECK:]
    illegal = 0
    for resampled in resampled_states:
        history = resampled.history()
        has_same_actions = history[DECK:] == later_actions
        illegal += not (has_same_actions and _is_legal(state.get_game(), history))
    return illegal


def _masks(state: State) -> NDArray[np.uint64]:
    """(4,) the hands that were dealt in a state."""
    masks = np.zeros(4, np.uint64)
    for place, action in enumerate(state.history()[:DECK]):
        masks[place % 4] |= np.uint64(1) << np.uint64(CARDS[action])
    return masks


def _fixed_cards(
    moment: Moment, certain: bb.Belief, masks: NDArray[np.uint64]
) -> bb.Hand:
    """Cards where they truly lie in each of (n, 4) masks, though they need not."""
    always = np.bitwise_and.reduce(masks, axis=0)
    constraints = certain.constraints
    fixed = 0
    for seat in range(4):
        free = constraints.may[seat] & ~constraints.must[seat]
        fixed |= int(always[seat]) & moment.hand(seat).mask & free
    return bb.Hand(fixed)


def _is_legal(game: Any, history: list[int]) -> bool:
    """Whether each action of a history is legal where it stands."""
    state = game.new_initial_state()
    for action in history:
        if action not in state.legal_actions():
            return False
        state.apply_action(action)
    return True


def _frequency_p_value(belief: bb.Belief, masks: NDArray[np.uint64]) -> float | None:
    """P value of a chi-squared test of the frequencies of layouts in (n, 4) masks.

    Layouts that are expected less than five times are put together. ``None`` where the
    layouts are too many for so few draws, 0 where a layout is impossible.
    """
    layout_count = belief.count()
    if layout_count * LEAST_EXPECTED > len(masks) or layout_count < 2:
        return None
    posterior = belief.infer("enumerate")
    layouts = [tuple(row) for row in posterior.layouts.masks.tolist()]
    expected = (len(masks) * posterior.weights).tolist()
    counts = dict.fromkeys(layouts, 0)
    for row in masks.tolist():
        layout = tuple(row)
        if layout not in counts:
            return 0.0
        counts[layout] += 1
    observed = [counts[layout] for layout in layouts]
    return _chi_squared_p_value(observed, expected)


def _chi_squared_p_value(observed: list[int], expected: list[float]) -> float:
    """P value of a chi-squared test; what is expected seldom is put together."""
    cells = list(zip(observed, expected, strict=True))
    common = [(count, mean) for count, mean in cells if mean >= LEAST_EXPECTED]
    if len(common) < len(cells):
        common_count = sum(count for count, _ in common)
        common_mean = sum(mean for _, mean in common)
        total = sum(observed)
        common.append((total - common_count, total - common_mean))
    statistic = sum((count - mean) ** 2 / mean for count, mean in common if mean > 0)
    return float(chi2.sf(statistic, len(common) - 1))


def own_resampler(seed: int = 0) -> Resample:
    """OpenSpiel's own resampling, to compare with or to audit."""
    sampler = pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0)
    return lambda state, player: state.resample_from_infostate(player, sampler)
