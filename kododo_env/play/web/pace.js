// How fast positions follow one another.

import { settings } from "./settings.js";

const LAYING = 1000; // milliseconds in which cards are laid and turn over
const FOLLOWING = 650; // of each following stage of a reveal
const LONGEST = 4000; // of a whole reveal
const FACTORS = { fast: 0, slow: 2 };

export const factor = () => FACTORS[settings.speed] ?? 1;

// The durations of the first and of each following stage, in milliseconds; 0 if everything is to be shown at once.
export function durations(stages) {
  const following = Math.min(FOLLOWING, (LONGEST - LAYING) / Math.max(stages - 1, 1));
  return { laying: LAYING * factor(), following: following * factor() };
}

const waiting = []; // positions, each with the function that shows it
let isBusy = false; // whether the last one is still being revealed

const sameStep = (position, otherPosition) => position?.step === otherPosition.step && position.you === otherPosition.you;

// Show a position once those before it have been shown. It replaces a queued one of the same step.
// `show` is called with the position and a function to call when it has been shown.
export function enqueue(position, show) {
  if (sameStep(waiting.at(-1)?.[0], position)) waiting.pop();
  waiting.push([position, show]);
  next();
}

function next() {
  if (isBusy || !waiting.length) return;
  isBusy = true;
  const [position, show] = waiting.shift();
  show(position, () => {
    isBusy = false;
    next();
  });
}
