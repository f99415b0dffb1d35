"""The reproduction page: every table of the paper, printed figures and ours side by side, each with a verdict.

Nothing on the page depends on the machine or the hour: the same seed gives the same page, letter by letter.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

from bayesbridge.capture import exact
from bayesbridge.studies import captures, claims, comparative, conditions, headline, opponents, strategies
from bayesbridge.studies.comparison import DIFFERS, LEVEL, REPRODUCED, Comparison, share_z
from bayesbridge.studies.engine import Progress, Setting
from bayesbridge.studies.paper import CONDITIONS
from bayesbridge.studies.study import Table
from bayesbridge.studies.tables import figures_table, hypotheses_table
from bayesbridge.studies.verdicts import claims_table
from bayesbridge.words import number

SEED: Final = 1

INTRODUCTION: Final = """\
# Reproduction

Every table of *Winning Before You Play: An Iterative Capture Algorithm for Pre-Game Dominance Analysis in Three-Player
Auction Bridge* (S. Sarkar), beside our figures. `make reproduce` writes this page again; nobody edits it.

- **z**: standard errors by which the mean of the printed figures lies above ours. Where our figure is exact
  the only noise is the paper's.
- **reproduced**: the text determines the figure, and the two agree (p ≥ 0.01 after Holm's correction for all figures of
  the table).
- **not determined by the text**: the text leaves a choice open that moves the figure; our figure shows our reading.
- **too few deals to tell**: the two agree, but a printed figure a quarter larger or smaller would likely have passed
  too (the power to find it is below 80 %).
