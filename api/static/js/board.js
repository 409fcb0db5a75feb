/**
 * The one board component: it draws a snapshot, on every page.
 *
 * Everything that belongs to a side (checkers, tray, cube, dice, numbers) follows `view`.
 */

import * as at from "./geometry.js";
import { svg } from "./svg.js";
import { spokenPosition } from "./words.js";

const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

export class Board {
  /**
   * @param {SVGSVGElement} root - an empty svg element of the page
   * @param {{bottom?: string, home?: string, arrows?: boolean, animate?: boolean}} options - how it is seen
   */
  constructor(root, options = {}) {
    this.root = root;
    this.view = { bottom: options.bottom ?? "white", home: options.home ?? "right" };
    this.arrows = options.arrows ?? true;
    this.animate = options.animate ?? true;
    this.snapshot = null;
    this.drawnSeq = null;
    root.setAttribute("viewBox", `0 0 ${at.TOTAL_X} ${at.TOTAL_Y}`);
    root.setAttribute("role", "img");
    root.setAttribute("preserveAspectRatio", "xMidYMid meet");
    root.classList.add("board");
    this.title = svg("title", { id: "board-title" });
    this.description = svg("desc", { id: "board-text" });
    root.setAttribute("aria-labelledby", "board-title board-text");
    this.ground = svg("g", { class: "ground" });
    this.lit = svg("g", { class: "lit" });
    this.checkers = svg("g", { class: "checkers" });
    this.things = svg("g", { class: "things" });
    this.paths = svg("g", { class: "paths" });
    root.replaceChildren(this.title, this.description, definitions(), this.ground, this.lit, this.checkers,
      this.things, this.paths);
    this.drawGround();
  }

  /** Change how the board is seen; everything that belongs to a side goes with it. */
  turn(view) {
    Object.assign(this.view, view);
    this.drawGround();
    if (this.snapshot) this.draw(this.snapshot, false);
  }

  /** Draw one snapshot; a play that is new is shown moving, unless the person asked for less motion. */
  draw(snapshot, moving = this.animate) {
    const fresh = this.drawnSeq !== null && snapshot.seq > this.drawnSeq;
    const before = this.snapshot;
    this.snapshot = snapshot;
    this.drawnSeq = snapshot.seq;
    this.title.textContent = this.root.dataset.title || "Backgammon board";
    this.description.textContent = spokenPosition(snapshot);
    this.checkers.replaceChildren();
    this.tops = new Map();
    for (let site = 1; site <= 24; site += 1) this.drawSite(site, snapshot.position.points[site - 1]);
    for (const player of ["white", "black"]) {
      this.drawBar(player, snapshot.position.bar[player]);
      this.drawOff(player, snapshot.position.off[player]);
    }
    this.things.replaceChildren(...this.cube(snapshot), ...this.dice(snapshot));
    this.paths.replaceChildren(...(this.arrows ? this.lastPlay(snapshot) : []));
    if (fresh && moving && before && changed(before, snapshot)) this.showMoving(snapshot.last_play);
  }

  drawGround() {
    const parts = [
      svg("rect", { class: "frame", width: at.TOTAL_X, height: at.TOTAL_Y, rx: 18 }),
      svg("rect", { class: "frame-edge", x: 5, y: 5, width: at.TOTAL_X - 10, height: at.TOTAL_Y - 10, rx: 14 }),
    ];
    const half = 6 * at.UNIT;
    for (const x of [at.FIELD_X, at.FIELD_X + half + at.BAR]) {
      parts.push(svg("rect", { class: "field", x, y: at.FRAME_Y, width: half, height: at.HEIGHT, rx: 3 }));
    }
    for (const x of [at.FRAME_X, at.FIELD_X + at.FIELD_WIDTH + at.GAP]) {
      parts.push(svg("rect", { class: "tray", x, y: at.FRAME_Y, width: at.TRAY, height: at.HEIGHT, rx: 6 }));
    }
    for (let site = 1; site <= 24; site += 1) parts.push(this.point(site));
    parts.push(svg("rect", {
      class: "bar", x: at.FIELD_X + half, y: at.FRAME_Y - 6, width: at.BAR, height: at.HEIGHT + 12, rx: 5,
    }));
    parts.push(svg("line", {
      class: "hinge", x1: at.FIELD_X + half + at.BAR / 2, x2: at.FIELD_X + half + at.BAR / 2,
      y1: at.FRAME_Y - 2, y2: at.FRAME_Y + at.HEIGHT + 2,
    }));
    for (let site = 1; site <= 24; site += 1) {
      const y = at.isTop(site, this.view) ? at.FRAME_Y / 2 : at.FRAME_Y * 1.5 + at.HEIGHT;
      const attributes = { class: "number", x: at.columnX(site, this.view), y: y + 1 };
      parts.push(svg("text", attributes, String(at.ownNumber(site, this.view))));
    }
    this.ground.replaceChildren(...parts);
  }

