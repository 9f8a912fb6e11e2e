// The line for typing what to play; the table interprets it, and answers in words.

import { at, differs, make } from "./dom.js";
import { choose, choosing, state } from "./state.js";

export function showTyped({ position }) {
  const options = new Map(position?.actions.map(({ short, words }) => [short || words, words]));
  if (differs("typed", [...options])) at("typed-options").replaceChildren(...[...options].map(([value, words]) => make("option", { value }, words)));
}

// `send` asks the table what a text means.
export function onTyped(send) {
  at("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    if (choosing()) send(at("typed-line").value);
    else at("typed-answer").textContent = at("status").textContent;
  });
}

// Choose what the table has understood; returns whether it is something.
export function heardTyped({ step, action, text }) {
  at("typed-answer").textContent = text;
  if (action === null || step !== state.position.step) return false;
  at("typed-line").value = "";
  choose(state.position.actions.find((legal) => legal.action === action));
  return true;
}

at("typed-line").addEventListener("click", ({ target }) => target.focus()); // as keys.js clicks