- **differs**: the text determines the figure, and the two do not agree.
"""


def page(scale: float = 1.0, workers: int | None = None, progress: Progress | None = None) -> str:
    """The whole page in Markdown; ``scale`` below 1 makes smaller samples, for a quick look."""
    how = Setting(workers, progress=progress)
    deals = {name: max(1, round(scale * size)) for name, size in _DEALS.items()}
    comparison = comparative.simulate(deals["comparative"], SEED, runs=3, how=how)
    contracts = headline.simulate(deals["headline"], SEED, runs=3, how=how)
    words = claims.simulate(deals["claims"], SEED, runs=3, how=how)
    play = strategies.simulate(deals["strategies"], SEED, how=how)
    calls = opponents.simulate(deals["opponents"], SEED, how=how)
    parts = [
        INTRODUCTION,
        exact_part(),
        _table(comparison, f"Our figures: 3 × {number(deals['comparative'])} random deals, seed {SEED}."),
        _table(contracts, f"Our figures: 3 × {number(deals['headline'])} random deals, seed {SEED}. {_HEADLINE_NOTE}"),
        claims_part(words),
        _strategies(play),
        _opponents(calls),
    ]
    return "\n".join(parts)


def exact_part() -> str:
    """What needs no random deals: tables 1 and 2, and what the text says of them."""
    note = f"Our figures: all {number(exact.DEALS)} deals of two hands, counted exactly."
    return "\n".join([_table(captures.count_exactly(), note), _table(conditions.count_exactly(), note), _sentences()])


_DEALS: Final = {
    "comparative": 1_000_000,
    "headline": 10_000_000,
    "claims": 10_000_000,
    "strategies": 1_000_000,
    "opponents": 200_000,
}

_HEADLINE_NOTE: Final = (
    "The play-out: whoever leads plays the highest card (clubs first among equals), each next hand its highest card of "
    "the suit if that beats the card led and else its lowest, a hand that cannot follow its lowest of all. The printed "
    "net points are 15.1 and 81.5 for each deal in which bidder and dummy are both eligible, in every run, while all "
    "contracts together lose by the old scheme and earn thirty times as much by the new one: they seem to be sums over "
    "those deals only."
)


def _table(found: Comparison, note: str) -> str:
    unit = f"{found.unit[0].upper()}{found.unit[1:]}. {note}"
    figures = _markdown(figures_table(found, reasons=True), words=2)
    return "\n".join([f"## {found.title}", "", unit, "", *figures, *_tests(found)])


def _tests(found: Comparison) -> list[str]:
    return _markdown(hypotheses_table(found.tests()))


def _sentences() -> str:
    """What the text says of tables 1 and 2 in words."""
    T = exact.tricks()
    both = exact.DEALS - T[0]
    middle, wide = T[9] + T[10], sum(T[t] for t in range(8, 12))
    deals, qualified = CONDITIONS.trials * len(CONDITIONS.runs), CONDITIONS.pooled()[2]
    share, most = _near(0.279, deals, both, exact.DEALS), _near(0.656, qualified, middle, both)
    table = Table("What the text says of these tables", ["", "paper", "exact", "verdict"], [
        ["deals that meet both conditions", "27.90 %", _percent(both, exact.DEALS), share],
        ["T is 9 or 10, of those", "approximately 65.6 %", _percent(middle, both), most],
        ["T from 8 to 11, of those", "over 93 %", _percent(wide, both), REPRODUCED if wide > 0.93 * both else DIFFERS],
        ["T above 13", "none in 3 000 000", "none in any deal", REPRODUCED if max(T) <= 13 else DIFFERS],
    ])  # fmt: skip
    return "\n".join([f"## {table.title}", "", *_markdown(table, words=1)])


def claims_part(found: Comparison) -> str:
    """What the text claims without a table, each claim with a verdict."""
    return "\n".join(
        [
            f"## {found.title}",
            "",
            f"What no table shows: {number(found.counts['contracts'])} contracts out of {number(found.total)} random "
            f"deals, seed {SEED}. An interval covers our figure 99 times in 100, for all rows of a claim together. The "
            "verdict stands in the first row of a claim. It *holds* if all intervals lie where the claim wants them, "
            "*does not hold* if one of them lies outside, and else there are too few deals to tell. For equal shares "
            "*where the claim wants them* means within half a percentage point, for equal rates within one; an "
            "interval without 0 lies outside.",
            "",
            *_markdown(claims_table(found.source, reasons=True), words=2),
            *_tests(found),
        ]
    )


def _near(printed: float, trials: int, part: int, whole: int) -> str:
    """The verdict on a share printed in words, found in so many trials, beside the exact one."""
    z = share_z((printed * trials, trials), (part, whole), exact=True)
    return REPRODUCED if z is not None and 2 * NormalDist().cdf(-abs(z)) >= LEVEL else DIFFERS


def _strategies(found: Comparison) -> str:
    lines = [
        "## Strategies: a two-player zero-sum game",
        "",
        "The abstract speaks of such a simulation and prints no figure of it. Ours: the bidder's side (rows) and the "
        f"defenders (columns) choose one of three ways to play; {number(found.counts['contracts'])} contracts out of "
        f"{number(found.total)} random deals, each played out in all nine ways. *Share* is the mixed equilibrium, by "
        "linear programming; *exploitability* is what a pure choice loses against the best answer to it.",
        "",
    ]
    for (name, game), table in zip(found.answers["games"].items(), strategies.tables(found), strict=True):
        lines += [f"{_PAYOFFS[name]}; value of the game {game['value']:.{4 if name == 'made' else 2}f}.", ""]
        lines += _markdown(table)
    return "\n".join([*lines, *_tests(found)])


_PAYOFFS: Final = {
    "made": "Pay-off: the share of contracts made",
    "tricks": "Pay-off: tricks",
    "old": "Pay-off: net points by the old scheme",
    "new": "Pay-off: net points by the new scheme",
}


def _opponents(found: Comparison) -> str:
    return "\n".join(
        [
            "## Opponent modelling",
            "",
            "The abstract speaks of opponent hand-modelling and prints no figure of it. Ours: for "
            f"{number(found.counts['contracts'])} contracts the chance of making is predicted from "
            f"{found.answers['draws']} layouts drawn from the posterior, without and with the calls of the two others, "
            "before and after the dummy is opened. *Points* are what the bid with the greatest expectation earns, by "
            "the new scheme. An Algorithm 1 bidder passes 96 hands in 100, so such calls say little; the dummy says "
            "much.",
            "",
            *(line for table in opponents.tables(found) for line in _markdown(table)),
            *_tests(found),
        ]
    )


def _markdown(table: Table, words: int = 0) -> list[str]:
    """A table whose first column and last ``words`` columns are words, and an empty line after it."""
    figures = len(table.header) - 1 - words
    rule = ["---", *["---:"] * figures, *["---"] * words]
    return [*(f"| {' | '.join(row)} |" for row in (table.header, rule, *table.rows)), ""]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.4f} %"
