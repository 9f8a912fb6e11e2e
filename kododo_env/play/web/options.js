// Legal actions that do not differ by their cards: as buttons, by their axes.

import { at, differs, keyCap, keyOf, make } from "./dom.js";
import { byCards } from "./hand.js";
import { ruledOut } from "./memory.js";
import { inPicture } from "./picture.js";
import { language, say } from "./say.js";
import { choose, choosing } from "./state.js";

let taken = {}; // the chosen number of each axis, where axes are chosen one by one

export function showOptions({ position, choice, pending }) {
  if (!position) return;
  const { step, you, actions, hand } = position;
  if (differs("taken", step, you) || pending) taken = {};
  if (choice) taken = choice.at; // also after a hint or after taking back
  if (differs("options", actions, hand, language)) build(byCards(position) ? [] : actions, hand);
  for (const button of at("options").querySelectorAll("button")) {
    const { action, axis, number } = button.dataset;
    const place = axis ? { ...taken, [axis]: Number(number) } : position.actions.find((each) => each.action === Number(action)).at;
    const vain = button.classList.toggle("ruled-out", ruledOut(place, position));
    button.setAttribute("aria-description", vain ? say("memory.impossible") : "");
    button.setAttribute("aria-pressed", action ? Number(action) === choice?.action : Number(number) === taken[axis]);
    button.setAttribute("aria-disabled", !choosing());
  }
}

function build(actions, hand) {
  const kinds = [...new Set(actions.map((action) => action.kind))];
  const blocks = kinds.map((kind) => block(actions.filter((action) => action.kind === kind), hand));
  at("options").replaceChildren(...blocks);
  [...at("options").querySelectorAll("button")].slice(0, 10).forEach((button, place) => {
    button.dataset.key = keyOf(place);
    button.append(keyCap(keyOf(place)));
  });
}

// The actions of one kind: nothing if each has its place in the picture, which the panel would
// cover; one axis after another if every combination is legal; else one button each.
function block(actions, hand) {
  const axes = Object.keys(actions[0].at);
  if (inPicture(actions)) return "";
  const sizes = axes.map((axis) => numbersOf(axis, actions).length);
  const all = sizes.reduce((product, size) => product * size, 1) === actions.length;
  if (axes.length > 1 && all) return make("div", { class: "axes" }, ...axes.map((axis) => chips(axis, actions)));
  return make("div", { class: "buttons" }, ...actions.map((each) => button(each, short(each, hand))));
}

// The words without the cards, which are shown beside the button.
function short({ words, cards }, hand) {
  const left = cards.reduce((rest, place) => rest.replace(hand[place].words, ""), words);
  return left.replace(/\s+/g, " ").trim();
}

const numbersOf = (axis, actions) => [...new Set(actions.map((each) => each.at[axis]))].sort((one, other) => one - other);

function button(action, label) {
  const named = { title: action.words, "data-action": action.action };
  const made = { type: "button", class: "option", ...named, onclick: () => choose(action) };
  return make("button", made, make("span", {}, label));
}

// One axis of several: its numbers, labelled by the words that differ between them.
function chips(axis, actions) {
  const made = numbersOf(axis, actions).map((number) => {
    const take = () => {
      if (!choosing()) return;
      taken = { ...taken, [axis]: number };
      choose(actions.find((each) => matches(each.at)) ?? null);
    };
    const place = { "data-axis": axis, "data-number": number };
    const name = make("span", {}, nameOf(axis, number, actions));
    return make("button", { type: "button", class: "option", ...place, onclick: take }, name);
  });
  const label = make("span", { class: "axis" }, axisName(axis));
  return make("div", { class: "buttons", role: "group", "aria-label": axisName(axis) }, label, ...made);
}

const axisName = (axis) => say(`game.axis.${axis}`, {}, axis);

const matches = (place) => Object.entries(place).every(([axis, number]) => taken[axis] === number);

function nameOf(axis, number, actions) {
  const everywhere = commonWords(actions);
  const here = commonWords(actions.filter((each) => each.at[axis] === number));
  return here.filter((word) => !everywhere.includes(word)).join(" ") || `${axisName(axis)} ${number}`;
}

function commonWords(actions) {
  const all = actions.map((each) => each.words.split(" "));
  return all.reduce((one, other) => one.filter((word) => other.includes(word)));
}
