// The game and its progress, the line that says what to do, and the button to play the choice.

import { at, differs } from "./dom.js";
import { byCards, task } from "./hand.js";
import { say } from "./say.js";
import { choosing } from "./state.js";
import { inTable } from "./table.js";

// The header of the page.
export function showTitle({ position, replay }) {
  const { title } = replay?.steps[0] ?? position ?? {};
  const moment = replay ? say("replay.moment") : position?.moment.join(", ");
  if (!title || !differs("title", title, moment)) return;
  at("title").textContent = title;
  at("moment").textContent = moment;
  document.title = replay ? say("replay.page_title", { title }) : `${title}: ${moment}`;
}

export function showChoice(state) {
  const { position, choice, pending } = state;
  at("status").textContent = state.notice && !state.online ? state.notice : status(state);
  for (const id of ["status", "choose"]) at(id).classList.toggle("turn", choosing());
  at("new").disabled = !position;
  if (!position) return;
  at("play").hidden = !position.actions.length || pending !== null || state.revealing;
  at("play").setAttribute("aria-disabled", !choice || !choosing());
  at("play-words").textContent = choice ? choice.words : say("page.no_choice");
  at("hint").hidden = !position.hints || !position.actions.length || pending !== null || state.revealing;
  at("over").hidden = !position.over;
  at("choose").classList.toggle("over", position.over);
}

function status({ position, pending, notice, revealing }) {
  if (!position) return say("page.arrival");
  if (revealing) return say("page.skip_reveal");
  if (position.over) return capital(`${position.result}.`);
  if (pending) return say("page.hidden_choice", { choice: pending.words });
  if (position.chosen !== null) return say("page.hidden");
  return `${notice} ${position.actions.length ? instruction(position) : waiting(position)}`;
}

function instruction(position) {
  if (byCards(position)) return task(position);
  return inTable(position.actions) ? say("page.choose_place") : say("page.choose_action");
}

function waiting({ waiting_for: seats, players }) {
  if (!seats.length) return say("page.wait_for_others");
  return say("page.wait_for", { names: seats.map((seat) => players[seat].called).join(", ") });
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
