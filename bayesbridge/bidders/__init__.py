"""Bidder models: P(call ∣ hand, auction so far), the likelihood that makes a call
evidence.
"""
