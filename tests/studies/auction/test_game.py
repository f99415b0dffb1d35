"""The game on real deals.

Algorithm 1 against the headline study, a control that is no equilibrium, wrong input,
and runs that are interrupted.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.notrump_tree import notrump_tree
from bayesbridge.game.scoring import NEW, SCHEMES
from bayesbridge.studies import headline
from bayesbridge.studies.auction import game as game_module
from bayesbridge.studies.auction.deals import ORDERS, GameDeals
from bayesbridge.studies.auction.findings import bits_data, findings
from bayesbridge.studies.auction.game import (
    AuctionGame,
    auctions_of,
    highest_bid_strategy,
)
from bayesbridge.studies.auction.payoffs import payoffs
from bayesbridge.studies.auction.strategies import Auctions, worth
from bayesbridge.studies.auction.study import STUDY, tenths
from bayesbridge.studies.auction.types import CaptureTypes, LevelTypes, TrickTypes
from bayesbridge.studies.deals import deal_blocks

SEED = 11


def dealt(deals, *, counted=False):
    hands = np.concatenate(list(deal_blocks(deals, np.random.SeedSequence(SEED))))
    return GameDeals.of(hands, counted=counted)


def quick_game(deals=3000, types=12, levels=3):
    """A game by predicted tricks, whose deals take no time."""
    deals_of_both = dealt(deals)
    learning = deals_of_both.of_deals(0, deals // 2)
    fresh = deals_of_both.of_deals(deals // 2, deals)
    grouping = TrickTypes.fit(learning, types)
    return AuctionGame(NEW, "relative", levels, learning, fresh, grouping, 1, 2)


@pytest.mark.parametrize("scheme", list(SCHEMES.values()), ids=list(SCHEMES))
def test_algorithm_1_has_the_points_of_the_headline_study(scheme):
    deals = 40_000
    played = dealt(deals)
    tree = notrump_tree()
    types = LevelTypes()
    all_orders = auctions_of(played, [types] * 3)
    as_dealt = [ORDERS.index((0, 1, 2, 3))]
    auctions = Auctions(all_orders.types[:, as_dealt], all_orders.tricks[:, as_dealt])
    strategy = highest_bid_strategy(tree, types.number)
    table = payoffs(scheme, "net")
    with ThreadPoolExecutor(2) as executor:
        outcome = worth(tree, (strategy,) * 3, auctions, table, executor)
    counts = headline.count(np.random.SeedSequence(SEED), deals)
    named = headline.STUDY.named(counts)
    contracts = outcome.contracts.sum(axis=0)
    assert contracts.sum() == named["valid_bidder"]
    net_points = (contracts * table[:, :, 0]).sum()
    assert net_points == pytest.approx(named[f"net_points_{scheme.name}"], abs=1.0)
    made = sum(row[level + 7 :].sum() for level, row in enumerate(contracts))
    assert made == named["won"]


def test_the_equilibrium_is_told_from_algorithm_1_on_fresh_deals():
    game = quick_game()
    control = game.gains(game.algorithm_1()).total
    assert control.mean > 10 * control.error
    by_rounds = [
        game.gains(bidding).total for _, bidding in game.learned(None, 4000, (3, 100))
    ]
    early, late = by_rounds
    assert late.mean < early.mean / 5
    assert late.mean + 5 * late.error < control.mean


def test_seats_have_the_same_cards():
    """In sums over the orders of a deal no seat is better off by its cards."""
    auctions = auctions_of(dealt(50), [LevelTypes()] * 3)
    for values in auctions:
        sums = values.sum(axis=1)
        assert (sums == sums[:, :1]).all()


def test_a_hand_has_the_same_type_wherever_it_is_dealt():
    deals = dealt(40, counted=True)
    turned = GameDeals.of(np.ascontiguousarray(deals.hands[:, ::-1]))
    for fit in (CaptureTypes.fit, TrickTypes.fit):
        grouping = fit(deals, 9)
        assert grouping.number == 9
        assert np.array_equal(grouping.types(deals), grouping.types(turned)[:, ::-1])
    captures = CaptureTypes.fit(deals, 9)
    chance = np.bincount(
        captures.types(deals).ravel(), deals.chances()[:, :, 0].ravel(), 9
    )
    hands = np.bincount(captures.types(deals).ravel(), minlength=9)
    means = (chance / np.maximum(hands, 1))[hands > 0]
    assert means[-1] == means.max()
    assert means[0] < means.mean()


def test_bits_are_the_information_of_levels_about_captures():
    deals = dealt(60, counted=True)
    game = replace(quick_game(40), learning=deals, fresh=deals, levels=7)
    information = bits_data(game, game.algorithm_1())
    levels = deals.levels.ravel()
    captures = deals.captures.reshape(len(levels), -1) / deals.captures[0, 0].sum()
    joint = np.array([captures[levels == level].sum(axis=0) for level in range(8)])
    joint /= joint.sum()
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    held = joint > 0
    bits = (joint[held] * np.log2(joint[held] / independent[held])).sum()
    assert information["mean"] == pytest.approx(bits, rel=1e-9)
    shares = {row["level"]: row["chance"] for row in information["calls"]}
    assert shares[0] == pytest.approx((levels == 0).mean())


def test_a_resumed_run_finds_the_same(tmp_path, monkeypatch):
    game = quick_game(60, types=4, levels=2)
    undisturbed = game.learn(30, batch=200)
    learn = game_module.learn

    def interrupted(*args, **settings):
        if args[3].rounds == 25:
            raise KeyboardInterrupt
        return learn(*args, **settings)

    monkeypatch.setattr(game_module, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        game.learn(30, batch=200, checkpoint=tmp_path)
    rounds = []

    def counted(*args, **settings):
        rounds.append(args[3].rounds)
        return learn(*args, **settings)

    monkeypatch.setattr(game_module, "learn", counted)
    resumed = replace(game, workers=1).learn(30, batch=200, checkpoint=tmp_path)
    assert rounds == list(range(20, 30))
    for strategy, expected in zip(resumed.profile, undisturbed.profile, strict=True):
        assert np.array_equal(strategy, expected)


def test_a_study_that_is_resumed_has_the_same_answers(tmp_path):
    study = STUDY.with_settings({"types": 4, "iterations": 3, "scheme": "new"})
    how = bb.studies.RunOptions(1, checkpoint=tmp_path)
    result = study.simulate(32, 1, how)
    again = study.simulate(32, 1, bb.studies.RunOptions(2, checkpoint=tmp_path))
    afresh = study.simulate(32, 1, 2)
    assert result.answers == again.answers == afresh.answers
    assert study.simulate(32, 2, 2).answers != result.answers
    (game,) = result.answers["games"]
    shares = [tenth["chance of 7"] for tenth in tenths(game["opening"])]
    assert shares == sorted(shares)


def test_a_dear_undertrick_makes_bidding_worth_less():
    game = quick_game(400, types=4, levels=2)
    dear = replace(game, scheme=replace(NEW, undertrick=200))
    cheap_gain, dear_gain = (
        priced.gains(priced.algorithm_1()).total for priced in (game, dear)
    )
    error = np.hypot(cheap_gain.error, dear_gain.error)
    assert dear_gain.mean + 5 * error < cheap_gain.mean


def test_findings_have_all_that_tables_and_picture_need():
    deals = dealt(64, counted=True)
    learning = deals.of_deals(0, 32)
    fresh = deals.of_deals(32, 64)
    grouping = CaptureTypes.fit(learning, 4)
    game = AuctionGame(NEW, "relative", 2, learning, fresh, grouping, 1, 2)
    game_findings = findings(game, 6, None)
    steps = [step["iterations"] for step in game_findings["gains from the equilibrium"]]
    assert steps == [1, 2, 6]
    assert sum(row["share"] for row in game_findings["opening"]) == pytest.approx(1.0)
    for way in game_findings["bidding"].values():
        points = [seat["points"]["mean"] for seat in way["by_seat"]]
        assert sum(points) == pytest.approx(0.0, abs=1e-9)
        declares = [seat["declares"] for seat in way["by_seat"]]
        assert sum(declares) == pytest.approx(way["contracts"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bb.auction_game("newest"), "unknown scoring scheme 'newest'"),
        (lambda: bb.auction_game(utility="greed"), "unknown utility 'greed'"),
        (lambda: bb.auction_game(by="points"), "types by 'points'"),
        (lambda: bb.auction_game(deals=2), "2 deals: a game needs at least 4"),
        (lambda: bb.auction_game(levels=8), "8 levels: give 1 to 7"),
        (
            lambda: bb.auction_game(types=200, deals=8),
            "200 types: no hand would have some of them",
        ),
        (lambda: bb.auction_game(types=0, deals=8), "0 types"),
        (lambda: quick_game(40, 2).learn(-1), "-1 iterations: give at least 1"),
        (lambda: STUDY.simulate(40, 1, None, 2), "2 runs: the auction is solved once"),
        (
            lambda: STUDY.with_settings({"iterations": 0}).simulate(40, 1),
            "0 iterations: give at least 1",
        ),
    ],
)
def test_wrong_input_is_one_line(make, words):
    with pytest.raises(bb.BayesBridgeError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
