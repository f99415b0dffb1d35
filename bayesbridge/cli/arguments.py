"""The arguments of each command, but for those of the evidence."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Final

from bayesbridge.cli.evidence_options import add_setting
from bayesbridge.cli.parser import OptionGroup, argument_type, choice_of
from bayesbridge.cli.readers import (
    moments,
    pair,
    prices,
    scores,
    seats,
    vacant_places,
    whole,
)
from bayesbridge.engines.budget import MOST_DRAWS, USUAL
from bayesbridge.game.cards import Card, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.scoring import SCHEMES
from bayesbridge.game.tricks import Trick
from bayesbridge.position import SETTINGS

MOST_DEALS: Final = 10**15
"""Three years of work for one core: a greater number is a typing mistake."""

FULL_HAND: Final = argument_type(SETTINGS["hand"].read)
USUAL_DRAWS: Final = "20_000, learned bidder 5_000"


def add_common(parser: ArgumentParser) -> None:
    """Add what every command takes."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole(0, 2**64 - 1),
        default=1,
        help="where random numbers start: same seed, same answer (default: 1)",
    )


def add_pair(parser: ArgumentParser) -> None:
    """Add the pair that plays together."""
    parser.add_argument(
        "--pair",
        metavar="S:N",
        type=pair,
        help="who plays together (default: observer and dummy)",
    )


def add_draws(parser: ArgumentParser, usual: str) -> None:
    """Add the number of layouts drawn, with the usual one as the help says it."""
    parser.add_argument(
        "--draws",
        metavar="N",
        type=whole(2, MOST_DRAWS),
        help=f"layouts drawn, if too many to walk (default: {usual})",
    )


def add_solving(
    parser: ArgumentParser, about_solve: str, about_seconds: str, fewest: int = 0
) -> None:
    """Add the layouts to solve, or the time for it."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--solve", metavar="N", type=whole(fewest, 1_000_000), help=about_solve
    )
    group.add_argument(
        "--seconds", metavar="N", type=whole(1, 1_000_000), help=about_seconds
    )


def add_question(parser: ArgumentParser) -> None:
    """Add how a posterior is computed, and what is asked of a contract."""
    parser.add_argument(
        "--method",
        metavar="NAME",
        default="auto",
        help="the engine (default: auto, the most exact that fits)",
    )
    add_draws(parser, USUAL_DRAWS)
    parser.add_argument(
        "--contract",
        metavar="4S[X[X]]",
        help="whether it makes, and its tricks, by 'tricks' and solved layouts",
    )
    parser.add_argument(
        "--by",
        metavar="S",
        help="its declarer (default: as the auction says, or the observer)",
    )
    parser.add_argument(
        "--actual",
        action="store_true",
        help="tricks as experts on record took them, too (default: double dummy)",
    )
    add_solving(
        parser,
        "layouts to solve for it (0: none; default: until ± 2 %%)",
        "time on one core for solving (default: at most 10, or all --draws)",
    )


def add_estimate(parser: ArgumentParser) -> None:
    """Add the arguments of ``estimate``."""
    add_pair(parser)
    parser.add_argument(
        "--estimator",
        metavar="NAME",
        action="append",
        help="what to compute (default: capture, with four players tricks; see "
        "'plugins')",
    )
    add_question(parser)
    parser.add_argument(
        "--card",
        metavar="SQ",
        type=argument_type(Card.of),
        help="where this card lies, and how each piece of evidence moved the answer",
    )
    parser.add_argument(
        "--bidders",
        metavar="NAME,NAME",
        help="bidder models to answer under, side by side (see 'plugins')",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="the whole answer (default: what one screen has room for)",
    )


def add_count(parser: ArgumentParser) -> None:
    """Add nothing: a count takes the evidence alone."""


def add_report(parser: ArgumentParser) -> None:
    """Add the arguments of ``report``: those of a record, then those of ``estimate``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a PBN or LIN file: a page that steps through one of its boards",
    )
    parser.add_argument(
        "--text",
        action="store_true",
        help="with FILE: print the steps instead of a page",
    )
    parser.add_argument(
        "--review",
        action="store_true",
        help="with FILE: mark cards that cost, by what was known then",
    )
    parser.add_argument(
        "--cards",
        action="store_true",
        help="with FILE: a step for every card, not for every trick",
    )
    parser.add_argument(
        "--adapt",
        action="store_true",
        help="with FILE: learn the pairs' styles from their earlier boards",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.html",
        help="where to write (default: report.html)",
    )
    parser.add_argument("--title", metavar="TEXT", help="the heading of the page")
    add_pair(parser)
    parser.add_argument(
        "--estimator",
        metavar="NAME",
        action="append",
        help="what to compute besides capture or tricks, repeatable",
    )
    add_question(parser)
    parser.add_argument(
        "--no-history",
        action="store_true",
        help="leave out how the belief sharpened, which takes longest",
    )


