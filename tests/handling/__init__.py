"""How people handle checkers, dice and clocks: whole games at a simulated table, with their truth.

Every order of moves, tries and take-backs, slides, early replies, sloppy bars, nudges, and now and then a wrong
play. What the session records is compared with what was really played.
"""

from tests.handling.evening import Counts, Evening

__all__ = ["Counts", "Evening"]
