/** One table as a panel of its own: board, both sides, what was played, whether it is live. For TV and overlay. */

import { Board } from "./board.js";
import { Live } from "./live.js";
import { drawSide, matchWords, showConnection } from "./page.js";
import { html, svg } from "./svg.js";
import { nameOf, playText, t } from "./words.js";

export class Panel {
  /**
   * @param {string} url - of the live stream
   * @param {{bottom?: string, home?: string}} view - how the board is seen
   * @param {(snapshot: object) => void} drawn - called after a snapshot is on the screen
   */
  constructor(url, view, drawn = () => {}) {
    this.drawn = drawn;
    this.picture = svg("svg");
    this.top = html("div", { class: "side" });
    this.bottom = html("div", { class: "side" });
    this.match = html("p", { class: "match" });
    this.label = html("p", { class: "label" });
    this.last = html("p", { class: "last", "aria-live": "polite" });
    this.badge = html("span", { class: "badge", role: "status" });
    this.simulated = html("span", { class: "simulated", hidden: true });
    this.notice = html("p", { class: "notice", role: "alert", hidden: true });
    const states = html("p", { class: "states" }, this.simulated, this.badge);
    this.middle = html("div", { class: "middle" }, states, this.match, this.label, this.last, this.notice);
    this.facts = html("div", { class: "facts" }, this.top, this.middle, this.bottom);
    this.root = html("section", { class: "table" }, this.picture, this.facts);
    this.board = new Board(this.picture, view);
    this.snapshot = null;
    this.waiting = false;
    this.live = new Live(url);
    this.live.addEventListener("snapshot", ({ detail }) => this.take(detail));
    this.live.addEventListener("state", () => this.showState());
    setInterval(() => this.snapshot?.clock?.running && this.drawAround(), 250);
  }

  start() {
    this.showState();
    this.live.start();
    return this;
  }

  take(snapshot) {
    this.snapshot = snapshot;
    this.arrivedAt = performance.now();
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    this.board.root.dataset.title = t("app.board");
    this.board.draw(this.snapshot);
    this.drawAround();
    this.drawn(this.snapshot);
  }

  drawAround() {
    const { snapshot, board } = this;
    const other = board.view.bottom === "white" ? "black" : "white";
    drawSide(this.top, other, snapshot, this.arrivedAt);
    drawSide(this.bottom, board.view.bottom, snapshot, this.arrivedAt);
    this.simulated.hidden = !snapshot.simulated;
    this.simulated.textContent = t("app.simulated");
    const words = matchWords(snapshot).map((text, index) => html("span", { class: index ? "soft" : "" }, text));
    this.match.replaceChildren(...words);
    const play = snapshot.announced ?? snapshot.last_play;
    const word = snapshot.announced ? "play.next" : "play.last";
    this.label.textContent = play ? `${t(word)} · ${nameOf(snapshot.players, play.player)}` : "";
    this.last.replaceChildren(html("bdi", { class: "notation" }, play ? playText(play) : ""));
  }

  showState() {
    showConnection(this.live, this);
    this.root.dataset.conn = this.live.state;
  }
}
