/** The wizard: the camera's picture, its four corners by dragging, what it is worth, and whether the parts answer. */

import { setUpChoices } from "./page.js";
import { html, svg } from "./svg.js";
import { t } from "./words.js";

const $ = (id) => document.getElementById(id);
const PARTS = ["link", "lights", "dice", "buttons"];
let token = sessionStorage.getItem("token");
let size = null;
let corners = null;
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
  const radius = size.width / 45;
  const points = corners.map((corner) => corner.join(",")).join(" ");
  const grips = corners.flatMap(([x, y], index) => {
    const grip = svg("circle", { class: "grip", cx: x, cy: y, r: radius, tabindex: 0, role: "slider", "data-corner": index,
      "aria-label": t("setup.corner", { number: index + 1 }), "aria-valuetext": `${Math.round(x)}, ${Math.round(y)}`, "aria-valuenow": Math.round(x) });
    const cross = svg("path", { class: "cross", d: `M${x - radius} ${y}H${x + radius}M${x} ${y - radius}V${y + radius}` });
    return [grip, cross];
  });
  const [first, second] = corners;
  const focused = document.activeElement?.dataset?.corner;
  root.replaceChildren(
    svg("polygon", { class: "outline", points }),
    svg("line", { class: "row", x1: first[0], y1: first[1], x2: second[0], y2: second[1] }),
    ...grips,
  );
  if (focused !== undefined) root.querySelector(`[data-corner="${focused}"]`)?.focus();
}

function place(index, x, y) {
  corners[index] = [Math.min(size.width, Math.max(0, x)), Math.min(size.height, Math.max(0, y))];
  drawCorners();
}

function setUpDragging() {
  const root = $("corners");
  let held = null;
  const spot = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
  root.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    if (!grip) return;
    held = Number(grip.dataset.corner);
    root.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  root.addEventListener("pointermove", (event) => held !== null && place(held, spot(event).x, spot(event).y));
  root.addEventListener("pointerup", () => (held = null));
  root.addEventListener("pointercancel", () => (held = null));
  root.addEventListener("keydown", (event) => {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const index = event.target.dataset?.corner;
    if (!(event.key in ways) || index === undefined) return;
    const far = event.shiftKey ? 10 : 1;
    const [dx, dy] = ways[event.key];
    place(Number(index), corners[index][0] + dx * far, corners[index][1] + dy * far);
    event.preventDefault();
  });
}

function showCalibration(found) {
  if (!found) return;
  if (found.corners) corners = found.corners.map((corner) => [...corner]);
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
$("use").addEventListener("click", () => calibrate({ corners }));
$("find").addEventListener("click", () => calibrate({ corners: null }));
$("again").addEventListener("click", showPicture);
$("markers").addEventListener("click", showMarkers);

await setUpChoices(setUpParts);
setUpParts();
setUpDragging();
if (token) enter();
else $("login").hidden = false;
