// Going back to an earlier step of a game to try another way; the game then does not count.

import { at, make } from "./dom.js";
import { say } from "./say.js";

let target = null; // the step to go back to

// Return a button that asks whether to go back to a step.
export function againButton(to) {
  const ask = () => {
    target = to;
    at("again-dialog").showModal();
  };
  return make("button", { type: "button", class: "again", onclick: ask }, say("again.from_here"));
}

export function showAgain({ position }) {
  at("again-note").hidden = !position || position.counts;
}

// `go` is called with the step.
export function onAgain(go) {
  at("again").addEventListener("click", () => go(target));
}
