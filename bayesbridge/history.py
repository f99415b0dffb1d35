"""How a belief sharpens: entropy, tricks and the chance of the contract after every call and every trick."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import TYPE_CHECKING, Any

from bayesbridge.arguments import checked
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.asking import ask
from bayesbridge.estimators.capture import CaptureEstimator
from bayesbridge.estimators.evaluate import Progress, counted, evaluate
from bayesbridge.evidence import Play
from bayesbridge.random64 import Seed
from bayesbridge.trick_counts import Tricks

if TYPE_CHECKING:
    import pandas


@checked
def sharpening(
    belief: Belief,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    level: int = 1,
    by_card: bool = False,
    draws: int = 20_000,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> pandas.DataFrame:
    """A row for the belief before any evidence, then one after each piece; cards come a trick at a time.

    Columns: ``event``; ``layouts`` (exact, as Python ints); ``method`` and ``exact``; ``entropy_bits`` of the
    posterior; ``qualified``, P(both conditions hold); ``T_mean``, with 0 where they fail; ``T_mean_qualified``, given
    that they hold; ``make``, P(at least 6 + level tricks). ``by_card`` gives every card its own row.

    >>> import bayesbridge as bb
    >>> table = sharpening(Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "J54.AQ2.KQ76.A54")), level=5)
    >>> [f"{row.event}: {row.entropy_bits:.1f} bits, {row.make:.0%}" for row in table.itertuples()]
    ["S's hand: 56.2 bits, 28%", 'N shows J54.AQ2.KQ76.A54: 23.3 bits, 100%']
    """
    import pandas

    if level not in range(1, 8):
        raise BayesBridgeError(f"level {level!r}: a contract is at level 1 to 7", level=level)
    events = [(0, f"{belief.observer.name}'s hand"), *_events(belief, by_card)]
    history = list(belief.history())
    rows = []
    posterior: Posterior | None = None
    for number, (pieces, event) in enumerate(events, 1):
        posterior = history[pieces].infer(draws=draws, rng=rng, before=posterior)
        rows.append({"event": event, **_believed(posterior, pair, level, rng)})
        if progress is not None:
            progress(number, len(events))
    table = pandas.DataFrame(rows)
    table.attrs = {"level": level}
    return table


def _events(belief: Belief, by_card: bool) -> Iterator[tuple[int, str]]:
    """How many pieces are seen after each event, and what it is called."""
    evidence = belief.evidence
    tricks = iter(belief.tricks)
    cards = 0
    for number, piece in enumerate(evidence, 1):
        if isinstance(piece, Play):
            cards += 1
            more = number < len(evidence) and isinstance(evidence[number], Play)
            if cards % 4 == 1:
                trick = next(tricks)
            if by_card:
                yield number, str(piece)
            elif cards % 4 == 0 or not more:
                yield number, f"trick {(cards + 3) // 4}: {trick}" if cards % 4 == 0 else str(piece)
        else:
            yield number, str(piece)


def _believed(
    posterior: Posterior, pair: str | tuple[Seat | str, Seat | str] | None, level: int, rng: Seed
) -> dict[str, Any]:
    question, capture = ask(posterior, pair), CaptureEstimator()
    exact = {} if posterior.exact else counted(posterior, capture, question)
    sums = exact.get("T") or evaluate(posterior, [capture], question, rng=rng).sums["capture", "T"]
    tricks = Tricks.of_sums(sums)
    return {
        "layouts": posterior.count(),
        "method": "convolution" if posterior.method == "sample" and tricks.exact else posterior.method,
        "exact": tricks.exact and posterior.draws.log_soft_error == 0.0,
        "entropy_bits": posterior.entropy_bits,
        "qualified": tricks.holds,
        "T_mean": tricks.mean,
        "T_mean_qualified": nan if tricks.mean_if_held is None else tricks.mean_if_held,
        "make": tricks.at_least(6 + level),
    }
