"""``barpoint follow``: follow a game in a folder of pictures or a video, and print what became certain."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from controller.cli.eyes import Recording
    from controller.following import Following
    from controller.ports import Watched
    from controller.storage import Journal

Event = dict[str, Any]

PASSING = ("moving", "hand")
"""What is no event: people play with their hands."""


def register(commands: Any) -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "follow", help="a game in pictures, from the start position on", description=__doc__
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="folder of pictures in name order, or a video")
    parser.add_argument(
        "--corners",
        metavar="X,Y,X,Y,X,Y,X,Y",
        help="outer corners of the playing surface in pixels, clockwise, the first two ending one row of points",
    )
    parser.add_argument(
        "--white-home",
        metavar="SIDE",
        choices=("bottom-right", "bottom-left", "top-right", "top-left"),
        help="where White's home board lies once that row is on top (worked out by default)",
    )
    parser.add_argument("--rules", metavar="NAME", default="international", help="rule profile (%(default)s)")
    parser.add_argument("--mat", metavar="OUT", type=Path, help="write the record here, as match text")
    parser.add_argument("--journal", metavar="FILE", type=Path, help="keep all events here, and go on from them")
    parser.add_argument("--json", action="store_true", help="one JSON line an event, which is the only form")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from controller.following import beginning
    from controller.rules.profiles import profile

    rules = profile(args.rules)
    if args.mat is not None and not args.mat.resolve().parent.is_dir():
        raise ConfigError(f"{args.mat}: no such folder to write to")
    from controller.cli.eyes import Recording, parse_corners

    corners = parse_corners(args.corners) if args.corners is not None else None
    recording = Recording.open(args.path, corners, args.white_home)
    log = Log(args.journal, args.path.resolve().name)
    try:
        for event in follow(recording, beginning(rules), log):
            print(json.dumps(event), flush=True)
    finally:
        recording.close()
        log.close()
    if args.mat is not None:
        write_record(log.events, args.mat, args.rules)
    return 0


class Log:
    """Numbers events, and keeps them in a journal where one is given.

    Args:
        path: the journal, or None to keep events in memory only.
        match_id: names the evening in it.
    """

    def __init__(self, path: Path | None, match_id: str) -> None:
        from controller.storage import Journal

        self._journal: Journal | None = Journal.open(path) if path is not None else None
        self._match_id = match_id
        self.events: list[Event] = self._journal.events(match_id, limit=None) if self._journal is not None else []
        self._known = {_mark(event) for event in self.events}

    def add(self, events: Iterable[Event]) -> list[Event]:
        """Number the events of one picture and make them durable, all or none.

        Returns:
            Those that a run before has not written already.
        """
        new = [event for event in events if _mark(event) not in self._known]
        numbered = [{"seq": seq, **event} for seq, event in enumerate(new, start=len(self.events) + 1)]
        if self._journal is not None and numbered:
            self._journal.append(*numbered, match_id=self._match_id)
        self.events += numbered
        return numbered

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()


def _mark(event: Event) -> tuple[object, ...]:
    """Return what tells an event from others: its kind, game, picture, what was played or why it is asked."""
    told = event.get("play") or event.get("reason")
    return event["type"], event.get("game"), event.get("frame"), event.get("player"), told


def follow(recording: Recording, state: Following, log: Log) -> Iterator[Event]:
    """Yield the events of a recording, each durable before it is yielded.

    Raises:
        CameraError: a picture that is none.
        StorageError: the journal cannot be written, or holds events of something else.
    """
    from controller.board import Observation
    from controller.following import ended, reminded, resumed, step

    state, last = resumed(state, log.events)
    eyes, frames = recording.eyes, recording.frames()
    if last is not None:
        for frame in frames:
            if frame.name == last:
                eyes.see(frame)
                state = reminded(state, eyes.read(frame))
                break
        else:
            raise StorageError(f"the journal goes on from {last}, which is not among these pictures")
    blocked: Watched | None = None
    for frame in frames:
        for seen in eyes.see(frame):
            if isinstance(seen, Observation):
                blocked = None
                state, found = step(state, seen)
                if (board := state.settled_board) is not None:
                    eyes.confirm(board, frame)
            elif seen.kind in PASSING:
                blocked = blocked or seen
                continue
            else:
                found = (watched_event(seen, state.game),)
            yield from log.add(found)
    yield from log.add(ended(state))
    if blocked is not None:
        yield from log.add((blocked_event(blocked, state.game),))


def watched_event(seen: Watched, game: int) -> Event:
    """Return the event for what a watcher reports besides readings."""
    kind = "camera_moved" if seen.kind in ("moved", "registered", "help") else "link"
    return {"type": kind, "game": game, "camera": seen.kind, "reason": seen.detail, "frame": seen.frame}


def blocked_event(since: Watched, game: int) -> Event:
    """Return the event for a recording that ends before the board is seen again."""
    from controller.following import question_event

    reason = "from here to the end the board was never seen still and free of hands"
    return question_event("obscured", game, None, reason, ((), ()), since.frame)


def write_record(events: list[Event], out: Path, rules: str) -> None:
    """Write the record of followed events as match text, whole or not at all.

    Raises:
        StorageError: the file cannot be written.
    """
    from controller.following import for_record
    from controller.records.events import record_from_events
    from controller.records.mat_write import write_mat

    text = write_mat(record_from_events(map(for_record, events), rules=rules)).text
    part = out.with_name(out.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(out)
    except OSError as error:
        raise StorageError(f"{out}: cannot be written ({error.strerror or error})") from error
