// The rules dialog, opened at a section from Help or by "why?" beside a line.

import { at, make } from "./dom.js";
import { language, say } from "./say.js";

let heard = null; // the language of the rules received
let target = ""; // the anchor of the section to open
let ask = () => {};

// Any element with data-rule opens the rules at that section. They are requested when first needed.
export function showRules(asking) {
  ask = asking;
}

document.addEventListener("click", ({ target }) => {
  const rule = target.closest("[data-rule]")?.dataset.rule;
  if (rule !== undefined) open(rule);
});

function open(anchor) {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  target = anchor;
  at("rules-dialog").showModal();
  if (heard === language) begin();
  else ask();
}

export function heardRules({ sections }) {
  const titles = sections.map(({ anchor, title }) => make("option", { value: anchor }, title));
  at("rules-section").replaceChildren(...titles);
  at("rules-text").replaceChildren(...sections.map(section));
  heard = language;
  begin();
}

// The HTML is trusted: the table makes it from the game's own rules.
function section({ anchor, title, html }) {
  const element = make("section", { "aria-labelledby": `rules-${anchor}` });
  element.innerHTML = html ?? "";
  element.prepend(make("h3", { id: `rules-${anchor}`, tabindex: "-1" }, title));
  return element;
}

function begin() {
  const title = at(`rules-${target}`);
  at("rules-text").scrollTop = 0;
  if (!title) return;
  title.scrollIntoView();
  title.focus({ preventScroll: true });
  at("rules-section").value = target;
}

at("rules-section").addEventListener("change", ({ target }) => at(`rules-${target.value}`).scrollIntoView());
// The line that opened them may be gone.
at("rules-dialog").addEventListener("close", () => document.activeElement === document.body && at("help").focus());

// A button beside a line that links to its rule.
export function why(rule, line) {
  if (!rule) return "";
  return make("button", { type: "button", class: "why", "data-rule": rule, "aria-label": `${say("rules.why")} ${line}` }, say("rules.why"));
}
