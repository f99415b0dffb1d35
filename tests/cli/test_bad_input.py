"""Every wrong command line ends with status 2 and one line on stderr.

The line quotes what is wrong and says how to mend it; nothing is on stdout.
"""

import shlex

import pytest

from bayesbridge import cli
from bayesbridge.cli import bid

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ32.A54"
S = f"--observer S --hand {HAND}"
WEST = "--players 4 --observer W --hand AJ6532.K742.Q.96"
OPEN = "play --observer S --hand AKQ2.AJ3.A54.Q32 --reveal N:J54.Q72.KQ76.A85"
FIRST = "--play W:H5 --play N:HQ --play E:H4 --play S:H3"
SUIT = "--observer S --hand K954.KJ3.A54.Q32 --reveal N:AJT32.A2.K76.A54"
FEW = f"contracts {S} --reveal N:{DUMMY} --holds E:ST,S9,S8,HT,H9,H8,DJ,DT,D9,CK --solve 0"
STYLED = "estimate --observer S --hand QJ4.KJ3.9542.J32 --auction W:1C-p-1D-p --style"

QUICK = f"""
bid AKQ2.KJ3.A54.Q3 | 'AKQ2.KJ3.A54.Q3' has 12 cards | add the missing 1
capture {HAND} J54.AQ2.KQ32.A754 | argument SECOND: hand 'J54.AQ2.KQ32.A754' has 14 cards | \
surplus 1
capture {HAND} A54.AQ2.KQ32.J54 | SA lies in both hands | a card has one place
bid AXQ2.KJ3.A54.Q32 | unknown rank 'X' in 'AXQ2' | ranks are A K Q
bid '' | empty hand '' | write spades.hearts.diamonds.clubs
study captures --deals abc | 'abc' is not a number | write a whole number
study captures --deals 1.5 | '1.5' is not a whole number | from 1 to
study captures --deals 1e999999999 | '1e999999999' is out of | from 1 to
study captures --deals | argument --deals: expected one argument | study --help
captain {HAND} | invalid choice: 'captain' | capture
estimat | invalid choice: 'estimat' | did you mean 'estimate'?
count --obsever S | unrecognized arguments: --obsever S | \
did you mean '--observer'? (see 'bayesbridge count --help')
count --observer Nort | unknown seat 'Nort' | did you mean 'North'?
estimate {S} --estimator trick | unknown estimator | did you mean 'tricks'?
estimate {S} --method importanc | unknown method 'importanc' | did you mean 'importance'?
bid {HAND} --js | unrecognized arguments: --js | --help
capture {HAND} | required: SECOND | see 'bayesbridge capture --help'
estimate | no observer and no hand | give --observer S --hand AKQ2.KJ3.A54.Q32
estimate --observer S | no hand | give --hand AKQ2.KJ3.A54.Q32
suit | no holdings: give dummy's and declarer's, such as AJT32 K954 | \
or --suit S and evidence that shows both hands
count --observer N --hand {HAND} | argument --observer: N is the dummy's seat | \
another dummy, by --dummy
count {S} --hand {DUMMY} | argument --hand: given twice | give it once
estimate {S} --bidder mind | argument --bidder: unknown bidder model 'mind' | iterative
count {S} --slip 1.5 | argument --slip: '1.5' is no probability | from 0 to 1
count {S} --reveal {DUMMY} | argument --reveal: '{DUMMY}' | such as N:J54
count {S} --play E:KX | argument --play: unknown suit 'K' in card 'KX' | then rank
count {S} --length W:S:9-5 | argument --length: W's length in S | the lower first
count {S} --length W:S:long | argument --length: 'long' is no range | 5-13, 5, 5+
count {S} --call W:2C --call E:1C | argument --call: illegal call '1C' by E | legal: Pass, 2D
count {S} --play W:C7 --play E:C8 | argument --play: trick 1: E cannot | N's turn
count {S} --holds E:SA | \
these cannot hold together: S shows {HAND}; E holds SA. Take one of them | (given by --holds)
count {S} --hcp W:11+ --hcp E:11+ | \
together: S shows {HAND}; W has 11 to 40 high-card points; E | (given by --hcp)
count {S} --where 'aces(north) >= 2' --where 'aces(east) > 1' | \
these cannot hold together: S shows |
count {S} --auction 'E:1H (2S)' | argument --auction: | in brackets
count {S} --players 4 --system x | argument --system: unknown system 'x' | write acol
count {S} --system weak-notrump --system strong-notrump | \
argument --system: systems weak-notrump and | contradict each
count {S} --dummy N --system weak-twos | argument --system: it is for four players | \
give --players 4 too
count {S} --where 'aces(nroth) == 1' | argument --where: line 1, column 6: 'nroth' is no seat |
count {WEST} --auction 'p p p p' | does not tell who began it | write S:p p p p, or add --dealer S
count {WEST} --auction S:1NT --dealer N | begins with S | leave --dealer N out
count --record BOARDS --after-card 1 | argument --after-card: it counts from a trick on | \
no --after-trick is named
count --record BOARDS --board 77 | with an auction and S's hand | choose 1, 2, 3, 4, 5, 6, 7, 8
deal --condition 'hpc(north)' | argument --condition: line 1, column 1: unknown word 'hpc' |
deal --type 'a: 1' --type 'a: 0' | two types have the same name | give each a name
deal none.dlr | cannot read 'none.dlr' | name a script, or give a condition with --condition
deal --out x.doc | deals are PBN, LIN, text or a page | let its name end in .pbn
deal --hcp N:30+ --hcp S:20+ | no deal fits what is given |
deal --out x.pbn --form lin | argument --form: 'x.pbn' would not hold lin | write to .txt
deal --call N:1NT --bidder nobody | argument --bidder: unknown bidder model 'nobody' | choose
"""
"""Words, what is wrong, how to mend it."""

