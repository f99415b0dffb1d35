"""Every option of every command changes the answer or is refused in one line.

The options come from the parsers, so that a new one fails here until it has an entry.
"""

import shlex
import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from bayesbridge import Belief
from bayesbridge.cli import main, play, report, review, score
from bayesbridge.cli.commands import COMMANDS
from bayesbridge.studies import match
from bayesbridge.studies.study import Study
from bayesbridge.views import record
from bayesbridge.views import report as views
from bayesbridge.web import server
from tests.cli.declared import options_of
from tests.cli.test_study import SCHEME
from tests.conftest import plugin_site
from tests.decisions.test_review import SOLVER as LEADS
from tests.estimators.test_odds import SOLVER

TABLE = """[Board "1"]\n[Room "Open"]\n[West "Ash"]\n[North "Elm"]\n[East "Fir"]
[South "Oak"]\n[Dealer "E"]
[Vulnerable "NS"]\n[Deal "N:AT982.KQ5.9.JT72 KJ73.AT97.QT7.K6 65.862.AKJ632.Q4 Q4.J43.854.A9853"]
[Auction "E"]\n1D Pass 1NT =1= Pass\nPass Pass\n[Note "1:6-10"]\n[Play "N"]\nS8 SJ S6 S4\n\n"""
LAST = """N:T97.A96.85.AJ875 Q84.J85.A76.KQT4 K.QT3.KJT9432.32 AJ6532.K742.Q.96"]
[Auction "E"]\n1NT Pass Pass Pass\n[Play "S"]\nDT DQ D5 D6\n\n"""
CLOSED = TABLE.replace("S8", "S9").replace("Open", "Closed")
SECOND = TABLE.partition("N:")[0].replace('"1"', '"2"')
THIRD = f"{SECOND}{LAST}".replace("N:T97", "E:T97").partition("[Play")[0] + "\n"
POSITION = 'observer = "S"\nhand = "AKQ2.KJ3.A54.Q32"\n'
TABLES = TABLE + CLOSED + SECOND + LAST
FILES = {
    "TABLES": TABLES,
    "HISTORY": TABLES + THIRD,
    "LATE": TABLE.replace('"1"', '"17"'),
    "SCHEME": SCHEME,
    "POSITION": POSITION,
}
HAND = "AKQ2.KJ3.A54.Q32"
CONTRACT = "--contract 3NT"
ONE = "--record TABLES"
SOUTH = "--observer S --hand AKQ2.AJ3.A54.Q32"
OPEN = f"{SOUTH} --reveal N:J54.Q72.KQ76.A85"
FEW = f"{OPEN} --holds E:ST,S9,S8,DJ,DT,D9,CK,CJ,CT,C9,C7"
# Few layouts, and every model is asked
FOUR = f"{FEW} --auction S:1NT-p-3NT-p-p-p --play W:H5"
DRAWN = f"{OPEN} --auction S:1NT-p-3NT-p-p-p --play W:H5"  # layouts that are drawn

