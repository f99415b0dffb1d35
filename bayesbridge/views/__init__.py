"""Answers as people and programs see them: tables, JSON, the page for a player, the
page of a record.
"""
