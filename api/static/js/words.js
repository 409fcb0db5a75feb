/** All text that people read comes from one file per language; `t` looks it up, `apply` puts it on a page. */

export const LANGUAGES = { en: "English", he: "עברית", ro: "Română", de: "Deutsch", es: "Español" };

let words = {};
let chosen = "en";

/** The language asked for by the address, kept from last time, or that of the browser. */
function wanted() {
  const asked = new URLSearchParams(location.search).get("lang") ?? localStorage.getItem("lang");
  const all = [asked, ...(navigator.languages ?? [])].filter(Boolean).map((name) => name.slice(0, 2));
  return all.find((name) => name in LANGUAGES) ?? "en";
}

/** Load the words of a language (default: the one asked for) and put them on the page. */
export async function speak(language = wanted()) {
  const response = await fetch(`/static/lang/${language}.json`);
  words = await response.json();
  chosen = language;
  document.documentElement.lang = language;
  document.documentElement.dir = words["text.direction"];
  apply(document);
}

/** The language in use. */
export function language() {
  return chosen;
}

/** Return the text of `key` with `{name}` replaced; the key itself where a language lacks it. */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Fill every element that names its text: `data-t` the content, `data-t-label` the accessible name. */
export function apply(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    element.setAttribute("title", t(element.dataset.tLabel));
  }
}

/** What a screen reader says about one side. */
function spokenSide(position, player) {
  const sign = player === "white" ? 1 : -1;
  const parts = [];
  for (let number = 24; number >= 1; number -= 1) {
    const site = player === "white" ? number : 25 - number;
    const count = position.points[site - 1] * sign;
    if (count > 0) parts.push(t("say.on_point", { count, point: number }));
  }
  if (position.bar[player]) parts.push(t("say.on_bar", { count: position.bar[player] }));
  if (position.off[player]) parts.push(t("say.off", { count: position.off[player] }));
  return parts.join(", ");
}

/** The position in words, each side by its own numbering. */
export function spokenPosition(snapshot) {
  const { position, players } = snapshot;
  const sides = ["white", "black"].map(
    (player) => `${nameOf(players, player)} (${t(`color.${player}`)}): ${spokenSide(position, player)}.`,
  );
  const turn = position.turn ? t("say.turn", { name: nameOf(players, position.turn) }) : "";
  const roll = snapshot.roll ? t("say.roll", { roll: snapshot.roll.join("-") }) : "";
  return [...sides, turn, roll].filter(Boolean).join(" ");
}

const NAMELESS = { white: "White", black: "Black" };

/** A player's name, or the color where none was given (the settings then say the color in English). */
export function nameOf(players, player) {
  const name = players?.[player];
  return name && name !== NAMELESS[player] ? name : t(`color.${player}`);
}

/** The play of one event as people write it. */
export function playText(play) {
  if (!play) return "";
  const text = play.play === "Cannot Move" ? t("play.dance") : play.play;
  return play.roll ? `${play.roll.join("")}: ${text}` : text;
}
