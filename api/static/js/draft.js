/** A play in the making: what has been moved so far, and which legal plays still lead on from there. */

export class Draft {
  /**
   * @param {object} snapshot - what stood on the board before the play
   * @param {"white"|"black"} player - who plays
   * @param {number[]|null} roll - the dice, where they are known
   * @param {Array<object>} legal - legal plays as the API lists them
   */
  constructor(snapshot, player, roll, legal) {
    this.base = snapshot;
    this.player = player;
    this.roll = roll;
    this.legal = legal;
    this.history = [];
    this.moves = [];
    this.now = copy(snapshot.position);
    this.reachable = new Set();
    for (const play of legal) for (const board of stages(snapshot.position, play.moves, player)) this.reachable.add(key(board));
  }

  /** The snapshot to draw while the play is being made. */
  get snapshot() {
    return { ...this.base, position: { ...this.now, turn: this.player }, roll: this.roll, last_play: null };
  }

  /** The legal play that stands on the board now, or null. */
  get match() {
    const here = key(this.now);
    const found = this.legal.find((play) => key({ points: play.points, bar: play.bar }) === here);
    if (found) return found;
    const dance = this.legal.length === 0 && this.roll && this.history.length === 0;
    return dance ? { play: "Cannot Move", moves: [] } : null;
  }

  get touched() {
    return this.history.length > 0;
  }

  /** Where the top checker of `place` may go so that a legal play still leads on. */
  targets(place) {
    const all = [...Array(24).keys()].map((index) => index + 1).concat("off");
    return all.filter((to) => {
      const after = moved(this.now, place, to, this.player);
      return after !== null && this.reachable.has(key(after));
    });
  }

  /** Move one checker, legal or not; false where no checker can be put down. */
  move(from, to) {
    const after = moved(this.now, from, to, this.player);
    if (after === null) return false;
    this.history.push(this.now);
    this.moves.push([from, to]);
    this.now = after;
    return true;
  }

  undo() {
    if (!this.history.length) return;
    this.now = this.history.pop();
    this.moves.pop();
  }
}

function copy(position) {
  return { points: [...position.points], bar: { ...position.bar }, off: { ...position.off } };
}

function key(board) {
  return `${board.points.join()}|${board.bar.white}|${board.bar.black}`;
}

/** The position after one checker went from a place to a place, or null where it cannot. */
function moved(position, from, to, player) {
  const after = copy(position);
  const sign = player === "white" ? 1 : -1;
  const other = player === "white" ? "black" : "white";
  if (from === "bar") {
    if (after.bar[player] === 0) return null;
    after.bar[player] -= 1;
  } else {
    if (after.points[from - 1] * sign <= 0) return null;
    after.points[from - 1] -= sign;
  }
  if (to === "off") {
    after.off[player] += 1;
    return after;
  }
  const there = after.points[to - 1] * sign;
  if (there < -1) return null;
  if (there === -1) {
    after.points[to - 1] = sign;
    after.bar[other] += 1;
  } else {
    after.points[to - 1] += sign;
  }
  return after;
}

/** Every board that some of the moves of a play lead to. */
function stages(position, moves, player) {
  const found = [];
  for (let mask = 0; mask < 1 << moves.length; mask += 1) {
    let board = position;
    for (let index = 0; index < moves.length && board; index += 1) {
      if (mask & (1 << index)) board = moved(board, moves[index].from, moves[index].to, player);
    }
    if (board) found.push(board);
  }
  return found;
}
