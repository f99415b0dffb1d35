"""The learned networks once more, in plain NumPy.

One token, one head, one hand at a time, in double precision, with no tables.
"""

import itertools
import math

import numpy as np

from bayesbridge.bidders.networks import suit_features
from bayesbridge.game.cards import Hand

FEATURES = suit_features().astype(np.float64)


def plain(parameters):
    return {name: value.astype(np.float64) for name, value in parameters.items()}


def affine(p, name, x):
    return p[f"{name}_weight"] @ x + p.get(f"{name}_bias", 0.0)


def normal(x, weight, bias):
    return (x - np.mean(x)) / math.sqrt(np.var(x) + 1e-5) * weight + bias


def attended(p, at, heads_of, i):
    """What token ``i`` takes from those up to it; ``heads_of`` (3, heads, width) each."""
    heads, reach = p[at + "distance"].shape
    width = heads_of[i].shape[-1]
    values = []
    for h in range(heads):
        scores = [
            heads_of[j][1, h] @ heads_of[i][0, h] / math.sqrt(width)
            + p[at + "distance"][h, min(i - j, reach - 1)]
            for j in range(i + 1)
        ]
        chances = np.exp(np.array(scores) - max(scores))
        chances /= chances.sum()
        values.append(sum(c * heads_of[j][2, h] for j, c in enumerate(chances)))
    return np.concatenate(values)


def after_layer(p, at, xs):
    """The vectors of all tokens after a layer; ``at`` begins the names of its weights."""
    heads = len(p[at + "distance"])
    heads_of = []
    for x in xs:
        normalised = normal(x, p[at + "norm_1_weight"], p[at + "norm_1_bias"])
        heads_of.append(affine(p, at + "ask", normalised).reshape(3, heads, -1))
    after = []
    for i, x in enumerate(xs):
        y = x + affine(p, at + "answer", attended(p, at, heads_of, i))
        normalised = normal(y, p[at + "norm_2_weight"], p[at + "norm_2_bias"])
        up = np.maximum(affine(p, at + "up", normalised), 0)
        after.append(y + affine(p, at + "down", up))
    return after


def read(p, tokens, extra=None):
    """What is known at each token."""
    table = p["reader_table_weight"]
    xs = [sum(table[list(token)]) for token in tokens]
    if extra is not None:
        additions = np.broadcast_to(extra, (len(xs), len(xs[0])))
        xs = [x + addition for x, addition in zip(xs, additions, strict=True)]
    layer = 0
    while f"reader_layers_{layer}_distance" in p:
        xs = after_layer(p, f"reader_layers_{layer}_", xs)
        layer += 1
    return [normal(x, p["reader_norm_weight"], p["reader_norm_bias"]) for x in xs]


SHAPES = [
    lengths for lengths in itertools.product(range(14), repeat=3) if sum(lengths) <= 13
]


def held(p, mask, start=""):
    """The vector of a hand.

    It is made suit by suit from the features of holdings, then of the hand as a whole.
    """
    total = p[start + "holdings_hand_bias"].copy()
    for s in range(4):
        x = FEATURES[mask >> 13 * s & 0x1FFF]
        hidden = np.maximum(
            x @ p[start + "holdings_suit_in"][s]
            + p[start + "holdings_suit_in_bias"][s],
            0,
        )
        total += (
            hidden @ p[start + "holdings_suit_out"][s]
            + x @ p[start + "holdings_suit_skip"][s]
        )
    if "hands_points" in p:
        lengths = tuple((mask >> 13 * s & 0x1FFF).bit_count() for s in range(3))
        total += (
            p["hands_points"][Hand(mask).points]
            + p["hands_shapes"][SHAPES.index(lengths)]
        )
        total += tops(p["hands_tops"], mask)
    return np.maximum(total, 0)


def tops(rows, mask):
    """What its aces, and its key cards for each suit, say of a hand."""
    aces = [mask >> 13 * s + 12 & 1 for s in range(4)]
    kings = [mask >> 13 * s + 11 & 1 for s in range(4)]
    return rows[sum(aces)] + sum(
        rows[5 + 6 * s + sum(aces) + kings[s]] for s in range(4)
    )


def scores(p, context, mask, partner=None):
    """The score of every choice for one hand, with partner's if it is shown."""
    hand, partner_hand = (
        np.maximum(affine(p, "hands_deepen", held(p, cards, "hands_")), 0)
        for cards in (mask, partner or mask)
    )
    own = p["own_weight"] @ hand + (tops(p["tops"], mask) if "tops" in p else 0)
    mixed = own * affine(p, "scale", context) + affine(p, "shift", context)
    if partner is not None:
        joint = np.maximum(
            affine(p, "joint", hand) + affine(p, "joint", partner_hand), 0
        )
        mixed += affine(
            p, "pair", np.maximum(affine(p, "joint_deepen", joint), 0)
        ) * affine(p, "pair_scale", context)
        partner_hand = p["partner_weight"] @ partner_hand + tops(
            p["partner_tops"], partner
        )
        mixed += partner_hand * affine(p, "partner_scale", context)
        mixed += affine(p, "partner_shift", context)
    return affine(p, "out", np.maximum(mixed, 0)) + affine(p, "context_out", context)


def log_chance(row, allowed, chosen):
    """log of the softmax over what is allowed."""
    return float(row[chosen] - np.logaddexp.reduce(row[allowed]))
