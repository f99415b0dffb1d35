"""The position as a bridge diagram: four hands around a compass.

Numbers as HTML tables.

What a player asks first, as HTML: who holds the honours, and how strong and how long the hidden hands are.

Bidder and player models in words that a player understands.

Pictures as SVG inside the page: they take its colours, so that one drawing serves light, dark and print.

The answer in three sentences of plain words: how strong the hidden hands are, where honours lie, what makes.

Example layouts, for a reader who wants to see hands.

The section of the page about a contract: whether it makes, how many tricks it takes, and how that is known.

The section of the page about what to bid: contracts of the pair by expected score.

The sections of the page about the play: what to lead, and how to play each suit once dummy is seen.

The page for a player: the answer in words, the table, honours, points, tricks; the paper's numbers folded below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

import matplotlib
from matplotlib.figure import Figure

from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import CARDS, Posterior, thinned
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.systems import SystemBidder
from bayesbridge.bidders.textbook import TextbookBidder
from bayesbridge.bidders.turn import MixtureBidder
from bayesbridge.calls import GAME_LEVELS, Contract
from bayesbridge.cards import RANKS, Hand, Suit
from bayesbridge.deal import Seat
from bayesbridge.decisions.contracts import best_rows, contracts, plain_rows
from bayesbridge.decisions.leads import Leads
from bayesbridge.decisions.suit import SuitLine, suit_play
from bayesbridge.documents import strength, told_bits
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.odds import ContractOdds, network_odds
from bayesbridge.plots import (
    QUANTITIES,
    draw_contract,
    plot_captures,
    plot_cards,
    plot_lengths,
    plot_numbers,
    plot_prior_posterior,
    plot_sharpening,
    plot_tricks,
)
from bayesbridge.position import python_lines
from bayesbridge.results import Asked, Tricks, counts_tricks, summary
from bayesbridge.words import BITS, LETTERS, MADE, SEATS, STRAINS, SYMBOLS
from bayesbridge.words import number as plain_number
from bayesbridge.words import percent as plain_percent

if TYPE_CHECKING:
    import pandas
    import xarray


AS_TEXT = "\ufe0e"
"""Asks for a suit symbol as text: phones would show a little picture."""


def diagram(posterior: Posterior, pair: tuple[Seat, Seat]) -> str:
    """Known cards as they are, hidden hands with what is certain and what is to be expected."""
    belief = posterior.belief
    known = belief.constraints
    roles = {belief.observer: "observer", **({} if belief.dummy is None else {belief.dummy: "dummy"})}
    hands = "".join(_hand(posterior, seat, Hand(known.must[seat]), roles.get(seat, ""), seat in pair) for seat in Seat)
    contract = None if belief.auction is None else belief.auction.contract
    strain = belief.contract_strain
    middle = str(contract) if contract else f"trumps: {strain.name}" if strain else ""
    compass = "".join(f'<span class="{seat.name.lower()}">{seat.name}</span>' for seat in Seat)
    return (
        f'<div class="table">{hands}<div class="compass" aria-hidden="true">{compass}'
        f"<b>{escape(middle)}</b></div></div>"
    )


def symbol(suit: Suit) -> str:
    """A suit in its colour."""
    red = ' class="red"' if suit in (Suit.H, Suit.D) else ""
    return f"<i{red}>{SYMBOLS[suit.name]}{AS_TEXT}</i>"


def _hand(posterior: Posterior, seat: Seat, sure: Hand, role: str, plays: bool) -> str:
    hidden = len(sure) < 13
    lengths = posterior.length_probabilities().sel(seat=seat.name)
    mean = (lengths * lengths["length"]).sum("length")
    rows = []
    for suit in reversed(Suit):
        cards = " ".join(_rank(rank) for rank in range(12, -1, -1) if sure.field(suit) >> rank & 1)
        expected = float(mean.sel(suit=suit.name))
        open_end = hidden and expected > sure.length(suit) + 1e-9
        # A suit of a hidden hand is void only if its length is certain to be 0.
        text = cards or ("" if open_end else "–")
        more = f' <small title="expected length">≈ {expected:.1f}</small>' if open_end else ""
        rows.append(f"<li>{symbol(suit)} <span>{text}{'' if not open_end or not cards else ' …'}</span>{more}</li>")
    points = posterior.point_probabilities().sel(seat=seat.name)
    average = float((points * points["points"]).sum())
    worth = f"≈ {average:.1f} points" if hidden else f"{sure.points} points"
    unknown = f", {13 - len(sure)} cards hidden" if hidden else ""
    marks = "".join(f" <em>{escape(word)}</em>" for word in (role,) if word)
    side = " pair" if plays else ""
    return (
        f'<section class="hand {seat.name.lower()}{side}"><h3>{SEATS[seat.name]}{marks}</h3><ul>{"".join(rows)}</ul>'
        f"<p>{worth}{unknown}</p></section>"
    )


def _rank(rank: int) -> str:
    return "10" if RANKS[rank] == "T" else RANKS[rank]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, kind: str = "") -> str:
    """A table that scrolls by itself where it is wider than the page; cells are HTML, the first of a row its name."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    label = escape(caption, quote=True)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table class="{kind}">'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def goals(tricks: Tricks, goal: int | None) -> str:
    """P(exactly) and P(at least) for 7 to 13; a contract that makes is named only by tricks at the table."""
    rows = []
    for number, share in tricks.goals.items():
        marked = f"<mark>{number}</mark>" if number == goal else str(number)
        named = [escape(tricks.goal(number))] if tricks.judges else []
        rows.append([marked, percent(tricks.share(number)), percent(share), *named])
    name = escape(tricks.name)
    head = (name, f"P({name} is exactly that)", f"P({name} ≥ that)", *(["which is"] if tricks.judges else []))
    return table(head, rows, tricks.title, "narrow")


