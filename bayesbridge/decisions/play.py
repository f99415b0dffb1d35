"""What to play: every card of the seat in turn, tried on the same layouts of its
player's posterior.

Each layout is solved double dummy once for every card, so that differences between
cards are paired and much more exact than the figures themselves. Double dummy means
that all four see all cards after this one: a finesse either way looks free. Where
declarer has at most eight tricks to play, the next ones are therefore searched with one
plan for all layouts that look alike (:mod:`~bayesbridge.decisions.ending`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp
from statistics import NormalDist
from typing import Any, Final, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.belief.wins import card_wins
from bayesbridge.decisions.best_defence import Plan, TooMuchWork
from bayesbridge.decisions.contracts import payoff
from bayesbridge.decisions.ending import (
    MOST_LAYOUTS,
    MOST_TRICKS,
    SECOND,
    Ending,
    with_equals_alike,
)
from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import (
    SEATS,
    card_words,
    error_text,
    number,
    percent,
    share_error,
    with_symbols,
)
from bayesbridge.engines.budget import MOST_DRAWS, USUAL, Budget, Limits
from bayesbridge.engines.target import log_likelihood
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.errors import BayesBridgeError, IllegalPlay, PluginError
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.contract_question import TRICKS, resolve_contract
from bayesbridge.estimators.outlook import CARD_SOLVER
from bayesbridge.estimators.protocol import Estimator, Question, run, seconds_of
from bayesbridge.estimators.registry import SOLVER, offered
from bayesbridge.estimators.trick_estimates import TrickEstimates, judged
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.game.scoring import scoring_of
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

GOALS: Final = ("make", "tricks", "matchpoints")

AGREED: Final = 0.5
"""Share of experts from which on the card that they lead begins the answer."""


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """A moment of a play: whose turn it is, to which trick of which contract."""

    contract: Contract
    dummy: Seat
    trick: Trick  #: The trick so far; empty where its leader is in turn.
    played_mask: (
        int  #: Cards that have left their hands, those of the trick among them.
    )
    won: int  #: Tricks that declarer has won.
    tricks: int  #: Tricks that are over.
    legal: Hand  #: What the seat in turn may play.

    @property
    def seat(self) -> Seat:
        assert self.trick.turn is not None
        return self.trick.turn

    @property
    def defends(self) -> bool:
        """Whether the seat in turn is a defender's."""
        return self.seat not in (self.contract.declarer, self.dummy)

    @property
    def lead(self) -> bool:
        return not self.played_mask

    @property
    def question(self) -> Question:
        pair, trump = (self.contract.declarer, self.dummy), self.contract.trump
        return Question(
            pair, trump, None if self.lead else self.trick, self.played_mask
        )

    @property
    def words(self) -> str:
        """The moment as a title, such as ``West leads against 3NT by S``."""
        who, against = SEATS[self.seat.name], "against" if self.defends else "in"
        what = (
            "leads"
            if not self.trick.cards
            else f"plays to '{with_symbols(self.trick)}'"
        )
        return f"{who} {what} {against} {self.contract}" + (
            "" if self.lead else f", trick {self.tricks + 1}"
        )


