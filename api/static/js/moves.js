/** The move list: a table of turns for each game, as people write a match down. */

import { html } from "./svg.js";
import { language, nameOf, t } from "./words.js";

/** Draw all events of a line into `root`; `choose` is called with the number of the event that is clicked. */
export function drawMoves(root, line, players, current, choose) {
  const parts = [];
  let game = null;
  let list = null;
  let turn = 0;
  let half = 0;
  const start = (number) => {
    game = number;
    turn = 0;
    half = 0;
    list = html("ol", {});
    parts.push(html("h3", {}, t("match.game", { game: number })), list);
  };
  const cell = (event, column, ...content) => {
    if (column === 0 || half === 0) {
      turn += 1;
      list.append(html("li", { class: "turn", "aria-hidden": "true" }, `${turn}`));
      if (column === 1) list.append(html("li"));
    }
    half = column === 0 ? 1 : 0;
    list.append(html("li", {}, button(event, current, choose, content)));
  };
  for (const event of line.events) {
    if (list === null || (event.game ?? game) !== game) start(event.game ?? game ?? 1);
    const column = event.player === "black" ? 1 : 0;
    if (event.type === "play") cell(event, column, ...playCell(event));
    else if (event.type === "cube") cell(event, column, cubeWords(event));
    else if (event.type !== "opening_roll") list.append(wide(event, players));
    if (half === 1 && isWide(event)) half = 0;
  }
  if (!parts.length) parts.push(html("p", { class: "wide" }, t("moves.empty")));
  root.replaceChildren(...parts);
}

function isWide(event) {
  return !["play", "cube", "opening_roll"].includes(event.type);
}

function button(event, current, choose, content) {
  const element = html("button", { type: "button", "data-seq": event.seq, "aria-current": event.seq === current }, ...content);
  element.addEventListener("click", () => choose(event.seq));
  return element;
}

function playCell(event) {
  const dice = event.roll ? html("span", { class: "dice" }, `${event.roll.join("")}:`) : null;
  const still = event.illegal ? t("play.unmoved") : t("play.dance");
  const text = event.play === "Cannot Move" ? still : event.play;
  const stands = event.illegal ? html("span", { class: "stands", title: t("play.illegal"), role: "img", "aria-label": t("play.illegal") }, " !") : null;
  return [html("span", { class: "notation", dir: "ltr" }, ...[dice, html("bdi", {}, text), stands].filter(Boolean))];
}

/** What a cube event says; the action is named by `action`. */
export function cubeWords(event) {
  const action = event.action ?? "double";
  return t(`moves.${action}`, { value: event.value ?? "" });
}

function wide(event, players) {
  const names = { name: nameOf(players, event.winner ?? event.player), points: event.points ?? "", sites: (event.sites ?? []).join(", ") };
  const warn = event.type === "question" || event.type === "illegal";
  const said = event.type === "question" && language() === "en" ? event.text : null;
  if (event.type === "match_end" && !event.winner) return html("li", { class: "wide" }, t("match.over"));
  const key = event.type === "resignation" ? `moves.resign_${event.action}` : `moves.${event.type}`;
  return html("li", { class: warn ? "wide warn" : "wide" }, said || t(key, names));
}
