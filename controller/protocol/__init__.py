"""The Barpoint board on the wire: messages and frames; bytes in, values out.

The messages are generated from ``firmware/protocol.toml``; `FrameDecoder` finds frames in any split of the stream,
`Exchange` retries requests and hands out events exactly once and in order.
"""

from controller.protocol import _generated
from controller.protocol._generated import *  # noqa: F403 - every generated message is a public name
from controller.protocol.codec import Event, Message, ProtocolError, Request, to_json
from controller.protocol.exchange import Exchange, check_version
from controller.protocol.frames import (
    DELIMITER,
    Frame,
    FrameDecoder,
    decode_message,
    encode_frame,
    encode_message,
)

__all__ = [
    "DELIMITER",
    "Event",
    "Exchange",
    "Frame",
    "FrameDecoder",
    "Message",
    "ProtocolError",
    "Request",
    "check_version",
    "decode_message",
    "encode_frame",
    "encode_message",
    "to_json",
]
__all__ += _generated.__all__
