/** The wizard: the camera's picture, corners and edges of the bar by dragging, what it is worth, do the parts answer. */

import { setUpChoices } from "./page.js";
import { Quad } from "./quad.js";
import { html, svg } from "./svg.js";
import { t } from "./words.js";

const $ = (id) => document.getElementById(id);
const SMALLEST_GRIP_PX = 13;
const GRIP_DOWN = [0.36, 0.64];
const PARTS = ["link", "lights", "dice", "buttons"];
let token = sessionStorage.getItem("token");
let size = null;
let corners = null;
let bar = [0.465, 0.535];
let pictureUrl = null;

const request = (path, options = {}) =>
  fetch(path, { ...options, headers: { Authorization: `Bearer ${token}`, ...(options.body ? { "Content-Type": "application/json" } : {}) } });

function say(text, bad = false) {
  $("said").textContent = text;
  $("said").dataset.bad = bad;
}

/** Ask the API; what goes wrong is said on the page. */
async function ask(path, options) {
  try {
    const response = await request(path, options);
    const body = await response.json();
    if (response.ok) return body;
    say(body.detail, true);
  } catch {
    say(t("conn.offline_short"), true);
  }
  return null;
}

async function showPicture() {
  const response = await request("/api/v1/setup/picture.jpg").catch(() => null);
  const found = response?.status === 200;
  $("no-picture").hidden = found;
  if (!found) return;
  const [width, height] = response.headers.get("X-Picture-Size").split("x").map(Number);
  size = { width, height };
  if (pictureUrl) URL.revokeObjectURL(pictureUrl);
  pictureUrl = URL.createObjectURL(await response.blob());
  $("picture").src = pictureUrl;
  $("picture").alt = t("desk.camera");
  corners ??= [[0.15, 0.15], [0.85, 0.15], [0.85, 0.85], [0.15, 0.85]].map(([x, y]) => [x * width, y * height]);
  drawCorners();
}

function drawCorners() {
  if (!size || !corners) return;
  const root = $("corners");
  root.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  const shownWidth = root.clientWidth || size.width;
  const radius = Math.max(size.width / 45, (SMALLEST_GRIP_PX * size.width) / shownWidth);
  const points = corners.map((corner) => corner.join(",")).join(" ");
  const grips = corners.flatMap(([x, y], index) => {
    const grip = svg("circle", { class: "grip", cx: x, cy: y, r: radius, tabindex: 0, role: "slider", "data-grip": `corner-${index}`,
      "aria-label": t("setup.corner", { number: index + 1 }), "aria-valuetext": `${Math.round(x)}, ${Math.round(y)}`, "aria-valuenow": Math.round(x) });
    const cross = svg("path", { class: "cross", d: `M${x - radius} ${y}H${x + radius}M${x} ${y - radius}V${y + radius}` });
    return [grip, cross];
  });
  const [first, second] = corners;
  const quad = new Quad(corners);
  const edges = bar.flatMap((share, index) => {
    const [[x0, y0], [x, y], [x1, y1]] = [0, GRIP_DOWN[index], 1].map((down) => quad.at(share, down));
    const line = svg("line", { class: "edge", x1: x0, y1: y0, x2: x1, y2: y1 });
    const grip = svg("rect", { class: "grip", x: x - radius * 0.45, y: y - radius, width: radius * 0.9, height: radius * 2, rx: radius * 0.45,
      tabindex: 0, role: "slider", "data-grip": `edge-${index}`, "aria-label": t("setup.edge", { number: index + 1 }),
      "aria-valuetext": `${Math.round(share * 100)} %`, "aria-valuenow": Math.round(share * 100) });
    return [line, grip];
  });
  const focused = document.activeElement?.dataset?.grip;
  root.replaceChildren(
    svg("polygon", { class: "outline", points }),
    svg("line", { class: "row", x1: first[0], y1: first[1], x2: second[0], y2: second[1] }),
    ...edges,
    ...grips,
  );
  if (focused !== undefined) root.querySelector(`[data-grip="${focused}"]`)?.focus();
}