  point(site) {
    const x = at.columnX(site, this.view);
    const top = at.isTop(site, this.view);
    const rim = top ? at.FRAME_Y : at.FRAME_Y + at.HEIGHT;
    const tip = top ? at.FRAME_Y + at.TIP : at.FRAME_Y + at.HEIGHT - at.TIP;
    const wide = at.UNIT / 2 - 1.5;
    const shade = site % 2 ? "light" : "dark";
    return svg("path", { class: `point ${shade}`, "data-site": site, d: `M${x - wide} ${rim}L${x} ${tip}L${x + wide} ${rim}Z` });
  }

  drawSite(site, count) {
    const player = count > 0 ? "white" : "black";
    const total = Math.abs(count);
    for (let level = 0; level < Math.min(total, at.VISIBLE); level += 1) {
      const label = level === at.VISIBLE - 1 && total > at.VISIBLE ? total : null;
      const piece = checker(player, at.checkerAt(site, level, this.view), label);
      piece.dataset.place = String(site);
      this.checkers.append(piece);
      this.tops.set(String(site), piece);
    }
  }

  drawBar(player, count) {
    for (let level = 0; level < Math.min(count, 4); level += 1) {
      const label = level === 3 && count > 4 ? count : null;
      const piece = checker(player, at.barAt(player, level, this.view), label);
      piece.dataset.place = "bar";
      this.checkers.append(piece);
      this.tops.set(`bar-${player}`, piece);
    }
  }

  drawOff(player, count) {
    for (let level = 0; level < count; level += 1) {
      const slab = at.offSlab(player, level, this.view);
      this.checkers.append(svg("rect", { class: `slab ${player}`, ...slab, rx: 4 }));
    }
    if (count > 0) {
      const last = at.offSlab(player, count - 1, this.view);
      const y = at.isBottom(player, this.view) ? last.y - 18 : last.y + last.height + 20;
      this.checkers.append(svg("text", { class: "off-count", x: last.x + last.width / 2, y }, String(count)));
    }
  }

  cube(snapshot) {
    const { value, owner, offered_by: offeredBy } = snapshot.cube;
    if (snapshot.crawford && !offeredBy) return [];
    let spot = at.cubeAt(owner, this.view);
    let shown = value === 1 ? 64 : value;
    if (offeredBy) {
      spot = at.rightHand(offeredBy === "white" ? "black" : "white", this.view);
      shown = value * 2;
    }
    const group = svg("g", { class: offeredBy ? "cube offered" : "cube", transform: `translate(${spot.x} ${spot.y})` });
    group.append(svg("rect", { x: -27, y: -27, width: 54, height: 54, rx: 9 }));
    group.append(svg("text", { class: value === 1 && !offeredBy ? "idle" : "", y: 2 }, String(shown)));
    return [group];
  }

  dice(snapshot) {
    if (!snapshot.roll) return [];
    const player = snapshot.position.turn ?? "white";
    const { x, y } = at.rightHand(player, this.view);
    return snapshot.roll.map((face, index) => die(face, player, x + (index ? 42 : -42), y));
  }

