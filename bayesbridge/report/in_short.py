"""The answer in three sentences of plain words: how strong the hidden hands are, where honours lie, what makes."""

from __future__ import annotations

from collections.abc import Sequence

from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import GAME_LEVELS, Contract
from bayesbridge.deal import Seat
from bayesbridge.documents import strength
from bayesbridge.estimators.contract_odds import ContractOdds, network_odds
from bayesbridge.report.honours import told_of_honours
from bayesbridge.report.tables import percent, table
from bayesbridge.words import SEATS, STRAINS

RANKS = {"A": "ace", "K": "king", "Q": "queen"}


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
        f"the {RANKS[card[1]]} of {STRAINS[card[0]]} ({SEATS[seat.name]} with {percent(p)})"
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
