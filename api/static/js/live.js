/**
 * The live stream of one table: joins, resumes, and says honestly whether what is shown is live.
 *
 * States: "connecting", "live", "stale" (the table itself says it does not see the board), "offline" (no answer).
 */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

export class Live extends EventTarget {
  /** @param {string} url - of the stream */
  constructor(url = "/api/v1/live") {
    super();
    this.url = url;
    this.state = "connecting";
    this.since = new Date();
    this.seq = null;
    this.snapshot = null;
    this.source = null;
    this.failures = 0;
    this.beatEveryS = 10;
    this.heardAt = performance.now();
    this.tableState = { state: "live", since: new Date().toISOString() };
  }

  /** Connect now and stay connected until the page goes. */
  start() {
    this.connect();
    setInterval(() => this.watch(), 1000);
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.watch());
    return this;
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = null;
    this.source?.close();
    const after = this.seq === null ? "" : `?after=${this.seq}`;
    const source = new EventSource(this.url + after);
    this.source = source;
    this.heardAt = performance.now();
    const hear = (kind, take) => source.addEventListener(kind, (message) => {
      this.heardAt = performance.now();
      take(JSON.parse(message.data));
    });
    hear("event", (event) => this.onEvent(event));
    hear("snapshot", (snapshot) => this.onSnapshot(snapshot));
    hear("beat", (beat) => this.onBeat(beat));
    source.onerror = () => this.lost();
  }

  onEvent(event) {
    if (this.seq !== null && event.seq <= this.seq && event.seq > 0 && this.snapshot) {
      if (event.seq > this.seq - 300) return;
      this.seq = null;
    }
    this.send("event", event);
  }

  onSnapshot(snapshot) {
    const restarted = this.snapshot && this.snapshot.match_id !== snapshot.match_id;
    if (restarted) this.send("restart", snapshot);
    this.seq = snapshot.seq;
    this.snapshot = snapshot;
    this.failures = 0;
    this.settle();
    this.send("snapshot", snapshot);
  }

  onBeat(beat) {
    this.beatEveryS = beat.every_s ?? this.beatEveryS;
    this.tableState = beat;
    this.settle();
  }

  settle() {
    const state = this.tableState.state === "stale" ? "stale" : "live";
    this.become(state, new Date(state === "stale" ? this.tableState.since : Date.now()));
  }

  watch() {
    const silentS = (performance.now() - this.heardAt) / 1000;
    if (this.timer === null && silentS > 2.5 * this.beatEveryS) this.lost();
  }

  /** Try again after a while that grows and differs from viewer to viewer, so that a restart is not stormed. */
  lost() {
    this.source?.close();
    if (this.timer) return;
    this.become("offline", this.state === "offline" ? this.since : new Date());
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures);
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), longest * (0.5 + Math.random() / 2));
  }

  retryNow() {
    if (this.state === "offline") this.connect();
  }

  become(state, since) {
    const same = state === this.state;
    this.state = state;
    this.since = since;
    if (!same) this.send("state", { state, since });
  }

  send(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
