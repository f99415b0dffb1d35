"""Beliefs about states of OpenSpiel's bridge, states from beliefs, and an audit that
finds what is wrong.
"""

import random

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

GAMES = [
    pyspiel.load_game(
        f"bridge(use_double_dummy_result=false,dealer_vul={ours},non_dealer_vul={theirs})"
    )
    for ours in ("true", "false")
    for theirs in ("true", "false")
]


def playout(seed, actions=None):
    """A random game, cut off after so many actions beyond the deal; the auction ends
    before long.
    """
    choose = random.Random(seed)
    actions = choose.randrange(70) if actions is None else actions
    state = GAMES[seed % 4].new_initial_state()
    while not state.is_terminal() and len(state.history()) < 52 + actions:
        legal = state.legal_actions()
        if legal[0] == 52 and len(state.history()) >= 52:
            legal = legal[:1] if choose.random() < 0.6 else legal[:8]
        state.apply_action(choose.choice(legal))
    return state


def at(actions, seed=1):
    """A playout with so many actions beyond the deal that is not over."""
    return next(
        s
        for s in (playout(i, actions) for i in range(seed, 10_000))
        if not s.is_terminal()
    )


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
        for other in states_of(posterior, state, 3, seed):
            assert other.information_state_string(
                player
            ) == state.information_state_string(player)
            assert other.history()[52:] == state.history()[52:]
            if other.current_player() == player:
                assert other.legal_actions() == state.legal_actions()
    assert len(phases) > 4


def dealt(state):
    """The four hands."""
    return [Moment.of(state).hand(seat) for seat in range(4)]


def few_left(seed=1):
    """A state in the play with so few layouts left that they can be enumerated, and
    their number.
    """
    for state in (playout(i, 46) for i in range(seed, 10_000)):
        if (
            not state.is_terminal()
            and 20 < (count := belief_of(state, calls=False).count()) < 500
        ):
            return state, count
    raise AssertionError("no such state")


def test_a_belief_has_what_the_player_saw():
    state = at(40)
    belief, hands = belief_of(state), dealt(state)
    assert (belief.observer, belief.hand) == (
        state.current_player(),
        hands[state.current_player()],
    )
    contract = belief.auction.contract
    names = {"N": "North", "E": "East", "S": "South", "W": "West"}
    assert f"by {names[contract.declarer.name]}" in state.information_state_string(
        belief.observer
    )
    known = belief.constraints
    assert (
        known.must[contract.declarer.partner] == hands[contract.declarer.partner].mask
    )
    assert all(
        known.must[seat] & ~hand.mask == 0 == hand.mask & ~known.may[seat]
        for seat, hand in enumerate(hands)
    )


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
        points[calls] = np.mean(drawn), np.std(drawn) / 20
    (before, error), (after, other) = points[False], points[True]
    assert after - before > 5 * np.hypot(error, other)
    assert 13.5 < after < 16.5


def test_the_audit_passes_ours_and_openspiels():
    state, count = few_left()
    for resample in (Resampler(calls=False, draws=20 * count, rng=1), own_resampler(1)):
        found = audit(resample, state, n=20 * count)
        assert found.p_value is not None
        assert found.passed, found


def test_the_audit_finds_what_is_wrong():
    state, count = few_left()
    ours, choose, other = (
        Resampler(calls=False, draws=20 * count, rng=1),
        random.Random(1),
        few_left(5000)[0],
    )
    leak = audit(lambda s, _: s.clone(), state, n=50)
    assert leak.fixed
    assert (leak.told_apart, leak.illegal, leak.passed) == (0, 0, False)
    biased = audit(
        lambda s, player: ours(s, player) if choose.random() < 0.8 else s.clone(),
        state,
        n=20 * count,
    )
    assert (biased.fixed, biased.told_apart, biased.passed) == ((), 0, False)
    assert biased.p_value < 1e-6
    elsewhere = audit(lambda *_: other, state, n=5)
    assert (elsewhere.told_apart, elsewhere.illegal, elsewhere.passed) == (5, 5, False)


def test_it_plugs_into_is_mcts():
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    state = at(36)
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
    state, other = at(4, 1), at(4, 5)
    with pytest.raises(bb.BayesBridgeError, match="make it with belief_of"):
        states_of(belief_of(state, 0).infer(draws=5, rng=1), other, 1)
