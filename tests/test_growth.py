"""Every reader of text takes time in proportion to its length.

A reader is what is public and takes a text first, so that a new one is tested as soon
as it is there: with the texts below and with those of its own examples.
"""

import functools
import gc
import importlib
import inspect
import math
import pkgutil
import re
import time
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from doctest import DocTestParser
from functools import partial
from itertools import chain
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import pytest

import bayesbridge
from bayesbridge import Auction, Call
from bayesbridge.bidders.systems import System
from bayesbridge.dealing.language import parse
from bayesbridge.errors import NotationError
from bayesbridge.evidence.parser import LONGEST_SCRIPT, parse_expression
from bayesbridge.game.scoring import Vulnerability
from bayesbridge.notation.toml_text import LONGEST_TOML, Toml

WRITERS = {
    *("__main__", "cli", "display", "errors", "plots", "pymc", "runtime"),
    *("studies", "views"),
}
"""Modules and packages that read no text but write it, or take names of our own."""

NO_READERS = {
    "BayesBridgeError": "takes a message",
    "agreed_ranks": "takes a name that a system was read with",
    "application": "takes the token that the server drew",
    "by_rank": "takes a name of the package",
    "entry_document": "reads as position_document and records_document do",
    "estimator": "takes the name of a new estimator",
    "estimators_for": "takes names of estimators",
    "equilibrium_table": "takes the name of a scheme of the package",
    "explorer": "takes the token that the server drew",
    "load_plugin": "takes the place that a plugin was found at",
    "network": "takes the name of a file of the package",
    "Piece.of": "has no kind: those of its kinds read",
    "opening_document": "takes an auction that was read from the text",
    "output_arrays": "takes the name of an output",
    "pair_name": "takes names of players that were read",
    "read_records": "reads as records_document does",
    "result_name": "takes the names of an estimator and its output",
    "review_events": "reads as records_document does, and reviews",
    "scheme_words": "takes the name of a scheme",
    "split_sentence": "takes the words that a sentence begins with",
    "stored": "takes the name of a file of the package",
    "style_of": "takes names of players that were read",
    "typed_document": "reads as Entry.of does",
    "usual_words": "takes the word for those who call",
    "vulnerability_counts": "takes the name of a scheme",
}

FURTHER_ARGUMENTS = {
    "auction": Auction.of("N:1C"),
    "before": Auction.of("N:1C"),
    "bidders": "iterative",
    "call": Call.of("1H"),
    "calls": (),
    "dealer": None,
    "dummy": None,
    "field": None,
    "kind": "call",
    "name": "file",
    "observer": None,
    "path": "file.toml",
    "players": (),
    "second": "AKQ2.KJ3.A54.Q32",
    "source": b"",
    "trump": None,
    "vulnerable": Vulnerability.NONE,
    "where": "file",
}
"""What some readers must be given beside the text, by the names of the parameters."""


@dataclass
class Reader:
    name: str
    function: object

    @property
    def parameters(self):
        signature = inspect.signature(inspect.unwrap(self.function))
        return list(signature.parameters.values())

    @property
    def text_parameter(self):
        """The parameter called ``text`` or ``raw``, or else the first."""
        named = [item for item in self.parameters if item.name in ("text", "raw")]
        return (named or self.parameters)[0]

    @property
    def takes_text(self):
        if not callable(self.function) or not self.parameters:
            return False
        annotation = str(self.text_parameter.annotation)
        return re.match(r"(\w+ \| )*(str|bytes|Source)\b", annotation) is not None

    @property
    def reads_files(self):
        names_file = self.text_parameter.name in ("file", "path")
        return names_file or self.name == "System.of, a file"

    def read(self, text):
        """Read the text to its end; what is wrong with it may be said."""
        arguments = {
            item.name: FURTHER_ARGUMENTS[item.name]
            for item in self.parameters
            if item.default is item.empty
            and item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)
            and item.name != self.text_parameter.name
        }
        if "bytes" in str(self.text_parameter.annotation):
            text = text.encode()
        with (
            NamedTemporaryFile("w", suffix=".toml") as file,
            suppress(ValueError),
        ):
            if self.reads_files:
                file.write(text)
                file.flush()
                text = file.name
            value = self.function(**arguments, **{self.text_parameter.name: text})
            if inspect.isgenerator(value):
                for _ in value:
                    pass

    def __repr__(self):
        return self.name


def class_methods(cls):
    """The public class methods of a class, those of its bases in the package too."""
    for base in cls.__mro__:
        if base.__module__.startswith("bayesbridge"):
            for name, method in vars(base).items():
                if isinstance(method, classmethod) and not name.startswith("_"):
                    yield f"{cls.__name__}.{name}", getattr(cls, name)


