"""Follow a game through pictures: a pure state machine that is fed observations and returns events.

It never reports a play that is not certain: what cannot be decided is asked, and what happens next may answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from controller.board import START_BOARD, Board, DieReading, Observation
from controller.following.events import (
    Event,
    choice_json,
    cube_events,
    drop_choice,
    opening_event,
    play_event,
    position_json,
    question_event,
)
from controller.following.tracks import (
    DAMAGED_PLACES,
    Ply,
    Sight,
    Track,
    advance,
    certain,
    explained,
    left_open,
    probability,
    pruned,
    rivals,
    stretches,
    told,
    without_first,
    without_gap,
)
from controller.reconcile.decide import reconcile
from controller.reconcile.evidence import Evidence, sites_and_bars
from controller.reconcile.settings import DEFAULT, Settings
from controller.reconcile.verdicts import Unexplained
from controller.rules.notation import write_play
from controller.rules.position import Color, Play
from controller.rules.profiles import Profile, profile
from controller.rules.scoring import game_points, win_kind

SAME_DIE_PX = 8.0
"""A die this near to one of the last pictures has not been thrown again."""

PICTURES_REMEMBERED = 3
"""So many pictures back a die that lies where one lay is an old one."""

BLIND_SITES = 6
"""With so many sites hidden a picture says too little to ask about; it is reported as obscured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Where a followed evening stands.

    Attributes:
        rules: the rules in force.
        settings: thresholds of reconciling.
        tracks: the courses the game may have taken since the last certain play, likeliest first.
        game: number of the game, from 1.
        turns: certain turns of this game.
        between: the game is over and the next has not begun.
        score: White's and Black's points.
        cube: the value of the cube.
        cube_owner: who owns it, None for centered.
        cubes: whose end the cube was seen at, None for the middle, by the name of the picture; the last ones only.
        dice: what was seen lying on the last pictures.
        seen: what the last settled picture said, without what was not believed.
        misread: places (White's) whose readings are not believed until they agree again.
        asked: the last picture left a question open.
    """

    rules: Profile
    settings: Settings
    tracks: tuple[Track, ...]
    game: int = 1
    turns: int = 0
    between: bool = False
    score: tuple[int, int] = (0, 0)
    cube: int = 1
    cube_owner: Color | None = None
    cubes: tuple[tuple[str | None, Color | None], ...] = ()
    dice: tuple[tuple[DieReading, ...], ...] = ()
    seen: Evidence | None = None
    misread: frozenset[int] = frozenset()
    asked: bool = False

    @property
    def certain_board(self) -> Board:
        """The board after the last certain play."""
        track = self.tracks[0]
        return track.plies[0].before if track.plies else track.board

    @property
    def settled_board(self) -> Board | None:
        """What stands on the board for certain at this moment, or None while something is open."""
        return None if self.between or self.asked or self.tracks[0].plies else self.tracks[0].board


def beginning(rules: Profile | None = None, settings: Settings = DEFAULT) -> Following:
    """Return the state at the start position, before anybody has rolled."""
    rules = rules or profile()
    settings = replace(settings, must_use=rules.must_use)
    return Following(rules=rules, settings=settings, tracks=start_tracks(rules))


def start_tracks(rules: Profile) -> tuple[Track, ...]:
    """Return the courses open at the start of a game: either player may begin."""
    if rules.opening == "white_first":
        return (Track(START_BOARD, Color.WHITE, 0.0),)
    opening = not rules.roll_again
    return tuple(Track(START_BOARD, color, 0.0, opening=opening) for color in Color)


def step(state: Following, seen: Observation) -> tuple[Following, tuple[Event, ...]]:
    """Take in one settled picture.

    Args:
        state: where the evening stands.
        seen: the picture as it was read; one with a hand in it changes nothing.

    Returns:
        The new state, and what became certain or has to be asked, in order.
    """
    if seen.hand:
        return state, ()
    whole = Evidence.of(seen)
    sight = _sight(state, whole, seen.frame)
    believed = whole.without(state.misread)
    state = replace(state, dice=remembered(state.dice, seen.dice), seen=believed, cubes=_cubes(state, seen))
    if state.between:
        return _next_game(state, sight), ()
    tracks = advance(state.tracks, sight, state.settings)
    if not tracks or not explained(tracks[0], sight, state.settings):
        return _nothing_fits(state, tracks or state.tracks, sight)
    state = replace(state, tracks=tracks)
    state, events = _committed(state)
    if state.between:
        return state, tuple(events)
    question = _question(state, sight)
    state = replace(state, asked=bool(question), misread=_misread(state, whole, asked=bool(question)))
    return state, (*events, *question)


def ended(state: Following) -> tuple[Event, ...]:
    """Return what is still open when there are no more pictures: nothing, or one question about the last turns.

    Here also a dance is asked about: no later play will tell it.
    """
    if state.between:
        return ()
    courses: dict[tuple[Any, ...], Track] = {}
    for track in (state.tracks[0], *rivals(state.tracks, state.settings)):
        courses.setdefault(tuple(ply.key for ply in track.plies), track)
    played = [track for track in courses.values() if track.plies]
    if not played:
        return _offered(state)
    places: set[int] = set()
    for track in courses.values():
        places |= _differing(state.tracks[0].board, track.board)
    choices = [_choice(track, track.plies, state) for track in courses.values()][: state.settings.choices]
    reason = "the pictures end before it is certain what was played"
    first = played[0].plies[0]
    places_of = sites_and_bars(sorted(places))
    return (question_event("question", state.game, first.player, reason, places_of, first.frame, choices),)


def _offered(state: Following) -> tuple[Event, ...]:
    """Return the question what became of a double after which nothing more was seen, or nothing."""
    doubler = _doubling(state)
    if doubler is None:
        return ()
    reason = "the cube was turned; the pictures end before it is known whether it was taken"
    frame, choices = state.cubes[-1][0], [drop_choice(doubler, state.cube)]
    return (question_event("question", state.game, doubler.opponent, reason, ((), ()), frame, choices),)


def lying(dice: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
    """Return the dice on the board, not those beside it."""
    return tuple(die for die in dice if die.half is not None or die.cocked)


def thrown(before: tuple[tuple[DieReading, ...], ...], dice: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
    """Return the dice that were not lying there on one of the last pictures.

    What lies where it lay has not been thrown again; much of what is taken for a die and is none lies still, too.
    """
    old = [die.xy_px for picture in before for die in picture]
    return tuple(die for die in dice if all(math.dist(die.xy_px, xy) > SAME_DIE_PX for xy in old))


def remembered(
    before: tuple[tuple[DieReading, ...], ...], dice: tuple[DieReading, ...]
) -> tuple[tuple[DieReading, ...], ...]:
    """Return the dice of the last pictures, this one among them."""
    return (*before, lying(dice))[-PICTURES_REMEMBERED:]


def _sight(state: Following, whole: Evidence, frame: str | None) -> Sight:
    """Return a settled picture as the tracks need it."""
    now = lying(whole.dice)
    new = thrown(state.dice, now)
    lies = "new" if new else "same"
    throw = lies if now and any(state.dice) else "none"
    repeated = whole.same_readings(state.seen) - state.seen.hidden if state.seen else frozenset()
    return Sight(replace(whole.without(state.misread), dice=new), throw, frame, repeated)


def _cubes(state: Following, seen: Observation) -> tuple[tuple[str | None, Color | None], ...]:
    """Return whose end the cube was seen at on the last pictures, this one among them."""
    if seen.cube is None or seen.cube.at not in ("white", "black", "center"):
        return state.cubes
    end = None if seen.cube.at == "center" else Color(seen.cube.at)
    return (*state.cubes, (seen.frame, end))[-PICTURES_REMEMBERED:]


def _doubling(state: Following, before: str | None = None) -> Color | None:
    """Return who has doubled and not rolled since: the cube was last seen at the end of the player not on roll.

    Args:
        state: where the evening stands.
        before: name of a picture on which the cube is not looked at, as it may lie ready for the next game.
    """
    turn = _on_roll(state.tracks)
    ends = [end for frame, end in state.cubes if frame != before]
    doubled = turn is not None and ends[-1:] == [turn.opponent] and _may_double(state, turn)
    return turn if doubled else None


def _may_double(state: Following, player: Color) -> bool:
    """Tell whether the rules let a player double at this moment."""
    own = state.cube_owner in (None, player)
    return own and state.turns > 0 and state.rules.cube and state.cube < state.rules.cube_cap


def _doubled(state: Following, ply: Ply) -> tuple[Following, tuple[Event, ...]]:
    """Book a double before a play, evident from the cube that lies at the opponent's end on the play's picture."""
    if (ply.frame, ply.player.opponent) not in state.cubes or not _may_double(state, ply.player):
        return state, ()
    value = state.cube * 2
    events = cube_events(ply.player, value, state.game, ply.frame)
    return replace(state, cube=value, cube_owner=ply.player.opponent), events


def _next_game(state: Following, sight: Sight) -> Following:
    """Begin the next game when its start position stands there, or its first play; otherwise wait."""
    tracks = advance(start_tracks(state.rules), sight, state.settings)
    if not tracks or _doubt_of(tracks[0], sight, state.settings):
        return state
    return replace(
        state, tracks=tracks, game=state.game + 1, turns=0, between=False, cube=1, cube_owner=None, asked=False
    )


def _doubt_of(track: Track, sight: Sight, settings: Settings) -> dict[int, float]:
    """Return White's places where a picture contradicts the end of a track."""
    return sight.evidence.misfits(track.board.seen_by(Color.WHITE).points, Color.WHITE, settings.site_noise)


def _committed(state: Following) -> tuple[Following, list[Event]]:
    """Turn the plies that are beyond doubt into events, and leave open what can never be told any more."""
    events: list[Event] = []
    gap = left_open(state.tracks, state.settings)
    if gap and not certain(state.tracks, state.settings):
        events.append(_gap_event(state, gap))
        state = replace(state, tracks=without_gap(state.tracks, gap), turns=state.turns + gap)
    plies = state.tracks[0].plies[: certain(state.tracks, state.settings)]
    for end, stretch in stretches(plies, state.settings):
        if not told(stretch, state.settings):
            events.append(_untold_event(state, stretch, end))
            state = replace(state, turns=state.turns + len(stretch))
            continue
        for index, ply in enumerate(stretch, start=end - len(stretch)):
            sure = probability(state.tracks, index, state.settings)
            state, more = _played(state, ply, sure)
            events += more
        if state.between:
            return state, events
    return replace(state, tracks=without_first(state.tracks, plies)), events


def _untold_event(state: Following, stretch: tuple[Ply, ...], end: int) -> Event:
    """Return the open question of a stretch that does not tell what was played, only what stood there at its end.

    Args:
        state: where the evening stands; its best track holds the stretch and goes on.
        stretch: the plies in question.
        end: number of plies of the best track up to the end of the stretch.
    """
    best, last = state.tracks[0], stretch[-1]
    after = best.plies[end]
    if last.gap:
        return _read_event(last, after.player, state.game)
    return _open_event(state.game, stretch[0].player, after, last.frame, [_choice(best, stretch, state)])


def _gap_event(state: Following, gap: int) -> Event:
    """Return the question that stays open while the game goes on from the board after it."""
    close = [state.tracks[0], *rivals(state.tracks, state.settings)]
    after = len(state.tracks[0].plies) - gap
    choices = [_choice(t, t.plies[: len(t.plies) - after], state) for t in close]
    first = state.tracks[0].plies[gap]
    return _open_event(state.game, state.tracks[0].plies[0].player, first, first.frame, choices)


def _open_event(
    game: int, player: Color, after: Ply, frame: str | None, choices: Sequence[dict[str, Any]]
) -> Event:
    """Return the question what was played before the ply `after`, with which the game goes on."""
    reason = "what was played here cannot be told; the game goes on from the board"
    event = question_event("question", game, player, reason, ((), ()), frame, choices)
    return event | {"open": True, "position": position_json(after.before, after.player)}


def _read_event(ply: Ply, turn: Color, game: int) -> Event:
    """Return the open question of a board that no play explains, from which the game went on."""
    reason = "no legal play led to this board; the players went on from it"
    event = question_event("question", game, ply.player, reason, ((), ()), ply.frame)
    return event | {"open": True, "position": position_json(ply.after, turn)}


def _choice(track: Track, plies: tuple[Ply, ...], state: Following) -> dict[str, Any]:
    """Return a track as one choice of a question."""
    whole = sum(math.exp(t.score) for t in state.tracks)
    board, turn = (plies[-1].after, plies[-1].player.opponent) if plies else (track.board, track.turn)
    return choice_json(plies, board, turn, math.exp(track.score) / whole)


def _played(state: Following, ply: Ply, confidence: float) -> tuple[Following, list[Event]]:
    """Book one certain turn, and the end of the game when it was the last."""
    state, doubled = _doubled(state, ply)
    events = list(doubled) if state.turns else [opening_event(ply, state.game)]
    won = ply.after.off(ply.player) == 15
    events.append(play_event(ply, state.game, None if won else ply.player.opponent, confidence))
    state = replace(state, turns=state.turns + 1)
    if not won:
        return state, events
    kind = win_kind(ply.after.seen_by(ply.player))
    points = game_points(state.rules, kind, state.cube, cube_turned=state.cube > 1)
    white, black = state.score
    score = (white + points, black) if ply.player is Color.WHITE else (white, black + points)
    events.append(
        {
            "type": "game_end",
            "game": state.game,
            "winner": ply.player.value,
            "points": points,
            "kind": kind,
            "score": {"white": score[0], "black": score[1]},
            "frame": ply.frame,
        }
    )
    ended = Track(ply.after, ply.player.opponent, 0.0)
    return replace(state, between=True, score=score, tracks=(ended,), asked=False, misread=frozenset()), events


def _question(state: Following, sight: Sight) -> tuple[Event, ...]:
    """Return the question this picture leaves open, or nothing.

    Whether a player has danced or not yet rolled is not asked: the next play tells. Nor is asked again what an
    earlier picture left open.
    """
    best = state.tracks[0]
    doubts = _doubt_of(best, sight, state.settings)
    close = [best, *rivals(state.tracks, state.settings)]
    options: dict[tuple[Play, ...], Track] = {}
    for track in close:
        options.setdefault(tuple(ply.play for ply in _new(track, sight)), track)
    agreed = all(ply.sure(state.settings) for ply in _new(best, sight)[-1:])
    if not doubts and agreed and len(options) == 1:
        return ()
    if not doubts and not any(any(plays) for plays in options):
        return ()
    choices = [_choice(t, _new(t, sight), state) for t in options.values()][: state.settings.choices]
    places = set(doubts)
    for track in options.values():
        places |= _differing(best.board, track.board)
    kind = "obscured" if places and places <= sight.evidence.hidden else "question"
    reason = _reason(best, doubts, len(options))
    player = best.plies[-1].player if best.plies else _on_roll(state.tracks)
    return (
        question_event(kind, state.game, player, reason, sites_and_bars(sorted(places)), sight.frame, choices),
    )


def _new(track: Track, sight: Sight) -> tuple[Ply, ...]:
    """Return the plies of a track that this picture has added."""
    return tuple(ply for ply in track.plies if ply.frame == sight.frame)


def _reason(best: Track, doubts: dict[int, float], options: int) -> str:
    if doubts:
        return "the picture contradicts every legal play"
    if options > 1:
        return "more than one course of the game fits the picture"
    if best.plies and not best.plies[-1].agreed:
        return "the board shows a play of another roll than the dice"
    return "it is not certain what was played"


def _differing(one: Board, other: Board) -> set[int]:
    """Return White's places where two boards differ."""
    first, second = one.seen_by(Color.WHITE).points, other.seen_by(Color.WHITE).points
    return {place for place in range(26) if first[place] != second[place]}


def _on_roll(tracks: tuple[Track, ...]) -> Color | None:
    """Return who is on roll where all tracks agree, else None: nobody has begun yet."""
    colors = {t.turn for t in tracks}
    return colors.pop() if len(colors) == 1 else None


def _misread(state: Following, whole: Evidence, *, asked: bool) -> frozenset[int]:
    """Return the places not to believe in the next picture, until they agree again.

    They have been asked about, no course explains them, and no wrong play does: that would leave all checkers on
    the board, at two sites or more. So places are misread where a checker too many is seen, or one too few that
    has nowhere to hide; where only the bar is wrong, which dice, cube and hinges resemble; and where a single site
    is that nobody has touched.
    """
    noise = state.settings.site_noise
    boards = dict.fromkeys(t.board for t in state.tracks)
    contradicted = [frozenset(whole.misfits(b.seen_by(Color.WHITE).points, Color.WHITE, noise)) for b in boards]
    best = state.tracks[0]
    wrong = frozenset.intersection(*(c for c in contradicted if len(c) <= DAMAGED_PLACES), contradicted[0])
    kept = state.misread & wrong
    fresh = wrong - kept
    if not asked or not fresh or len(wrong) > DAMAGED_PLACES:
        return kept
    touched = {place for ply in best.plies for place in _differing(ply.before, ply.after)}
    alone = len(fresh) == 1 and not fresh & touched
    if alone or fresh <= {0, 25} or _cannot_be(whole.likeliest, best.board.seen_by(Color.WHITE).points, fresh):
        kept |= fresh
    return kept


def _cannot_be(shown: tuple[int, ...], points: tuple[int, ...], wrong: frozenset[int]) -> bool:
    """Tell whether checkers appeared from nowhere or vanished, judged by the counts at the wrong places.

    Args:
        shown: the likeliest counts, White's places.
        points: the counts believed.
        wrong: the places where they differ beyond noise.
    """
    for sign in (1, -1):
        change = sum(max(0, shown[p] * sign) - max(0, points[p] * sign) for p in wrong)
        tall = any(points[p] * sign >= 5 for p in range(1, 25) if p not in wrong)
        home = range(1, 7) if sign > 0 else range(19, 25)
        bearing_off = all(p in home or points[p] * sign <= 0 for p in range(26))
        if change > 0 and not any(points[p] * sign > 5 for p in range(1, 25)):
            return True
        if change < 0 and not tall and not bearing_off:
            return True
    return False


def _nothing_fits(
    state: Following, tracks: tuple[Track, ...], sight: Sight
) -> tuple[Following, tuple[Event, ...]]:
    """Report a picture that no course of the game explains, and go on with `tracks`; the next one may be clear."""
    if len(sight.evidence.hidden - {0, 25}) >= BLIND_SITES:
        places = sites_and_bars(sorted(sight.evidence.hidden))
        reason = "too much of the board is hidden"
        event = question_event("obscured", state.game, _on_roll(state.tracks), reason, places, sight.frame)
        return state, (event,)
    fresh = advance(start_tracks(state.rules), sight, state.settings)
    if state.turns > 1 and fresh and not fresh[0].plies and not _doubt_of(fresh[0], sight, state.settings):
        return _set_up_again(state, sight, fresh)
    return replace(state, asked=True, tracks=tracks), (_illegal(state, sight),)


def _illegal(state: Following, sight: Sight) -> Event:
    """Return the event for a board that no legal play leads to: which sites are wrong, and the nearest legal play.

    It is `illegal` where the picture shows all checkers, and otherwise a `question`: something may be misread.
    """
    best = state.tracks[0]
    verdict = reconcile(
        best.board, best.turn, None, sight.evidence, settings=state.settings, turn_ended=True, opening=best.opening
    )
    places = sites_and_bars(sorted(_doubt_of(best, sight, state.settings)))
    nearest: dict[str, Any] | None = None
    if isinstance(verdict, Unexplained):
        places = (verdict.sites, verdict.bars)
        if verdict.nearest is not None and verdict.nearest.roll is not None:
            choice = verdict.nearest
            nearest = {"roll": list(choice.rolls[0]), "play": write_play(choice.play)}
    kind = "illegal" if _stands_there(sight.evidence, best.board) else "question"
    reason = "no legal play leads to what stands there"
    event = question_event(kind, state.game, _on_roll(state.tracks), reason, places, sight.frame)
    return event | {"nearest": nearest}


def _stands_there(evidence: Evidence, before: Board) -> bool:
    """Tell whether the likeliest counts make a whole board with as many checkers as before."""
    points = evidence.likeliest
    for color, sign in ((Color.WHITE, 1), (Color.BLACK, -1)):
        if sum(n * sign for n in points if n * sign > 0) != before.on_board(color):
            return False
    return True


def _set_up_again(state: Following, sight: Sight, fresh: tuple[Track, ...]) -> tuple[Following, tuple[Event, ...]]:
    """Ask who won a game that was given up, and follow the next one."""
    doubler = _doubling(state, before=sight.frame)
    choices = [drop_choice(doubler, state.cube)] if doubler is not None else []
    reason = "the board was set up again before the game was over: who won, and what?"
    event = question_event("question", state.game, None, reason, ((), ()), sight.frame, choices)
    state = replace(
        state, tracks=pruned(fresh), game=state.game + 1, turns=0, cube=1, cube_owner=None, asked=False
    )
    return state, (event,)