def turn_of(
    belief: Belief, contract: Contract | str | None = None, by: Seat | str | None = None
) -> PlayTurn:
    """Whose turn it is by the cards played; the observer must be who chooses: the seat
    itself, or declarer for dummy.

    The ``contract`` is that of the auction unless it is named; its declarer sits on the
    right of who leads first.
    """
    own, plays = belief.table.contract, belief.table.plays
    asked = own if contract is None else contract
    if asked is None:
        raise BayesBridgeError(
            "no contract to play: name one, such as 3NT, or give the whole auction"
        )
    leader = plays[0][0] if plays else belief.observer
    if by is None and len(str(asked).split()) < 3:
        by = own.declarer if own is not None else _declarer(leader, belief.dummy)
    final = resolve_contract(belief, asked, by)
    table = replace(belief.table, named=final)
    first, dummy = table.leader, table.dummy
    assert first is not None
    assert dummy is not None
    if belief.trump is not None and belief.trump != final.strain:
        raise BayesBridgeError(
            f"contract {str(final)!r}, but trump {belief.trump.name}: name one",
            contract=final,
        )
    observer = belief.observer
    if not plays and first != observer:
        raise BayesBridgeError(
            f"contract {str(final)!r}: {first.name} is on lead, not {observer.name}: "
            f"ask what {first.name} believes, or name {_declarer(observer, belief.dummy).name} as declarer",
            leader=observer,
        )
    if leader != first:
        cure = "fix either"
        if (
            asked is own is not None
            and belief.auction is not None
            and belief.dummy is None
        ):
            dealer = belief.auction.first.next((leader - first) % 4).name
            cure = f"fix either, or let {dealer} deal (--dealer {dealer})"
        raise IllegalPlay(
            f"{leader.name} led, but against {final} it is {first.name}'s lead: {cure}",
            seat=leader,
        )
    if plays and dummy != final.declarer.partner:
        raise BayesBridgeError(
            f"{dummy.name} is dummy beside {final.declarer.name}: only opening leads are judged there"
        )
    trick, seat, chooser = table.trick, table.turn, table.chooser
    if trick is None or seat is None or chooser is None:
        raise BayesBridgeError("all 52 cards are played: ask before the last trick")
    if chooser != observer:
        whose = f"{seat.name}'s turn" + (
            f", dummy's, whose cards {chooser.name} plays" if seat == dummy else ""
        )
        raise BayesBridgeError(
            f"it is {whose}: ask what {chooser.name} believes, not {observer.name}",
            seat=chooser,
        )
    if plays and dummy not in table.shown:
        raise BayesBridgeError(
            f"{dummy.name}'s hand lies open after the lead: show it, such as Reveal({dummy.name!r}, …)",
            seat=dummy,
        )
    won = sum(winner in (final.declarer, dummy) for winner in table.winners)
    return PlayTurn(
        final,
        dummy,
        trick,
        table.played,
        won,
        len(table.winners),
        table.legal_cards(seat),
    )


def _declarer(leader: Seat, dummy: Seat | None) -> Seat:
    """The seat on the right, past a dummy beside them."""
    right = leader.next(3)
    return right if right != dummy else right.next(3)


@dataclass(frozen=True, slots=True)
class CardChoice:
    """One card, or several of a suit that did the same in every layout."""

    cards: tuple[Card, ...]  #: High cards first; they follow each other in the hand.
    chance: Estimate[float]  #: P(the contract makes), for a defender P(it is beaten).
    tricks: Estimate[float]  #: Expected tricks of the side in all.
    behind: Estimate[float]  #: How far behind the best card by the goal, paired.
    close: bool  #: Whether the test cannot tell it from the best.
    wins: float  #: P(it wins the trick).
    matchpoints: Estimate[float] | None = (
        None  #: Expected share of the matchpoints, where a field was given.
    )
    led: tuple[
        float, ...
    ] = ()  #: P(each is led) by the player model of the belief, for the opening lead.

    @property
    def name(self) -> str:
        """The suit and the ranks, such as ``H432``."""
        return self.cards[0].suit.name + "".join(str(card)[1:] for card in self.cards)