def public_members():
    """Functions, classes and class methods of the modules that read, by name."""
    for module_info in pkgutil.walk_packages(bayesbridge.__path__, "bayesbridge."):
        if module_info.name.split(".")[1] in WRITERS:
            continue
        module = importlib.import_module(module_info.name)
        for name, member in vars(module).items():
            is_our_own = getattr(member, "__module__", "") in (
                "bayesbridge",
                module.__name__,
            )
            if name.startswith("_") or not is_our_own:
                continue
            if not inspect.isclass(member):
                yield name, member
                continue
            if "__init__" in vars(member) and not is_dataclass(member):
                yield name, member
            yield from class_methods(member)


def readers():
    functions = {**dict(public_members()), "System.of, a file": System.of}
    candidates = [Reader(name, function) for name, function in functions.items()]
    return [
        reader
        for reader in candidates
        if reader.name not in NO_READERS and reader.takes_text
    ]


READERS = {reader.name: reader for reader in readers()}
REMEMBERING = [
    thing
    for thing in gc.get_objects()
    if isinstance(thing, functools._lru_cache_wrapper)
    and thing.__module__.startswith("bayesbridge")
    and thing.cache_parameters()["maxsize"] is not None
]
"""What keeps answers of readers."""

HANDS = "AKQ2.KJ3.A54.Q32"
PBN_DEAL = f'[Deal "N:{HANDS} - - -"]\n'
PBN_CALLS = f'{PBN_DEAL}[Auction "N"]\n'
PBN_CARDS = f'{PBN_DEAL}[Contract "3NT"]\n[Declarer "N"]\n[Play "E"]\n'
LIN_BOARD = "qx|o1|md|3,,SAKQ2HKJ3DA54CQ32,|sv|n|"

USUAL_LENGTH = 1 << 14
LONG = 1 << 16
LARGE = 900_000  # where even quick things show that they are done again and again


class Text(NamedTuple):
    """A text that may be of any length, as its unit is repeated."""

    start: str
    unit: str
    end: str = ""
    longest: int = USUAL_LENGTH

    def repeated(self, times):
        return f"{self.start}{self.unit * times}{self.end}"


def texts(start, *units, end=""):
    return [Text(start, unit, end) for unit in units]


FRAMED_TEXTS = [
    *texts(PBN_CALLS, "AP\n", "P\nAP\n", "1C AP\n", "AP 1C\n", "1C =1= ", "$1", "=1"),
    *texts(PBN_CALLS, '[Note "1:x"]\n', "{x} ", "{", "}\n", ";\n"),
    *texts(PBN_CARDS, "SA ", "C2 D3 H4 S5\n", "- ", "SA ! =1=\n", "S"),
    *texts(PBN_DEAL, '[Board "#"]\n', '[A "x"] ', "[A ", '[Table "x"]\n1 2 3\n'),
    *texts(LIN_BOARD, "mb|p|", "mb|1c|mb|p|", "mb|pp", "pc|SA|", "pc|SA", "an|x|"),
    *texts(LIN_BOARD, "x|mb|", "x\n", "aa|x|", "pn|a,b|", "|"),
    *texts("condition ", "1+", "1||", "hcp(north)>1 && ", "1==", "1?1:", "(", "!", "-"),
    *texts("condition ", "cccc(north)*1 or ", "imps(", "a = 1 a "),
    *texts("predeal north ", "SAKQ, ", "SA ", "north "),
    *texts("action ", "printall, ", 'average "x" hcp(north), ', "average"),
    *texts("shape(north, ", "4333 + ", "any 4333 - ", end=")"),
    *texts('evidence = [{ call = ["', 'W:1NT", "', end='"] }]'),
    *texts("evidence = [", '{ call = "W:1NT" },\n', end="]"),
    *texts("x = 0.", "1", "1 ", "\n# a\n"),
    *texts('x = """', '"a"\n', '""a', "\\n", "x=", end='"""'),
    *texts("x = ", "[", "[1,", "{a = ", "'' "),
    *texts("", "a.", "a . ", '"a".', "[[a]]\n", "[a.", '"a" = 1\n', "a ", "a\t"),
    *texts("https://x.y/?lin=", "mb%7Cp%7C"),
    *texts("strong: ", "hcp(north) + "),
    *texts("N:", "1C p ", "1C ", "AP ", "all pass ", f"{HANDS} "),
    *texts("W:", "S5+ "),
    *texts("1NT ", "p "),
]
"""Texts that are right, or nearly, for one reader; all must take them."""

WORDS = r"""
    1C P AP X (1H) 1H- 1NT~ all~pass~ 3NT~by~S~ SA~ SA, 10 N: W:1C~ S:5+ 4333~ any~4333+
    balanced,~ 10-12~points,~ limit~raise~ transfer~ 5+~spades,~ north~ hcp( ) north, ~
    hcp(north)+ hcp(north)>1~&&~ 1|| 1? 1== ! - not~ ( (( ) () { {} [ [] ] < > | mb| p|
    qx|o1| ; " '' "" \ / % # // /* , : = 0 9 1e 1/ a a. a= a=1~ é ♠ ♠A~ lin= & %7C 10+~
    to~5~ S5+~ HK~ 1~ xx~ by~ N~ A
"""
"""Words and pieces of words of all notations; ``~`` stands for a blank."""

