"""A table on record as a page with a step control.

The reader watches what one seat believes after every call and every trick.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any, Final, Literal, Unpack

from bayesbridge.belief.belief import Belief
from bayesbridge.decisions.history import StepOptions
from bayesbridge.decisions.review import (
    BoardReview,
    Judged,
    alert_sentences,
    players_of,
    players_table,
    review_table,
)
from bayesbridge.display.markup import Table, sentence
from bayesbridge.display.words import BITS, NOT_FROM_THE_DEAL, SEATS, game, percent
from bayesbridge.engines.budget import USUAL
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.notation.record import Record
from bayesbridge.views.html import document, folded, shell_lines
from bayesbridge.views.step_documents import step_documents, table_document

VULNERABLE_SIDES: Final = {
    Vulnerability.NONE: "nobody vulnerable",
    Vulnerability.ALL: "all vulnerable",
}


def html_record(
    record: Record,
    observer: Seat | str = "S",
    *,
    bidder: BidderModel | None = None,
    player: PlayerModel | Literal["usual"] | None = "usual",
    title: str | None = None,
    command: str | None = None,
    review: Sequence[Judged] = (),
    **steps: Unpack[StepOptions],
) -> str:
    """Make a table on record one self-contained HTML page.

    A control steps through the auction and the tricks.

    Parameters
    ----------
    record : Record
        The table: auction, hands, cards played.
    observer : Seat or str, default "S"
        Whose beliefs are shown.
    bidder, player : optional
        How the others bid and choose cards; by default as experts do.
    title : str, optional
        The heading of the page.
    command : str, optional
        The line of a shell that makes the page again.
    review : sequence of Judged, optional
        Cards of which those that were costly or unlucky are marked.
    **steps
        ``by_card`` makes a step of every card; ``draws`` (2000) are the layouts of each
        step where there are too many to walk; ``rng`` (0).

    Returns
    -------
    str
        The text of the HTML file.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> from bayesbridge.notation import read_pbn
    >>> text = '[Board "1"]\\n[Deal "N:- - AKQ2.KJ3.A54.Q32 -"]\\n[Auction "S"]\\n1NT\\n'
    >>> html_record(read_pbn(text).records[0], draws=50)[:15]
    '<!DOCTYPE html>'
    """
    belief = Belief.of_record(record, observer, bidder=bidder, player=player)
    if title is None:
        title = f"{record.title}: what {SEATS[belief.observer.name]} believes"
    draws = steps.get("draws") or USUAL["record"].draws
    steps["draws"] = draws
    documents = step_documents(belief, record.contract, **steps)
    table = table_document(record, belief) | {"review": _review_marks(review)}
    stepper = _page_file("html").replace("LAST", str(len(documents) - 1))
    body = (
        stepper
        + _review_section(record, review)
        + _all_steps(documents)
        + _computation(belief, draws, command)
    )
    states = _json_for_html({"table": table, "steps": documents})
    script = (
        f'<script type="application/json" id="states">{states}</script>'
        f"<script>{_page_file('js')}</script>"
    )
    return document(title, _facts(record), body, _page_file("css"), script)


def _page_file(kind: str) -> str:
    """The style, the script or the HTML of the step control."""
    return files("bayesbridge.views").joinpath(f"record.{kind}").read_text("utf-8")


def _json_for_html(document: dict[str, Any]) -> str:
    """JSON in which no sign means anything to HTML."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    for sign in "&<>":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _review_marks(review: Sequence[Judged]) -> dict[str, dict[str, str]]:
    """Verdicts on cards, by how many cards were played before."""
    return {
        str(judged.number): {"verdict": judged.verdict, "why": judged.why}
        for judged in review
        if judged.verdict
    }


def _review_section(record: Record, review: Sequence[Judged]) -> str:
    """What the cards cost, and what players lost; nothing without a review."""
    if not review:
        return ""
    alerts = sentence(" ".join(alert_sentences(record)))
    costly = review_table(review, "Cards that were costly or unlucky").html()
    players = players_table(players_of([BoardReview(record, review)])).html()
    return f"<section><h2>Review of the play</h2>{alerts}{costly}{players}</section>"


def _computation(belief: Belief, draws: int | None, command: str | None) -> str:
    """How the beliefs were computed, and the line that makes the page again."""
    words = (
        f"{game(None)} {' '.join(belief.assumptions)} Where there are too many layouts "
        f"to walk, each step rests on {draws} draws. The chance of the contract is "
        "double dummy from the deal, as a network predicts it; where few layouts are "
        "left they are solved from there on, and tricks that decide it settle it. "
        f"{BITS}"
    )
    content = f"<p>{escape(words)}</p>{shell_lines(command)}"
    return folded("How it was computed", content)


def _facts(record: Record) -> str:
    """Contract, result, dealer and vulnerability, as far as they are on record."""
    facts = []
    if record.contract is not None:
        facts.append(str(record.contract))
    if record.result is not None:
        facts.append(f"{record.result} tricks were taken")
    if record.passed_out:
        facts.append("passed out")
    if record.dealer is not None:
        facts.append(f"dealer {SEATS[record.dealer.name]}")
    vulnerable = record.vulnerable
    if vulnerable is not None:
        side = f"{vulnerable.value} vulnerable"
        facts.append(VULNERABLE_SIDES.get(vulnerable, side))
    if not facts:
        return ""
    return f'<p class="worth">{escape(", ".join(facts))}.</p>'


STEP_HEADS: Final = (
    "step",
    "bits left",
    "bits told",
    "makes, double dummy from the deal",
    "points N",
    "E",
    "S",
    "W",
)


def _all_steps(documents: Sequence[dict[str, Any]]) -> str:
    """The steps for who has no script: a row for each."""
    rows = [_step_row(step) for step in documents]
    title = (
        "After every step: uncertainty, what it told, and mean points of the hidden "
        "hands"
    )
    table = Table(title, STEP_HEADS, rows).html()
    return folded("All steps as a table", table, ' id="all"')


def _step_row(step: dict[str, Any]) -> list[str]:
    """The cells of a step, below :data:`STEP_HEADS`."""
    points = [_points_text(step, seat) for seat in "NESW"]
    bits = _bits_text(step["bits"])
    bits_told = _signed_bits_text(step["told"])
    return [step["event"], bits, bits_told, _made_text(step), *points]


def _bits_text(bits: float | None) -> str:
    """Bits with one decimal; a dash where they are infinite."""
    if bits is None:
        return "–"
    return f"{bits:.1f}"


def _signed_bits_text(bits: float | None) -> str:
    """Bits with their sign; nothing where no number can be said."""
    if bits is None:
        return ""
    return f"{bits:+.1f}".replace("-", "−")


def _made_text(step: dict[str, Any]) -> str:
    """The chance of the contract, and what it is if not double dummy from the deal."""
    if step["made"] is None:
        return ""
    return percent(step["made"]) + NOT_FROM_THE_DEAL.get(step["basis"], "")


def _points_text(step: dict[str, Any], seat: str) -> str:
    """The mean points of a hidden hand; a dash for a hand in sight."""
    if seat not in step["points"]:
        return "–"
    return f"{step['points'][seat]['mean']:.1f}"
