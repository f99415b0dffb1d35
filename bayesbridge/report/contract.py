"""The section of the page about a contract: whether it makes, how many tricks it takes, and how that is known."""

from __future__ import annotations

from html import escape

from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.plots import draw_contract
from bayesbridge.report.pictures import draw
from bayesbridge.report.tables import percent, table
from bayesbridge.words import SEATS

RARE = 0.0005
"""Numbers of tricks with less than this share are left out of the table."""


def contract_section(odds: ContractOdds) -> str:
    """Picture, table and words."""
    caption = f"Double-dummy tricks in {odds.contract}; darker bars make it, thin lines are one standard error each way"
    picture = draw(lambda figure: draw_contract(odds, figure.subplots()), 3.0, "contract", caption)
    rows = [
        [str(tricks), percent(float(share)), error_of(float(error)), "makes" if odds.makes(tricks) else ""]
        for tricks, (share, error) in enumerate(zip(odds.pmf.clip(0.0), odds.pmf_error, strict=True))
        if share >= RARE
    ]
    names = f"{SEATS[odds.contract.declarer.name]}, dummy {SEATS[odds.dummy.name]}"
    numbers = table(("tricks", "P", "±", ""), rows, f"{odds.contract}: double-dummy tricks of {names}", "narrow")
    folded = f"<details><summary>The numbers, and how far to trust them</summary>{numbers}<p>{escape(odds.caution)}</p>"
    figure = f"<figure>{picture}<figcaption>{escape(caption)}.</figcaption></figure>"
    return f"<p>{escape(odds.sentence)}</p>{figure}{folded}</details>"


def error_of(error: float) -> str:
    """One standard error in points; nothing where there is none."""
    return f"{100 * error:.1f}" if error else ""
