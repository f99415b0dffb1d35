"""The page for a player: the answer in words, the table, points, tricks; the paper's
numbers folded below.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, Final
from zlib import crc32

import pandas
import xarray
from matplotlib.figure import Figure

from bayesbridge import plots
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, accuracy_sentences, position_html
from bayesbridge.decisions.history import readings
from bayesbridge.decisions.shortage import length_changes, shortages
from bayesbridge.display.markup import Table
from bayesbridge.display.words import BITS, LETTERS, SEATS, game, number, with_symbols
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.odds import game_odds
from bayesbridge.estimators.results import Result
from bayesbridge.position import python_lines
from bayesbridge.views.html import document, draw
from bayesbridge.views.tables import (
    cards_table,
    games_table,
    length_tables,
    points_table,
    readings_table,
    sentences,
)


def html_report(
    posterior: Posterior,
    result: xarray.DataTree,
    *,
    title: str = "What the hidden hands hold",
    steps: pandas.DataFrame | None = None,
    command: str | None = None,
    contract: xarray.DataTree | None = None,
) -> str:
    """A result as one self-contained HTML page.

    ``contract`` is a result of ``bb.estimate(…, contract=…)``, ``result`` itself where
    it has one. Without any, the contract of an auction that is over is judged by the
    network alone. ``steps``, the table of ``bb.sharpening``, adds its picture.
    ``command`` is the line that makes the page again.

    >>> import bayesbridge as bb
    >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> html_report(posterior, bb.estimate(posterior))[:15]
    '<!DOCTYPE html>'
    """
    belief, answer = posterior.belief, Result.of(result).answer
    odds = ContractOdds.of_tree(result if contract is None else contract)
    games = (
        [odds]
        if odds is not None
        else game_odds(posterior, answer.asked.pair, posterior.seed or 0)
    )
    odds = games[0] if len(games) == 1 else None
    level = 1 if odds is None else odds.contract.level
    hidden = len(belief.constraints.hidden)
    cards = "".join(
        table.html()
        for table in (cards_table(posterior), *length_tables(posterior))
        if table.rows
    )
    caption = "How the belief sharpened; full marks are exact, open ones sampled"
    history = (
        ""
        if steps is None
        else picture(
            caption, 5.4, lambda figure: plots.sharpening(steps, figure=figure)
        )
    )
    read = readings(belief, posterior.seed or 0)
    called = ""
    if read:
        called = readings_table(read, length_changes(posterior, read)).html()
    marginals = dict(result["marginals"].to_dataset().data_vars)
    made, judged = "What can be made", games_table(games).html()
    if odds is not None:
        made = f"Whether {odds.contract} makes"
        caption = (
            f"Double-dummy tricks in {odds.contract}; darker bars make it, "
            "thin lines are one standard error each way"
        )
        drawn = picture(
            caption, 3.0, lambda figure: plots.contract(odds, ax=figure.subplots())
        )
        folded = "The numbers, and how far to trust them"
        judged = f"{drawn}<details><summary>{folded}</summary>{odds.tables[0].html()}</details>"
    sections = [
        ("The table", position_html(marginals, belief.roles, belief.middle_html)),
        (
            "Points of the hidden hands",
            points_table(posterior).html() if hidden else "",
        ),
        (made, judged),
        ("What was seen", _evidence(belief) + called),
    ]
    below = [
        ("Every card and every suit", cards),
        ("How the belief sharpened", history),
        (
            "Captures by the paper's rule, and other estimators"
            if "T" in answer.numbers
            else "Estimators",
            _estimators(result, answer, level),
        ),
        (
            "How it was computed",
            _computed(posterior, result, command, answer, contract),
        ),
    ]
    answers = [
        *(shortage.sentence for shortage in shortages(belief, read)),
        *sentences(posterior, games, odds is not None),
    ]
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in answers)
    whose = (
        "Tricks are those of real declarers"
        if games[0].actual
        else "Tricks are double dummy"
    )
    worth = f"{escape(' '.join(posterior.marginal_accuracy))} {whose}: {BASES[games[0].basis]}."
    body = "".join(
        f"<section><h2>{head}</h2>{content}</section>"
        for head, content in sections
        if content
    )
    body += "".join(
        f"<details><summary><h2>{head}</h2></summary>{content}</details>"
        for head, content in below
        if content
    )
    which = escape(game(None if belief.dummy is None else belief.dummy.name))
    top = f'<p class="worth">{which}</p><div class="short">{said}</div>'
    return document(title, f'{top}<p class="worth">{worth}</p>', body)


def picture(caption: str, height: float, paint: Callable[[Figure], Any]) -> str:
    drawn = draw(paint, height, f"p{crc32(caption.encode())}", caption)
    return f"<figure>{drawn}<figcaption>{escape(caption)}.</figcaption></figure>"


def _estimators(result: xarray.DataTree, answer: Answer, level: int) -> str:
    table = Result.of(result).summary()
    rows = [
        [str(name), *(map(_figure, row))] for name, *row in table.itertuples(name=None)
    ]
    heads = ["quantity", *(str(column).replace("_", " ") for column in table.columns)]
    everything = Table(
        "All quantities: mean, spread, shortest interval, and how far to trust them",
        heads,
        rows,
    )
    letters = f"<p>{escape(LETTERS)}</p>" if "T" in answer.numbers else ""
    single = [one for one in answer.shown if one.values.size and not one.output.dims]
    drawn = [_distribution(result, answer, one, level) for one in single]
    return "".join(
        (*drawn, *(one.html() for one in answer.tables), letters, everything.html())
    )


def _distribution(
    result: xarray.DataTree, answer: Answer, number: Distribution, level: int
) -> str:
    name = number.name
    if number.output.tricks is None:
        said = number.title.removesuffix(".")
        return picture(
            said,
            3.0,
            lambda figure: plots.distribution(
                result, name, ax=figure.subplots()
            ).set_title(""),
        )
    own = level if answer.asked.declares else None
    named = "" if number.output.title else f" ({name})"
    caption = (
        f"{number.title}{named}{'; darker bars reach the dashed line' if own else ''}"
    )
    return picture(
        caption,
        3.0,
        lambda figure: plots.tricks(result, name, level=own, ax=figure.subplots()),
    )


def _figure(value: Any) -> str:
    """A figure of the summary; what is true or false becomes a word, and what has no
    meaning a dash.

    >>> _figure(True), _figure(float("nan")), _figure(9.0), _figure(0.48837), _figure(7)
    ('yes', '–', '9', '0.488', '7')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value != value:
        return "–"
    rounded = round(float(value), 9)  # sums of weights miss whole numbers by rounding
    if rounded.is_integer():
        return number(round(rounded))
    return f"{value:.2g}" if abs(value) < 0.01 else f"{value:.3f}"


