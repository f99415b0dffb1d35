"""Every command: its help, which also declares its arguments, and the function that
runs it, loaded when it is run.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from bayesbridge.cli import options
from bayesbridge.cli.options import whole
from bayesbridge.engines.budget import MOST_DRAWS, USUAL
from bayesbridge.errors import NotationError
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.game.cards import Card, Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick
from bayesbridge.position import SETTINGS

QUESTION: Final = """\
--method NAME        the engine (default: auto, the most exact that fits)
--draws N            layouts drawn, if too many to walk (default: 20_000, learned bidder 5_000)
--contract 4S[X[X]]  whether it makes, and its tricks, by 'tricks' and solved layouts
--by S               its declarer (default: as the auction says, or the observer)
--actual             tricks as experts on record took them, too (default: double dummy)
either --solve N     layouts to solve for it (0: none; default: until ± 2 %%)
or --seconds N       time on one core for solving (default: at most 10, or all --draws)"""

WORKERS: Final = """\
--workers N          threads or processes; the answer does not depend on it (default: one for each core)
--scheduler ADDRESS  threads, processes, or a Dask scheduler such as tcp://10.0.0.1:8786 (default: {})
--resume FOLDER      keep every finished chunk in a folder, and count none of them again"""

ESTIMATE: Final = f"""\
estimate  where the hidden cards lie, and how many captures or tricks two hands have

--pair S:N           who plays together (default: observer and dummy)
--estimator NAME     what to compute (default: capture, with four players tricks; see 'plugins')
{QUESTION}
--card SQ            where this card lies, and how each piece of evidence moved the answer
--bidders NAME,NAME  bidder models to answer under, beside each other (see 'plugins')

bayesbridge estimate --observer S --hand AKQ2.KJ3.A54.Q32 --void E:H --length W:S:5+"""

COUNT: Final = """\
count  how many layouts of the hidden cards fit what was seen

bayesbridge count --observer S --hand AKQ2.KJ3.A54.Q32 --void E:H --length W:S:5+"""

REPORT: Final = f"""\
report  the same as estimate, as an HTML page that needs no network; of a record, a page to step through

FILE              a PBN or LIN file: a page that steps through one of its boards
--text            with FILE: print the steps instead of a page
--review          with FILE: mark cards that cost, by what was known then
--cards           with FILE: a step for every card, not for every trick
--adapt           with FILE: learn the pairs' styles from their earlier boards
--out FILE.html   where to write (default: report.html)
--title TEXT      the heading of the page
--pair S:N        who plays together (default: observer and dummy)
--estimator NAME  what to compute besides capture or tricks, repeatable
{QUESTION}
--no-history      leave out how the belief sharpened, which takes longest

bayesbridge report --observer S --hand AKQ2.KJ3.A54.Q32 --call W:1NT --void E:H --out report.html
bayesbridge report match.lin --board 3 --observer W"""

SERVE: Final = """\
serve  open the explorer: a page to set hands, calls and cards on by clicking, and watch the beliefs move

--port N      the port (default: 8137; 0: any that is free)
--token TEXT  the secret part of the address (default: a new one every time)
--workers N   processes that compute (default: 2)
--no-browser  print the address and open no browser

bayesbridge serve"""

CONTRACTS: Final = f"""\
contracts  which contract to bid: chance, tricks and expected score of each