def distribution_of(name: str, pmf: xarray.DataArray) -> str:
    """P(value) for every label of an output that has several numbers, no trumps first."""
    flat = pmf.stack(label=list(pmf.dims[:-1])).transpose("label", pmf.dims[-1])
    met = (flat.values > 0).any(axis=0)
    values = [str(value) for value in pmf[pmf.dims[-1]].values[met]]
    rows = [
        [escape(" ".join(map(str, label))), *(percent(share) for share in shares[met])]
        for label, shares in zip(flat["label"].values, flat.values, strict=True)
    ]
    rows.sort(key=lambda row: not row[0].startswith("NT"))
    return table([", ".join(map(str, pmf.dims[:-1])), *values], rows, f"{name}: {pmf.attrs['long_name']}")


def summarised(summary: pandas.DataFrame) -> str:
    """The table of :func:`bayesbridge.summary`."""
    rows = [[escape(str(name)), *(number(value) for value in row)] for name, *row in summary.itertuples(name=None)]
    heads = ["quantity", *(escape(str(column)).replace("_", " ") for column in summary.columns)]
    return table(heads, rows, "All quantities: mean, spread, shortest interval, and how far to trust them")


def card_places(posterior: Posterior) -> str:
    """P(seat holds card) for every card that is not certain."""
    chances = posterior.card_probabilities()
    seats = [str(seat) for seat in chances["seat"].values]
    rows = []
    for card in map(str, chances["card"].values):
        shares = [float(share) for share in chances.sel(card=card).values]
        if max(shares) < 1.0 - 1e-9:
            rows.append([f"{symbol(Suit.of(card[0]))} {card[1:].replace('T', '10')}", *map(percent, shares)])
    return table(("card", *seats), rows, "Where the cards lie, as far as that is open", "narrow") if rows else ""


def percent(share: float) -> str:
    """A probability, as HTML.

    >>> [percent(share) for share in (0.0, 0.00001, 0.4883, 1.0)]
    ['0 %', '&lt;0.1 %', '48.8 %', '100 %']
    """
    return escape(plain_percent(share))