  lastPlay(snapshot) {
    const play = snapshot.announced ?? snapshot.last_play;
    if (!play || !play.moves) return [];
    const used = new Map();
    return play.moves.map((move) => {
      const left = Math.abs(snapshot.position.points[Number(move.from) - 1] ?? 0);
      const depth = used.get(move.from) ?? 0;
      used.set(move.from, depth + 1);
      const from = at.placeAt(move.from, play.player, Math.min(left + depth, at.VISIBLE), this.view);
      const there = Math.abs(snapshot.position.points[Number(move.to) - 1] ?? 1);
      const to = at.placeAt(move.to, play.player, Math.min(there, at.VISIBLE) - 1, this.view);
      return arrow(from, to, play.player, move.hit);
    });
  }

  showMoving(play) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const move of play.moves ?? []) {
      const piece = this.tops.get(String(move.to));
      if (!piece) continue;
      const from = at.placeAt(move.from, play.player, at.VISIBLE - 1, this.view);
      const to = piece.dataset;
      piece.animate(
        [{ transform: `translate(${from.x}px, ${from.y}px)` }, { transform: `translate(${to.x}px, ${to.y}px)` }],
        { duration: 420, easing: "cubic-bezier(.3,.7,.2,1)" },
      );
    }
  }
}

function changed(before, after) {
  return Boolean(after.last_play) && JSON.stringify(before.position.points) !== JSON.stringify(after.position.points);
}

function checker(player, spot, label) {
  const piece = svg("g", { class: `checker ${player}`, transform: `translate(${spot.x} ${spot.y})` });
  piece.dataset.x = spot.x;
  piece.dataset.y = spot.y;
  piece.append(svg("circle", { class: "body", r: at.RADIUS }));
  piece.append(svg("circle", { class: "ring", r: at.RADIUS - 7 }));
  if (player === "black") piece.append(svg("circle", { class: "dot", r: 5 }));
  if (label) {
    piece.append(svg("circle", { class: "body", r: at.RADIUS - 8 }), svg("text", { class: "count", y: 1 }, String(label)));
  }
  return piece;
}

function die(face, player, x, y) {
  const group = svg("g", { class: `die ${player}`, transform: `translate(${x} ${y})` });
  group.append(svg("rect", { x: -30, y: -30, width: 60, height: 60, rx: 12 }));
  for (const [dx, dy] of PIPS[face] ?? []) group.append(svg("circle", { cx: dx * 16, cy: dy * 16, r: 6 }));
  return group;
}

function arrow(from, to, player, hit) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const far = Math.hypot(dx, dy) || 1;
  const bend = Math.min(70, far * 0.22);
  const side = from.y + to.y > 2 * at.MIDDLE_Y ? -1 : 1;
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + side * bend };
  const back = Math.hypot(to.x - middle.x, to.y - middle.y) || 1;
  const end = { x: to.x - ((to.x - middle.x) / back) * 16, y: to.y - ((to.y - middle.y) / back) * 16 };
  const d = `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
  return svg("g", { class: hit ? `arrow ${player} hit` : `arrow ${player}` },
    svg("circle", { class: "tail", cx: from.x, cy: from.y, r: 7 }),
    svg("path", { class: "casing", d }),
    svg("path", { class: "shaft", d, "marker-end": "url(#arrow-head)" }));
}

function definitions() {
  const stop = (offset, name) => svg("stop", { offset, class: name });
  return svg("defs", {},
    svg("radialGradient", { id: "white-body", cx: "38%", cy: "32%", r: "75%" }, stop("0%", "white-1"), stop("70%", "white-2"), stop("100%", "white-3")),
    svg("radialGradient", { id: "black-body", cx: "38%", cy: "32%", r: "75%" }, stop("0%", "black-1"), stop("70%", "black-2"), stop("100%", "black-3")),
    svg("linearGradient", { id: "wood", x1: "0", y1: "0", x2: "1", y2: "1" }, stop("0%", "wood-1"), stop("50%", "wood-2"), stop("100%", "wood-3")),
    svg("linearGradient", { id: "bar-wood", x1: "0", y1: "0", x2: "1", y2: "0" }, stop("0%", "wood-3"), stop("50%", "wood-1"), stop("100%", "wood-3")),
    svg("marker", { id: "arrow-head", viewBox: "0 0 10 10", refX: "4", refY: "5", markerWidth: "4.2", markerHeight: "4.2", orient: "auto" },
      svg("path", { class: "head", d: "M0 0L10 5L0 10Z" })));
}
