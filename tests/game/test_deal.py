"""Seats and deals: PBN there and back, and cards that cannot lie so."""

import pytest
from hypothesis import given

from bayesbridge import Card, Deal, Seat
from bayesbridge.errors import DealError, NotationError
from tests.strategies import deals, seats

pytestmark = pytest.mark.quick

# Each suit runs A K Q … to one seat: the four 13-card suits, and a flat deal.
FLAT = "N:AKQ2.KJ3.A54.Q32 JT9.AQT.KQJ.KJT9 876.987.T98.A876 543.6542.7632.54"


def test_flat_deal_reads_as_written():
    deal = Deal.from_pbn(FLAT)
    assert deal["S"].pbn == "876.987.T98.A876"
    assert [hand.points for hand in deal] == [19, 17, 4, 0]
    assert deal.holder("ca") is Seat.S


@given(deals)
def test_deal_round_trip(deal):
    assert Deal.from_pbn(deal.pbn) == Deal.of(str(deal)) == Deal.of(deal) == deal
    assert eval(repr(deal)) == deal
    assert Deal.of({seat: deal[seat].pbn for seat in Seat}) == deal


@given(deals, seats)
def test_deal_from_any_seat_with_one_hand_left_out(deal, first_seat):
    order = [first_seat.next(i) for i in range(4)]
    for missing in (None, *Seat):
        fields = ["-" if seat == missing else deal[seat].pbn.lower() for seat in order]
        assert Deal.of(f"{first_seat.name.lower()}: {'  '.join(fields)} ") == deal


@given(seats)
def test_seats_go_round(seat):
    assert seat.next().next().next().next() is seat.next(4) is seat.next(0) is seat
    assert seat.partner.partner is seat
    assert seat.partner is seat.next(2) is not seat
    assert (
        Seat.of(seat) is Seat.of(seat.name) is Seat.of(f" {seat.name.lower()} ") is seat
    )


def swapped(old, new):
    assert FLAT.count(old) == 1
    return FLAT.replace(old, new)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", NotationError, "deal '' has 0 hands: write N:hand hand hand hand"),
        (swapped("N:", "Q:"), NotationError, "unknown seat 'Q'"),
        (swapped(" 543.6542.7632.54", ""), NotationError, "has 3 hands"),
        (
            swapped("AKQ2.KJ3", "AKQ.KJ3"),
            DealError,
            "N's hand 'AKQ.KJ3.A54.Q32' has 12 cards",
        ),
        (swapped("876.987", "A76.987"), DealError, "SA lies in both N and S"),
        (swapped("876.987", "8Z6.987"), NotationError, "unknown rank 'Z' in '8Z6'"),
        (
            swapped("AKQ2.KJ3.A54.Q32 JT9.AQT.KQJ.KJT9", "- -"),
            DealError,
            "no cards for N and E",
        ),
    ],
)
def test_bad_deal(text, error, says):
    with pytest.raises(error) as caught:
        Deal.of(text)
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_card_in_two_of_three_hands_is_not_blamed_on_the_fourth():
    deal = swapped("876.987", "A76.987").replace("JT9.AQT.KQJ.KJT9", "-")
    with pytest.raises(DealError, match="SA lies in both N and S") as caught:
        Deal.of(deal)
    assert caught.value.data == {"card": Card.of("SA")}


@pytest.mark.parametrize("text", ["", "X", "NE", "norths", "0"])
def test_bad_seat(text):
    with pytest.raises(NotationError) as caught:
        Seat.of(text)
    assert repr(text) in str(caught.value)
