"""Answers as people and programs see them.

Tables, JSON, the page for a player, the page of a record.
"""