VALUES = {
    "observer": "N",
    "hand": "AKQ2.AJ3.A54.Q32",
    "dummy": "W",
    "players": "4",
    "trump": "S",
    "bidder": "style",
    "slip": "0.3",
    "vulnerable": "EW",
    "system": "weak-notrump",
    "style": "EW:strong-club",
    "player": "none",
    "auction": "W:1C-p-1S",
    "dealer": "N",
    "record": "TABLES",
    "board": "2",
    "room": "Closed",
    "after-trick": "0",
    "after-card": "1",
    "position": "POSITION",
    "reveal": "N:J54.Q72.KQ76.A85",
    "play": "N:H2",
    "void": "E:H",
    "length": "W:S:2",
    "shape": "N:balanced",
    "hcp": "W:3+",
    "holds": "W:HK",
    "lacks": "W:HK",
    "where": "hcp(west)>8",
    "call": "N:1NT",
    "json": "",
    "seed": "2",
    "pair": "W:N",
    "estimator": "bid",
    "draws": "30",
    "contract": "4NT",
    "method": "likelihood-weighting",
    "by": "N",
    "actual": "",
    "solve": "2",
    "seconds": "1",
    "card": "HK",
    "bidders": "learned",
    "contracts": "4S,3NT",
    "scheme": "old",
    "against": "3NT",
    "find-out": "card[HK]",
    "goal": "tricks",
    "field": "420",
    "trick": "W:H5",
    "seat": "N",
    "review": "",
    "suit": "H",
    "vacant": "7:12",
    "tricks": "1",
    "text": "",
    "cards": "",
    "adapt": "",
    "out": "mine.html",
    "title": "Mine",
    "no-history": "",
    "n": "3",
    "condition": "hcp(north)>19",
    "type": "'weak: hcp(north)<5'",
    "plan": "",
    "form": "pbn",
    "generate": "3",
    "given": "S:AKQ..J2.",
    "tables": "3",
    "boards": "1",
    "reader": "counting",
    "chair": "declarer",
    "moments": "lead",
    "history": "TABLES",
    "history-tables": "1",
    "workers": "1",
    "scheduler": "tcp://127.0.0.1:1",
    "resume": "kept",
    "deals": "2000",
    "runs": "2",
    "exact": "",
    "scoring": "SCHEME",
    "kind": "bidder",
    "at": "elsewhere",
    "port": "0",
    "show": "NS",
    "token": "0123456789abcdefg",
    "no-browser": "",
    "alerts": "",
    "renumber": "",
    "types": "4",
    "iterations": "2",
    "utility": "net",
    "undertrick": "10",
    "layouts": "20",
    "calls": "2H",
    "sampled": "",
    "no-values": "",
    "all": "",
    "network": "",
    "file": "TABLES",
    "picture": "mine.png",
}
# Clubs alone explain it
CROSSED = f"{FEW} --play W:H5 --play N:H2 --play E:C9 --play S:H3 --play E:D9"
MODELS = "bidder slip vulnerable system style player"
SEEN = dict.fromkeys(
    [*MODELS.split(), "play", "void", "length", "hcp", "holds", "lacks"], FOUR
) | {
    "observer": ONE,
    "hand": "--observer S",
    "dummy": f"{SOUTH} --auction S:1NT-2NT-p",
    "trump": CROSSED,
    "players": f"{SOUTH} --call W:1NT",
    "auction": FEW,
    "dealer": f"{SOUTH} --auction 1NT-p-3NT-p",
    "record": "",
    "board": ONE,
    "room": ONE,
    "after-trick": ONE,
    "after-card": f"{ONE} --after-trick 0",
    "position": "",
    "call": FEW,
    "alerts": ONE,
    "reveal": SOUTH,
    "shape": SOUTH,
    "where": SOUTH,
}
"""Options of evidence, each with a position that it is added to."""


class Way(NamedTuple):
    """A way to ask: a command with the options that it uses and those that it refuses.

    ``position`` stands after the words where the command takes one. ``refused`` is
    ``*`` where all other options are. ``before`` says what stands before some of the
    options: words that begin with the command stand for the whole command line.
    """

    words: str
    position: str = ""
    used: str = ""
    refused: str = ""
    before: dict[str, str] = {}  # noqa: RUF012


