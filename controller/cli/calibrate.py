"""``barpoint calibrate``: the wizard behind the page, for a terminal."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.errors import CameraError, StorageError

if TYPE_CHECKING:
    from vision.calibration import Calibration
    from vision.camera import Frame


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "calibrate",
        help="find the board in the camera's picture and say how good it is",
        description="Set up the checkers in the start position, then run this. It finds the playing surface by "
        "its markers, by --corners or by the start position, and prints what to put into barpoint.toml.",
    )
    parser.add_argument(
        "--source", metavar="NAME", help="usb:0, pi, a folder, a video or one picture; else the settings'"
    )
    parser.add_argument(
        "--corners", metavar="X,Y,X,Y,X,Y,X,Y", help="four corners of the field, clockwise, in pixels"
    )
    parser.add_argument(
        "--white-home",
        metavar="SIDE",
        choices=("bottom-right", "bottom-left", "top-right", "top-left"),
        help="where White's home board lies (worked out by default)",
    )
    parser.add_argument(
        "--markers", metavar="OUT", type=Path, help="write the sheet of corner markers: .pdf or .svg"
    )
    parser.add_argument("--debug", metavar="DIR", type=Path, help="save pictures of each step there")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings; barpoint.toml here if there is one")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.markers is not None:
        _write_markers(args.markers)
        return 0
    from controller.board import START_BOARD
    from controller.cli.eyes import parse_corners
    from vision.calibration import calibrate
    from vision.field import Field
    from vision.markers import find_field

    frame = _first_picture(args)
    image = frame.image
    if args.corners is not None:
        field = Field.of(parse_corners(args.corners), (image.shape[1], image.shape[0]), args.white_home)
    else:
        field = find_field(image, START_BOARD, args.white_home)
    calibration = calibrate(image, field, START_BOARD)
    if args.debug is not None:
        _save_steps(args.debug, frame, calibration)
    _print(frame, calibration)
    return 0


def _first_picture(args: argparse.Namespace) -> Frame:
    """Return one picture of the source that is meant.

    Raises:
        CameraError: there is none.
    """
    from controller.cli.run import config_path
    from controller.config import load_settings
    from controller.wiring import camera_source
    from vision.camera import PICTURE_ENDINGS, Frame, open_source, read_image

    name = args.source if args.source is not None else camera_source(load_settings(config_path(args)))
    if not name:
        raise CameraError("no camera found: plug one in, or name a picture, a folder or a video with --source")
    if Path(name).suffix.lower() in PICTURE_ENDINGS:
        return Frame(read_image(Path(name)), 0.0, Path(name).name)
    source = open_source(name)
    try:
        for _ in range(10):
            frame = source.read()
            if frame is not None:
                return frame
            if not source.live:
                break
    finally:
        source.close()
    raise CameraError(f"{name}: gives no picture")


def _print(frame: Frame, calibration: Calibration) -> None:
    """Print where the board lies and how well it can be read."""
    from vision.quality import quality

    field = calibration.field
    found = quality(frame.image, calibration)
    print(f"The board was found in {frame.name}.")
    print(f"  contrast of the checkers  {found.contrast:5.0f} delta E")
    print(f"  width of a checker        {found.checker_px:5.0f} px")
    print(f"  sharpness                 {found.sharpness:5.1f}")
    print(f"  glare                     {100 * found.glare:5.1f} % of the field")
    print(f"  lean of a checker         {found.lean:5.2f} columns")
    for advice in found.advice:
        print(f"  PLEASE: {advice}")
    if not found.advice:
        print("  All is well: play can start.")
    corners = ", ".join(f"{value:.1f}" for corner in field.corners_px for value in corner)
    print(f'\n[camera]\ncorners = [{corners}]\nwhite_home = "{field.white_home or "auto"}"')


def _save_steps(folder: Path, frame: Frame, calibration: Calibration) -> None:
    """Save a picture of each step of reading the frame."""
    from vision.debug import save_steps
    from vision.reader import read

    save_steps(folder, Path(frame.name).stem, frame.image, calibration, read(frame.image, calibration))


def _write_markers(out: Path) -> None:
    """Write the marker sheet, at its true size.

    Raises:
        StorageError: it cannot be written, or its ending is neither .pdf nor .svg.
    """
    from vision.marker_sheet import marker_pdf
    from vision.wizard import marker_sheet

    if out.suffix.lower() not in (".pdf", ".svg"):
        raise StorageError(f"{out}: a marker sheet ends with .pdf or .svg")
    data = marker_pdf() if out.suffix.lower() == ".pdf" else marker_sheet().encode()
    try:
        out.write_bytes(data)
    except OSError as error:
        raise StorageError(f"{out}: cannot be written ({error.strerror})") from None
    print(
        f"{out}: print it at 100 %, cut out the markers with their white rims, and glue them flat onto the frame."
    )
