/** The desk's socket: the token in the first message, then everything that happens; commands and their replies. */

const LONGEST_WAIT_MS = 8000;

export class DeskLive extends EventTarget {
  /** @param {string} token - of the person at the desk */
  constructor(token) {
    super();
    this.token = token;
    this.state = "connecting";
    this.since = new Date();
    this.failures = 0;
    this.tag = null;
    this.snapshot = null;
    this.asked = new Map();
    this.number = 0;
  }

  start() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/api/v1/desk/socket`);
    this.socket.addEventListener("open", () => this.socket.send(JSON.stringify({ token: this.token })));
    this.socket.addEventListener("message", (message) => this.hear(JSON.parse(message.data)));
    this.socket.addEventListener("close", (event) => this.lost(event));
    return this;
  }

  hear(message) {
    if (message.kind === "welcome") {
      this.failures = 0;
      this.send("welcome", message);
    } else if (message.kind === "event") {
      this.send("event", message.event);
    } else if (message.kind === "snapshot") {
      this.tag = message.tag;
      this.snapshot = message.snapshot;
      const stale = Object.values(message.snapshot.link ?? {}).some((state) => ["lost", "moved", "help"].includes(state));
      this.become(stale ? "stale" : "live");
      this.send("snapshot", message.snapshot);
    } else if (message.kind === "reply") {
      this.tag = message.tag ?? this.tag;
      this.asked.get(message.id)?.(message);
      this.asked.delete(message.id);
    }
  }

  lost(event) {
    for (const answer of this.asked.values()) answer({ problem: { status: 0, detail: "offline" } });
    this.asked.clear();
    if (event.code === 4401 || event.code === 4403 || event.code === 4429) {
      this.send("refused", event.reason);
      return;
    }
    this.become("offline");
    const longest = Math.min(LONGEST_WAIT_MS, 500 * 2 ** this.failures);
    this.failures += 1;
    setTimeout(() => this.start(), longest * (0.5 + Math.random() / 2));
  }

  become(state) {
    if (state === this.state) return;
    this.state = state;
    this.since = new Date();
    this.send("state", state);
  }

  /** Give a command, based on what is seen here; answers with a receipt or a problem. */
  command(name, body) {
    return new Promise((answer) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        answer({ problem: { status: 0, detail: "offline" } });
        return;
      }
      this.number += 1;
      this.asked.set(this.number, answer);
      const key = `${this.snapshot?.match_id}:${(this.snapshot?.seq ?? 0) + 1}:${name}:${crypto.getRandomValues(new Uint32Array(1))[0]}`;
      this.socket.send(JSON.stringify({ id: this.number, command: name, body, if_match: this.tag, key }));
    });
  }

  send(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
