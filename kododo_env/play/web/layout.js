// The layout: wide pages have the news beside the table, others between the seats, where the eyes are.

import { at } from "./dom.js";

// The same widths are in page.css.
export const stacked = matchMedia("(orientation: portrait), (max-width: 899px)");

function arrange() {
  if (stacked.matches) {
    at("scene").append(at("news"));
    at("choose").append(at("hint-box"));
    at("replay-controls").prepend(at("replay-story-box"));
  } else {
    at("beside").prepend(at("news"), at("hint-box"));
    at("replay-beside").prepend(at("replay-story-box"));
  }
}

stacked.addEventListener("change", arrange);
arrange();
