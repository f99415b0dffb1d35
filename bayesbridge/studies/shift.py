"""One hand against both: what Algorithm 1 says of 13 cards, and Algorithm 2 once the
dummy is seen, on the same deals.

An outcome is that condition A fails, that only B fails, or a number of captures; that
of Algorithm 1 is its count for a target of 7 tricks. The paper draws both without
printing a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.study import Comparison, Moments, Study

if TYPE_CHECKING:
    import numpy as np

TITLE: Final = (
    "One hand against both: Algorithm 1 for 7 tricks, and Algorithm 2 with the dummy"
)
UNIT: Final = "per million deals"
SHAPE: Final = (
    8,
    14,
    14,
)  # level of Algorithm 1, its outcome for 7 tricks, the outcome of Algorithm 2
OUTCOMES: Final = {0: "neither", 1: "only A"} | {
    captures: str(captures) for captures in range(4, 14)
}


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1568,) random deals by ``SHAPE``, flat."""
    import numpy as np

    from bayesbridge.capture.kernels import bids, captures
    from bayesbridge.capture.tables import LEADING_GAP
    from bayesbridge.studies.deals import deal_blocks

    size = int(np.prod(SHAPE))
    counts = np.zeros(size, dtype=np.int64)
    suits = np.arange(4, dtype=np.uint64) * np.uint64(13)
    for masks in deal_blocks(deals, seed):
        bid, both = bids(masks[:, 0].copy()), captures(masks[:, 0], masks[:, 2])
        gaps = LEADING_GAP[masks[:, :1] >> suits & np.uint64(0x1FFF)].sum(axis=1)
        first = np.where(bid.counts[:, 0] > 0, bid.counts[:, 0], gaps <= 6)
        second = np.where(both.condition < 2, both.condition, both.T)
        counts += np.bincount(
            np.ravel_multi_index((bid.level, first, second), SHAPE), minlength=size
        )
    return counts


def fields(done: Run) -> dict[str, Any]:
    levels = done.counts.reshape(SHAPE).sum(axis=1).tolist()
    by_level = {
        str(level): {name: row[place] for place, name in OUTCOMES.items() if row[place]}
        for level, row in enumerate(levels)
        if any(row)
    }
    shares = _shares(_named(done.counts), done.deals)
    return {
        "title": TITLE,
        "unit": UNIT,
        "answers": {"shares": shares, "levels": by_level},
    }


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    from bayesbridge.capture import exact

    found = exact.shifts()
    counts = {
        f"{OUTCOMES[i]} / {OUTCOMES[j]}": found.get((i, j), 0)
        for i in OUTCOMES
        for j in OUTCOMES
    }
    answers = {"shares": _shares(counts, exact.DEALS)}
    return Comparison(
        title=TITLE,
        unit=UNIT,
        counts=counts,
        total=exact.DEALS,
        exact=True,
        answers=answers,
    )


def _named(counts: Counts) -> dict[str, int]:
    joint = counts.reshape(SHAPE).sum(axis=0).tolist()
    return {
        f"{OUTCOMES[i]} / {OUTCOMES[j]}": joint[i][j]
        for i in OUTCOMES
        for j in OUTCOMES
    }


def _shares(counts: Mapping[str, int], deals: int) -> dict[str, dict[str, list[float]]]:
    """Of all deals, by conditions and by captures where both hold: of Algorithm 1 and
    of Algorithm 2.
    """
    sums = {name: [0, 0] for name in OUTCOMES.values()}
    for names, n in counts.items():
        for which, name in enumerate(names.split(" / ")):
            sums[name][which] += n
    captured = {name: both for name, both in sums.items() if name.isdigit()}
    held = {name: sums[name] for name in ("neither", "only A")}
    held["both"] = [sum(both) for both in zip(*captured.values(), strict=True)]
    return {
        title: {name: [n / deals for n in both] for name, both in by_name.items()}
        for title, by_name in (("conditions", held), ("captures", captured))
    }


def _tables(found: Comparison) -> Iterator[Table]:
    for title, shares in found.answers["shares"].items():
        rows = [
            [name, *(number(1e6 * share, 1) for share in both)]
            for name, both in shares.items()
        ]
        yield Table(
            f"{title.capitalize()} by one hand and by both, {UNIT}",
            ["", "Algorithm 1", "Algorithm 2"],
            rows,
        )
    names = OUTCOMES.values()
    seen = {
        first: {second: found.counts[f"{first} / {second}"] for second in names}
        for first in names
    }
    seen = {first: row for first, row in seen.items() if any(row.values())}
    yield _by(
        "Algorithm 2 by what Algorithm 1 counts for 7 tricks, in % of the row", seen
    )
    if not found.exact:
        yield _by(
            "Algorithm 2 by the level that Algorithm 1 bids, in % of the row",
            found.answers["levels"],
        )


def _by(title: str, rows: Mapping[str, Mapping[str, int]]) -> Table:
    """A row of shares for each outcome of Algorithm 1, and the mean of T where both
    conditions hold.
    """
    columns, out = list(OUTCOMES.values()), []
    for name, seen in rows.items():
        deals = sum(seen.values())
        mean = Moments.of({float(T): n for T, n in seen.items() if T.isdigit()})
        shares = [
            number(100 * seen[column] / deals, 2) if seen.get(column) else ""
            for column in columns
        ]
        out.append([name, *shares, number(mean and mean.mean, 2)])
    return Table(title, ["", *columns, "mean T"], out)


STUDY: Final = Study(
    Job("shift", count),
    "one hand against both hands",
    1_000_000,
    _named,
    fields,
    count_exactly,
    tables=_tables,
)
simulate: Final = STUDY.simulate
