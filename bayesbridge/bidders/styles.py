"""Fitted styles: draws of every player's four numbers, what they are worth, and the bidders they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.mixture import MixtureBidder
from bayesbridge.bidders.records import CallRecord, bid_rates
from bayesbridge.bidders.style import LEANING, StyleBidder
from bayesbridge.errors import BayesBridgeError, Unwritable
from bayesbridge.files import advice, whole_file
from bayesbridge.layouts import read_only
from bayesbridge.notation.record import Vulnerability

if TYPE_CHECKING:
    import xarray

Floats = NDArray[np.float64]

STYLE: Final = ("aggressiveness", "suit_preference", "temperature", "slip")
"""The four parameters of a style, by the names of :class:`StyleBidder`."""

POPULATION: Final = ("population_mean", "population_spread")
"""Where the players come from, on the scales of the prior."""


@dataclass(frozen=True, eq=False, repr=False)
class Styles:
    """Fitted styles: an ArviZ DataTree with the draws, how they were found, and calls simulated to check them."""

    tree: xarray.DataTree

    @property
    def players(self) -> tuple[str, ...]:
        """Who was fitted."""
        return tuple(str(name) for name in self.tree["posterior"].dataset["player"].values)

    @cached_property
    def values(self) -> Floats:
        """(draws, players, 4) all draws of all chains, parameters in the order of ``STYLE``."""
        posterior = self.tree["posterior"].dataset
        stacked = [posterior[name].values.reshape(-1, len(self.players)) for name in STYLE]
        return read_only(np.stack(stacked, axis=-1))

    def draws(self, player: str) -> Floats:
        """(draws, 4) what is known of one player."""
        if player not in self.players:
            raise BayesBridgeError(f"no player {player!r} among those fitted: {', '.join(self.players)}", player=player)
        return self.values[:, self.players.index(player)]

    def bidder(self, player: str, vulnerable: Vulnerability | str = Vulnerability.NONE) -> StyleBidder:
        """The player at the posterior mean: quick, and certain of what is not certain."""
        return replace(StyleBidder(*self.draws(player).mean(axis=0).tolist()), vulnerable=Vulnerability.of(vulnerable))

    def mixture(
        self, player: str, models: int = 32, vulnerable: Vulnerability | str = Vulnerability.NONE
    ) -> MixtureBidder:
        """The player with all that is not known about them: evenly spaced draws as equally likely models."""
        draws, sides = self.draws(player), Vulnerability.of(vulnerable)
        chosen = np.linspace(0, len(draws) - 1, min(models, len(draws))).astype(int)
        return MixtureBidder(tuple(replace(StyleBidder(*draws[row].tolist()), vulnerable=sides) for row in chosen))

    def bid_rates(self, turns: Sequence[CallRecord]) -> xarray.DataArray:
        """(chain, draw, player) how often each player would bid in these turns, with the hands on record there.

        All players are asked about the same turns, whoever made the calls, so that their rates can be compared.
        """
        import xarray

        rates = bid_rates(turns, self.values.reshape(-1, len(STYLE)))
        like = self.tree["posterior"].dataset[STYLE[0]]
        return xarray.DataArray(rates.reshape(like.shape), like.coords, like.dims, "bid_rate")

    def summary(self) -> Any:
        """ArviZ's table: mean, deviation, interval, effective draws and R-hat of every parameter that is not known.

        The mean and the spread of the population come last, where there is one.
        """
        import arviz

        return arviz.summary(self.tree, var_names=[*self.unknown, *self.population], round_to="none")

    @property
    def unknown(self) -> list[str]:
        """The parameters that the prior left open."""
        return [name for column, name in enumerate(STYLE) if self.values[:, :, column].std() > 1e-12]

    @property
    def population(self) -> list[str]:
        """The variables of the population, if the players come from one."""
        return [name for name in POPULATION if name in self.tree["posterior"].dataset]

    @property
    def worst_rhat(self) -> float:
        """R-hat of the parameter that has settled least: 1.01 or less is good, 1.05 usable."""
        return float(self._diagnostics["r_hat"].max())

    @property
    def least_ess(self) -> float:
        """Effective draws of the parameter that has fewest, in the bulk or in the tails; 100 for each chain will do."""
        return float(self._diagnostics[["ess_bulk", "ess_tail"]].min(axis=None))

    @property
    def divergences(self) -> int:
        """How often NUTS lost its way; a few among thousands is no worry."""
        return int(self.tree["sample_stats"]["diverging"].sum())

    @property
    def warning(self) -> str:
        """What is wrong with the chains, in one line; empty if nothing is."""
        chains, rows = self.tree["posterior"].sizes["chain"], self._diagnostics
        found = []
        if chains < 2:
            found.append("one chain cannot show whether it has converged")
        elif self.worst_rhat > 1.01:
            found.append(f"R-hat of {rows['r_hat'].idxmax()} is {self.worst_rhat:.3f}, above 1.01")
        if self.least_ess < 100 * chains:
            worst = rows[["ess_bulk", "ess_tail"]].min(axis=1).idxmin()
            found.append(f"{worst} has {self.least_ess:.0f} effective draws, fewer than {100 * chains}")
        if self.divergences:
            found.append(f"{self.divergences} of {len(self.values)} draws diverged")
        advice = ": take more with draws= and tune=, or smaller steps with target_accept=0.95"
        return "; ".join(found) + advice if found else ""

    @cached_property
    def _diagnostics(self) -> Any:
        """ArviZ's diagnostics of every parameter that is not known, a row each."""
        import arviz

        names = [*self.unknown, *self.population]
        return arviz.summary(self.tree, var_names=names, kind="diagnostics", round_to="none")

    def check(self) -> dict[str, tuple[float, float]]:
        """Posterior predictive check: statistic → (observed, share of simulated values at most that; ties half).

        Shares near 0 or 1 say that the model does not make calls like those on record.
        """
        observed = self.tree["observed_data"].dataset["call"].values
        simulated = self.tree["posterior_predictive"].dataset["call"].values
        simulated = simulated.reshape(-1, simulated.shape[-1])
        statistics: dict[str, Callable[[Any], Any]] = {
            "passes": lambda call: (call == 0).mean(axis=-1),
            "suit bids": lambda call: (LEANING[call] > 0).mean(axis=-1),
            "mean level": lambda call: np.where(call > 2, (call + 2) // 5, 0).mean(axis=-1),
            "bids from level 3": lambda call: (call >= 13).mean(axis=-1),
        }
        found = {}
        for name, statistic in statistics.items():
            seen, drawn = float(statistic(observed)), statistic(simulated)
            found[name] = seen, float(((drawn < seen) + 0.5 * (drawn == seen)).mean())
        return found

    def save(self, path: str | Path) -> None:
        """Write everything as netCDF."""
        # Made in memory first: HDF5 brings the whole process down when it runs out of disk.
        content = self.tree.to_netcdf(engine="h5netcdf")
        try:
            with whole_file(Path(path)) as part:
                part.write_bytes(content)
        except OSError as error:
            raise Unwritable(
                f"cannot write {str(path)!r} ({error.strerror or error}): {advice(error)}", path=path
            ) from None

    @classmethod
    def load(cls, path: str | Path) -> Styles:
        """Read what :meth:`save` wrote."""
        import xarray

        if not Path(path).is_file():
            raise BayesBridgeError(f"no file {str(path)!r}: save fitted styles there first", path=str(path))
        try:
            with xarray.open_datatree(path, engine="h5netcdf") as tree:
                found = tree.load()
            held = set(found["posterior"].dataset.variables)
        except (OSError, KeyError, ValueError, TypeError, AttributeError):
            held = set()  # not netCDF, or another tree
        if not held.issuperset((*STYLE, "player")):
            raise BayesBridgeError(f"{str(path)!r} holds no fitted styles: give a file that save wrote", path=str(path))
        return cls(found)

    def __repr__(self) -> str:
        return f"<Styles of {', '.join(self.players)}: {len(self.values)} draws>"
