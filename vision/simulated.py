"""The simulated camera: it draws what a camera over a simulated table would see.

A pinhole camera looks at a board of given sizes; checkers are cylinders, dice are cubes with pips on all visible
faces, a hand comes in from a player's side. Light falls off across the picture and every pixel has noise. The
pictures go through the same eyes as those of a real camera, so nothing here may be known to the reader.

Millimetres: origin in the middle of the field, x to the right and y away as White sits, z up.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.board import SITES, Board, Color, Scene, SceneDie, Site
from vision.camera import Frame

Picture = NDArray[np.uint8]
Points3 = NDArray[np.float64]
Rgb = tuple[int, int, int]

_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@dataclass(frozen=True, slots=True)
class Look:
    """Sizes and colors of a simulated board; RGB, millimetres."""

    field_rgb: Rgb = (196, 160, 112)
    points_rgb: tuple[Rgb, Rgb] = ((110, 58, 34), (226, 205, 166))
    frame_rgb: Rgb = (92, 54, 30)
    table_rgb: Rgb = (70, 76, 82)
    checkers_rgb: tuple[Rgb, Rgb] = ((238, 228, 204), (52, 34, 28))
    dice_rgb: tuple[Rgb, Rgb] = ((245, 242, 234), (150, 24, 30))
    pips_rgb: tuple[Rgb, Rgb] = ((24, 24, 24), (245, 240, 230))
    point_w_mm: float = 40.0
    bar_w_mm: float = 44.0
    depth_mm: float = 420.0
    checker_d_mm: float = 37.0
    checker_h_mm: float = 8.0
    die_mm: float = 15.0
    frame_mm: float = 34.0
    markers: bool = True

    @property
    def width_mm(self) -> float:
        """Width of the field: twelve points and the bar."""
        return 12 * self.point_w_mm + self.bar_w_mm


@dataclass(frozen=True, slots=True)
class View:
    """Where the simulated camera hangs and how it sees.

    Attributes:
        height_mm: height of the camera over the field.
        tilt_deg: how far it leans away from straight down, towards White's seat.
        azimuth_deg: on which side it hangs, 0 White's.
        size_px: width and height of the picture.
        field_of_view_deg: horizontal.
        noise: standard deviation of the pixel noise, gray levels.
        falloff: how much darker the dark end of the table is, 0 to 1.
    """

    height_mm: float = 860.0
    tilt_deg: float = 7.0
    azimuth_deg: float = 0.0
    size_px: tuple[int, int] = (1280, 720)
    field_of_view_deg: float = 58.0
    noise: float = 2.5
    falloff: float = 0.22


def _shade(rgb: Rgb, factor: float) -> tuple[int, int, int]:
    """Return a color made lighter or darker, as OpenCV wants it (BGR)."""
    red, green, blue = (max(0, min(255, round(c * factor))) for c in rgb)
    return blue, green, red


@dataclass
class SimulatedCamera:
    """Draws scenes of one table; the same seed gives the same pictures."""

    look: Look = field(default_factory=Look)
    view: View = field(default_factory=View)
    seed: int = 0

    def __post_init__(self) -> None:
        width, height = self.view.size_px
        self._rng = np.random.default_rng(self.seed)
        focal = width / 2 / math.tan(math.radians(self.view.field_of_view_deg) / 2)
        self._k = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
        self._rotation, self._translation = self._pose()
        self._empty = self._draw_table()
        ramp = np.linspace(1.0, 1.0 - self.view.falloff, width)[None, :, None]
        self._light = (ramp * np.linspace(1.0, 0.94, height)[:, None, None]).astype(np.float32)
        self._noise = self._rng.normal(0, self.view.noise, (height * 2, width, 3)).astype(np.float32)

    def _pose(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rotation and translation from the table's millimetres to the camera."""
        tilt, azimuth = math.radians(self.view.tilt_deg), math.radians(self.view.azimuth_deg)
        away = self.view.height_mm * math.tan(tilt)
        eye = np.array([away * math.sin(azimuth), -away * math.cos(azimuth), self.view.height_mm])
        forward = -eye / np.linalg.norm(eye)
        up = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(forward, right), forward])
        return rotation, -rotation @ eye

    def project(self, points_mm: Any) -> NDArray[np.float64]:
        """Return pixels, shape ``(n, 2)``, of points in millimetres, shape ``(n, 3)``."""
        camera = np.asarray(points_mm, np.float64).reshape(-1, 3) @ self._rotation.T + self._translation
        pixels = camera @ self._k.T
        return np.asarray(pixels[:, :2] / pixels[:, 2:])

    @property
    def corners_px(self) -> list[tuple[float, float]]:
        """The field's corners in the picture: top-left, top-right, bottom-right, bottom-left as White sits."""
        x, y = self.look.width_mm / 2, self.look.depth_mm / 2
        flat = self.project([[-x, y, 0], [x, y, 0], [x, -y, 0], [-x, -y, 0]])
        return [(float(u), float(v)) for u, v in flat]

    def site_xy_mm(self, site: Site, slot: int) -> tuple[float, float]:
        """Return where the checker in `slot` (0 at the rim) of a site lies; White's home is on the right."""
        look = self.look
        column = (site - 1) % 12 if site <= 12 else 11 - (site - 13)
        x = look.width_mm / 2 - (column + 0.5) * look.point_w_mm - (look.bar_w_mm if column >= 6 else 0.0)
        layer_slot = slot % 5 if slot >= 5 else slot
        inward = look.checker_d_mm * (layer_slot + 0.5) + 1.0
        y = inward - look.depth_mm / 2
        return x, y if site <= 12 else -y

    def picture(self, scene: Scene) -> Picture:
        """Return one frame of a scene: ``(height, width, 3)`` uint8 BGR."""
        image = self._empty.copy()
        cylinders = self._cylinders(scene.board)
        self._shadows(image, cylinders)
        for center, color, height in sorted(cylinders, key=lambda item: (item[2], -item[0][1])):
            self._cylinder(image, center, height, color)
        for die in scene.dice:
            self._die(image, die)
        if scene.cube is not None:
            self._doubling_cube(image, *scene.cube)
        if scene.hand is not None:
            self._hand(image, scene.hand, scene.hand_of)
        return self._exposed(image)

    def _exposed(self, image: Picture) -> Picture:
        """Add light falloff, a little blur and pixel noise."""
        height = image.shape[0]
        start = int(self._rng.integers(0, height))
        noise = self._noise[start : start + height]
        soft = cv2.GaussianBlur(image, (3, 3), 0.6).astype(np.float32)
        exposed: Picture = np.clip(soft * self._light + noise, 0, 255).astype(np.uint8)
        return exposed

    def _polygon(self, image: Picture, points_mm: Any, color: tuple[int, int, int]) -> None:
        flat = np.rint(self.project(points_mm) * 16).astype(np.int32)
        cv2.fillPoly(image, [flat], color, cv2.LINE_AA, 4)

    def _rectangle(self, image: Picture, box: tuple[float, float, float, float], z: float, rgb: Rgb) -> None:
        x0, y0, x1, y1 = box
        self._polygon(image, [[x0, y0, z], [x1, y0, z], [x1, y1, z], [x0, y1, z]], _shade(rgb, 1.0))

    def _draw_table(self) -> Picture:
        """Draw the table with the empty board once."""
        look = self.look
        width, height = self.view.size_px
        image: Picture = np.empty((height, width, 3), np.uint8)
        image[:] = _shade(look.table_rgb, 1.0)
        x, y, rim = look.width_mm / 2, look.depth_mm / 2, look.frame_mm
        self._rectangle(image, (-x - rim, -y - rim, x + rim, y + rim), 10.0, look.frame_rgb)
        self._rectangle(image, (-x, -y, x, y), 0.0, look.field_rgb)
        grain = self._rng.normal(0, 1, (height // 2, width // 8)).astype(np.float32)
        grain = cv2.resize(cv2.GaussianBlur(grain, (9, 3), 0), (width, height), interpolation=cv2.INTER_CUBIC)
        image = np.clip(image + grain[..., None] * 12, 0, 255).astype(np.uint8)
        for site in SITES:
            self._triangle(image, site)
        half = look.bar_w_mm / 2
        self._rectangle(image, (-half, -y, half, y), 6.0, look.frame_rgb)
        if look.markers:
            self._markers(image)
        return image

    def _triangle(self, image: Picture, site: Site) -> None:
        look = self.look
        x, _ = self.site_xy_mm(site, 0)
        rim = -look.depth_mm / 2 if site <= 12 else look.depth_mm / 2
        tip = rim + math.copysign(look.depth_mm * 0.41, -rim)
        half = look.point_w_mm / 2 - 1.0
        color = _shade(look.points_rgb[site % 2], 1.0)
        self._polygon(image, [[x - half, rim, 0], [x + half, rim, 0], [x, tip, 0]], color)

    def _markers(self, image: Picture) -> None:
        """Draw ArUco markers 0 to 3 on the frame's corners: far left, far right, near right, near left."""
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        look = self.look
        x, y = look.width_mm / 2 + look.frame_mm / 2, look.depth_mm / 2 + look.frame_mm / 2
        side = look.frame_mm - 8.0
        size = image.shape[1], image.shape[0]
        for number, (cx, cy) in enumerate(((-x, y), (x, y), (x, -y), (-x, -y))):
            tile = np.full((96, 96), 255, np.uint8)
            tile[12:84, 12:84] = cv2.aruco.generateImageMarker(dictionary, number, 72)
            h = side / 2 * 96 / 72
            quad = self.project(
                [[cx - h, cy + h, 10], [cx + h, cy + h, 10], [cx + h, cy - h, 10], [cx - h, cy - h, 10]]
            )
            warp = cv2.getPerspectiveTransform(
                np.array([[0, 0], [95, 0], [95, 95], [0, 95]], np.float32), quad.astype(np.float32)
            )
            drawn = cv2.warpPerspective(tile, warp, size)
            mask = cv2.warpPerspective(np.full_like(tile, 255), warp, size) > 127
            image[mask] = drawn[mask][:, None]

    def _cylinders(self, board: Board) -> list[tuple[tuple[float, float], Color, float]]:
        """Return centre, color and height of the underside of every checker."""
        found = []
        for site in SITES:
            count = board.at(site)
            color = Color.WHITE if count > 0 else Color.BLACK
            for slot in range(abs(count)):
                found.append((self.site_xy_mm(site, slot), color, self.look.checker_h_mm * (slot // 5)))
        for color, count in zip(Color, board.bar, strict=True):
            side = 1.0 if color is Color.WHITE else -1.0
            for slot in range(count):
                y = side * self.look.checker_d_mm * (0.9 + slot % 4)
                found.append(((0.0, y), color, 6.0 + self.look.checker_h_mm * (slot // 4)))
        return found

    def _disc(self, center: tuple[float, float], z: float, radius: float) -> Points3:
        turn = np.linspace(0, 2 * math.pi, 40, endpoint=False)
        x, y = center
        ring = np.full_like(turn, z)
        return np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn), ring], axis=1)

    def _shadows(self, image: Picture, cylinders: list[tuple[tuple[float, float], Color, float]]) -> None:
        shade = np.zeros(image.shape[:2], np.uint8)
        for (x, y), _, z in cylinders:
            disc = np.rint(self.project(self._disc((x + 2.5, y - 2.0), z, self.look.checker_d_mm / 2)) * 16)
            cv2.fillPoly(shade, [disc.astype(np.int32)], 90, cv2.LINE_AA, 4)
        soft = cv2.GaussianBlur(shade, (11, 11), 3).astype(np.float32)[..., None] / 255
        image[:] = (image * (1 - soft)).astype(np.uint8)

    def _cylinder(self, image: Picture, center: tuple[float, float], z: float, color: Color) -> None:
        rgb = self.look.checkers_rgb[0 if color is Color.WHITE else 1]
        radius, top = self.look.checker_d_mm / 2, z + self.look.checker_h_mm
        both = np.concatenate([self._disc(center, z, radius), self._disc(center, top, radius)])
        hull = cv2.convexHull(self.project(both).astype(np.float32))[:, 0]
        cv2.fillConvexPoly(image, np.rint(hull * 16).astype(np.int32), _shade(rgb, 0.62), cv2.LINE_AA, 4)
        for share, factor in ((1.0, 0.97), (0.80, 0.86), (0.74, 1.0)):
            self._polygon(image, self._disc(center, top, radius * share), _shade(rgb, factor))

    def _box(self, center: tuple[float, float], side: float, z: float, angle_deg: float) -> list[Points3]:
        """Return the five faces of a standing cube that can be seen from above: sides first, top last."""
        turn = math.radians(angle_deg)
        u = np.array([math.cos(turn), math.sin(turn), 0.0]) * side / 2
        v = np.array([-math.sin(turn), math.cos(turn), 0.0]) * side / 2
        low = np.array([center[0], center[1], z])
        high = low + np.array([0, 0, side])
        ring = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        lower = [low + a * u + b * v for a, b in ring]
        upper = [high + a * u + b * v for a, b in ring]
        sides = [np.array([lower[i], lower[(i + 1) % 4], upper[(i + 1) % 4], upper[i]]) for i in range(4)]
        return [*sides, np.array(upper)]

    def _visible(self, face: Points3) -> bool:
        flat = self.project(face)
        (ax, ay), (bx, by), (cx, cy) = flat[0], flat[1], flat[2]
        return bool((bx - ax) * (cy - ay) - (by - ay) * (cx - ax) < 0)

    def _die(self, image: Picture, die: SceneDie) -> None:
        look = self.look
        which = 0 if die.player is Color.WHITE else 1
        center = ((die.x - 0.5) * look.width_mm, (die.y - 0.5) * look.depth_mm)
        around = [face for face in range(1, 7) if face not in (die.face, 7 - die.face)]
        faces = (around[0], around[1], 7 - around[0], 7 - around[1], die.face)
        sides = self._box(center, look.die_mm, 0.0, die.angle_deg)
        for side, value, factor in zip(sides, faces, (0.75, 0.66, 0.8, 0.7, 1.0), strict=True):
            if not self._visible(side):
                continue
            self._polygon(image, side, _shade(look.dice_rgb[which], factor))
            self._pips(image, side, value, _shade(look.pips_rgb[which], factor))

    def _pips(self, image: Picture, side: Points3, value: int, color: tuple[int, int, int]) -> None:
        middle = side.mean(axis=0)
        u, v = (side[1] - side[0]) / 2, (side[3] - side[0]) / 2
        turn = np.linspace(0, 2 * math.pi, 14, endpoint=False)[:, None]
        for a, b in _PIPS[value]:
            circle = middle + (a * 0.52 + 0.19 * np.cos(turn)) * u + (b * 0.52 + 0.19 * np.sin(turn)) * v
            self._polygon(image, circle, color)

    def _doubling_cube(self, image: Picture, value: int, at: str) -> None:
        reach = self.look.depth_mm / 2 - 22.0
        y = {"center": 0.0, "white": -reach, "black": reach}[at]
        for side in self._box((0.0, y), 24.0, 6.0, 0.0):
            if self._visible(side):
                self._polygon(image, side, _shade((232, 230, 226), 0.75))
        top = self._box((0.0, y), 24.0, 6.0, 0.0)[-1]
        self._polygon(image, top, _shade((240, 238, 232), 1.0))
        x, v = self.project(top.mean(axis=0)[None])[0]
        text = str(value)
        cv2.putText(
            image,
            text,
            (round(x) - 6 * len(text), round(v) + 6),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.55,
            (40, 40, 40),
            2,
            cv2.LINE_AA,
        )

    def _hand(self, image: Picture, at: tuple[float, float], player: Color) -> None:
        """Draw a hand and forearm that reach in from a player's side to `at`."""
        look = self.look
        x, y = (at[0] - 0.5) * look.width_mm, (at[1] - 0.5) * look.depth_mm
        back = -1.0 if player is Color.WHITE else 1.0
        skin: Rgb = (205, 152, 122)
        sleeve: Rgb = (58, 74, 110)
        elbow = np.array([x + 60 * back * -1, back * (look.depth_mm / 2 + 420)])
        wrist = np.array([x, y]) + (elbow - [x, y]) * 90 / max(1.0, float(np.hypot(*(elbow - [x, y]))))
        self._limb(image, wrist, elbow, (30.0, 52.0), 70.0, sleeve)
        self._limb(image, np.array([x, y + back * 30]), wrist, (36.0, 30.0), 55.0, skin)
        for spread in (-26.0, -9.0, 9.0, 26.0):
            tip = np.array([x + spread * 1.1, y])
            self._limb(image, tip, np.array([x + spread * 0.8, y + back * 55]), (8.0, 9.5), 40.0, skin)

    def _limb(
        self,
        image: Picture,
        start: NDArray[np.float64],
        end: NDArray[np.float64],
        half_widths: tuple[float, float],
        z: float,
        rgb: Rgb,
    ) -> None:
        """Draw one rounded limb between two places above the board."""
        axis = (end - start) / max(1e-6, float(np.hypot(*(end - start))))
        across = np.array([-axis[1], axis[0]])
        for share, factor in ((1.0, 0.82), (0.78, 0.95), (0.45, 1.05)):
            a, b = half_widths[0] * share, half_widths[1] * share
            outline = [
                start + across * a,
                start - axis * a,
                start - across * a,
                end - across * b,
                end + across * b,
            ]
            self._polygon(image, [[*point, z] for point in outline], _shade(rgb, factor))


class SimulatedSource:
    """Pictures of a simulated table, as a live camera would give them.

    Args:
        camera: draws the pictures.
        scene: returns what lies on the table now; called from the camera's thread.
        frames_hz: pictures a second of real time.
        now_s: the table's monotonic clock, which may run faster than real time.
    """

    live = True

    def __init__(
        self,
        camera: SimulatedCamera,
        scene: Callable[[], Scene],
        frames_hz: float = 8.0,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._camera = camera
        self._now_s = now_s
        self._scene = scene
        self._period_s = 1.0 / frames_hz
        self._next_s = time.monotonic()
        self._count = 0
        self._closed = threading.Event()

    def read(self) -> Frame | None:
        """Wait until the next picture is due and return it; None after `close`."""
        if self._closed.wait(max(0.0, self._next_s - time.monotonic())):
            return None
        self._next_s = max(self._next_s + self._period_s, time.monotonic())
        self._count += 1
        at_s = self._now_s()
        return Frame(self._camera.picture(self._scene()), at_s, f"{self._count:06d}")

    def close(self) -> None:
        """End the pictures."""
        self._closed.set()