def add_serve(parser: ArgumentParser) -> None:
    """Add the arguments of ``serve``."""
    parser.add_argument(
        "--port",
        metavar="N",
        type=whole(0, 65_535),
        default=8137,
        help="the port (default: 8137; 0: any that is free)",
    )
    parser.add_argument(
        "--token",
        metavar="TEXT",
        help="the secret part of the address (default: a new one every time)",
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=whole(1, 16),
        default=2,
        help="processes that compute (default: 2)",
    )
    parser.add_argument(
        "--no-browser",
        action="store_true",
        help="print the address and open no browser",
    )


def add_contracts(parser: ArgumentParser) -> None:
    """Add the arguments of ``contracts``."""
    parser.add_argument(
        "--contracts",
        metavar="4S,3NT",
        help="those to judge; 2SX by W for one of the others, Pass for what stands "
        "(default: all that the pair may still bid, and defending the others' bid)",
    )
    parser.add_argument(
        "--scheme",
        metavar="NAME",
        help="duplicate, old, new, or a file with a scheme of your own (.toml) "
        "(default: new, with four players duplicate)",
    )
    parser.add_argument(
        "--against",
        metavar="3NT",
        help="compare each with this one on the same layouts; Pass is the contract "
        "that stands",
    )
    add_solving(
        parser,
        "layouts to solve in each strain that competes (0: none)",
        "time on one core for solving (default: 4)",
    )
    parser.add_argument(
        "--find-out",
        metavar="LIST",
        nargs="?",
        const="",
        help="what an answer would tell and be worth: card[SQ],length[E:H],points[N],"
        "call[N:4NT Pass] … (default: honours, points and lengths in doubt)",
    )
    add_pair(parser)
    add_draws(parser, f"{USUAL['contracts'].draws:_}")


def add_play(parser: ArgumentParser) -> None:
    """Add the arguments of ``play``."""
    parser.set_defaults(by_turn=True)
    parser.add_argument(
        "--contract",
        metavar="3NT[X[X]]",
        help="the contract (default: that of the calls)",
    )
    parser.add_argument(
        "--by",
        metavar="S",
        help="its declarer (default: the seat on the leader's right)",
    )
    parser.add_argument(
        "--goal",
        **choice_of("make", "beat", "tricks", "matchpoints"),
        help="what the best card is best for: that the contract makes or is beaten, "
        "most tricks on average, or matchpoints against --field (default: make)",
    )
    parser.add_argument(
        "--field",
        metavar="420,450,-50",
        type=scores,
        help="what declarer's side scored at other tables, for matchpoints",
    )
    add_solving(
        parser,
        "layouts to solve (default: by --seconds; 40 a card of a --review)",
        "time on one core for solving (default: 12, at most 1000 layouts; of a "
        "--review for each card)",
        fewest=2,
    )
    parser.add_argument(
        "--trick",
        metavar="W:S5",
        type=argument_type(Trick.of),
        help='the trick so far, leader and cards: "W:S5 SK"; "N:" when N is on lead '
        "(default: by the cards played)",
    )
    parser.add_argument(
        "--seat",
        metavar="N",
        type=argument_type(Seat.of),
        help="the seat that plays (default: that in turn)",
    )
    parser.add_argument(
        "--review",
        action="store_true",
        help="of a record: what every card, or those of --seat, cost its player",
    )
    parser.add_argument(
        "--calls",
        action="store_true",
        help="with --review: what every call cost, too",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.html",
        help="with --review: a page too, to read on a phone or to print",
    )
    add_pair(parser)
    add_draws(parser, f"{USUAL['play'].draws:_}")


