"""What a page is told: against the library asked directly, and what is refused."""

import json
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.bidders.learned import LearnedBidder, PairStyle
from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.errors import NotationError
from bayesbridge.game.calls import CALLS
from bayesbridge.web import answers as page
from bayesbridge.web.board import table_document
from bayesbridge.web.entries import (
    entry_document,
    position_document,
    records_document,
)
from bayesbridge.web.memory import Memory
from bayesbridge.web.questions import read_question
from tests.decisions.test_review import SOLVER

SETTINGS = {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"}
FOUR = SETTINGS | {"players": "4"}
BOARD = """[Board "7"]
[Dealer "N"]
[Vulnerable "EW"]
[Deal "N:J54.AQ2.KQ76.A54 T98.T987.JT9.T98 AKQ2.KJ3.A54.Q32 763.654.832.KJ76"]
[Auction "N"]
1D Pass 1S Pass 1NT Pass 3NT Pass
Pass Pass
[Play "E"]
HT H3 H4 H2
"""


@pytest.fixture(scope="module")
def memory():
    return Memory()


def answer_events(memory, evidence=(), settings=SETTINGS, **fields):
    """Events by name; those that come several times as lists."""
    events = {}
    for name, document in page.answers(
        read_question({"settings": settings, "evidence": list(evidence), **fields}),
        memory,
    ):
        json.dumps(document, allow_nan=False)
        events.setdefault(name, []).append(document)
    return events


def test_hard_evidence_is_told_exactly(memory):
    events = answer_events(memory, [["void", "E:H"], ["length", "W:S:5+"]])
    assert list(events) == ["board", "cards", "chip", "captures", "points", "contracts"]
    belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(
        bb.Void("E", "H"), bb.Length("W", "S", 5)
    )
    posterior = belief.infer(rng=3)
    (cards,) = events["cards"]
    (captures,) = events["captures"]
    assert cards["stage"] == "exact"
    assert np.allclose(cards["cards"], posterior.card_probabilities().values, atol=1e-6)
    assert np.allclose(
        cards["lengths"], posterior.length_probabilities().values, atol=1e-6
    )
    assert cards["layouts"] == str(belief.count())
    assert "Computed exactly" in " ".join(cards["how"])
    tricks = bb.estimate(posterior).tricks()
    assert captures["exact"]
    assert captures["mean"] == pytest.approx(tricks.mean_if_held, abs=1e-4)
    assert captures["pmf"]["10"] == pytest.approx(tricks.share(10), abs=1e-6)


def test_what_a_chip_changed_adds_up(memory):
    events = answer_events(memory, [["void", "E:H"], ["holds", "W:SJ"]])
    start = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    end = start.given(bb.Void("E", "H"), bb.Holds("W", "SJ"))
    lost = sum(chip["bits"] for chip in events["chip"])
    assert lost == pytest.approx(
        np.log2(start.count()) - np.log2(end.count()), abs=0.002
    )
    card, seat, before, after = events["chip"][1]["moved"][0]
    assert (card, seat, after) == ("SJ", "W", 1.0)
    assert before == pytest.approx(8 / 29, abs=1e-6)


def test_an_own_card_changes_nothing_and_noise_is_not_told(memory):
    calls = [
        ["call", f"{call}"]
        for call in ("W:1H", "N:Pass", "E:Pass", "S:1S", "W:Pass", "N:Pass", "E:Pass")
    ]
    chips = answer_events(
        memory,
        [
            *calls,
            ["play", "W:H8"],
            ["play", "N:H4"],
            ["play", "E:H5"],
            ["play", "S:H3"],
        ],
        FOUR,
    )["chip"]
    assert chips[10] == {"number": 10, "bits": 0.0, "moved": [], "exact": True}
    assert chips[0]["moved"][0][:2] == ["HA", "W"]
    belief_of_seed_5, belief_of_seed_6 = (
        memory.known(
            bb.Belief("S", SETTINGS["hand"], dummy=None).given(bb.Called("W", "1H")),
            seed,
        )
        for seed in (5, 6)
    )
    assert page.change_document(belief_of_seed_5, belief_of_seed_6)["moved"] == []


def test_calls_of_experts_come_twice_and_agree_within_their_errors(memory):
    events = answer_events(
        memory, [["call", "W:1H"], ["call", "N:Pass"], ["call", "E:2H"]], FOUR
    )
    early, late = events["cards"]
    assert (early["stage"], late["stage"]) == ("first", "more")
    early_shares = np.array(early["cards"])
    late_shares = np.array(late["cards"])
    error = np.sqrt(
        np.maximum(late_shares * (1 - late_shares), 1e-3)
        * (1 / early["ess"] + 1 / late["ess"])
    )
    assert np.max(np.abs(early_shares - late_shares) / error) < 5.5
    control = np.array(answer_events(memory, [], FOUR)["cards"][0]["cards"])
    assert np.max(np.abs(late_shares - control) / error) > 5.5
    assert late["draws"] >= 4_000
    assert events["board"][0]["bidder"].startswith("an average of experts")
    assert events["board"][0]["player"].startswith("an average of experts")


def test_a_contract_is_judged(memory):
    events = answer_events(
        memory, [["reveal", "N:54.Q762.Q76.J654"]], contract="3NT by S"
    )
    (tricks,) = events["tricks"]
    assert tricks["needed"] == 9
    assert tricks["chance"] == pytest.approx(sum(tricks["pmf"][9:]), abs=1e-3)
    assert 0.0 <= tricks["chance"] < 0.3
    (refused,) = answer_events(memory, [], contract="3NT by N")["tricks"]
    assert "dummy" in refused["refused"]


def test_contracts_are_ranked_while_they_can_be_bid(memory):
    (contracts,) = answer_events(memory, [["call", "W:1H"]], FOUR)["contracts"]
    posterior = memory.known(
        bb.Belief("S", SETTINGS["hand"], dummy=None, player=bb.LearnedPlayer()).given(
            bb.Called("W", "1H")
        ),
        1,
    )
    ranking = bb.contracts(posterior, solve=0, rng=1)
    expected = ranking["contract"].values.tolist()
    low = ["1H by W"] if "1H by W" in expected[10:] else []
    assert [row["contract"] for row in contracts["rows"]] == [*expected[:10], *low]
    scores = [row["score"] for row in contracts["rows"]]
    assert scores == sorted(scores, reverse=True)
    assert contracts["scheme"] == "duplicate"
    (unranked,) = answer_events(memory, [["call", "W:7NT"]])["contracts"]
    assert "nothing outranks" in unranked["refused"]


def test_cards_are_ranked_in_the_middle_of_a_play(memory, install):
    """Cards are ranked for dummy too, whose cards the observer plays.

    Nothing is ranked while a defender is in turn.
    """
    calls = [
        ["call", call]
        for call in ("S:1NT", "W:Pass", "N:3NT", "E:Pass", "S:Pass", "W:Pass")
    ]
    lead = [*calls, ["play", "W:H5"], ["reveal", "N:J54.AQ2.KQ76.A54"]]
    assert (
        "install the plugin bayesbridge-double-dummy"
        in answer_events(memory, lead, FOUR)["leads"][0]["refused"]
    )
    install("solver", SOLVER)
    (ranking,) = answer_events(memory, lead, FOUR)["leads"]
    ranked = sorted(chain.from_iterable(row["cards"] for row in ranking["cards"]))
    assert (ranking["seat"], ranked) == ("N", ["H2", "HA", "HQ"])
    assert all(0.0 <= row["make"] <= 1.0 for row in ranking["cards"])
    assert "leads" not in answer_events(memory, [*lead, ["play", "N:HQ"]], FOUR)


def test_a_contradiction_names_the_smallest_set_and_loses_nothing(memory):
    evidence = [["holds", "E:HA"], ["length", "W:S:5+"], ["void", "E:H"]]
    events = answer_events(memory, evidence)
    assert list(events) == ["board"]
    conflict = events["board"][0]["conflict"]
    assert conflict["chips"] == [0, 2]
    assert not conflict["own"]
    assert [chip["text"] for chip in events["board"][0]["chips"]] == [
        text for _, text in evidence
    ]
    (board,) = answer_events(memory, [["holds", "E:SA"]])["board"]
    assert board["conflict"]["chips"] == [0]
    assert board["conflict"]["own"]


def test_an_illegal_call_is_the_chip_to_blame(memory):
    (board,) = answer_events(memory, [["call", "W:2NT"], ["call", "E:1NT"]])["board"]
    assert board["conflict"]["chips"] == [1]
    assert "illegal call" in board["conflict"]["message"]
    assert board["auction"]["calls"] == [["W", "2NT"]]


def test_calls_that_nothing_explains_are_a_conflict(memory):
    settings = SETTINGS | {"bidder": "iterative", "slip": "0"}
    board = answer_events(
        memory, [["reveal", "W:5432.5432.5432.4"], ["call", "W:7NT"]], settings
    )["board"][-1]
    assert board["conflict"]["chips"]


def test_the_board_knows_turns_winners_and_voids(memory):
    calls = [
        ["call", call]
        for call in ("S:1NT", "W:Pass", "N:3NT", "E:Pass", "S:Pass", "W:Pass")
    ]
    board = answer_events(memory, calls[:1], FOUR)["board"][0]
    assert board["auction"]["turn"] == "W"
    assert "X" in board["auction"]["legal"]
    assert "1NT" not in board["auction"]["legal"]
    plays = [
        ["play", "W:C4"],
        ["play", "N:C5"],
        ["play", "E:C9"],
        ["play", "S:CQ"],
        ["play", "S:SA"],
        ["play", "W:D2"],
    ]
    question = read_question({"settings": FOUR, "evidence": [*calls, *plays]})
    play = table_document(question, question.position._replace(pieces=()).belief())[
        "play"
    ]
    assert play["tricks"][0]["winner"] == "S"
    assert play["won"] == {"NS": 1, "EW": 0}
    assert play["turn"] == "N"
    assert play["opens"] == "N"
    assert "SA" not in play["legal"]["N"]
    assert "S3" in play["legal"]["N"]


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ({"settings": {"observer": "X"}}, "unknown seat"),
        ({"settings": {"colour": "red"}}, "unknown setting 'colour'"),
        ({"settings": {"bidder": "os.system"}}, "unknown bidder"),
        ({"settings": {"system": ["/etc/passwd"]}}, "unknown system"),
        (
            {"settings": {"style": ["EW:/etc/passwd"]}},
            "unknown style 'EW:/etc/passwd': choose standard",
        ),
        ({"settings": {"style": "standard"}}, "unknown style"),
        ({"evidence": [["void", "E:H"], ["void", "E:Z"]]}, "chip 2: unknown suit"),
        ({"settings": SETTINGS, "contract": "9NT by S"}, "contract: unknown"),
    ],
)
def test_a_bad_question_is_refused_in_one_line(question, why):
    with pytest.raises(NotationError, match=r"^[^\n]+$") as error:
        read_question(question).verify()
    assert why in str(error.value)


