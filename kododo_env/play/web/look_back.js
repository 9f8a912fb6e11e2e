// After a game: the chance to win after each step, and the choices that cost most.

import { againButton } from "./again.js";
import { chart } from "./chart.js";
import { at, make } from "./dom.js";
import { draw } from "./picture.js";
import { state } from "./state.js";

let found = null; // the analysis of the game that is over
let shown = null; // the one that can be seen
let here = null; // the step of the position that is shown

// What the table says of it.
export const saysOfGame = {
  analysing: ({ step, share }) => step === here && progress(share),
  analysis: (message) => {
    if (message.step === here) found = message;
    show();
  },
};

// `ask` is to ask the table for it. The table goes on with it while the person does something else.
export function onLookBack(ask) {
  at("look-back").addEventListener("click", () => {
    at("look-back-dialog").showModal();
    if (found) return show();
    progress(0);
    ask();
  });
}

export function showLookBack({ position }) {
  at("look-back").hidden = !position?.hints;
  if (!position || position.step === here) return;
  here = position.step;
  found = shown = null;
  at("look-back-found").replaceChildren();
  at("look-back-dialog").close();
}

function progress(share) {
  at("look-back-work").hidden = false;
  at("look-back-share").value = share;
  at("look-back-percent").textContent = `${Math.round(100 * share)} %`;
}

function show() {
  // Parts of a picture are measured, which they can only be where they are seen.
  if (!found || found === shown || !at("look-back-dialog").open) return;
  shown = found;
  at("look-back-work").hidden = true;
  const { you } = state.position;
  const pictures = found.choices.map((choice, place) => [make("div", { id: `look-back-${place}`, class: "picture" }), choice]);
  at("look-back-found").replaceChildren(
    make("p", {}, `What ${found.by} says of it. It judges by what you knew then, not by cards that you could not see.`),
    graph(),
    make("h3", {}, found.choices.length ? "What cost most" : "No choice of yours surely cost anything."),
    ...pictures.map(([picture, choice], place) => told(picture, choice, place)),
    make("p", { class: "sure" }, certainty()),
  );
  for (const [picture, choice] of pictures) if (choice.picture) draw(picture, choice.picture, { own: you, hands: "own", players: state.position.players });
  at("look-back-dialog").scrollTop = 0;
}

function graph() {
  const held = make("div", { id: "look-back-chart" });
  const redraw = () => held.clientWidth && held.replaceChildren(chart(found.chances, found.choices, held.clientWidth));
  new ResizeObserver(redraw).observe(held);
  const rows = found.chances.map((each, step) => make("tr", {}, make("th", { scope: "row" }, step ? `step ${step}` : "the deal"), make("td", {}, words(each))));
  const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "after"), make("th", { scope: "col" }, "chance to win")));
  const table = make("details", {}, make("summary", {}, "The chances as a table"), make("table", {}, head, make("tbody", {}, ...rows)));
  return make("figure", {}, make("figcaption", {}, "Your chance to win after each step"), held, table);
}

function told(picture, { step, to, words: played, advised_words: advised, gain, low, high, text }, place) {
  const more = `${games(gain)} games of 100 more (${games(low)} to ${games(high)})`;
  return make(
    "article",
    { "aria-label": `choice ${place + 1}` },
    make("h4", {}, make("span", { class: "number" }, String(place + 1)), ` Step ${step}: ${played}`),
    make("p", {}, `${found.by}: `, make("b", {}, advised), `. That would have won ${more}.`),
    picture,
    make("details", {}, make("summary", {}, "The table as text"), make("pre", { tabindex: 0 }, text)),
    ...(canGoBack() ? [againButton(to)] : []),
  );
}

const canGoBack = () => state.position.log.some(({ again }) => again);

function certainty() {
  return `The hidden cards were dealt again in ${found.worlds} ways that agree with what you knew, and ${found.by} played all seats on from there; `
    + "for the choices above in four times as many others. In brackets, and as the band of the picture: where the number lies in 95 of 100 such tries. "
    + "A choice is told only if all of that is a loss. Where a game was not played to its end, a model guessed the rest: it is often "
    + "wrong by one in a hundred, at times by five. And whether the adviser itself is right, nobody says.";
}

const percent = (share) => Math.round(100 * share);
const words = ([mean, low, high]) => `${percent(mean)} % (${percent(low)} to ${percent(high)})`;
const games = (share) => (100 * share).toFixed(1);
