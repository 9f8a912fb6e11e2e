// A hint: a bar for each legal action, with a reason.

import { at, make } from "./dom.js";
import { sentence as phrase } from "./log.js";
import { pointing, unpoint } from "./mark.js";
import { why } from "./rules.js";
import { number, percent, say } from "./say.js";
import { choose, state } from "./state.js";

let current = null;
const SHORT = 6; // bars shown at first

export function showHint({ hint, choice }) {
  at("hint-box").hidden = !hint;
  if (!hint) {
    if (current) unpoint();
    current = null;
    return;
  }
  if (hint !== current) {
    current = hint;
    at("hint-by").textContent = say("hint.bot", { name: hint.by });
    at("hint-value").textContent = sentence(hint);
    at("hint-bars").classList.add("short");
    at("hint-bars").replaceChildren(...bars(hint));
    at("hint-rest").hidden = at("hint-bars").children.length <= SHORT;
  }
  for (const bar of at("hint-bars").querySelectorAll("[data-bar]")) {
    bar.setAttribute("aria-pressed", bar.dataset.bar === choice?.words);
  }
}

// The caption of the numbers: a win probability only if one was fitted to games.
function sentence({ by, chance, actions }) {
  const parts = { name: by, share: chance === undefined ? "" : small(chance) };
  const wins = parts.share && say("hint.win_share", parts);
  const valued = actions[0].probability === undefined;
  const bars = valued ? say("hint.values", parts) : say("hint.chances", parts);
  return `${wins} ${bars}`.trim();
}

function bars({ actions }) {
  const merged = merge(actions);
  const values = merged.map((action) => action.probability ?? action.value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  return merged.map((action, place) => {
    const chance = action.probability;
    const share = chance ?? (values[place] - low) / (high - low || 1);
    const words = chance === undefined ? number(values[place], 2) : small(chance);
    const bar = make("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", share);
    const legal = state.position.actions.find(({ action: number }) => number === action.action);
    const act = () => choose(legal ?? null);
    const attributes = { type: "button", "data-bar": action.words, onclick: act };
    const button = make("button", attributes, bar, make("span", {}, action.words), make("b", {}, words));
    const reason = telling(action, merged);
    const line = reason ? make("p", {}, phrase(reason, state.position?.you), " ", why(reason.rule, reason.text)) : "";
    return make("li", legal ? pointing(legal) : {}, button, line);
  });
}

// The reason that the fewest actions share; of equals the first.
function telling({ reasons }, actions) {
  const shared = ({ text }) => actions.filter((action) => action.reasons.some((reason) => reason.text === text)).length;
  return reasons.toSorted((first, second) => shared(first) - shared(second))[0];
}

// Actions with the same words are merged, such as laying either of two equal cards.
function merge(actions) {
  const byWords = new Map();
  for (const action of actions) {
    const first = byWords.get(action.words);
    if (!first) byWords.set(action.words, { ...action });
    else if (action.probability !== undefined) first.probability += action.probability;
  }
  return inOrder([...byWords.values()]);
}

// The likeliest first; near-ties keep the order of the list.
function inOrder(actions) {
  const likeliest = Math.max(...actions.map(chance));
  const first = actions.findIndex((action) => chance(action) >= likeliest * (1 - 1e-4));
  return actions.length ? [actions[first], ...inOrder(actions.filter((_, place) => place !== first))] : [];
}

const chance = ({ probability }) => probability ?? 0;

const small = (chance) => (chance > 0 && chance < 0.005 ? `< ${percent(0.01)}` : percent(chance));

at("hint-rest").addEventListener("click", () => {
  at("hint-bars").classList.remove("short");
  at("hint-rest").hidden = true;
});