def test_records_become_what_each_seat_saw():
    document = records_document("match.pbn", BOARD)
    (board,) = document["boards"]
    assert (
        board["board"],
        board["contract"],
        board["vulnerable"],
        board["dealer"],
    ) == ("7", "3NT by N", "EW", "N")
    pieces = board["views"]["S"]["pieces"]
    assert pieces[:2] == [["call", "N:1D"], ["call", "E:Pass"]]
    assert ["play", "E:HT"] in pieces
    assert [kind for kind, _ in board["views"]["W"]["pieces"]].count("reveal") == 1
    for view in board["views"].values():
        read_question(
            {
                "settings": {"observer": "S", "hand": view["hand"]},
                "evidence": view["pieces"],
            }
        )


NOTRUMP = [
    ["call", call]
    for call in ("S:1NT", "W:Pass", "N:3NT", "E:Pass", "S:Pass", "W:Pass")
]


@pytest.mark.parametrize(
    ("text", "settings", "evidence"),
    [
        ("KQ84.75.KJ73.A98", {"hand": "KQ84.75.KJ73.A98"}, []),
        ("kq84 75 kj73 a98 (1H)", {"hand": "KQ84.75.KJ73.A98"}, [["call", "E:1H"]]),
        (
            "W:KQ84.75.KJ73.A98 1NT-3NT AP",
            {"hand": "KQ84.75.KJ73.A98", "observer": "W"},
            NOTRUMP,
        ),
        (
            "West: ♠7 ♥75 ♦KJ73 ♣A98432",
            {"hand": "7.75.KJ73.A98432", "observer": "W"},
            [],
        ),
        ("S:1NT p 3NT p p p", {}, [*NOTRUMP, ["hcp", "W:12-14"]]),
    ],
)
def test_a_hand_and_an_auction_become_a_question(text, settings, evidence):
    """Another hand is another deal.

    An auction takes the place of calls and cards, and leaves facts.
    """
    evidence_before = [["call", "S:1C"], ["play", "W:H5"], ["hcp", "W:12-14"]]
    for settings_before in (FOUR, FOUR | {"system": ["sayc"]}):
        question = entry_document(
            read_question({"settings": settings_before, "evidence": evidence_before}),
            "",
            text,
        )
        question.pop("opening", None)  # how the auction was read
        assert question == {
            "settings": settings_before | settings,
            "evidence": evidence,
        }
    # An empty table, where the auction comes before the hand.
    bare = {
        "observer": "S",
        "players": "4",
    }
    moved = entry_document(
        read_question({"settings": bare, "evidence": evidence_before[:1]}),
        "",
        "KQ84.75.KJ73.A98",
    )
    assert moved == {
        "settings": bare | {"hand": "KQ84.75.KJ73.A98"},
        "evidence": evidence_before[:1],
    }