def number(value: Any) -> str:
    """A figure of the summary; what is true or false becomes a word, and what has no meaning a dash.

    >>> number(True), number(float("nan")), number(9.0), number(0.48837), number(7)
    ('yes', '–', '9', '0.488', '7')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value != value:
        return "–"
    rounded = round(float(value), 9)  # sums of weights miss whole numbers by rounding
    if rounded.is_integer():
        return spaced(rounded)
    return f"{value:.2g}" if abs(value) < 0.01 else f"{value:.3f}"


def spaced(value: float) -> str:
    """A whole number with its thousands apart, by narrow spaces at which no line breaks.

    >>> spaced(84478098072866400).split("\u202f")
    ['84', '478', '098', '072', '866', '400']
    """
    return plain_number(round(value)).replace(" ", "\u202f")


HONOURS = "AKQJT"
"""The ranks of the map."""

TICK = 5
"""Points between two marks of the axis."""


def honours_map(posterior: Posterior) -> str:
    """A table for each suit: the hidden hands by the five honours, in percent; known cards show who holds them."""
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    if not hidden:
        return ""
    chances = posterior.card_probabilities().values
    tables = []
    for suit in reversed(Suit):
        ranks = [CARDS.index(f"{suit.name}{rank}") for rank in HONOURS]
        known = {place: next((s for s in Seat if chances[place][s] > 1 - 1e-9), None) for place in ranks}
        head = "".join(f'<th scope="col">{"10" if rank == "T" else rank}</th>' for rank in HONOURS)
        rows = ""
        for line, seat in enumerate(hidden):
            cells = ""
            for place in ranks:
                holder = known[place]
                if holder is None or holder in hidden:
                    cells += heat_cell(float(chances[place][seat]))
                elif line == 0:
                    name = SEATS[holder.name]
                    cells += f'<td class="known" rowspan="{len(hidden)}" title="{name} holds it">{holder.name}</td>'
            rows += f'<tr><th scope="row">{SEATS[seat.name]}</th>{cells}</tr>'
        caption = f"{symbol(suit)} <span>{STRAINS[suit.name]}</span>"
        tables.append(
            f'<table class="heat"><caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
    return f'<div class="suits">{"".join(tables)}</div>'


def heat_cell(share: float) -> str:
    """A cell that is the darker the likelier, with its percentage."""
    text = plain_percent(share, 0).replace(" %", "")
    strong = ' class="strong"' if share > 0.55 else ""
    return f'<td{strong} style="--p:{100 * share:.0f}%">{escape(text)}</td>'


def points_section(posterior: Posterior) -> str:
    """A histogram for each hidden hand, with its mean and the range of four cases in five."""
    chances = posterior.point_probabilities().values
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    last = max((i for seat in hidden for i, share in enumerate(chances[seat]) if share >= 0.0005), default=0)
    drawn = ""
    for seat in hidden:
        shares = [float(share) for share in chances[seat]]
        mean, low, high = strength(shares)
        words = f"{SEATS[seat.name]}: {mean:.1f} points on average, {low} to {high} in four cases of five"
        drawn += (
            f'<figure class="points"><figcaption>{words}</figcaption>{histogram(shares[: last + 1], words)}</figure>'
        )
    note = "" if posterior.counts_points else '<p class="worth">Points are estimated from the draws.</p>'
    return f"{drawn}{note}" if hidden else ""


def histogram(shares: Sequence[float], title: str) -> str:
    """Bars as SVG in the colours of the page, with a mark at every fifth number and the largest share."""
    wide, tall = 300, 60
    step, top = wide / max(len(shares), 1), max(shares, default=0.0) or 1.0
    bars = "".join(
        f'<rect x="{number * step + 0.6:.1f}" y="{tall * (1 - share / top) + 10:.1f}" width="{step - 1.2:.1f}" '
        f'height="{tall * share / top:.1f}"/>'
        for number, share in enumerate(shares)
        if share >= 0.0005
    )
    marks = "".join(
        f'<text x="{(number + 0.5) * step:.1f}" y="{tall + 21}">{number}</text>'
        for number in range(0, len(shares), TICK)
    )
    likeliest = max(range(len(shares)), key=shares.__getitem__, default=0)
    most = f'<text x="{(likeliest + 0.5) * step:.1f}" y="8">{escape(plain_percent(top, 0))}</text>'
    return (
        f'<svg class="bars" role="img" viewBox="-8 0 {wide + 16} {tall + 24}"><title>{escape(title)}</title>'
        f'<line x1="0" x2="{wide}" y1="{tall + 10}" y2="{tall + 10}"/>{bars}{marks}{most}</svg>'
    )


def told_of_honours(posterior: Posterior) -> list[tuple[float, str, Seat, float]]:
    """Bits told of each missing ace, king and queen, the card, its likeliest hand and how likely; most first."""
    known = posterior.belief.constraints
    chances, bits = posterior.card_probabilities().values, told_bits(posterior)
    found = []
    for place, card in enumerate(CARDS):
        if card[1] in "AKQ" and known.unknown_mask >> (51 - place) & 1:
            shares = {Seat(seat): round(float(chances[place][seat]), 9) for seat in known.hidden}
            likeliest = max(shares, key=shares.__getitem__)
            found.append((bits[place], card, likeliest, shares[likeliest]))
    return sorted(found, key=lambda row: (-round(row[0], 4), CARDS.index(row[1])))


def bidder_words(model: object) -> str:
    """How the others are taken to bid.

    >>> bidder_words(IterativeBidder())
    "the paper's bidder (Algorithm 1), 2 % slips"
    >>> bidder_words(SystemBidder("weak-twos", base=TextbookBidder()))
    'bidders who follow the systems named here, else textbook bidding, 10 % slips'
    """
    match model:
        case IterativeBidder():
            strains = " in every strain" if model.suits else ""
            return f"the paper's bidder (Algorithm 1){strains}, {_slips(model.slip)}"
        case LearnedBidder():
            return f"experts, learned from records of real tables; vulnerable: {model.vulnerable.value}"
        case TextbookBidder():
            return f"textbook bidding, {_slips(model.slip)}"
        case StyleBidder():
            return f"{_style(model)}, {_slips(model.slip)}"
        case SystemBidder():
            return f"bidders who follow the systems named here, else {bidder_words(model.base)}"
        case MixtureBidder():
            return f"one of {len(model.bidders)} kinds of bidder, not known which"
    return f"the bidder model {_plain_name(model)}"


def player_words(model: object) -> str:
    """How the others are taken to choose cards.

    >>> player_words(LearnedPlayer())
    'experts, learned from records of real tables, 1 % slips'
    """
    if isinstance(model, LearnedPlayer):
        return f"experts, learned from records of real tables, {_slips(model.slip)}"
    return f"the player model {_plain_name(model)}"


def _slips(share: float) -> str:
    return f"{100 * share:.2g} % slips" if share else "no slips"


def _style(model: StyleBidder) -> str:
    """A style by what differs from the usual: aggressiveness and suit preference, in tricks."""
    said = []
    if model.aggressiveness:
        said.append(f"{'over' if model.aggressiveness > 0 else 'under'}bids by {abs(model.aggressiveness):.2g} tricks")
    if model.suit_preference:
        liked = "suits" if model.suit_preference > 0 else "no trumps"
        said.append(f"prefers {liked} by {abs(model.suit_preference):.2g} tricks")
    return f"a bidder who {' and '.join(said)}" if said else "a sober bidder who weighs tricks"


def _plain_name(model: object) -> str:
    """The name of the class as words: ``PointCounter`` becomes ``Point counter``."""
    name = type(model).__name__.strip("_")
    words = "".join(f" {letter}" if letter.isupper() and place else letter for place, letter in enumerate(name))
    return words.capitalize()


INK: Final = "#0a0b0c"
PAPER: Final = "#f4f3f2"
"""Drawn in these two, which no picture uses otherwise; the page's own colours then take their places."""

