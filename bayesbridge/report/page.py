"""The page for a player: the answer in words, the table, honours, points, tricks; the paper's numbers folded below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.decisions.leads import Leads
from bayesbridge.estimators.contract_odds import ContractOdds, network_odds
from bayesbridge.position import python_lines
from bayesbridge.report.contract import contract_section, error_of
from bayesbridge.report.contracts import contracts_section
from bayesbridge.report.diagram import diagram
from bayesbridge.report.honours import honours_map, points_section
from bayesbridge.report.in_short import game_odds, games_table, sentences
from bayesbridge.report.layouts import examples_section
from bayesbridge.report.models import bidder_words, player_words
from bayesbridge.report.pictures import HISTORY, PLACES, outputs_shown, pictures
from bayesbridge.report.play import leads_section, suits_section
from bayesbridge.report.tables import card_places, distribution_of, goals, percent, spaced, summarised
from bayesbridge.summaries import counts_tricks, summary
from bayesbridge.trick_counts import Tricks
from bayesbridge.words import BITS, LETTERS, MADE, SEATS

if TYPE_CHECKING:
    import pandas
    import xarray


def html_report(
    posterior: Posterior,
    result: xarray.DataTree,
    *,
    title: str = "What the hidden hands hold",
    level: int | None = None,
    steps: pandas.DataFrame | None = None,
    prior: xarray.DataTree | None = None,
    command: str | None = None,
    contract: xarray.DataTree | None = None,
    leads: Leads | None = None,
    examples: int = 0,
) -> str:
    """A result as one self-contained HTML page.

    ``contract`` is a result of ``bb.estimate(…, contract=…)``, ``result`` itself where it has one. Without any, the
    contract of an auction that is over is judged by the network alone.

    ``level`` asks for 6 + level tricks, by default those of the auction's contract, else 7. ``steps``, the table of
    ``bb.sharpening``, and ``prior``, a result before the evidence, add their pictures. ``command`` is the line that
    makes the page again; the same in Python stands there anyway. ``leads``, what ``bb.leads`` answers, adds what to
    lead. ``examples`` asks for so many layouts, drawn by their probability.

    >>> import bayesbridge as bb
    >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> html_report(posterior, bb.estimate(posterior), level=3)[:15]
    '<!DOCTYPE html>'
    """
    belief = posterior.belief
    asked = level
    level = contract_level(belief) if level is None else level
    first, second = (Seat.of(str(name)) for name in result["constant_data"].to_dataset()["pair"].values)
    odds = _odds(posterior, result if contract is None else contract)
    games = [odds] if odds is not None else game_odds(posterior, (first, second), posterior.seed or 0)
    drawn = pictures(result, level, steps, prior)
    sections = [
        ("The table", diagram(posterior, (first, second))),
        ("Who holds the honours, in %", honours_map(posterior)),
        ("Points of the hidden hands", points_section(posterior)),
        ("What can be made", games_table(games))
        if odds is None
        else (f"Whether {odds.contract} makes", contract_section(odds)),
        ("What was seen", _evidence(belief)),
    ]
    folded = [
        ("What to bid", contracts_section(posterior, (first, second))),
        ("What to lead", leads_section(leads)),
        ("How to play each suit", suits_section(posterior)),
        ("Every card and every suit", _figures(drawn, PLACES) + card_places(posterior)),
        ("How the belief sharpened", _figures(drawn, HISTORY)),
        ("Captures by the paper's rule, and other estimators", _paper(result, drawn, level, asked, odds)),
        ("Examples", examples_section(posterior, examples)),
        ("How it was computed", _computed(posterior, result, command, (first, second), contract)),
    ]
    said = "".join(f"<p>{sentence}</p>" for sentence in sentences(posterior, games, odds is not None))
    body = "".join(f"<section><h2>{head}</h2>{content}</section>" for head, content in sections if content)
    body += "".join(
        f"<details><summary><h2>{head}</h2></summary>{content}</details>" for head, content in folded if content
    )
    return document(title, f'<div class="short">{said}</div>{_worth(posterior, games)}', body)


def document(title: str, top: str, body: str, more_style: str = "", script: str = "") -> str:
    """A whole page: heading, what stands under it, sections; the style inside, so that nothing is loaded."""
    style = files("bayesbridge.report").joinpath("style.css").read_text("utf-8") + more_style
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body><main><header><h1>{escape(title)}</h1>{top}</header>{body}</main>{script}</body></html>\n"
    )


def contract_level(belief: Perspective) -> int:
    """The level of the contract once the auction is over, else 1."""
    contract: Contract | None = None if belief.auction is None else belief.auction.contract
    return 1 if contract is None else contract.level


def _odds(posterior: Posterior, result: xarray.DataTree) -> ContractOdds | None:
    """What becomes of the contract that was asked about, else of the auction's."""
    auction = posterior.belief.auction
    found = ContractOdds.of(result)
    if found is None and auction is not None and auction.contract is not None:
        return network_odds(posterior, auction.contract, posterior.seed or 0)
    return found


