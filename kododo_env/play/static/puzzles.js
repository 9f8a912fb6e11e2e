// Puzzles, one after another: the table as its player saw it, the choices, and then the solution.

import { at, drawing, make } from "./dom.js";
import { language, number, say } from "./say.js";

const SOLVED = "table-puzzles";
const puzzles = await (await fetch(new URL(`puzzles-${language}.json`, import.meta.url))).json();
const tried = load(); // { [id]: whether the first choice was the best }

function load() {
  try {
    return JSON.parse(localStorage.getItem(SOLVED)) ?? {};
  } catch {
    return {}; // storage is unavailable or damaged
  }
}

function note(puzzle, right) {
  Object.assign(tried, load()); // another tab may have added some
  tried[puzzle.id] ??= right;
  try {
    localStorage.setItem(SOLVED, JSON.stringify(tried));
  } catch {
    // then it lasts for this page only
  }
}

let current = null; // the puzzle on display
const chosen = () => puzzles.find(({ id }) => `#${id}` === location.hash) ?? next() ?? puzzles[0];
const next = (after = -1) => {
  const untried = [...puzzles.slice(after + 1), ...puzzles.slice(0, after + 1)];
  return untried.find(({ id }) => !(id in tried));
};

function show() {
  const puzzle = (current = chosen());
  const { title, moment } = puzzle;
  document.title = say("puzzle.page_title", { title });
  at("title").textContent = `${title}, ${puzzle.grade}`;
  at("task").textContent = say("puzzle.question", { moment, name: puzzle.you });
  at("picture").replaceChildren(drawing(puzzle.picture));
  at("text").textContent = puzzle.text;
  at("answer").replaceChildren();
  at("choices").replaceChildren(...puzzle.choices.map((words) => make("button", { type: "button", onclick: () => answer(puzzle, words) }, words)));
  at("next").hidden = true;
  list(puzzle);
}

function answer(puzzle, words) {
  const right = words === puzzle.best;
  note(puzzle, right);
  for (const button of at("choices").children) {
    button.disabled = true;
    const best = button.textContent === puzzle.best;
    if (best || button.textContent === words) button.append(best ? " ✓" : " ✗");
    button.classList.toggle("best", best);
  }
  const [gain, low, high] = puzzle.gains.map((gain) => number(gain, 1));
  const names = (list) => list.join(", ") || say("puzzle.none");
  at("answer").replaceChildren(
    make("p", {}, make("b", {}, right ? say("puzzle.right") : say("puzzle.better", { choice: puzzle.best }))),
    make("p", {}, say("puzzle.gain", { gain, low, high })),
    make("p", {}, say("puzzle.bots", { missed: names(puzzle.missed), found: names(puzzle.found) })),
  );
  at("next").hidden = false;
  list(puzzle);
}

function list(current) {
  const links = puzzles.map((puzzle, place) => {
    const [mark, stands] = !(puzzle.id in tried) ? ["", say("puzzle.no_mark")] : tried[puzzle.id] ? [" ✓", say("puzzle.right_mark")] : [" ✗", say("puzzle.wrong_mark")];
    const title = `${puzzle.title}, ${puzzle.grade}`;
    const named = { "aria-label": `${say("puzzle.number", { n: place + 1 })}, ${title}, ${stands}`, title };
    return make("a", { href: `#${puzzle.id}`, ...named, "aria-current": puzzle === current ? "page" : undefined }, `${place + 1}${mark}`);
  });
  at("list").replaceChildren(...links);
}

at("next").addEventListener("click", () => {
  const place = puzzles.indexOf(current);
  location.hash = (next(place) ?? puzzles[(place + 1) % puzzles.length]).id;
});
window.addEventListener("hashchange", show);
show();
