"""Follow a game offline, from pictures to events: the pure part of `barpoint follow`."""

from controller.following.replay import reminded, resumed
from controller.following.state import Following, beginning, step

__all__ = ["Following", "beginning", "reminded", "resumed", "step"]
