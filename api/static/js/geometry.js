/**
 * Where things lie on the drawn board, in the units of its viewBox.
 *
 * A board is seen with one player at the bottom and that player's home board on one side; both are a choice of
 * the person who looks and never follow the direction of the text.
 */

export const UNIT = 64;
export const RADIUS = 29;
export const STEP = 58;
export const FRAME_X = 26;
export const FRAME_Y = 40;
export const TRAY = 70;
export const GAP = 8;
export const BAR = 66;
export const HEIGHT = 700;
export const FIELD_X = FRAME_X + TRAY + GAP;
export const FIELD_WIDTH = 12 * UNIT + BAR;
export const TOTAL_X = FIELD_X + FIELD_WIDTH + GAP + TRAY + FRAME_X;
export const TOTAL_Y = HEIGHT + 2 * FRAME_Y;
export const MIDDLE_Y = FRAME_Y + HEIGHT / 2;
export const TIP = 290;
export const VISIBLE = 5;

/** @typedef {{bottom: "white"|"black", home: "right"|"left"}} View */

/** Number of a site as the bottom player counts. */
export function ownNumber(site, view) {
  return view.bottom === "white" ? site : 25 - site;
}

/** Whether a player sits at the bottom. */
export function isBottom(player, view) {
  return player === view.bottom;
}

/** Centre of a point's column. */
export function columnX(site, view) {
  const number = ownNumber(site, view);
  let column = number <= 12 ? 12 - number : number - 13;
  if (view.home === "left") column = 11 - column;
  return FIELD_X + column * UNIT + (column >= 6 ? BAR : 0) + UNIT / 2;
}

/** Whether a point grows down from the upper rim. */
export function isTop(site, view) {
  return ownNumber(site, view) > 12;
}

/** Centre of the checker at `level` (0 at the rim) on a site; level `VISIBLE` is the spot above a full stack. */
export function checkerAt(site, level, view) {
  const up = Math.min(level, VISIBLE) * STEP + RADIUS + 3;
  return { x: columnX(site, view), y: isTop(site, view) ? FRAME_Y + up : FRAME_Y + HEIGHT - up };
}

/** Centre of the checker at `level` on a player's side of the bar; the bottom player enters at the top. */
export function barAt(player, level, view) {
  const away = 56 + Math.min(level, 3) * STEP;
  const y = isBottom(player, view) ? MIDDLE_Y - away : MIDDLE_Y + away;
  return { x: FIELD_X + 6 * UNIT + BAR / 2, y };
}

/** Left edge of the tray for borne-off checkers, beside the home boards. */
export function trayX(view) {
  return view.home === "right" ? FIELD_X + FIELD_WIDTH + GAP : FRAME_X;
}

/** Left edge of the channel in which the cube lies. */
export function cubeX(view) {
  return view.home === "right" ? FRAME_X : FIELD_X + FIELD_WIDTH + GAP;
}

/** Where the `level`-th borne-off checker of a player lies, as a slab seen from the side. */
export function offSlab(player, level, view) {
  const height = 18;
  const x = trayX(view) + 7;
  const up = level * (height + 1.4);
  const y = isBottom(player, view) ? FRAME_Y + HEIGHT - 8 - height - up : FRAME_Y + 8 + up;
  return { x, y, width: TRAY - 14, height };
}

/** Middle of a player's tray. */
export function trayMiddle(player, view) {
  return { x: trayX(view) + TRAY / 2, y: isBottom(player, view) ? FRAME_Y + HEIGHT - 150 : FRAME_Y + 150 };
}

/** Centre of the cube for its owner (null: centered). */
export function cubeAt(owner, view) {
  const x = cubeX(view) + TRAY / 2;
  if (owner === null) return { x, y: MIDDLE_Y };
  return { x, y: isBottom(owner, view) ? FRAME_Y + HEIGHT - 44 : FRAME_Y + 44 };
}

/** Centre of one half of the field, on a player's right hand. */
export function rightHand(player, view) {
  const right = isBottom(player, view);
  return { x: FIELD_X + 3 * UNIT + (right ? 6 * UNIT + BAR : 0), y: MIDDLE_Y };
}

/** Where a move begins or ends: a site, "bar" or "off"; `level` counts from the rim. */
export function placeAt(place, player, level, view) {
  if (place === "bar") return barAt(player, 0, view);
  if (place === "off") return trayMiddle(player, view);
  return checkerAt(Number(place), Math.max(level, 0), view);
}

/** The site under a spot of the drawing, "off", "bar", or null. */
export function placeUnder(x, y, view) {
  const tray = trayX(view);
  if (y < FRAME_Y || y > FRAME_Y + HEIGHT) return null;
  if (x >= tray && x <= tray + TRAY) return "off";
  const barX = FIELD_X + 6 * UNIT;
  if (x >= barX && x <= barX + BAR) return "bar";
  if (x < FIELD_X || x > FIELD_X + FIELD_WIDTH) return null;
  for (let site = 1; site <= 24; site += 1) {
    if (isTop(site, view) === y < MIDDLE_Y && Math.abs(columnX(site, view) - x) <= UNIT / 2) return site;
  }
  return null;
}
