"""Readers as a study: nothing known, simple rules, learned models and whoever else enters, on the same boards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.job import Counts, Setting
from bayesbridge.studies.study import Option, Study, Table
from bayesbridge.words import counted, number

if TYPE_CHECKING:
    from bayesbridge.studies.readers.plan import Plan

MARKS: Final = ("<!-- readers -->\n", "<!-- end of readers -->")
"""Between these lines of a page its tables stand."""

COMPARED: Final = ("honours", "cards", "lengths", "log_tssr")
"""Figures of which the difference to the last reader is told, board by board."""


def simulate(
    deals: int,
    seed: int,
    workers: int | None = None,
    runs: int = 1,
    how: Setting | None = None,
    *,
    records: str | None = None,
    readers: tuple[str, ...] | None = None,
    moments: tuple[str, ...] = ("auction",),
    chair: str = "leader",
    draws: int = 1000,
    page: Path | None = None,
) -> Comparison:
    """The readers on ``deals`` boards of a file of records, evenly spread; ``page`` gets the tables too."""
    from bayesbridge.studies.engine import run
    from bayesbridge.studies.inference import CHAIRS
    from bayesbridge.studies.readers.named import BASELINES
    from bayesbridge.studies.readers.plan import Plan, boards_of, job
    from bayesbridge.studies.readers.seen import MOMENTS

    if records is None:
        raise BayesBridgeError("no boards to read: give a PBN or LIN file with --records")
    if runs != 1:
        raise BayesBridgeError(f"{runs} runs: the boards of a file are read once, leave --runs out", runs=runs)
    if chair == "dummy" and any(MOMENTS[moment] for moment in moments):
        raise BayesBridgeError("dummy looks on from the lead on: ask other chairs, or at the moment auction only")
    names = readers or BASELINES
    plan = Plan(records, len(boards_of(records, deals)), names, moments, chair, draws, seed)
    done = run(job(plan), plan.boards, seed, 1, how or Setting(workers))
    found = Comparison.of_run(
        done,
        lambda _: {"boards": plan.boards, "readers": len(names), "moments": len(moments)},
        title=f"Readers, {CHAIRS[chair]}",
        unit="losses in nats",
        answers=_answers(plan, done.counts),
    )
    if page is not None:
        write_page(page, found)
    return found


def _answers(plan: Plan, counts: Counts) -> dict[str, Any]:
    """The figures of every reader at every moment, and by how much they differ from those of the last reader."""
    import numpy as np

    from bayesbridge.studies.deal_split import is_test
    from bayesbridge.studies.readers.judge import MEASURES
    from bayesbridge.studies.readers.named import labelled
    from bayesbridge.studies.readers.plan import Answer, answers, boards_of
    from bayesbridge.studies.readers.tables import document, finite
    from bayesbridge.studies.readers.tally import BUCKETS, Tally, mean_of

    last = plan.readers[-1]
    kept: dict[tuple[str, str], dict[int, Answer]] = {}
    for place, reader, moment, answer in answers(plan, counts):
        kept.setdefault((reader, moment), {})[place] = answer
    rows = []
    for (reader, moment), by_board in kept.items():
        tally, silent = Tally(), 0
        told, sums = np.zeros((2, BUCKETS, len(MEASURES)))
        for place, one in by_board.items():
            tally.take(one.values, one.others, one.bins, one.way, one.bucket)
            silent += not one.answered
            difference = one.values - kept[last, moment][place].values
            told[one.bucket] += ~np.isnan(difference)
            sums[one.bucket] += np.nan_to_num(difference)
        more = {name: mean_of(told[:, i], sums[:, i]) for i, name in enumerate(MEASURES) if name in COMPARED}
        figures = document(tally.summary())
        figures.pop("seconds_per_board")
        against = {name: {"value": finite(one.value), "error": finite(one.error)} for name, one in more.items()}
        rows.append(
            {"reader": labelled(reader)[0], "moment": moment, "unanswered": silent, **figures, "beyond_last": against}
        )
    deals = [board.record.deal for board in boards_of(plan.records, plan.boards)]
    on_list = sum(deal is not None and is_test(deal) for deal in deals)
    return {"rows": rows, "chair": plan.chair, "draws": plan.draws, "boards_of_the_test": on_list}


def _tables(found: Comparison) -> Iterator[Table]:
    """For each moment the figures of all readers, and what they lose against the last one."""
    from bayesbridge.studies.readers.tables import table

    rows = found.answers["rows"]
    for moment in dict.fromkeys(row["moment"] for row in rows):
        here = [row for row in rows if row["moment"] == moment]
        yield table(f"{found.title} after {moment}", "reader", ((_named(row), row) for row in here))
        if len(here) > 1:
            last = here[-1]["reader"]
            body = [[row["reader"], *(_difference(row["beyond_last"][name]) for name in COMPARED)] for row in here[:-1]]
            names = ["reader", "honours", "all cards", "lengths", "log TSSR"]
            yield Table(f"Beyond {last} on the same boards, after {moment}", names, body)


def _named(row: Mapping[str, Any]) -> str:
    silent = row["unanswered"]
    return f"{row['reader']} ({counted(silent, 'board')} unanswered)" if silent else str(row["reader"])


def _difference(one: Mapping[str, float | None]) -> str:
    return "–" if one["value"] is None else f"{one['value']:+.4f} ± {one['error']:.4f}"


def write_page(path: Path, found: Comparison) -> None:
    """Put the tables between the marks of a page, all or nothing."""
    from bayesbridge.files import whole_file
    from bayesbridge.studies.readers.tables import UNITS, markdown

    text = _marked(path)
    begin, end = MARKS
    answers = found.answers
    boards = f"{counted(found.total, 'board')}, {number(answers['boards_of_the_test'])} of them on the test list"
    origin = f"({boards}; {number(answers['draws'])} draws; {UNITS}.)"
    body = "\n".join(markdown(table) for table in _tables(found))
    whole = f"{text[: text.index(begin)]}{begin}\n{body}\n{origin}\n\n{text[text.index(end) :]}"
    with whole_file(path) as part:
        part.write_text(whole, "utf-8")


def _marked(path: Path) -> str:
    """The text of a page that has the marks."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeError):
        raise BayesBridgeError(f"cannot read the page {str(path)!r}: name a Markdown file", path=path) from None
    begin, end = MARKS
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BayesBridgeError(f"{str(path)!r} has no place for tables: write the lines {begin.strip()} and {end} once")
    return text