MORE = f"""
estimate {S} --estimator mind | argument --estimator: unknown estimator 'mind' | choose bid, capture
estimate {S} --method enumerate | argument --method enumerate: 84478098072866400 | enumeration
estimate {S} --method direct --call W:1NT | argument --method direct: calls | importance
estimate {S} --pair S:S | argument --pair: pair 'S:S' | two different seats
estimate {FEW[10:-10]} --slip 0 --call W:7C | no layout explains the calls | (given by --call)
estimate {S} --bidders iterative | \
no call of another seat: the answer depends on no bidder model | give a --call
estimate {S} --call W:2NT --bidders nobody | argument --bidders: unknown bidder model 'nobody' | \
choose
{OPEN} --trick W:H5 --seat E | argument --seat: in 'W:H5' it is the turn of N | leave --seat
{OPEN} {FIRST} --trick E: | argument --trick: 'E:' does not begin with 'N:', as | fix either
{OPEN} --seat N | argument --contract: no contract to play | name one, such as 3NT
{OPEN} --trick 'W:H5 HQ H4 H3 H6' --seat N | argument --trick: trick | a trick has four
{OPEN} --trick 'W:H5 HK' --seat E | argument --trick: trick 1: N cannot play 'HK' | does not hold it
{OPEN} --play W:H6 --trick W:H5 --seat N | \
argument --trick: 'W:H5' does not begin with 'W:H6', as the | fix either
{FEW} --contracts '4S by W' | argument --contracts: contract '4S by W' | with three players
{FEW} --against 9S | argument --against: unknown contract '9S' |
{FEW} --scheme rubber | argument --scheme: unknown scoring scheme 'rubber' | \
write old, new or duplicate
{FEW} --vulnerable EW | argument --scheme: vulnerable EW: scheme 'new' knows no vulnerability | \
leave it out
{FEW} --pair S:W | argument --pair: pair S:W | partners sit opposite
{FEW} --find-out colour[SQ] | argument --find-out: unknown question 'colour[SQ]' |
suit AJ KJ | J stands in both 'AJ' and 'KJ' | remove one
suit AJ | argument HOLDING: 1 given | give dummy's and declarer's, such as AJT32 K954
suit AQ K9 {SUIT} | AQ and K9 are not what N and S hold in any suit |
suit --suit S {SUIT[:37]} | N's hand is hidden | show it
style none.pbn | there is no file 'none.pbn' | give a PBN or LIN file
style PAIRS --pair Ash+Oak | argument --pair: pair 'Ash+Oak' is not in the records |
style PAIRS --pair Alder+Ash --out style.txt | 'style.txt': a style is JSON | \
let its name end in .json
style BOARDS | names both players of a pair and has all hands |
score PAIRS --history BOARDS | no pair of the boards is in | name them alike there
{STYLED} EW:standard --style EW:strong-club | argument --style: two styles for one side | \
give each side one
{STYLED} none.json | argument --style: style 'none.json' | \
write the side and a file, as EW:style.json
{STYLED} EW:BOARDS | not a style of this network ( |
score BOARDS --reader none:None | argument --reader: cannot load 'none:None' | write module:name
score BOARDS --reader counting --reader counting | \
argument --reader: 'counting' is given twice | once
score BOARDS --moments tea | argument --moments: unknown moment 'tea' | \
choose auction, lead, 1, 3, 6 or 9
score BOARDS --moments 1 --chair dummy | \
argument --chair dummy: dummy looks on from the lead on | leave --moments out
score BOARDS --cards 3 --chair dummy | argument --chair dummy: dummy looks on from the lead on | \
leave --cards out
score bayesbridge/py.typed | holds no record that can be read | give a PBN or LIN file
report no/such.pbn --text | there is no file 'no/such.pbn' | give a PBN or LIN file
report BOARDS --void E:H | \
argument --void: FILE tells what was seen, or is named by --record FILE | leave
report BOARDS --text --board 77 | no board 77 in | choose 1
study headline --exact | study 'headline' has no exact count | leave --exact out
study captures --scheduler nobody | unknown scheduler 'nobody' | write threads, processes
study captures --resume /dev/null/at/all | is not the checkpoint of a study |
"""


