/** The viewer page: live board, move list, stepping through the match. */

import { Board } from "./board.js";
import { Line } from "./line.js";
import { Live } from "./live.js";
import { drawMoves } from "./moves.js";
import { asked, drawSide, keepOffline, markDrawn, matchWords, setUpChoices, showConnection } from "./page.js";
import { html } from "./svg.js";
import { nameOf, playText, t } from "./words.js";

const $ = (id) => document.getElementById(id);

const view = {
  bottom: asked.get("bottom") ?? localStorage.getItem("bottom") ?? "white",
  home: asked.get("home") ?? localStorage.getItem("home") ?? "right",
};
const board = new Board($("board"), view);
const live = new Live();
const line = new Line();
let newest = null;
let arrivedAt = 0;
let past = null;
let waiting = false;

function shown() {
  return past ?? newest;
}

function draw() {
  const snapshot = shown();
  if (!snapshot) return;
  board.draw(snapshot, past === null);
  drawAround(snapshot);
  markDrawn(snapshot);
}

function drawAround(snapshot) {
  const other = board.view.bottom === "white" ? "black" : "white";
  drawSide($("side-top"), other, snapshot, arrivedAt);
  drawSide($("side-bottom"), board.view.bottom, snapshot, arrivedAt);
  $("simulated").hidden = !snapshot.simulated;
  $("match").replaceChildren(...matchWords(snapshot).map((text, index) => html(index ? "span" : "b", { class: index ? "soft" : "" }, text)));
  const play = snapshot.announced ?? snapshot.last_play;
  const word = t(snapshot.announced ? "play.next" : "play.last");
  const who = html("span", { class: "who" }, play ? `${word} · ${nameOf(snapshot.players, play.player)}` : word);
  $("last").replaceChildren(who, html("bdi", { class: "notation" }, play ? playText(play) : t("play.none")));
  $("still").href = `/api/v1/position.png?seq=${snapshot.seq}&bottom=${board.view.bottom}&home=${board.view.home}`;
  document.title = `${snapshot.score.white}–${snapshot.score.black} ${nameOf(snapshot.players, "white")} – ${nameOf(snapshot.players, "black")}`;
}

function drawList() {
  const players = newest?.players ?? {};
  const current = past?.seq ?? line.steps.at(-1);
  const list = $("moves");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  drawMoves(list, line, players, current, goTo);
  if (past) list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  else if (atEnd) list.scrollTop = list.scrollHeight;
  const at = position();
  const steps = line.steps;
  $("step-first").disabled = $("step-back").disabled = at < 0;
  $("step-forward").disabled = $("step-last").disabled = at >= steps.length - 1;
  $("step-live").disabled = past === null;
}

/** Index of the step that is shown; -1 is before the first. */
function position() {
  const steps = line.steps;
  if (past === null) return steps.length - 1;
  return steps.findLastIndex((seq) => seq <= past.seq);
}

async function goTo(seq) {
  if (seq === null) {
    past = null;
  } else {
    const response = await fetch(`/api/v1/snapshot?seq=${seq}`);
    if (!response.ok) return;
    past = await response.json();
  }
  document.body.dataset.past = past !== null;
  draw();
  drawList();
}

function step(by) {
  const steps = line.steps;
  const to = Math.max(-1, Math.min(steps.length - 1, position() + by));
  goTo(to < 0 ? Math.max(0, (line.events[0]?.seq ?? 1) - 1) : steps[to]);
}

/** Paint only the newest snapshot of a frame. */
function soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    if (past === null) draw();
  });
}

live.addEventListener("event", ({ detail }) => {
  if (detail.seq === line.newest + 1 && line.add(detail)) {
    if (detail.type === "correction") past = null;
    drawList();
  }
});
live.addEventListener("restart", () => {
  Object.assign(line, new Line());
  past = null;
});
live.addEventListener("snapshot", async ({ detail }) => {
  newest = detail;
  arrivedAt = performance.now();
  soon();
  if (line.newest < detail.seq) {
    await line.catchUp(detail.seq);
    drawList();
  }
});
live.addEventListener("state", () => showConnection(live, { badge: $("badge"), notice: $("notice") }));

$("flip").addEventListener("click", () => turn({ bottom: board.view.bottom === "white" ? "black" : "white" }));
$("mirror").addEventListener("click", () => turn({ home: board.view.home === "right" ? "left" : "right" }));
$("step-first").addEventListener("click", () => step(-Infinity));
$("step-back").addEventListener("click", () => step(-1));
$("step-forward").addEventListener("click", () => step(1));
$("step-last").addEventListener("click", () => step(Infinity));
$("step-live").addEventListener("click", () => goTo(null));
document.addEventListener("keydown", (key) => {
  if (key.target.closest("select, input, textarea") || key.ctrlKey || key.metaKey || key.altKey) return;
  const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
  if (key.key === forward) step(1);
  else if (key.key === back) step(-1);
  else if (key.key === "Home") step(-Infinity);
  else if (key.key === "End" || key.key === "Escape") goTo(null);
  else return;
  key.preventDefault();
});

function turn(change) {
  board.turn(change);
  for (const [name, value] of Object.entries(change)) localStorage.setItem(name, value);
  if (shown()) drawAround(shown());
}

setInterval(() => {
  if (newest?.clock?.running && past === null) drawAround(newest);
}, 250);

function speakAgain() {
  board.root.dataset.title = t("app.board");
  showConnection(live, { badge: $("badge"), notice: $("notice") });
  if (shown()) draw();
  drawList();
}

await setUpChoices(speakAgain);
speakAgain();
live.start();
keepOffline();
fetch("/api/v1/table").then((response) => response.json()).then((table) => ($("fair").hidden = !table.links.dice), () => {});
