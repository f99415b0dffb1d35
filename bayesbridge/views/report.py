"""The page for a player: the answer in words, the table, points, tricks.

The paper's numbers are folded below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import isnan
from typing import Any, Final
from zlib import crc32

import pandas
import xarray
from matplotlib.figure import Figure

from bayesbridge import plots
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.posterior_page import accuracy_sentences, position_html
from bayesbridge.decisions.history import CallReading, readings
from bayesbridge.decisions.shortage import length_changes, shortages
from bayesbridge.display.markup import Table
from bayesbridge.display.words import BITS, LETTERS, SEATS, game, number, with_symbols
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.odds import game_odds
from bayesbridge.estimators.results import Result
from bayesbridge.position import python_lines
from bayesbridge.views.call_readings import readings_table
from bayesbridge.views.documents import name_or_none
from bayesbridge.views.html import document, draw, folded, shell_lines
from bayesbridge.views.sentences import sentences
from bayesbridge.views.tables import (
    cards_table,
    games_table,
    length_tables,
    points_table,
)

BASES: Final = {
    "network": "a network predicts them",
    "all solved": "solved for every layout",
    "corrected": "solved layouts correct what a network predicts",
}
"""What the tricks of a contract rest on."""

EFFECTS: Final = {
    "hard": "excludes layouts",
    "soft": "weighs layouts",
    "hard and soft": "excludes layouts and weighs the others",
    "none": "own call",
}
"""What a piece of evidence does to the layouts."""

SMALL_FIGURE: Final = 0.01
"""Below it a figure has two significant digits, else three decimals."""


def html_report(
    posterior: Posterior,
    result: xarray.DataTree,
    *,
    title: str = "What the hidden hands hold",
    steps: pandas.DataFrame | None = None,
    command: str | None = None,
    contract: xarray.DataTree | None = None,
) -> str:
    """Make a result one self-contained HTML page.

    Parameters
    ----------
    posterior : Posterior
        What is believed of the hidden hands.
    result : DataTree
        What :func:`bayesbridge.estimate` says of this posterior.
    title : str, default "What the hidden hands hold"
        The heading of the page.
    steps : DataFrame, optional
        The table of :func:`bayesbridge.sharpening`, which adds its picture.
    command : str, optional
        The line of a shell that makes the page again.
    contract : DataTree, optional
        A result of ``bb.estimate(…, contract=…)``; by default ``result`` itself where
        it has a contract. Without any, the contract of an auction that is over is
        judged by the network alone, and during an auction the games of all strains.

    Returns
    -------
    str
        The text of the HTML file: pictures and style are inside, nothing is loaded.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> html_report(posterior, bb.estimate(posterior))[:15]
    '<!DOCTYPE html>'
    """
    belief = posterior.belief
    answer = Result.of(result).answer
    judged_result = result if contract is None else contract
    contracts = _judged_contracts(posterior, answer, judged_result)
    call_readings = readings(belief, posterior.seed or 0)
    sections = {
        "The table": _position(belief, result),
        "Points of the hidden hands": _points(posterior),
        _contract_heading(contracts): _contract_section(contracts),
        "What was seen": _evidence(belief) + _calls(posterior, call_readings),
    }
    level = 1  # of several games none is the goal: seven tricks are a contract
    if len(contracts) == 1:
        level = contracts[0].contract.level
    pair = ":".join(seat.name for seat in answer.asked.pair)
    folded_sections = {
        "Every card and every suit": _cards_and_lengths(posterior),
        "How the belief sharpened": _history(steps),
        _estimators_heading(answer): _estimators(result, answer, level),
        "How it was computed": _computation(posterior, result, command, pair, contract),
    }
    body = _open_html(sections) + _folded_html(folded_sections)
    top = _top(posterior, contracts, call_readings)
    return document(title, top, body)


def _open_html(sections: Mapping[str, str]) -> str:
    """Sections by their headings; those without content are left out."""
    return "".join(
        f"<section><h2>{heading}</h2>{content}</section>"
        for heading, content in sections.items()
        if content
    )


def _folded_html(sections: Mapping[str, str]) -> str:
    """Sections of which only the heading shows; those without content are left out."""
    return "".join(
        folded(heading, content) for heading, content in sections.items() if content
    )


def _judged_contracts(
    posterior: Posterior, answer: Answer, result: xarray.DataTree
) -> list[ContractOdds]:
    """The contract of the result or of the auction, else the games of all strains.

    There is at least one.
    """
    odds = ContractOdds.of_tree(result)
    if odds is not None:
        return [odds]
    return game_odds(posterior, answer.asked.pair, posterior.seed or 0)


def _top(
    posterior: Posterior,
    contracts: Sequence[ContractOdds],
    call_readings: Sequence[CallReading],
) -> str:
    """Which game it is, the answer in sentences, and what it is worth.

    All contracts were judged in the same way, so that the first tells which.
    """
    belief = posterior.belief
    which_game = game(name_or_none(belief.dummy))
    answer_sentences = [
        *(shortage.sentence for shortage in shortages(belief, call_readings)),
        *sentences(posterior, contracts),
    ]
    paragraphs = "".join(f"<p>{escape(words)}</p>" for words in answer_sentences)
    accuracy = escape(" ".join(posterior.marginal_accuracy))
    whose_tricks = "Tricks are double dummy"
    if contracts[0].actual:
        whose_tricks = "Tricks are those of real declarers"
    basis = BASES[contracts[0].basis]
    return (
        f'<p class="worth">{escape(which_game)}</p>'
        f'<div class="short">{paragraphs}</div>'
        f'<p class="worth">{accuracy} {whose_tricks}: {basis}.</p>'
    )


def _position(belief: Belief, result: xarray.DataTree) -> str:
    """The four hands around the table, with the chances of the hidden cards."""
    marginals = dict(result["marginals"].to_dataset().data_vars)
    return position_html(marginals, belief.roles, belief.middle_html)


def _points(posterior: Posterior) -> str:
    """Points of the hidden hands; nothing where every card is known."""
    if not posterior.belief.constraints.hidden:
        return ""
    return points_table(posterior).html()


def _contract_heading(contracts: Sequence[ContractOdds]) -> str:
    if len(contracts) == 1:
        return f"Whether {contracts[0].contract} makes"
    return "What can be made"


def _contract_section(contracts: Sequence[ContractOdds]) -> str:
    """The picture and the numbers of the one contract, or a table of games."""
    if len(contracts) > 1:
        return games_table(contracts).html()
    (odds,) = contracts
    caption = (
        f"Double-dummy tricks in {odds.contract}; darker bars make it, "
        "thin lines are one standard error each way"
    )
    bars = picture(
        caption, 3.0, lambda figure: plots.contract(odds, ax=figure.subplots())
    )
    summary = "<summary>The numbers, and how far to trust them</summary>"
    return f"{bars}<details>{summary}{odds.tables[0].html()}</details>"


def _calls(posterior: Posterior, call_readings: Sequence[CallReading]) -> str:
    """How each call was read; nothing where no call was."""
    if not call_readings:
        return ""
    changes = length_changes(posterior, call_readings)
    return readings_table(call_readings, changes).html()


def _cards_and_lengths(posterior: Posterior) -> str:
    """The tables of all cards and of all lengths, as far as they have rows."""
    tables = [cards_table(posterior), *length_tables(posterior)]
    return "".join(table.html() for table in tables if table.rows)


def _history(steps: pandas.DataFrame | None) -> str:
    """The picture of how the belief sharpened, if the steps are there."""
    if steps is None:
        return ""
    caption = "How the belief sharpened; full marks are exact, open ones sampled"
    return picture(caption, 5.4, lambda figure: plots.sharpening(steps, figure=figure))


def picture(caption: str, height: float, paint: Callable[[Figure], Any]) -> str:
    """A picture with its caption; ``paint`` draws into the figure that it is given."""
    drawing = draw(paint, height, f"p{crc32(caption.encode())}", caption)
    return f"<figure>{drawing}<figcaption>{escape(caption)}.</figcaption></figure>"


def _estimators_heading(answer: Answer) -> str:
    if "T" in answer.numbers:
        return "Captures by the paper's rule, and other estimators"
    return "Estimators"


def _estimators(result: xarray.DataTree, answer: Answer, level: int) -> str:
    """Pictures of single whole numbers, tables of the others, the summary of all.

    Where captures (T) are among them, the paper's letters are explained.
    """
    pictures = [
        _distribution(result, answer, number, level)
        for number in answer.shown
        if number.values.size and not number.output.dims
    ]
    tables = [table.html() for table in answer.tables]
    letters = ""
    if "T" in answer.numbers:
        letters = f"<p>{escape(LETTERS)}</p>"
    summary = _summary_table(result).html()
    return "".join([*pictures, *tables, letters, summary])


def _summary_table(result: xarray.DataTree) -> Table:
    """ArviZ's summary of every quantity."""
    summary = Result.of(result).summary()
    rows = [
        [str(name), *map(_figure, figures)]
        for name, *figures in summary.itertuples(name=None)
    ]
    heads = [str(column).replace("_", " ") for column in summary.columns]
    title = "All quantities: mean, spread, shortest interval, and how far to trust them"
    return Table(title, ["quantity", *heads], rows)


