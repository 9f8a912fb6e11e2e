// The log: the last step line by line, and all earlier steps.

import { againButton } from "./again.js";
import { at, differs, make } from "./dom.js";
import { endsInPoints, named, sentence } from "./names.js";
import { why } from "./rules.js";
import { language, say } from "./say.js";

let shown = null;

export function showLog({ position }) {
  if (!position || position === shown) return;
  shown = position;
  const { log, you, players } = position;
  const last = log.at(-1);
  at("story-empty").hidden = Boolean(last);
  // Only new lines change, since screen readers read them aloud.
  if (differs("story", last, log.length, you, language)) tell(last, you, players);
  at("log-count").textContent = say("page.log_count", { n: log.length });
  at("log-box").hidden = log.length < 2;
  const turns = log.map(({ step, lines, again }) => {
    const told = make("ul", {}, ...lines.map((line) => make("li", {}, sentence(line, you, players))));
    return make("li", {}, told, again ? againButton(step) : "");
  });
  at("log").replaceChildren(...turns.reverse());
}

function tell(last, you, players) {
  at("story").replaceChildren(...storyLines(last?.lines ?? [], you, players, last?.rules));
  // Where space is limited, the evaluation is shown rather than the lines before it.
  at("story").scrollTop = at("story").querySelector(".table")?.offsetTop ?? 0;
}

// Lines that appear one after another; the table's own, such as an evaluation, are emphasised.
export function storyLines(lines, you, players, rules = []) {
  return lines.map((line, place) => {
    const table = !line.startsWith("player_");
    const points = endsInPoints(line);
    const made = make("li", { class: table ? "table" : points ? "points" : "" }, sentence(line, you, players), why(rules[place], named(line, players)));
    made.style.setProperty("--place", place);
    return made;
  });
}
