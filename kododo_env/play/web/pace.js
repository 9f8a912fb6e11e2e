// Shows positions one after another, no faster than they can be followed.

import { settings } from "./settings.js";

const TIMES = { slow: [1400, 700], normal: [600, 300], fast: [0, 0] }; // milliseconds: a step, a line

export const pace = () => TIMES[settings.speed];

// How long what has just happened is to be looked at.
export function lasting({ log }) {
  const [step, line] = pace();
  return step + line * (log.at(-1)?.lines.length ?? 0);
}

const waiting = [];
let free = 0; // when the next one may be shown
let timer = null;

// Show a position in its turn. What is of the same step as the last one replaces it.
export function enqueue(position, show) {
  waiting.push([position, show]);
  if (timer === null) next();
}

// Let nothing be shown for a while.
function hold(milliseconds) {
  free = Math.max(free, performance.now() + milliseconds);
}

// Show what waits now.
export function skip() {
  free = 0;
  if (timer === null) return;
  clearTimeout(timer);
  next();
}

function next() {
  timer = null;
  if (!waiting.length) return;
  const early = free - performance.now();
  if (early > 0) {
    timer = setTimeout(next, early);
    return;
  }
  const [position, show] = waiting.shift();
  if (show(position)) hold(lasting(position));
  next();
}
