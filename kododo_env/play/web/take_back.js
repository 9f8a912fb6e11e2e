// Taking back a face-down choice. It is sent after a short delay, so that it can be taken back against agents
// too, which respond at once; afterwards it can be taken back while somebody else has still to choose.

import { at } from "./dom.js";
import { factor } from "./pace.js";
import { change, state } from "./state.js";

const DELAY = 1200; // milliseconds

let held = null; // the delayed action, its timer, and its start

// Do something after the delay; a tap or a key ends the delay.
export function lay(send) {
  const moment = DELAY * factor();
  if (moment) held = { send, timer: setTimeout(sendNow, moment), since: performance.now() };
  else send();
}

// Whether a choice has not been sent yet.
export const lying = () => held !== null;

function sendNow() {
  const { send } = held;
  drop();
  send();
  show(state);
}

function drop() {
  clearTimeout(held?.timer);
  held = null;
}

function show({ position, pending, revealing }) {
  if (!pending) drop(); // the position has changed or is gone
  const undecided = position?.waiting_for.length && position.chosen !== null;
  at("take-back").hidden = revealing || (!held && !undecided);
}

// `send` takes back a choice that has already been sent.
export function onTakeBack(send) {
  at("take-back").addEventListener("click", () => {
    if (!held) return send();
    drop();
    change({ choice: state.pending, pending: null });
  });
  return show;
}

// The button itself, and keys that move the focus to it, do not end the delay.
const LEAVE = ["Tab", "Shift", "u"];
for (const event of ["pointerdown", "keydown"]) {
  document.addEventListener(event, ({ key, repeat, target, timeStamp }) => {
    const leaves = repeat || LEAVE.includes(key) || at("take-back").contains(target);
    if (held && timeStamp > held.since && !leaves) sendNow();
  });
}
