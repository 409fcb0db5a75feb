"""The table's way to a club: a broker, where the settings name one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from controller.config import Settings
from controller.errors import ConfigError
from controller.storage import Journal
from controller.table import Table

if TYPE_CHECKING:
    from api.mqtt import MqttLink

_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
"""What may stand in a topic: a wildcard in a name would reach over the broker's access list."""


def club_link(settings: Settings, table: Table, journal: Journal) -> MqttLink | None:
    """Return what tells the club of this table, already a publisher of it, or None without a broker.

    Raises:
        ConfigError: the broker's address or a name is not one, or what speaks to it is not installed.
    """
    club = settings.club
    if not club.broker:
        return None
    for key, name in (("club.id", club.id), ("table.id", settings.table.id)):
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{key} is {name!r}; accepted: up to 60 letters, digits and dashes")
    try:
        from api.mqtt import MqttLink, broker_of  # noqa: PLC0415 - an extra of the package
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"club.broker needs the extra `club` ({error.name} is missing): pip install '.[club]'"
        ) from error
    broker = broker_of(club.broker, club.username, club.password, club.ca)
    link = MqttLink(table, journal, broker, club.id, lambda state: table.set_link("club", state))
    table.add_publisher(link)
    return link
