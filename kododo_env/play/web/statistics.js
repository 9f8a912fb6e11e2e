// The person's own results, stored only in the browser.

import { at, make } from "./dom.js";
import { number, percent, say } from "./say.js";
import { placeOf } from "./share.js";

const KEPT = "table-statistics";
const SEEDS = 200; // remembered deals, so that each counts once

// { tables: { [name]: { games, won, places, of } }, seeds: [] }; `of` has the parts of the name, for other languages
function load() {
  try {
    const statistics = JSON.parse(localStorage.getItem(KEPT));
    return { tables: { ...statistics?.tables }, seeds: [...(statistics?.seeds ?? [])] };
  } catch {
    return { tables: {}, seeds: [] }; // storage is unavailable or damaged
  }
}

function keep(statistics) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(statistics));
  } catch {
    // then nothing is stored
  }
}

// Count a finished game once: the page may be reloaded, or the same cards played again.
export function count({ position }) {
  if (!position?.over || !position.deal) return;
  const { deal, players, you } = position;
  const statistics = load();
  const name = nameOf(position);
  const people = players.filter(({ person }) => person).length;
  const seed = `${name} ${deal.seed} ${people > 1 ? "all" : you}`; // each person may look at the end
  if (statistics.seeds.includes(seed)) return;
  const seeds = [...statistics.seeds, seed].slice(-SEEDS);
  if (position.counts === false) return keep({ ...statistics, seeds }); // a repeated game: the cards are known
  const { games, won, places } = statistics.tables[name] ?? { games: 0, won: 0, places: 0 };
  const added = { games: games + 1, won: won + players[you].won, places: places + placeOf(you, players), of: partsOf(position) };
  keep({ tables: { ...statistics.tables, [name]: added }, seeds });
}

// The game, the number of players, and the opponents.
function partsOf({ title, players, you }) {
  const opponents = [...new Set(players.filter((_, seat) => seat !== you).map(({ name, person }) => (person ? "people" : name)))];
  return { title, n: players.length, others: opponents.sort() };
}

// The same in English, as the key of stored results.
const nameOf = (position) => {
  const { title, n, others: opponents } = partsOf(position);
  return `${title}, ${n} players, against ${opponents.join(", ")}`;
};

function labelOf({ title, n, others: opponents }) {
  const names = opponents.map((name) => (name === "people" ? say("start.people") : name)).join(", ");
  return say("statistics.row", { title, n, names });
}

function show() {
  const rows = Object.entries(load().tables).map(([name, { games, won, places, of }]) => {
    const cells = [games, percent(won / games), number(places / games, 1)];
    return make("tr", {}, make("th", { scope: "row" }, of ? labelOf(of) : name), ...cells.map((cell) => make("td", {}, String(cell))));
  });
  at("statistics-rows").replaceChildren(...rows);
  at("statistics-table").hidden = !rows.length;
  at("statistics-none").hidden = rows.length > 0;
  at("statistics-forget").disabled = !rows.length;
}

at("statistics").addEventListener("click", () => {
  at("settings-dialog").close();
  show();
  at("statistics-dialog").showModal();
});
at("statistics-forget").addEventListener("click", () => {
  keep({ tables: {}, seeds: load().seeds }); // a counted game is not counted again
  show();
});