def _worth(posterior: Posterior, games: Sequence[ContractOdds]) -> str:
    """How exact the figures at the top are, in two sentences."""
    how = "Where the cards lie is counted exactly."
    if not posterior.exact and posterior.draws.tables is None:
        how = f"Estimated from {spaced(len(posterior))} draws, worth {spaced(posterior.ess)} independent ones."
    by = "a network predicts them" if games[0].basis == "network" else "solved layouts correct what a network predicts"
    if games[0].basis == "all solved":
        by = "solved for every layout"
    whose = "Tricks are those of real declarers" if games[0].actual else "Tricks are double dummy"
    return f'<p class="worth">{how} {whose}: {by}.</p>'


def _paper(
    result: xarray.DataTree, drawn: Mapping[str, str], level: int, asked: int | None, odds: ContractOdds | None
) -> str:
    """T and the other outputs: figures, pictures and tables."""
    tricks = Tricks.of(result) if counts_tricks(result, "T") else None
    shown = outputs_shown(result)
    counting = [Tricks.of(result, name) for name in shown if counts_tricks(result, name)]
    others = [caption for caption in drawn if caption not in (*PLACES, *HISTORY)]
    return (
        (_answer(tricks, odds, result.attrs, level, asked) if tricks else "")
        + _figures(drawn, others)
        + "".join(f"{goals(one, 6 + level)}<p>{escape(' '.join(one.notes))}</p>" for one in counting)
        + (f"<p>{escape(LETTERS)}</p>" if tricks else "")
        + "".join(distribution_of(name, pmf) for name, pmf in shown.items() if pmf.ndim > 1)
        + summarised(summary(result))
    )


def _answer(tricks: Tricks, odds: ContractOdds | None, attrs: Mapping[Any, Any], level: int, given: int | None) -> str:
    """The figures of T beside the contract's chance, where there is a contract."""
    mean = tricks.mean_if_held
    tiles = []
    if odds is not None:
        error = error_of(odds.make[1])
        told = MADE if odds.basis == "network" else f"P(made), double dummy, {spaced(odds.solved)} layouts solved"
        if odds.actual:
            told += ", then what real declarers take beside it"
        tiles.append((percent(odds.make[0]) + (f" ± {error}" if error else ""), f"{odds.contract}: {told}"))
    if tricks.asked is not None and (tricks.asked.declares or given is not None):
        tiles.append((percent(tricks.at_least(6 + level)), f"{tricks.goal(6 + level)}. {tricks.title}"))
    tiles += [
        (percent(tricks.holds), "both conditions of Algorithm 2 hold"),
        ("–" if mean is None else f"{mean:.2f}", "mean of T, given that they hold"),
    ]
    inside = "".join(f"<li><b>{figure}</b> {escape(words)}</li>" for figure, words in tiles)
    draws, worth = (spaced(attrs[key]) for key in ("draws", "ess"))
    how = "The figures of T are exact."
    if not tricks.exact:
        how = f"Estimated from {draws} draws, worth {worth} independent ones."
    how = escape(" ".join([how, *tricks.notes]))
    return f'<ul class="tiles">{inside}</ul><p class="worth">{how}</p>'


