/** The field in the picture: from shares of its width and height (0 to 1) to pixels and back, in perspective. */

export class Quad {
  /** @param {Array<[number, number]>} corners - pixels, clockwise; the first two end one row of twelve points */
  constructor([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
    const [ax, ay, bx, by] = [x1 - x2, y1 - y2, x3 - x2, y3 - y2];
    const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
    const area = ax * by - bx * ay || 1e-9;
    const g = (sx * by - bx * sy) / area;
    const h = (ax * sy - sx * ay) / area;
    this.rows = [
      [x1 - x0 + g * x1, x3 - x0 + h * x3, x0],
      [y1 - y0 + g * y1, y3 - y0 + h * y3, y0],
      [g, h, 1],
    ];
  }

  /** The pixel at these shares. */
  at(across, down) {
    const [x, y, w] = this.rows.map(([a, b, c]) => a * across + b * down + c);
    return [x / w, y / w];
  }

  /** The shares of a pixel. */
  under(x, y) {
    const [[a, b, c], [d, e, f], [g, h, i]] = this.rows;
    const across = (e * i - f * h) * x + (c * h - b * i) * y + (b * f - c * e);
    const down = (f * g - d * i) * x + (a * i - c * g) * y + (c * d - a * f);
    const w = (d * h - e * g) * x + (b * g - a * h) * y + (a * e - b * d);
    return [across / w, down / w];
  }
}
