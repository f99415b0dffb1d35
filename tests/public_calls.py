"""Every public callable with arguments that it takes, so that tests can spoil one argument at a time."""

import inspect
from functools import cache, partial
from io import StringIO

import numpy as np
import xarray

import bayesbridge as bb
from bayesbridge.bidders.mixture import MixtureBidder
from bayesbridge.bidders.records import records_of
from bayesbridge.bidders.simulate import call_probabilities, sample_call, simulate_auction
from bayesbridge.bidders.styles import Styles
from bayesbridge.bidders.turn import Turn
from bayesbridge.capture import kernels, literal, trumps
from bayesbridge.decisions.lead_table import Lead, Leads
from bayesbridge.decisions.rows import plain_rows
from bayesbridge.duplicate import Duplicate, imps
from bayesbridge.notation import iter_lin, iter_pbn, iter_records, lin_part, read_lin, read_pbn, write_lin, write_pbn
from bayesbridge.notation.record import Record, Vulnerability, read_hands
from bayesbridge.scoring import OLD
from tests.positions import EAST, NORTH, SOUTH, quiet

AUCTION = bb.Auction.of("S:1NT Pass Pass", dummy="N")
FOUR = bb.Auction.of("N:1NT Pass")
DEAL = bb.Deal.of(f"N:{NORTH} {EAST} {SOUTH} -")
HAND = bb.Hand.of(SOUTH)
MASKS = np.array([HAND.mask], dtype=np.uint64)
TRICK = bb.Trick.of("W:S7 S4")
PBN = f'[Board "1"]\n[Dealer "N"]\n[Deal "N:{NORTH} {EAST} {SOUTH} -"]\n[Auction "N"]\n1NT Pass Pass Pass\n'
LIN = "qx|o1|md|3SAKQ2HKJ3DA54CQ32,,,|mb|1N|mb|p|"

UNASKED = frozenset(("BidderModel", "Estimator", "PlayerModel", "hookimpl"))
"""Protocols, which users implement, and pluggy's own marker."""
INNER = frozenset(("compiled", "constrain", "log_chances", "of_sums"))
"""Methods by which the package asks itself: their arguments are tables of its own."""


@cache
def posterior():
    return quiet().infer()


@cache
def at_a_contract():
    belief = bb.Belief("W", "J9.T8642.K53.A97", dummy=None, bidder=bb.LearnedBidder())
    return belief.given(bb.Auction.of("S:1NT Pass 3NT Pass Pass Pass", dummy=None)).infer(draws=100, rng=1)


@cache
def lead():
    """West, who sees everything."""
    return bb.Belief("W", EAST, dummy=None).given(bb.Reveal("N", NORTH), bb.Reveal("S", SOUTH)).infer()


@cache
def lead_choices():
    """Two leads against 3NT, as the comparison would tell them."""
    figures = [((0.4, 0.03), (4.1, 0.1), True), ((0.2, 0.02), (3.6, 0.1), False)]
    rows = [
        Lead((bb.Card.of(card),), beaten, tricks, (0.0, 0.0), (0.0, 0.0), close)
        for card, (beaten, tricks, close) in zip(("H9", "CJ"), figures, strict=True)
    ]
    return Leads(bb.Contract.of("3NT by S"), bb.Seat.W, "beat", tuple(rows), 100, False)


@cache
def result():
    return bb.estimate(posterior())


@cache
def asked():
    return bb.estimate(posterior(), contract="1NT", solve=0)


@cache
def compared():
    return bb.estimate(few(), ["capture", "tricks"])


@cache
def chosen():
    return bb.contracts(few(), "1NT,2S", pair="E:N", solve=0)


@cache
def few():
    return quiet().infer("sample", draws=50, rng=1)


@cache
def joint():
    return bb.joint_distribution(posterior(), "T", "length[E:H]")


@cache
def bidding():
    return quiet().given(bb.Called("W", "1NT"))


@cache
def models():
    return bb.sensitivity(bidding(), slips=[0.02])


@cache
def plan():
    return bb.DealPlan.of(condition="hcp(north) > 20")


@cache
def rates():
    return xarray.DataArray(np.full((1, 2, 1), 0.5), {"player": ["a"]}, ("chain", "draw", "player"))


@cache
def record():
    return read_pbn(PBN).records[0]


