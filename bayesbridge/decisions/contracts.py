"""Which contract to bid: chance, tricks and expected score of each, on the same layouts.

For each declarer and strain the network of ``tricks`` gives a distribution for every
layout; tricks of two contracts are taken as independent given the layout. Where the
estimator ``solved`` is installed, some layouts are solved in the strains that compete
for the best score; the network's predictions decide how these are weighted
(:mod:`bayesbridge.estimators.trick_estimates`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, Unpack

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.display.words import STRAINS, number
from bayesbridge.engines.budget import USUAL, Budget, ErrorLimits
from bayesbridge.engines.weights import with_errors
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.contract_odds import CALIBRATION, OFF
from bayesbridge.estimators.contract_question import (
    TRICKS,
    Group,
    group_of,
    resolve_contract,
)
from bayesbridge.estimators.protocol import Question
from bayesbridge.estimators.trick_estimates import (
    SOLVES,
    LayoutNumbers,
    Solving,
    TrickEstimates,
    layout_solver,
    layouts_for_decision,
)
from bayesbridge.game.calls import CALLS, PASS, Contract, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats
from bayesbridge.game.scoring import (
    SchemeLike,
    Scoring,
    imps,
    scoring_of,
    vulnerable_sides,
)
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    import xarray


type Pair = tuple[Seat, Seat]
type PairLike = str | tuple[Seat | str, Seat | str] | None
type Named = str | Contract | Sequence[str | Contract] | None

WORDS_FOR_PASS: Final = ("PASS", "P")

MOST_COMPETING: Final = 3
"""Groups of contracts that are solved because their scores are near to the best."""

NEAR_THE_BEST: Final = 0.1
"""Standard deviations of the difference of two scores within which contracts compete."""

FIGURES_OF_TRICKS: Final = ("make", "make_error", "tricks", "tricks_error")
"""Figures of a row that a deal which is passed out has not."""


def payoff(scheme: Scoring, contract: Contract | None, *, ours: bool = True) -> Floats:
    """Return (14,) what a contract pays to a side for 0 … 13 tricks of its declarer.

    The side is declarer's own, or the defenders' if not ``ours``. A deal that is passed
    out (``None``) pays nothing.
    """
    if contract is None:
        return np.zeros(14)
    scores = np.array([float(scheme.score(contract, tricks)) for tricks in range(14)])
    if not ours:
        return -scores
    return scores


def pair_of(belief: Belief, pair: PairLike) -> Pair:
    """Return the two seats that play together: by default the observer's.

    With three players one of them is the dummy, else they sit opposite.
    """
    first, second = belief.pair if pair is None else Question.of(pair).pair
    if belief.dummy is None:
        partner = first.partner
        is_pair = second == partner
    else:
        partner = belief.dummy
        is_pair = partner in (first, second)
    if not is_pair:
        raise BayesBridgeError(
            f"pair {first.name}:{second.name}: partners sit opposite, and of three "
            "players the dummy is in every pair: "
            f"write {first.name}:{partner.name}",
            pair=(first, second),
        )
    return first, second


def contracts_asked(belief: Belief, named: Named, pair: Pair) -> list[Contract | None]:
    """List the contracts to compare, in rising order.

    These are the ones named, or else all in which the auction may still end for the
    pair (:func:`contracts_left`). ``None``, the lowest, is a deal that is passed out:
    it comes only where ``Pass`` is named.
    """
    if named is None:
        contracts = contracts_left(belief, pair)
    else:
        contracts = contracts_named(belief, named, pair)
    return sorted(contracts, key=_rank)


def contracts_left(belief: Belief, pair: Pair) -> list[Contract | None]:
    """List what the auction may still end in, as far as the pair decides it.

    These are the bids that the pair may still make, and the contract that stands. If
    that is of the others, the pair may also double it. Once the auction is over, or
    where there is none, these are all 35 bids of the pair.
    """
    bids = [contract_named(belief, str(call), pair) for call in CALLS if call.is_bid]
    contracts = [bid for bid in bids if _may_be_final(belief, bid, pair)]
    standing = None
    if belief.auction is not None and not belief.auction.is_over:
        standing = contract_if_passed(belief, pair)
    if standing is not None and standing.declarer in pair:
        # The lowest of the bids is the same one without its doubles.
        contracts[0] = standing
    elif standing is not None:
        contracts.append(standing)
        if not standing.doubled:
            contracts.append(replace(standing, doubled=1))
    if not contracts:
        raise BayesBridgeError("nothing outranks 7NT: there is no contract left to bid")
    return contracts


def contracts_named(
    belief: Belief,
    named: str | Contract | Sequence[str | Contract],
    pair: Pair,
) -> list[Contract | None]:
    """List the contracts of a text such as ``"4S,3NT"`` or of a sequence, each once."""
    names: Sequence[str | Contract]
    if isinstance(named, str):
        names = named.split(",")
    elif isinstance(named, Contract):
        names = [named]
    else:
        names = named
    contracts = list(
        dict.fromkeys(contract_named(belief, name, pair) for name in names)
    )
    if not contracts:
        raise BayesBridgeError("no contract named: give one or more, such as 4S,3NT")
    if contracts == [None]:
        raise BayesBridgeError(
            "Pass alone pays nothing here: name a contract beside it, such as Pass,1NT"
        )
    for contract in contracts:
        if not _may_be_final(belief, contract, pair) and belief.auction is not None:
            higher = belief.auction.standing_contract
            raise BayesBridgeError(
                f"contract {str(contract)!r}: {higher} outranks it: name a higher one"
            )
    return contracts


def _rank(contract: Contract | None) -> tuple[int, ...]:
    """Sort key of contracts in rising order; a deal that is passed out is the lowest."""
    if contract is None:
        return ()
    return (contract.level, contract.strain, contract.doubled, contract.declarer)


def contract_if_passed(belief: Belief, pair: Pair) -> Contract | None:
    """Return the contract that a pass of the pair leaves: the one that stands.

    It is ``None``, which pays nothing, where nobody has bid. With three players
    another's contract counts as nothing too: what its declarer loses is not all the
    pair's.
    """
    if belief.auction is None:
        return None
    standing = belief.auction.standing_contract
    if standing is None or belief.dummy is None or standing.declarer in pair:
        return standing
    return None


def _may_be_final(belief: Belief, contract: Contract | None, pair: Pair) -> bool:
    """Tell whether the auction may still end in a contract.

    It outranks the contract that stands, or equals it and is of the same side: that of
    its declarer, or with three players ``pair``, since their sides are not fixed. Once
    the auction is over, anything may be asked about.
    """
    auction = belief.auction
    if auction is None or auction.is_over or contract is None:
        return True
    standing = auction.standing_contract
    if standing is None:
        return True
    has_three_players = belief.dummy is not None
    side = pair
    if not has_three_players:
        side = (contract.declarer, contract.declarer.partner)
    rank = (contract.level, contract.strain)
    standing_rank = (standing.level, standing.strain)
    if rank == standing_rank:
        return standing.declarer in side
    return rank > standing_rank


def contract_named(
    belief: Belief, named: str | Contract, pair: Pair
) -> Contract | None:
    """Return a contract with its declarer, who is of the pair unless the text says so.

    ``Pass`` names the contract that stands if the pair passes. With three players the
    declarer must be of the pair.
    """
    if isinstance(named, str) and named.strip().upper() in WORDS_FOR_PASS:
        return contract_if_passed(belief, pair)
    contract = resolve_contract(belief, named, pair=pair)
    seat = contract.declarer
    has_three_players = belief.dummy is not None
    if seat not in pair and has_three_players:
        fault = (
            f"with three players what {seat.name} loses is not all yours: "
            "name a contract of your own, or Pass"
        )
        raise BayesBridgeError(
            f"contract {str(contract)!r}: {fault}", contract=contract
        )
    return contract


def caution(
    estimates: TrickEstimates,
    contract_after_pass: Contract | None,
    pair: Pair,
    contracts: Sequence[Contract | None],
) -> str:
    """Say how far the figures of ``contracts`` can be trusted.

    It says whether tricks are predicted or solved, and, where contracts of the others
    are among them, what their rows mean.
    """
    sentences = ["Double-dummy play, in which all four see all cards."]
    sentences += _basis_sentences(estimates)
    of_the_others = [
        contract
        for contract in contracts
        if contract is not None and contract.declarer not in pair
    ]
    if contract_after_pass in of_the_others:
        sentences.append(f"{contract_after_pass} is what a pass means.")
    if of_the_others:
        sentences.append(
            "Of a contract of the others, makes and tricks are its declarer's, the "
            "score is that of this pair."
        )
    return " ".join(sentences)


def _basis_sentences(estimates: TrickEstimates) -> list[str]:
    """Say whether the figures are the network's or come from layouts that were solved.

    Every group (declarer's pair and trumps) has predictions of the network; those that
    were solved also have tricks.
    """
    solved = number(len(estimates.chosen))
    if estimates.every:
        return [f"Every layout was solved ({solved}): what is marked so is exact."]
    solved_groups = set(estimates.tricks)
    if not solved_groups:
        return [
            "The figures are the network's, not corrected by solved layouts; "
            f"{CALIBRATION}. {OFF}."
        ]
    strain_words = [STRAINS[group.strain.name] for group in estimates.tricks]
    strains = " and ".join(dict.fromkeys(strain_words))
    sentences = [
        f"From {solved} layouts solved in {strains}, weighted so that the network's "
        "predictions average over them as over all "
        f"{number(len(estimates.layouts))} draws; errors count both."
    ]
    predicted_groups = set(estimates.pmfs)
    if not predicted_groups <= solved_groups:
        sentences.append(f"The others are the network's. {OFF}.")
    return sentences


class Option(NamedTuple):
    """A contract that is compared, and what it pays."""

    name: str
    contract: Contract | None
    """``None`` for a deal that is passed out."""
    points: Floats
    """(14,) points of the pair for 0 … 13 tricks of the declarer."""
    group: Group

    @property
    def made(self) -> Floats:
        """(14,) 1 where so many tricks make the contract, else 0."""
        needed = 0 if self.contract is None else self.contract.tricks_needed
        return (needed <= TRICKS).astype(np.float64)


class ContractTable(NamedTuple):
    """Contracts ranked, without xarray, which takes a second to load.

    The rows come by expected score. ``None`` stands for what a deal that is passed out
    has not.
    """

    rows: list[dict[str, Any]]
    attrs: dict[str, Any]

    def dataset(self) -> xarray.Dataset:
        """Return the same with one variable for each column, ``nan`` for ``None``."""
        from bayesbridge.estimators.results import Rows

        labels = [row["contract"] for row in self.rows]
        variables = {}
        for name in self.rows[0]:
            if name != "contract":
                column = [row[name] for row in self.rows]
                numbers = [np.nan if value is None else value for value in column]
                variables[name] = (["contract"], np.array(numbers))
        return Rows(variables, {"contract": labels}, self.attrs)


def contracts(
    posterior: Posterior,
    contracts: Named = None,
    *,
    scheme: SchemeLike = None,
    vulnerable: Vulnerability | str = Vulnerability.NONE,
    pair: PairLike = None,
    against: Contract | str | None = None,
    rng: Seed = 0,
    **limits: Unpack[ErrorLimits],
) -> xarray.Dataset:
    """Rank the contracts that a pair may still bid or defend by expected score.

    All are judged on the same layouts. Tricks are double dummy: a network predicts them
    in every layout, and where a solver is installed some layouts are solved too.

    Parameters
    ----------
    posterior : Posterior
        What is believed about the hidden hands.
    contracts : str, Contract or sequence of them, optional
        Contracts to compare, such as ``"4S,3NT"``; by default every one that the pair
        may still bid or defend. With four players contracts of the others may be named
        (``2SX by W``). ``Pass`` is the contract that stands.
    scheme : str, mapping or Scoring, optional
        ``old``, ``new``, ``duplicate``, or a scheme of your own; by default ``new``
        where three players bid and ``duplicate`` where four do.
    vulnerable : Vulnerability or str
        Who is vulnerable, for ``duplicate``; nobody by default.
    pair : str or pair of seats, optional
        Who play together, such as ``"S:N"``; by default the observer and partner, with
        three players the observer and the dummy.
    against : str or Contract, optional
        Another contract that each row is compared with, on the same layouts.
    rng : seed
        Where random numbers start: same seed, same answer.
    **limits
        How much work the answer may be: ``solve``, how many layouts to solve in each
        strain that competes (0 for none); ``seconds`` on one core, 4 by default, where
        ``solve`` is not given; ``error``, the standard error of P(it makes) that is
        small enough to stop.

    Returns
    -------
    xarray.Dataset
        A row for each ``contract``, the best expected score first, with these
        variables, those of probabilities and means with their ``…_error``, one standard
        error:

        ``make``, ``tricks``
            P(the contract makes) and expected tricks of its declarer, who may be one
            of the others; ``nan`` for a deal that is passed out.
        ``score``, ``behind``
            Expected net score of the pair, and how much that is below the first row's.
        ``difference``, ``matchpoints``, ``imps``
            With ``against``: gain in points, share of the matchpoints won, and for
            duplicate scores IMPs.
        ``solved``, ``basis``
            How many solved layouts stand behind a row, and whether it is of the
            ``network``, ``corrected`` by solved layouts, or ``all solved``.

        Attribute ``passed`` is the contract that a pass leaves, empty where there is
        none; ``caution`` says how far the figures can be trusted.

    Raises
    ------
    BayesBridgeError
        If a contract may not be bid any more, or the pair or the scheme does not fit.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2")
    >>> belief = belief.given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> posterior = belief.infer(draws=500, rng=1)
    >>> ranking = bb.contracts(
    ...     posterior, "4S,6S,3NT", scheme="duplicate", against="4S", solve=0
    ... )
    >>> ranking["contract"].values.tolist()
    ['6S by S', '3NT by S', '4S by S']
    >>> ranking["basis"].values.tolist()
    ['network', 'network', 'network']
    >>> ranking["difference"].sel(contract="4S by S").item()
    0.0
    >>> ranking["imps"].sel(contract="6S by S").item() > 0
    True
    """
    budget = Budget(**limits)
    table = contract_table(
        posterior, contracts, scheme, vulnerable, pair, against, budget, rng
    )
    failure = table.attrs["failure"]
    if failure:
        warnings.warn(f"left out {SOLVES!r}: {failure}", stacklevel=2)
    return table.dataset()


def contract_table(
    posterior: Posterior,
    named: Named,
    scheme: SchemeLike,
    vulnerable: Vulnerability | str,
    pair: PairLike,
    against: Contract | str | None,
    budget: Budget,
    rng: Seed,
    first: Callable[[ContractTable], object] | None = None,
) -> ContractTable:
    """Return the answer of :func:`contracts`, with the solver's ``failure``.

    Tricks are estimated by *group*: declarer's pair and the trumps, which several
    contracts have in common. All groups are solved if contracts were named, else those
    whose scores are near to the best. ``first`` is called with the table that the
    network alone gives.
    """
    comparison = ContractComparison.of(
        posterior.belief, named, scheme, vulnerable, pair, against
    )
    random = generator(rng)
    # All of a small posterior, else some draws.
    layouts = layouts_for_decision(posterior, random)
    by_network = TrickEstimates.of(layouts, comparison.groups)
    if first is not None:
        first(comparison.table(by_network))
    groups = comparison.groups
    if named is None:
        groups = comparison.competing_groups(by_network)
    limits = budget.over(USUAL["contracts"])
    try:
        solved = comparison.solve(by_network, groups, limits, random)
    except PluginError as error:
        return comparison.table(by_network, failure=str(error))
    return comparison.table(solved)


def option_payoffs(
    belief: Belief,
    scoring: Scoring,
    named: Named,
    pair: Pair,
    against: Contract | str | None = None,
) -> list[Option]:
    """List the contracts to compare, in rising order, with what they pay the pair.

    At the end stands the contract ``against`` which they are compared, if there is one.
    Where none are named, doubled ones are left out if the scheme has no price for them.
    """
    contracts = contracts_asked(belief, named, pair)
    if named is None and not scoring.doubles:
        contracts = [
            contract
            for contract in contracts
            if contract is None or not contract.doubled
        ]
    bid_contracts = [contract for contract in contracts if contract is not None]
    if not bid_contracts:
        raise BayesBridgeError(
            f"scheme {scoring.name!r} has no price for doubled contracts, and no other "
            "is left to bid: choose another scheme"
        )
    # A deal that is passed out is taken to be of the group of the lowest contract.
    lowest = bid_contracts[0]
    if against is not None:
        contracts.append(contract_named(belief, against, pair))
    options = []
    for contract in contracts:
        is_ours = contract is None or contract.declarer in pair
        option = Option(
            name=str(contract or PASS),
            contract=contract,
            points=payoff(scoring, contract, ours=is_ours),
            group=group_of(contract or lowest, belief.dummy),
        )
        options.append(option)
    return options


@dataclass(frozen=True, slots=True, eq=False)
class ContractComparison:
    """Contracts that are compared for a pair, by a scoring scheme."""

    scoring: Scoring
    pair: Pair
    options: Sequence[Option]
    rival: Option | None
    """The contract that each row is compared with, if there is one."""
    passed: Contract | None
    """The contract that a pass leaves."""

    @classmethod
    def of(
        cls,
        belief: Belief,
        named: Named,
        scheme: SchemeLike,
        vulnerable: Vulnerability | str,
        pair: PairLike,
        against: Contract | str | None,
    ) -> Self:
        """Read what is asked, as :func:`contracts` takes it."""
        scoring = scoring_of(scheme, vulnerable, belief.dummy)
        seats = pair_of(belief, pair)
        options = option_payoffs(belief, scoring, named, seats, against)
        rival = None
        if against is not None:
            rival = options.pop()  # it stands behind those to compare
        return cls(
            scoring=scoring,
            pair=seats,
            options=options,
            rival=rival,
            passed=contract_if_passed(belief, seats),
        )

    @property
    def groups(self) -> list[Group]:
        """The groups of all contracts, that of the rival last."""
        groups = [option.group for option in self.options]
        if self.rival is not None:
            groups.append(self.rival.group)
        return list(dict.fromkeys(groups))

    def competing_groups(self, estimates: TrickEstimates) -> list[Group]:
        """List the groups to solve where no contract is named.

        These are the best by the network and up to two that are nearly as good, then
        those of the rival and of the contract that a pass leaves.
        """
        groups = nearly_best_groups(estimates, self.options)
        if self.rival is not None:
            groups.append(self.rival.group)
        for option in self.options:
            if option.contract is not None and option.contract == self.passed:
                groups.append(option.group)
        return list(dict.fromkeys(groups))

    def solve(
        self,
        estimates: TrickEstimates,
        groups: Sequence[Group],
        budget: Budget,
        rng: Seed,
    ) -> TrickEstimates:
        """Return the estimates after some layouts are solved in these groups.

        A group is declarer's pair and the trumps. The estimates stay as they are where
        the budget allows no layout or no solver is there.
        """
        if budget.solve == 0:
            return estimates
        solver = layout_solver()
        if solver is None:
            return estimates
        best_options = self._best_of_groups(groups, estimates)
        # Solved layouts are weighted so that what the network expects averages over
        # them as over all layouts. That is for each group the score of its best
        # contract, (n,) of the layouts, and its tricks.
        scores = [
            estimates.of_one(option.group, option.points).predicted
            for option in best_options
        ]
        tricks = [estimates.of_one(group, TRICKS).predicted for group in groups]
        work = Solving(
            groups=groups,
            controls=[*scores, *tricks],
            watched={option.group: option.made for option in best_options},
        )
        return estimates.solve(solver, work, budget, rng)

    def _best_of_groups(
        self, groups: Sequence[Group], estimates: TrickEstimates
    ) -> list[Option]:
        """The contract of each group with the best score; none for the rival's own."""
        best_of_group: dict[Group, Option] = {}
        for option in self._rising(estimates):  # a later one replaces an earlier one
            best_of_group[option.group] = option
        return [best_of_group[group] for group in groups if group in best_of_group]

    def table(self, estimates: TrickEstimates, failure: str = "") -> ContractTable:
        """Return the contracts ranked by these estimates.

        ``failure`` says why no layout could be solved.
        """
        best_first = self._falling(estimates)
        rows = [self._row(option, best_first[0], estimates) for option in best_first]
        vulnerable = vulnerable_sides(self.scoring) or Vulnerability.NONE
        contracts_shown = [option.contract for option in best_first]
        layouts_solved = len(estimates.chosen)
        attrs = {
            "scheme": self.scoring.name,
            "vulnerable": vulnerable.value,
            "pair": f"{self.pair[0].name}:{self.pair[1].name}",
            "against": "" if self.rival is None else self.rival.name,
            "passed": str(self.passed or ""),
            "layouts": len(estimates.layouts),
            "solved": layouts_solved,
            "caution": caution(estimates, self.passed, self.pair, contracts_shown),
            "failure": failure,
        }
        return ContractTable(rows, attrs)

    def _rising(self, estimates: TrickEstimates) -> list[Option]:
        """The contracts by expected score, the best last."""
        return sorted(
            self.options, key=lambda option: expected_score(option, estimates)
        )

    def _falling(self, estimates: TrickEstimates) -> list[Option]:
        """The contracts by expected score, the best first."""
        return sorted(
            self.options, key=lambda option: -expected_score(option, estimates)
        )

    def _row(
        self, option: Option, best: Option, estimates: TrickEstimates
    ) -> dict[str, Any]:
        """The figures of a contract beside those of the best one and of the rival.

        A number of one contract depends on its tricks, (14,), a difference of two on
        the tricks of both, (14, 14): ``estimates`` averages these over the layouts.
        """
        group = option.group
        # By the tricks of the best contract (rows) and of this one (columns).
        lost_to_best = best.points[:, None] - option.points[None, :]
        numbers = {
            "make": estimates.of_one(group, option.made),
            "tricks": estimates.of_one(group, TRICKS),
            "score": estimates.of_one(group, option.points),
            "behind": estimates.of_two(best.group, group, lost_to_best),
        }
        if self.rival is not None:
            gains = self._gains(option.points[:, None] - self.rival.points[None, :])
            for name, gain in gains.items():
                numbers[name] = estimates.of_two(group, self.rival.group, gain)
        means = {name: estimates.mean(values) for name, values in numbers.items()}
        figures: dict[str, Any] = with_errors(means)
        if option.contract is None:
            figures |= dict.fromkeys(FIGURES_OF_TRICKS)
        layouts_solved = 0
        if group in estimates.tricks:
            layouts_solved = len(estimates.chosen)
        return {
            "contract": option.name,
            **figures,
            "solved": layouts_solved,
            "basis": estimates.basis(group),
        }

    def _gains(self, difference: Floats) -> Mapping[str, Floats]:
        """What (14, 14) differences of points by the tricks of two contracts are worth."""
        gains = {
            "difference": difference,
            "matchpoints": (difference > 0) + 0.5 * (difference == 0),
        }
        if self.scoring.imps:
            gains["imps"] = imps(difference).astype(np.float64)
        return gains


def expected_score(option: Option, estimates: TrickEstimates) -> float:
    """Return the mean score of a contract."""
    return estimates.mean(estimates.of_one(option.group, option.points)).mean


def nearly_best_groups(
    estimates: TrickEstimates, options: Sequence[Option]
) -> list[Group]:
    """List the group of the best score, then up to two whose scores are close to it.

    A group is declarer's pair and the trumps. Close is less than a tenth of a standard
    deviation of the difference.
    """
    # Of each contract its score in every layout, as the network expects it.
    scores = [estimates.of_one(option.group, option.points) for option in options]
    means = [estimates.mean(score).mean for score in scores]
    best, *falling = np.argsort(means)[::-1]
    groups = [options[best].group]
    for place in falling:
        group = options[place].group
        if group in groups or len(groups) == MOST_COMPETING:
            continue
        spread = spread_of_difference(estimates.weights, scores[best], scores[place])
        if means[best] - means[place] < NEAR_THE_BEST * spread:
            groups.append(group)
    return groups


def spread_of_difference(
    weights: Floats, first: LayoutNumbers, second: LayoutNumbers
) -> float:
    """Return the standard deviation of the difference of two scores over a posterior.

    It counts how the predictions differ between layouts, and how unsure the network is
    of each score in a layout.
    """
    difference = first.predicted - second.predicted
    between_layouts = (difference - difference.mean()) ** 2
    within_layout = (
        first.square - first.predicted**2 + second.square - second.predicted**2
    )
    variance = float((weights * (between_layouts + within_layout)).sum())
    return float(variance**0.5)
