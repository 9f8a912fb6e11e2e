// The table: a scene, which is data, as HTML; page.css lays it out.

import { at, differs, drawing, keyCap, keyOf, make } from "./dom.js";
import { number, plural, say, language } from "./say.js";
import { choosing, press, state } from "./state.js";

// --- any scene --------------------------------------------------------------------------

const parsed = new Map(); // drawings by their SVG

// Draw a scene into an element. The reader's seat is drawn into `own`, if the page has one with the hand and the buttons.
export function drawScene(element, scene, { own = null } = {}) {
  const { seats, middle, faces } = scene;
  const reader = seats.findIndex(({ you }) => you);
  const clockwise = [...seats.slice(reader + 1), ...seats.slice(0, Math.max(reader, 0))];
  for (const drawn of element.querySelectorAll(":scope > .drawn")) drawn.remove();
  element.classList.add("scene");
  element.classList.toggle("boards", seats.some(({ blocks }) => blocks.some(({ kind }) => kind === "grid")));
  element.classList.toggle("open", reader < 0);
  element.dataset.others = clockwise.length;
  element.style.setProperty("--others", clockwise.length);
  if (reader >= 0) fillOwn(own ?? element, seats[reader], faces, own);
  const around = clockwise.map((seat) => seatOf(seat, faces));
  element.append(...around, make("section", { class: "middle drawn", role: "group", "aria-label": say("page.middle") }, ...middle.map((block) => BLOCKS[block.kind](block, faces))));
}

// Fill the page's own seat, or append one.
function fillOwn(element, seat, faces, own) {
  if (!own) return void element.append(seatOf(seat, faces));
  own.dataset.seat = seat.seat;
  own.querySelector(".head").replaceChildren(...headOf(seat));
  // The page shows the hand itself.
  const blocks = seat.blocks.filter(({ zone }) => zone !== "hand");
  own.classList.toggle("holds", blocks.length < seat.blocks.length);
  own.querySelector(".blocks").replaceChildren(...blocks.map((block) => BLOCKS[block.kind](block, faces)));
}

function seatOf(seat, faces) {
  const label = seat.you ? say("page.your_part") : say("page.part", { name: seat.name });
  return make(
    "section",
    { class: seat.you ? "seat you drawn" : "seat drawn", role: "group", "data-seat": seat.seat, "aria-label": label },
    make("div", { class: "head" }, ...headOf(seat)),
    make("div", { class: "blocks" }, ...seat.blocks.map((block) => BLOCKS[block.kind](block, faces))),
  );
}

function headOf({ name, you, points, gained, note, tag }) {
  return [
    make("span", { class: "name" }, you ? say("page.self", { name }) : name),
    ...(tag ? [make("span", { class: "tag", "data-stage": "points" }, tag)] : []),
    make("span", { class: "note", "data-stage": "points" }, note),
    ...(gained ? [make("span", { class: "gained", "data-stage": "points" }, signed(gained))] : []),
    make("b", { class: "points", "data-stage": "points", title: plural(points, "game.points") }, number(points)),
  ];
}

export const signed = (count) => (count > 0 ? `+${count}` : `−${-count}`);

const BLOCKS = { cards: cardsOf, emblems: emblemsOf, grid: gridOf, meter: meterOf, pile: pileOf };

function cardsOf({ zone, label, cards }, faces) {
  const row = make("div", { class: "cards" }, ...cards.map((card) => cardOf(card, faces)));
  row.style.setProperty("--cards", cards.length);
  const named = { role: "group", "aria-label": label || undefined };
  return make("div", { class: "zone", "data-zone": zone, ...(label ? named : {}) }, make("span", { class: "label", "aria-hidden": "true" }, label), row);
}

// A card; an empty place is not announced.
export function cardOf({ face, words, lit, faded }, faces) {
  const named = face === "slot" ? { "aria-hidden": "true" } : { role: "img", "aria-label": words, title: words };
  const kind = ["card", lit && "lit", faded && "faded"].filter(Boolean).join(" ");
  return make("span", { class: kind, "data-face": face, ...named }, face in faces ? picture(faces[face]) : "");
}

// A copy of a drawing, which is parsed once.
export function picture(svg) {
  if (!parsed.has(svg)) parsed.set(svg, drawing(svg));
  return parsed.get(svg).cloneNode(true);
}

// Only cells with something in them are made, so that empty rows and columns take no space.
function gridOf({ zone, cells, row_sums: rowSums = [], column_sums: columnSums = [] }, faces) {
  const grid = make("div", { class: "zone grid", "data-zone": zone });
  const rows = cells.length;
  const columns = cells[0]?.length ?? 0;
  const put = (element, row, column) => {
    element.style.gridArea = `${row + 1} / ${column + 1}`;
    grid.append(element);
  };
  cells.forEach((line, row) => line.forEach((card, column) => card && put(cellOf(card, faces), row, column)));
  rowSums.forEach((sum, row) => put(sumOf(sum), row, columns));
  columnSums.forEach((sum, column) => put(sumOf(sum), rows, column));
  grid.style.setProperty("--rows", rows);
  grid.style.setProperty("--columns", columns);
  return grid;
}

const sumOf = (sum) => make("b", { class: "sum", "data-stage": "points" }, sum);

