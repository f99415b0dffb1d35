"""The network behind ``tricks``.

Its contract, its symmetries, its accuracy on solved deals, and its kernels.
"""

import numpy as np
import pytest

from bayesbridge import Layouts, Seat
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.network import HEADS, SHARPER, table_tricks, weights
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.game.cards import SUIT_MASK, Strain, Suit
from scripts.table_arrays import expected_tricks
from tests.deals import deal_masks, solved_deals

LAYOUTS = Layouts(deal_masks(60, 3))
# share of exact numbers on 5 389 deals held aside, with trumps and without
MEASURED = {
    False: 0.790,
    True: 0.813,
}


def asked(layouts, pair, trump):
    return run(TricksEstimator(), layouts, Question.of(pair, trump=trump))["tricks"]


def renamed(layouts, order):
    """Each suit s in the place of order[s]."""
    masks = np.zeros_like(layouts.masks)
    for suit, place in enumerate(order):
        masks |= (
            layouts.masks >> np.uint64(13 * suit) & np.uint64(SUIT_MASK)
        ) << np.uint64(13 * place)
    return Layouts(masks)


@pytest.mark.parametrize("order", [(1, 2, 3, 0), (3, 2, 1, 0), (0, 2, 1, 3)])
def test_names_of_suits_do_not_matter(order):
    """But for rounding: 24 bits of each weight, and sums of a few hundred."""
    with_other_suits = renamed(LAYOUTS, order)
    np.testing.assert_allclose(
        asked(with_other_suits, "S:N", None), asked(LAYOUTS, "S:N", None), atol=1e-4
    )
    for suit in Suit:
        trump = Suit(order[suit])
        np.testing.assert_allclose(
            asked(with_other_suits, "S:N", trump),
            asked(LAYOUTS, "S:N", suit),
            atol=1e-4,
        )
    assert not np.allclose(
        asked(with_other_suits, "S:N", Suit(order[0])),
        asked(LAYOUTS, "S:N", Suit.H),
        atol=1e-4,
    )


def judged(layouts, tables, no_trump):
    """Of every deal: the share of exact numbers, and the excess of the loss.

    The excess is over what the network itself expects.
    """
    exact = []
    excess = []
    for strain in Strain:
        if (strain == Strain.NT) != no_trump:
            continue
        for seat in Seat:
            chances = asked(layouts, (seat, seat.partner), strain.trump).astype(
                np.float64
            )
            truth = tables[:, strain, seat]
            logs = np.log(np.maximum(chances, 1e-30))
            exact.append(chances.argmax(axis=1) == truth)
            excess.append(
                -logs[np.arange(len(truth)), truth] + (chances * logs).sum(axis=1)
            )
    return np.mean(exact, axis=0), np.mean(excess, axis=0)


def z(values, expected):
    """Deals are independent, results of one deal are not."""
    return (values.mean() - expected) / (values.std(ddof=1) / np.sqrt(len(values)))


@pytest.mark.parametrize("no_trump", [False, True])
def test_accuracy_and_calibration_on_solved_deals(no_trump):
    layouts, tables = solved_deals()
    exact, excess = judged(layouts, tables, no_trump)
    assert abs(z(exact, MEASURED[no_trump])) < 4
    assert abs(z(excess, 0.0)) < 4
    # tables of other deals
    exact, excess = judged(layouts, np.roll(tables, 1, axis=0), no_trump)
    assert z(exact, MEASURED[no_trump]) < -4
    assert z(excess, 0.0) > 4


def product(net, name, values):
    return values @ net[f"{name}.weight"].T + net[f"{name}.bias"]


def norm(net, name, values):
    mean_square = (values**2).mean(axis=-1, keepdims=True)
    return values / np.sqrt(mean_square + 1e-6) * net[f"{name}.weight"]


def suit_vectors(net, table, trump):
    """(deals, 4 suits, width): trumps first, else spades to clubs."""
    order = (
        [3, 2, 1, 0]
        if trump is None
        else [trump, *(s for s in (3, 2, 1, 0) if s != trump)]
    )
    # deal, owner, card
    bits = table[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    # deal, place, rank, owner
    held = bits.reshape(len(table), 4, 4, 13)[:, :, order].transpose(0, 2, 3, 1)
    roles = [2] * 4 if trump is None else [0, 1, 1, 1]
    return (
        held.reshape(len(table), 4, 52).astype(np.float64) @ net["suit.weight"].T
        + net["role"][roles]
    )


def attended(net, layer, x):
    """What the suits say to each other, (deals, 4 suits, width)."""
    joined = product(net, f"joined.{layer}", norm(net, f"before.{layer}", x))
    query, key, value = (
        projection.reshape(*x.shape[:2], HEADS, -1)
        for projection in np.split(joined, 3, axis=-1)
    )
    fits = np.exp(np.einsum("nihd,njhd->nhij", query, key) / np.sqrt(query.shape[-1]))
    mixed = np.einsum(
        "nhij,njhd->nihd", fits / fits.sum(axis=-1, keepdims=True), value
    ).reshape(x.shape)
    return product(net, f"out.{layer}", mixed)


def plain(table, trump):
    """The same network in float64 and without kernels."""
    net = weights()
    x = product(net, "begin", np.maximum(suit_vectors(net, table, trump), 0))
    for layer in range(3):
        x = x + attended(net, layer, x)
        up = product(net, f"up.{layer}", norm(net, f"between.{layer}", x))
        x = x + product(net, f"down.{layer}", np.maximum(up, 0))
    tokens = norm(net, "norm", x)
    mean = tokens.mean(axis=1)
    summary = np.concatenate([mean if trump is None else tokens[:, 0], mean], axis=1)
    logits = product(net, "leave", np.maximum(product(net, "gather", summary), 0))
    chances = np.exp(SHARPER * (logits - logits.max(axis=1, keepdims=True)))
    return chances / chances.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("trump", [None, Suit.D])
def test_kernels_give_what_the_formulas_give(trump):
    table = np.ascontiguousarray(deal_masks(300, 4))  # more than a block
    np.testing.assert_allclose(
        table_tricks(table, trump), plain(table, trump), atol=1e-4
    )


def test_fits_are_told_of_thirteen_tricks():
    """They are 260 twentieths, more than a byte holds."""
    masks = Layouts.of(
        ["N:AKQJT9.AK.AKQ.AK 43.T987.T987.T98 8765.QJ2.J32.QJ2 2.6543.654.76543"]
    ).masks
    twentieths = expected_tricks(masks)[0, 0] / 20
    expected = [table_tricks(masks, t) @ np.arange(14) for t in (*Suit, None)]
    assert twentieths[Suit.S] > 12.8
    np.testing.assert_allclose(twentieths, np.ravel(expected), atol=0.026)
