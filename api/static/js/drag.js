/**
 * Dragging checkers on a board: pick up the top checker of a place, see where it may go, put it down.
 *
 * What may be done is decided by whoever uses it; the drawing only follows.
 */

import * as at from "./geometry.js";
import { svg } from "./svg.js";

/**
 * @param {import("./board.js").Board} board - the drawn board
 * @param {{mayLift: (place: string|number, player: string) => boolean,
 *   targets: (place: string|number) => Array<string|number>,
 *   moved: (from: string|number, to: string|number) => void}} rules - what may be done
 */
export function makeDraggable(board, rules) {
  let held = null;

  const spot = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.root.getScreenCTM().inverse());
    return { x: point.x, y: point.y };
  };

  board.root.addEventListener("pointerdown", (event) => {
    const piece = event.target.closest(".checker");
    if (!piece || event.button !== 0) return;
    const player = piece.classList.contains("white") ? "white" : "black";
    const place = piece.dataset.place === "bar" ? "bar" : Number(piece.dataset.place);
    if (!rules.mayLift(place, player)) return;
    event.preventDefault();
    const key = place === "bar" ? `bar-${player}` : String(place);
    held = { place, piece: board.tops.get(key), pointer: event.pointerId };
    held.piece.classList.add("dragged");
    board.checkers.append(held.piece);
    board.root.setPointerCapture(event.pointerId);
    light(board, rules.targets(place), player);
  });

  board.root.addEventListener("pointermove", (event) => {
    if (held?.pointer !== event.pointerId) return;
    const { x, y } = spot(event);
    held.piece.setAttribute("transform", `translate(${x} ${y})`);
  });

  const drop = (event, cancelled) => {
    if (held?.pointer !== event.pointerId) return;
    const { x, y } = spot(event);
    const to = cancelled ? null : at.placeUnder(x, y, board.view);
    const from = held.place;
    held = null;
    light(board, [], "white");
    if (to === null || to === "bar" || to === from) board.draw(board.snapshot, false);
    else rules.moved(from, to);
  };
  board.root.addEventListener("pointerup", (event) => drop(event, false));
  board.root.addEventListener("pointercancel", (event) => drop(event, true));
}

/** Light the places where the held checker may go. */
function light(board, places, player) {
  board.lit.replaceChildren(...places.map((place) => {
    if (place === "off") {
      const y = at.isBottom(player, board.view) ? at.MIDDLE_Y + 20 : at.FRAME_Y;
      return svg("rect", { x: at.trayX(board.view), y, width: at.TRAY, height: at.HEIGHT / 2 - 20, rx: 6, "data-to": "off" });
    }
    const x = at.columnX(place, board.view);
    const top = at.isTop(place, board.view);
    const rim = top ? at.FRAME_Y : at.FRAME_Y + at.HEIGHT;
    const tip = top ? at.FRAME_Y + at.TIP : at.FRAME_Y + at.HEIGHT - at.TIP;
    return svg("path", { d: `M${x - 30} ${rim}L${x} ${tip}L${x + 30} ${rim}Z`, "data-to": place });
  }));
}
