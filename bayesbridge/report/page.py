"""The page: the answer first, then the position, the evidence, pictures, numbers, and how they came about."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.arguments import checked
from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.estimators.contract_chances import chance_of
from bayesbridge.positions.position import python_lines
from bayesbridge.report.diagram import diagram
from bayesbridge.report.pictures import outputs_shown, pictures
from bayesbridge.report.tables import card_places, distribution_of, goals, percent, spaced, summarised
from bayesbridge.summaries import counts_tricks, summary
from bayesbridge.trick_counts import Tricks
from bayesbridge.words import BITS, LETTERS, MADE, SEATS

if TYPE_CHECKING:
    import pandas
    import xarray


@checked
def html_report(
    posterior: Posterior,
    result: xarray.DataTree,
    *,
    title: str = "What the hidden hands hold",
    level: int | None = None,
    steps: pandas.DataFrame | None = None,
    prior: xarray.DataTree | None = None,
    command: str | None = None,
) -> str:
    """A result as one self-contained HTML page.

    ``level`` asks for 6 + level tricks, by default those of the auction's contract, else 7. ``steps``, the table of
    ``bb.sharpening``, and ``prior``, a result before the evidence, add their pictures. ``command`` is the line that
    makes the page again; the same in Python stands there anyway.

    >>> import bayesbridge as bb
    >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> html_report(posterior, bb.estimate(posterior), level=3)[:15]
    '<!DOCTYPE html>'
    """
    belief = posterior.belief
    asked = level
    level = contract_level(belief) if level is None else level
    first, second = (Seat.of(str(name)) for name in result["constant_data"].to_dataset()["pair"].values)
    tricks = Tricks.of(result) if counts_tricks(result, "T") else None
    shown = outputs_shown(result)
    counting = [Tricks.of(result, name) for name in shown if counts_tricks(result, name)]
    sections = [
        ("The position", diagram(posterior, (first, second))),
        ("What was seen", _evidence(belief)),
        ("Pictures", _pictures(result, level, steps, prior)),
        (
            "Numbers",
            "".join(f"{goals(one, 6 + level)}<p>{escape(' '.join(one.notes))}</p>" for one in counting)
            + (f"<p>{escape(LETTERS)}</p>" if tricks else "")
            + "".join(distribution_of(name, pmf) for name, pmf in shown.items() if pmf.ndim > 1)
            + summarised(summary(result))
            + f"<details><summary>Every open card</summary>{card_places(posterior)}</details>",
        ),
        ("How it was computed", _computed(posterior, result, command, (first, second))),
    ]
    body = "".join(f"<section><h2>{head}</h2>{content}</section>" for head, content in sections if content)
    style = files("bayesbridge.report").joinpath("style.css").read_text("utf-8")
    answer = _answer(tricks, posterior, result.attrs, level, asked) if tricks else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body><main><header><h1>{escape(title)}</h1>{answer}</header>{body}</main></body></html>\n"
    )


def contract_level(belief: Perspective) -> int:
    """The level of the contract once the auction is over, else 1."""
    contract: Contract | None = None if belief.auction is None else belief.auction.contract
    return 1 if contract is None else contract.level


def _answer(tricks: Tricks, posterior: Posterior, attrs: Mapping[Any, Any], level: int, given: int | None) -> str:
    """What a hurried reader takes away: the contract's chance where there is a contract, and T."""
    mean, auction = tricks.mean_if_held, posterior.belief.auction
    contract = None if auction is None else auction.contract
    tiles = []
    if contract is not None:
        chance = chance_of(posterior, contract, posterior.seed or 0)
        tiles.append((percent(chance.share), f"{contract}: {MADE}"))
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
    model = "" if belief.auction is None else f"<p>Calls are judged by <code>{escape(repr(belief.bidder))}</code>.</p>"
    if belief.player is not None:
        model += f"<p>Cards are judged by <code>{escape(repr(belief.player))}</code>.</p>"
    return f"<ol>{''.join(rows)}</ol>{note}{model}"


def _name(seat: Seat) -> str:
    return SEATS[seat.name]


def _pictures(
    result: xarray.DataTree, level: int, steps: pandas.DataFrame | None, prior: xarray.DataTree | None
) -> str:
    drawn = pictures(result, level, steps, prior)
    return "".join(f"<figure>{svg}<figcaption>{caption}.</figcaption></figure>" for caption, svg in drawn.items())


def _computed(posterior: Posterior, result: xarray.DataTree, command: str | None, pair: tuple[Seat, Seat]) -> str:
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
    code = escape(_code(posterior, attrs["estimators"].split(", "), pair))
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
