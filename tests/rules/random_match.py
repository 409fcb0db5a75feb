"""Random matches through legal actions, and the laws that hold in each of them.

`random_match(rules, seed)` plays a whole match, session or single game and keeps every action; the same seed
gives the same match. Tests of records write such matches and read them again; the benchmark ``matches`` plays
thousands. `check_laws` raises AssertionError at the first law that does not hold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from controller.rules import (
    AcceptResignation,
    Action,
    Beaver,
    Color,
    Condone,
    Double,
    Drop,
    EndTurn,
    Flag,
    Game,
    Leave,
    MakePlay,
    MakeStep,
    Match,
    Pass,
    Phase,
    Position,
    Profile,
    Raccoon,
    RefuseResignation,
    Resign,
    Roll,
    RollDice,
    RollOpening,
    Take,
    TakeBack,
    WithdrawRoll,
    act_in,
    allowed,
    crawford_next,
    legal_plays,
    new_match,
    next_game,
)
from controller.rules.game import plays, steps
from controller.rules.match import close_session, settlement


@dataclass(frozen=True)
class Odd:
    """How often something rare is done, 0 to 1, where it is allowed; all 0 gives plain, sensible matches.

    Attributes:
        double: a turn begins with a double.
        drop: a double is dropped.
        raise_again: a double is beavered, or a beaver raccooned.
        resign: before a roll a player offers to resign.
        steps: a play is made checker by checker, now and then with a step taken back.
        pass_early: a player passes though he has a legal play, where the rules let him.
        condone: an illegal play stands.
        withdraw: a roll does not count.
        leave: a player leaves, or runs out of time.
    """

    double: float = 0.08
    drop: float = 0.3
    raise_again: float = 0.3
    resign: float = 0.01
    steps: float = 0.2
    pass_early: float = 0.02
    condone: float = 0.005
    withdraw: float = 0.01
    leave: float = 0.0005


@dataclass
class Played:
    """A random match that is over.

    Attributes:
        match: its end.
        games: the actions of each game in order; the opening of the next game is not among them.
        states: the match before the first game, then after every action and every beginning of a game.
    """

    match: Match
    games: list[list[Action]] = field(default_factory=list)
    states: list[Match] = field(default_factory=list)


def random_length(rules: Profile, chance: random.Random, longest: int = 7) -> int | None:
    """Return a length that the rules play: points, 0 for a single game, None for money."""
    lengths: list[int | None] = [n for n in rules.lengths or (1, 2, 3, 5, 7, 9) if n <= longest]
    if rules.lengths == ():
        lengths = []
    lengths += [0] * rules.single_game + [None] * rules.money
    return chance.choice(lengths)


def random_match(
    rules: Profile,
    seed: int,
    *,
    length: int | None = -1,
    odd: Odd | None = None,
    longest: int = 7,
    money_games: int = 3,
) -> Played:
    """Play a whole match through random legal actions.

    Args:
        rules: the rules it is played by.
        seed: the same seed gives the same match.
        length: as for `new_match`; -1 draws one that the rules play.
        odd: how often rare things are done.
        longest: the longest length drawn.
        money_games: games of a money session before the players close it.
    """
    chance = random.Random(seed)
    if length == -1:
        length = random_length(rules, chance, longest)
    played = Played(new_match(rules, length))
    played.states.append(played.match)
    while not played.match.over:
        if played.match.kind == "money" and len(played.match.results) == money_games:
            played.match = close_session(played.match)
            break
        _play_game(played, chance, odd or Odd())
    return played


def _play_game(played: Played, chance: random.Random, odd: Odd) -> None:
    played.match = next_game(played.match)
    played.states.append(played.match)
    actions: list[Action] = []
    while played.match.playing:
        assert played.match.game is not None
        for action in random_actions(played.match.game, chance, odd):
            actions.append(action)
            played.match = act_in(played.match, action)
            played.states.append(played.match)
    played.games.append(actions)


def random_actions(game: Game, chance: random.Random, odd: Odd) -> Iterator[Action]:
    """Yield one or more legal actions; the later ones follow on the earlier ones."""
    kinds = allowed(game)
    player = game.to_act or Color.WHITE
    if AcceptResignation in kinds:
        yield RefuseResignation() if chance.random() < 0.3 else AcceptResignation()
    elif game.phase is Phase.OPENING:
        yield RollOpening(chance.randint(1, 6), chance.randint(1, 6))
    elif game.phase is Phase.OFFERED:
        yield _answer(kinds, chance, odd)
    elif game.phase is Phase.TO_ROLL:
        yield _before_roll(game, player, kinds, chance, odd)
    elif Pass in kinds and MakePlay not in kinds:
        yield Pass()
    else:
        yield from _a_play(game, kinds, chance, odd)


def _answer(kinds: tuple[type[Action], ...], chance: random.Random, odd: Odd) -> Action:
    for kind in (Beaver, Raccoon):
        if kind in kinds and chance.random() < odd.raise_again:
            return kind()
    return Drop() if chance.random() < odd.drop else Take()


def _before_roll(
    game: Game, player: Color, kinds: tuple[type[Action], ...], chance: random.Random, odd: Odd
) -> Action:
    if Double in kinds and chance.random() < odd.double:
        return Double()
    if chance.random() < odd.resign:
        levels = [1]
        levels += [2] if game.rules.gammon > 1 else []
        levels += [3] if game.rules.backgammon > game.rules.gammon else []
        return Resign(player, chance.choice(levels))
    if chance.random() < odd.leave:
        if game.rules.flag == "none" or chance.random() < 0.5:
            return Leave(player)
        return Flag(player, "game" if game.rules.flag == "event" else None)
    return RollDice(Roll.of(chance.randint(1, 6), chance.randint(1, 6)))


def _a_play(game: Game, kinds: tuple[type[Action], ...], chance: random.Random, odd: Odd) -> Iterator[Action]:
    assert game.roll is not None
    found = list(plays(game).items())
    if chance.random() < odd.withdraw:
        yield WithdrawRoll()
    elif chance.random() < odd.condone:
        yield Condone(_illegal_result(game, chance))
    elif Pass in kinds and chance.random() < odd.pass_early:
        yield Pass()
    elif chance.random() < odd.steps:
        yield from _steps(game, chance)
    else:
        yield MakePlay(chance.choice(found)[1])


def _illegal_result(game: Game, chance: random.Random) -> Position:
    """Return where a play of another roll leads, often an illegal one; the board stays where there is none."""
    wrong = list(legal_plays(game.before, Roll.of(chance.randint(1, 6), chance.randint(1, 6))))
    return chance.choice(wrong) if wrong else game.before


def _steps(game: Game, chance: random.Random) -> Iterator[Action]:
    """Yield single steps of a legal play, the turn's end where the rules leave it to the player."""
    assert game.roll is not None
    made: list[tuple[int, int]] = []
    while game.phase is Phase.TO_PLAY:
        left = steps(game)
        if not left:
            yield EndTurn()
            return
        if made and TakeBack in allowed(game) and chance.random() < 0.2:
            action: Action = TakeBack(all_moves=chance.random() < 0.5)
        else:
            source, target, _ = chance.choice(left)
            made.append((source, target))
            action = MakeStep(source, target)
        yield action
        match = act_in(_around(game), action)
        assert match.game is not None
        game = match.game