def _distribution(
    result: xarray.DataTree, answer: Answer, number: Distribution, level: int
) -> str:
    """The picture of a single whole number, with its caption.

    Of tricks of the side that declares, bars are darker where they are enough for a
    contract at this level.
    """
    if number.output.tricks is None:
        return _plain_distribution(result, number)
    goal_level: int | None = None
    caption = number.title
    if not number.output.title:
        caption += f" ({number.name})"
    if answer.asked.declares:
        goal_level = level
        caption += "; darker bars reach the dashed line"

    def paint(figure: Figure) -> None:
        """Bars that are darker where they reach the goal, if any."""
        ax = figure.subplots()
        plots.tricks(result, number.name, level=goal_level, ax=ax)

    return picture(caption, 3.0, paint)


def _plain_distribution(result: xarray.DataTree, number: Distribution) -> str:
    """The picture of a whole number that counts no tricks."""

    def paint(figure: Figure) -> None:
        """The caption stands in the place of the title."""
        ax = plots.distribution(result, number.name, ax=figure.subplots())
        ax.set_title("")

    return picture(number.title.removesuffix("."), 3.0, paint)


def _figure(value: Any) -> str:
    """A figure of the summary.

    What is true or false becomes a word, and what has no meaning a dash.

    >>> _figure(True), _figure(float("nan")), _figure(9.0), _figure(0.48837), _figure(7)
    ('yes', '–', '9', '0.488', '7')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isnan(value):
        return "–"
    # Sums of weights miss whole numbers by rounding.
    rounded = round(float(value), 9)
    if rounded.is_integer():
        return number(round(rounded))
    if abs(value) < SMALL_FIGURE:
        return f"{value:.2g}"
    return f"{value:.3f}"


def _evidence(belief: Belief) -> str:
    """What was seen, piece by piece with its effect, and how the others are taken."""
    observer = SEATS[belief.observer.name]
    effects = [(f"{observer} holds {belief.hand.pbn}", "known from the start")]
    for piece in belief.evidence:
        effects.append((with_symbols(piece), EFFECTS[belief.effect(piece)]))
    items = "".join(
        f"<li>{escape(words)} <small>{effect}</small></li>" for words, effect in effects
    )
    passes = ""
    if belief.assumed_passes:
        seats = ", ".join(SEATS[seat.name] for seat in belief.assumed_passes)
        passes = (
            f"<p>Taken to have passed, since no call of theirs was given: {seats}.</p>"
        )
    assumptions = "".join(f"<p>{escape(words)}</p>" for words in belief.assumptions)
    return f"<ol>{items}</ol>{passes}{assumptions}"


def _computation(
    posterior: Posterior,
    result: xarray.DataTree,
    command: str | None,
    pair: str,
    contract: xarray.DataTree | None,
) -> str:
    """How it was computed, and the lines that make it again."""
    attrs = result.attrs
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
    items = "".join(
        f"<dt>{name}</dt><dd>{escape(str(fact))}</dd>"
        for name, fact in facts.items()
        if fact != ""
    )
    code = _python_code(posterior, attrs["estimators"].split(", "), pair, contract)
    return (
        f"<dl>{items}</dl>{shell_lines(command)}"
        f"<p>Again, in Python:</p><pre>{escape(code)}</pre>"
    )


def _python_code(
    posterior: Posterior,
    estimators: list[str],
    pair: str,
    contract: xarray.DataTree | None,
) -> str:
    """The lines of Python that give the result again."""
    method, draws = posterior.asked
    seed = posterior.seed
    code = (
        "import bayesbridge as bb\n\n"
        f"{python_lines(posterior.belief)}"
        f"posterior = belief.infer({method!r}, draws={draws}, rng={seed})\n"
        f"result = bb.estimate(posterior, {estimators!r}, pair={pair!r})\n"
        "print(result.summary())\n"
    )
    if contract is None:
        return code
    odds = ContractOdds.of_tree(contract)
    if odds is not None:
        name = str(odds.contract)
        options = f"contract={name!r}, solve={odds.solved}, rng={seed}"
        code += f"contract = bb.estimate(posterior, {options})\n"
    return code