def add_suit(parser: ArgumentParser) -> None:
    """Add the arguments of ``suit``."""
    parser.add_argument(
        "holding",
        metavar="HOLDING",
        nargs="*",
        help="dummy's cards of the suit, then declarer's; x is a lowest card (with "
        "evidence: may be left out)",
    )
    parser.add_argument(
        "--suit",
        metavar="S",
        type=argument_type(Suit.of),
        help="the suit, where the evidence shows both hands",
    )
    parser.add_argument(
        "--vacant",
        metavar="W:E",
        type=vacant_places,
        help="places of West and East for unknown cards, those of the suit among them "
        "(default: 13:13)",
    )
    parser.add_argument(
        "--tricks",
        metavar="N",
        type=whole(1, 13),
        default=2,
        help="how many tricks of a plan to tell (default: 2)",
    )
    add_draws(parser, USUAL_DRAWS)


def add_deal(parser: ArgumentParser) -> None:
    """Add the arguments of ``deal``."""
    parser.add_argument(
        "script",
        metavar="SCRIPT",
        nargs="?",
        help="a file in the dealer language, - for stdin",
    )
    parser.add_argument(
        "-n",
        metavar="N",
        type=whole(1, 10_000_000),
        help="how many deals (default: the script's, or 10)",
    )
    parser.add_argument(
        "--condition", metavar="TEXT", help="a condition of the dealer language"
    )
    parser.add_argument(
        "--type",
        metavar="NAME: TEXT",
        action="append",
        default=[],
        help="a type of hand with its condition, repeatable; NAME=2: gives it twice "
        "the share",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="say what is exact and what is tested, and deal nothing",
    )
    forms = ("diagram", "pbn", "lin", "oneline", "printall", "printew", "compact")
    parser.add_argument(
        "--form",
        **choice_of(*forms),
        help="how deals are written (default: diagram)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="write deals to .pbn, .lin, .txt or .html, pages to print: this one for "
        "pupils, and FILE-teacher.html with types, tricks and par",
    )
    parser.add_argument(
        "--show",
        metavar="NS",
        type=seats,
        help="the hands on the pupils' page (default: all)",
    )
    parser.add_argument(
        "--dealer",
        metavar="S",
        type=argument_type(Seat.of),
        help="who deals every board (default: in turn)",
    )
    parser.add_argument(
        "--generate",
        metavar="N",
        type=whole(1, 10**12),
        help="draws that may be tested before it gives up (default: the script's, or "
        "10_000_000)",
    )


