"""The learned networks once more: one token, one head, one hand at a time, in double
precision, with no tables.
"""

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


def read(p, tokens, extra=None):
    """What is known at each token."""
    xs = [sum(p["reader_table_weight"][row] for row in token) for token in tokens]
    if extra is not None:
        xs = [
            x + more
            for x, more in zip(
                xs, np.broadcast_to(extra, (len(xs), len(xs[0]))), strict=True
            )
        ]
    layer = 0
    while f"reader_layers_{layer}_distance" in p:
        at = f"reader_layers_{layer}_"
        heads, reach = p[at + "distance"].shape
        width = len(xs[0]) // heads
        asked = [
            affine(
                p, at + "ask", normal(x, p[at + "norm_1_weight"], p[at + "norm_1_bias"])
            )
            for x in xs
        ]
        parts = [row.reshape(3, heads, width) for row in asked]
        after = []
        for i, x in enumerate(xs):
            seen = []
            for h in range(heads):
                scores = [
                    parts[i][0, h] @ parts[j][1, h] / math.sqrt(width)
                    + p[at + "distance"][h, min(i - j, reach - 1)]
                    for j in range(i + 1)
                ]
                chances = np.exp(np.array(scores) - max(scores))
                seen.append(
                    sum(
                        c * parts[j][2, h]
                        for j, c in enumerate(chances / chances.sum())
                    )
                )
            y = x + affine(p, at + "answer", np.concatenate(seen))
            up = np.maximum(
                affine(
                    p,
                    at + "up",
                    normal(y, p[at + "norm_2_weight"], p[at + "norm_2_bias"]),
                ),
                0,
            )
            after.append(y + affine(p, at + "down", up))
        xs, layer = after, layer + 1
    return [normal(x, p["reader_norm_weight"], p["reader_norm_bias"]) for x in xs]


SHAPES = [
    (c, d, h) for c in range(14) for d in range(14 - c) for h in range(14 - c - d)
]


def held(p, mask, start=""):
    """The vector of a hand: suit by suit from the features of its holdings, then of the
    hand as a whole.
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
    aces, kings = ([mask >> 13 * s + rank & 1 for s in range(4)] for rank in (12, 11))
    return rows[sum(aces)] + sum(
        rows[5 + 6 * s + sum(aces) + kings[s]] for s in range(4)
    )


def scores(p, known, mask, partner=None):
    """The score of every choice for one hand, with partner's if it is shown."""
    hand, other = (
        np.maximum(affine(p, "hands_deepen", held(p, one, "hands_")), 0)
        for one in (mask, partner or mask)
    )
    own = p["own_weight"] @ hand + (tops(p["tops"], mask) if "tops" in p else 0)
    mixed = own * affine(p, "scale", known) + affine(p, "shift", known)
    if partner is not None:
        both = np.maximum(affine(p, "joint", hand) + affine(p, "joint", other), 0)
        mixed += affine(
            p, "pair", np.maximum(affine(p, "joint_deepen", both), 0)
        ) * affine(p, "pair_scale", known)
        other = p["partner_weight"] @ other + tops(p["partner_tops"], partner)
        mixed += other * affine(p, "partner_scale", known)
        mixed += affine(p, "partner_shift", known)
    return affine(p, "out", np.maximum(mixed, 0)) + affine(p, "context_out", known)


def log_chance(found, allowed, chosen):
    """log of the softmax over what is allowed."""
    return float(found[chosen] - np.logaddexp.reduce(found[allowed]))