EFFECTS: Final = {
    "hard": "excludes layouts",
    "soft": "weighs layouts",
    "hard and soft": "excludes layouts and weighs the others",
    "none": "own call",
}


def _evidence(belief: Perspective) -> str:
    rows = [f"<li>{_name(belief.observer)} holds {escape(belief.hand.pbn)} <small>known from the start</small></li>"]
    for piece in belief.evidence:
        rows.append(f"<li>{escape(str(piece))} <small>{EFFECTS[belief.effect(piece)]}</small></li>")
    passed = ", ".join(map(_name, belief.assumed_passes))
    note = f"<p>Taken to have passed, since no call of theirs was given: {passed}.</p>" if passed else ""
    model = (
        ""
        if belief.auction is None
        else f"<p>The others are taken to bid as {escape(bidder_words(belief.bidder))}.</p>"
    )
    model += "".join(f"<p>System: {escape(said)}.</p>" for said in belief.systems)
    if belief.player is not None:
        model += f"<p>They are taken to choose cards as {escape(player_words(belief.player))}.</p>"
    return f"<ol>{''.join(rows)}</ol>{note}{model}"


def _name(seat: Seat) -> str:
    return SEATS[seat.name]


def _figures(drawn: Mapping[str, str], captions: Iterable[str]) -> str:
    """The pictures with these captions, as far as they were drawn."""
    return "".join(
        f"<figure>{drawn[caption]}<figcaption>{escape(caption)}.</figcaption></figure>"
        for caption in captions
        if caption in drawn
    )


def _computed(
    posterior: Posterior,
    result: xarray.DataTree,
    command: str | None,
    pair: tuple[Seat, Seat],
    contract: xarray.DataTree | None,
) -> str:
    attrs = result.attrs
    exact = bool(attrs["exact"])
    sampled = "" if exact or attrs["method"] != "convolution" else f" (sampled: {attrs['sampled']})"
    facts = {
        "engine": f"{attrs['method']}{sampled}",
        "why": attrs["why"],
        "layouts that fit": spaced(int(attrs["layouts"])),
        "layouts used": spaced(attrs["draws"]),
        "effective draws": "not needed, exact" if exact else spaced(attrs["ess"]),
        "what is unknown": f"{attrs['entropy_bits']:.2f} bits. {BITS}",
        "estimators": attrs["estimators"],
        "left out": attrs["failures"],
        "seed": attrs["seed"] or "a generator already in use",
        "bayesbridge": attrs["creation_library_version"],
        "versions": attrs["versions"],
    }
    listed = "".join(f"<dt>{name}</dt><dd>{escape(str(fact))}</dd>" for name, fact in facts.items() if fact != "")
    shell = f"<p>Again, from a shell:</p><pre>{escape(command)}</pre>" if command else ""
    code = escape(_code(posterior, attrs["estimators"].split(", "), pair) + _contract_code(contract, posterior.seed))
    return f"<dl>{listed}</dl>{shell}<p>Again, in Python:</p><pre>{code}</pre>"


def _code(posterior: Posterior, estimators: list[str], pair: tuple[Seat, Seat]) -> str:
    """Python lines that give the same result."""
    method, draws = posterior.asked
    names = repr(estimators[0] if len(estimators) == 1 else estimators)
    return (
        "import bayesbridge as bb\n\n"
        f"{python_lines(posterior.belief)}"
        f"posterior = belief.infer({method!r}, draws={draws}, rng={posterior.seed})\n"
        f"result = bb.estimate(posterior, {names}, pair={':'.join(seat.name for seat in pair)!r})\n"
        "print(bb.summary(result))\n"
    )


def _contract_code(contract: xarray.DataTree | None, seed: int | None) -> str:
    """The line that asks about the contract again."""
    odds = None if contract is None else ContractOdds.of(contract)
    if odds is None:
        return ""
    asked = f"contract={str(odds.contract)!r}, solve={odds.solved}, rng={seed}"
    return f"contract = bb.estimate(posterior, {asked})\n"
