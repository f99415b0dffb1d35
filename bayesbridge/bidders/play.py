"""The learned player: P(card ∣ hand, what was seen).

With it the lead and every later card are soft evidence.

A transformer reads the auction, dummy and every card so far; the cards still held join
it in one hidden layer, and P(card) is a softmax over the legal ones
(:mod:`~bayesbridge.bidders.networks`). Seats are counted from declarer: 0 declarer, 1
the leader, 2 dummy, 3 the leader's partner. ``scripts/fit_card_play.py`` makes the
parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.networks import (
    BLOCK,
    Context,
    network,
    read,
    softmax_in_place,
)
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import DECK_CARDS, SUIT_CARDS, SUIT_MASK, Card, Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Singles
from bayesbridge.runtime.jit import one_thread

HEARD: Final = 24
"""Calls that are read, the last ones of the auction."""

NO_CALL: Final = 38
NO_CARD: Final = 52
NO_SUIT: Final = 4
NO_RANK: Final = 13
"""Nothing was led yet, or a side suit has been ruffed."""

PARTNER, OPPONENT, NOBODY = range(3)
"""Who has the best card of the trick so far."""

STARTS: Final = np.cumsum((0, 39, 4, 53, 4, 4, 5, 14, 3, 13, 5, 7, 2))
"""Where the rows of each part of a token begin, in the order of ``CallOrCard``. After them
come 52 rows for the cards that dummy still holds.
"""

FIRST_ROWS: Final = STARTS[:-1]
"""(12,) the first row of each part of a token."""

DUMMY_ROWS: Final = slice(int(STARTS[-1]), None)
"""The rows for the cards that dummy still holds."""

NETWORK_FILE: Final = "play.npz"


class CallOrCard(NamedTuple):
    """A call or a card, and what was seen before it; seats are counted from declarer.

    Each part is a number from 0. The network has a table with a block of rows for each
    part; ``FIRST_ROWS`` says where the blocks begin.
    """

    call: int = NO_CALL
    caller: int = 0
    card_before: int = NO_CARD
    player: int = 0
    place_in_trick: int = 0
    suit_led: int = NO_SUIT
    best_rank: int = NO_RANK
    best_holder: int = NOBODY
    trick: int = 0
    strain: int = 0
    level: int = 0
    is_card: bool = False


class Situations(NamedTuple):
    """What was seen before each of n cards."""

    tokens: NDArray[np.intp]
    """(24 + n, 12) rows of the reader's table, the calls first"""
    dummy: NDArray[np.uint64]
    """(24 + n,) what dummy still holds, as masks; 0 where it is not open"""
    led: NDArray[np.intp]
    """(n,) the suit to follow, NO_SUIT for a lead"""


def situations(
    contract: Contract,
    auction: Auction | None,
    plays: Sequence[tuple[Seat, Card]],
    dummy: int = 0,
) -> Situations:
    """What was seen before each of n cards, which stand in the order played.

    The network reads a sequence of tokens: one for each of the last 24 calls, then one
    for each card. ``dummy`` is the mask of dummy's 13 cards, 0 if they are not known.
    """
    strain = int(contract.strain)
    level = contract.level - 1
    tokens = _call_tokens(auction, contract.declarer, strain, level)
    suits_led: list[int] = []
    card_before = NO_CARD
    trick = _Trick(strain)
    for number, (seat, card) in enumerate(plays):
        player = (seat - contract.declarer) % 4
        trick_number, place = divmod(number, 4)
        if place == 0:
            trick = _Trick(strain)
        token = CallOrCard(
            card_before=card_before,
            player=player,
            place_in_trick=place,
            suit_led=trick.suit,
            best_rank=trick.rank,
            best_holder=trick.holder_for(player),
            trick=trick_number,
            strain=strain,
            level=level,
            is_card=True,
        )
        tokens.append(token)
        suits_led.append(trick.suit)
        trick.take(card, player)
        card_before = card.index
    dummy_before_calls = [0] * HEARD  # nobody sees dummy during the auction
    dummy_before_cards = _open_dummy(plays, dummy)
    return Situations(
        # Parts are numbered from 0; their rows follow the first row of each part.
        tokens=np.array(tokens, np.intp) + FIRST_ROWS,
        dummy=np.array(dummy_before_calls + dummy_before_cards, np.uint64),
        led=np.array(suits_led, np.intp),
    )


