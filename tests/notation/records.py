"""Whole records drawn at random, and the golden documents."""

import io
from pathlib import Path

from hypothesis import strategies as st

from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record, Tag, Vulnerability
from tests import strategies

GOLDEN = Path(__file__).parent / "golden"
DOCUMENTS = sorted(path for path in GOLDEN.iterdir() if path.suffix in (".pbn", ".lin"))

texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12)
names = st.sampled_from(
    [
        "Event",
        "Scoring",
        "West",
        "South",
        "Stage",
        "vg",
        "rs",
        "ax",
        "Note",
        "ScoreTable",
    ]
)
tables = st.lists(texts.map(lambda text: f"1 {text}".rstrip()), max_size=2).map(tuple)
tags = st.lists(
    st.builds(Tag, names, texts, st.just(()))
    | st.builds(Tag, st.just("ScoreTable"), texts, tables),
    max_size=4,
)


@st.composite
def records(draw):
    """A record of any kind.

    With or without deal, auction and contract, the play begun, claimed, over or not
    told.
    """
    deal = draw(strategies.deals)
    told_hands = draw(
        st.lists(st.booleans(), min_size=4, max_size=4) | st.just([True] * 4)
    )
    auction = draw(st.none() | strategies.auctions(players=4))
    contract = (
        auction.contract
        if auction is not None
        else draw(st.none() | strategies.contracts)
    )
    plays = ()
    if contract is not None:
        plays = tuple(draw(strategies.plays(deal, contract.trump)))
        turned = (contract.declarer.next() - plays[0][0]) % 4 if plays else 0
        plays = tuple((seat.next(turned), card) for seat, card in plays)
        hands = [deal[seat.next(-turned)] for seat in Seat]
    else:
        hands = list(deal)
    alerted = (
        draw(
            st.lists(
                st.booleans(), min_size=len(auction.calls), max_size=len(auction.calls)
            )
        )
        if auction
        else []
    )
    return Record(
        board=draw(texts | st.integers(1, 128).map(str)),
        room=draw(st.sampled_from(["", "Open", "Closed", "3"])),
        dealer=auction.first
        if auction is not None
        else draw(st.none() | strategies.seats),
        vulnerable=draw(st.none() | st.sampled_from(Vulnerability)),
        hands=tuple(
            hand if is_told else None
            for hand, is_told in zip(hands, told_hands, strict=True)
        ),
        auction=auction,
        alerts=tuple(
            (i, draw(texts).strip()) for i, alert in enumerate(alerted) if alert
        ),
        contract=contract,
        plays=plays,
        result=draw(st.none() | st.integers(0, 13)),
        claimed=draw(st.booleans()),
        tags=tuple(draw(tags)),
    )


def written(write, *tables):
    stream = io.StringIO()
    write(tables, stream)
    return stream.getvalue()