@pytest.mark.parametrize(
    "row",
    [
        *(pytest.param(row, marks=pytest.mark.quick) for row in QUICK.splitlines()[1:]),
        *MORE.splitlines()[1:],
    ],
)
def test_one_line_says_what_is_wrong_and_how_to_mend_it(complaint, row):
    words, problem, remedy = (
        row.split(" | ")
        if row.count(" | ") == 2
        else [*row.removesuffix(" |").split(" | "), ""]
    )
    for name, path in {
        "BOARDS": "examples/boards.pbn",
        "PAIRS": "examples/pairs.pbn",
    }.items():
        words = words.replace(name, path)
    message = complaint(*shlex.split(words))
    assert problem in message
    assert remedy in message
    assert message.startswith(problem) or not problem.startswith("argument ")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["bid", "AKQ2\nKJ3"], r"'AKQ2\nKJ3' has 1 suits"),
        (["bid", HAND, "--a\nb"], "--a b"),
    ],
)
def test_lines_in_words_are_one_line(complaint, words, problem):
    assert problem in complaint(*words)


def raising(error):
    def run(args):
        raise error

    return run


def test_an_unexpected_error_is_one_line_and_status_1(capsys, monkeypatch):
    monkeypatch.delenv("BAYESBRIDGE_DEBUG", raising=False)
    monkeypatch.setattr(bid, "run", raising(RuntimeError("two\nlines")))
    assert cli.main(["bid", HAND]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        err
        == "bayesbridge: RuntimeError: two\\nlines (BAYESBRIDGE_DEBUG=1 shows where)\n"
    )


def test_debug_shows_the_traceback_too(capsys, monkeypatch):
    monkeypatch.setenv("BAYESBRIDGE_DEBUG", "1")
    monkeypatch.setattr(bid, "run", raising(RuntimeError("why")))
    assert cli.main(["bid", HAND]) == 1
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert "in run" in err
    assert err.splitlines()[-1].startswith("bayesbridge: RuntimeError: why")


@pytest.mark.parametrize(
    ("closed", "hand", "status"),
    [("stderr", "x", 2), ("stdout", "AKQ2.KJ3.A54.Q32", 0)],
)
def test_a_closed_stream_leaves_the_other_alone(
    capsys, monkeypatch, closed, hand, status
):
    monkeypatch.setattr(f"sys.{closed}", None)
    assert cli.main(["bid", hand]) == status
    assert capsys.readouterr() == ("", "")