def _open_dummy(plays: Sequence[tuple[Seat, Card]], dummy: int) -> list[int]:
    """What dummy still holds before each card, as masks; 0 while it is not open."""
    masks = []
    for number, (_, card) in enumerate(plays):
        is_open = number > 0
        masks.append(dummy if is_open else 0)
        dummy &= ~card.mask
    return masks


def _call_tokens(
    auction: Auction | None, declarer: Seat, strain: int, level: int
) -> list[CallOrCard]:
    """Tokens of the last 24 calls of an auction.

    In front of a shorter auction stand tokens without a call, as if its calls had
    negative numbers.
    """
    calls = () if auction is None else auction.calls
    first = declarer if auction is None else auction.first
    tokens = []
    for number in range(len(calls) - HEARD, len(calls)):
        call = calls[number].index if number >= 0 else NO_CALL
        caller = (first + number - declarer) % 4
        tokens.append(CallOrCard(call=call, caller=caller, strain=strain, level=level))
    return tokens


class _Trick:
    """The best card of a trick so far, and who has it, counted from declarer."""

    def __init__(self, strain: int) -> None:
        self.strain = strain
        self.suit = NO_SUIT
        """The suit led."""
        self._best: Card | None = None
        self._winner = 0

    @property
    def rank(self) -> int:
        """The rank of the best card; none where a side suit has been ruffed."""
        if self._best is None or self._best.suit != self.suit:
            return NO_RANK
        return self._best.rank

    def holder_for(self, player: int) -> int:
        """Who has the best card: partner or an opponent of the player in turn."""
        if self._best is None:
            return NOBODY
        return PARTNER if (self._winner - player) % 4 == 2 else OPPONENT

    def take(self, card: Card, player: int) -> None:
        """A card is played by the player in turn."""
        is_trump = card.suit == self.strain  # no suit is equal to no trumps
        if self._best is None:
            self.suit = int(card.suit)
            wins = True
        elif card.suit == self._best.suit:
            wins = card > self._best
        else:
            wins = is_trump
        if wins:
            self._best = card
            self._winner = player


LOW: Final = 8
"""Cards of a suit below the ten: ranks below this are low."""

ACE_RANK: Final = 12
NOTHING_AGREED: Final = -1
TINY: Final = 1e-30
"""Below any chance, so that nothing is divided by 0."""


def _fourth_best(ranks: Sequence[int]) -> int | None:
    """The fourth card of four or more, from the ranks of a suit, falling."""
    return ranks[3] if len(ranks) >= 4 else None


def _third_or_fifth(ranks: Sequence[int]) -> int | None:
    """The third card of three or four, the fifth of more."""
    if len(ranks) < 3:
        return None
    return ranks[2] if len(ranks) <= 4 else ranks[4]


def _top_of_sequence(ranks: Sequence[int], notrump: bool) -> int | None:
    """The better of the two best cards where these touch and are not headed by the ace.

    In no trumps a third card must be near them.
    """
    if len(ranks) < 2:
        return None
    are_touching = ranks[0] < ACE_RANK and ranks[0] == ranks[1] + 1
    is_third_near = len(ranks) > 2 and ranks[1] - ranks[2] <= 2
    return ranks[0] if are_touching and (is_third_near or not notrump) else None


LOW_CARD_LEADS: Final[Mapping[str, Callable[[Sequence[int]], int | None]]] = {
    "fourth best": _fourth_best,
    "third and fifth": _third_or_fifth,
}
"""Agreements on the low cards of a suit with an honour, and the rank that is led by the
ranks of the suit, falling.
"""

LEADS: Final = (*LOW_CARD_LEADS, "top of sequence")
"""Agreements on which card of a suit with an honour is the opening lead."""


