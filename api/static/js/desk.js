/** The desk: questions, plays and corrections by hand, cube and clock, start and end of a match. */

import { Board } from "./board.js";
import { DeskLive } from "./desk-live.js";
import { Draft } from "./draft.js";
import { makeDraggable } from "./drag.js";
import { Line } from "./line.js";
import { cubeWords, drawMoves } from "./moves.js";
import { drawSide, markDrawn, matchWords, setUpChoices, showConnection } from "./page.js";
import { html } from "./svg.js";
import { nameOf, playText, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const board = new Board($("board"), { animate: true });
let live = null;
let line = new Line();
let newest = null;
let arrivedAt = 0;
let draft = null;
let correcting = null;
let chosen = null;
let dice = [null, null];
let token = sessionStorage.getItem("token");
let role = null;
let stale = 0;

const request = (path, options = {}) =>
  fetch(path, { ...options, headers: { Authorization: `Bearer ${token}`, ...(options.body ? { "Content-Type": "application/json" } : {}) } });

function say(text, bad = false) {
  $("said").textContent = text;
  $("said").dataset.bad = bad;
}

async function give(name, body) {
  const reply = await live.command(name, body);
  if (reply.problem) say(reply.problem.status ? reply.problem.detail : t("conn.offline_short"), true);
  else say(t("desk.done"));
  return !reply.problem;
}

/** Begin a fresh play: on the newest position, or where a correction sets in. */
async function newDraft(base, player, roll) {
  stale += 1;
  const ticket = stale;
  let legal = [];
  if (player && roll) {
    const response = await request(`/api/v1/desk/legal_plays?seq=${base.seq}&player=${player}&roll=${roll.join("")}`);
    legal = response.ok ? await response.json() : [];
  }
  if (ticket !== stale) return;
  const goesOn = draft !== null && draft.base.seq === base.seq && draft.player === player;
  const moves = goesOn ? draft.moves : [];
  draft = player ? new Draft(base, player, roll, legal) : null;
  for (const [from, to] of moves) draft?.move(from, to);
  document.body.dataset.legal = `${base.seq}:${roll ? roll.join("") : "-"}`;
  draw();
}

function draw() {
  if (!newest) return;
  const touched = draft !== null && (draft.touched || correcting !== null);
  board.draw(touched ? draft.snapshot : newest, !touched);
  document.body.dataset.draft = touched;
  const other = board.view.bottom === "white" ? "black" : "white";
  drawSide($("side-top"), other, newest, arrivedAt);
  drawSide($("side-bottom"), board.view.bottom, newest, arrivedAt);
  $("simulated").hidden = !newest.simulated;
  $("match").replaceChildren(...matchWords(newest).map((text, index) => html(index ? "span" : "b", { class: index ? "soft" : "" }, text)));
  const play = newest.announced ?? newest.last_play;
  const word = t(newest.announced ? "play.next" : "play.last");
  const who = html("span", { class: "who" }, play ? `${word} · ${nameOf(newest.players, play.player)}` : word);
  $("last").replaceChildren(who, html("bdi", { class: "notation" }, play ? playText(play) : t("play.none")));
  $("links").replaceChildren(...Object.entries(newest.link).map(([part, state]) => html("span", { "data-ok": !["lost", "moved", "help"].includes(state) }, `${part}: ${state}`)));
  drawActions(touched);
  drawQuestion();
  drawButtons();
  markDrawn(newest);
}

function drawActions(touched) {
  $("cancel").hidden = !touched;
  $("take-back").hidden = correcting === null;
  $("undo").disabled = !draft?.touched;
  const legal = draft?.match ?? null;
  if (touched && document.activeElement !== $("play-text")) $("play-text").value = legal ? legal.play : "";
  const condone = touched && draft.touched && legal === null && draft.roll !== null;
  $("save").textContent = t(condone ? "desk.condone" : correcting ? "desk.correct" : "desk.save");
  $("save").classList.toggle("danger", condone);
  $("save").disabled = !draft || (!touched && !$("play-text").value.trim() && legal === null);
  const notice = $("draft-notice");
  notice.hidden = correcting === null;
  if (correcting) notice.textContent = t("desk.correcting", { play: playText(correcting) });
  for (const button of $("dice").querySelectorAll("button")) {
    const roll = draft?.roll ?? dice;
    button.setAttribute("aria-pressed", String(roll[Number(button.dataset.die)] === Number(button.dataset.face)));
    button.disabled = correcting === null && Boolean(newest.roll);
  }
}

function drawQuestion() {
  const { question } = newest;
  $("question").hidden = !question;
  if (!question) return;
  const choices = (question.choices ?? []).map((choice, index) => {
    const button = html("button", { type: "button", class: "notation" }, choice.text ?? String(choice));
    button.addEventListener("click", () => give("answer", { choice: index }));
    return button;
  });
  const text = question.text ?? t("moves.illegal", { sites: (question.sites ?? []).join(", ") });
  const parts = [html("h2", {}, t("question.title")), html("p", {}, text), html("div", { class: "choices-list" }, ...choices)];
  if (question.nearest) parts.push(html("p", { class: "soft" }, t("desk.nearest"), " ", html("bdi", { class: "notation" }, question.nearest)));
  if (question.type === "illegal" || question.nearest) {
    const button = html("button", { type: "button", class: "danger" }, t("desk.let_stand"));
    button.addEventListener("click", () => give("condone", {}));
    parts.push(button);
  }
  $("question").replaceChildren(...parts);
}

function action(text, name, body, kind = "") {
  const button = html("button", { type: "button", class: kind, "data-command": name }, text);
  button.addEventListener("click", () => give(name, body));
  return button;
}

function drawButtons() {
  const turn = newest.position.turn;
  const cube = [];
  if (newest.cube.offered_by) {
    const other = newest.cube.offered_by === "white" ? "black" : "white";
    cube.push(action(t("desk.take", { name: nameOf(newest.players, other) }), "cube", { player: other, action: "take" }));
    cube.push(action(t("desk.drop", { name: nameOf(newest.players, other) }), "cube", { player: other, action: "drop" }, "danger"));
  } else if (turn && !newest.roll) {
    cube.push(action(t("desk.double", { name: nameOf(newest.players, turn) }), "cube", { player: turn, action: "double" }));
  }
  const resigning = line.events.at(-1)?.type === "resignation" && line.events.at(-1).action === "offer" ? line.events.at(-1) : null;
  if (resigning) {
    const other = resigning.player === "white" ? "black" : "white";
    cube.push(action(t("desk.accept"), "resign", { player: other, action: "accept", level: resigning.level ?? 1 }, "danger"));
    cube.push(action(t("desk.refuse"), "resign", { player: other, action: "refuse", level: resigning.level ?? 1 }));
  } else if (turn) {
    for (const level of [1, 2, 3]) {
      const name = nameOf(newest.players, turn);
      cube.push(action(t("desk.resign", { name, level: t(`level.${level}`) }), "resign", { player: turn, action: "offer", level }));
    }
  }
  if (newest.phase === "match_over") cube.push(action(t("desk.rematch"), "rematch", {}, "primary"));
  if (newest.phase === "game_over") cube.push(action(t("desk.next_game"), "start_game", {}, "primary"));
  $("cube").replaceChildren(...cube);
  const clock = [];
  if (newest.clock?.paused) clock.push(action(t("desk.resume"), "clock", { action: "resume" }, "primary"));
  else if (newest.clock) {
    for (const reason of ["fallen dice", "break", "director"]) clock.push(action(t("desk.pause", { reason: t(`pause.${reason}`) }), "clock", { action: "pause", reason }));
  }
  if (newest.clock && !newest.clock.paused && turn) clock.push(action(t("desk.call_director"), "call_director", { player: turn }, "danger"));
  $("clock").replaceChildren(...clock);
  const directs = role?.role === "director" || role?.role === "admin";
  $("scan").replaceChildren(...(directs && role.camera && newest.match_id ? [action(t("desk.scan"), "scan", {})] : []));
  $("changes").replaceChildren(...(directs ? changes() : []));
}

const INSTEAD = { take: "drop", drop: "take" };

/** What else can be changed: the cube action that was chosen in the list, and the newest correction undone. */
function changes() {
  const buttons = [];
  const event = chosen && line.events.find((found) => found.seq === chosen);
  const other = event && INSTEAD[event.action];
  if (other) buttons.push(action(t("desk.instead", { action: cubeWords({ ...event, action: other }) }), "correct", { of: event.seq, action: other }));
  if (event) buttons.push(action(t("desk.take_out", { action: cubeWords(event) }), "correct", { of: event.seq }));
  const newestOne = line.events.findLast((found) => found.type === "correction");
  if (newestOne) buttons.push(action(t("desk.undo_correction"), "correct", { of: newestOne.seq }));
  return buttons;
}

function drawList() {
  const list = $("moves");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  drawMoves(list, line, newest?.players ?? {}, correcting?.seq ?? null, correct);
  if (atEnd) list.scrollTop = list.scrollHeight;
}

/** Open an earlier play for correction, or choose a cube action to be changed. */
async function correct(seq) {
  const event = line.events.find((found) => found.seq === seq);
  chosen = event?.type === "cube" ? seq : null;
  drawButtons();
  if (event?.type !== "play") return;
  const response = await request(`/api/v1/snapshot?seq=${seq - 1}`);
  if (!response.ok) return;
  correcting = event;
  draft = null;
  dice = [...(event.roll ?? [null, null])];
  await newDraft(await response.json(), event.player, event.roll ?? null);
  drawList();
}

async function leaveCorrection() {
  correcting = null;
  draft = null;
  dice = [null, null];
  $("play-text").value = "";
  await newDraft(newest, newest.position.turn, newest.roll);
  drawList();
}

async function save() {
  const text = $("play-text").value.trim();
  const typed = text !== "" && (!draft.touched || document.activeElement === $("play-text"));
  const legal = draft.match;
  const { points, bar } = draft.now;
  const here = { points, bar: { white: bar.white, black: bar.black } };
  let done;
  if (correcting) {
    const same = draft.roll?.join() === correcting.roll?.join();
    const roll = same || !draft.roll ? {} : { roll: draft.roll };
    const content = typed ? { play: text } : legal ? { play: legal.play } : { position: here, illegal: true };
    done = await give("correct", { of: correcting.seq, ...content, ...roll, why: t("desk.why", { name: role.name }) });
  } else {
    const { player, roll } = draft;
    const content = typed ? { play: text } : legal && legal.moves.length === 0 ? { play: legal.play } : { position: here };
    if (!newest.roll && roll && !(await give("roll", { player, roll }))) return;
    done = await give("play", { player, ...content, condoned: !typed && legal === null });
  }
  if (done) await leaveCorrection();
}

function chooseDie(index, face) {
  dice = [...(draft?.roll ?? dice)];
  dice[index] = face;
  const whole = dice[0] && dice[1];
  if (draft && whole) newDraft(draft.base, draft.player, [...dice].sort((a, b) => b - a));
  else draw();
}

function setUpActions() {
  const row = [];
  for (const die of [0, 1]) {
    if (die) row.push(html("span", { class: "between" }));
    for (let face = 1; face <= 6; face += 1) {
      const button = html("button", { type: "button", "data-die": die, "data-face": face, "aria-label": `${die + 1}: ${face}` }, String(face));
      button.addEventListener("click", () => chooseDie(die, face));
      row.push(button);
    }
  }
  $("dice").replaceChildren(...row);
  $("save").addEventListener("click", save);
  $("play-text").addEventListener("input", () => drawActions(draft !== null && (draft.touched || correcting !== null)));
  $("undo").addEventListener("click", () => {
    draft.undo();
    draw();
  });
  $("cancel").addEventListener("click", leaveCorrection);
  $("take-back").addEventListener("click", async () => {
    if (await give("correct", { of: correcting.seq, take_back: true })) await leaveCorrection();
  });
  makeDraggable(board, {
    mayLift: (place, player) => draft !== null && draft.player === player,
    targets: (place) => draft.targets(place),
    moved: (from, to) => {
      draft.move(from, to);
      draw();
    },
  });
}

function setUpForms() {
  const submit = (id, act) => $(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    await act(Object.fromEntries(new FormData(event.target)), event.target);
  });
  submit("start", (form) => give("start_match", {
    players: { white: form.white, black: form.black }, length: Number(form.length), rules: form.rules,
    clock: form.clock, moves: form.moves, hints: form.hints, tournament: form.tournament === "on",
  }));
  submit("score", (form) => give("set_score", { score: { white: Number(form.white), black: Number(form.black) } }));
  submit("reserves", (form) => give("clock", { action: "edit", reserve_s: [Number(form.white), Number(form.black)] }));
  submit("end", (form) => give("end_match", { reason: form.reason }));
  submit("sight", async (form) => {
    const body = { delay_s: Number(form.delay_s), aids: form.aids === "on" };
    const response = await request("/api/v1/desk/sight", { method: "PUT", body: JSON.stringify(body) }).catch(() => null);
    const told = await response?.json();
    if (response?.ok) say(t("desk.done"));
    else say(told?.detail ?? t("conn.offline_short"), true);
    await showSight();
  });
  submit("add-person", async (form) => {
    const response = await request("/api/v1/desk/people", { method: "POST", body: JSON.stringify(form) });
    const made = await response.json();
    $("new-token").textContent = made.token ?? made.detail;
    await showPeople();
  });
  $("launcher").addEventListener("click", saveLauncher);
}