@dataclass(frozen=True, slots=True)
class CardChoices(Displayable):
    """All cards that may be played at a moment, the best first."""

    turn: PlayTurn
    #: ``make`` (for defenders: to beat the contract), ``tricks`` or ``matchpoints``.
    goal: str
    choices: tuple[CardChoice, ...]
    solved: int  #: Layouts that were solved.
    exact: bool  #: Whether these are all layouts that fit, with their exact weights.
    plan: tuple[
        str, ...
    ] = ()  #: Declarer's best plan, where the ending was searched whole.
    #: Tricks from this one on that are played by one plan, double dummy after them.
    horizon: int = 0
    late: bool = False  #: Whether one plan was looked for, and took too long.

    @property
    def best(self) -> tuple[CardChoice, ...]:
        """The best, and all that the test cannot tell from it."""
        return tuple(choice for choice in self.choices if choice.close)

    @property
    def clear(self) -> bool:
        """Whether one card is better than all others."""
        return len(self.best) == 1

    def of(self, card: Card) -> CardChoice:
        return next(choice for choice in self.choices if card in choice.cards)

    @property
    def sentence(self) -> str:
        """The answer in words; where most experts lead one card, that comes first."""
        return " ".join(filter(None, (self._favourite_first, self._verdict)))

    @property
    def favourite(self) -> tuple[Card, float] | None:
        """The best or close card that experts lead most often, and its share; of all
        cards where most of them lead it. ``None`` where no lead is asked for.
        """
        shares = {
            card: share
            for choice in self.choices
            for card, share in zip(choice.cards, choice.led, strict=False)
        }
        if not shares:
            return None
        most = max(shares, key=shares.__getitem__)
        if shares[most] < AGREED:
            close = [card for choice in self.best for card in choice.cards]
            most = max(close, key=shares.__getitem__)
        return most, shares[most]

    @property
    def _favourite_first(self) -> str:
        """What experts lead, where they agree; else empty."""
        if self.favourite is None or self.favourite[1] < AGREED:
            return ""
        card, share = self.favourite
        return f"Experts lead {card_words(card)} ({percent(share, 0)})."

    @property
    def _verdict(self) -> str:
        """Which card is best by the layouts, and what comes of it."""
        names = [card_words(choice.name) for choice in self.best]
        if self.clear:
            verb = "Play" if self.turn.trick.cards else "Lead"
            return f"{verb} {names[0]}: {self._outcome}"
        if self.exact:
            return (
                f"{', '.join(names[:-1])} and {names[-1]} are the same: {self._outcome}"
            )
        rivals = " and ".join(filter(None, (", ".join(names[1:-1]), names[-1])))
        close = f"Too close to call: {names[0]} is ahead, {rivals} may be as good."
        habit = ""
        if self.favourite is not None and not self._favourite_first:
            card, share = self.favourite
            lead = f"{card_words(card)} most often ({percent(share, 0)})"
            habit = f" Of these experts lead {lead}."
        return f"{close}{habit} After {names[0]}, {self._outcome}"

    @property
    def _outcome(self) -> str:
        """What becomes of the contract after the first card."""
        chance, error = self.choices[0].chance
        tricks, tricks_error = self.choices[0].tricks
        side, verb = "declarer", "then makes"
        if self.turn.defends:
            side, verb = "the defence", "is then beaten"
        share = f"{percent(chance)}{share_error(chance, error)}{self._guesses}"
        mean = f"{tricks:.2f}{error_text(tricks_error)}"
        contract = f"{self.turn.contract} {verb} with {share}"
        return f"{contract}; {side} takes {mean} tricks on average."

    @property
    def _guesses(self) -> str:
        """From when on the chance counts guesses as right; empty where there are none."""
        if self.plan or self.solved == 1:
            return ""
        planned = {0: "all later guesses", 1: "guesses after this trick"}
        planned[2] = "guesses after the next trick"
        last = self.turn.tricks + self.horizon
        guesses = planned.get(self.horizon, f"guesses after trick {last}")
        return f", {guesses} counted as right"

    @property
    def caution(self) -> str:
        """How far the figures can be trusted."""
        if self.plan:
            basis = "all layouts" if self.exact else "the layouts drawn"
            return (
                f"Searched to the last trick over {basis} ({number(self.solved)}): declarer's plan is the same where "
                "they look alike, and the defenders see all cards."
            )
        basis = (
            f"From {number(self.solved)} solved layouts; one standard error is given."
        )
        if self.exact:
            basis = f"Every layout was solved ({number(self.solved)})."
        if self.horizon:
            tricks = "This trick" + {1: "", 2: " and the next"}.get(
                self.horizon, f" and the next {self.horizon - 1}"
            )
            return f"{basis} {tricks} as one plan, after it double dummy."
        late = " One plan for all layouts took too long to search." if self.late else ""
        return f"{basis}{late} Double dummy: after this card all four see all cards."

    @property
    def tables(self) -> list[Table]:
        """Every card that may be played, and how far it is behind the best."""
        best, turn = self.choices[0], self.turn
        unit, digits, scale = (
            ("", 2, 1.0) if self.goal == "tricks" else (" %", 1, 100.0)
        )
        rows = []
        for choice in self.choices:
            mean, error = (scale * part for part in choice.behind)
            behind = (
                ""
                if choice is best
                else f"{mean:.{digits}f}{error_text(error, digits)}{unit}"
            )
            verdict = "best" if self.clear else "ahead" if choice is best else "close"
            shares = [
                choice.chance,
                *([] if choice.matchpoints is None else [choice.matchpoints]),
            ]
            chances = [
                percent(share) + share_error(share, spread) for share, spread in shares
            ]
            tricks = f"{choice.tricks[0]:.2f}{error_text(choice.tricks[1])}"
            led = [percent(sum(choice.led))] if choice.led else []
            rows.append(
                [
                    card_words(choice.name),
                    *chances,
                    tricks,
                    percent(choice.wins),
                    behind,
                    *led,
                    verdict * choice.close,
                ]
            )
        chance = "P(beaten)" if turn.defends else "P(makes)"
        field = [] if best.matchpoints is None else ["matchpoints"]
        led = ["experts"] if best.led else []
        columns = ["card", chance, *field, "tricks", "wins trick", "behind", *led, ""]
        plan = (
            [f"Plan: {self.plan[0]}", *(f"      {line}" for line in self.plan[1:])]
            if self.plan
            else []
        )
        return [Table(turn.words, columns, rows, [*plan, self.sentence, self.caution])]

    def document(self) -> dict[str, Any]:
        cards = []
        for choice in self.choices:
            chance = "beaten" if self.turn.defends else "make"
            figures = {
                chance: choice.chance,
                "tricks": choice.tricks,
                "behind": choice.behind,
            }
            figures |= (
                {}
                if choice.matchpoints is None
                else {"matchpoints": choice.matchpoints}
            )
            row = {
                "cards": [str(card) for card in choice.cards],
                "close": choice.close,
                "wins": choice.wins,
            }
            cards.append(
                {
                    **row,
                    **({"led": list(choice.led)} if choice.led else {}),
                    **with_errors(figures),
                }
            )
        return {
            "contract": str(self.turn.contract),
            "seat": self.turn.seat.name,
            "trick": str(self.turn.trick),
            "goal": self.goal,
            "clear": self.clear,
            "best": [str(card) for choice in self.best for card in choice.cards],
            "solved": self.solved,
            "exact": self.exact,
            "cards": cards,
            "wins": {
                str(card): choice.wins
                for choice in self.choices
                for card in choice.cards
            },
            "plan": list(self.plan),
            "horizon": self.horizon,
        }


