"""Two scripted players at a simulated table: what lies on it from moment to moment, and the buttons they press.

They roll real dice onto their right half of the field, lift and set down one checker at a time with a hand over
the board, put hit checkers on the bar, sometimes try a play and take it back, and hit the clock. The same seed
gives the same evening.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from controller.board import START_BOARD, Board, Scene, SceneDie
from controller.rules import Color, Move, Play, Position, Roll, legal_plays

BESIDE = 1.13
"""Where dice lie that are not in play, across the field as in `SceneDie`."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the table looks like for a while.

    Attributes:
        lasts_s: how long nothing changes, seconds at normal speed.
        scene: what lies on the table.
        press: the button pressed when this moment begins, or None: ``"clock"`` or ``"roll"``.
        player: whose button it is.
        new_game: the checkers have just been set up.
    """

    lasts_s: float
    scene: Scene
    press: str | None = None
    player: Color = Color.WHITE
    new_game: bool = False


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where the players go on in a game that was begun before.

    Attributes:
        board: what stands on the board.
        turn: who is on roll; None: the game has not begun, both throw one die.
        roll: what he has rolled already, or None.
    """

    board: Board
    turn: Color | None
    roll: Roll | None


FROM_THE_START = Beginning(START_BOARD, None, None)


@dataclass(frozen=True, slots=True)
class Shown:
    """A roll that the table's electronic dice show.

    Attributes:
        roll_id: names it.
        roll: the faces.
        player: on whose dice; after the opening roll whoever begins.
    """

    roll_id: int
    roll: Roll
    player: Color


Told = Callable[[], Shown | None]
"""Returns the newest roll that the electronic dice show, or None before the first."""


class Hearing:
    """What the players hear of the table: plays that the computer announces, and turns that are recorded.

    A `controller.ports.Publisher`; the players ask it from moment to moment.

    Args:
        computer: whom the computer plays.
    """

    def __init__(self, computer: Color) -> None:
        self.computer = computer
        self._heard: list[Mapping[str, Any]] = []

    async def publish(self, event: Mapping[str, Any], snapshot: Mapping[str, Any]) -> None:
        """Hear one event."""
        self._heard.append(event)

    def begun(self) -> tuple[Color, Roll] | None:
        """Return who begins and with which roll, once the table has thrown; what came before is forgotten."""
        for at, event in enumerate(self._heard):
            if event["type"] == "opening_roll" and event["white"] != event["black"]:
                del self._heard[: at + 1]
                starter = Color.WHITE if event["white"] > event["black"] else Color.BLACK
                return starter, Roll.of(event["white"], event["black"])
        return None

    def said(self) -> Play | Literal["over"] | None:
        """Return the play to move for the computer, ``"over"`` when its turn is, or None while it thinks."""
        while self._heard:
            event = self._heard.pop(0)
            if event["type"] == "announced":
                return tuple(_as_counted(move, self.computer) for move in event["moves"])
            mine = event["type"] == "play" and event["player"] == self.computer.value
            if mine or event["type"] == "game_end":
                return "over"
        return None


def _as_counted(move: Mapping[str, Any], player: Color) -> Move:
    """Return a move by sites as `player` counts its points."""

    def point(place: int) -> int:
        return place if place in (0, 25) or player is Color.WHITE else 25 - place

    return Move(point(move["source"]), point(move["target"]), move["hit"])


HESITATION = 0.15
"""How often a player tries another play first and takes it back, 0 to 1."""

PATIENCE_S = 4.0
"""How long a player waits for the electronic dice before he presses his roll button again."""


def games(
    seed: int,
    hesitation: float = HESITATION,
    beginning: Beginning = FROM_THE_START,
    told: Told | None = None,
    hearing: Hearing | None = None,
) -> Iterator[Moment]:
    """Yield the moments of one game after the other, for ever.

    Args:
        seed: makes the evening; the same number gives the same one.
        hesitation: how often a player tries another play first and takes it back, 0 to 1.
        beginning: where the first game goes on.
        told: with electronic dice, what they show; the players press their roll buttons and play that.
        hearing: with a computer as one of them, what the table says; the other one moves its checkers.
    """
    rng = random.Random(seed)
    while True:
        yield from _game(rng, hesitation, beginning, told, hearing)
        beginning = FROM_THE_START


