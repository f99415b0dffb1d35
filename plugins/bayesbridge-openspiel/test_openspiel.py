"""Beliefs about states of OpenSpiel's bridge, states from beliefs, and their audit."""

import random
from itertools import product

import numpy as np
import pytest

import bayesbridge as bb

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install open_spiel"
)
from bayesbridge_openspiel import (  # noqa: E402
    Moment,
    Resampler,
    audit,
    belief_of,
    own_resampler,
    states_of,
)


def load_bridge(dealer_side, other_side):
    """OpenSpiel's bridge by the vulnerability of each side, "true" or "false"."""
    return pyspiel.load_game(
        "bridge(use_double_dummy_result=false,"
        f"dealer_vul={dealer_side},non_dealer_vul={other_side})"
    )


GAMES = [load_bridge(*sides) for sides in product(("true", "false"), repeat=2)]


def playout(seed, actions=None):
    """A random game, cut off after so many actions beyond the deal.

    Passes are likely, so that the auction ends before long.
    """
    choose = random.Random(seed)
    if actions is None:
        actions = choose.randrange(70)
    state = GAMES[seed % 4].new_initial_state()
    while not state.is_terminal() and len(state.history()) < 52 + actions:
        legal = state.legal_actions()
        if legal[0] == 52 and len(state.history()) >= 52:
            legal = legal[:1] if choose.random() < 0.6 else legal[:8]
        state.apply_action(choose.choice(legal))
    return state


def unfinished_playouts(actions, seed=1):
    """Playouts with so many actions beyond the deal that are not over."""
    for number in range(seed, 10_000):
        state = playout(number, actions)
        if not state.is_terminal():
            yield state


def unfinished_playout(actions, seed=1):
    """The first of them."""
    return next(unfinished_playouts(actions, seed))


@pytest.mark.parametrize("count", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_a_player_cannot_tell_the_states_apart(count):
    phases = set()
    for seed in range(count):
        state = playout(seed)
        if state.is_terminal():
            continue
        phases.add((state.current_phase(), len(state.history()) % 4))
        player = seed % 4
        posterior = belief_of(state, player, calls=False).infer(draws=5, rng=seed)
        information_state = state.information_state_string(player)
        for drawn in states_of(posterior, state, 3, seed):
            assert drawn.information_state_string(player) == information_state
            assert drawn.history()[52:] == state.history()[52:]
            if drawn.current_player() == player:
                assert drawn.legal_actions() == state.legal_actions()
    assert len(phases) > 4


def dealt(state):
    """The four hands."""
    return [Moment.of(state).hand(seat) for seat in range(4)]


def state_with_few_layouts(seed=1):
    """A state in the play whose layouts can be enumerated, and their number."""
    for state in unfinished_playouts(46, seed):
        count = belief_of(state, calls=False).count()
        if 20 < count < 500:
            return state, count
    raise AssertionError("no such state")


def test_a_belief_has_what_the_player_saw():
    state = unfinished_playout(40)
    player = state.current_player()
    belief = belief_of(state)
    hands = dealt(state)
    assert (belief.observer, belief.hand) == (player, hands[player])
    declarer = belief.auction.contract.declarer
    names = {"N": "North", "E": "East", "S": "South", "W": "West"}
    assert f"by {names[declarer.name]}" in state.information_state_string(player)
    constraints = belief.constraints
    assert constraints.must[declarer.partner] == hands[declarer.partner].mask
    for seat, hand in enumerate(hands):
        assert constraints.must[seat] & ~hand.mask == 0
        assert hand.mask & ~constraints.may[seat] == 0


def test_calls_move_the_resampled_hands():
    state = GAMES[3].new_initial_state()
    deal = list(range(52))
    random.Random(3).shuffle(deal)
    for action in deal:
        state.apply_action(action)
    for action in (59, 52):  # North opens 1NT, East passes
        state.apply_action(action)
    points = {}
    for calls in (False, True):
        resample = Resampler(calls=calls, draws=400, rng=1)
        drawn = [dealt(resample(state, 2))[0].points for _ in range(400)]
        points[calls] = np.mean(drawn), np.std(drawn) / np.sqrt(400)
    without_calls, error_without = points[False]
    with_calls, error_with = points[True]
    assert with_calls - without_calls > 5 * np.hypot(error_without, error_with)
    assert 13.5 < with_calls < 16.5


def test_the_audit_passes_ours_and_openspiels():
    state, count = state_with_few_layouts()
    for resample in (Resampler(calls=False, draws=20 * count, rng=1), own_resampler(1)):
        result = audit(resample, state, n=20 * count)
        assert result.p_value is not None
        assert result.passed, result


def test_the_audit_finds_what_is_wrong():
    state, count = state_with_few_layouts()
    unrelated_state, _ = state_with_few_layouts(5000)
    honest = Resampler(calls=False, draws=20 * count, rng=1)
    choose = random.Random(1)

    def leak_sometimes(true_state, player):
        if choose.random() < 0.8:
            return honest(true_state, player)
        return true_state.clone()

    leak = audit(lambda true_state, _: true_state.clone(), state, n=50)
    assert leak.fixed
    assert (leak.told_apart, leak.illegal) == (0, 0)
    assert not leak.passed
    biased = audit(leak_sometimes, state, n=20 * count)
    assert (biased.fixed, biased.told_apart) == ((), 0)
    assert not biased.passed
    assert biased.p_value < 1e-6
    elsewhere = audit(lambda *_: unrelated_state, state, n=5)
    assert (elsewhere.told_apart, elsewhere.illegal) == (5, 5)
    assert not elsewhere.passed


def test_it_plugs_into_is_mcts():
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    state = unfinished_playout(36)
    bot = ISMCTSBot(
        state.get_game(),
        RandomRolloutEvaluator(1),
        20.0,
        20,
        random_state=np.random.RandomState(1),
    )
    bot.set_resampler(Resampler(draws=20, rng=1))
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: pyspiel.load_game("kuhn_poker").new_initial_state(),
            "'kuhn_poker': give one of OpenSpiel's 'bridge'",
        ),
        (lambda: GAMES[0].new_initial_state(), "0 of 52 cards are dealt"),
        (lambda: playout(1, 4), "player 7: nobody is in turn here"),
    ],
)
def test_what_cannot_be_is_one_line(make, words):
    with pytest.raises(bb.BayesBridgeError, match=words) as caught:
        belief_of(make(), 7)
    assert "\n" not in str(caught.value)


def test_a_posterior_of_another_state_is_refused():
    posterior = belief_of(unfinished_playout(4, 1), 0).infer(draws=5, rng=1)
    unrelated_state = unfinished_playout(4, 5)
    with pytest.raises(bb.BayesBridgeError, match="make it with belief_of"):
        states_of(posterior, unrelated_state, 1)
