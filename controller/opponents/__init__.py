"""Players that are built in: what a computer does at the table when it is its turn.

`decide(match, level)` is a pure function of what lies on the table, in five levels; `controller.opponents.gnubg`
asks GNU Backgammon in a process of its own, and `controller.opponents.seat` is the port that a table calls. No
player ever sees a roll that is to come: the table throws the same dice for everybody.

Example:
    >>> from controller.rules import RollOpening, act_in, new_match, next_game, profile
    >>> match = act_in(next_game(new_match(profile(), 1)), RollOpening(3, 1))
    >>> str(decide(match, "medium").after)
    '-b---BD-B---eE---c-e----B-'
"""

from controller.opponents.player import LEVELS, Level, decide

__all__ = ["LEVELS", "Level", "decide"]
