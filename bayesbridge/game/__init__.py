"""The rules of the game and its things: cards, deals, calls, tricks, tables, scores."""
