// The layout: wide pages have everything beside the table, others in a panel below it.

import { at } from "./dom.js";

// The same widths are in page.css.
export const stacked = matchMedia("(orientation: portrait), (max-width: 599px)");

// The panel has the player's own choice, always visible, and the hint; when folded it shows the latest
// news. Older steps are below everything else.
function arrange() {
  const [hint, story, log, replayStory] = ["hint-box", "story-box", "log-box", "replay-story-box"].map(at);
  if (stacked.matches) {
    at("choose").prepend(hint, story);
    at("beside").append(log);
    at("replay-controls").prepend(replayStory);
  } else {
    at("beside").prepend(hint, story);
    story.append(log);
    at("replay-beside").prepend(replayStory);
  }
}

let timer = null;

// Fold the panel to show the whole table, or unfold it.
function fold(folded) {
  clearTimeout(timer);
  at("choose").classList.toggle("folded", folded);
  at("fold").setAttribute("aria-expanded", !folded);
}

// Keep the panel folded while cards are revealed.
export function foldFor(milliseconds) {
  if (!milliseconds) return;
  fold(true);
  if (stacked.matches) window.scrollTo(0, 0);
  timer = setTimeout(() => fold(false), milliseconds);
}

// Unfold for a choice made by a key or in the picture, so that it can be played at once.
export function unfold({ choice }) {
  if (choice) fold(false);
}

at("fold").addEventListener("click", () => fold(!at("choose").classList.contains("folded")));
stacked.addEventListener("change", arrange);
arrange();
