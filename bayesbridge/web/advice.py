"""What to do: the contracts of the observer's pair by expected score, and the cards to lead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bayesbridge.belief.posterior import Posterior
from bayesbridge.decisions.contracts import best_rows, contracts, plain_rows
from bayesbridge.decisions.leads import lead_question, leads
from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation import Vulnerability
from bayesbridge.web.questions import Asked

SHOWN: Final = 10
"""Contracts that the page lists."""

SECONDS: Final = 3.0
"""For solving leads, on one core."""

ROW: Final = ("contract", "make", "make_error", "tricks", "score", "score_error")
"""What it is told of each."""

type Event = tuple[str, dict[str, Any]]


def advice(posterior: Posterior, asked: Asked) -> Iterator[Event]:
    """Contracts while the auction goes on, leads once the observer is on lead; nothing where neither is asked."""
    belief = posterior.belief
    if belief.auction is None or not belief.auction.is_over:
        given = asked.position.settings.get("vulnerable")
        vulnerable = Vulnerability.NONE if given is None else given.value
        try:
            found = contracts(posterior, vulnerable=vulnerable, solve=0, rng=asked.seed)
        except BayesBridgeError as error:
            yield "contracts", {"refused": str(error)}
            return
        rows = [{name: row[name] for name in ROW} for row in best_rows(plain_rows(found), SHOWN, found.attrs["passed"])]
        yield "contracts", {"rows": rows, "scheme": str(found.attrs["scheme"]), "caution": str(found.attrs["caution"])}
        return
    try:
        lead_question(belief, None)
    except BayesBridgeError:  # passed out, another seat's lead, or it is made
        return
    try:
        told = leads(posterior, seconds=SECONDS, rng=asked.seed)
    except BayesBridgeError as error:
        yield "leads", {"refused": str(error)}
        return
    yield "leads", told.document() | {"sentence": told.sentence, "caution": told.caution}