class AgreedLeads(NamedTuple):
    """What a pair may have agreed on opening leads."""

    share: float
    """The probability that they have."""
    agreed: tuple[str, ...]
    """Some of :data:`LEADS`."""
    faith: float
    """How surely they keep to it."""


type Leads = tuple[AgreedLeads, ...]


@cache
def agreed_ranks(agreement: str, notrump: bool) -> NDArray[np.int64]:
    """(8192,) the rank that is led from each holding in a suit, by its 13 bits.

    -1 where the agreement says nothing of it: agreements are on suits with an honour,
    and each speaks either of low cards or of honours.
    """
    if agreement not in LEADS:
        raise BayesBridgeError(
            f"unknown agreement on leads {agreement!r}: choose {', '.join(LEADS)}",
            agreement=agreement,
        )
    low_card_rule = LOW_CARD_LEADS.get(agreement)
    ranks_led = np.full(1 << SUIT_CARDS, NOTHING_AGREED)
    for holding in range(1 << SUIT_CARDS):
        ranks = [rank for rank in reversed(range(SUIT_CARDS)) if holding >> rank & 1]
        has_honour = bool(ranks) and ranks[0] >= LOW
        if has_honour:
            if low_card_rule is None:
                rank = _top_of_sequence(ranks, notrump)
            else:
                rank = low_card_rule(ranks)
            if rank is not None and _is_about(agreement, rank):
                ranks_led[holding] = rank
    return ranks_led


def _is_about(agreement: str, rank: int) -> bool:
    """Whether an agreement speaks of cards like this one, low cards or honours."""
    return (agreement in LOW_CARD_LEADS) == (rank < LOW)


@dataclass(frozen=True, slots=True)
class _SideSuitLead:
    """An opening lead of a suit other than trumps, on which a pair may have agreed."""

    leads: Leads
    notrump: bool

    def chance(
        self, chances: Singles, hands: NDArray[np.uint64], card: int
    ) -> NDArray[np.float64]:
        """(n,) the chance that n hands lead a card, under what the pair may have agreed.

        ``chances`` are (n, 13), those of all cards of its suit, by rank, without any
        agreement. The answer is their mean over the systems that the pair may play, by
        the share of each. Of a system's agreements at most one speaks of cards like
        this, low ones or honours.
        """
        rank = card % SUIT_CARDS
        lowest_of_suit = card - rank
        holdings = hands >> np.uint64(lowest_of_suit) & np.uint64(SUIT_MASK)
        ranks_like_it = slice(LOW, None) if rank >= LOW else slice(None, LOW)
        total = chances[:, ranks_like_it].sum(axis=1, dtype=np.float64)
        mean_chance = np.zeros(len(hands))
        for share, agreements, faith in self.leads:
            chance = chances[:, rank].astype(np.float64)
            for agreement in agreements:
                if _is_about(agreement, rank):
                    agreed_rank = agreed_ranks(agreement, self.notrump)[holdings]
                    chance = _chance_under_agreement(
                        chances, rank, agreed_rank, faith, total
                    )
            mean_chance += share * chance
        return mean_chance


