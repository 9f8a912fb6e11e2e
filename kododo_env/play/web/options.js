// Legal actions that do not differ by their cards: as buttons, by their axes.

import { at, differs, keyCap, keyOf, make } from "./dom.js";
import { byCards } from "./hand.js";
import { ruledOut } from "./memory.js";
import { language, say } from "./say.js";
import { choose, choosing, press } from "./state.js";
import { inTable } from "./table.js";

let picks = {}; // the chosen number of each axis, where axes are chosen one by one

export function showOptions({ position, choice, pending }) {
  if (!position) return;
  const { step, you, actions } = position;
  const isNew = differs("picks", step, you);
  if (isNew || pending) picks = {};
  at("options").classList.toggle("used", !actions.length);
  if (!isNew && !actions.length) return; // the table keeps its size until the next step
  if (choice) picks = choice.at; // also after a hint or after taking back
  if (differs("options", actions, language)) build(byCards(position) ? [] : actions);
  for (const button of at("options").querySelectorAll("button")) {
    const { action, axis, number } = button.dataset;
    const place = axis ? { ...picks, [axis]: Number(number) } : position.actions.find((legal) => legal.action === Number(action)).at;
    const vain = button.classList.toggle("ruled-out", ruledOut(place, position));
    button.setAttribute("aria-description", vain ? say("memory.impossible") : "");
    button.setAttribute("aria-pressed", action ? Number(action) === choice?.action : Number(number) === picks[axis]);
    button.setAttribute("aria-disabled", !choosing());
  }
}

function build(actions) {
  const kinds = [...new Set(actions.map((action) => action.kind))];
  const blocks = kinds.map((kind) => block(actions.filter((action) => action.kind === kind)));
  at("options").replaceChildren(...blocks);
  [...at("options").querySelectorAll("button")].slice(0, 10).forEach((button, place) => {
    button.dataset.key = keyOf(place);
    button.append(keyCap(keyOf(place)));
  });
}

// The actions of one kind: nothing if each has its place on the table;
// one axis after another if every combination is legal; else one button each.
function block(actions) {
  const axes = Object.keys(actions[0].at);
  if (inTable(actions)) return "";
  const sizes = axes.map((axis) => numbersOf(axis, actions).length);
  const all = sizes.reduce((product, size) => product * size, 1) === actions.length;
  if (axes.length > 1 && all) return make("div", { class: "axes" }, ...axes.map((axis) => chips(axis, actions)));
  return make("div", { class: "buttons" }, ...actions.map(button));
}

const numbersOf = (axis, actions) => [...new Set(actions.map((action) => action.at[axis]))].sort((first, second) => first - second);

// The label is without the cards, which are shown beside the button.
function button(action) {
  const names = { title: action.words, "data-action": action.action };
  const attributes = { type: "button", class: "option", ...names, onclick: () => press(action) };
  return make("button", attributes, make("span", {}, action.label));
}

// One axis of several: a button for each of its numbers.
function chips(axis, actions) {
  const buttons = numbersOf(axis, actions).map((number) => {
    const pick = () => {
      if (!choosing()) return;
      picks = { ...picks, [axis]: number };
      choose(actions.find((action) => matches(action.at)) ?? null);
    };
    const place = { "data-axis": axis, "data-number": number };
    const { labels } = actions.find((action) => action.at[axis] === number);
    return make("button", { type: "button", class: "option", ...place, onclick: pick }, make("span", {}, labels[axis]));
  });
  const label = make("span", { class: "axis" }, axisName(axis));
  return make("div", { class: "buttons", role: "group", "aria-label": axisName(axis) }, label, ...buttons);
}

const axisName = (axis) => say(`game.axis.${axis}`, {}, axis);

const matches = (place) => Object.entries(place).every(([axis, number]) => picks[axis] === number);