function cellOf(card, faces) {
  if (!card.at) return make("span", { class: "cell" }, cardOf(card, faces));
  return make("span", { class: "cell spot", "data-row": card.at.row, "data-column": card.at.column });
}

function meterOf({ name, emblem, fill, count, goal, note, mark, lit, stage }) {
  const bar = make("span", { class: "bar", "data-stage": "count", "aria-hidden": "true" });
  for (const [property, value] of Object.entries({ count, goal, fill })) bar.style.setProperty(`--${property}`, value);
  return make(
    "div",
    { class: lit ? "meter lit" : "meter", "data-stage": stage, role: "group", "aria-label": name },
    make("span", { class: "emblem", "aria-hidden": "true" }, picture(emblem)),
    make("b", { class: "count", "data-stage": "count" }, String(count)),
    make("span", { class: "name" }, name),
    bar,
    make("span", { class: "note" }, note),
    ...(mark ? [make("span", { class: "mark", "data-stage": stage }, mark)] : []),
  );
}

function pileOf({ label, count }, faces) {
  const layers = Math.min(3, Math.ceil(count / 12));
  const cards = Array.from({ length: layers }, () => cardOf({ face: "back" }, faces));
  for (const card of cards) card.setAttribute("aria-hidden", "true");
  return make("div", { class: "pile" }, make("span", { class: "stack" }, ...cards, make("b", {}, String(count))), make("span", { class: "label" }, label));
}

function emblemsOf({ label, emblems }) {
  const pictures = emblems.map(({ svg, words, crossed }) => make("span", { class: crossed ? "emblem crossed" : "emblem", role: "img", "aria-label": words, title: words }, picture(svg)));
  return make("div", { class: "emblems" }, make("span", { class: "label" }, label), ...pictures);
}

// --- the table of the game ----------------------------------------------------------------

export function showTable({ position, choice, pending, revealing }) {
  if (!position || revealing) return; // the reveal draws the table
  const { text, scene, actions, you } = position;
  at("text").textContent = text;
  if (scene && differs("scene", scene, actions, you, language)) {
    drawScene(at("scene"), scene, { own: at("choose") });
    connect(actions);
  }
  showStates(position);
  const taken = choice ?? pending;
  for (const spot of at("scene").querySelectorAll(".spot[data-action]")) {
    const chosen = Number(spot.dataset.action) === taken?.action;
    spot.setAttribute("aria-pressed", chosen);
    spot.setAttribute("aria-disabled", !choosing());
  }
  for (const seat of at("scene").querySelectorAll(".seat")) seat.classList.toggle("chosen", Number(seat.dataset.action) === taken?.action);
}

// Say at each seat who is still choosing and who has asked for a new game.
function showStates({ you, players, waiting_for: waiting, ask_for_new: asks }) {
  for (const seat of at("scene").querySelectorAll(".seat")) {
    const place = Number(seat.dataset.seat);
    const name = seat.querySelector(".head > .name");
    if (!name) continue; // nothing has been drawn yet
    const notes = [];
    if (waiting.includes(place) && place !== you) notes.push(say("page.choice_missing"));
    if (asks.includes(place)) notes.push(say("page.new_game_wish"));
    name.title = players[place].person ? "" : players[place].name; // which agent plays
    seat.querySelector(".head > .state")?.remove();
    if (notes.length) name.after(make("span", { class: "state" }, notes.join(", ")));
  }
}

// Make the place of each legal action a button. Whole seats only add to the buttons that they have anyway.
function connect(actions) {
  for (const seat of at("scene").querySelectorAll("[data-action]")) delete seat.dataset.action;
  const keys = inTable(actions);
  at("choose").classList.toggle("placing", keys);
  actions.filter(spotOf).forEach((action, place) => {
    const spot = spotOf(action);
    spot.dataset.action = action.action;
    if (!spot.matches(".spot")) return;
    const key = keys ? keyOf(place) : undefined;
    const named = { type: "button", class: "cell spot", "aria-label": action.words, "data-key": key };
    const button = make("button", { ...named, onclick: () => press(action) }, keyCap(key));
    Object.assign(button.dataset, spot.dataset);
    button.style.gridArea = spot.style.gridArea;
    spot.replaceWith(button);
  });
}

at("scene")?.addEventListener("click", ({ target }) => {
  const seat = target.closest("button, a, #choices") ? null : target.closest(".seat[data-action]");
  const action = state.position?.actions.find((legal) => legal.action === Number(seat?.dataset.action));
  if (action) press(action);
});

// The place of an action on the table, matched by axis names; null if it has none. Actions count
// seats from one's own, scenes from player_0.
export function spotOf({ at: place }) {
  const { you, players } = state.position;
  const index = (axis) => (axis === "seat" ? (you + place[axis]) % players.length : place[axis]);
  const named = Object.keys(place).map((axis) => `[data-${axis}="${index(axis)}"]`);
  return named.length ? at("scene").querySelector(`.spot${named.join("")}, .seat${named.join("")}`) : null;
}

// Whether actions have distinct places on the table and need no other buttons.
export function inTable(actions) {
  return actions.length > 0 && actions.every((action) => Object.keys(action.at).length > 1 && spotOf(action));
}