def add_style(parser: ArgumentParser) -> None:
    """Add the arguments of ``style``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a PBN or LIN file that names the players, also gzipped",
    )
    parser.add_argument(
        "--pair",
        metavar="A+B",
        help="the two players (default: name all pairs of the file)",
    )
    parser.add_argument(
        "--tables",
        metavar="N",
        type=whole(1, 10**6),
        help="learn from the pair's first N tables, the others judge (default: all, at "
        "most 200)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.json",
        help="write the style, for --style EW:FILE.json",
    )


def add_work(parser: OptionGroup, usual_scheduler: str) -> None:
    """Add how long work is shared out, and what of it is kept."""
    parser.add_argument(
        "--workers",
        metavar="N",
        type=whole(1, 1024),
        help="threads or processes; the answer does not depend on it (default: one "
        "for each core)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="threads, processes, or a Dask scheduler such as tcp://10.0.0.1:8786 "
        f"(default: {usual_scheduler})",
    )
    parser.add_argument(
        "--resume",
        metavar="FOLDER",
        help="keep every finished chunk in a folder, and count none of them again",
    )


def add_score(parser: ArgumentParser) -> None:
    """Add the arguments of ``score``."""
    parser.add_argument("file", metavar="FILE", help="a PBN or LIN file, also gzipped")
    parser.add_argument(
        "--boards",
        metavar="N",
        type=whole(1, 10**9),
        help="score N boards, evenly spread (default: all)",
    )
    parser.add_argument(
        "--reader",
        metavar="NAME",
        action="append",
        help="who reads: counting (nothing known), BIDDER or BIDDER+PLAYER, or "
        "module:name (default: learned+learned); of several, each is compared with the "
        "last on the same boards",
    )
    parser.add_argument(
        "--chair",
        **choice_of("leader", "partner", "declarer", "dummy"),
        default="leader",
        help="whose posterior: the opening leader's (default), the leader's partner's, "
        "declarer's or dummy's",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--cards",
        metavar="N",
        type=whole(0, 52),
        default=0,
        help="after N cards of the play (default: 0, the auction)",
    )
    group.add_argument(
        "--moments",
        metavar="LIST",
        type=moments,
        help="some of auction,lead,1,3,6,9: after the auction, lead or trick",
    )
    parser.add_argument(
        "--draws",
        metavar="N",
        type=whole(2, MOST_DRAWS),
        default=1000,
        help="draws for each board (default: 1_000)",
    )
    parser.add_argument(
        "--history",
        metavar="FILE",
        help="learn the style of each pair from its tables there first, never from the "
        "board that is scored",
    )
    parser.add_argument(
        "--history-tables",
        metavar="N",
        type=whole(1, 10**6),
        help="of each pair's tables there take the first N (default: 200)",
    )
    add_work(parser, "processes")


def add_convert(parser: ArgumentParser) -> None:
    """Add the arguments of ``convert``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="+",
        help="PBN or LIN files, also gzipped, or a viewer's links",
    )
    parser.add_argument("out", metavar="OUT", help="the new file, .pbn or .lin")
    parser.add_argument(
        "--renumber", action="store_true", help="number the boards from 1 on"
    )


def add_capture(parser: ArgumentParser) -> None:
    """Add the arguments of ``capture``."""
    parser.add_argument(
        "first",
        metavar="FIRST",
        type=FULL_HAND,
        help="player 1's hand: spades.hearts.diamonds.clubs",
    )
    parser.add_argument(
        "second", metavar="SECOND", type=FULL_HAND, help="player 2's hand"
    )


def add_bid(parser: ArgumentParser) -> None:
    """Add the arguments of ``bid``."""
    parser.add_argument(
        "hand",
        metavar="HAND",
        type=FULL_HAND,
        help="the hand: spades.hearts.diamonds.clubs",
    )
    parser.add_argument(
        "--auction",
        metavar="CALLS",
        help='the calls so far, as "1H p" or "(1H) p"; the seat in turn holds the '
        "hand: South, unless W: or so comes before the calls",
    )
    add_values(parser)
    players = "with 4 and no --auction: the opening call (default: 4 with any of these)"
    add_setting(parser, "players", about=players)
    add_setting(
        parser,
        "bidder",
        about="how the hand and the others bid (default: learned; with --players 3 "
        "iterative; see 'plugins')",
    )
    add_setting(parser, "slip")
    add_setting(parser, "vulnerable")
    add_setting(
        parser,
        "system",
        about="what the calls of all four show: strong-notrump, NS:weak-twos (one "
        "side), weak-notrump=0.3 (not certain), a file (.toml); repeatable",
    )


def add_values(parser: ArgumentParser) -> None:
    """Add what calls are compared by, and how much work that may be."""
    parser.add_argument(
        "--goal",
        metavar="NAME",
        help="compare calls by imps, matchpoints, points, old, new or a file with a "
        "scheme (.toml) (default: imps, with three players points)",
    )
    parser.add_argument(
        "--field",
        metavar="420,-50",
        type=scores,
        help="what your side scored at other tables, for matchpoints",
    )
    parser.add_argument(
        "--calls",
        metavar="X,2H",
        help="compare these too (default: what experts call with 2 %% or more)",
    )
    parser.add_argument(
        "--sampled",
        action="store_true",
        help="bid on by calls drawn by their chances (default: by the likeliest)",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--layouts",
        metavar="N",
        type=whole(2, 100_000),
        help="on how many layouts calls are compared (default: 512)",
    )
    group.add_argument(
        "--seconds",
        metavar="N",
        type=whole(1, 1_000_000),
        help="time on one core that decides this",
    )
    parser.add_argument(
        "--no-values",
        action="store_true",
        help="how often each call is made, and no more",
    )