--contracts 4S,3NT  those to judge; 2SX by W for one of the others, Pass for what stands (default: all that
                    the pair may still bid, and defending the others' bid)
--scheme NAME       duplicate, old, new, or a file with a scheme of your own (.toml) (default: new, with four
                    players duplicate)
--against 3NT       compare each with this one on the same layouts; Pass is the contract that stands
either --solve N    layouts to solve in each strain that competes (0: none)
or --seconds N      time on one core for solving (default: 4)
--find-out LIST     what an answer would tell and be worth: card[SQ],length[E:H],points[N],call[N:4NT Pass] …
                    (default: honours, points and lengths in doubt)
--pair S:N          who plays together (default: observer and dummy)
--draws N           layouts drawn, if too many to walk (default: {USUAL["contracts"].draws:_})

bayesbridge contracts --observer S --hand AKQ2.KJ3.A54.Q32 --call W:1NT --scheme duplicate
bayesbridge contracts --observer S --hand AQ942.K3.A54.Q32 --call N:1NT --against 3NT"""

PLAY: Final = f"""\
play  what to play: every card from the opening lead to the last trick; of a record, what every card cost

--contract 3NT[X[X]]  the contract (default: that of the calls)
--by S                its declarer (default: the seat on the leader's right)
--goal                what the best card is best for: that the contract makes or is beaten, most tricks on
                      average, or matchpoints against --field (default: make)
--field 420,450,-50   what declarer's side scored at other tables, for matchpoints
either --solve N      layouts to solve (default: by --seconds; 40 for each card of a --review)
or --seconds N        time on one core for solving (default: 12, at most 1000 layouts; of a --review for each
                      card)
--trick W:S5          the trick so far, leader and cards: "W:S5 SK"; "N:" when N is on lead (default: by the
                      cards played)
--seat N              the seat that plays (default: that in turn)
--review              of a record: what every card, or those of --seat, cost its player
--out FILE.html       with --review: a page too, to read on a phone or to print
--pair S:N            who plays together (default: observer and dummy)
--draws N             layouts drawn, if too many to walk (default: {USUAL["play"].draws:_})

bayesbridge play --observer W --hand Q862.A93.J84.K75 --call S:1NT --call N:3NT --contract 3NT
bayesbridge play --record match.pbn --board 7 --after-trick 3
bayesbridge play --record match.pbn --board 7 --review
bayesbridge play --observer S --hand AKQ2.AJ3.A54.Q32 --reveal N:J54.Q72.KQ76.A85 --trick W:H5"""

SUIT: Final = """\
suit  how to play a suit: the best plan for each number of tricks

HOLDING       dummy's cards of the suit, then declarer's; x is a lowest card (with evidence: may be left out)
--suit S      the suit, where the evidence shows both hands
--vacant W:E  places of West and East for unknown cards, those of the suit among them (default: 13:13)
--tricks N    how many tricks of a plan to tell (default: 2)
--draws N     layouts drawn, if too many to walk (default: 20_000, learned bidder 5_000)

bayesbridge suit AJT32 K954"""

DEAL: Final = """\
deal  deals that meet a script of the dealer language, a condition or evidence

SCRIPT             a file in the dealer language, - for stdin
-n N               how many deals (default: the script's, or 10)
--condition TEXT   a condition of the dealer language
--type NAME: TEXT  a type of hand with its condition, repeatable; NAME=2: gives it twice the share
--plan             say what is exact and what is tested, and deal nothing
--form             how deals are written (default: diagram)
--out FILE         write deals to .pbn, .lin, .txt or .html, pages to print: this one for pupils, and beside it
                   FILE-teacher.html with types, tricks and par
--show NS          the hands on the pupils' page (default: all)
--dealer S         who deals every board (default: in turn)
--generate N       draws that may be tested before it gives up (default: the script's, or 10_000_000)

bayesbridge deal -n 100 --shape N:balanced --hcp N:15-17 --hcp S:8+ --out deals.pbn
bayesbridge deal -n 20 --call S:1NT --call N:2D --system sayc --out transfers.html"""

DEAL_SETTINGS: Final = {
    "bidder": "how all four bid (default: learned)",
    "slip": SETTINGS["slip"].help,
    "vulnerable": "None, NS, EW or All on every board, also for bidders who care "
    "(default: in turn, and bidders take it for None)",
    "system": "what the calls of all four show; strong-notrump, NS:weak-twos (one side), "
    "weak-notrump=0.3 (not certain), a file (.toml); repeatable",
    "style": SETTINGS["style"].help.replace(", with four players", ""),
}
"""How the players of ``deal`` bid, with the help of each."""

STYLE: Final = """\
style  how a pair bids beside the average expert, learned from its tables on record

FILE             a PBN or LIN file that names the players, also gzipped
--pair A+B       the two players (default: name all pairs of the file)
--tables N       learn from the pair's first N tables, the others judge (default: all, at most 200)
--out FILE.json  write the style, for --style EW:FILE.json

bayesbridge style match.pbn
bayesbridge style match.pbn --pair Ash+Elm --out ash-elm.json"""

SCORE: Final = f"""\
score  score a reader on real boards: where the honours lie, how long the suits are

FILE               a PBN or LIN file, also gzipped
--boards N         score N boards, evenly spread (default: all)
--reader NAME      who reads: counting (nothing known), BIDDER or BIDDER+PLAYER, or module:name (default:
                   learned+learned); of several, each is compared with the last on the same boards
--chair            whose posterior: the opening leader's (default), the leader's partner's, declarer's or
                   dummy's
either --cards N   after N cards of the play (default: 0, the auction)
or --moments LIST  some of auction,lead,1,3,6,9: after the auction, lead or trick
--draws N          draws for each board (default: 1_000)
--history FILE     learn the style of each pair from its tables there first, never from the board that is
                   scored
--history-tables N  of each pair's tables there take the first N (default: 200)
{WORKERS.format("processes")}

bayesbridge score match.pbn --boards 100 --chair declarer --cards 1
bayesbridge score test.pbn --reader counting --reader learned --moments auction,lead"""

CONVERT: Final = """\
convert  records from PBN to LIN or back, of several files in one, with what is lost

FILE        PBN or LIN files, also gzipped, or a viewer's links
OUT         the new file, .pbn or .lin
--renumber  number the boards from 1 on

bayesbridge convert monday.lin monday.pbn
bayesbridge convert --renumber first.lin second.lin session.pbn"""

CAPTURE: Final = """\
capture  captures of two hands together, by the paper's rule (Algorithm 2)

FIRST   player 1's hand: spades.hearts.diamonds.clubs
SECOND  player 2's hand

bayesbridge capture AKQ2.KJ3.A54.Q32 J54.AQ2.KQ32.A54"""

BID: Final = """\
bid  what a hand bids: the chance of every call in an auction, or by the paper's rule (Algorithm 1)

HAND             the hand: spades.hearts.diamonds.clubs
--auction CALLS  the calls so far, as "1H p" or "(1H) p"; the seat in turn, South unless W: or so stands
                 before them, holds the hand

bayesbridge bid KQ5.A2.KJ642.Q73 --auction "1H" --vulnerable NS
bayesbridge bid KQ5.A2.KJ642.Q73 --players 4
bayesbridge bid AKQ2.AKJ.AK4.A32"""

STUDY: Final = """\
study  an experiment of the paper, by Monte Carlo or exactly, beside the printed figures

bayesbridge study captures --deals 1e7 --workers 2
bayesbridge study conditions --exact
bayesbridge study headline --deals 1e7 --runs 3 --resume headline"""

PLUGINS: Final = """\
plugins  estimators and bidder models, and where each comes from; 'plugins new' begins one of your own

bayesbridge plugins --json
bayesbridge plugins new aces
bayesbridge plugins new our-club --kind bidder"""

NEW: Final = """\
new  a package with an estimator or a bidder model of your own, ready to install, test and change

NAME      what the estimator or bidder is called, such as aces
--kind    what it offers (default: estimator)
--at DIR  the folder to make it in (default: the current one)

bayesbridge plugins new aces --at .
bayesbridge plugins new our-club --kind bidder"""


def add_commands(commands: options.Subparsers) -> None:
    """Put the commands on the command line, in the order of its help."""
    add = partial(options.add_command, commands)
    question: dict[str, Any] = {"method": {"default": "auto"}}
    estimate = add("estimate.run", ESTIMATE, **question, card=Card.of)
    count = add("count.run", COUNT)
    why = "how likely a call or a card is rules no layout out"
    count.set_defaults(mode=options.Mode(why, "bidder slip vulnerable player seed"))
    report = add("report.run", REPORT, **question, file={"nargs": "?"})
    port = {"type": whole(0, 65_535), "default": 8137}
    add("serve.run", SERVE, port=port, workers={"type": whole(1, 16), "default": 2})
    contracts = add("contracts.run", CONTRACTS, find_out={"nargs": "?", "const": ""})
    goal = {"choices": ("make", "beat", "tricks", "matchpoints")}
    play = add(
        "play.run",
        PLAY,
        goal=goal,
        field=_scores,
        solve=whole(2, 1_000_000),
        trick=Trick.of,
    )
    play.set_defaults(by_turn=True)
    tricks = {"type": whole(1, 13), "default": 2}
    suit = add(
        "suit.run",
        SUIT,
        holding={"nargs": "*"},
        suit=Suit.of,
        vacant=_vacant,
        tricks=tricks,
    )
    for parser in (estimate, count, report, contracts, play, suit):
        options.add_evidence(parser)
    named = play._option_string_actions["--player"]
    named.type, named.help = (
        None,
        f"{named.help}; of a --review a player by name, whose cards alone are judged",
    )
    many = {"action": "append", "default": []}
    deal = add(
        "deal.run",
        DEAL,
        script={"nargs": "?"},
        n=whole(1, 10_000_000),
        type=many,
        show=_seats,
        form={
            "choices": (
                "diagram",
                "pbn",
                "lin",
                "oneline",
                "printall",
                "printew",
                "compact",
            )
        },
        generate=whole(1, 10**12),
    )
    group = deal.add_evidence("Repeatable; on any seats.")
    given = "--given S:AKQ..J2.  cards of a seat, a whole hand or a part of one: spades.hearts.diamonds.clubs"
    options.add_options(group, given, given={"type": _given, **many})
    options.add_kinds(group, [name for name in KINDS if name != "play"])
    options.add_settings(group, DEAL_SETTINGS, **DEAL_SETTINGS)
    style = add("style.run", STYLE, pair=str, tables=whole(1, 10**6))
    add(
        "score.run",
        SCORE,
        boards=whole(1, 10**9),
        chair={
            "choices": ("leader", "partner", "declarer", "dummy"),
            "default": "leader",
        },
        cards={"type": whole(0, 52), "default": 0},
        moments=_moments,
        draws={"type": whole(2, MOST_DRAWS), "default": 1000},
        history_tables=whole(1, 10**6),
    )
    convert = add("convert.run", CONVERT, file={"nargs": "+"})
    capture, bid = add("capture.run", CAPTURE), add("capture.run_bid", BID)
    opening = "with 4 and no --auction: the opening call (default: 4 with any of these)"
    options.add_settings(bid, options.BIDS, players=opening)
    add("study.run", STUDY).add_later = _add_study
    plugins = add("plugins.run", PLUGINS)
    actions = plugins.add_subparsers(title="commands", metavar="new", dest="action")
    kind = {"choices": ("estimator", "bidder"), "default": "estimator"}
    new = options.add_command(actions, "plugins.run_new", NEW, kind=kind)
    for parser in (style, convert, capture, bid, plugins, new):
        parser.set_defaults(mode=options.EXACT)


def _add_study(parser: options.OneLineParser) -> None:
    """The arguments of ``study`` wait until they are needed, since all studies are
    loaded.
    """
    from bayesbridge.studies import STUDIES

    studies = STUDIES.values()
    text = f"""
        STUDY      {"; ".join(f"{study.name}: {study.help}" for study in studies)}
        --deals N  random deals in each run, also written 10_000_000 or 1e7 (default:
                   {", ".join(f"{study.name} {study.deals:_}" for study in studies)})
        --runs R   independent runs; the paper has 3 (default: 1)
        --exact    count every possible deal instead of random ones
                   ({" and ".join(study.name for study in studies if study.count_exactly)})
        {WORKERS.format("threads")}
        --scoring FILE  {" and ".join(study.name for study in studies if study.schemes)}: a TOML file with a scoring
                        scheme, used beside the built-in ones; may be repeated
        """
    deals = whole(
        1, 10**15
    )  # three years of work for one core: a greater number is a typing mistake
    runs = {"type": whole(1, 1000), "default": 1}
    options.add_options(
        parser, text, study={"choices": tuple(STUDIES)}, deals=deals, runs=runs
    )


def _scores(text: str) -> list[float]:
    try:
        return [float(score) for score in text.replace(",", " ").split()]
    except ValueError:
        raise NotationError(
            f"{text!r} is not a list of scores: write such as 420,450,-50"
        ) from None


def _seats(text: str) -> tuple[Seat, ...]:
    if not text or not set(text.upper()) <= {seat.name for seat in Seat}:
        mend = "write some of N, E, S and W, such as NS"
        raise NotationError(f"{text!r} names no seats: {mend}", text=text)
    return tuple(seat for seat in Seat if seat.name in text.upper())


def _vacant(text: str) -> tuple[int, int]:
    try:
        west, east = map(int, text.split(":"))
    except ValueError:
        raise NotationError(
            f"{text!r}: write two whole numbers, such as 7:12"
        ) from None
    return west, east


def _given(text: str) -> tuple[Seat, Hand]:
    seat, colon, cards = text.partition(":")
    if not colon:
        raise NotationError(f"{text!r} names no seat: write S:AKQ..J2.", text=text)
    return Seat.of(seat), Hand.of(cards.strip())


def _moments(text: str) -> tuple[str, ...]:
    from bayesbridge.studies.readers import MOMENTS, moment_of

    asked = {moment_of(word) for word in text.split(",")}
    return tuple(name for name in MOMENTS if name in asked)
