/** The match report: per game the race, the time per play and the cube; over the match the dice. Prints well. */

import { Line } from "./line.js";
import { cubeWords } from "./moves.js";
import { settlementWords, setUpChoices } from "./page.js";
import { html, svg } from "./svg.js";
import { nameOf, t } from "./words.js";

const WIDTH = 900;
const SIDES = ["white", "black"];

function pipsOf(position, player) {
  const sign = player === "white" ? 1 : -1;
  const onPoints = position.points.reduce((sum, count, index) => {
    const own = Math.max(0, count * sign);
    return sum + own * (player === "white" ? index + 1 : 24 - index);
  }, 0);
  return onPoints + 25 * position.bar[player];
}

/** A plot of both players' pip counts after each play. */
function racePlot(plays) {
  const rows = plays.filter((play) => play.position);
  const most = 180;
  const height = 220;
  const x = (index) => 40 + (index * (WIDTH - 60)) / Math.max(1, rows.length - 1);
  const y = (pips) => height - 24 - (Math.min(pips, most + 60) * (height - 40)) / (most + 60);
  const parts = [0, 60, 120, 180].flatMap((pips) => [
    svg("line", { class: "axis", x1: 40, x2: WIDTH - 20, y1: y(pips), y2: y(pips) }),
    svg("text", { x: 34, y: y(pips) + 4, "text-anchor": "end" }, String(pips)),
  ]);
  for (const side of SIDES) {
    const points = rows.map((play, index) => `${x(index).toFixed(1)},${y(pipsOf(play.position, side)).toFixed(1)}`);
    parts.push(svg("polyline", { class: `line ${side}`, points: points.join(" ") }));
  }
  parts.push(svg("text", { x: WIDTH - 20, y: height - 6, "text-anchor": "end" }, t("report.turns", { turns: rows.length })));
  return svg("svg", { class: "plot race", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": t("report.race_long") }, ...parts);
}

const LONGEST_S = 3600;

/** How long each play took: by the clock, or else from what happened before it in the game. */
function timed(events) {
  const found = [];
  let before = null;
  for (const event of events) {
    const since = typeof event.at_s === "number" && before !== null ? event.at_s - before : null;
    const passed = since !== null && since >= 0 && since < LONGEST_S ? since : null;
    const time = typeof event.time_s === "number" ? event.time_s : passed;
    if (event.type === "play" && time !== null) found.push({ ...event, time_s: time, by_clock: typeof event.time_s === "number" });
    before = typeof event.at_s === "number" ? event.at_s : null;
  }
  return found;
}

/** A bar for each play, as long as it took. */
function timePlot(events) {
  const rows = timed(events);
  if (!rows.length) return html("p", { class: "soft" }, t("report.none"));
  const height = 120;
  const most = Math.max(...rows.map((play) => play.time_s), 1);
  const wide = (WIDTH - 60) / rows.length;
  const bars = rows.map((play, index) => {
    const tall = (play.time_s * (height - 30)) / most;
    return svg("rect", { class: `bar ${play.player}`, x: 40 + index * wide, y: height - 16 - tall, width: Math.max(1, wide - 1), height: tall });
  });
  const average = rows.reduce((sum, play) => sum + play.time_s, 0) / rows.length;
  const source = rows.every((row) => row.by_clock) ? "" : ` (${t("report.by_events")})`;
  const label = t("report.average", { seconds: average.toFixed(1) }) + source;
  return svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${t("report.times")}: ${label}` },
    ...bars, svg("text", { x: 34, y: 20, "text-anchor": "end" }, `${Math.round(most)} s`), svg("text", { x: WIDTH - 20, y: height - 3, "text-anchor": "end" }, label));
}

function cubeHistory(events, players) {
  const rows = events.filter((event) => event.type === "cube");
  if (!rows.length) return html("p", { class: "soft" }, t("report.none"));
  return html("table", {}, ...rows.map((event) => html("tr", {}, html("td", {}, nameOf(players, event.player)), html("td", {}, cubeWords(event)))));
}

function gameSection(number, events, players) {
  const plays = events.filter((event) => event.type === "play");
  const end = events.find((event) => event.type === "game_end");
  const result = end ? ` · ${t("moves.game_end", { name: nameOf(players, end.winner), points: end.points })}` : "";
  return html("section", { class: "panel" },
    html("h3", {}, `${t("match.game", { game: number })}${result}`),
    html("h4", {}, t("report.race")),
    html("p", { class: "key" }, ...SIDES.map((side) => html("span", { class: side }, nameOf(players, side)))),
    racePlot(plays), html("h4", {}, t("report.times")), timePlot(events), html("h4", {}, t("report.cube")), cubeHistory(events, players));
}

function diceTable(events, players) {
  const counts = { white: [0, 0, 0, 0, 0, 0], black: [0, 0, 0, 0, 0, 0] };
  const rolls = { white: 0, black: 0 };
  const doubles = { white: 0, black: 0 };
  for (const event of events) {
    if (event.type !== "play" || !event.roll) continue;
    rolls[event.player] += 1;
    doubles[event.player] += event.roll[0] === event.roll[1] ? 1 : 0;
    for (const face of event.roll) counts[event.player][face - 1] += 1;
  }
  const head = html("tr", {}, html("th", {}, ""), ...[1, 2, 3, 4, 5, 6].map((face) => html("th", { scope: "col" }, String(face))), html("th", {}, ""));
  const rows = SIDES.map((side) => html("tr", {}, html("th", { scope: "row" }, nameOf(players, side)), ...counts[side].map((count) => html("td", {}, String(count))),
    html("td", {}, t("report.doubles", { count: doubles[side], rolls: rolls[side] }))));
  return html("table", { "aria-label": t("report.dice_long") }, head, ...rows);
}

/** What makes the electronic dice fair, and how to check them; nothing where the dice are real. */
async function fairDice() {
  const table = await (await fetch("/api/v1/table")).json();
  const root = document.getElementById("fair");
  root.hidden = !table.links.dice;
  if (!table.links.dice) return;
  const told = await (await fetch(table.links.dice)).json();
  const row = (name, ...value) => [html("dt", {}, t(name)), html("dd", {}, ...value)];
  const code = (text) => html("code", { dir: "ltr" }, text);
  root.replaceChildren(
    html("h3", {}, t("report.fair")), html("p", {}, t("report.fair_long")),
    html("dl", {},
      ...row("report.commitment", told.commitment_sha256 ? code(told.commitment_sha256) : t("report.none")),
      ...row("report.rolls", String(told.rolls)),
      ...row("report.seed", told.seed ? code(told.seed) : t("report.seed_later")),
      ...row("report.log", html("a", { href: told.log, download: true }, "dice.jsonl")),
      ...row("report.verify", code("barpoint dice verify dice.jsonl"))));
}

async function draw() {
  const response = await fetch("/api/v1/snapshot");
  const snapshot = await response.json();
  const line = new Line();
  await line.catchUp(snapshot.seq);
  const { players } = snapshot;
  document.getElementById("simulated").hidden = !snapshot.simulated;
  document.getElementById("match").textContent = `${nameOf(players, "white")} – ${nameOf(players, "black")}  ${snapshot.score.white}–${snapshot.score.black}`;
  const settled = document.getElementById("settled");
  settled.hidden = !snapshot.settlement;
  settled.textContent = snapshot.settlement ? settlementWords(snapshot) : "";
  const games = Map.groupBy ? Map.groupBy(line.events, (event) => event.game ?? 1) : grouped(line.events);
  document.getElementById("games").replaceChildren(...[...games].filter(([number]) => number > 0).map(([number, events]) => gameSection(number, events, players)));
  document.getElementById("dice").replaceChildren(diceTable(line.events, players));
  await fairDice();
  document.body.dataset.seq = snapshot.seq;
}

function grouped(events) {
  const games = new Map();
  for (const event of events) games.set(event.game ?? 1, [...(games.get(event.game ?? 1) ?? []), event]);
  return games;
}

document.getElementById("print").addEventListener("click", () => print());
await setUpChoices(draw);
await draw();
