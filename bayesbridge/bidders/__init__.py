"""Bidder models: P(call ∣ hand, auction so far).

This likelihood makes a call evidence about the hand.
"""
