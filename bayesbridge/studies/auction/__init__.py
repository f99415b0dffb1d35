"""The auction of the three-player game as a game: deals, types of hands, strategies."""