def _chance_under_agreement(
    chances: Singles,
    rank: int,
    agreed_rank: NDArray[np.int64],
    faith: float,
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n,) the chance that n hands lead a rank, where a pair keeps to an agreement.

    ``chances`` are (n, 13) by rank, without the agreement; ``agreed_rank`` (n,) is what
    each hand should lead, below 0 where nothing is agreed. ``total`` (n,) is the chance
    of all cards that the agreement is about, low ones or honours: the agreed card gets
    at least the share ``faith`` of it, and the others share what remains as before.
    """
    plain = chances[:, rank].astype(np.float64)
    rows = np.arange(len(chances))
    plain_of_agreed = chances[rows, agreed_rank].astype(np.float64)
    raised = np.maximum(plain_of_agreed, faith * total)
    total_of_others = np.maximum(total - plain_of_agreed, TINY)
    lowered = plain * (total - raised) / total_of_others
    with_agreement = np.where(agreed_rank == rank, raised, lowered)
    return np.where(agreed_rank < 0, plain, with_agreement)


@dataclass(frozen=True, slots=True)
class LearnedPlayer:
    """Experts at the table, whose leads and plays are soft evidence.

    Parameters
    ----------
    slip : float
        The probability of a card played at random, any legal one.
    leads : tuple of two, optional
        What NS and EW have agreed on opening leads, which a belief takes from their
        systems: of the honours of the suit led, or of its low cards, the one agreed on
        has at least the probability ``faith``.

    Raises
    ------
    BayesBridgeError
        If ``slip`` is no probability.

    Examples
    --------
    >>> from bayesbridge.game.cards import Hand
    >>> sequence, broken = Hand.of("KQJ2.543.8642.73"), Hand.of("K742.543.8642.73")
    >>> hands = np.array([sequence.mask, broken.mask], np.uint64)
    >>> contract, king_led = Contract.of("3NT by S"), [(Seat.W, Card.of("SK"))]
    >>> lead = LearnedPlayer().log_likelihood(hands, contract, king_led, Seat.W)
    >>> bool(lead[0] > lead[1])  # a king is led from a sequence
    True
    """

    of_bridge: ClassVar[bool] = True

    slip: float = 0.01
    leads: tuple[Leads, Leads] = field(default=((), ()), repr=False)

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(
                f"slip {self.slip}: it is a probability, from 0 to 1", slip=self.slip
            )

    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        contract: Contract,
        plays: Sequence[tuple[Seat, Card]],
        seat: Seat,
        auction: Auction | None = None,
        dummy: Hand | None = None,
    ) -> NDArray[np.float64]:
        """Σ log P(card ∣ hand, cards before it) over the cards of a seat.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of the 13 cards that the seat may have been dealt; they must hold the
            cards that it played.
        contract : Contract
        plays : sequence of (Seat, Card)
            All cards in the order played.
        seat : Seat
            Whose cards are in question. Dummy's say nothing, as its hand is open.
        auction : Auction, optional
        dummy : Hand, optional
            The 13 cards of dummy, which everybody sees after the lead; without them the
            player knows less.

        Returns
        -------
        array of float64, shape (n,)
            Natural logarithms.
        """
        one_row("hands", hands)
        if seat == contract.declarer.partner:
            return np.zeros(len(hands))
        situations_before = _situations_before(contract, auction, tuple(plays), dummy)
        held = hands.astype(np.uint64)
        logs = np.zeros(len(hands))
        with one_thread():
            for number, (player, card) in enumerate(plays):
                if player != seat:
                    continue
                agreement = None
                is_opening_lead = number == 0
                if is_opening_lead:
                    agreement = self._lead_agreement(contract, seat, card)
                situation = situations_before[number]
                logs += self._log_chances(situation, held, card.index, agreement)
                held &= ~np.uint64(card.mask)
        return logs

    def _lead_agreement(
        self, contract: Contract, leader: Seat, card: Card
    ) -> _SideSuitLead | None:
        """What may be agreed on the opening lead of a card, ``None`` for nothing."""
        leads = self.leads[leader % 2]
        if not leads or card.suit is contract.trump:
            return None
        return _SideSuitLead(leads, notrump=contract.trump is None)

    def _log_chances(
        self,
        situation: _CardSituation,
        held: NDArray[np.uint64],
        card: int,
        agreement: _SideSuitLead | None,
    ) -> NDArray[np.float64]:
        """(n,) log P(card ∣ situation) for (n,) masks of the cards still held.

        The card is legal for each of these hands, which have played it; a hand without
        any other legal card plays it for certain.
        ``agreement`` is what the pair may have agreed on the lead of a suit.
        """
        legal = _legal_cards(held, situation.suit_led)
        logs = np.zeros(len(held))
        with_choice = np.flatnonzero(np.bitwise_count(legal) > 1)
        for start in range(0, len(with_choice), BLOCK):
            block = with_choice[start : start + BLOCK]
            chances = self._chances(
                situation.context, held[block], legal[block], card, agreement
            )
            with np.errstate(divide="ignore"):
                logs[block] = np.log(chances)
        return logs

    def _chances(
        self,
        context: Context,
        held: NDArray[np.uint64],
        legal: NDArray[np.uint64],
        card: int,
        lead_agreement: _SideSuitLead | None,
    ) -> NDArray[np.float64]:
        """(n,) P(card ∣ context), from (n,) masks of cards held and of legal ones.

        ``context.choices`` are the cards not yet played, rising. ``lead_agreement`` is
        what the pair may have agreed on the opening lead of a suit.
        """
        cards = context.choices
        bits = cards.astype(np.uint64)
        is_legal = (legal[:, None] >> bits & np.uint64(1)).astype(np.bool_)
        vectors = network(NETWORK_FILE).vectors(held)
        chances = _softmax(context.scores(*vectors), is_legal)  # (n, cards)
        column = int(np.searchsorted(cards, card))
        if lead_agreement is None:
            chance = chances[:, column].astype(np.float64)
        else:
            # Before the opening lead no card is played: columns are the whole deck.
            first_of_suit = column - card % SUIT_CARDS
            chances_of_suit = chances[:, first_of_suit : first_of_suit + SUIT_CARDS]
            chance = lead_agreement.chance(chances_of_suit, held, card)
        # A slip plays any legal card.
        slip_each = self.slip / is_legal.sum(axis=1)
        return np.asarray((1.0 - self.slip) * chance + slip_each)


def _legal_cards(held: NDArray[np.uint64], led: int) -> NDArray[np.uint64]:
    """(n,) masks of the cards that follow suit, or of all where none does."""
    if led == NO_SUIT:
        return held.copy()
    following = held & np.uint64(SUIT_MASK << 13 * led)
    return np.where(following, following, held)


def _softmax(scores: Singles, is_legal: NDArray[np.bool_]) -> Singles:
    """(n, cards) chances of the cards that each hand may play, from their scores.

    There may be one row of scores for all hands.
    """
    if len(scores) < len(is_legal):
        scores = np.broadcast_to(scores, is_legal.shape).copy()
    scores[~is_legal] = -np.inf
    softmax_in_place(scores)
    return scores


class _CardSituation(NamedTuple):
    """What is known before a card."""

    context: Context
    suit_led: int
    """The suit to follow, ``NO_SUIT`` for a lead."""


@lru_cache(maxsize=16)
def _situations_before(
    contract: Contract,
    auction: Auction | None,
    plays: tuple[tuple[Seat, Card], ...],
    dummy: Hand | None,
) -> tuple[_CardSituation, ...]:
    """What is known before each of n cards, without any hidden hand.

    The network reads 24 calls and then the cards as a sequence of tokens; with each
    goes what dummy holds at that time.
    """
    net = network(NETWORK_FILE)
    dummy_mask = 0 if dummy is None else dummy.mask
    before = situations(contract, auction, plays, dummy_mask)
    dummy_rows = net.parameters["reader_table_weight"][DUMMY_ROWS]  # (52, width)
    with one_thread():
        dummy_vectors = _cards_of(before.dummy).astype(np.float32) @ dummy_rows
        features = read(net.parameters, before.tokens, dummy_vectors)
        features_before_cards = features[HEARD:]
        contexts = net.contexts(features_before_cards, _unplayed_before(plays))
    suits_led = before.led.tolist()
    return tuple(map(_CardSituation, contexts, suits_led))


def _unplayed_before(plays: Sequence[tuple[Seat, Card]]) -> list[NDArray[np.intp]]:
    """The cards that nobody has played yet, rising, before each card of a play."""
    unplayed = []
    remaining_mask = (1 << DECK_CARDS) - 1
    for _, card in plays:
        is_unplayed = _cards_of(np.array([remaining_mask], np.uint64))[0]
        unplayed.append(np.flatnonzero(is_unplayed))
        remaining_mask &= ~card.mask
    return unplayed


def _cards_of(masks: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(n, 52) which cards are in each of (n,) masks."""
    deck = np.arange(DECK_CARDS, dtype=np.uint64)
    return (masks[:, None] >> deck & np.uint64(1)).astype(np.bool_)
