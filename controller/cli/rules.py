"""``barpoint rules``: the rule profiles in plain words."""

from __future__ import annotations

import argparse
import json
from typing import Any

from controller.rules.profiles import DEFAULT, PROFILES, profile
from controller.rules.wording import describe, differences


def register(commands: Any) -> None:
    """Add the parser of this command."""
    parser = commands.add_parser("rules", help="the rule profiles in plain words", description=__doc__)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a profile; without it all are listed")
    parser.add_argument("--json", action="store_true", help="print all keys as JSON")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.name is None:
        for each in PROFILES.values():
            default = " (default)" if each is DEFAULT else ""
            print(json.dumps(each.to_json()) if args.json else f"{each.name:<14} {each.source}{default}")
        return 0
    rules = profile(args.name)
    if args.json:
        print(json.dumps({**rules.to_json(), "differences": list(differences(rules))}, indent=2))
        return 0
    print(f"{rules.name}: {rules.source}\n")
    for words in describe(rules).values():
        print(f"  {words}")
    if rules != DEFAULT:
        print(f"\nDifferent from {DEFAULT.name}:\n")
        for key, words in differences(rules).items():
            print(f"  {key:<20} {words}")
    return 0
