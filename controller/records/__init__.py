"""Matches and positions as text and back: ``.mat``, ``.sgf``, JSON, and the ids that other programs use."""