PLAIN_TEXTS = [
    *texts("", *(word.replace("~", " ") for word in WORDS.split())),
    *texts("", *(word.replace("~", "\n") for word in WORDS.split() if "~" in word)),
    *texts("", "\n", "\0"),
]


def example_texts(reader):
    """Texts that the examples of a reader's documentation read, to be repeated."""
    examples = DocTestParser().get_examples(inspect.getdoc(reader.function) or "")
    sources = " ".join(example.source for example in examples)
    literals = re.findall(r'"[^"\n]+"|' + r"'[^'\n]+'", sources)
    units = [literal[1:-1].replace("\\n", "\n") for literal in literals]
    return list(
        chain.from_iterable(texts("", f"{unit} ", f"{unit}\n") for unit in units)
    )


SHORT = 1 << 12
QUICK = 0.005  # seconds; what takes less cannot be compared
ATTEMPTS = 8

STEP = 4
MOST_GROWTH = 3**2
"""Of the time, where a text is doubled twice: linear is 4, the square of it 16."""


def reading_time(reader, text, times):
    """Processor time in seconds, of a reader that remembers no earlier text."""
    repeated = text.repeated(times)
    for function in REMEMBERING:
        function.cache_clear()
    begin = time.process_time()
    reader.read(repeated)
    return time.process_time() - begin


def growth_at(reader, text, times):
    """How many times as long it takes to read ``STEP`` times as many units.

    The shortest of several times counts, since other work can only lengthen them.
    """
    short_time = long_time = math.inf
    for _ in range(ATTEMPTS):
        long_time = min(long_time, reading_time(reader, text, STEP * times))
        if long_time < QUICK:
            return 1.0
        short_time = min(short_time, reading_time(reader, text, times))
        if long_time <= MOST_GROWTH * short_time:
            break
    return long_time / short_time


def steepest_growth(reader, text):
    """The growth from one length to the next.

    Up to the longest, or to the first that is too steep.
    """
    times = max(SHORT // len(text.unit), 1)
    growth = 1.0
    while STEP * times * len(text.unit) <= text.longest and growth <= MOST_GROWTH:
        growth = max(growth, growth_at(reader, text, times))
        times *= STEP
    return growth


def too_steep(reader, candidates):
    growths = {text: steepest_growth(reader, text) for text in candidates}
    return {text: ratio for text, ratio in growths.items() if ratio > MOST_GROWTH}


@pytest.mark.parametrize("reader", READERS.values(), ids=str)
def test_readers_take_time_in_proportion_to_length(reader):
    assert too_steep(reader, [*FRAMED_TEXTS, *example_texts(reader)]) == {}


LARGE_TEXTS = {
    "Toml": Text("evidence = [", '{ call = "W:1NT" },\n', "]", LARGE),
    "read_lin": Text(LIN_BOARD, "x\n", longest=LARGE),
}


@pytest.mark.parametrize(("name", "text"), LARGE_TEXTS.items())
def test_readers_take_time_in_proportion_to_length_of_large_texts(name, text):
    assert too_steep(READERS[name], [text]) == {}


def numbered_lines(text: "str"):
    """Each line with its number, counted from the beginning each time."""
    places = [match.start() for match in re.finditer("\n", text)]
    return [text.count("\n", 0, place) for place in places]


def test_a_reader_that_counts_lines_from_the_beginning_is_caught():
    reader = Reader("numbered_lines", numbered_lines)
    assert reader.takes_text
    assert list(too_steep(reader, [Text("", "\n", longest=LONG)])) != []


def test_readers_are_what_takes_text():
    assert {"read_pbn", "Toml", "Condition.of", "Hand.from_pbn"} <= READERS.keys()


LIMITS = {
    "script": (parse, "1 " * (LONGEST_SCRIPT // 2 + 1)),
    "condition": (parse_expression, "1 " * (LONGEST_SCRIPT // 2 + 1)),
    "chain": (parse_expression, "1" + " + 1" * 300),
    "brackets": (parse_expression, "(" * 60),
    "file": (partial(Toml, "file.toml"), b"#" * (LONGEST_TOML + 1)),
    "key": (partial(Toml, "file.toml"), b"a." * 40),
}


@pytest.mark.parametrize(("read", "text"), LIMITS.values(), ids=LIMITS)
def test_what_is_past_a_limit_is_refused_in_one_line(read, text):
    with pytest.raises(NotationError) as refused:
        read(text)
    assert re.fullmatch(r".{20,200}", str(refused.value))


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS.values(), ids=str)
def test_readers_take_time_in_proportion_to_length_of_any_text(reader):
    all_texts = [*FRAMED_TEXTS, *PLAIN_TEXTS, *example_texts(reader)]
    long_texts = [text._replace(longest=LONG) for text in all_texts]
    assert too_steep(reader, long_texts) == {}
