// A choice that lies face down. For a moment it is not even sent, so that it can be taken back against agents
// too, which answer at once; then it can be taken back as long as somebody else has still to choose.

import { at } from "./dom.js";
import { pace } from "./pace.js";
import { change, state } from "./state.js";

let held = null; // what is done at the end of the moment, its timer, and when it began

// Do something when the choice has lain face down for a moment; a tap or a key ends the moment.
export function lay(then) {
  const moment = 2 * pace()[0];
  if (moment) held = { then, timer: setTimeout(reveal, moment), since: performance.now() };
  else then();
}

// Whether a choice has not been sent yet.
export const lying = () => held !== null;

function reveal() {
  const { then } = held;
  drop();
  then();
  show(state);
}

function drop() {
  clearTimeout(held?.timer);
  held = null;
}

function show({ position, pending }) {
  if (!pending) drop(); // the position is another one, or there is none any more
  const others = position?.waiting_for.length && position.chosen !== null;
  at("take-back").hidden = !held && !others;
}

// `send` is told that a choice which others may already know of is taken back.
export function onTakeBack(send) {
  at("take-back").addEventListener("click", () => {
    if (!held) return send();
    drop();
    change({ choice: state.pending, pending: null });
  });
  return show;
}

// Keys by which one comes to the button, and the button, do not end the moment.
const LEAVE = ["Tab", "Shift", "u"];
for (const event of ["pointerdown", "keydown"]) {
  document.addEventListener(event, ({ key, repeat, target, timeStamp }) => {
    const leaves = repeat || LEAVE.includes(key) || at("take-back").contains(target);
    if (held && timeStamp > held.since && !leaves) reveal();
  });
}
