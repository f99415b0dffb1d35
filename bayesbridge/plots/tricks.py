"""The distribution of tricks, with the mass that fails the conditions apart and the line of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.plots.palette import (
    BLUE,
    HATCH,
    ORANGE,
    SKY,
    bare,
    in_lines,
    ink,
    new_axes,
    percent_axis,
    short_percent,
)
from bayesbridge.summaries import distribution
from bayesbridge.trick_counts import Asked, Tricks
from bayesbridge.words import SEATS

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray

RARE: Final = 0.0005
"""Share below which the ends of a distribution are left out."""

MOST_TICKS: Final = 20
"""Values that each have a tick and a figure; of more, every second, third … one has a tick."""


def plot_tricks(
    result: xarray.DataTree, name: str = "T", *, level: int | None = None, ax: Axes | None = None, **where: Any
) -> Axes:
    """How many tricks or captures: ``name`` is ``T`` or any other output that counts tricks.

    The dashed line stands before 6 + ``level`` tricks, by default those of the auction's contract, else 7; without
    ``level`` there is none for a pair that does not declare. Where no such number occurs, the axis is longer, so that
    the line has its place. ``where`` picks one of several numbers, such as ``strain="NT"``. Bars that reach the line
    are dark; conditions that fail stand apart, hatched. Only of an output that estimates tricks at the table the title
    says that a contract makes.

    >>> import bayesbridge as bb
    >>> plot_tricks(bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)), level=3).get_title()
    "T of S and N: captures by the paper's rule\\nT ≥ 9: 71 %"
    """
    ax = new_axes(6.4, 3.6) if ax is None else ax
    if level is not None and level not in range(1, 8):
        raise BayesBridgeError(f"level {level!r}: a contract is at level 1 to 7", level=level)
    tricks = Tricks.of(result, name, **where)
    goal = _goal(tricks) if level is None else 6 + level
    shown = np.array(tricks.occurring)
    shares = np.array([tricks.share(value) for value in tricks.occurring])
    bars = ax.bar(shown, shares, color=np.where(shown >= goal, BLUE, SKY), edgecolor=ink(), linewidth=0.6)
    ax.bar_label(bars, [short_percent(share) if share else "" for share in shares], padding=1, fontsize=8)
    title = tricks_title(tricks, where)
    if goal:
        ax.axvline(goal - 0.5, color=ink(), linestyle="--", linewidth=1.2)
        needed = f" ({goal} tricks or more)" if tricks.judges else ""
        title += f"\n{tricks.goal(goal)}{needed}: {short_percent(tricks.at_least(goal))} %"
    ax.set_title(title, fontsize=10)
    _axis(ax, _with_goal(shown, goal), tricks)
    ax.set_xlabel(tricks.axis)
    ax.set_ylabel("probability")
    return ax


def plot_prior_posterior(
    prior: xarray.DataTree, posterior: xarray.DataTree, name: str = "T", *, ax: Axes | None = None, **where: Any
) -> Axes:
    """One output before and after evidence, side by side; ``where`` picks one of several numbers, as ``suit="S"``.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> before, after = (bb.estimate(one.infer(rng=1)) for one in (belief, belief.given(bb.Void("E", "H"))))
    >>> ax = plot_prior_posterior(before, after, "delta", suit="H")
    >>> ax.get_xlabel(), ax.get_title()
    ('delta, H', 'delta of S and N, H\\nbefore the evidence and after it')
    """
    ax = new_axes(6.4, 3.6) if ax is None else ax
    looks: list[dict[str, Any]] = [{"color": SKY, "hatch": HATCH}, {"color": BLUE}]
    before, after = (_parts(result, name, where) for result in (prior, posterior))
    every = np.union1d(before[0], after[0])
    for side, label, (values, shares, tricks), look in zip(
        (-1, 1), ("before", "after"), (before, after), looks, strict=True
    ):
        ax.bar(values + 0.2 * side, shares, 0.4, label=label, edgecolor=ink(), linewidth=0.6, **look)
        if tricks is not None and tricks.fails:
            ax.bar(every[0] - 2 + 0.2 * side, tricks.fails, 0.4, edgecolor=ink(), linewidth=0.6, **look)
    _axis(ax, every, before[2], bar=False)
    picked = "".join(f", {value}" for value in where.values())
    ax.set_xlabel(f"{name if before[2] is None else before[2].axis}{picked}")
    ax.set_ylabel("probability")
    whose = f"{name} of {Asked.of_result(posterior).names}{picked}"
    if after[2] is not None:
        whose = tricks_title(after[2], where)
    ax.set_title(f"{whose}\nbefore the evidence and after it", fontsize=10)
    ax.legend(frameon=False)
    return ax


def plot_contract(result: xarray.DataTree, *, ax: Axes | None = None) -> Axes:
    """Tricks of a contract that was asked about: dark bars make it, thin lines are one standard error each way.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> result = bb.estimate(belief.infer(draws=500, rng=1), contract="6S", solve=0)
    >>> plot_contract(result).get_xlabel()
    'tricks of South, dummy North'
    """
    odds = ContractOdds.of(result)
    if odds is None:
        raise BayesBridgeError("the result has no contract: ask for one, as in bb.estimate(posterior, contract='4S')")
    return draw_contract(odds, new_axes(6.4, 3.6) if ax is None else ax)


def draw_contract(odds: ContractOdds, ax: Axes) -> Axes:
    """The same, from the odds themselves."""
    shares = np.clip(odds.pmf, 0.0, 1.0)
    met = np.flatnonzero(shares >= RARE)
    shown = np.arange(met[0], met[-1] + 1)
    needed = odds.contract.tricks_needed
    colours = [BLUE if odds.makes(int(tricks)) else SKY for tricks in shown]
    ax.bar(shown, shares[shown], color=colours, edgecolor=ink(), linewidth=0.6)
    ax.errorbar(shown, shares[shown], odds.pmf_error[shown], fmt="none", ecolor=ink(), elinewidth=0.8, capsize=2)
    tops = ax.bar(shown, shares[shown] + odds.pmf_error[shown], color="none")
    ax.bar_label(tops, [short_percent(share) for share in shares[shown]], padding=1, fontsize=8)
    ax.axvline(needed - 0.5, color=ink(), linestyle="--", linewidth=1.2)
    how = {"network": "by the network alone", "corrected": f"corrected by {odds.solved} solved layouts"}
    error = f" ± {100 * odds.make[1]:.1f}" if odds.make[1] else ""
    told = how.get(odds.basis, f"all {odds.solved} layouts solved")
    ax.set_title(f"{odds.contract} makes: {100 * odds.make[0]:.1f}{error} %, {told}", fontsize=10)
    _axis(ax, _with_goal(shown, needed), None)
    whose = "actual tricks" if odds.actual else "tricks"
    ax.set_xlabel(f"{whose} of {SEATS[odds.contract.declarer.name]}, dummy {SEATS[odds.dummy.name]}")
    ax.set_ylabel("probability")
    return ax


def plot_numbers(result: xarray.DataTree, name: str, ax: Axes, **where: Any) -> Axes:
    """The distribution of a whole number that does not count tricks."""
    values, shares, _ = _parts(result, name, where)
    bars = ax.bar(values, shares, color=SKY, edgecolor=ink(), linewidth=0.6)
    if len(values) <= MOST_TICKS:
        ax.bar_label(bars, [short_percent(share) if share else "" for share in shares], padding=1, fontsize=8)
    _axis(ax, values, None)
    ax.set_xlabel(name)
    ax.set_ylabel("probability")
    return ax


def tricks_title(tricks: Tricks, where: dict[str, Any]) -> str:
    """Whose tricks in which strain, and which of several numbers; in two lines where it is long."""
    picked = "".join(f", {value}" for dim, value in where.items() if dim not in ("strain", "seat"))
    return in_lines(f"{tricks.title}{picked}")


def _with_goal(shown: NDArray[np.int64], goal: int) -> NDArray[np.int64]:
    """The values of the axis, with those as far as the goal, if there is one."""
    return np.arange(min(int(shown[0]), goal), max(int(shown[-1]), goal) + 1) if goal else shown


def _goal(tricks: Tricks) -> int:
    """Tricks of the contract, 7 without one, 0 where it is not the pair's."""
    asked = tricks.asked
    if asked is None or asked.contract is None:
        return 7
    return asked.contract.tricks_needed if asked.declares else 0


