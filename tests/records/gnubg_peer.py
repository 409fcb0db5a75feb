"""The real GNU Backgammon, asked what it makes of files; one process answers for many."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMPLAINT = re.compile(
    r"Unrecogni[sz]ed|WARNING|Invalid move|garbage|doesn't follow a double|Illegal Snowie|not a valid|"
    r"parameters are invalid|Unknown|No '\('"
)
_DUMP = """import gnubg, json, os
number = int(os.environ.get("BARPOINT_ANSWER", "0"))
os.environ["BARPOINT_ANSWER"] = str(number + 1)
with open("answer%d.json" % number, "w") as file:
    whole = gnubg.match(analysis=0, boards=1, statistics=0, verbose=0)
    json.dump({"match": whole, "position": gnubg.positionid()}, file, default=str)
"""


@dataclass(frozen=True)
class Answer:
    """What gnubg said about one file: its complaints, the match by its Python interface, the last position."""

    complaints: list[str]
    match: dict[str, Any] | None
    position: str

    def results(self) -> list[tuple[str, int] | None]:
        """Return winner (``X`` left, ``O`` right) and points of each game, None for an unfinished one."""
        games = self.match["games"] if self.match else []
        infos = [game["info"] for game in games]
        return [(info["winner"], info["points-won"]) if info.get("winner") else None for info in infos]

    def score_after(self) -> tuple[int, int]:
        """Return the score after the last game, the left player's first."""
        assert self.match is not None
        info = self.match["games"][-1]["info"]
        left, right = info["score-X"], info["score-O"]
        points = info["points-won"] if info.get("winner") else 0
        return (left + points, right) if info.get("winner") == "X" else (left, right + points)


def ask(files: Sequence[Path], folder: Path) -> list[Answer]:
    """Let one gnubg read all `files` (``.mat``, ``.txt`` or ``.sgf``); `folder` is where it may write."""
    program = shutil.which("gnubg", path="/usr/games:" + os.environ["PATH"])
    assert program is not None, "gnubg is needed: apt install gnubg"
    dump = folder / "dump.py"
    dump.write_text(_DUMP)
    commands = []
    for at, file in enumerate(files):
        load = "load match" if file.suffix == ".sgf" else "import mat"
        commands += [
            f"set player 0 name mark{at}",
            f'{load} "{file.resolve()}"',
            f'load python "{dump}"',
            "show score",
        ]
    environment = {"HOME": str(folder), "LC_ALL": "C.UTF-8", "PATH": "/usr/games:/usr/bin:/bin"}
    done = subprocess.run(
        [program, "-t", "-q", "-r"],
        input="set automatic game off\nset confirm new off\nset confirm save off\n"
        + "\n".join(commands)
        + "\nquit\ny\n",
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        cwd=folder,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"gnubg ended with {done.returncode}"
    parts = re.split(r"^.*mark\d+'.*$", done.stdout, flags=re.MULTILINE)[1:]
    assert len(parts) == len(files)
    return [_answer(said, folder / f"answer{at}.json") for at, said in enumerate(parts)]


def _answer(said: str, file: Path) -> Answer:
    complaints = [line for line in said.splitlines() if COMPLAINT.search(line)]
    told = json.loads(file.read_text())
    file.unlink()
    return Answer(complaints, told["match"], told["position"])