@pytest.mark.parametrize(
    ("text", "sentence", "openers", "doubt"),
    [
        ("W: AJ6532.K742.Q.96 1NT-3NT", "You open 1NT; you call next.", "NESW", True),
        (
            "AQJ74.65.KJ5.A42 1S p 4S AP",
            "East opens 1♠; you are on lead.",
            "NESW",
            True,
        ),
        ("KQ84.75.KJ73.A98 (1H)", "East opens 1♥; you call next.", "EW", False),
        ("KQ84.75.KJ73.A98 N:1H p", "North, your partner, opens 1♥; you", "", False),
        ("S:1NT AP", "You open 1NT; West is on lead.", "", False),
        ("S:p p p p", "Nobody has opened; the deal is passed out.", "", False),
    ],
)
def test_an_auction_says_how_it_was_read(text, sentence, openers, doubt):
    question = read_question({"settings": {"observer": "S", "players": "4"}})
    opening = entry_document(question, "", text)["opening"]
    assert opening["sentence"].startswith(sentence)
    assert "".join(seat for seat, _ in opening["openers"]) == openers
    assert opening["doubt"] is doubt


def test_your_call_is_that_of_experts(memory):
    (calls,) = answer_events(memory, [["call", "E:1H"]], FOUR)["calls"]
    hand = np.array([bb.Hand.of(SETTINGS["hand"]).mask], np.uint64)
    auction = bb.Auction.of("E", "1H", None)
    shares = call_probabilities(LearnedBidder(), hand, auction)[0]
    assert calls["rows"][0] == {
        "call": str(CALLS[shares.argmax()]),
        "share": pytest.approx(shares.max(), abs=1e-6),
    }
    # South has called, so West is to call.
    assert "calls" not in answer_events(memory, [["call", "S:1H"]], FOUR)


