// Shows positions one after another, no faster than they can be followed.

import { at } from "./dom.js";

// A time of page.css, by which what is revealed moves, in milliseconds.
const time = (name) => 1000 * parseFloat(getComputedStyle(document.documentElement).getPropertyValue(`--${name}-time`));

// How long a step and a line take.
export const pace = () => [time("step"), time("line")];

// How long what has just happened is to be looked at: until the last stage of the picture has been revealed at least.
export function lasting({ log, picture = "" }) {
  const [step, line] = pace();
  const stages = [...picture.matchAll(/--stage:(\d+)/g)].map(([, stage]) => Number(stage));
  const revealed = step && time("turn") + line * Math.max(0, ...stages) + time("appear");
  return Math.max(revealed, step + line * (log.at(-1)?.lines.length ?? 0));
}

const waiting = [];
let free = 0; // when the next one may be shown
let timer = null;
let shown = null;

const alike = (one, other) => one?.step === other.step && one.you === other.you;

// Show a position in its turn. One of the same step as the last that waits replaces it; and one of the step that
// is shown waits only while that is revealed, since a person may be choosing in it.
export function enqueue(position, show) {
  if (alike(shown, position) && !at("game").classList.contains("revealing")) return void show(position);
  if (alike(waiting.at(-1)?.[0], position)) waiting.pop();
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
  shown = position;
  if (show(position)) hold(lasting(position));
  next();
}
