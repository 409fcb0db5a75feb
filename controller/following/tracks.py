"""Tracks: the few courses the game may have taken since the last certain play, kept until one remains.

A reading that cannot decide is not thrown away: each explanation goes on as a track, and what happens next
decides. A play is certain once all likely tracks hold it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from controller.board import Board
from controller.errors import InvalidPositionError
from controller.reconcile.evidence import Evidence, roll_log_likelihoods
from controller.reconcile.hypotheses import Hypothesis, roll_weights, unmoved, whole_plays
from controller.reconcile.lines import two_plays
from controller.reconcile.settings import Settings
from controller.rules.position import Color, Play, Position, Roll

LIKELY = 12.0
"""A track this much less likely than the best is given up, in natural logarithms."""

MOST = 32
"""How many tracks are kept at most; where more are likely, nothing is certain any more."""

_PLAYS = 20

DAMAGED_PLACES = 2
"""So many places may contradict even the best explanation before nothing is concluded from a picture."""

_STAYED = {"same": 0.9, "none": 0.5}
_SPOILED = 0.01
_TRIED = 0.05
_MISSED = 0.01
_FOLLOWED = 4
_AS_READ = -10.0
_CRISP = 7.0
_TALL = 5
_PLAYED_ON = 2
_MAY_BE_MISSED = 1
_DANCE_SEEN = math.log(0.5)
_OUTLIER = 9.0
_OUTLIER_IN_DOUBT = 3.0


@dataclass(frozen=True, slots=True)
class Ply:
    """One turn that is believed to have been played.

    Attributes:
        player: whose turn it was.
        before: the board before it.
        after: the board after it.
        play: the moves; empty for a dance.
        rolls: the rolls that allow it, likeliest first.
        roll_known: whether the first of `rolls` is beyond doubt.
        frame: the picture it was first seen on.
        agreed: whether the dice seen allow one of the rolls; true also where none were seen.
        doubt: the least contradiction of the board after it by a picture of it, beyond noise, natural
            logarithms; infinite where no picture shows it.
        gap: no play leads there: the board was only read, and play goes on from it.
    """

    player: Color
    before: Board
    after: Board
    play: Play
    rolls: tuple[Roll, ...]
    roll_known: bool
    frame: str | None
    agreed: bool
    doubt: float
    gap: bool = False

    def shown(self, settings: Settings) -> bool:
        """Tell whether a picture shows the board after it beyond doubt, whatever led there."""
        return self.gap or self.doubt <= settings.contradiction - settings.margin

    def sure(self, settings: Settings) -> bool:
        """Tell whether a picture shows it beyond doubt."""
        return not self.gap and self.agreed and self.shown(settings)

    @property
    def key(self) -> tuple[Color, Board, Board]:
        """What makes two plies the same: who led which board to which."""
        return self.player, self.before, self.after


@dataclass(frozen=True, slots=True)
class Track:
    """One course of the game since the last certain play.

    Attributes:
        board: where the checkers stand at its end.
        turn: who is on roll there.
        score: logarithm of its probability but for a common constant.
        plies: what was played, not yet certain.
        opening: nothing has been played in this game yet.
        lost: score, against the best track, of the best one that had to be dropped since the last certain play.
    """

    board: Board
    turn: Color
    score: float
    plies: tuple[Ply, ...] = ()
    opening: bool = False
    lost: float = -math.inf


@dataclass(frozen=True, slots=True)
class Sight:
    """One settled picture as the tracks need it.

    Attributes:
        evidence: the board, and the dice that were thrown since the last settled picture.
        throw: ``"new"`` when dice were thrown since the last settled picture, ``"same"`` when they lie as they
            did, ``"none"`` where that cannot be told.
        frame: its name.
        repeated: White's places that read as they did on the last settled picture.
    """

    evidence: Evidence
    throw: str
    frame: str | None
    repeated: frozenset[int] = frozenset()

    def after(self, board: Board) -> Evidence:
        """The evidence as a track sees it that already stood at `board`.

        A place that reads as it did says nothing new for or against what the track took to be there: the eyes
        make the same mistake again as long as nothing changes.
        """
        return self.evidence.allowing(board.seen_by(Color.WHITE).points, self.repeated)


def advance(tracks: Sequence[Track], sight: Sight, settings: Settings) -> tuple[Track, ...]:
    """Return the tracks that explain a picture, likeliest first, with scores relative to the best.

    Beside them stay the tracks as they were, less likely: the picture itself may be spoiled. None is returned
    when nothing explains it.
    """
    found = [child for track in tracks for child in _one_turn(track, sight, settings)]
    clean = any(_clean(track, sight, settings) for track in found)
    if not clean:
        found += [child for track in tracks[:_FOLLOWED] for child in _two_turns(track, sight, settings)]
        clean = any(_clean(track, sight, settings) for track in found)
    fits = any(_doubt(track.board, sight.evidence, settings)[1] <= DAMAGED_PLACES for track in found)
    read = () if clean else as_read(tracks, sight, settings)
    read = tuple(t for t in read if all(t.board != other.board for other in found))
    if not fits and not read:
        return ()
    if not fits:
        return pruned([*(replace(t, score=t.score - _OUTLIER) for t in tracks), *read])
    best = max(track.score for track in found)
    worse = _OUTLIER if clean else _OUTLIER_IN_DOUBT
    top = max(track.score for track in tracks)
    return pruned([*found, *read, *(replace(t, score=best + t.score - top - worse) for t in tracks)])


def explained(track: Track, sight: Sight, settings: Settings) -> bool:
    """Tell whether a track explains a picture by plays, but for a misreading or two."""
    if track.plies and track.plies[-1].gap and track.plies[-1].frame == sight.frame:
        return False
    return _doubt(track.board, sight.evidence, settings)[1] <= DAMAGED_PLACES


def as_read(tracks: Sequence[Track], sight: Sight, settings: Settings) -> tuple[Track, ...]:
    """Return the courses in which the board stands as it is read, whatever was played: either player to move.

    Only a board that shows every checker there was, and shows crisply what the tracks do not explain, is believed:
    a wrong play or missed ones leave such a board, a reading error hardly ever does.
    """
    best = tracks[0]
    rows = sight.evidence.rows
    points = list(sight.evidence.likeliest)
    old = best.board.seen_by(Color.WHITE).points
    for place in range(26):
        if rows[place][old[place]] == 0.0:
            points[place] = old[place]
        others = [value for count, value in enumerate(rows[place]) if count != points[place] % len(rows[place])]
        if points[place] != old[place] and rows[place][old[place]] > -_CRISP:
            return ()
        if points[place] != old[place] and max(others) > -settings.margin and abs(points[place]) < _TALL:
            return ()
    try:
        board = Board.of(Position(tuple(points)), Color.WHITE)
    except InvalidPositionError:
        return ()
    if board == best.board or any(board.on_board(color) != best.board.on_board(color) for color in Color):
        return ()
    first = best.plies[0].before if best.plies else best.board
    gap = Ply(best.turn, first, board, (), (), False, sight.frame, False, math.inf, gap=True)
    return tuple(Track(board, color, best.score + _AS_READ, (gap,), lost=best.lost) for color in Color)


def pruned(tracks: Sequence[Track]) -> tuple[Track, ...]:
    """Return the likely ones of tracks, each course once."""
    if not tracks:
        return ()
    best: dict[tuple[object, ...], Track] = {}
    for track in sorted(tracks, key=lambda t: -t.score):
        best.setdefault((track.board, track.turn, *(ply.key for ply in track.plies)), track)
    top = next(iter(best.values())).score
    kept = [replace(t, score=t.score - top) for t in best.values() if t.score > top - LIKELY]
    if len(kept) > MOST:
        lost = kept[MOST].score
        kept = [replace(t, lost=max(t.lost, lost)) for t in kept[:MOST]]
    return tuple(kept)


def _clean(track: Track, sight: Sight, settings: Settings) -> bool:
    """Tell whether a track explains the board beyond doubt, and the dice too."""
    doubt, _ = _doubt(track.board, sight.evidence, settings)
    agreed = not track.plies or track.plies[-1].frame != sight.frame or track.plies[-1].agreed
    return agreed and doubt <= settings.contradiction - settings.margin


def _doubt(board: Board, evidence: Evidence, settings: Settings) -> tuple[float, int]:
    """Return how much a board is contradicted beyond noise, and at how many places."""
    found = evidence.misfits(board.seen_by(Color.WHITE).points, Color.WHITE, settings.site_noise)
    return sum(found.values()), len(found)


def _one_turn(track: Track, sight: Sight, settings: Settings) -> list[Track]:
    """Return the track with nothing, a dance or one play added."""
    evidence = sight.after(track.board)
    before = track.board.seen_by(track.turn)
    weights = roll_weights(None, evidence, settings, opening=track.opening)
    whole, _ = whole_plays(before, track.turn, weights, evidence, settings)
    dances = [h for h in whole if h.position == before]
    found = []
    lost = whole[_PLAYS].score - whole[0].score if len(whole) > _PLAYS else -math.inf
    for h in whole[:_PLAYS]:
        if h.position != before:
            child = _after(track, _ply(track, h, sight, settings))
            found.append(replace(child, score=track.score + h.score, lost=max(track.lost, lost)))
    danced = sum(math.exp(h.prior) for h in dances)
    still = unmoved(before, track.turn, evidence)
    doubt, _ = _doubt(track.board, sight.evidence, settings)
    score = track.score + still.fit + math.log(_stayed(sight, danced))
    found.append(replace(_seen_again(track, doubt), score=score))
    if dances and not track.opening:
        found.append(_with_dance(track, dances[0], danced, sight, settings))
    return found


def _seen_again(track: Track, doubt: float) -> Track:
    """Return the track with its last play seen once more."""
    if not track.plies or doubt >= track.plies[-1].doubt:
        return track
    return replace(track, plies=(*track.plies[:-1], replace(track.plies[-1], doubt=doubt)))


def _stayed(sight: Sight, danced: float) -> float:
    """Return the probability of an unmoved board when nobody finished a turn.

    Once a roll that cannot be played lies there, the turn is over: only spoiled dice leave it open.
    """
    return _STAYED.get(sight.throw, _SPOILED + _TRIED * (1 - danced))


def _with_dance(track: Track, dance: Hypothesis, danced: float, sight: Sight, settings: Settings) -> Track:
    """Return the track with a dance added: the same dice cannot have been thrown for it."""
    share = {"same": 1e-4, "none": 0.5}.get(sight.throw, 1.0)
    ply = _ply(track, dance, sight, settings)
    score = track.score + dance.fit + math.log(max(danced, 1e-12)) + math.log(share)
    return replace(_after(track, ply), score=score)


def _after(track: Track, ply: Ply) -> Track:
    return Track(ply.after, ply.player.opponent, track.score, (*track.plies, ply), lost=track.lost)


def _ply(track: Track, h: Hypothesis, sight: Sight, settings: Settings) -> Ply:
    """Return the turn that a hypothesis stands for, seen on this picture."""
    rolls = h.best_rolls
    told = len(rolls) == 1 or h.rolls[rolls[0]] - h.rolls[rolls[1]] >= settings.margin / 2
    doubt, _ = _doubt(h.board, sight.evidence, settings)
    seen = roll_log_likelihoods(sight.evidence.dice, settings, opening=track.opening)
    agreed = max(seen[roll] for roll in rolls) >= -settings.dice_conflict
    return Ply(track.turn, track.board, h.board, h.play, rolls, told, sight.frame, agreed, doubt)


def _two_turns(track: Track, sight: Sight, settings: Settings) -> list[Track]:
    """Return the track with two turns added, of which the first was not seen."""
    found = []
    for line in two_plays(track.board, track.turn, sight.after(track.board), settings=settings)[:_PLAYS]:
        danced = line.second.position == line.first.position.turned()
        if danced and (sight.throw != "new" or line.second.prior < _DANCE_SEEN):
            continue
        known = len(line.first.rolls) == 1
        first = replace(_ply(track, line.first, sight, settings), agreed=True, doubt=math.inf, roll_known=known)
        between = _after(track, first)
        second = _ply(between, line.second, sight, settings)
        score = track.score + line.score + math.log(_MISSED)
        found.append(replace(_after(between, second), score=score))
    return found


def rivals(tracks: Sequence[Track], settings: Settings) -> list[Track]:
    """Return the tracks that are nearly as likely as the best one, without it."""
    return [t for t in tracks[1:] if t.score > tracks[0].score - settings.margin]


def certain(tracks: Sequence[Track], settings: Settings) -> int:
    """Return how many plies of the best track are beyond doubt.

    A ply is when every likely track begins with the same plies up to it, and has a board at or after it that was
    seen beyond doubt; that need not be the same one, as the tracks may part later. A stretch that this does not
    tell is counted once the players went on from the board at its end: what stood there is certain then.
    """
    best, others = tracks[0], rivals(tracks, settings)
    if best.lost > -settings.margin:
        return 0
    common = 0
    for index, ply in enumerate(best.plies):
        if any(len(t.plies) <= index or t.plies[index].key != ply.key for t in others):
            break
        common = index + 1
    parts = stretches(best.plies[:common], settings)
    open_up_to = max((end for end, part in parts if not told(part, settings)), default=0)
    played_on = sum(ply.sure(settings) for ply in best.plies[open_up_to:common]) >= _PLAYED_ON
    first = open_up_to if played_on else 0
    return min(common, *(_seen_up_to(t, first, settings) for t in (best, *others)))


def stretches(plies: Sequence[Ply], settings: Settings) -> list[tuple[int, tuple[Ply, ...]]]:
    """Part plies after each board that a picture shows beyond doubt, whatever the dice; the last may lack one.

    With each stretch comes the number of plies up to its end.
    """
    parts = []
    start = 0
    for end, ply in enumerate(plies, start=1):
        if end == len(plies) or ply.shown(settings):
            parts.append((end, tuple(plies[start:end])))
            start = end
    return parts


def told(stretch: Sequence[Ply], settings: Settings) -> bool:
    """Tell whether a board seen well at the end of a stretch, or later, makes all of it certain.

    One turn in it may have been missed, or its picture be spoiled. Where more would have to be, or a board and the
    dice, it is as likely that somebody played wrongly and the course only makes up for it.
    """
    missed = sum(ply.doubt > settings.contradiction for ply in stretch)
    agreed = len(stretch) == 1 or all(ply.agreed for ply in stretch)
    return agreed and missed <= _MAY_BE_MISSED and not any(ply.gap for ply in stretch)


def _seen_up_to(track: Track, first: int, settings: Settings) -> int:
    """Return the number of plies up to the last one that was seen beyond doubt.

    Beyond a stretch from the ply `first` on that cannot be told nothing is.
    """
    seen = 0
    for end, part in stretches(track.plies, settings):
        if end > first and not told(part, settings):
            break
        seen = end if part[-1].sure(settings) else seen
    return seen


def left_open(tracks: Sequence[Track], settings: Settings) -> int:
    """Return how many plies of the best track can never be told any more, though play goes on from one board.

    All likely tracks have come to the same board by the same last plies, of which one was seen beyond doubt; how
    they came there differs. 0 when there is no such gap.
    """
    best, others = tracks[0], rivals(tracks, settings)
    if (
        not others
        or best.lost > -settings.margin
        or any((t.board, t.turn) != (best.board, best.turn) for t in others)
    ):
        return 0
    same = 0
    for ply in reversed(best.plies):
        if any(len(t.plies) <= same or t.plies[-1 - same].key != ply.key for t in others):
            break
        same += 1
    if same == len(best.plies) or not any(ply.sure(settings) for ply in best.plies[len(best.plies) - same :]):
        return 0
    return len(best.plies) - same


def without_gap(tracks: Sequence[Track], gap: int) -> tuple[Track, ...]:
    """Return the tracks with what can never be told taken off: those that share what the best did afterwards."""
    tail = tracks[0].plies[gap:]
    keys = [ply.key for ply in tail]
    kept = [t for t in tracks if len(t.plies) >= len(keys) and [p.key for p in t.plies[-len(keys) :]] == keys]
    return pruned([replace(t, plies=t.plies[-len(keys) :]) for t in kept])


def without_first(tracks: Sequence[Track], plies: Sequence[Ply]) -> tuple[Track, ...]:
    """Return the tracks that begin with certain plies, these taken off."""
    keys = [ply.key for ply in plies]
    kept = [
        replace(t, plies=t.plies[len(keys) :]) for t in tracks if [p.key for p in t.plies[: len(keys)]] == keys
    ]
    return pruned(kept)


def probability(tracks: Sequence[Track], index: int, settings: Settings) -> float:
    """Return the probability that the ply at `index` of the best track was played."""
    best = tracks[0]
    key = best.plies[index].key
    against = sum(
        math.exp(t.score - best.score) for t in tracks[1:] if len(t.plies) <= index or t.plies[index].key != key
    )
    later = min(ply.doubt for ply in best.plies[index:])
    return 1.0 / (1.0 + against + math.exp(later - settings.contradiction))
