"""Fitted styles: draws of every player's four numbers, what they are worth, and the bidders they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.arguments import checked
from bayesbridge.bidders.mixture import MixtureBidder
from bayesbridge.bidders.style import LEANING, StyleBidder
from bayesbridge.errors import BayesBridgeError, Unwritable
from bayesbridge.files import advice, whole_file

if TYPE_CHECKING:
    import xarray

Floats = NDArray[np.float64]

STYLE: Final = ("aggressiveness", "suit_preference", "temperature", "slip")
"""The four parameters of a style, by the names of :class:`StyleBidder`."""


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
        return np.stack(stacked, axis=-1)

    @checked
    def draws(self, player: str) -> Floats:
        """(draws, 4) what is known of one player."""
        if player not in self.players:
            raise BayesBridgeError(f"no player {player!r} among those fitted: {', '.join(self.players)}", player=player)
        return self.values[:, self.players.index(player)]

    @checked
    def bidder(self, player: str) -> StyleBidder:
        """The player at the posterior mean: quick, and certain of what is not certain."""
        return StyleBidder(*self.draws(player).mean(axis=0).tolist())

    @checked
    def mixture(self, player: str, models: int = 32) -> MixtureBidder:
        """The player with all that is not known about them: evenly spaced draws as equally likely models."""
        draws = self.draws(player)
        chosen = np.linspace(0, len(draws) - 1, min(models, len(draws))).astype(int)
        return MixtureBidder(tuple(StyleBidder(*draws[row].tolist()) for row in chosen))

    def summary(self) -> Any:
        """ArviZ's table: mean, deviation, interval, effective draws and R-hat of every parameter that is not known."""
        import arviz

        return arviz.summary(self.tree, var_names=self.unknown, round_to="none")

    @property
    def unknown(self) -> list[str]:
        """The parameters that the prior left open."""
        return [name for column, name in enumerate(STYLE) if self.values[:, :, column].std() > 1e-12]

    @property
    def worst_rhat(self) -> float:
        """R-hat of the parameter that has settled least: 1.01 or less is good, 1.05 usable."""
        return float(self.summary()["r_hat"].max())

    @property
    def divergences(self) -> int:
        """How often NUTS lost its way; a few among thousands is no worry."""
        return int(self.tree["sample_stats"]["diverging"].sum())

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

    @checked
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
    @checked
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