SETTINGS: Final[dict[Any, Any]] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "svg.fonttype": "path",
    "svg.hashsalt": "bayesbridge",
}

PLACES: Final = (
    "Where each card lies; a letter names the hand that certainly holds it",
    "How long the suits of the hidden hands are",
)
HISTORY: Final = ("How the belief sharpened; full marks are exact, open ones sampled",)
"""Captions of pictures that have sections of their own."""

WIDTH: Final = 4.6
"""Inches: narrow, so that figures keep a readable size on a phone."""


def pictures(
    result: xarray.DataTree,
    level: int | None,
    steps: pandas.DataFrame | None,
    prior: xarray.DataTree | None,
) -> dict[str, str]:
    """Caption → SVG, those that the result has numbers for."""
    has = set(map(str, result["pmf"].data_vars))
    hidden = int(((result["marginals"]["card_probabilities"] % 1.0) > 1e-9).any("card").sum())
    tall = 0.8 + 0.85 * (hidden or 4)
    drawn: dict[str, tuple[float, Callable[[Figure], Any]]] = {}
    for name, pmf in outputs_shown(result).items():
        if pmf.ndim == 1:
            caption, paint = _distribution(result, name, level)
            drawn[caption] = 3.0, paint
    if prior is not None and "T" in has:
        drawn["T before the evidence and after it"] = (
            3.0,
            lambda figure: plot_prior_posterior(prior, result, ax=figure.subplots()),
        )
    drawn[PLACES[0]] = (
        tall,
        lambda figure: plot_cards(result, ax=figure.subplots()),
    )
    drawn[PLACES[1]] = (
        tall,
        lambda figure: plot_lengths(result, ax=figure.subplots()),
    )
    if set(QUANTITIES) <= has:
        drawn["What Algorithm 2 sees in each suit: cards of the first hand, of the second, and the leading gap"] = (
            5.0,
            lambda figure: plot_captures(result, figure=figure),
        )
    if steps is not None:
        drawn[HISTORY[0]] = (
            5.4,
            lambda figure: plot_sharpening(steps, figure=figure),
        )
    return {
        caption: draw(paint, height, f"p{number}", caption)
        for number, (caption, (height, paint)) in enumerate(drawn.items())
    }


