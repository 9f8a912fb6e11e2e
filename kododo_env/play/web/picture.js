// The picture of the table: drawn by the core, made clickable here.

import { at, differs, drawing, keyOf } from "./dom.js";
import { skip } from "./pace.js";
import { cut } from "./parts.js";
import { language, say } from "./say.js";
import { choose, choosing, state } from "./state.js";

let before = new Map(); // how many cards of each kind were on the table in the last picture

export function showPicture({ position }) {
  if (!position || state.replay) return;
  const { text, picture, actions, you, over, players } = position;
  at("text").textContent = text;
  if (differs("picture", picture, actions, you, over, players, language)) {
    if (picture) draw(at("picture"), picture, { viewer: you, hands: over, players });
    connectSpots(position);
    // Mark the place of one's choice while others have still to choose.
    if (state.pending) spotOf(state.pending)?.classList.add("taken");
  }
  for (const spot of at("picture").querySelectorAll("[data-action]")) {
    const chosen = Number(spot.dataset.action) === (state.choice ?? state.pending)?.action;
    spot.setAttribute("aria-pressed", chosen);
  }
}

// Draw a picture into an element, split into parts.
export function draw(element, text, view) {
  // Ids are made unique, since there may be two pictures on the page.
  const svg = drawing(text.replace(/(id="|url\(#)/g, `$1${element.id}-`));
  const counts = turnOver(svg);
  element.replaceChildren(svg);
  cut(element, view);
  for (const svg of element.querySelectorAll("svg:not([aria-label])")) svg.setAttribute("aria-label", nameOf(svg, view));
  before = counts;
}

// Mark the cards on the table that are new, so that only these are revealed. A card is
// identified by its player and its short form; a pale one is from the last round.
function turnOver(svg) {
  const remaining = new Map(before);
  const counts = new Map();
  const take = (key) => remaining.get(key) > 0 && remaining.set(key, remaining.get(key) - 1);
  for (const card of svg.querySelectorAll(".laid")) {
    const name = `${card.closest(".part").dataset.seat} ${card.dataset.card}`;
    const pale = card.querySelector("[opacity]") ? `${name} pale` : "";
    if (!take(name) && !take(pale)) card.classList.add("turned");
    counts.set(pale || name, (counts.get(pale || name) ?? 0) + 1);
  }
  return counts;
}

// After the cards, reveal the count, its evaluation and the points in turn; a tap or a key skips.
export function reveal() {
  at("game").classList.remove("revealing");
  void at("game").offsetWidth; // restarts the animation
  at("game").classList.add("revealing");
}

for (const event of ["pointerdown", "keydown"]) {
  document.addEventListener(event, () => {
    at("game").classList.remove("revealing");
    skip();
  });
}

// Make the place of each legal action in the picture a button.
function connectSpots({ actions }) {
  const picture = at("picture");
  const keys = inPicture(actions);
  actions.filter(spotOf).forEach((action, place) => makeButton(spotOf(action), action, keys && keyOf(place)));
  for (const svg of picture.querySelectorAll("svg")) {
    svg.setAttribute("role", svg.querySelector("[data-action]") ? "group" : "img");
  }
}

// Write the keyboard key into a place.
function addKey(spot, key) {
  const { x, y, width, height } = spot.getBBox();
  const cap = document.createElementNS(spot.namespaceURI, "text");
  for (const [name, value] of Object.entries({ class: "key", x: x + width / 2, y: y + height / 2, "aria-hidden": true })) {
    cap.setAttribute(name, value);
  }
  cap.append(key);
  spot.append(cap);
  spot.dataset.key = key;
}

// The place of an action in the picture, matched by axis names; null if it has none. Actions count
// seats from one's own, pictures from player_0.
export function spotOf({ at: place }) {
  const { you, players } = state.position;
  const number = (axis) => (axis === "seat" ? (you + place[axis]) % players.length : place[axis]);
  const named = Object.keys(place).map((axis) => `[data-${axis}="${number(axis)}"]`);
  return named.length ? at("picture").querySelector(named.join("")) : null;
}

// Whether actions have distinct places in the picture and need no other buttons.
export function inPicture(actions) {
  return actions.every((action) => Object.keys(action.at).length > 1 && spotOf(action));
}

function nameOf(svg, { viewer, players }) {
  const seat = svg.querySelector(".part")?.dataset.seat;
  if (seat === undefined) return say("page.middle");
  return Number(seat) === viewer ? say("page.your_part") : say("page.part", { name: players?.[seat].called ?? `player_${seat}` });
}

function makeButton(spot, action, key) {
  spot.dataset.action = action.action;
  if (key) addKey(spot, key);
  spot.setAttribute("role", "button");
  spot.setAttribute("tabindex", "0");
  spot.setAttribute("aria-label", action.words);
  const press = () => choosing() && choose(action);
  spot.addEventListener("click", press);
  spot.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    if (event.key === "Enter" && state.choice?.action === action.action) return; // Enter plays it
    event.preventDefault();
    event.stopPropagation();
    press();
  });
}