def _game(
    rng: random.Random, hesitation: float, beginning: Beginning, told: Told | None, hearing: Hearing | None
) -> Iterator[Moment]:
    idle = (*_beside(Color.WHITE, rng), *_beside(Color.BLACK, rng))
    scene = Scene(beginning.board, dice=idle)
    yield Moment(4.0, scene, new_game=beginning.turn is None)
    if hearing is not None and beginning.turn is None:
        while (begun := hearing.begun()) is None:
            yield Moment(0.2, scene)
        player, roll, dice = *begun, scene.dice
    else:
        player, roll, dice = yield from _first_roll(rng, scene, beginning, told)
    while True:
        if hearing is not None and player is hearing.computer:
            scene = yield from _computers_turn(rng, scene, hearing)
            if scene.board.off(player) == 15:
                yield Moment(6.0, scene)
                return
            player = player.opponent
            roll, dice = yield from _next_roll(rng, scene, player, told)
        scene = replace(scene, dice=dice)
        yield Moment(rng.uniform(1.2, 2.0), scene)
        yield from (turn := _Turn(rng, hesitation, player, scene)).moments(roll)
        scene = turn.scene
        yield Moment(rng.uniform(0.9, 1.4), scene)
        yield Moment(0.4, scene, press="clock", player=player)
        if scene.board.off(player) == 15:
            yield Moment(6.0, scene)
            return
        player = player.opponent
        if hearing is None or player is not hearing.computer:
            roll, dice = yield from _next_roll(rng, scene, player, told)


def _computers_turn(rng: random.Random, scene: Scene, hearing: Hearing) -> Generator[Moment, None, Scene]:
    """Yield the moments in which the computer's checkers are moved for it; return what lies there afterwards."""
    while (said := hearing.said()) != "over":
        if said is None:
            yield Moment(0.2, scene)
            continue
        for moment in _move_checkers(scene, hearing.computer, said, rng):
            scene = replace(moment.scene, hand=None)
            yield moment
    return scene


def _first_roll(
    rng: random.Random, scene: Scene, beginning: Beginning, told: Told | None
) -> Generator[Moment, None, tuple[Color, Roll, tuple[SceneDie, ...]]]:
    """Yield the moments of the first roll; return who plays it, the roll, and the dice on the table."""
    if beginning.turn is not None and beginning.roll is not None:
        dice = scene.dice if told is not None else _dice_of(beginning.roll, beginning.turn, rng)
        return beginning.turn, beginning.roll, dice
    if beginning.turn is not None:
        roll, dice = yield from _next_roll(rng, scene, beginning.turn, told)
        return beginning.turn, roll, dice
    if told is None:
        white, black = rng.sample(range(1, 7), 2)
        player = Color.WHITE if white > black else Color.BLACK
        return player, Roll.of(white, black), _opening_dice(white, black, rng)
    while (shown := (yield from _pressed(scene, Color.WHITE, told))).roll.is_double:
        yield Moment(1.0, scene)
    return shown.player, shown.roll, scene.dice


def _next_roll(
    rng: random.Random, scene: Scene, player: Color, told: Told | None
) -> Generator[Moment, None, tuple[Roll, tuple[SceneDie, ...]]]:
    """Yield the moments in which `player` rolls; return the roll and the dice on the table."""
    if told is None:
        roll = _thrown_by_hand(rng)
        return roll, _dice_of(roll, player, rng)
    shown = yield from _pressed(scene, player, told)
    return shown.roll, scene.dice


def _pressed(scene: Scene, player: Color, told: Told) -> Generator[Moment, None, Shown]:
    """Let a player press his roll button, again after a while, until the dice show a new roll; return it."""
    before, waited_s = told(), PATIENCE_S
    while (shown := told()) is None or shown == before:
        again = waited_s >= PATIENCE_S
        waited_s = 0.0 if again else waited_s + 0.2
        yield Moment(0.2, scene, press="roll" if again else None, player=player)
    return shown


def _thrown_by_hand(rng: random.Random) -> Roll:
    return Roll.of(rng.randint(1, 6), rng.randint(1, 6))


@dataclass
class _Turn:
    """One player moves his checkers; `scene` is what lies there afterwards."""

    rng: random.Random
    hesitation: float
    player: Color
    scene: Scene

    def moments(self, roll: Roll) -> Iterator[Moment]:
        """Yield the moments of a play of `roll`; none when the player dances."""
        rng, player = self.rng, self.player
        plays = legal_plays(self.scene.board.seen_by(player), roll)
        if not plays:
            return
        choice = _choose(plays, rng)
        if rng.random() < self.hesitation:
            yield from _try_and_take_back(self.scene, player, plays[_choose(plays, rng)], rng)
        for moment in _move_checkers(self.scene, player, plays[choice], rng):
            self.scene = replace(moment.scene, hand=None)
            yield moment