# Layouts that are solved at most where a layout is solved fast, unless a time is named
LAYOUTS: Final = 1000
SEARCHED, DRAWN = (
    60,
    200,
)  # layouts over which one plan is searched, and the draws that these stand for
DEEPER: Final = (
    10  # how many times as long as all horizons before it the next one takes, about
)


def believed(
    belief: Belief, draws: int, rng: Seed = 0, before: Posterior | None = None
) -> Posterior:
    """A posterior for a decision, which needs hundreds of layouts: draws where walking
    all would take seconds.

    >>> believed(Belief("W", "Q8642.93.J84.K75", dummy=None), 100)
    <Posterior: direct, 100 of 84478098072866400 layouts, ESS 100>
    """
    if belief.target.soft and 5_000 < belief.target.support_size <= 100_000:
        found = belief.infer("importance", draws, rng, before)
        if found.ess > 0.2 * draws:
            return found
    return belief.infer("auto", draws, rng, before)


def play(
    posterior: Posterior,
    contract: Contract | str | None = None,
    *,
    by: Seat | str | None = None,
    goal: str | None = None,
    field: Sequence[float] | None = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    horizon: int = 13,
    rng: Seed = 0,
    first: Callable[[CardChoices], object] | None = None,
    **limits: Unpack[Limits],
) -> CardChoices:
    """Compare all cards that may be played now, by what the observer, who chooses,
    believes.

    The observer is the seat in turn, or declarer where it is dummy's; before any card
    is played the opening leader. ``contract``: that of the auction unless named.
    ``goal``: ``make``, for P(it makes), for defenders P(it is beaten); ``tricks``, for
    what the side takes on average; or ``matchpoints`` against a ``field``, the
    duplicate scores of the declaring side at other tables. Another figure decides where
    the first is the same in every layout. ``limits``: ``solve`` layouts are solved, by
    default as many as ``seconds`` on one core allow. Needs the plugin
    bayesbridge-double-dummy, but not where declarer has at most eight tricks left:
    there the figures are those of one plan for up to ``horizon`` tricks, as far as a
    search takes seconds; ``plan`` tells the best where that is for all tricks left.
    ``first`` is told the ranking after a second's solving, where there is more to
    solve.

    >>> from bayesbridge import Belief
    >>> try:
    ...     play(Belief("W", "Q8642.93.J84.K75", dummy=None).infer(rng=1), "3NT by N")
    ... except BayesBridgeError as error:
    ...     print(error)
    contract '3NT by N': E is on lead, not W: ask what E believes, or name S as declarer
    """
    meant = goal or ("make" if field is None else "matchpoints")
    meant = "make" if meant == "beat" else meant
    if meant not in GOALS or (meant == "matchpoints") > (field is not None):
        what = (
            "name the scores of other tables as field"
            if meant in GOALS
            else f"choose {', '.join(GOALS)}"
        )
        raise BayesBridgeError(f"goal {goal!r}: {what}", goal=goal)
    budget = Budget(**limits)
    if budget.solve == 0:
        raise BayesBridgeError("solve 0: give at least 2 layouts", solve=0)
    # Where a layout is solved fast, and nobody named a time, so many are enough.
    most, budget = (
        LAYOUTS if budget.seconds is None else MOST_DRAWS,
        budget.over(USUAL["play"]),
    )
    turn = turn_of(posterior.belief, contract, by)
    # (14,) what 0 … 13 tricks of declarer are worth to the side, first by the goal.
    made = (np.arange(14) >= turn.contract.tricks_needed).astype(np.float64)
    values = {"make": 1.0 - made if turn.defends else made, "tricks": np.arange(14.0)}
    values["tricks"] = 13.0 - values["tricks"] if turn.defends else values["tricks"]
    if field is not None:
        scores = payoff(scoring_of("duplicate", vulnerable, None), turn.contract)[
            :, None
        ]
        others = np.asarray(field, np.float64)[None]
        if not others.size or not np.isfinite(others).all():
            raise BayesBridgeError(
                "field: give at least one score, such as 420", field=field
            )
        won = ((scores > others) + 0.5 * (scores == others)).mean(axis=1)
        values["matchpoints"] = 1.0 - won if turn.defends else won
    goals = {
        name: np.asarray(values[name])
        for name in dict.fromkeys((meant, *GOALS))
        if name in values
    }
    asked = _Asked(
        posterior,
        turn,
        goals,
        card_wins(posterior, turn.trick, (turn.contract.declarer, turn.dummy)),
    )
    wanted = horizon > 0 and not turn.defends and turn.tricks >= 13 - MOST_TRICKS
    if wanted:
        with suppress(TooMuchWork):
            return _searched(asked, budget, horizon, rng)
    solver = card_solver()
    cost = max(
        seconds_of(solver) * 0.45**turn.tricks, 1e-9
    )  # a trick less to play takes less than half the time
    n, some = budget.layouts(cost, most), posterior
    if len(posterior) > n:
        some = subsample(
            posterior, n, generator(rng), f"{n} layouts of these are solved"
        )
    step = max(
        1, round(0.3 / max(cost, 1e-3))
    )  # a third of a second's work: the solver hears no interrupt
    parts: list[NDArray[Any]] = []

    def ranking(sample: CalibratedSample) -> CardChoices:
        taken = np.concatenate(parts).astype(
            np.int64
        )  # by the side in turn, from here on
        # Cards next to each other in a suit stand together if they did the same in every layout.
        alike = groupby(
            turn.legal, key=lambda card: (card.suit, taken[:, card.index].tobytes())
        )
        groups = [tuple(cards) for _, cards in alike]
        now = turn.tricks - turn.won if turn.defends else turn.won
        tricks = (taken[:, [cards[0].index for cards in groups]] + now).clip(0, 13)
        tricks = 13 - tricks if turn.defends else tricks
        columns = {name: values[tricks] for name, values in goals.items()}
        return _ranked(asked, groups, columns, sample)

    for begin in range(0, len(some), step):
        parts.append(
            run(solver, some.layouts[begin : begin + step], turn.question)[
                "lead_tricks"
            ]
        )
        if first is not None and len(parts) == 3 and (done := begin + step) < len(some):
            first(ranking(CalibratedSample.of(np.full(done, 1.0 / done))))
        report_progress("layouts solved", min(begin + step, len(some)), len(some))
    ranked = ranking(_sample(posterior, some, turn))
    return replace(_with_leads(ranked, posterior.belief), exact=some.exact, late=wanted)


