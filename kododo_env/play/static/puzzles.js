// Puzzles, one after another: the table as its player saw it, the choices, and then the answer.

import { at, drawing, make } from "./dom.js";

const SOLVED = "table-puzzles";
const puzzles = await (await fetch(new URL("puzzles.json", import.meta.url))).json();
const tried = load(); // { [id]: whether the first choice was the best }

function load() {
  try {
    return JSON.parse(localStorage.getItem(SOLVED)) ?? {};
  } catch {
    return {}; // storage is shut, or holds something else
  }
}

function note(puzzle, right) {
  tried[puzzle.id] ??= right;
  try {
    localStorage.setItem(SOLVED, JSON.stringify(tried));
  } catch {
    // then it is for this page only
  }
}

const chosen = () => puzzles.find(({ id }) => `#${id}` === location.hash) ?? next() ?? puzzles[0];
const next = (after = -1) => {
  const left = [...puzzles.slice(after + 1), ...puzzles.slice(0, after + 1)];
  return left.find(({ id }) => !(id in tried));
};

function show() {
  const puzzle = chosen();
  const [name, ...moment] = puzzle.title.split(": ");
  document.title = `${name}: a puzzle`;
  at("title").textContent = `${name}, ${puzzle.grade}`;
  at("task").textContent = `${moment.join(": ")}. You are ${puzzle.you}. What do you choose?`;
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
  const [gain, low, high] = puzzle.gains;
  at("answer").replaceChildren(
    make("p", {}, make("b", {}, right ? "That is it." : `Better: ${puzzle.best}.`)),
    make("p", {}, `It wins ${gain} games of 100 more than the next best choice (${low} to ${high}, 95 %).`),
    make("p", {}, `Bots that miss it: ${puzzle.missed.join(", ") || "none"}. Bots that find it: ${puzzle.found.join(", ") || "none"}.`),
  );
  at("next").hidden = false;
  list(puzzle);
}

function list(shown) {
  const links = puzzles.map((puzzle, place) => {
    const state = !(puzzle.id in tried) ? "not tried" : tried[puzzle.id] ? "solved" : "missed";
    const named = { "aria-label": `puzzle ${place + 1}, ${puzzle.title.split(":")[0]}, ${puzzle.grade}, ${state}`, title: `${puzzle.title.split(":")[0]}, ${puzzle.grade}` };
    const mark = { solved: " ✓", missed: " ✗" }[state] ?? "";
    return make("a", { href: `#${puzzle.id}`, ...named, "aria-current": puzzle === shown ? "page" : undefined }, `${place + 1}${mark}`);
  });
  at("list").replaceChildren(...links);
}

at("next").addEventListener("click", () => {
  const puzzle = chosen();
  location.hash = (next(puzzles.indexOf(puzzle)) ?? puzzles[(puzzles.indexOf(puzzle) + 1) % puzzles.length]).id;
});
window.addEventListener("hashchange", show);
show();
