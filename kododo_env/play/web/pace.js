// Shows positions one after another, slowly enough to follow.

import { at } from "./dom.js";

// A duration of page.css's animations, in milliseconds.
const time = (name) => 1000 * parseFloat(getComputedStyle(document.documentElement).getPropertyValue(`--${name}-time`));

// How long to show a step and each line.
export const pace = () => [time("step"), time("line")];

// How long to show a position: at least until the last stage of the picture is revealed.
export function lasting({ log, picture = "" }) {
  const [step, line] = pace();
  const stages = [...picture.matchAll(/--stage:(\d+)/g)].map(([, stage]) => Number(stage));
  const revealed = step && time("turn") + line * Math.max(0, ...stages) + time("appear");
  return Math.max(revealed, step + line * (log.at(-1)?.events.length ?? 0));
}

const waiting = [];
let free = 0; // when the next position may be shown
let timer = null;
let current = null;

const sameStep = (position, otherPosition) => position?.step === otherPosition.step && position.you === otherPosition.you;

// Queue a position. It replaces the last queued one of the same step; and one of the step on display
// waits only for the reveal, since the person may be choosing in it.
export function enqueue(position, show) {
  if (sameStep(current, position) && !at("game").classList.contains("revealing")) return void show(position);
  if (sameStep(waiting.at(-1)?.[0], position)) waiting.pop();
  waiting.push([position, show]);
  if (timer === null) next();
}

// Pause the queue for a while.
function hold(milliseconds) {
  free = Math.max(free, performance.now() + milliseconds);
}

// Show queued positions now.
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
  current = position;
  if (show(position)) hold(lasting(position));
  next();
}
