// Keyboard shortcuts: numbers for cards and buttons, letters for other commands.

import { at } from "./dom.js";
import { settings } from "./settings.js";

const LETTERS = { h: "hint", n: "new", s: "settings", u: "take-back", "?": "help", "/": "typed-line" };
const REPLAY = { ArrowLeft: "back", ArrowRight: "next", p: "play", Escape: "close" };
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 };

export let tabbing = false; // whether the person navigates by the keyboard
document.addEventListener("pointerdown", () => (tabbing = false));

document.addEventListener("keydown", (event) => {
  if (event.key === "Tab") tabbing = true;
  if (settings.keys === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || event.target.closest("select, textarea, #typed-line")) return;
  const replaying = at("game").hidden;
  if (!replaying && ARROWS[event.key]) return void walk(event);
  const { target } = event;
  const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
  const pressed = replaying ? findInReplay({ key }) : find({ key, target });
  if (!pressed) return;
  event.preventDefault();
  pressed.dispatchEvent(new MouseEvent("click", { bubbles: true })); // SVG elements have no click()
});

// Move from one card or button to the next.
function walk({ key, target }) {
  const all = [...at("choices").querySelectorAll("button")].filter((button) => button.checkVisibility());
  const next = all[all.indexOf(target) + ARROWS[key]];
  if (all.includes(target)) next?.focus();
}

function find({ key, target }) {
  if (/^\d$/.test(key)) return at("game").querySelector(`[data-key="${key}"]`);
  // Enter on a focused button presses it; on a chosen card or action it plays the choice.
  const idle = !tabbing || !target.closest("button, a, summary, [role=button]");
  if (key === "Enter") return idle || target.getAttribute("aria-pressed") === "true" ? visible(at("play")) : null;
  return visible(at(LETTERS[key] ?? ""));
}

function findInReplay({ key }) {
  return visible(at(`replay-${REPLAY[key]}`) ?? at(LETTERS[key] ?? ""));
}

const visible = (button) => (button?.checkVisibility() && !button.disabled ? button : null);
