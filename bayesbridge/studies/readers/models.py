"""Readers made of the package's own posterior: under bidder and player models, or under the hard evidence alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from bayesbridge.estimators.registry import with_settings
from bayesbridge.evidence import BidderModel, PlayerModel
from bayesbridge.layouts import Masks
from bayesbridge.notation.record import Vulnerability
from bayesbridge.studies.inference import DRAWS, monte_carlo_parts, smoothed_marginals
from bayesbridge.studies.readers.reading import POSTERIOR, Floats, Reading
from bayesbridge.studies.readers.seen import Hard, Seen


class CountingReader:
    """Knows where cards cannot lie, and takes every layout that is left for as likely as any other."""

    def read(self, seen: Seen) -> Reading:
        """Exact, from counting tables."""
        hard = seen.hard

        def log_layout(masks: Masks) -> Floats:
            return np.full(len(masks), -log(hard.count))

        return Reading(hard.cards, hard.lengths, log_layout, POSTERIOR, hard=hard)


@dataclass(frozen=True)
class ModelReader:
    """The posterior under models of how the others call and, if there is one, how they choose cards."""

    bidder: BidderModel
    player: PlayerModel | None = None
    draws: int = DRAWS
    seed: int = 1

    def read(self, seen: Seen) -> Reading:
        """P(layout ∣ seen) is likelihood over (number of layouts × evidence), so the true layout need not be drawn."""
        posterior = seen.belief(self._bidders[seen.vulnerable], self.player).infer("auto", self.draws, self.seed)
        soft, log_all = posterior.draws.target.soft, posterior.log_soft + log(posterior.count())
        hard = Hard.of_posterior(posterior)
        cards, lengths = smoothed_marginals(posterior, (hard.cards, hard.lengths))

        def log_layout(masks: Masks) -> Floats:
            return soft.of_layouts(masks) - log_all

        noise = monte_carlo_parts(posterior, cards, lengths)
        return Reading(cards, lengths, log_layout, POSTERIOR, noise, hard)

    @cached_property
    def _bidders(self) -> dict[Vulnerability, BidderModel]:
        """The bidder at each vulnerability, where it has such a setting."""
        try:
            return {one: with_settings(self.bidder, {"vulnerable": one}) for one in Vulnerability}
        except TypeError:
            return dict.fromkeys(Vulnerability, self.bidder)