RANDOM = {"draws": DRAWN, "seed": f"{DRAWN} --draws 20"}
CONTRACTS = dict.fromkeys(("by", "actual", "solve", "seconds"), CONTRACT)
QUESTION = {**RANDOM, **CONTRACTS, "method": f"{DRAWN} --draws 30", "pair": SOUTH}
ASKED = "json estimator method draws seed contract by actual solve seconds pair"
RECORD = f"board room alerts draws seed solve seconds json {MODELS} bidder=iterative"
REVIEW = dict.fromkeys(("solve", "seconds"), "--review")
BIDS = "bidder slip system style"
KINDS = "reveal void length shape hcp holds lacks where call"
PLAIN = "learned sayc"
VALUED = "learned:value learned --network --boards 2"
COMPARING = "goal field layouts seconds calls sampled"
WORK = "workers scheduler resume"
WAYS = [
    Way(
        "estimate",
        position=FOUR,
        used=f"{ASKED} card bidders all {MODELS}",
        before=QUESTION,
    ),
    Way(
        f"estimate {CONTRACT}",
        position=FOUR,
        refused="pair trump",
    ),
    Way(
        "estimate",
        position=FEW,
        refused=f"by solve actual {MODELS}",
    ),
    Way(
        "estimate --bidders learned",
        position=FOUR,
        used=(
            "slip vulnerable system style player pair=W:E draws seed json "
            "estimator contract by actual solve seconds"
        ),
        refused="bidder method card",
        before={**RANDOM, **CONTRACTS},
    ),
    Way(
        f"estimate --bidders learned {CONTRACT}",
        position=FOUR,
        refused="pair trump",
    ),
    Way(
        "count",
        position=FOUR,
        used="json",
        refused="seed bidder slip vulnerable player",
    ),
    Way(
        "count",
        position=FEW,
        refused="trump system style",
    ),
    Way(
        "contracts",
        position=FOUR,
        used=(
            "contracts scheme against find-out pair=W:E solve seconds json draws seed"
        ),
        before=RANDOM,
    ),
    Way(
        "play",
        position=FOUR,
        used=(
            "contract by goal field seat=E review trick solve seconds json draws seed"
        ),
        refused="pair out calls=",
        before={**RANDOM, "by": "--contract 4NT", "trick": f"{FEW} {CONTRACT}"},
    ),
    Way(
        "play --trick W:H5",
        position=FEW,
        used="pair",
        refused=f"by goal field solve seconds {MODELS}",
    ),
    Way(
        "play --trick W:H5,HQ --seat E",
        position=FOUR,
        refused="goal field solve seconds",
    ),
    Way(
        "play --record TABLES --review",
        used=f"{RECORD} seat player=Elm out calls=",
        refused="*",
    ),
    Way(
        "suit AJT32 K954",
        used="vacant tricks json observer position record",
        refused="*",
    ),
    Way(
        "suit KQ76 A54",
        position=FEW,
        used="suit tricks draws seed",
        refused="vacant",
        before=RANDOM,
    ),
    Way(
        "report --no-history",
        position=FOUR,
        used=f"{ASKED} title out no-history",
        refused="cards text review adapt",
        before={**QUESTION, "no-history": f"report {FOUR}"},
    ),
    Way(
        "report TABLES",
        used=f"{RECORD} observer cards text review adapt title out",
        refused="*",
        before={**REVIEW, "adapt": "--board 2"},
    ),
    Way(
        "report TABLES",
        refused="solve seconds",
    ),
    Way(
        "report TABLES --text",
        refused="out title",
    ),
    Way(
        "report TABLES --text --review",
        refused="observer cards",
    ),
    Way(
        "report TABLES --adapt",
        refused="style",
    ),
    Way(
        "deal -n 2",
        used=(
            f"{KINDS} {BIDS} vulnerable generate n condition type plan given "
            "form out=mine.pbn seed json dealer"
        ),
        before={
            **dict.fromkeys((*BIDS.split(), "generate"), "--call N:1NT"),
            "style": "--call E:1NT",
            "n": "deal",
            "plan": "deal",
            "dealer": "deal -n 2",
        },
    ),
    Way(
        "deal",
        refused=BIDS,
    ),
    Way(
        "deal --json",
        refused="form",
    ),
    Way(
        "deal -n 2",
        refused="show",
    ),
    Way(
        "deal -n 2 --out mine.html",
        used="show",
    ),
    Way(
        "deal --plan",
        used="n dealer vulnerable",
        refused="out form generate seed show",
    ),
    Way(
        "style TABLES",
        used="pair=Elm+Oak json",
        refused="tables out seed",
    ),
    Way(
        "style TABLES --pair Elm+Oak",
        used="tables=1 out=mine.json",
    ),
    Way(
        "score TABLES --workers 1 --draws 20",
        used=(
            "boards reader chair cards=1 moments seed draws history history-tables json"
        ),
        before={
            "draws": "score TABLES --workers 1",
            "history-tables": "--history HISTORY",
        },
    ),
    Way(
        "score TABLES",
        used=WORK,
        refused="history-tables",
    ),
    Way(
        "score TABLES --reader counting --workers 1",
        refused="draws seed",
    ),
    Way(
        "score TABLES --scheduler tcp://127.0.0.1:1",
        refused="workers",
    ),
    Way(
        "convert TABLES mine.pbn",
        used="renumber json",
        refused="seed",
        before={"renumber": "convert LATE mine.pbn"},
    ),
    Way(
        f"capture {HAND} J54.AQ2.KQ32.A54",
        used="json",
        refused="seed",
    ),
    Way(
        f"bid {HAND}",
        used="auction=1H players bidder=iterative slip=0 system json",
        refused=f"{COMPARING} no-values seed",
    ),
    Way(
        f"bid {HAND} --auction 1H --layouts 20",
        used=("goal=points field=420 calls=2H sampled no-values vulnerable seed json"),
        before={"field": "--goal matchpoints", "sampled": "--calls 2H"},
    ),
    Way(
        f"bid {HAND} --auction 1H",
        used="layouts seconds",
        before={"layouts": "--calls 2H", "seconds": "--calls 2H"},
    ),
    Way(
        f"bid {HAND} --auction 1H --no-values",
        refused=f"{COMPARING} seed",
    ),
    Way(
        f"bid {HAND} --players 3",
        refused="system",
    ),
    Way(
        "study captures --workers 1",
        used="deals runs exact seed json scoring",
        before={
            "runs": "--deals 1000",
            "seed": "--deals 1000",
            "exact": "study captures",
            "json": "study captures --exact",
            "scoring": "study headline --deals 100",
        },
    ),
    Way(
        "study captures",
        used=WORK,
        refused="types iterations utility undertrick scheme",
    ),
    Way(
        "study auction --deals 32 --types 5 --iterations 3 --workers 1",
        used="types iterations utility undertrick scheme",
        refused="exact runs",
    ),
    Way(
        "study captures --exact",
        refused=f"deals runs {WORK} seed",
    ),
    Way(
        "study captures --scheduler tcp://127.0.0.1:1",
        refused="workers",
    ),
    Way(
        f"study match {PLAIN} --workers 1 --scheduler threads --network",
        used="boards=2 file=TABLES seed json picture=mine.png",
        refused="layouts",
        before=dict.fromkeys(("seed", "json", "picture"), "--boards 2"),
    ),
    Way(
        f"study match {PLAIN} --workers 1 --scheduler threads --boards 2",
        used="network",
    ),
    Way(
        f"study match {VALUED} --workers 1 --scheduler threads",
        used="layouts=30",
    ),
    Way(
        f"study match {PLAIN} --network --boards 2",
        used=WORK,
    ),
    Way(
        f"study match {PLAIN} --scheduler tcp://127.0.0.1:1",
        refused="workers",
    ),
    Way(
        "plugins",
        used="json",
        refused="seed",
    ),
    Way(
        "plugins new aces",
        used="kind at json",
        refused="seed",
    ),
    Way(
        "serve --token 0123456789abcdef",
        used="port token workers no-browser seed json",
        before={"token": "serve"},
    ),
]
SLOW = ("play --record TABLES --review", "report TABLES")
LOOKING = (
    "estimate",
    "count",
    "contracts",
    "play --contract 3NT",
    "suit KQ76 A54",
    "report",
)
"""Ways that take a position."""


