"""The one function that decides: what does this event mean now?

`step` is pure. Time arrives with the event, effects leave as values, and whatever is not allowed becomes a
`Refuse` effect: no event in any state raises.
"""

from __future__ import annotations

from dataclasses import replace

from controller.errors import IllegalActionError, RulesError
from controller.ports import Pressed, Watched
from controller.rules import Color, Roll
from controller.rules.game import Game, Phase
from controller.rules.match import rematch
from controller.session import buttons, computer, facts, plays
from controller.session.corrections import correct
from controller.session.cubes import look_at_cube, look_while_offered
from controller.session.effects import Buzz, Confirm, Effect, Refuse, ShowDice
from controller.session.events import (
    Chosen,
    Command,
    Condoned,
    Correct,
    Decided,
    Event,
    Observed,
    PointedOut,
    Rematch,
    Restarted,
    Scanned,
    TimePassed,
)
from controller.session.flags import let_flags_fall
from controller.session.judging import judge, next_turn, say_when_late, want
from controller.session.ledger import Ledger
from controller.session.lights import lights_of
from controller.session.opening import begin_as_set_up, between_games, look_at_opening, put_right_in_time
from controller.session.scanning import scan
from controller.session.sighting import (
    end_turn,
    held_back,
    look_again,
    of_next_turn,
    read_dice,
    take_in,
    watched,
)
from controller.session.standing import moves_between, wrong_sites
from controller.session.state import Draft, State