def examples():
    """name → (callable, arguments that it takes); methods are bound to a value."""
    layouts = posterior().layouts[:3]
    calls = {
        "Auction": (bb.Auction, {"first": bb.Seat.S, "calls": (bb.Call.of("1C"),), "dummy": bb.Seat.N}),
        "Auction.after": (bb.Auction.three().after, {"call": "1C"}),
        "Auction.after_all": (bb.Auction.three().after_all, {"calls": "1C 1D"}),
        "Auction.can": (bb.Auction.three().can, {"call": "1C"}),
        "Auction.fill": (bb.Auction.three().fill, {"seat": "W", "call": "1C"}),
        "Auction.four": (bb.Auction.four, {"dealer": "S"}),
        "Auction.of": (bb.Auction.of, {"value": "S:1C", "calls": ("1D",), "dummy": "N"}),
        "Auction.three": (bb.Auction.three, {"first": "S", "dummy": "N"}),
        "Auction.verify": (bb.Auction.three().verify, {"call": "1C"}),
        "Belief": (
            bb.Belief,
            {
                "observer": "S",
                "hand": SOUTH,
                "dummy": "N",
                "trump": "H",
                "bidder": bb.IterativeBidder(),
                "player": bb.LearnedPlayer(),
            },
        ),
        "Belief.effect": (quiet().effect, {"piece": bb.Reveal("N", NORTH)}),
        "Belief.given": (bb.Belief("S", SOUTH).given, {"*": bb.Void("E", "H")}),
        "Belief.infer": (quiet().infer, {"method": "auto", "draws": 10, "rng": 1, "before": posterior()}),
        "Belief.with_bidder": (quiet().with_bidder, {"bidder": bb.StyleBidder()}),
        "Belief.of_record": (
            bb.Belief.of_record,
            {"record": record(), "observer": "S", "cards": 0, "bidder": bb.IterativeBidder(), "player": None},
        ),
        "Call": (bb.Call, {"index": 3}),
        "Call.bid": (bb.Call.bid, {"level": 1, "strain": "NT"}),
        "Call.of": (bb.Call.of, {"value": "1C"}),
        "Called": (bb.Called, {"seat": "W", "call": "1C"}),
        "Card": (bb.Card, {"index": 3}),
        "Card.of": (bb.Card.of, {"value": "SA"}),
        "Contract": (bb.Contract, {"level": 1, "strain": bb.Strain.H, "declarer": bb.Seat.S, "doubled": 1}),
        "Contract.of": (bb.Contract.of, {"value": "1NT", "declarer": "S"}),
        "Cost": (bb.Cost, {"most_layouts": 10, "moves": 10}),
        "Deal": (bb.Deal, {"hands": DEAL.hands}),
        "Deal.__getitem__": (DEAL.__getitem__, {"seat": "S"}),
        "Deal.from_pbn": (bb.Deal.from_pbn, {"text": str(DEAL)}),
        "DealPlan": (bb.DealPlan, {"plan": plan().plan, "tests": (), "calls": None}),
        "DealPlan.search": (plan().search, {"n": 2, "rng": 1, "most": 100, "progress": None}),
        "DealPlan.average": (plan().average, {"value": "hcp(south)"}),
        "DealPlan.deals": (plan().deals, {"n": 2, "rng": 1, "most": 100}),
        "DealPlan.frequency": (plan().frequency, {"*": "hcp(south)"}),
        "DealPlan.of": (
            bb.DealPlan.of,
            {
                "*": bb.Void("E", "H"),
                "given": {"S": SOUTH},
                "condition": "hcp(north) > 3",
                "where": lambda layouts: layouts.points[:, 0] > 3,
                "bidder": bb.LearnedBidder(),
            },
        ),
        "Deal.holder": (DEAL.holder, {"card": "SA"}),
        "Deal.of": (bb.Deal.of, {"value": str(DEAL)}),
        "Hand": (bb.Hand, {"mask": 5}),
        "Hand.__and__": (lambda other: HAND & other, {"other": HAND}),
        "Hand.__contains__": (HAND.__contains__, {"card": "SA"}),
        "Hand.__or__": (lambda other: HAND | other, {"other": HAND}),
        "Hand.__sub__": (lambda other: HAND - other, {"other": HAND}),
        "Hand.field": (HAND.field, {"suit": bb.Suit.S}),
        "Hand.from_pbn": (bb.Hand.from_pbn, {"text": SOUTH}),
        "Hand.length": (HAND.length, {"suit": bb.Suit.S}),
        "Hand.of": (bb.Hand.of, {"value": SOUTH}),
        "Hand.verify_full": (HAND.verify_full, {"whose": "the hand"}),
        "HighCards": (bb.HighCards, {"seat": "S", "low": 3, "high": 9}),
        "Holds": (bb.Holds, {"seat": "S", "cards": "SA"}),
        "IterativeBidder": (bb.IterativeBidder, {"slip": 0.1, "suits": False}),
        "IterativeBidder.bid_likelihood": (bb.IterativeBidder().bid_likelihood, {"auction": AUCTION, "index": 0}),
        "IterativeBidder.highest_bids": (bb.IterativeBidder().highest_bids, {"hands": MASKS}),
        "Lacks": (bb.Lacks, {"seat": "S", "cards": "SA"}),
        "Layouts": (bb.Layouts, {"masks": layouts.masks}),
        "Layouts.__getitem__": (layouts.__getitem__, {"index": 1}),
        "Layouts.adopt": (bb.Layouts.adopt, {"masks": layouts.masks.copy()}),
        "Layouts.holds": (layouts.holds, {"card": "SA"}),
        "Layouts.of": (bb.Layouts.of, {"deals": [DEAL]}),
        "LearnedBidder": (bb.LearnedBidder, {"vulnerable": "None", "slip": 0.1}),
        "LearnedPlayer": (bb.LearnedPlayer, {"slip": 0.1}),
        "LearnedPlayer.log_likelihood": (
            bb.LearnedPlayer().log_likelihood,
            {
                "hands": MASKS,
                "contract": bb.Contract.of("1NT by W"),
                "plays": ((bb.Seat.N, bb.Card.of("C4")), (bb.Seat.E, bb.Card.of("C7")), (bb.Seat.S, bb.Card.of("C2"))),
                "seat": bb.Seat.S,
                "auction": None,
                "start": 0,
            },
        ),
        "Length": (bb.Length, {"seat": "S", "suit": "H", "low": 3, "high": 5}),
        "Output": (
            bb.Output,
            {
                "name": "x",
                "doc": "X.",
                "dims": ("a",),
                "dtype": "int8",
                "coords": {"a": (1, 2)},
                "support": None,
                "tricks": None,
            },
        ),
        "Output.labels": (bb.Output("x", "X.", ("suit",)).labels, {"dim": "suit"}),
        "Play": (bb.Play, {"seat": "S", "card": "SA"}),
        "Posterior": (
            bb.Posterior,
            {"belief": quiet(), "draws": posterior().draws, "seed": 1, "asked": ("auto", 10)},
        ),
        "Posterior.blocks": (posterior().blocks, {"size": 1000}),
        "Posterior.expect": (posterior().expect, {"quantity": lambda layouts: layouts.points[:, 0]}),
        "Posterior.resample": (posterior().resample, {"n": 5, "rng": 1}),
        "Posterior.to_dataframe": (posterior().to_dataframe, {"n": 3, "rng": 1}),
        "Result.of": (bb.Result.of, {"tree": result()}),
        "Result.to_dataframe": (result().to_dataframe, {"group": "pmf"}),
        "Question": (
            bb.Question,
            {"pair": (bb.Seat.S, bb.Seat.N), "trump": bb.Suit.H, "trick": TRICK, "played": 0},
        ),
        "Question.of": (bb.Question.of, {"pair": "SN", "trump": None, "trick": TRICK, "played": 0}),
        "Reveal": (bb.Reveal, {"seat": "S", "hand": SOUTH}),
        "Scheme": (
            bb.Scheme,
            {"name": "x", "values": (1,) * 5, "base": 0, "per_level": 1, "per_overtrick": 0, "undertrick": 25},
        ),
        "Scheme.of": (bb.Scheme.of, {"value": OLD.mapping}),
        "Scheme.score": (OLD.score, {"contract": bb.Contract.of("1NT by S"), "tricks": 7}),
        "Seat.next": (bb.Seat.S.next, {"steps": 1}),
        "Seat.of": (bb.Seat.of, {"value": "S"}),
        "Shape": (bb.Shape, {"seat": "S", "shape": "balanced"}),
        "Strain.of": (bb.Strain.of, {"value": "S"}),
        "StyleBidder": (
            bb.StyleBidder,
            {"aggressiveness": 0.1, "suit_preference": 0.1, "temperature": 1.0, "slip": 0.1, "vulnerable": "None"},
        ),
        "Suit.of": (bb.Suit.of, {"value": "S"}),
        "SystemBidder": (bb.SystemBidder, {"systems": "weak-twos", "base": bb.LearnedBidder(), "faith": 0.9}),
        "Trick": (bb.Trick, {"leader": bb.Seat.S, "trump": bb.Suit.H, "cards": (bb.Card.of("SA"),)}),
        "Trick.after": (TRICK.after, {"seat": "E", "card": "S3", "hand": bb.Hand.of(EAST)}),
        "Trick.can": (TRICK.can, {"seat": "E", "card": "S3", "hand": bb.Hand.of(EAST)}),
        "Trick.legal": (TRICK.legal, {"hand": HAND}),
        "Trick.of": (bb.Trick.of, {"value": "W:S7 S4", "trump": "H"}),
        "Trick.verify": (TRICK.verify, {"seat": "E", "card": "S3", "hand": bb.Hand.of(EAST)}),
        "TrickCount": (bb.TrickCount, {"fails_at": 0, "failing": "fails", "holding": "holds"}),
        "Tricks": (
            bb.Tricks,
            {
                "name": "T",
                "values": np.arange(3),
                "shares": np.full(3, 1 / 3),
                "count": bb.TrickCount(),
                "exact": True,
            },
        ),
        "Tricks.at_least": (bb.Tricks.of(result()).at_least, {"tricks": 8}),
        "Tricks.goal": (bb.Tricks.of(result()).goal, {"tricks": 8}),
        "Tricks.of": (bb.Tricks.of, {"result": result(), "name": "T"}),
        "Tricks.share": (bb.Tricks.of(result()).share, {"tricks": 8}),
        "Void": (bb.Void, {"seat": "S", "suit": "H"}),
        "at_least": (bb.at_least, {"result": result(), "name": "T"}),
        "deals": (
            partial(bb.deals, 2),
            {
                "*": bb.Void("E", "H"),
                "rng": 1,
                "given": {"S": SOUTH},
                "condition": "hcp(north) > 3",
                "where": None,
                "bidder": None,
                "most": 100,
            },
        ),
        "card_history": (
            bb.card_history,
            {
                "belief": bb.Belief("E", EAST),
                "card": "SQ",
                "by_card": False,
                "draws": 10,
                "rng": 0,
                "progress": None,
            },
        ),
        "card_wins": (bb.card_wins, {"posterior": posterior(), "trick": bb.Trick.of("S:"), "pair": None}),
        "reached": (bb.reached, {"posterior": at_a_contract()}),
        "equally_weighted": (bb.equally_weighted, {"result": result(), "draws": 10, "rng": 0}),
        "estimate": (
            bb.estimate,
            {
                "posterior": posterior(),
                "estimators": "capture",
                "pair": "E:N",
                "trump": "H",
                "trick": bb.Trick.of("E:"),
                "contract": None,
                "by": None,
                "solve": None,
                "actual": False,
                "seconds": None,
                "rng": 0,
                "progress": None,
                "timeout": None,
                "memory": None,
            },
        ),
        "compare": (bb.compare, {"estimates": compared(), "names": None, "paired": True}),
        "contracts": (
            bb.contracts,
            {
                "posterior": few(),
                "contracts": "1NT",
                "scheme": "new",
                "vulnerable": "None",
                "pair": "E:N",
                "against": "2NT",
                "doubled": 0,
                "solve": 0,
                "seconds": None,
                "rng": 0,
                "timeout": None,
                "memory": None,
            },
        ),
        "estimator": (bb.estimator, {"name": "x", "doc": "X.", "dtype": "int8"}),
        "high_card_points": (bb.high_card_points, {"masks": MASKS}),
        "html_record": (
            bb.html_record,
            {
                "record": Record(hands=(None, None, bb.Hand.of("AKQ2.KJ3.A54.Q32"), None)),
                "observer": "S",
                "title": "x",
                "by_card": False,
                "draws": 50,
                "rng": 0,
                "progress": None,
                "command": None,
            },
        ),
        "html_report": (
            bb.html_report,
            {
                "posterior": posterior(),
                "result": result(),
                "title": "x",
                "level": 1,
                "steps": None,
                "prior": None,
                "command": None,
                "contract": None,
                "leads": None,
                "examples": 1,
            },
        ),
        "joint_distribution": (partial(bb.joint_distribution, posterior()), {"*": "T", "pair": "S:N"}),
        "open_records": (bb.open_records, {"path": __file__}),
        "plot_captures": (bb.plot_captures, {"result": result(), "figure": None, "axes": None}),
        "plot_cards": (bb.plot_cards, {"source": result(), "ax": None}),
        "plot_contract": (bb.plot_contract, {"result": asked(), "ax": None}),
        "plot_contracts": (bb.plot_contracts, {"found": chosen(), "most": 3, "ax": None}),
        "plot_distribution": (bb.plot_distribution, {"result": result(), "name": "delta", "ax": None}),
        "plot_points": (bb.plot_points, {"source": result(), "ax": None}),
        "plot_leads": (bb.plot_leads, {"found": lead_choices(), "ax": None}),
        "plot_suit_play": (bb.plot_suit_play, {"play": bb.suit_play("AQ", "32"), "ax": None}),
        "plot_lengths": (bb.plot_lengths, {"source": result(), "ax": None}),
        "plot_prior_posterior": (
            bb.plot_prior_posterior,
            {"prior": result(), "posterior": result(), "name": "T", "ax": None},
        ),
        "leads": (
            bb.leads,
            {
                "posterior": lead(),
                "contract": "3NT",
                "by": "S",
                "goal": "beat",
                "seconds": 1.0,
                "rng": 0,
                "progress": None,
                "timeout": None,
                "memory": None,
            },
        ),
        "plot_joint": (bb.plot_joint, {"joint": joint(), "ax": None}),
        "plot_sensitivity": (bb.plot_sensitivity, {"found": models(), "level": 1, "figure": None}),
        "plot_shrinkage": (
            bb.plot_shrinkage,
            {"rates": rates(), "counts": {"a": (1, 2)}, "truth": {"a": 0.4}, "ax": None},
        ),
        "plot_sharpening": (bb.plot_sharpening, {"source": steps(), "figure": None, "axes": None}),
        "plot_tricks": (bb.plot_tricks, {"result": result(), "name": "T", "level": 1, "ax": None}),
        "sensitivity": (
            bb.sensitivity,
            {
                "belief": bidding(),
                "slips": [0.02],
                "bidders": "iterative",
                "pair": "S:N",
                "draws": 10,
                "rng": 0,
                "progress": None,
            },
        ),
        "sharpening": (
            bb.sharpening,
            {
                "belief": bb.Belief("E", EAST),
                "pair": "E:N",
                "level": 1,
                "by_card": False,
                "draws": 10,
                "rng": 0,
                "progress": None,
            },
        ),
        "suit_lengths": (bb.suit_lengths, {"masks": MASKS}),
        "suit_play": (
            bb.suit_play,
            {"first": "AQ", "second": "32", "posterior": None, "suit": None, "vacant": (13, 13), "work": 1000},
        ),
        "summary": (bb.summary, {"result": result(), "names": "T", "probability": 0.9}),
        "value_of_information": (
            bb.value_of_information,
            {
                "posterior": posterior(),
                "decision": {"S": lambda layouts: layouts.points[:, 2], "W": lambda layouts: layouts.points[:, 3]},
                "questions": "card[SQ]",
                "scheme": "new",
                "vulnerable": "None",
                "pair": "E:N",
                "rng": 0,
            },
        ),
    }
    for kind in ("Called", "HighCards", "Holds", "Lacks", "Length", "Play", "Reveal", "Shape", "Void"):
        made = getattr(bb, kind)
        piece = made.of(made.example)
        calls[f"{kind}.of"] = (made.of, {"text": piece.text})
    for kind in ("IterativeBidder", "LearnedBidder", "StyleBidder", "SystemBidder"):
        model = getattr(bb, kind)(*["weak-twos"] * (kind == "SystemBidder"))
        calls[f"{kind}.log_likelihood"] = (model.log_likelihood, {"hands": MASKS, "auction": FOUR, "index": 0})
        calls[f"{kind}.probabilities"] = (model.probabilities, {"hands": MASKS, "auction": FOUR})
    return calls