def _around(game: Game) -> Match:
    """Return a match that holds just this game, to look one step ahead."""
    return Match(game.rules, "money", 0, game=game)


def check_laws(played: Played) -> None:
    """Check that all laws hold in every state of a random match."""
    crawfords = 0
    for before, after in zip(played.states, played.states[1:], strict=False):
        if after.game is None:
            continue
        begins = before.game is None or not before.playing
        if begins:
            crawfords += after.game.crawford
            assert after.game.crawford == crawford_next(before)
            assert after.game.cube.value == 1
        _check_checkers(before.game if not begins else None, after.game)
        _check_cube(after.game)
        assert after.over == (after.winner is not None or after.closed)
        assert not before.over
    _check_end(played, crawfords)


def _check_checkers(before: Game | None, game: Game) -> None:
    position = game.position
    again = Position(position.points)
    for side in (again, again.turned()):
        assert 0 <= side.on_board <= 15
        assert side.on_board + side.off == 15
    assert not all(side.on_board == 0 for side in (again, again.turned()))
    if before is None or (game.last_turn is not None and game.last_turn.how == "condoned"):
        return
    mover = before.turn
    for player in Color:
        gone = game.seen_by(player).off - before.seen_by(player).off
        taken_back = len(game.moves) < len(before.moves) and game.turn is before.turn
        assert taken_back or 0 <= gone <= (4 if player is mover else 0)


def _check_cube(game: Game) -> None:
    cube, rules = game.cube, game.rules
    assert cube.value & (cube.value - 1) == 0
    assert 1 <= cube.value <= max(1, rules.cube_cap)
    if not cube.turned:
        assert cube.owner is None
        assert cube.value == 2**game.automatic
    if not game.cube_in_use or game.crawford:
        assert cube.value == 1
        assert game.offer is None
    if game.automatic:
        assert game.money
        assert game.automatic <= rules.automatic_doubles
    assert not (game.offer and game.offer.value > rules.cube_cap)


def _check_end(played: Played, crawfords: int) -> None:
    match = played.match
    won = {player: sum(r.points for r in match.results if r.winner is player) for player in Color}
    assert match.score == (won[Color.WHITE], won[Color.BLACK])
    assert len(match.results) == len(played.games)
    assert crawfords <= 1
    if match.kind == "match":
        lost = match.results[-1].match_lost
        assert match.winner is not None
        assert lost or match.score.of(match.winner) >= match.length
        assert match.score.of(match.winner.opponent) < match.length
        assert all(not result.match_lost for result in match.results[:-1])
        _check_crawford(match, crawfords)
    elif match.kind == "money":
        assert sum(settlement(match, 5).values()) == 0
    else:
        assert len(match.results) == 1


def _check_crawford(match: Match, crawfords: int) -> None:
    """Check that there was exactly one Crawford game where a game began one point before the end."""
    score = [0, 0]
    reached = False
    for result in match.results:
        reached = reached or match.length - max(score) == 1
        score[0 if result.winner is Color.WHITE else 1] += result.points
    cubes = match.game is not None and match.game.cube_in_use
    assert crawfords == int(reached and cubes and match.rules.crawford)
