// Where things lie: on a page that is wide beside the table, on one that is not in a panel below it.

import { at } from "./dom.js";

// page.css has the same widths.
export const stacked = matchMedia("(orientation: portrait), (max-width: 599px)");

// The panel has one's own choice, which is always in sight, and the hint; folded it has what has
// just happened. The other steps lie behind all else.
function arrange() {
  const [hint, story, log, told] = ["hint-box", "story-box", "log-box", "replay-story-box"].map(at);
  if (stacked.matches) {
    at("choose").prepend(hint, story);
    at("beside").append(log);
    at("replay-controls").prepend(told);
  } else {
    at("beside").prepend(hint, story);
    story.append(log);
    at("replay-beside").prepend(told);
  }
}

let timer = null;

// Fold the panel, so that the whole table can be seen, or unfold it.
function fold(folded) {
  clearTimeout(timer);
  at("choose").classList.toggle("folded", folded);
  at("fold").setAttribute("aria-expanded", !folded);
}

// Keep the panel folded while cards are turned over.
export function foldFor(milliseconds) {
  if (!milliseconds) return;
  fold(true);
  if (stacked.matches) window.scrollTo(0, 0);
  timer = setTimeout(() => fold(false), milliseconds);
}

// A choice that is made by a key or in the picture can be played at once.
export function unfold({ choice }) {
  if (choice) fold(false);
}

at("fold").addEventListener("click", () => fold(!at("choose").classList.contains("folded")));
stacked.addEventListener("change", arrange);
arrange();