def card_solver() -> Estimator:
    try:
        return offered("estimators", [CARD_SOLVER]).estimator(CARD_SOLVER)
    except PluginError:
        raise BayesBridgeError(
            f"cards are compared by a double-dummy solver: install {SOLVER}"
        ) from None


def _with_leads(ranked: CardChoices, belief: Belief) -> CardChoices:
    """With how often a model of players leads each card, where it is the opening lead."""
    player, turn, auction = belief.chooses, ranked.turn, belief.auction
    if player is None or not turn.lead:
        return ranked
    hand = np.array([turn.legal.mask], np.uint64)
    heard = (
        None
        if auction is None or auction.contract not in (None, turn.contract)
        else auction
    )
    choices = []
    for choice in ranked.choices:
        leads = ([(turn.seat, card)] for card in choice.cards)
        logs = (
            log_likelihood(player, hand, turn.contract, lead, turn.seat, heard, None)[0]
            for lead in leads
        )
        choices.append(replace(choice, led=tuple(exp(float(one)) for one in logs)))
    return replace(ranked, choices=tuple(choices))


def _sample(whole: Posterior, some: Posterior, turn: PlayTurn) -> CalibratedSample:
    """How the layouts solved are weighted: before the lead by the network's P(beaten)
    and tricks for all draws.
    """
    if some is whole or some.exact or not turn.lead:
        return CalibratedSample.every(some.weights, np.inf if some.exact else some.ess)
    group = Question((turn.contract.declarer, turn.dummy), turn.contract.trump)
    values = np.stack([turn.contract.tricks_needed > TRICKS, 13.0 - TRICKS], axis=1)
    every, here = (TrickEstimates.of(one, [group]) for one in (judged(whole, 0), some))
    targets = every.weights @ every.pmfs[group] @ values
    return CalibratedSample.of(
        some.weights, here.pmfs[group] @ values, targets, every.ess
    )


