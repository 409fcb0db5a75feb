"""Secrets out of a text before it leaves the house: tokens, passwords, addresses, networks, home folders."""

from __future__ import annotations

import re
from pathlib import Path

MASK = "***"

_RULES = (
    (re.compile(r"barpoint_[A-Za-z0-9_-]{8,}"), "barpoint_" + MASK),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"), rf"\1 {MASK}"),
    (re.compile(r"(?i)(://)[^/\s:@]+:[^/\s@]+@"), rf"\1{MASK}@"),
    (
        re.compile(
            r"(?i)([\"']?[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|psk|api[_-]?key|seed)[\"']?\s*[=:]\s*)"
            r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s,;}\]]+)"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"(?i)([\"']?\b[eb]?ssid[\"']?\s*[=:]\s*)(\"[^\"\n]*\"|'[^'\n]*'|[^\n,;}]+)"), rf"\1{MASK}"),
    (re.compile(r"(?i)\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b"), "xx:xx:xx:xx:xx:xx"),
    (re.compile(r"(?i)\b[0-9a-f]{64}\b"), MASK),
    (re.compile(r"(/home/|/Users/)[^/\s\"':,]+"), rf"\1{MASK}"),
)


def masked(text: str) -> str:
    """Return a text without secrets; what is left still says what kind of thing stood there.

    Example:
        >>> masked('token = "abc"  psk=secret  wlan0 b8:27:eb:01:02:03  /home/ann/barpoint.toml')
        'token = ***  psk=***  wlan0 xx:xx:xx:xx:xx:xx  /home/***/barpoint.toml'
    """
    home = str(Path.home())
    if len(home) > 1:
        text = re.sub(rf"{re.escape(home)}(?=[/\s\"':,]|$)", "~", text)
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text