/** A file for streaming programs that start before the server: it waits and then goes to the overlay. */
function saveLauncher() {
  const target = `${location.origin}/overlay`;
  const text = `<!doctype html><meta charset="utf-8"><title>Barpoint</title><script>const go = () => fetch(${JSON.stringify(target)}, { mode: "no-cors" }).then(() => location.replace(${JSON.stringify(target)}), () => setTimeout(go, 2000)); go();</script>`;
  const link = html("a", { href: URL.createObjectURL(new Blob([text], { type: "text/html" })), download: "barpoint-overlay.html" });
  link.click();
}

/** Say what viewers see; only a director may change it. */
async function showSight(fill = true) {
  const may = role.role === "director" || role.role === "admin";
  $("sight-panel").hidden = !may;
  const response = may ? await request("/api/v1/desk/sight").catch(() => null) : null;
  if (!response?.ok) return;
  const told = await response.json();
  const lag = told.delay_s || told.waiting ? t("sight.later", { seconds: told.delay_s, count: told.waiting }) : t("sight.now");
  $("sight-now").textContent = told.tournament ? `${lag} ${t("sight.tournament")}` : lag;
  $("sight").elements.aids.disabled = told.tournament;
  if (!fill) return;
  $("sight").elements.delay_s.value = told.delay_s;
  $("sight").elements.aids.checked = told.aids && !told.tournament;
}

