"""A table on record as a page with a step control: watch what one seat believes after
every call and every trick.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from math import isfinite
from typing import Any, Literal, Unpack

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.decisions.history import StepOptions, moments, strength
from bayesbridge.decisions.review import (
    BoardReview,
    Judged,
    alert_sentences,
    players_of,
    players_table,
    review_table,
)
from bayesbridge.display.markup import Table, sentence
from bayesbridge.display.words import (
    BITS,
    NOT_FROM_THE_DEAL,
    SEATS,
    card_words,
    game,
    number,
    percent,
)
from bayesbridge.engines.budget import USUAL
from bayesbridge.estimators.outlook import outlook
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.notation.record import Record
from bayesbridge.runtime.random64 import Seed
from bayesbridge.views.html import document


def table_document(record: Record, belief: Belief) -> dict[str, Any]:
    """What does not change from step to step."""
    contract = record.contract
    dummy = None if contract is None else contract.declarer.partner
    shown = None if dummy is None else record.hands[dummy]
    return {
        "observer": belief.observer.name,
        "dummy": None if dummy is None else dummy.name,
        "names": {seat.name: record.tag(SEATS[seat.name]) for seat in Seat},
        "dealer": None if record.dealer is None else record.dealer.name,
        "contract": None if contract is None else str(contract),
        "calls": [[seat.name, str(call)] for seat, call in record.auction or ()],
        "plays": [[seat.name, str(card)] for seat, card in record.plays],
        "cards": list(CARDS),
        "own": [str(card) for card in belief.hand],
        "dummyHand": None if shown is None else list(map(str, shown)),
        "truth": None
        if record.deal is None
        else {seat.name: list(map(str, record.deal[seat])) for seat in Seat},
    }


def states(
    belief: Belief, contract: Contract | None, **steps: Unpack[StepOptions]
) -> list[dict[str, Any]]:
    """One object for each step, in order; probabilities in thousandths."""
    found: list[dict[str, Any]] = []
    before, state = 0, dict[str, Any]()
    for _, pieces, posterior, news in moments(belief, **steps):
        seen = belief.evidence[:pieces]
        bits = state.get("bits")
        state = _state(posterior) if news else state
        chance = _chance(posterior, contract, steps.get("rng", 0))
        told = (
            None
            if bits is None or state["bits"] is None
            else round(bits - state["bits"], 2)
        )
        kinds = {"calls": Called, "cards": Play, "open": Reveal}
        far = {
            name: sum(isinstance(piece, kind) for piece in seen)
            for name, kind in kinds.items()
        }
        far["open"] = far["open"] > 0  # whether the dummy lies open
        found.append(
            {
                "event": _event(belief, seen, before),
                "told": told,
                **far,
                **state,
                **chance,
            }
        )
        before = pieces
    return found


def _chance(
    posterior: Posterior, contract: Contract | None, rng: Seed
) -> dict[str, Any]:
    """What becomes of the contract, and what that rests on; ``None`` without one."""
    if contract is None:
        return {"made": None, "tricks": None, "basis": None}
    chance = outlook(posterior, contract, rng)
    return {
        "made": round(chance.made.mean, 3),
        "tricks": round(chance.tricks, 1),
        "basis": str(chance.basis),
    }


def _state(posterior: Posterior) -> dict[str, Any]:
    cards, points = posterior.card_table, posterior.point_table
    means = posterior.length_table @ range(14)
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    return {
        "bits": round(posterior.entropy_bits, 2)
        if isfinite(posterior.entropy_bits)
        else None,
        "layouts": number(posterior.count()),
        "exact": posterior.counts_cards,
        "hidden": [seat.name for seat in hidden],
        "places": {
            seat.name: [round(1000 * float(share)) for share in cards[:, seat]]
            for seat in hidden
        },
        "lengths": {
            seat.name: [round(float(mean), 2) for mean in means[seat][::-1]]
            for seat in hidden
        },
        "points": {seat.name: _points(points[seat].tolist()) for seat in hidden},
    }


def _points(shares: Sequence[float]) -> dict[str, Any]:
    mean, low, high = strength(shares)
    thousandths = [round(1000 * share) for share in shares]
    last = max((points for points, share in enumerate(thousandths) if share), default=0)
    return {
        "mean": round(mean, 1),
        "low": low,
        "high": high,
        "shares": thousandths[: last + 1],
    }


def _event(belief: Belief, seen: Sequence[Piece], before: int) -> str:
    """What happened last, in words."""
    if not seen:
        return f"{SEATS[belief.observer.name]} looks at 13 cards"
    last = seen[-1]
    played = sum(isinstance(piece, Play) for piece in seen)
    if isinstance(last, Called):
        called = {"Pass": "passes", "X": "doubles", "XX": "redoubles"}.get(
            str(last.call), f"bids {last.call}"
        )
        return f"{SEATS[last.seat.name]} {called}"
    if not isinstance(last, Play):
        return f"{SEATS[last.seat.name]} lays down dummy"
    if len(seen) - before == 1 and played % 4:
        verb = "leads" if played % 4 == 1 else "plays"
        return f"{SEATS[last.seat.name]} {verb} {card_words(last.card)}"
    trick = belief.table.tricks[(played - 1) // 4]
    cards = " ".join(card_words(card) for card in trick.cards)
    winner = (
        f", won by {SEATS[Seat(trick.winner).name]}"
        if trick.complete and trick.winner is not None
        else ""
    )
    return f"Trick {(played + 3) // 4}{winner}: {SEATS[trick.leader.name]} led {cards}"


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
    """A table on record as one self-contained HTML page, with a control that steps
    through the auction and the tricks.

    ``steps``: ``by_card`` makes a step of every card; ``draws`` (2000) are the layouts
    of each step where there are too many to walk; ``rng`` (0). ``bidder`` and
    ``player`` are how the others bid and choose cards (default: experts). ``command``
    is the line that makes the page again. ``review`` marks cards that were costly or
    unlucky.

    >>> import bayesbridge as bb
    >>> from bayesbridge.notation import read_pbn
    >>> text = '[Board "1"]\\n[Deal "N:- - AKQ2.KJ3.A54.Q32 -"]\\n[Auction "S"]\\n1NT\\n'
    >>> html_record(read_pbn(text).records[0], draws=50)[:15]
    '<!DOCTYPE html>'
    """
    belief = Belief.of_record(record, observer, bidder=bidder, player=player)
    heading = (
        f"{record.title}: what {SEATS[belief.observer.name]} believes"
        if title is None
        else title
    )
    draws = steps["draws"] = steps.get("draws") or USUAL["record"].draws
    walked = states(belief, record.contract, **steps)
    marks = {
        str(one.number): {"verdict": one.verdict, "why": one.why}
        for one in review
        if one.verdict
    }
    data = {
        "table": table_document(record, belief) | {"review": marks},
        "steps": walked,
    }
    folder = files("bayesbridge.views")
    style, script, views = (
        folder.joinpath(f"record.{kind}").read_text("utf-8")
        for kind in ("css", "js", "html")
    )
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "&<>":  # no sign in it means anything to HTML
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    code = f'<script type="application/json" id="states">{text}</script><script>{script}</script>'
    views = views.replace("LAST", str(len(walked) - 1))
    judged = ""
    if review:
        costly = review_table(review, "Cards that were costly or unlucky")
        players = players_table(players_of([BoardReview(record, review)]))
        told = f"{sentence(' '.join(alert_sentences(record)))}{costly.html()}{players.html()}"
        judged = f"<section><h2>Review of the play</h2>{told}</section>"
    words = (
        f"{game(None)} {' '.join(belief.assumptions)} Where there are too many layouts to walk, each step rests on "
        f"{draws} draws. The chance of the contract is double dummy from the deal, as a network predicts it; where few "
        f"layouts are left they are solved from there on, and tricks that decide it settle it. {BITS}"
    )
    shell = (
        f"<p>Again, from a shell:</p><pre>{escape(command)}</pre>" if command else ""
    )
    how = f"<details><summary><h2>How it was computed</h2></summary><p>{escape(words)}</p>{shell}</details>"
    return document(
        heading, _facts(record), views + judged + _all_steps(walked) + how, style, code
    )


def _facts(record: Record) -> str:
    told = [] if record.contract is None else [str(record.contract)]
    told += [] if record.result is None else [f"{record.result} tricks were taken"]
    told += ["passed out"] if record.passed_out else []
    told += [] if record.dealer is None else [f"dealer {SEATS[record.dealer.name]}"]
    sides = {
        Vulnerability.NONE: "nobody vulnerable",
        Vulnerability.ALL: "all vulnerable",
    }
    if record.vulnerable is not None:
        told.append(
            sides.get(record.vulnerable, f"{record.vulnerable.value} vulnerable")
        )
    return f'<p class="worth">{escape(", ".join(told))}.</p>' if told else ""


def _made_text(step: dict[str, Any]) -> str:
    """The chance of the contract; where it is not double dummy from the deal, what it
    is.
    """
    if step["made"] is None:
        return ""
    return percent(step["made"]) + NOT_FROM_THE_DEAL.get(step["basis"], "")


def _all_steps(steps: list[dict[str, Any]]) -> str:
    """The same without a script: a row for each step."""
    rows = [
        [
            step["event"],
            "–" if step["bits"] is None else f"{step['bits']:.1f}",
            "" if step["told"] is None else f"{step['told']:+.1f}".replace("-", "−"),
            _made_text(step),
            *(
                f"{step['points'][seat]['mean']:.1f}" if seat in step["points"] else "–"
                for seat in "NESW"
            ),
        ]
        for step in steps
    ]
    heads = (
        "step",
        "bits left",
        "bits told",
        "makes, double dummy from the deal",
        "points N",
        "E",
        "S",
        "W",
    )
    title = "After every step: uncertainty, what it told, and mean points of the hidden hands"
    table = Table(title, heads, rows).html()
    return f'<details id="all"><summary><h2>All steps as a table</h2></summary>{table}</details>'
