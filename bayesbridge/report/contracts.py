"""The section of the page about what to bid: contracts of the pair by expected score."""

from __future__ import annotations

from html import escape
from typing import Final

from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.thinning import thinned
from bayesbridge.deal import Seat
from bayesbridge.decisions.contracts import best_rows, contracts, plain_rows
from bayesbridge.errors import BayesBridgeError
from bayesbridge.report.tables import percent, table

LAYOUTS: Final = 1000
"""Layouts that the network judges of a posterior that has more."""

SHOWN: Final = 8
"""Contracts in the table, the best."""


def contracts_section(posterior: Posterior, pair: tuple[Seat, Seat]) -> str:
    """Chance, tricks and expected score of the best contracts; nothing where the pair has nothing left to bid."""
    auction = posterior.belief.auction
    if auction is not None and auction.turn is None:
        return ""
    if len(posterior) > LAYOUTS:
        posterior = thinned(posterior, LAYOUTS, posterior.seed or 0, f"{LAYOUTS} layouts drawn from it")
    try:
        found = contracts(posterior, pair=pair, solve=0, rng=posterior.seed or 0)
    except BayesBridgeError:  # a pair that the auction lets bid nothing
        return ""
    rows = [
        [
            escape(row["contract"]),
            f"{percent(row['make'])} ± {100 * row['make_error']:.1f} %",
            f"{row['tricks']:.2f}",
            f"{row['score']:.0f} ± {row['score_error']:.0f}",
            percent(row["best"]),
        ]
        for row in best_rows(plain_rows(found), SHOWN, found.attrs["passed"])
    ]
    heads = ("contract", "makes", "tricks", "score", "best in")
    caption = (
        f"Contracts by expected score, scheme {found.attrs['scheme']}; best in: share of layouts where none pays more"
    )
    words = " ".join(filter(None, (found.attrs["how_high"], found.attrs["caution"])))
    return f"{table(heads, rows, escape(caption))}<p>{escape(words)}</p>"
