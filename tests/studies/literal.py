"""The studies' experiments in plain Python: one deal at a time, the literal algorithms, tricks by the rules of play."""

from bayesbridge import Card, Hand, Seat, Trick
from bayesbridge.capture import literal

DEALS = 2_500


def hands_of(masks):
    """Four hands of a row of masks."""
    return [Hand(int(mask)) for mask in masks]


def auction(hands):
    """(player, level, levels) of the highest of three bids, the first on ties; ``None`` if all pass."""
    levels = [literal.bid(hand).level for hand in hands[:3]]
    if not any(levels):
        return None
    level = max(levels)
    return levels.index(level), level, levels


def around_the_table(hands, player):
    """Bidder, next player, dummy, the player after."""
    return [hands[player], hands[(player + 1) % 3], hands[3], hands[(player + 2) % 3]]


def play(table, ours="general", theirs="general"):
    """Tricks of seats 0 and 2 when seat 0 leads, at no trumps."""
    left = [set(hand) for hand in table]
    leader, taken = 0, 0
    for _ in range(13):
        trick = Trick(Seat(leader))
        while not trick.complete:
            seat = trick.turn
            policy = ours if seat % 2 == 0 else theirs
            legal = trick.legal(Hand.of(left[seat]))
            trick = trick.after(seat, choose(policy, trick, list(legal)), Hand.of(left[seat]))
        for seat, card in trick:
            left[seat].remove(card)
        leader = int(trick.winner)
        taken += leader % 2 == 0
    return taken


def choose(policy, trick, cards) -> Card:
    highest = max(cards, key=lambda card: (card.rank, -card.suit))
    lowest = min(cards, key=lambda card: (card.rank, card.suit))
    if trick.suit is None:
        return lowest if policy == "low" else highest
    if cards[0].suit is not trick.suit or policy == "low":
        return lowest
    if policy == "high" or highest.rank > trick.cards[0].rank:
        return highest
    return lowest