def step(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    """Return the state after an event, and what is to be done about it, in order.

    An event that is not allowed changes nothing but the time; its one effect is a `Refuse`.
    """
    at_s = max(state.at_s, _at_s(event))
    draft = Draft(replace(state, at_s=at_s))
    try:
        _decide(draft, event)
        _release(draft)
        computer.act(draft)
    except RulesError as error:
        return _unchanged(replace(state, at_s=at_s), event), (Refuse(" ".join(str(error).split())),)
    after = draft.state
    if after.ledger is not state.ledger or after.sight.verdict != state.sight.verdict:
        lights = lights_of(after)
        if lights != lights_of(state):
            draft.effects.append(lights)
    return after, tuple(draft.effects)


def _unchanged(state: State, event: Event) -> State:
    """Return the state after an event that was refused; what was seen is still the newest that was seen."""
    draft = Draft(state)
    if isinstance(event, Observed) and not event.observation.hand:
        take_in(draft, event.observation)
    return draft.state


def _at_s(event: Event) -> float:
    return event.observation.at_s if isinstance(event, Observed) else event.at_s


def _decide(draft: Draft, event: Event) -> None:
    match event:
        case Observed():
            _observed(draft, event)
        case Watched():
            _watched(draft, event)
        case Pressed():
            buttons.pressed(draft, event)
        case TimePassed():
            _time_passed(draft)
        case Chosen(choice=choice):
            buttons.choose(draft, choice)
        case Correct():
            correct(draft, replace(event, at_s=draft.at_s))
            _look_anew(draft)
        case Decided():
            computer.decided(draft, event)
        case Condoned():
            _condoned(draft)
        case Scanned():
            scan(draft)
        case PointedOut():
            _pointed_out(draft, event)
        case Restarted():
            _restarted(draft)
        case _:
            _command(draft, _as_last_time(draft, event) if isinstance(event, Rematch) else event)


def _observed(draft: Draft, event: Observed) -> None:
    seen = event.observation
    if seen.hand:
        draft.look(restless=True)
        return
    take_in(draft, seen)
    if not draft.ledger.playing:
        between_games(draft, seen)
        return
    _look_anew(draft)


def _look_anew(draft: Draft) -> None:
    """Read the newest readings in the light of what the game waits for."""
    if not draft.ledger.playing or draft.sight.restless or not draft.sight.seen:
        return
    if draft.ledger.computers_turn:
        computer.look(draft)
        return
    phase = plays.game_of(draft).phase
    if phase is Phase.OPENING:
        look_at_opening(draft)
    elif phase is Phase.OFFERED:
        look_while_offered(draft)
    else:
        look_at_cube(draft)
        read_dice(draft)
        look_again(draft)
        put_right_in_time(draft)
        judge(draft)


def _watched(draft: Draft, event: Watched) -> None:
    """Take in what a watcher says besides readings."""
    following = draft.ledger.started is not None and not draft.ledger.ended
    match event.kind:
        case "still":
            if draft.sight.seen:
                waited = draft.sight.waiting
                draft.look(restless=False)
                watched(draft, event.at_s, still=True)
                if waited and draft.sight.shown:
                    look_again(draft)
                _stood_still(draft)
        case "moving" | "hand":
            draft.look(restless=True)
            watched(draft, event.at_s, still=False)
        case "lost" | "found":
            draft.look(restless=True)
            if following:
                state = "lost" if event.kind == "lost" else "ok"
                draft.commit(facts.LinkChanged(at_s=draft.at_s, part="camera", state=state, detail=event.detail))
        case _:
            if following:
                draft.commit(facts.CameraChanged(at_s=draft.at_s, state=event.kind, detail=event.detail))


def _stood_still(draft: Draft) -> None:
    """The board was seen to stand as it was read: end quiet turns, and judge what waited for a later picture."""
    if not draft.ledger.playing:
        return
    if draft.ledger.computers_turn:
        computer.look(draft)
        return
    sight = draft.sight
    phase = plays.game_of(draft).phase
    if phase is Phase.OPENING:
        _end_of_first_turn(draft)
        look_at_opening(draft)
    if sight.verdict is None or phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
        return
    quiet_s = draft.ledger.settings.quiet_s
    if sight.ended is None and sight.looked_s - sight.since_s >= quiet_s and sight.standing == sight.verdict:
        end_turn(draft, "quiet", sight.looked_s)
    judge(draft)


def _end_of_first_turn(draft: Draft) -> None:
    """Let quiet time end the first turn of a game, where this event has it and nothing else has ended it."""
    sight, settings = draft.sight, draft.ledger.settings
    newest = sight.newest
    if newest is None or sight.ended is not None or "quiet" not in settings.signals:
        return
    if sight.looked_s - newest.at_s >= settings.quiet_s and wrong_sites(draft.ledger.board, draft.evidence()) != (
        (),
        (),
    ):
        draft.look(ended="quiet", ended_at_s=sight.looked_s)


def _time_passed(draft: Draft) -> None:
    """Let flags fall, and say when the camera does not keep up."""
    if draft.ledger.playing and not let_flags_fall(draft):
        say_when_late(draft)


def _release(draft: Draft) -> None:
    """Let the presses and rolls happen that came before their pictures, as far as these have come."""
    held = draft.sight.held
    while held and _has_begun(draft, held[0]):
        draft.due = held[0]
        draft.look(held=held[1:])
        try:
            _decide(draft, held[0])
        except RulesError as error:
            draft.effects.append(Refuse(" ".join(str(error).split())))
        held = draft.sight.held if draft.ledger.playing else ()
        draft.look(held=held)


def _has_begun(draft: Draft, event: Pressed | facts.Rolled) -> bool:
    """Tell whether the turn of a press or roll has begun for the table, too."""
    return not draft.sight.undecided and event.at_s <= _told_to_s(draft) and not of_next_turn(draft, event)


def _told_to_s(draft: Draft) -> float:
    """Return until when the pictures have told what was done; who began is told by the board at rest alone."""
    game, sight = draft.ledger.game, draft.sight
    return sight.looked_s if game is not None and game.phase is Phase.OPENING else sight.watched_s


def _condoned(draft: Draft) -> None:
    if not plays.let_stand(draft):
        draft.effects.append(Refuse("what stands on the board cannot be read for certain, or is not played yet"))
        return
    next_turn(draft)


def _pointed_out(draft: Draft, event: PointedOut) -> None:
    """Call a wrong play at the table because the opponent pointed it out, whatever the policy."""
    question = draft.ledger.question
    if not isinstance(question, facts.IllegalSeen) or question.player is event.player:
        draft.effects.append(Refuse("there is no wrong play to point out"))
        return
    draft.commit(replace(question, at_s=draft.at_s, audience="table"))
    if draft.ledger.clock.setting.kind != "none":
        draft.commit(
            facts.ClockSet(at_s=draft.at_s, action="start", player=question.player, reason="illegal play")
        )
    if draft.ledger.settings.sound:
        draft.effects.append(Buzz("wrong"))
    draft.look(ended=None)


def _restarted(draft: Draft) -> None:
    """After a restart clocks stand still; the dice are shown again."""
    if draft.ledger.playing and draft.ledger.clock.running is not None:
        draft.commit(facts.ClockSet(at_s=draft.at_s, action="restart"))
    draft.effects.extend(_dice_shown(draft.ledger))


def shown(state: State) -> tuple[Effect, ...]:
    """Return what shows a state on the board anew, where something else was shown there: lights and dice."""
    return lights_of(state), *_dice_shown(state.ledger)


def _dice_shown(ledger: Ledger) -> tuple[Effect, ...]:
    """Return what the electronic dice show: the roll on the table, under its name, so that it does not tumble."""
    game = ledger.game
    if not ledger.playing or game is None or ledger.settings.dice != "electronic":
        return ()
    if game.roll is None or game.turn is None:
        return ()
    return (ShowDice(_roll_id(ledger), game.roll, game.turn),)


def _roll_id(ledger: Ledger) -> int:
    """Return the name under which the newest roll was shown."""
    for entry in reversed(ledger.line):
        if isinstance(entry.fact, facts.Rolled | facts.OpeningRolled):
            return getattr(entry.fact, "roll_id", None) or entry.seq
    return ledger.seq


def _command(draft: Draft, fact: Command) -> None:
    """Add what a desk commands to the record, and read the board in the light of it."""
    if isinstance(fact, facts.Rolled) and draft.ledger.playing and held_back(draft, fact):
        return
    if not isinstance(fact, facts.Rolled) or not fact.at_s:
        fact = replace(fact, at_s=draft.at_s)
    if isinstance(fact, facts.MatchStarted):
        _start_match(draft, fact)
        return
    game = draft.ledger.game
    moving = game is not None and draft.ledger.playing and game.phase is Phase.TO_PLAY
    if isinstance(fact, facts.Rolled) and game is not None and moving and game.turn is not fact.player:
        want(draft, fact)
        return
    fact = fact if game is None else _in_full(fact, game)
    if isinstance(fact, facts.OpeningRolled):
        begin_as_set_up(draft)
    _forget_replies(draft, fact)
    draft.commit(fact)
    if isinstance(fact, facts.Rolled | facts.OpeningRolled) and fact.source == "electronic":
        draft.effects.append(_rolled(fact, draft.ledger.seq))
    if isinstance(fact, facts.Played | facts.PositionSet):
        draft.look(told_s=fact.at_s)
        draft.effects.append(Confirm(draft.ledger.board))
    if isinstance(fact, facts.RollWithdrawn):
        draft.look(dice=(), old_dice=(), reply=None, ended=None, standing=None, final=())
    elif not isinstance(fact, facts.ClockSet | facts.LinkChanged | facts.Rolled):
        begun = draft.sight.begun if isinstance(fact, facts.OpeningRolled) else None
        draft.new_turn(stands=isinstance(fact, facts.PositionSet))
        draft.look(begun=begun or draft.sight.begun)
    if isinstance(fact, facts.ClockSet) and fact.action == "hit":
        end_turn(draft, "clock", draft.at_s)
    if isinstance(fact, facts.Played):
        next_turn(draft)
    else:
        _look_anew(draft)


def _rolled(fact: facts.Rolled | facts.OpeningRolled, seq: int) -> ShowDice:
    """Return what shows a roll of the electronic dice, event `seq`."""
    if isinstance(fact, facts.Rolled):
        return ShowDice(fact.roll_id or seq, fact.roll, fact.player)
    winner = Color.WHITE if fact.white > fact.black else Color.BLACK
    return ShowDice(seq, Roll.of(fact.white, fact.black), winner)


def _forget_replies(draft: Draft, fact: Command) -> None:
    """Forget what was thrown since the game could not be followed, once it is told: it may belong to any turn.

    Nor is a throw a reply that turns out to be the roll of the play itself, whose dice nobody had seen.
    """
    question, game = draft.ledger.question, draft.ledger.game
    lost = isinstance(question, facts.Asked) and question.about == "position"
    own = (
        isinstance(fact, facts.Played)
        and fact.roll == draft.sight.reply
        and game is not None
        and game.roll is None
    )
    if own or (lost and isinstance(fact, facts.Rolled | facts.Played)):
        draft.look(reply=None, reply_dice=(), wants=None)
    if isinstance(fact, facts.Played):
        draft.look(held=tuple(each for each in draft.sight.held if not _told_with(each, fact)))


def _told_with(each: Pressed | facts.Rolled, fact: facts.Played) -> bool:
    """Tell whether a roll that waits for its turn is that of a play told since: it is no later one."""
    return isinstance(each, facts.Rolled) and each.player is fact.player and each.roll == fact.roll


def _in_full(fact: Command, game: Game) -> Command:
    """Return what a desk commands with what follows from the game: the moves of a play, the value of the cube."""
    if isinstance(fact, facts.Played) and game.turn is fact.player and not fact.moves:
        after = fact.position.seen_by(fact.player)
        play = plays.legal(game, after) or moves_between(game.before, after)
        return replace(fact, moves=plays.moved(play or (), fact.player))
    if isinstance(fact, facts.CubeTurned):
        offered = game.offer.value if game.offer is not None else game.cube.value
        raises = fact.action in ("double", "beaver", "raccoon")
        return replace(fact, value=offered * 2 if raises else offered)
    return fact


def _as_last_time(draft: Draft, event: Rematch) -> facts.MatchStarted:
    """Return the beginning of another match of the same players.

    Raises:
        IllegalActionError: the match is not over, or its rules know no rematch or none of that length.
    """
    started, match = draft.ledger.started, draft.ledger.match
    if started is None or match is None:
        raise IllegalActionError("no match has been played")
    again = rematch(match, -1 if event.length is None else event.length or None)
    return replace(started, match_id=event.match_id, length=again.length, score=(0, 0), position=None, turn=None)


def _start_match(draft: Draft, fact: facts.MatchStarted) -> None:
    """Begin a match; one in which nothing has happened yet makes room for it."""
    if draft.ledger.untouched:
        draft.commit(facts.MatchEnded(at_s=fact.at_s, winner=None, score=draft.ledger.score(), reason="not begun"))
    draft.commit(fact)
    draft.commit(facts.GameStarted(at_s=fact.at_s))
    draft.new_turn()
    if fact.position is not None and fact.turn is not None:
        draft.commit(facts.PositionSet(at_s=fact.at_s, position=fact.position, turn=fact.turn, why="start"))
