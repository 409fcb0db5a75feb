/**
 * The overlay for streaming programs: transparent, chosen by the address.
 *
 * `show=` board,names,score,pips,clock,match,last (default all) · `place=` bottom-left, bottom-right, top-left,
 * top-right · `scale=` 0.3 to 3 · `theme=` · `lang=` · `bottom=` · `home=`.
 */

import { asked, keepOffline, markDrawn, useTheme } from "./page.js";
import { Panel } from "./panel.js";
import { speak } from "./words.js";

const ELEMENTS = ["board", "names", "score", "pips", "clock", "match", "last"];

useTheme(asked.get("theme") ?? "dark");
const root = document.getElementById("overlay");
root.dataset.place = asked.get("place") ?? "bottom-left";
root.style.setProperty("--scale", String(Math.min(3, Math.max(0.3, Number(asked.get("scale")) || 1))));

/** The words may be out of reach while the server is not up yet; the overlay waits for them as for everything. */
async function speakWhenPossible() {
  for (;;) {
    try {
      return await speak();
    } catch {
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

await speakWhenPossible();
const view = { bottom: asked.get("bottom") ?? "white", home: asked.get("home") ?? "right" };
const panel = new Panel("/api/v1/live", view, markDrawn);
const wanted = (asked.get("show") ?? ELEMENTS.join(",")).split(",");
for (const name of ELEMENTS) panel.root.classList.toggle(`no-${name}`, !wanted.includes(name));
root.append(panel.root);
panel.start();
keepOffline();