def test_a_chip_that_cannot_be_read_is_marked_and_loses_nothing(memory):
    evidence = [["void", "E:H"], ["hcp", "W:12-6"], ["nonsense", "x"]]
    (board,) = answer_events(memory, evidence)["board"]
    assert board["conflict"]["chips"] == [1, 2]
    assert "12 to 6" in board["conflict"]["message"]
    assert [chip["sentence"] for chip in board["chips"]] == [
        "E is void in ♥",
        "hcp W:12-6",
        "nonsense x",
    ]
    question = read_question({"settings": FOUR, "evidence": evidence})
    with pytest.raises(NotationError, match="chip 2"):
        question.verify()
    new_deal = entry_document(question, "", "KQ84.75.KJ73.A98")
    assert new_deal["evidence"] == []
    assert page.fact_document("hcp", "w:6-12") == {"kind": "hcp", "text": "W:6-12"}


def test_a_text_is_known_by_what_it_holds():
    question = read_question({"settings": FOUR})
    assert entry_document(question, "", BOARD)["boards"][0]["board"] == "7"
    position = entry_document(question, "", 'hand = "KQ84.75.KJ73.A98"\nevidence = []')
    assert position == {"settings": {"hand": "KQ84.75.KJ73.A98"}, "evidence": []}
    assert entry_document(
        question,
        "",
        json.dumps(PairStyle("A+B", np.zeros(16), np.eye(16), 9).to_dict()),
    )["text"]
    for text, why in (
        ("AKQ2.KJ3.A54.Q3", "has 12 cards"),
        ("1NT 1H", "illegal call"),
        ("hello", "is not understood"),
    ):
        with pytest.raises(bb.BayesBridgeError, match=why):
            entry_document(question, "", text)