def outputs_shown(result: xarray.DataTree) -> dict[str, xarray.DataArray]:
    """Distributions by name that the page shows: of the capture algorithm T alone, of other estimators all."""
    draws, pmfs = result["posterior"].to_dataset(), result["pmf"].to_dataset()
    return {
        str(name): pmf
        for name, pmf in pmfs.data_vars.items()
        if name in ("T", "capture_T") or draws[name].attrs["estimator"] != "capture"
    }


def _distribution(result: xarray.DataTree, name: str, level: int | None) -> tuple[str, Callable[[Figure], Any]]:
    """Caption and picture of one output."""
    if not counts_tricks(result, name):
        said = str(result["pmf"][name].attrs["long_name"]).removesuffix(".")
        pair = Asked.of_result(result).names
        return f"{name}, for {pair}: {said}", lambda figure: plot_numbers(result, name, figure.subplots())
    tricks = Tricks.of(result, name)
    own = level if tricks.asked is None or tricks.asked.declares else None
    line = "; darker bars reach the dashed line" if own else ""
    named = "" if name == "T" else f" ({name})"
    return f"{tricks.title}{named}{line}", lambda figure: plot_tricks(result, name, level=own, ax=figure.subplots())


def draw(paint: Callable[[Figure], Any], height: float, prefix: str, title: str) -> str:
    """An SVG element with the names inside it made its own by ``prefix``, and without references to the outside."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure((WIDTH, height), layout="constrained")
        paint(figure)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.S)
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = svg.replace(INK, "currentColor").replace(PAPER, "var(--paper)")
    size = r'<svg[^>]*?viewBox="([^"]*)"[^>]*>'
    head = f'<svg role="img" viewBox="\\1"><title>{escape(title)}</title>'
    return re.sub(r"\s*\n\s*", "\n", re.sub(size, lambda found: found.expand(head), svg, count=1)).strip()


RANK_NAMES = {"A": "ace", "K": "king", "Q": "queen"}


LITTLE = 0.02
"""Bits up to which a card counts as not told about."""


def sentences(posterior: Posterior, odds: Sequence[ContractOdds], asked: bool) -> list[str]:
    """Three: strength, honours, tricks; ``asked`` whether ``odds`` has the one contract that is meant."""
    return [_strength(posterior), _honours(posterior), _tricks(odds, asked)]


def game_odds(posterior: Posterior, pair: tuple[Seat, Seat], rng: int = 0) -> list[ContractOdds]:
    """What the network says of game in each strain, played by the first of the pair that may declare."""
    declarer = pair[1] if pair[0] == posterior.belief.dummy else pair[0]
    return [network_odds(posterior, Contract(level, strain, declarer), rng) for strain, level in GAME_LEVELS.items()]


def games_table(odds: Sequence[ContractOdds]) -> str:
    """Expected tricks and the chance of game, strain by strain."""
    rows = [
        [
            STRAINS[one.contract.strain.name],
            f"{one.mean[0]:.1f}",
            str(one.contract).partition(" ")[0],
            percent(one.make[0]),
        ]
        for one in odds
    ]
    first = odds[0]
    names = f"{SEATS[first.contract.declarer.name]}, dummy {SEATS[first.dummy.name]}"
    return table(("strain", "tricks", "game", "makes"), rows, f"Double-dummy tricks of {names}", "narrow")


def _strength(posterior: Posterior) -> str:
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    if not hidden:
        return "Every card is known."
    chances = posterior.point_probabilities().values
    rows = sorted((*strength([float(share) for share in chances[seat]]), SEATS[seat.name]) for seat in hidden)
    (mean, low, high, name), *others = reversed(rows)
    if not others:
        return f"{name} has {mean:.1f} high-card points on average."
    alike = mean - others[-1][0] < 0.5
    rest = " and ".join(f"{name} about {mean:.0f}" for mean, _, _, name in others)
    if alike:
        return f"The hidden hands are about equally strong: some {mean:.0f} points each."
    return (
        f"{name} has the strongest hidden hand: about {mean:.0f} points, {low} to {high} in four cases of five; {rest}."
    )


def _honours(posterior: Posterior) -> str:
    told = told_of_honours(posterior)
    if not told:
        return "Every ace, king and queen is in sight."
    most = [row for row in told if row[0] > LITTLE][:2]
    if not most:
        return "No missing ace, king or queen is likelier in one hand than the room in the hands says."
    said = [
        f"the {RANK_NAMES[card[1]]} of {STRAINS[card[0]]} ({SEATS[seat.name]} with {percent(p)})"
        for _, card, seat, p in most
    ]
    return f"Among the missing honours most is known about {' and '.join(said)}."


def _tricks(odds: Sequence[ContractOdds], asked: bool) -> str:
    best = max(odds, key=lambda one: one.make[0])
    name = f"{str(best.contract).partition(' ')[0]} by {SEATS[best.contract.declarer.name]}"
    if asked:
        return f"{name} makes with {percent(best.make[0])}; {best.mean[0]:.1f} tricks on average."
    return (
        f"Of all games {name} has the best chance: it makes with {percent(best.make[0])}, "
        f"with {best.mean[0]:.1f} tricks on average."
    )


def examples_section(posterior: Posterior, n: int) -> str:
    """``n`` layouts drawn by their probability, the hidden hands alone, folded; nothing if none are wanted.

    They depend on the posterior's seed alone, as those of ``bayesbridge estimate --show N`` do.
    """
    if not n:
        return ""
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    rows = [
        [str(place), *(escape(deal[seat].pbn) for seat in hidden)]
        for place, deal in enumerate(posterior.resample(n, posterior.seed), 1)
    ]
    heads = ["", *(SEATS[seat.name] for seat in hidden)]
    caption = "Layouts drawn by their probability: spades.hearts.diamonds.clubs"
    return f"<details><summary>{spaced(n)} layouts</summary>{table(heads, rows, caption)}</details>"


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


WORK: Final = 100_000
"""Comparisons of the search in a suit, so that four suits take about a second."""


def leads_section(found: Leads | None) -> str:
    """Every lead with its chance to beat the contract; nothing where none was asked."""
    if found is None:
        return ""
    rows = [
        [
            escape(choice.name),
            percent(choice.beaten[0]) + _error(100 * choice.beaten[1], 1, " %"),
            f"{choice.tricks[0]:.2f}{_error(choice.tricks[1])}",
            "may be the best" if choice.close else "",
        ]
        for choice in found.choices
    ]
    words = f"{found.sentence} {found.caution}"
    heads = ("lead", "beats it", "tricks", "")
    return f"<p>{escape(words)}</p>{table(heads, rows, f'Leads against {found.contract}, the best first')}"


def suits_section(posterior: Posterior) -> str:
    """The best plan for most tricks in each suit, where the observer sees both hands of the pair."""
    belief = posterior.belief
    if belief.observer.partner in belief.constraints.hidden:
        return ""
    rows = []
    for suit in reversed(Suit):
        try:
            play = suit_play(posterior=posterior, suit=suit, work=WORK)
        except BayesBridgeError:  # too few of its cards are the pair's for a plan, which the note says
            continue
        held = f"{play.first} – {play.second}"
        mean = f"{play.best.tricks:.2f}{_error(play.best.error)}"
        rows.append([symbol(suit), held, str(play.sure), mean, _more(play.best), _first(play.best)])
    if not rows:
        return ""
    heads = ("suit", "hands", "sure", "mean", "so many or more", "begin with")
    first, second = belief.observer.partner.name, belief.observer.name
    caption = f"Tricks in each suit by itself, {first}'s cards first, then {second}'s; the plan with most on average"
    note = (
        "The defenders see all cards and know the plan. Entries, ruffs and blocked suits are left out, so the suits do "
        "not simply add up. A suit that is not there is one of which the pair holds too few cards to plan."
    )
    return f"{table(heads, rows, caption)}<p>{note}</p>"


def _error(error: float, digits: int = 2, unit: str = "") -> str:
    """One standard error; nothing where it is exact."""
    return f" ± {error:.{digits}f}{unit}" if error else ""


def _more(line: SuitLine) -> str:
    """The numbers of tricks in doubt, each with its chance."""
    told = [f"{goal}: {percent(share)}" for goal, share in line.at_least.items() if 0.0 < share < 1.0]
    return ", ".join(told) or "–"


def _first(line: SuitLine) -> str:
    """The first trick of the plan, where it can win more than what is sure."""
    return escape(line.text(1)[0]) if line.step is not None and any(line.at_least.values()) else "–"


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
