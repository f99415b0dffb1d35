"""How much an answer depends on how the others are taken to bid: one question under
several bidder models.

Every model gives its own posterior, and P(evidence) under each is what the evidence
itself says for the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.answer import capture_tricks
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.systems import SystemBidder
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.estimators.distribution import GOALS
from bayesbridge.estimators.registry import offered
from bayesbridge.evidence.models import BidderModel
from bayesbridge.progress import with_progress
from bayesbridge.random64 import Seed

if TYPE_CHECKING:
    import xarray

EXPERTS: Final = "experts"


def sensitivity(
    belief: Belief,
    bidders: str | Sequence[str] | Mapping[str, BidderModel],
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    draws: int | None = None,
    rng: Seed = 0,
) -> xarray.Dataset:
    """The answers to one question under every bidder: ``bidders`` are names, or models
    by name.

    A row for each ``bidder``. Variables: ``log_evidence``, log P(all evidence), and
    ``log_bayes_factor`` against the first model, each with its ``…_error``;
    ``entropy_bits``; ``card_probabilities`` and mean ``points`` by seat; ``qualified``,
    P(both conditions hold); ``T``, its distribution; ``T_mean`` given that they hold;
    ``T_at_least``, P(T ≥ 7 … 13) by ``tricks``; ``error``, the largest standard error
    of a probability, 0 where exact; ``method``. A model under which the evidence is
    impossible has log_evidence -inf and no other answer.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Called("W", "2NT"))
    >>> found = sensitivity(belief, {f"slip {slip}": bb.IterativeBidder(slip=slip) for slip in (0.005, 0.1)})
    >>> found["log_bayes_factor"].values.round(3).tolist(), found["T_mean"].values.round(2).tolist()
    ([0.0, 1.818], [9.68, 10.15])
    >>> found["card_probabilities"].sel(card="HA", seat="W").values.round(3).tolist()
    [0.816, 0.404]
    """
    if isinstance(bidders, Mapping):
        models = dict(bidders)
    else:
        names = [bidders] if isinstance(bidders, str) else bidders
        registry = offered("bidders", names)
        models = {name: registry.bidder(name) for name in names}
    if not models:
        raise BayesBridgeError(
            "no bidder named: give at least one, such as 'iterative'"
        )
    rows = []
    for model in with_progress("models", models.values()):
        try:
            posterior = belief.with_bidder(model).infer(draws=draws, rng=rng)
            tricks = capture_tricks(posterior, pair, rng)
        except Contradiction:
            unknown: dict[str, Any] = dict.fromkeys(
                ("entropy_bits", "qualified", "T_mean"), nan
            )
            shapes = {
                "card_probabilities": (52, 4),
                "points": 4,
                "T": 14,
                "T_at_least": 7,
            }
            unknown |= {name: np.full(shape, nan) for name, shape in shapes.items()}
            unknown |= {
                "log_evidence": -inf,
                "log_evidence_error": 0.0,
                "error": 0.0,
                "method": "impossible",
            }
            rows.append(unknown)
            continue
        certain = posterior.exact or (tricks.exact and posterior.tables is not None)
        rows.append(
            {
                "log_evidence": posterior.log_evidence,
                "log_evidence_error": posterior.log_evidence_error,
                "entropy_bits": posterior.entropy_bits,
                "card_probabilities": posterior.card_probabilities().values,
                "points": (posterior.point_probabilities().values * np.arange(38)).sum(
                    axis=-1
                ),
                "qualified": tricks.holds,
                "T": np.array([tricks.share(value) for value in range(14)]),
                "T_mean": nan if tricks.mean_if_held is None else tricks.mean_if_held,
                "T_at_least": np.array(list(tricks.goals.values())),
                "error": 0.0 if certain else 0.5 / sqrt(max(posterior.ess, 1.0)),
                "method": posterior.method,
            }
        )
    return _dataset(list(models), rows)


def bidders_in_doubt(bidder: BidderModel) -> dict[str, BidderModel]:
    """The experts on average and two systems, by name; none where something is known of
    how the players bid.
    """
    if not isinstance(bidder, LearnedBidder) or bidder.named:
        return {}
    return {
        EXPERTS: bidder,
        **{name: SystemBidder(name, base=bidder) for name in ("sayc", "acol")},
    }


def by_system[T](
    belief: Belief, ask: Callable[[Posterior], T], rng: Seed = 0
) -> dict[str, T]:
    """What 500 draws answer under each of :func:`bidders_in_doubt`; nothing where no
    other seat has called.
    """
    called = belief.auction is not None and any(
        seat != belief.observer for seat, _ in belief.auction
    )
    bidders = bidders_in_doubt(belief.bidder) if called and belief.dummy is None else {}
    return {
        name: ask(belief.with_bidder(one).infer(draws=500, rng=rng))
        for name, one in bidders.items()
    }


def depends_sentence(answers: Mapping[str, str]) -> str:
    """That advice depends on what they play: the ``answers`` that differ, by system;
    empty where none does.
    """
    told = {
        answer: [name for name in answers if answers[name] == answer]
        for answer in answers.values()
    }
    said = "; ".join(
        f"with --system {' or '.join(names)} {answer}" for answer, names in told.items()
    )
    return f"This depends on what they play: {said}." if said else ""


def _dataset(bidders: list[str], rows: Sequence[dict[str, Any]]) -> xarray.Dataset:
    import xarray

    axes = {
        "card_probabilities": ["card", "seat"],
        "points": ["seat"],
        "T": ["T_value"],
        "T_at_least": ["tricks"],
    }
    variables = {
        name: (["bidder", *axes.get(name, [])], np.array([row[name] for row in rows]))
        for name in rows[0]
    }
    log, errors = variables["log_evidence"][1], variables["log_evidence_error"][1]
    # Two models under both of which the evidence is impossible have no Bayes factor.
    apart = [
        0.0 if not row else nan if one == log[0] == -inf else one - log[0]
        for row, one in enumerate(log)
    ]
    variables["log_bayes_factor"] = ["bidder"], np.array(apart)
    variables["log_bayes_factor_error"] = (
        ["bidder"],
        np.array([0.0, *np.hypot(errors[1:], errors[0])]),
    )
    labels = {
        "bidder": bidders,
        "card": list(CARDS),
        "seat": [seat.name for seat in Seat],
    }
    return xarray.Dataset(
        variables, {**labels, "T_value": np.arange(14), "tricks": list(GOALS)}
    )
