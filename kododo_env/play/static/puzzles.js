// Puzzles, one after another: the table as its player saw it, the choices, and then the solution.

import { at, make } from "./dom.js";
import { mark, pointing } from "./mark.js";
import { language, number, say } from "./say.js";
import { change } from "./state.js";
import { drawScene, inTable, picture } from "./table.js";

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
let sought = puzzles; // those of the chosen theme
const chosen = () => puzzles.find(({ id }) => `#${id}` === location.hash) ?? next() ?? sought[0];
const next = (after = -1) => {
  const untried = [...sought.slice(after + 1), ...sought.slice(0, after + 1)];
  return untried.find(({ id }) => !(id in tried));
};

function show() {
  const puzzle = (current = chosen());
  const { title, moment, scene, actions, players, you } = puzzle;
  change({ position: puzzle });
  document.title = say("puzzle.page_title", { title });
  at("title").textContent = `${title}, ${puzzle.grade}`;
  at("task").textContent = say("puzzle.question", { moment, name: players[you] });
  drawScene(at("scene"), scene);
  at("scene").querySelector(".you").classList.toggle("placing", inTable(actions));
  at("text").textContent = puzzle.text;
  at("answer").replaceChildren();
  at("answers").replaceChildren(...actions.map((action) => button(puzzle, action)));
  at("next").hidden = true;
  list();
}

// A choice with its cards. What it is about is marked on the table meanwhile.
function button(puzzle, action) {
  const cards = action.cards.map((card) => make("span", { class: "card", "aria-hidden": "true" }, picture(puzzle.hand[card].picture)));
  const act = () => at("next").hidden && answer(puzzle, action);
  return make("button", { type: "button", onclick: act, ...pointing(action) }, ...cards, make("span", {}, action.words));
}

function answer(puzzle, choice) {
  const best = puzzle.actions.find(({ words }) => words === puzzle.best);
  const right = choice === best;
  note(puzzle, right);
  puzzle.actions.forEach((action, place) => {
    const button = at("answers").children[place];
    button.setAttribute("aria-disabled", true);
    if (action === best || action === choice) button.lastChild.append(action === best ? " ✓" : " ✗");
    button.classList.toggle("primary", action === best);
  });
  const [gain, low, high] = puzzle.gains.map((gain) => number(gain, 1));
  const names = (list) => list.join(", ") || say("puzzle.none");
  at("answer").replaceChildren(
    ...verdict(right ? say("puzzle.right") : say("puzzle.better", { choice: best.words }), best),
    ...(right ? [] : verdict(say("puzzle.chosen", { choice: choice.words }), choice)),
    make("p", {}, say("puzzle.gain", { gain, low, high })),
    make("p", {}, say("puzzle.bots", { missed: names(puzzle.missed), found: names(puzzle.found) })),
  );
  mark("wanted", [best]);
  at("next").hidden = false;
  at("next").focus();
  list();
}

// Words about a choice, and what it would bring about.
function verdict(words, { reasons }) {
  return [make("b", {}, words), make("ul", {}, ...reasons.map((reason) => make("li", {}, reason)))];
}

// --- which puzzle -----------------------------------------------------------------------

function list() {
  const links = sought.map((puzzle) => {
    const [mark, stands] = !(puzzle.id in tried) ? ["", say("puzzle.no_mark")] : tried[puzzle.id] ? [" ✓", say("puzzle.right_mark")] : [" ✗", say("puzzle.wrong_mark")];
    const title = `${puzzle.title}, ${puzzle.grade}`;
    const place = puzzles.indexOf(puzzle) + 1;
    const named = { "aria-label": `${say("puzzle.number", { n: place })}, ${title}, ${stands}`, title };
    return make("a", { href: `#${puzzle.id}`, ...named, "aria-current": puzzle === current ? "page" : undefined }, `${place}${mark}`);
  });
  at("list").replaceChildren(...links);
}

// A game is a theme too.
const themesOf = ({ title, themes }) => [title, ...themes.map((theme) => `${title}: ${theme}`)];
const themes = [...new Set(puzzles.flatMap(themesOf))].sort();
const ofTheme = (theme) => (theme ? puzzles.filter((puzzle) => themesOf(puzzle).includes(theme)) : puzzles);
at("theme").append(...["", ...themes].map((theme) => make("option", { value: theme }, `${theme || say("puzzle.all_themes")} (${ofTheme(theme).length})`)));

at("theme").addEventListener("change", ({ target }) => {
  sought = ofTheme(target.value);
  location.hash = (next() ?? sought[0]).id;
  show();
});
at("next").addEventListener("click", () => {
  const place = sought.indexOf(current);
  location.hash = (next(place) ?? sought[(place + 1) % sought.length]).id;
  at("title").focus();
  window.scrollTo(0, 0);
});
window.addEventListener("hashchange", show);
show();
