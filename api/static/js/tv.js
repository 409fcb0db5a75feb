/** The TV page: one table large, or several (`?tables=a,b`) as tiles or in turn (`&mode=rotate&every=20`). */

import { asked, keepOffline, markDrawn, useTheme } from "./page.js";
import { Panel } from "./panel.js";
import { speak } from "./words.js";

const wall = document.getElementById("wall");
const tables = (asked.get("tables") ?? "").split(",").filter((name) => /^[a-z0-9-]+$/.test(name));
const view = { bottom: asked.get("bottom") ?? "white", home: asked.get("home") ?? "right" };
const urls = tables.length ? tables.map((name) => `/api/v1/tables/${name}/live`) : ["/api/v1/live"];

useTheme(asked.get("theme") ?? "dark");
await speak();

const panels = urls.map((url) => new Panel(url, { ...view }, markDrawn));
wall.append(...panels.map((panel) => panel.root));
panels.forEach((panel) => panel.start());

if (asked.get("mode") === "rotate" && panels.length > 1) {
  let shown = 0;
  const show = () => panels.forEach((panel, index) => (panel.root.hidden = index !== shown));
  show();
  setInterval(() => {
    shown = (shown + 1) % panels.length;
    show();
  }, Math.max(3, Number(asked.get("every")) || 20) * 1000);
} else {
  wall.style.setProperty("--columns", String(Math.ceil(Math.sqrt(panels.length))));
}
keepOffline();