/** Where a grip is: a corner in pixels, an edge of the bar half way down the field. */
function spotOf(grip) {
  const [kind, index] = grip.split("-");
  return kind === "corner" ? corners[index] : new Quad(corners).at(bar[index], 0.5);
}

/** Put a grip at a pixel; an edge of the bar stays on its side of the other one. */
function place(grip, x, y) {
  const [kind, index] = grip.split("-");
  if (kind === "corner") {
    corners[index] = [Math.min(size.width, Math.max(0, x)), Math.min(size.height, Math.max(0, y))];
  } else {
    const [across] = new Quad(corners).under(x, y);
    bar[index] = index === "0" ? Math.min(bar[1], Math.max(0.2, across)) : Math.max(bar[0], Math.min(0.8, across));
  }
  drawCorners();
}

function setUpDragging() {
  const root = $("corners");
  let held = null;
  const spot = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
  root.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    if (!grip) return;
    held = grip.dataset.grip;
    root.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  root.addEventListener("pointermove", (event) => held !== null && place(held, spot(event).x, spot(event).y));
  root.addEventListener("pointerup", () => (held = null));
  root.addEventListener("pointercancel", () => (held = null));
  root.addEventListener("keydown", (event) => {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const grip = event.target.dataset?.grip;
    if (!(event.key in ways) || grip === undefined) return;
    const far = event.shiftKey ? 10 : 1;
    const [dx, dy] = ways[event.key];
    const [x, y] = spotOf(grip);
    place(grip, x + dx * far, y + dy * far);
    event.preventDefault();
  });
}

function showCalibration(found) {
  if (!found) return;
  if (found.corners) corners = found.corners.map((corner) => [...corner]);
  if (found.corners && found.bar) bar = found.bar.map(([x, y]) => new Quad(corners).under(x, y)[0]);
  $("home").value = found.white_home;
  $("findings").replaceChildren(...found.findings.map((finding) => html("li", { "data-ok": finding.ok }, html("span", {}, finding.text))));
  document.body.dataset.calibrated = found.findings.length > 0 && found.findings.every((finding) => finding.ok);
  drawCorners();
}

async function calibrate(body) {
  say(t("setup.looking"));
  const found = await ask("/api/v1/setup/calibration", { method: "POST", body: JSON.stringify({ ...body, white_home: $("home").value }) });
  if (found) say(t("desk.done"));
  showCalibration(found);
}

function setUpParts() {
  $("parts").replaceChildren(...PARTS.map((part) => {
    const said = html("span", { role: "status" });
    const button = html("button", { type: "button", "data-part": part }, t(`part.${part}`));
    const row = html("li", {}, button, said);
    button.addEventListener("click", async () => {
      said.textContent = t("setup.looking");
      const found = await ask(`/api/v1/setup/attempts/${part}`, { method: "POST" });
      row.dataset.ok = found?.ok ?? false;
      said.textContent = found?.text ?? "";
    });
    return row;
  }));
}

async function showMarkers() {
  const response = await request("/api/v1/setup/markers.svg");
  if (!response.ok) return;
  const link = html("a", { href: URL.createObjectURL(await response.blob()), download: "barpoint-markers.svg" });
  link.click();
}

async function enter() {
  const response = await request("/api/v1/desk/me").catch(() => null);
  if (!response?.ok) {
    const body = await response?.json().catch(() => null);
    $("login-error").textContent = body?.detail ?? t("conn.offline_short");
    $("login").hidden = false;
    return;
  }
  sessionStorage.setItem("token", token);
  $("login").hidden = true;
  $("setup").hidden = false;
  showCalibration(await ask("/api/v1/setup/calibration"));
  await showPicture();
  document.body.dataset.ready = true;
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value.trim();
  enter();
});
$("use").addEventListener("click", () => calibrate({ corners, bar: ["edge-0", "edge-1"].map(spotOf) }));
$("find").addEventListener("click", () => calibrate({ corners: null }));
$("again").addEventListener("click", showPicture);
$("markers").addEventListener("click", showMarkers);

await setUpChoices(setUpParts);
setUpParts();
setUpDragging();
if (token) enter();
else $("login").hidden = false;