def _page(text: str) -> Path:
    """A page, looked at before the work."""
    _marked(Path(text))
    return Path(text)


def _names(text: str) -> tuple[str, ...]:
    """Names of readers; what cannot be loaded is said before the work."""
    from bayesbridge.estimators.isolation import usual_limits
    from bayesbridge.studies.readers.named import reader_of

    names = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not names:
        raise BayesBridgeError(f"{text!r}: name at least one reader", text=text)
    for name in names:
        reader_of(name, limits=usual_limits())
    return names


def _moments(text: str) -> tuple[str, ...]:
    from bayesbridge.studies.readers.seen import MOMENTS, moment_of

    asked = {moment_of(word) for word in text.split(",")}
    return tuple(name for name in MOMENTS if name in asked)


def _chair(text: str) -> str:
    from bayesbridge.deal import Seat
    from bayesbridge.studies.inference import seat_of

    seat_of(text, Seat.N)
    return text


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise BayesBridgeError(f"{text!r}: write a whole number from 2 on", text=text)
    return int(text)


_READERS: Final = "with commas, as --reader of 'bayesbridge score' (default: counting,textbook,learned,learned+learned)"

STUDY: Final = Study(
    "readers",
    "who finds the cards of real boards",
    1000,
    simulate,
    options=(
        Option("--records", "records", "FILE", "the boards, a PBN or LIN file; --deals of them are read", str),
        Option("--readers", "readers", "NAMES", _READERS, _names),
        Option("--moments", "moments", "LIST", "some of auction,lead,1,3,6,9 (default: auction)", _moments),
        Option("--chair", "chair", "NAME", "leader (default), partner, declarer or dummy", _chair),
        Option("--draws", "draws", "N", "draws for each board (default: 1000)", _whole),
        Option("--page", "page", "FILE", "put the tables between the marks of a Markdown file, too", _page),
    ),
    tables=_tables,
)