def add_study(parser: ArgumentParser) -> None:
    """Add a study and how its deals are counted; all studies are loaded."""
    from bayesbridge.studies import STUDIES

    studies = STUDIES.values()
    summaries = "; ".join(f"{study.name}: {study.help}" for study in studies)
    counted = [study.name for study in studies if study.count_exactly]
    scored = [study.name for study in studies if study.schemes]
    parser.add_argument("study", metavar="STUDY", **choice_of(*STUDIES), help=summaries)
    parser.add_argument(
        "--deals",
        metavar="N",
        type=whole(1, MOST_DEALS),
        help="random deals in each run, also written 1e7 (default: by study)",
    )
    parser.add_argument(
        "--runs",
        metavar="R",
        type=whole(1, 1000),
        default=1,
        help="independent runs; the paper has 3 (default: 1)",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help=f"count every possible deal ({', '.join(counted)})",
    )
    add_work(parser, "threads")
    parser.add_argument(
        "--scoring",
        metavar="FILE",
        action="append",
        help=f"{', '.join(scored)}: a file with a scoring scheme, used next to the "
        "built-in ones; may be repeated",
    )
    add_auction_game(parser)


def add_auction_game(parser: ArgumentParser) -> None:
    """Add the settings of the study of the auction."""
    parser.add_argument(
        "--scheme",
        metavar="NAME",
        **choice_of(*SCHEMES),
        help="auction: one scoring scheme (default: both)",
    )
    parser.add_argument(
        "--types",
        metavar="K",
        type=whole(1, 4096),
        help="auction: types of hands (default: 64)",
    )
    parser.add_argument(
        "--iterations",
        metavar="N",
        type=whole(1, 10**6),
        help="auction: rounds of regret minimisation (default: 300)",
    )
    parser.add_argument(
        "--utility",
        metavar="NAME",
        **choice_of("relative", "net"),
        help="auction: points less the mean of the others' (relative, the default) "
        "or net",
    )
    parser.add_argument(
        "--undertrick",
        metavar="PRICES",
        type=prices,
        help="auction: prices of an undertrick, such as 10,50",
    )


def add_match(parser: ArgumentParser) -> None:
    """Add the arguments of ``match``."""
    for name in ("first", "second"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="who bids: learned, a system, a plugin's bidder, or one of these with "
            ":value, who chooses calls by what they are worth",
        )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--boards",
        metavar="N",
        type=whole(2, 10_000_000),
        help="random deals, dealer and vulnerability in turn (default: 100)",
    )
    group.add_argument(
        "--file",
        metavar="FILE",
        help="deals of a PBN or LIN file, also gzipped, with its dealers and "
        "vulnerability",
    )
    parser.add_argument(
        "--layouts",
        metavar="N",
        type=whole(2, 100_000),
        help="on how many layouts a call is chosen by value (default: 512)",
    )
    parser.add_argument(
        "--network",
        action="store_true",
        help="tricks by the network (default: double dummy where a solver is installed)",
    )
    parser.add_argument(
        "--picture",
        metavar="FILE",
        help="draw the gain by the number of boards, too",
    )
    add_work(parser, "processes")


def add_plugins(parser: ArgumentParser) -> None:
    """Add nothing: ``plugins`` takes what every command takes."""


def add_plugins_new(parser: ArgumentParser) -> None:
    """Add the arguments of ``plugins new``."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="what the estimator or bidder is called, such as aces",
    )
    parser.add_argument(
        "--kind",
        **choice_of("estimator", "bidder"),
        default="estimator",
        help="what it offers (default: estimator)",
    )
    parser.add_argument(
        "--at",
        metavar="DIR",
        help="the folder to make it in (default: the current one)",
    )
