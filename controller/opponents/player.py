"""What the built-in player does when it has to act: one pure function, in five levels.

The same position and roll give the same play. The weaker levels misjudge: their estimates are blurred by an amount
that is drawn from the position alone. The two best look at all 21 replies to their likeliest plays.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from controller.errors import IllegalActionError
from controller.opponents.estimate import Worth, chances, equity, value_after
from controller.ports import Decision
from controller.rules import ALL_ROLLS, Color, Position, legal_plays
from controller.rules.cube import is_dead, why_not_double
from controller.rules.game import Game, Phase, must_pass, plays
from controller.rules.match import Match

LIVE = 0.68
"""How much of its full value the ownership of the cube has on average (Janowski 1993)."""

POST_CRAWFORD_GAMMONS = 0.2
"""How often a game after the Crawford game ends in a gammon for the trailing player, of those that he wins."""


@dataclass(frozen=True, slots=True)
class Level:
    """How well a player plays.

    Attributes:
        blur: by how much it misjudges a position at most, in units of the cube.
        replies: to how many of its likeliest plays it looks at all replies.
        doubles: whether it ever doubles.
        drops: whether it ever drops a double.
    """

    blur: float = 0.0
    replies: int = 0
    doubles: bool = True
    drops: bool = True


LEVELS: Mapping[str, Level] = {
    "beginner": Level(blur=0.35, doubles=False, drops=False),
    "easy": Level(blur=0.15),
    "medium": Level(),
    "hard": Level(replies=3),
    "expert": Level(replies=6),
}
"""The levels, weakest first (rules/RULES.md: the beginner never doubles and always takes)."""


def decide(match: Match, level: str) -> Decision:
    """Return what the player who has to act does.

    Raises:
        IllegalActionError: nobody has to act, or there is no such level.
    """
    game = match.game
    if game is None or game.to_act is None:
        raise IllegalActionError("nobody has to act")
    if level not in LEVELS:
        raise IllegalActionError(f"no opponent is called {level!r}; there are {', '.join(LEVELS)}")
    player, skill = game.to_act, LEVELS[level]
    if game.resignation is not None:
        return Decision("accept" if _gives_enough(match, player) else "refuse")
    if game.phase is Phase.OFFERED:
        return Decision("take" if not skill.drops or takes(match) else "drop")
    if game.phase is Phase.TO_ROLL:
        return Decision("double" if skill.doubles and doubles(match) else "roll")
    if must_pass(game):
        return Decision("play", game.before)
    return Decision("play", best_play(game, skill, worth_of(match, player)))


def worth_of(match: Match, player: Color) -> Worth:
    """Return what gammons are worth to `player` and to his opponent at this score, under these rules."""
    game, rules = match.game, match.rules
    assert game is not None
    if game.money and rules.jacoby and not game.cube.turned:
        return Worth(0.0, 0.0)

    def extra(who: Color) -> float:
        return 0.0 if is_dead(game, who) else float(rules.gammon - 1)

    return Worth(extra(player), extra(player.opponent))


def best_play(game: Game, skill: Level, worth: Worth) -> Position:
    """Return where the play leads that a player of this skill makes of the roll on the table."""
    ends = list(plays(game))
    worths = {end: value_after(end, worth) + skill.blur * _whim(end) for end in ends}
    ranked = sorted(ends, key=lambda end: (-worths[end], str(end)))
    if skill.replies and len(ranked) > 1 and ranked[0].on_board:
        likely = ranked[: skill.replies]
        return max(likely, key=lambda end: (after_replies(end, worth, game), worths[end]))
    return ranked[0]


def after_replies(after: Position, worth: Worth, game: Game) -> float:
    """Return what a play that leads to `after` is worth when the opponent makes the best of each of 21 rolls."""
    position, his = after.turned(), worth.turned()
    total = 0.0
    for roll in ALL_ROLLS:
        ends = list(legal_plays(position, roll, game.rules.must_use)) or [position]
        total += (1 if roll.is_double else 2) * max(value_after(end, his) for end in ends)
    return -total / 36


def _whim(position: Position) -> float:
    """Return a number from -1 to 1 that depends on nothing but the position."""
    return zlib.crc32(str(position).encode()) / 0x7FFFFFFF - 1


def doubles(match: Match) -> bool:
    """Tell whether the player on roll does well to double.

    Where the opponent drops, that is unless playing on for a gammon is worth more; where he takes, when it gains.
    """
    game = match.game
    if game is None or game.turn is None or why_not_double(game) is not None or is_dead(game, game.turn):
        return False
    if _behind_after_crawford(match, game.turn):
        return True
    with_take, without = _cubed(match, game.turn)
    if with_take > 1.0:
        return equity(chances(game.position), worth_of(match, game.turn)) <= 1.0
    return with_take > without


def takes(match: Match) -> bool:
    """Tell whether the player who is offered a double loses less by taking it than by dropping it."""
    game = match.game
    if game is None or game.offer is None:
        raise IllegalActionError("no double is on offer")
    doubler = game.offer.by
    if game.offer.kind == "double" and _behind_after_crawford(match, doubler):
        return _takes_after_crawford(match, doubler)
    return _cubed(match, doubler)[0] <= 1.0


def _cubed(match: Match, doubler: Color) -> tuple[float, float]:
    """Return what `doubler` wins on average after double and take, and without a double, in units of the cube.

    Janowski's formulas ("Take-Points in Money Games", 1993), from his chances with average wins and losses.
    """
    game = match.game
    assert game is not None
    found, worth = chances(game.seen_by(doubler)), worth_of(match, doubler)
    won = 1 + worth.mine * found.gammon / max(found.win, 1e-6)
    lost = 1 + worth.other * found.lost_gammon / max(1 - found.win, 1e-6)
    slope = found.win * (won + lost + 0.5 * LIVE) - lost
    with_take = 2 * (slope - 0.5 * LIVE)
    if game.offer is not None or game.cube.owner is doubler:
        return with_take, slope
    return with_take, 4 / (4 - LIVE) * (slope - 0.25 * LIVE)


def _behind_after_crawford(match: Match, player: Color) -> bool:
    """Tell whether the opponent of `player` needs one point only, so that the cube costs `player` nothing."""
    game = match.game
    return game is not None and not game.crawford and game.away is not None and match.away(player.opponent) == 1


def _takes_after_crawford(match: Match, doubler: Color) -> bool:
    """Tell whether the leader, who needs one point, takes: his chance now against his chance after a drop."""
    game = match.game
    assert game is not None
    away = match.away(doubler)
    assert away is not None
    value = game.cube.value
    loses = chances(game.seen_by(doubler)).win
    return 1 - loses + loses * leads_after_crawford(away - 2 * value) >= leads_after_crawford(away - value)


def leads_after_crawford(away: int) -> float:
    """Return how often a player who needs one point wins a match whose Crawford game is over.

    Args:
        away: what the other player needs; he doubles at once in every game.

    Example:
        >>> [round(leads_after_crawford(away), 2) for away in (1, 2, 3, 4)]
        [0.5, 0.5, 0.7, 0.7]
    """
    if away <= 0:
        return 0.0
    if away == 1:
        return 0.5
    plain, gammon = leads_after_crawford(away - 2), leads_after_crawford(away - 4)
    return 0.5 + 0.5 * ((1 - POST_CRAWFORD_GAMMONS) * plain + POST_CRAWFORD_GAMMONS * gammon)


def _gives_enough(match: Match, player: Color) -> bool:
    """Tell whether the resignation on offer is worth as much to `player` as playing on."""
    game = match.game
    assert game is not None
    assert game.resignation is not None
    position, worth = game.seen_by(player), worth_of(match, player)
    found = equity(chances(position), worth)
    if game.turn is not player:
        found = -equity(chances(position.turned()), worth.turned())
    return game.resignation.level >= found