class _Asked(NamedTuple):
    """A posterior, a moment, what 0 … 13 tricks of declarer are worth by each goal, and
    P(each card wins the trick).
    """

    posterior: Posterior
    turn: PlayTurn
    goals: dict[str, Floats]
    wins: dict[Card, float]


def _ranked(
    asked: _Asked,
    groups: Sequence[tuple[Card, ...]],
    columns: dict[str, Floats],
    sample: CalibratedSample,
) -> CardChoices:
    """The choices in order; ``columns``: (layouts, groups) by goal, the first decides."""
    goals = list(columns.values())
    means = [sample.weights @ values for values in goals]
    order = np.lexsort(
        (np.arange(len(groups)), *(-mean.round(12) for mean in reversed(means)))
    )
    best = order[0]
    # 5 %: the chance of calling a card the best although another is as good, over all comparisons together.
    limit = NormalDist().inv_cdf(1.0 - 0.05 / max(1, len(groups) - 1))

    def behind(values: Floats, one: int) -> Estimate[float]:
        """The paired difference to the best card."""
        most = 13.0 if values is columns["tricks"] else 1.0
        return (
            Estimate(0.0, 0.0)
            if one == best
            else sample.mean(values[:, best] - values[:, one], -most, most, 1.0)
        )

    def close(one: int) -> bool:
        """Whether a card may be as good as the best, by another figure where the first
        never differs.
        """
        differs = [
            values for values in goals if (values[:, one] != values[:, best]).any()
        ]
        mean, error = behind(differs[0], one) if differs else (0.0, 0.0)
        return mean <= limit * error

    choices = tuple(
        CardChoice(
            groups[one],
            sample.share(columns["make"][:, one]),
            sample.mean(columns["tricks"][:, one], 0.0, 13.0, 1.0),
            behind(goals[0], one),
            close(one),
            asked.wins[groups[one][0]],
            sample.share(columns["matchpoints"][:, one])
            if "matchpoints" in columns
            else None,
        )
        for one in order
    )
    return CardChoices(
        asked.turn, next(iter(columns)), choices, len(sample.weights), False
    )


