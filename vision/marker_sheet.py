"""The sheet of corner markers to print: one page of A4 as PDF, at its true size."""

from __future__ import annotations

import cv2

from vision.markers import MARKER_IDS

PLACES = ("far left", "far right", "near right", "near left")
MARKER_MM = 36
PAGE_MM = (210, 297)
POINTS_PER_MM = 72 / 25.4


def marker_pdf() -> bytes:
    """Return the sheet as a PDF file: four markers of `MARKER_MM`, each with its corner, and a ruler."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    drawn = [f"{POINTS_PER_MM:.6f} 0 0 {POINTS_PER_MM:.6f} 0 0 cm 0 g"]
    cell = MARKER_MM / 6
    for number, place in zip(MARKER_IDS, PLACES, strict=True):
        left, bottom = 30 + (number % 2) * 90, PAGE_MM[1] - 90 - (number // 2) * 90
        cells = cv2.aruco.generateImageMarker(dictionary, number, 6)
        for row in range(6):
            for column in range(6):
                if cells[row, column] == 0:
                    x, y = left + column * cell, bottom + (5 - row) * cell
                    drawn.append(f"{x:g} {y:g} {cell:g} {cell:g} re f")
        drawn.append(_text(left, bottom - 8, f"{number}: {place}, as White sits"))
    drawn.append(_text(30, 50, f"Print at 100 %: a marker is {MARKER_MM} mm wide, the line below 100 mm long."))
    drawn.append("30 44 100 0.5 re f")
    return _document("\n".join(drawn))


def _text(x: float, y: float, text: str) -> str:
    return f"BT /F1 5 Tf {x:g} {y:g} Td ({text}) Tj ET"


def _document(content: str) -> bytes:
    """Return a PDF of one A4 page that draws `content`."""
    width, height = (round(size * POINTS_PER_MM, 2) for size in PAGE_MM)
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content.encode())} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    out = bytearray(b"%PDF-1.4\n")
    starts = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{start:010d} 00000 n \n".encode() for start in starts)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)
