/** What all pages share: theme, language, connection badge, players' strips. */

import { html } from "./svg.js";
import { LANGUAGES, language, nameOf, speak, t } from "./words.js";

export const THEMES = ["auto", "dark", "light", "contrast"];

/** Parameters of the page's address. */
export const asked = new URLSearchParams(location.search);

/** Let the pages open without the server, once they have been seen; only where browsers allow it. */
export function keepOffline() {
  if (navigator.webdriver && !asked.has("offline")) return;
  navigator.serviceWorker?.register("/sw.js").catch(() => {});
}

/** Use the theme asked for by the address, kept from last time, or that of the system. */
export function useTheme(name = asked.get("theme") ?? localStorage.getItem("theme") ?? "auto") {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const contrast = matchMedia("(prefers-contrast: more)");
  const choose = () => {
    const automatic = contrast.matches ? "contrast" : dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = name === "auto" || !THEMES.includes(name) ? automatic : name;
  };
  choose();
  dark.onchange = choose;
  return THEMES.includes(name) ? name : "auto";
}

/** Fill the two menus of the header and keep what is chosen. */
export async function setUpChoices(onLanguage) {
  const theme = document.querySelector("#theme");
  const languages = document.querySelector("#language");
  const current = useTheme();
  await speak();
  const fill = () => {
    theme.replaceChildren(...THEMES.map((name) => html("option", { value: name }, t(`theme.${name}`))));
    theme.value = localStorage.getItem("theme") ?? current;
  };
  fill();
  languages.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => html("option", { value: code, lang: code }, name)));
  languages.value = language();
  theme.addEventListener("change", () => {
    localStorage.setItem("theme", theme.value);
    useTheme(theme.value);
  });
  languages.addEventListener("change", async () => {
    localStorage.setItem("lang", languages.value);
    await speak(languages.value);
    fill();
    onLanguage();
  });
}

/** A time of day as the chosen language writes it. */
export function timeOfDay(date) {
  return date.toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit" });
}

/** Show on badge, body and notice whether the page is live. */
export function showConnection(live, { badge, notice }) {
  const time = timeOfDay(live.since);
  document.body.dataset.conn = live.state;
  if (badge) {
    badge.dataset.state = live.state;
    badge.textContent = t(`conn.${live.state}`, { time });
  }
  if (notice) {
    const bad = live.state === "offline" || live.state === "stale";
    notice.hidden = !bad;
    if (bad) notice.textContent = t(`conn.${live.state}_long`, { time });
  }
}

/** Say on the page which event is drawn and when it was, for tests and for nobody else. */
export function markDrawn(snapshot) {
  document.body.dataset.seq = snapshot.seq;
  document.body.dataset.drawnAt = Date.now();
  const drawn = (document.body.dataset.drawn ?? "").split(" ").filter(Boolean).slice(-199);
  document.body.dataset.drawn = [...drawn, `${snapshot.seq}:${Date.now()}`].join(" ");
}

/** Seconds as a clock shows them. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, "0")}`;
}

/** What is left for a player, counted on from when the snapshot arrived. */
export function timeLeft(clock, player, arrivedAt, now = performance.now()) {
  const spent = clock.running === player && !clock.paused ? Math.max(0, (now - arrivedAt) / 1000) : 0;
  const delay = clock.running === player ? clock.delay_s : 0;
  return { delay: Math.max(0, delay - spent), reserve: Math.max(0, clock.reserve_s[player] - Math.max(0, spent - delay)) };
}

/** Draw one player's strip. */
export function drawSide(element, player, snapshot, arrivedAt, show = { score: true, pips: true, clock: true }) {
  const name = nameOf(snapshot.players, player);
  const onRoll = snapshot.position.turn === player;
  element.dataset.player = player;
  element.dataset.turn = onRoll;
  const parts = [html("span", { class: `chip ${player}`, role: "img", "aria-label": t(`color.${player}`) })];
  const nameBox = html("span", { class: "name" }, html("bdi", {}, name));
  if (onRoll) nameBox.append(html("span", { class: "on-roll" }, t("side.turn")));
  parts.push(html("span", { class: "who" }, nameBox, html("span", { class: "pips", hidden: !show.pips }, t("side.pips", { pips: snapshot.pips[player] }))));
  if (snapshot.clock && show.clock) parts.push(clockBox(snapshot, player, name, arrivedAt));
  else parts.push(html("span"));
  if (show.score) parts.push(html("span", { class: "score", "aria-label": t("match.score") }, String(snapshot.score[player])));
  element.replaceChildren(...parts);
}

function clockBox(snapshot, player, name, arrivedAt) {
  const { delay, reserve } = timeLeft(snapshot.clock, player, arrivedAt);
  const running = snapshot.clock.running === player && !snapshot.clock.paused;
  const text = running && delay > 0 ? `${clockText(reserve)} +${Math.ceil(delay)}` : clockText(reserve);
  return html("span", { class: "clock", "data-running": running, "data-low": reserve < 60, role: "timer", "aria-label": t("side.clock", { name }) }, html("bdi", {}, text));
}

/** Who owes whom how many points after a money session or a single game. */
export function settlementWords({ settlement, players }) {
  const [winner, loser] = settlement.white > 0 ? ["white", "black"] : ["black", "white"];
  if (settlement[winner] === 0) return t("match.even");
  return t("match.owes", { loser: nameOf(players, loser), winner: nameOf(players, winner), points: settlement[winner] });
}

/** The words of one match: length, game, Crawford, what is going on. */
export function matchWords(snapshot) {
  if (snapshot.phase === "waiting") return [t("match.waiting")];
  const parts = [snapshot.length ? t("match.to", { length: snapshot.length }) : t("match.money"), t("match.game", { game: snapshot.game })];
  if (snapshot.crawford) parts.push(t("match.crawford"));
  if (snapshot.phase === "match_over") parts.push(t("match.over"));
  if (snapshot.settlement) parts.push(settlementWords(snapshot));
  if (snapshot.phase === "game_over") parts.push(t("match.game_over"));
  if (snapshot.cube.offered_by) parts.push(t("match.offered", { name: nameOf(snapshot.players, snapshot.cube.offered_by) }));
  return parts;
}