def _searched(asked: _Asked, budget: Budget, horizon: int, rng: Seed) -> CardChoices:
    posterior, turn, goals, _ = asked
    left, tricks, side = ~turn.played_mask, 13 - turn.tricks, turn.contract.declarer % 2
    some, draw = posterior, generator(rng)
    if len(posterior) > DRAWN:
        some = subsample(posterior, DRAWN, draw, f"{DRAWN} of these are used")
    ours = [int(some.layouts.masks[0, seat]) & left for seat in (side, side + 2)]
    hidden = some.layouts.masks.astype(np.int64)[:, [1 - side, 3 - side]] & left
    if tricks > 4 and not some.exact:
        hidden = with_equals_alike(turn.trick, ours, hidden, side)
    n = MOST_LAYOUTS if tricks <= 4 else min(budget.solve or SEARCHED, SEARCHED)
    # What a trick more is worth: by the goal, the others deciding where that does not.
    more = np.sum(
        [np.diff(values) * 1e-5**place for place, values in enumerate(goals.values())],
        axis=0,
    )
    more = more[turn.won :][:tricks, None]

    def plans(
        game: Ending, rows: Ints, weights: Floats, depth: int
    ) -> tuple[dict[Card, Plan], dict[str, Floats]]:
        """The plan for each card, of equals the lowest, and by goal (layouts, cards)
        what it is worth.
        """
        found = sorted(
            game.cards(more * np.bincount(rows, weights), depth),
            key=lambda one: -one[0],
        )
        taken = np.stack(
            [turn.won + game.tricks(outcome) for _, outcome, _ in found], axis=1
        )[rows]
        return {Card(card): plan for card, _, plan in found}, {
            name: values[taken] for name, values in goals.items()
        }

    ess = np.inf if some.exact else some.ess
    sample = CalibratedSample.every(some.weights, ess)
    distinct, rows = np.unique(hidden, axis=0, return_inverse=True)
    most_work = int(SECOND * (budget.seconds or 0.0))
    game = Ending(turn.trick, ours, distinct, side, most_work)
    if len(distinct) > n:
        # Double dummy is quick, so that it is asked of all draws: the layouts searched are weighted to agree with it.
        seen = next(iter(plans(game, rows, some.weights, 0)[1].values()))
        picked = draw.choice(len(rows), n, p=some.weights)
        sample = CalibratedSample.of(
            np.full(n, 1.0 / n), seen[picked], some.weights @ seen, ess
        )
        distinct, rows = np.unique(hidden[picked], axis=0, return_inverse=True)
        game = Ending(turn.trick, ours, distinct, side, most_work)
    best, columns = plans(game, rows, sample.weights, reached := 1)
    while reached < min(tricks, horizon) and (
        reached < 2 or tricks <= 4 or game.work * DEEPER < most_work
    ):
        try:
            best, columns = plans(game, rows, sample.weights, reached + 1)
        except TooMuchWork:
            break
        reached += 1
    groups: list[tuple[Card, ...]] = [()]
    for card in turn.legal:
        groups[-1] = (*groups[-1], card)
        if card in best:  # the lowest of its equals
            groups.append(())
    # Of cards that are the same by the plan, that comes first which is better double dummy.
    seen = next(iter(plans(game, rows, sample.weights, 0)[1].values()))
    order = np.argsort(-(sample.weights @ seen).round(12), kind="stable")
    groups, columns = (
        [groups[i] for i in order],
        {name: values[:, order] for name, values in columns.items()},
    )
    ranked = replace(
        _ranked(asked, groups, columns, sample),
        exact=some.exact and len(sample.weights) == len(some),
        horizon=reached,
    )
    text = (
        game.text(best[ranked.choices[0].cards[-1]], np.bincount(rows, sample.weights))
        if reached == tricks
        else ()
    )
    return replace(
        ranked, plan=text or ("Nothing is left to choose.",) * (reached == tricks)
    )
