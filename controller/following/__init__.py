"""Follow a game offline, from pictures to events: the pure part of `barpoint follow`."""

from controller.following.events import for_record, question_event
from controller.following.replay import reminded, resumed
from controller.following.state import Following, beginning, ended, step

__all__ = ["Following", "beginning", "ended", "for_record", "question_event", "reminded", "resumed", "step"]
