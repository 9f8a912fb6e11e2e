// What a page does otherwise where it has little width; page.css has the same two widths.

import { at } from "./dom.js";

export const narrow = matchMedia("(max-width: 700px)"); // the picture lies there in parts
const stacked = matchMedia("(max-width: 1000px)"); // there is nothing beside the table

// Beside the table there is room for a hint and for what has happened; below it they come with
// one's own choice, which is always in sight.
function arrange() {
  const [hint, story] = [at("hint-box"), at("story-box")];
  if (stacked.matches) at("choose").prepend(hint, story);
  else at("beside").append(hint, story);
}

stacked.addEventListener("change", arrange);
arrange();
