// The player's own cards: to look at, and to choose from where actions play different cards.

import { at, differs, keyCap, keyOf, make } from "./dom.js";
import { plural } from "./say.js";
import { change, choose, choosing, state } from "./state.js";
import { picture } from "./table.js";

let picked = []; // positions in the hand, in the order of picking

// Whether the player chooses by cards: all legal actions play cards, and not all the same.
export function byCards({ actions }) {
  const played = new Set(actions.map((action) => action.cards.join()));
  return played.size > 1 && actions.every((action) => action.cards.length);
}

export function showHand({ position, choice, pending, revealing }) {
  if (!position) return;
  const pick = byCards(position) || Boolean(pending?.byCards);
  if (differs("picked", position.step, position.you) || pending) picked = [];
  if (differs("hand", position.hand, pick)) {
    const cards = position.hand.map((card, place) => (pick ? cardToPick(card, place) : cardToSee(card)));
    at("hand").replaceChildren(...cards);
    at("hand").style.setProperty("--cards", cards.length);
  }
  if (!pick) return;
  if (choice && !equal(picked, choice.cards, position)) picked = [...choice.cards];
  [...at("hand").children].forEach((button, place) => {
    const down = Boolean(pending?.cards.includes(place));
    button.classList.toggle("down", down);
    button.classList.toggle("laid", down && revealing);
    button.setAttribute("aria-pressed", picked.includes(place) || down);
    button.setAttribute("aria-disabled", !choosing());
  });
}

function face(card) {
  return make("span", { class: "face", "aria-hidden": "true" }, card.picture ? picture(card.picture) : card.words);
}

const kindOf = ({ lit }) => (lit ? "card lit" : "card");

function cardToSee(card) {
  return make("span", { class: kindOf(card), role: "img", "aria-label": card.words, title: card.words }, face(card));
}

function cardToPick(card, place) {
  const named = { "aria-label": card.words, title: card.words, "data-key": keyOf(place) };
  return make(
    "button",
    { class: kindOf(card), type: "button", ...named, onclick: () => pick(place) },
    make("span", { class: "turning" }, face(card), make("span", { class: "back", "aria-hidden": "true" })),
    keyCap(keyOf(place)),
  );
}

function pick(place) {
  if (!choosing()) return;
  const { position } = state;
  if (state.choice?.cards.includes(place)) return at("play").click(); // a second tap plays what is chosen
  picked = picked.includes(place) ? picked.filter((index) => index !== place) : [...picked, place];
  // If no action has all picked cards, the one picked first is dropped.
  while (!position.actions.some((action) => within(picked, action.cards, position))) picked.shift();
  const fitting = position.actions.filter((action) => equal(picked, action.cards, position));
  const choice = fitting.find((action) => picked.every((index) => action.cards.includes(index))) ?? fitting[0];
  if (choice) choose({ ...choice, cards: [...picked] });
  else change({ choice: null, notice: "" });
}

// Equal cards are interchangeable, so cards are compared by their words.
const words = (places, { hand }) => places.map((place) => hand[place].words).sort();

function equal(places, otherPlaces, position) {
  return words(places, position).join("|") === words(otherPlaces, position).join("|");
}

function within(places, otherPlaces, position) {
  const remaining = words(otherPlaces, position);
  return words(places, position).every((card) => {
    const place = remaining.indexOf(card);
    if (place >= 0) remaining.splice(place, 1);
    return place >= 0;
  });
}

// What to pick, in words.
export function task({ actions }) {
  const count = Math.max(...actions.map((action) => action.cards.length));
  return plural(count, "page.choose_cards");
}
