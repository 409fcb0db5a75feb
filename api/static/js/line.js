/** The line of events as it stands: corrections take back what they replace. */

const SHOWN = new Set(["opening_roll", "play", "cube", "resignation", "game_end", "match_end", "question", "illegal", "correction"]);
const STEPS = new Set(["play", "cube", "game_end", "match_end"]);
const ASKING = new Set(["question", "illegal"]);

export class Line {
  constructor() {
    this.events = [];
    this.newest = 0;
  }

  /** Take one event in order; tells whether the list that people see has changed. */
  add(event) {
    if (event.seq <= this.newest) return false;
    this.newest = event.seq;
    if (event.type === "correction" && Number.isInteger(event.of)) {
      this.events = this.events.filter((other) => other.seq < event.of);
    }
    const before = this.events.length;
    if (ASKING.has(event.type) || STEPS.has(event.type) || event.type === "settled") {
      this.events = this.events.filter((other) => !ASKING.has(other.type));
    }
    if (!SHOWN.has(event.type)) return this.events.length < before;
    this.events.push(event);
    return true;
  }

  /** Numbers of the events that one can step to. */
  get steps() {
    return this.events.filter((event) => STEPS.has(event.type)).map((event) => event.seq);
  }

  /** Fetch what happened after the newest event known here, page by page; `get` may carry a token. */
  async catchUp(upTo = Infinity, get = fetch) {
    let changed = false;
    while (this.newest < upTo) {
      const response = await get(`/api/v1/events?after=${this.newest}&limit=500`);
      if (!response.ok) return changed;
      const page = await response.json();
      for (const event of page) changed = this.add(event) || changed;
      if (page.length < 500) return changed;
    }
    return changed;
  }
}
