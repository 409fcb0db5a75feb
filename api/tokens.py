"""Who may act at the desk: bearer tokens of 256 random bits, kept only as hashes.

A hash without salt or stretching is enough for a secret of that size; nobody can guess or look it up.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from controller.errors import ConfigError

PREFIX = "barpoint_"
"""What tokens begin with, so that one that leaks can be recognised."""


class Role(IntEnum):
    """What a person may do; each role may do what the ones before it may."""

    VIEWER = 0
    SCORER = 1
    DIRECTOR = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Person:
    """Whose token it is.

    Attributes:
        name: as written in corrections.
        role: what this person may do.
    """

    name: str
    role: Role


class Tokens:
    """The tokens of one table.

    Args:
        people: by the SHA-256 of each token, in hexadecimal.
        path: the file to keep them in, or None to keep them in memory.
    """

    def __init__(self, people: dict[str, Person], path: Path | None = None) -> None:
        self._people = dict(people)
        self._path = path

    @classmethod
    def open(cls, path: Path) -> tuple[Tokens, str | None]:
        """Read the tokens of `path`; at the first start make an admin's token, which is told here and never again.

        Raises:
            ConfigError: the file cannot be read or written, or is not one of ours.
        """
        if path.exists():
            return cls(_read(path), path), None
        tokens = cls({}, path)
        return tokens, tokens.add(Person("admin", Role.ADMIN))

    def add(self, person: Person) -> str:
        """Make a token for `person` and return it; only its hash is kept.

        Raises:
            ConfigError: the file cannot be written.
        """
        token = PREFIX + secrets.token_urlsafe(32)
        self._people[_hash(token)] = person
        self._write()
        return token

    def remove(self, name: str) -> bool:
        """Withdraw all tokens of `name`; tells whether there were any.

        Raises:
            ConfigError: the file cannot be written.
        """
        kept = {digest: person for digest, person in self._people.items() if person.name != name}
        found = len(kept) < len(self._people)
        self._people = kept
        self._write()
        return found

    @property
    def people(self) -> list[Person]:
        """Everybody who has a token."""
        return sorted(set(self._people.values()), key=lambda person: (-person.role, person.name))

    def person(self, token: str) -> Person | None:
        """Return whose token this is, in a time that does not tell how much of it was right."""
        digest = _hash(token)
        found = None
        for known, person in self._people.items():
            if hmac.compare_digest(known, digest):
                found = person
        return found

    def _write(self) -> None:
        if self._path is None:
            return
        rows = [
            {"sha256": digest, "name": p.name, "role": p.role.name.lower()} for digest, p in self._people.items()
        ]
        fresh = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"tokens": rows}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)
        except OSError as error:
            raise ConfigError(f"{self._path}: cannot keep the tokens of the desk: {error.strerror}") from error


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> dict[str, Person]:
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["tokens"]
        return {str(row["sha256"]): Person(str(row["name"]), Role[str(row["role"]).upper()]) for row in rows}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: holds no tokens of the desk; remove it to make a new one") from error