BASES: Final = {
    "network": "a network predicts them",
    "all solved": "solved for every layout",
    "corrected": "solved layouts correct what a network predicts",
}
EFFECTS: Final = {
    "hard": "excludes layouts",
    "soft": "weighs layouts",
    "hard and soft": "excludes layouts and weighs the others",
    "none": "own call",
}


def _evidence(belief: Belief) -> str:
    rows = [
        (
            f"{SEATS[belief.observer.name]} holds {belief.hand.pbn}",
            "known from the start",
        )
    ]
    rows += [
        (with_symbols(piece), EFFECTS[belief.effect(piece)])
        for piece in belief.evidence
    ]
    items = "".join(
        f"<li>{escape(words)} <small>{effect}</small></li>" for words, effect in rows
    )
    passed = ", ".join(SEATS[seat.name] for seat in belief.assumed_passes)
    note = (
        f"<p>Taken to have passed, since no call of theirs was given: {passed}.</p>"
        if passed
        else ""
    )
    model = "".join(f"<p>{escape(said)}</p>" for said in belief.assumptions)
    return f"<ol>{items}</ol>{note}{model}"


def _computed(
    posterior: Posterior,
    result: xarray.DataTree,
    command: str | None,
    answer: Answer,
    contract: xarray.DataTree | None,
) -> str:
    attrs, pair = result.attrs, answer.asked.pair
    facts = {
        "estimators' numbers": " ".join((*accuracy_sentences(attrs), BITS)),
        "sampled": attrs["sampled"],
        "layouts used": number(int(attrs["draws"])),
        "estimators": attrs["estimators"],
        "left out": attrs["failures"],
        "seed": attrs["seed"] or "a generator already in use",
        "bayesbridge": attrs["creation_library_version"],
        "versions": attrs["versions"],
    }
    listed = "".join(
        f"<dt>{name}</dt><dd>{escape(str(fact))}</dd>"
        for name, fact in facts.items()
        if fact != ""
    )
    shell = (
        f"<p>Again, from a shell:</p><pre>{escape(command)}</pre>" if command else ""
    )
    method, draws = posterior.asked
    names = attrs["estimators"].split(", ")
    code = (
        "import bayesbridge as bb\n\n"
        f"{python_lines(posterior.belief)}"
        f"posterior = belief.infer({method!r}, draws={draws}, rng={posterior.seed})\n"
        f"result = bb.estimate(posterior, {names!r}, pair='{pair[0].name}:{pair[1].name}')\n"
        "print(result.summary())\n"
    )
    if contract is not None and (odds := ContractOdds.of_tree(contract)) is not None:
        asked = f"contract={str(odds.contract)!r}, solve={odds.solved}, rng={posterior.seed}"
        code += f"contract = bb.estimate(posterior, {asked})\n"
    return f"<dl>{listed}</dl>{shell}<p>Again, in Python:</p><pre>{escape(code)}</pre>"
