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
  if (differs("story", last, log.length, you, language)) tellStory(at("story"), last?.events ?? [], { you });
  at("log-count").textContent = say("page.log_count", { n: log.length });
  at("log-box").hidden = log.length < 2;
  const steps = log.map(({ step, events, again }) => {
    const list = make("ul", {}, ...events.map((event) => make("li", {}, sentence(event, you))));
    return make("li", {}, list, again ? againButton(step) : "");
  });
  at("log").replaceChildren(...steps.reverse());
}

// Events of one kind are a stage. Those at the end without a rule or points, such as drawing cards, belong to the next turn.
export function stagesOf(events) {
  const stages = [...Map.groupBy(events, ({ key }) => key).values()];
  const last = stages.findLastIndex(([{ rule, points }]) => rule || points !== undefined);
  return stages.slice(0, Math.max(last, 0) + 1);
}

const shownEvents = new WeakMap(); // the events in each list

// Tell events in a list. What continues it is appended, since screen readers read aloud what is added.
// The last stage is marked: where space is limited, nothing else is shown.
export function tellStory(list, events, { you, hasRules = true, stage = stagesOf(events).at(-1) } = {}) {
  const earlier = shownEvents.get(list) ?? [];
  const isContinued = earlier.length > 0 && earlier.every((event) => events.includes(event));
  if (!isContinued) list.replaceChildren();
  const additions = isContinued ? events.filter((event) => !earlier.includes(event)) : events;
  list.append(...additions.map((event) => storyLine(event, you, hasRules)));
  shownEvents.set(list, isContinued ? [...earlier, ...additions] : events);
  shownEvents.get(list).forEach((event, place) => list.children[place].classList.toggle("current", !stage || stage.includes(event)));
}

// A line of the story; the table's own, such as an evaluation, are emphasised.
function storyLine(event, you, hasRules) {
  const { parts, rule, text } = event;
  const kind = parts[0].player === undefined ? "table" : parts.at(-1).points === undefined ? "" : "points";
  return make("li", { class: kind }, sentence(event, you), hasRules ? why(rule, text) : "");
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