async function showPeople() {
  $("people-panel").hidden = role.role !== "admin";
  if (role.role !== "admin") return;
  const response = await request("/api/v1/desk/people");
  if (!response.ok) return;
  const people = await response.json();
  $("people").replaceChildren(...people.map((person) => {
    const remove = html("button", { type: "button", class: "danger", disabled: person.name === role.name }, t("desk.remove"));
    remove.addEventListener("click", async () => {
      await request(`/api/v1/desk/people/${encodeURIComponent(person.name)}`, { method: "DELETE" });
      await showPeople();
    });
    return html("li", {}, html("span", {}, `${person.name} · ${t(`role.${person.role}`)}`), remove);
  }));
}

let pictureUrl = null;
async function showPicture() {
  const response = await request("/api/v1/setup/picture.jpg?kind=settled").catch(() => null);
  const found = response?.status === 200;
  $("picture").hidden = !found;
  $("no-picture").hidden = found;
  if (!found) return;
  if (pictureUrl) URL.revokeObjectURL(pictureUrl);
  pictureUrl = URL.createObjectURL(await response.blob());
  $("picture").src = pictureUrl;
  $("picture").alt = t("desk.camera");
}

function listen() {
  live.addEventListener("welcome", async ({ detail }) => {
    role = detail;
    sessionStorage.setItem("token", token);
    $("login").hidden = true;
    $("desk").hidden = false;
    $("who").textContent = `${detail.name} · ${t(`role.${detail.role}`)}`;
    $("rules").replaceChildren(...detail.rules.map((name) => html("option", { value: name, selected: name === "international" }, name)));
    await Promise.all([showPeople(), showSight()]);
    if (detail.camera) await showPicture();
  });
  live.addEventListener("refused", ({ detail }) => {
    sessionStorage.removeItem("token");
    $("login").hidden = false;
    $("desk").hidden = true;
    $("login-error").textContent = detail;
  });
  live.addEventListener("event", ({ detail }) => {
    if (detail.seq !== line.newest + 1 || !line.add(detail)) return;
    drawList();
    if (newest) drawButtons();
  });
  live.addEventListener("snapshot", async ({ detail }) => {
    const restarted = newest && newest.match_id !== detail.match_id;
    if (restarted) line = new Line();
    newest = detail;
    arrivedAt = performance.now();
    draw();
    if (correcting === null) {
      dice = [null, null];
      $("play-text").value = "";
      await newDraft(newest, newest.position.turn, newest.roll);
    }
    if (line.newest < detail.seq) {
      await line.catchUp(detail.seq, request);
      drawList();
    }
  });
  live.addEventListener("state", () => showConnection(live, { badge: $("badge"), notice: $("notice") }));
}

function enter() {
  live = new DeskLive(token);
  listen();
  live.start();
}

$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value.trim();
  $("login-error").textContent = "";
  enter();
});

await setUpChoices(() => {
  draw();
  drawList();
});
setUpActions();
setUpForms();
setInterval(() => {
  if (!newest?.clock?.running) return;
  drawSide($("side-top"), board.view.bottom === "white" ? "black" : "white", newest, arrivedAt);
  drawSide($("side-bottom"), board.view.bottom, newest, arrivedAt);
}, 250);
setInterval(() => role && $("sight-panel").open && live.state !== "offline" && showSight(false), 2500);
setInterval(() => role?.camera && live.state !== "offline" && showPicture(), 2500);
if (token) enter();
else $("login").hidden = false;
