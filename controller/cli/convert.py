"""`barpoint convert IN OUT`: a match file in another format."""

from __future__ import annotations

import argparse
from pathlib import Path


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "convert",
        help="convert a match file between .mat, .sgf and .json",
        description="Convert a match file; the endings tell the formats (.mat or .txt, .sgf, .json). "
        "What is wrong in it, and what the new format cannot hold, is said on stderr.",
    )
    parser.add_argument("source", metavar="IN", type=Path, help="the match file to read")
    parser.add_argument("target", metavar="OUT", type=Path, help="the match file to write; it is replaced")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    import sys

    from controller.cli.check import read_file
    from controller.errors import InvalidNotationError
    from controller.records import write_record

    reading = read_file(args.source)
    written = write_record(reading.record, args.target.name)
    temporary = args.target.with_name(f".{args.target.name}.part")
    try:
        temporary.write_text(written.text, encoding="utf-8", newline="\n")
        temporary.replace(args.target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InvalidNotationError(f"{args.target}: cannot be written: {error.strerror}") from None
    for problem in reading.problems:
        print(f"{args.source.name}: {problem}", file=sys.stderr)
    for lost in written.lost:
        print(f"{args.target.name}: not held: {lost}", file=sys.stderr)
    return 0