def command_of(words):
    pair = " ".join(words.split()[:2])
    return pair if pair in ("plugins new", "study match") else words.partition(" ")[0]


def dashed(option, value=None):
    """The option with its dashes, and this value or that of ``VALUES``."""
    dashes = "-" if len(option) == 1 else "--"
    return f"{dashes}{option} {VALUES[option] if value is None else value}"


REFUSED = {}
REACHING = {}
USED = {}
for words in LOOKING:
    refused = next((way.refused.split() for way in WAYS if way.words == words), ())
    REACHING |= {
        (f"{words} {SEEN[name]}", dashed(name)): ()
        for name in SEEN
        if name not in refused
    }
for way in WAYS:
    used = {}
    for item in way.used.split():
        name, _, value = item.partition("=")
        used[name] = value or VALUES[name]
    names = (
        way.refused.split() if way.refused != "*" else options_of(command_of(way.words))
    )
    for item in names:
        name, has_value, value = item.partition("=")
        option = dashed(name, value if has_value else None)
        if name not in ("json", *used) and f"--{name}" not in way.words:
            REFUSED[f"{way.words} {way.position} {option}"] = name
    for name, value in used.items():
        before = way.before.get(name, "")
        if command_of(before) != command_of(way.words):
            has_position = "--observer" in before or "--record" in before
            position = "" if has_position else way.position
            before = f"{way.words} {position} {before}"
        if way.used == WORK or (
            way.words in SLOW and name not in ("json", "out", "tables")
        ):
            REACHING[before, dashed(name, value)] = ()
        # With another bidder than the usual one these take minutes.
        if way.used != WORK and not (way.words in SLOW and name == "bidder"):
            USED[before, dashed(name, value)] = (
                [pytest.mark.slow] if way.words in SLOW else []
            )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the files, where two solvers are installed."""
    folder = tmp_path_factory.mktemp("options")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with plugin_site(folder) as install:
        install("solver", SOLVER)
        install("leads", LEADS.replace("0.001", "0.05"))
        yield folder


ANSWERED = {}  # by test and words: many options are added to the same ones


@pytest.fixture
def ask(request, capsys, monkeypatch, place):
    """Run a command in a folder of its own.

    Gives the status, the answer, the files that it wrote, and the lines on stderr.
    """

    def run(words):
        key = (request.function, words)
        if key not in ANSWERED:
            folder = Path(mkdtemp(dir=place))
            monkeypatch.chdir(folder)
            status = main(
                [
                    str(place / word) if word in FILES else word
                    for word in shlex.split(words)
                ]
            )
            out, err = capsys.readouterr()
            files = {
                path.name: path.read_bytes()
                for path in folder.iterdir()
                if path.is_file()
            }
            ANSWERED[key] = status, out, files, err
        return ANSWERED[key]

    return run


def test_every_option_of_every_command_has_an_entry():
    for command in COMMANDS:
        ways = [way for way in WAYS if command_of(way.words) == command]
        listed = set()
        for way in ways:
            listed |= {
                name.partition("=")[0] for name in f"{way.used} {way.refused}".split()
            }
        evidence = (
            SEEN if any(command_of(words) == command for words in LOOKING) else ()
        )
        assert set(options_of(command)) <= listed | {*evidence}, command


@pytest.mark.parametrize(("words", "option"), REFUSED.items(), ids=REFUSED)
def test_what_has_no_part_is_refused_in_one_line(ask, words, option):
    """A seed, which every command takes, is told to have no part."""
    status, out, _, err = ask(words)
    assert err.startswith(f"bayesbridge: argument {dashed(option, '').strip()}: ")
    assert err.count("\n") == 1
    assert "nothing is drawn" in err if option == "seed" else (status, out) == (2, "")
    assert option == "seed" or (": leave " in err and err.endswith(" out\n"))


def stop(*inputs):
    raise RuntimeError(repr(inputs))


@pytest.mark.parametrize(("before", "words"), REACHING, ids=map(" ".join, REACHING))
def test_what_is_given_reaches_the_work(ask, monkeypatch, before, words):
    """Commands end where the work would begin, and say with what."""
    for name in ("infer", "count"):
        monkeypatch.setattr(
            Belief, name, lambda self, *_, **__: stop(self, self.bidder, self.player)
        )
    monkeypatch.setattr(
        play, "turn_of", lambda belief, *_: stop(belief, belief.bidder, belief.player)
    )
    monkeypatch.setattr(
        review, "judged_cards", lambda *inputs, **options: stop(inputs, options)
    )
    monkeypatch.setattr(
        record, "html_record", lambda *inputs, **options: stop(inputs, options)
    )
    monkeypatch.setattr(
        score,
        "tally_boards",
        lambda plan, boards, walk, options, digest: stop(options),
    )
    monkeypatch.setattr(
        Study, "simulate", lambda self, deals, seed, options, *_: stop(options)
    )
    monkeypatch.setattr(match, "rows", lambda job, n, seed, options: stop(options))
    plain_answer = ask(before)
    changed_answer = ask(f"{before} {words}")
    assert 1 in (plain_answer[0], changed_answer[0])
    assert plain_answer != changed_answer


@pytest.mark.parametrize(
    ("before", "words"),
    [
        pytest.param(*inputs, marks=marks, id=" ".join(inputs))
        for inputs, marks in USED.items()
    ],
)
def test_what_is_used_changes_the_answer(ask, monkeypatch, before, words):
    monkeypatch.setattr(report, "_command", lambda args: "")  # a page would show it
    monkeypatch.setattr(
        views,
        "html_report",
        lambda *inputs, **options: repr((inputs, options, inputs[1].to_dict())),
    )
    monkeypatch.setattr(
        server, "listen", lambda port: SimpleNamespace(getsockname=lambda: (None, port))
    )
    monkeypatch.setattr(
        server,
        "explorer",
        lambda token, workers, ready, seed: ready() or stop(token, workers, seed),
    )
    monkeypatch.setattr(webbrowser, "open", print)
    plain_answer = ask(before)
    changed_answer = ask(f"{before} {words}")
    assert plain_answer[0] < 2 or changed_answer[0] < 2
    assert plain_answer != changed_answer
