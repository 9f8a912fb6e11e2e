// Marks on the table: what an action is about.

import { at } from "./dom.js";
import { spotOf } from "./table.js";

// Mark with a class the cards that actions play, their places on the table, and their buttons. Nothing else keeps the class.
export function mark(name, actions) {
  for (const element of document.querySelectorAll(`.${name}`)) element.classList.remove(name);
  for (const element of actions.flatMap(elementsOf)) element?.classList.add(name);
}

// The listeners of a line about an action: what it is about is marked while the line is hovered or focused.
export function pointing(action) {
  const point = () => mark("pointed", [action]);
  return { onmouseenter: point, onfocusin: point, onmouseleave: unpoint, onfocusout: unpoint };
}

export const unpoint = () => mark("pointed", []);

function elementsOf({ action, cards, at: place }) {
  const hand = at("hand") ?? at("scene").querySelector(".you [data-zone=hand] .cards");
  const axes = Object.entries(place).map(([axis, number]) => at("options")?.querySelector(`[data-axis="${axis}"][data-number="${number}"]`));
  const buttons = document.querySelectorAll(`#game [data-action="${action}"]`);
  return [...cards.map((card) => hand?.children[card]), ...axes, ...buttons, spotOf({ at: place })];
}
