// The log: the last step line by line, and all earlier steps.

import { againButton } from "./again.js";
import { at, differs, make } from "./dom.js";
import { why } from "./rules.js";
import { language, say } from "./say.js";

let current = null;

export function showLog({ position }) {
  if (!position || position === current) return;
  current = position;
  const { log, you } = position;
  const last = log.at(-1);
  at("story-empty").hidden = Boolean(last);
  // Only new lines change, since screen readers read them aloud.
  if (differs("story", last, log.length, you, language)) showStory(last, you);
  at("log-count").textContent = say("page.log_count", { n: log.length });
  at("log-box").hidden = log.length < 2;
  const steps = log.map(({ step, events, again }) => {
    const list = make("ul", {}, ...events.map((event) => make("li", {}, sentence(event, you))));
    return make("li", {}, list, again ? againButton(step) : "");
  });
  at("log").replaceChildren(...steps.reverse());
}

function showStory(last, you) {
  at("story").replaceChildren(...storyLines(last?.events ?? [], you));
  // Where space is limited, the evaluation is shown rather than the lines before it.
  at("story").scrollTop = at("story").querySelector(".table")?.offsetTop ?? 0;
}

// Lines that appear one after another; the table's own, such as an evaluation, are emphasised.
export function storyLines(events, you) {
  return events.map((event, place) => {
    const { parts, rule, text } = event;
    const kind = parts[0].player === undefined ? "table" : parts.at(-1).points === undefined ? "" : "points";
    const item = make("li", { class: kind }, sentence(event, you), why(rule, text));
    item.style.setProperty("--place", place);
    return item;
  });
}

// A sentence with emphasised players, especially oneself, and points.
export function sentence({ parts }, you) {
  const pieces = parts.map((part) => {
    if (part.points !== undefined) return make("b", { class: "gain" }, part.text);
    if (part.player === undefined) return part;
    return make("b", {}, part.player === you ? say("page.self", { name: part.text }) : part.text);
  });
  return make("span", {}, ...pieces);
}