def test_a_position_file_goes_in_and_out():
    text = (
        'observer = "S"\nhand = "AKQ2.KJ3.A54.Q32"\n'
        'evidence = [{ void = "E:H" }, { call = ["W:1NT"] }]\n'
    )
    question = position_document("p.toml", text)
    read_again = read_question(question)
    assert [piece.value.text for piece in read_again.position.pieces] == [
        "E:H",
        "W:1NT",
    ]
    assert position_document("p.toml", read_again.position.toml()) == question
    with pytest.raises(NotationError, match=r"p\.toml:1"):
        position_document("p.toml", "observer")
    for name, value in {
        "style": "EW:own.json",
        "system": "own.toml",
        "bidder": "os",
    }.items():
        with pytest.raises(NotationError, match=f"unknown {name}"):
            position_document("p.toml", f"{name} = '{value}'\n{text}")


def test_a_style_travels_as_a_word(memory):
    style = LearnedBidder(style={"EW": PairStyle.of_text("strong-club")}).style[1]
    question = read_question({"settings": FOUR})
    word = entry_document(
        question,
        "own.json",
        json.dumps(replace(style, pair="Ash+Elm", tables=7).to_dict()),
    )["text"]
    average = FOUR | {"hand": "QJ4.KJ3.9542.J32"}
    settings = average | {"style": [f"EW:{word}", "NS:standard"]}
    (board, *_) = answer_events(memory, [["call", "W:1C"]], settings)["board"]
    assert board["systems"] == [
        "NS bid in the typical style standard",
        "EW bid as Ash+Elm did at 7 tables",
    ]
    names = {}
    exec(board["python"], names)
    question = read_question({"settings": settings})
    assert names["belief"].bidder == question.position.belief().bidder
    assert (
        position_document("p.toml", question.position.toml())["settings"]["style"]
        == settings["style"]
    )
    events = [
        answer_events(memory, [["call", "W:1C"]], answer)
        for answer in (settings, average)
    ]
    posterior = names["belief"].infer(rng=9)
    points = posterior.layouts.points[:, 3]
    spread = np.sqrt(
        np.cov(points, aweights=posterior.weights)
        * (1 / posterior.ess + 1 / events[0]["cards"][-1]["ess"])
    )
    z = [
        (answer["points"][-1]["points"][3] @ np.arange(38) - posterior.weights @ points)
        / spread
        for answer in events
    ]
    # As the library has it; without the style the club is weaker.
    assert abs(z[0]) < 5 < -z[1]
    with pytest.raises(bb.BayesBridgeError, match=r"^own\.json: not a style"):
        entry_document(question, "own.json", "{}")


def test_a_review_is_that_of_the_library(monkeypatch):
    monkeypatch.setitem(USUAL, "review", Budget(200, solve=20, seconds=3.0))
    impossible = f"{BOARD}S2 SA S7 S4\n"  # East leads a card that South was dealt
    *cards, (last_name, summary) = page.review_events(
        read_question({}), "match.pbn", impossible, 0
    )
    expected = bb.review(
        bb.notation.read_pbn(BOARD.encode()).records[0], rng=1
    ).to_dict("records")
    for (_, card), row in zip(cards, expected, strict=True):
        assert {key: card[key] for key in expected[0]} == row
    last_card = cards[-1][1]
    assert (last_card["number"], last_card["card"], last_card["verdict"]) == (
        3,
        "H2",
        "costly",
    )
    assert (last_name, summary["note"][:61]) == (
        "review",
        "4 of 52 cards are on record, the rest is left out: trick 2: E",
    )
    # One costly card, none that was unlucky.
    assert [row[::2] for row in summary["rows"] if row[0] == "North"] == [
        ["North", "1", "0"]
    ]
    with pytest.raises(NotationError, match="no cards played on record to review"):
        list(
            page.review_events(
                read_question({}), "match.pbn", BOARD.split("[Play")[0], 0
            )
        )


def test_layouts_fit_the_evidence(memory):
    question = read_question(
        {"settings": SETTINGS, "evidence": [["void", "E:H"]], "number": 5}
    )
    layouts = page.layouts_document(question, memory)["layouts"]
    assert len(layouts) == 5
    for hands in layouts:
        assert hands[2] == "AKQ2.KJ3.A54.Q32"
        assert hands[1].split(".")[1] == ""
