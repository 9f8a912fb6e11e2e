// The first lesson: its instructions, and the result of the last choice.

import { at, make } from "./dom.js";
import { stacked } from "./layout.js";
import { sentence } from "./log.js";
import { mark } from "./mark.js";
import { say } from "./say.js";
import { set, settings } from "./settings.js";
import { change } from "./state.js";

let current = null;

export function showLesson({ position }) {
  if (!position) return;
  const { lesson, teaches, actions, you } = position;
  at("lesson").hidden = !teaches;
  if (!settings.visited && (lesson || position.step)) set("visited", true); // whoever has played needs no offer
  at("welcome").hidden = settings.visited || !teaches;
  at("lesson-box").hidden = !lesson;
  at("lesson-box").classList.toggle("over", Boolean(lesson?.over)); // hides everything but the words
  at("choose").classList.toggle("lesson", Boolean(lesson));
  if (!lesson) return;
  mark("wanted", actions.filter(({ action }) => lesson.wanted.includes(action)).slice(0, 1));
  if (position === current) return;
  const isNew = position.step !== current?.step;
  current = position;
  at("lesson-step").textContent = lesson.over ? say("lesson.over") : say("lesson.progress", { step: lesson.step + 1, all: lesson.of });
  at("lesson-shown").replaceChildren(...lesson.shown.map((event) => make("li", {}, sentence(event, you))));
  if (lesson.text) at("lesson-text").textContent = lesson.text;
  at("lesson-leave").textContent = lesson.over ? say("lesson.game") : say("lesson.skip");
  at("lesson-leave").classList.toggle("primary", lesson.over);
  at("lesson-again").hidden = !lesson.over;
  tell("");
  // If the play button is below the words, these may be scrolled out of view.
  if (isNew && !stacked.matches) at("lesson-box").scrollIntoView({ block: "nearest" });
}

at("welcome-close").addEventListener("click", () => {
  set("visited", true);
  change({});
});

// The error for a choice that the lesson does not ask for.
export function tell(words) {
  at("lesson-wrong").hidden = !words;
  at("lesson-wrong").textContent = words;
}