def _choose(plays: dict[Position, Play], rng: random.Random) -> Position:
    """Pick a play as a casual player would: few blots, checkers sent back, made points; some luck."""

    def liking(after: Position) -> float:
        points = after.points
        blots = sum(1 for n in points[1:25] if n == 1)
        made = sum(1 for n in points[1:9] if n >= 2)
        return 3.0 * after.off - 1.5 * blots + 1.2 * made - 4.0 * points[0] + rng.uniform(0, 3) - after.pips / 40

    return max(plays, key=liking)


def _die(face: int, player: Color, left: float, rng: random.Random) -> SceneDie:
    """Return a die thrown onto the free strip between the two rows of points, a little to the right of `left`."""
    return SceneDie(face, player, rng.uniform(left, left + 0.12), rng.uniform(0.48, 0.52), rng.uniform(0, 90))


def _dice_of(roll: Roll, player: Color, rng: random.Random) -> tuple[SceneDie, ...]:
    """Return the player's two dice on his right half, and the opponent's beside the board."""
    left = 0.60 if player is Color.WHITE else 0.07
    thrown = _die(roll.high, player, left, rng), _die(roll.low, player, left + 0.21, rng)
    return *thrown, *_beside(player.opponent, rng)


def _opening_dice(white: int, black: int, rng: random.Random) -> tuple[SceneDie, ...]:
    """Return one die of each player on his right half, the others beside the board."""
    dice = _die(white, Color.WHITE, 0.70, rng), _die(black, Color.BLACK, 0.20, rng)
    return *dice, _beside(Color.WHITE, rng)[0], _beside(Color.BLACK, rng)[0]


def _beside(player: Color, rng: random.Random) -> tuple[SceneDie, SceneDie]:
    """Return a player's two dice lying beside the board."""
    y = 0.4 if player is Color.WHITE else 0.6
    x = BESIDE if player is Color.WHITE else 1 - BESIDE
    first, second = rng.randint(1, 6), rng.randint(1, 6)
    return SceneDie(first, player, x, y, 20.0), SceneDie(second, player, x, y + 0.06, 65.0)


def _place(point: int, player: Color) -> tuple[float, float]:
    """Return where a hand goes for a point of `player`; the bar is the middle, off beside his home board."""
    if point == 25:
        return 0.5, 0.5
    if point == 0:
        return 0.97, 0.1 if player is Color.WHITE else 0.9
    site = point if player is Color.WHITE else 25 - point
    column = (site - 1) % 12 if site <= 12 else 24 - site
    x = 0.96 - column * 0.0775 - (0.07 if column >= 6 else 0.0)
    return x, 0.2 if site <= 12 else 0.8


def _move_checkers(scene: Scene, player: Color, play: Play, rng: random.Random) -> Iterator[Moment]:
    """Yield the moments of one play, checker by checker, with a hand over the board."""
    position = scene.board.seen_by(player)
    for move in play:
        source, target = _place(move.source, player), _place(move.target, player)
        yield Moment(0.3, replace(scene, hand=source, hand_of=player))
        lifted = _lift(position, move)
        scene = replace(scene, board=Board.of(lifted, player))
        yield Moment(0.3, replace(scene, hand=((source[0] + target[0]) / 2, 0.45), hand_of=player))
        position = _put_down(lifted, move)
        scene = replace(scene, board=Board.of(position, player))
        yield Moment(rng.uniform(0.3, 0.5), replace(scene, hand=target, hand_of=player))
    yield Moment(0.3, scene)


def _try_and_take_back(scene: Scene, player: Color, play: Play, rng: random.Random) -> Iterator[Moment]:
    """Yield a play that is made, looked at and put back before the turn ends."""
    moments = list(_move_checkers(scene, player, play, rng))
    yield from moments
    yield Moment(1.0, replace(moments[-1].scene, hand=None))
    for moment in reversed(moments[:-1]):
        yield replace(moment, lasts_s=0.3)
    yield Moment(0.6, scene)


def _lift(position: Position, move: Move) -> Position:
    """Return the position with the moving checker in the player's hand."""
    points = list(position.points)
    points[move.source] -= 1
    return Position(tuple(points))


def _put_down(position: Position, move: Move) -> Position:
    """Return the position after the checker in the hand was set down; a hit blot goes to the bar."""
    points = list(position.points)
    if move.target > 0:
        if points[move.target] == -1:
            points[move.target] = 0
            points[0] -= 1
        points[move.target] += 1
    return Position(tuple(points))