@cache
def steps():
    return bb.sharpening(bb.Belief("E", EAST), draws=10)


def documented():
    """The same for what the reference names beside the top level."""
    style = bb.StyleBidder()
    return {
        "MixtureBidder": (MixtureBidder, {"bidders": (style, style)}),
        "MixtureBidder.log_likelihood": (
            MixtureBidder((style,)).log_likelihood,
            {"hands": MASKS, "auction": AUCTION, "index": 0},
        ),
        "MixtureBidder.probabilities": (
            MixtureBidder((style,)).probabilities,
            {"hands": MASKS, "auction": bb.Auction.three()},
        ),
        "Turn.of": (Turn.of, {"auction": AUCTION, "index": 0}),
        "call_probabilities": (call_probabilities, {"bidder": style, "hands": MASKS, "auction": bb.Auction.three()}),
        "sample_call": (sample_call, {"bidder": style, "hand": SOUTH, "auction": bb.Auction.three(), "rng": 1}),
        "simulate_auction": (
            simulate_auction,
            {"deal": DEAL, "bidders": style, "first": "S", "dummy": "N", "rng": 1},
        ),
        "records_of": (records_of, {"deal": DEAL, "auction": AUCTION, "players": {bb.Seat.S: "x"}}),
        "Styles.load": (Styles.load, {"path": "there-is-no-such-file"}),
        "capture": (literal.capture, {"first": HAND, "second": bb.Hand.of(NORTH)}),
        "bid": (literal.bid, {"hand": HAND}),
        "kernels.bids": (kernels.bids, {"hands": MASKS}),
        "kernels.captures": (kernels.captures, {"first": MASKS, "second": MASKS ^ MASKS}),
        "trumps.trump_captures": (
            trumps.trump_captures,
            {"first": MASKS, "second": MASKS ^ MASKS, "trump": bb.Suit.S},
        ),
        "kernels.tricks": (kernels.tricks, {"first": MASKS, "second": MASKS ^ MASKS}),
        "iter_lin": (iter_lin, {"source": LIN}),
        "iter_pbn": (iter_pbn, {"source": PBN}),
        "iter_records": (iter_records, {"path": __file__}),
        "lin_part": (lin_part, {"record": record()}),
        "read_lin": (read_lin, {"source": LIN}),
        "read_pbn": (read_pbn, {"source": PBN}),
        "write_lin": (write_lin, {"records": [record()], "stream": StringIO()}),
        "write_pbn": (write_pbn, {"records": [record()], "stream": StringIO()}),
        "read_hands": (read_hands, {"text": f"N:{NORTH} - - -"}),
        "plain_rows": (plain_rows, {"found": chosen()}),
        "Duplicate": (Duplicate, {"vulnerable": Vulnerability.NS, "name": "duplicate"}),
        "Duplicate.score": (Duplicate().score, {"contract": bb.Contract.of("1NT by S"), "tricks": 7}),
        "imps": (imps, {"difference": 420}),
        "Vulnerability.of": (Vulnerability.of, {"value": "None"}),
        "Record": (Record, {"dealer": bb.Seat.N, "hands": DEAL.hands, "auction": FOUR, "board": "1"}),
    }


def public_names():
    """Each public callable with arguments, as the examples name it."""
    for name in bb.__all__:
        thing = getattr(bb, name)
        if name in UNASKED or (isinstance(thing, type) and issubclass(thing, Exception)):
            continue
        if not isinstance(thing, type):
            yield name
            continue
        borrowed = any(base.__module__.startswith("xarray.") for base in thing.__mro__)  # much of it is not ours
        if not issubclass(thing, int) and not borrowed:
            yield name
        for key in ("of", "next") if issubclass(thing, int) else vars(thing) if borrowed else dir(thing):
            member = inspect.getattr_static(thing, key, None)
            own = key in ("__getitem__", "__contains__", "__or__", "__and__", "__sub__") or not key.startswith("_")
            if own and key not in INNER and (inspect.isfunction(member) or isinstance(member, classmethod)):
                parameters = list(inspect.signature(getattr(thing, key)).parameters)
                if parameters not in ([], ["self"]):
                    yield f"{name}.{key}"