def _parts(
    result: xarray.DataTree, name: str, where: dict[str, Any]
) -> tuple[NDArray[np.int64], NDArray[np.float64], Tricks | None]:
    """Values with their probabilities from the first to the last that occurs; of tricks, also what they fail by."""
    pmf = distribution(result, name)
    if pmf.attrs.get("counts_tricks"):
        tricks = Tricks.of(result, name, **where)
        return np.array(tricks.occurring), np.array([tricks.share(value) for value in tricks.occurring]), tricks
    one = pmf.sel(where)
    if one.ndim != 1:
        dims = ", ".join(str(dim) for dim in one.dims[:-1])
        raise BayesBridgeError(f"{name!r} has several numbers: pick one by {dims}", name=name)
    values, shares = one[f"{name}_value"].values, one.values
    kept = np.flatnonzero(shares > 0)
    return values[kept[0] : kept[-1] + 1], shares[kept[0] : kept[-1] + 1], None


def _axis(ax: Axes, shown: NDArray[np.int64], tricks: Tricks | None, bar: bool = True) -> None:
    """The axis of values; what stands for failing has its place, and its bar, two places left of the first."""
    bare(ax)
    percent_axis(ax.yaxis)
    step = -(-len(shown) // MOST_TICKS)
    ticks = list(map(int, shown[::step]))
    labels = [str(value) for value in ticks]
    if tricks is not None and tricks.count.fails_at is not None:
        place = int(shown[0]) - 2
        if bar and tricks.fails:
            drawn = ax.bar(place, tricks.fails, color=ORANGE, hatch=HATCH, edgecolor=ink(), linewidth=0.6)
            ax.bar_label(drawn, [short_percent(tricks.fails)], padding=1, fontsize=8)
        ticks, labels = [place, *ticks], [tricks.count.failing.replace(" ", "\n"), *labels]
        ax.axvline(place + 1, color=ink(), linewidth=0.4)
    ax.set_xticks(ticks, labels)
    ax.set_xlim(ticks[0] - 0.8, int(shown[-1]) + 0.8)
