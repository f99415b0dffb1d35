"""What becomes of a contract: P(it makes) and its tricks, as a value and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import (
    RARE,
    SEATS,
    error_text,
    number,
    percent,
    share_error,
)
from bayesbridge.engines.budget import USUAL
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.estimators.actual_play import actual_counts
from bayesbridge.estimators.contract_question import (
    TRICKS,
    ContractQuestion,
    group_of,
)
from bayesbridge.game.calls import Contract
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats

if TYPE_CHECKING:
    import xarray

# What the figures of a contract rest on.
BY_NETWORK: Final = "network"
CORRECTED: Final = "corrected"  # solved layouts, weighted by the network's predictions
ALL_SOLVED: Final = "all solved"

READ_LESS: Final = {
    "part score": (781, "0.9 ± 1.6"),
    "game": (1087, "0.3 ± 1.3"),
    "small slam": (804, "4.2 ± 1.5"),
    "grand slam": (133, "14.6 ± 3.2"),
}
"""Boards, and by how many points the opening leader expects too little on them
(``benchmarks/evaluation/odds.py``).
"""

CALIBRATION: Final = (
    "on 5 389 deals held aside its likeliest number was right in 79.0 % of suit "
    "contracts and 81.3 % of those at no "
    "trumps, and at most one trick off in 99.8 % and 98.7 %"
)
"""What was measured of the network, for answers that nothing corrects."""

OFF: Final = (
    "The errors stated count the draws, and what the network is off by where two hands "
    "are known"
)

SLAMS: Final = {6: "small slam", 7: "grand slam"}  # by level

LONG_NAMES: Final = {
    "make": "P(the contract makes).",
    "make_error": "One standard error of make.",
    "mean": "Expected tricks of declarer and dummy.",
    "mean_error": "One standard error of mean.",
    "pmf": "P(exactly so many tricks).",
    "pmf_error": "One standard error of pmf.",
    "solved": "Layouts that were solved.",
}
"""What the variables of the group ``contract`` of a result are."""


@dataclass(frozen=True, slots=True, eq=False)
class ContractOdds(ContractQuestion, Displayable):
    """What becomes of a contract."""

    pmf: Floats  #: (14,) P(declarer takes 0 … 13 tricks).
    pmf_error: Floats  #: (14,) one standard error of each.
    make: Estimate[float]  #: P(it makes).
    mean: Estimate[float]  #: Expected tricks.
    solved: int  #: How many layouts were solved.
    #: ``network``, ``corrected`` (solved layouts, weighted by the network's
    #: predictions) or ``all solved``.
    basis: str

    @classmethod
    def of_tree(cls, result: xarray.DataTree) -> ContractOdds | None:
        """From the group ``contract`` of a result; ``None`` where it has none."""
        if "contract" not in result.children:
            return None
        group = result["contract"].to_dataset()
        attrs = group.attrs
        contract = Contract.of(str(attrs["contract"]))
        return cls(
            contract,
            group_of(contract, Seat.of(str(attrs["dummy"]))),
            actual=bool(attrs["actual"]),
            bid=bool(attrs["bid"]),
            pmf=np.asarray(group["pmf"].values, np.float64),
            pmf_error=np.asarray(group["pmf_error"].values, np.float64),
            make=Estimate(float(group["make"]), float(group["make_error"])),
            mean=Estimate(float(group["mean"]), float(group["mean_error"])),
            solved=int(group["solved"]),
            basis=str(attrs["basis"]),
        )

    @property
    def whose(self) -> str:
        """Declarer and dummy, by the names of their seats."""
        declarer, dummy = self.group.pair
        return f"{SEATS[declarer.name]}, dummy {SEATS[dummy.name]}"

    @property
    def dummy(self) -> Seat:
        """The declarer's partner, or the seat that does not bid in the game of three."""
        _declarer, dummy = self.group.pair
        return dummy

    @property
    def sentence(self) -> str:
        """The answer in words."""
        chance = f"{percent(self.make.mean)}{share_error(*self.make)}"
        tricks = f"{self.mean.mean:.2f}{error_text(self.mean.error)}"
        return f"It makes with {chance}; {tricks} tricks on average."

    @property
    def caution(self) -> str:
        """How far the figures can be trusted, in a sentence or two."""
        words = self._basis_words()
        if self.bid:
            words += self._read_less_words()
        if self.actual:
            words = f"{_actual_words()} Before that step: {words}"
        return words

    def _basis_words(self) -> str:
        """What the figures rest on: all layouts solved, some solved, or the network."""
        if self.basis == ALL_SOLVED:
            return f"Every layout was solved ({number(self.solved)}): the figures are exact."
        if self.basis == CORRECTED:
            enough = ""
            if self.make.error <= (USUAL["estimate"].error or 0.0):
                enough = ", enough for an error of two points at most"
            return (
                f"From {number(self.solved)} solved layouts{enough}, weighted so that the "
                "network's predictions average over them as over all draws; the errors count both."
            )
        return (
            "The figures are the network's, not corrected by solved layouts; "
            f"{CALIBRATION}. {OFF}."
        )

    def _read_less_words(self) -> str:
        """How much less a defender expects of such contracts than they make."""
        kind = SLAMS.get(self.contract.level, self.contract.kind)
        boards, points = READ_LESS[kind]
        return (
            f" On {number(boards)} boards of experts {kind}s made {points} points more "
            "often than the "
            "opening leader predicts by this reading of auctions."
        )

    @property
    def tables(self) -> list[Table]:
        """The table of P(so many tricks), with what makes the contract."""
        rows: list[list[str | float]] = []
        for tricks in range(len(TRICKS)):
            share = float(max(self.pmf[tricks], 0.0))
            if share >= RARE:
                error = share_error(share, self.pmf_error[tricks]).strip()
                makes = "makes" if self.made[tricks] else ""
                rows.append([str(tricks), share, error, makes])
        kind = "actual" if self.actual else "double-dummy"
        title = f"{self.contract}: {kind} tricks of {self.whose}"
        notes = [self.sentence, self.caution]
        return [Table(title, ["", "P", "", ""], rows, notes, bars=True)]

    def document(self, draws: int) -> dict[str, Any]:
        """For ``--json``, from an answer by so many layouts."""
        # A contract is written as in "3NT by S".
        name, _, declarer = str(self.contract).partition(" by ")
        tricks = {
            **with_errors({"mean": self.mean}),
            "pmf": _by_tricks(self.pmf),
            "pmf_error": _by_tricks(self.pmf_error),
        }
        return {
            "name": name,
            "by": declarer,
            "dummy": self.dummy.name,
            **with_errors({"make": self.make}),
            "tricks": tricks,
            "draws": draws,
            "solved": self.solved,
            "basis": self.basis,
            "actual": self.actual,
            "caution": self.caution,
        }

    def dataset(self) -> xarray.Dataset:
        """For a result, as the group ``contract``."""
        import xarray

        values: dict[str, tuple[Any, Any]] = {
            "make": ((), self.make.mean),
            "make_error": ((), self.make.error),
            "mean": ((), self.mean.mean),
            "mean_error": ((), self.mean.error),
            "pmf": (("tricks",), self.pmf),
            "pmf_error": (("tricks",), self.pmf_error),
            "solved": ((), self.solved),
        }
        variables = {
            name: (dims, value, {"long_name": LONG_NAMES[name]})
            for name, (dims, value) in values.items()
        }
        attrs = {
            "contract": str(self.contract),
            "dummy": self.dummy.name,
            "basis": self.basis,
            "caution": self.caution,
            "corrected": int(self.basis != BY_NETWORK),
            "actual": int(self.actual),
            "bid": int(self.bid),
        }
        return xarray.Dataset(variables, {"tricks": np.arange(len(TRICKS))}, attrs)


def _by_tricks(figures: Floats) -> dict[str, float]:
    return {str(tricks): float(figure) for tricks, figure in enumerate(figures)}


def _actual_words() -> str:
    """What real declarers' tricks rest on, and how they were judged.

    Judged was on tables set aside: P(it makes) was cut into tenths of its range, and
    each tenth compared with the share that made, with and without this step.
    """
    _counts, about = actual_counts()
    aside = about["judged"]["declarer"]
    return (
        "Double dummy is passed through what declarers took beside it at "
        f"{number(about['fitted'])} tables of "
        f"experts. On {number(aside['tables'])} tables set aside, for declarer with "
        "dummy in view, P(it makes) was "
        f"{100 * aside['error']:.1f} points off the share that made, on average over "
        "the tenths of its range "
        f"({100 * aside['error_before']:.1f} without this step)."
    )
