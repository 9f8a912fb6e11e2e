// After a game: the win probability after each step, and the costliest choices.

import { againButton } from "./again.js";
import { chart } from "./chart.js";
import { at, make } from "./dom.js";
import { language, number, percent, say } from "./say.js";
import { state } from "./state.js";
import { drawScene } from "./table.js";

let analysis = null; // the analysis of the finished game
let current = null; // the analysis on display
let currentStep = null; // the current position's step
let spoken = null; // the language of the analysis

// Handle the table's messages about the analysis.
export const saysOfGame = {
  analysing: ({ step, share }) => step === currentStep && progress(share),
  analysis: (message) => {
    if (message.step === currentStep) analysis = message;
    show();
  },
};

// `ask` requests the analysis. The table continues it in the background.
export function onLookBack(ask) {
  at("look-back").addEventListener("click", () => {
    at("look-back-dialog").showModal();
    if (analysis) return show();
    progress(0);
    ask();
  });
}

export function showLookBack({ position }) {
  at("look-back").hidden = !position?.hints;
  if (!position || (position.step === currentStep && language === spoken)) return;
  currentStep = position.step;
  spoken = language;
  analysis = current = null;
  at("look-back-found").replaceChildren();
  at("look-back-dialog").close();
}

function progress(share) {
  at("look-back-work").hidden = false;
  at("look-back-share").value = share;
  at("look-back-percent").textContent = percent(share);
}

function show() {
  if (!analysis || analysis === current || !at("look-back-dialog").open) return;
  current = analysis;
  at("look-back-work").hidden = true;
  at("look-back-found").replaceChildren(
    make("p", {}, say("review.basis", { name: analysis.by })),
    graph(),
    make("h3", {}, analysis.choices.length ? say("review.title") : say("review.none")),
    ...analysis.choices.map(article),
    make("p", { class: "sure" }, certainty()),
  );
  at("look-back-dialog").scrollTop = 0;
}

function graph() {
  const held = make("div", { id: "look-back-chart" });
  const redraw = () => held.clientWidth && held.replaceChildren(chart(analysis.chances, analysis.choices, held.clientWidth));
  new ResizeObserver(redraw).observe(held);
  const rows = analysis.chances.map((chance, step) => make("tr", {}, make("th", { scope: "row" }, step ? say("review.chart_step", { step }) : say("review.deal")), make("td", {}, words(chance))));
  const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, say("review.after")), make("th", { scope: "col" }, say("review.chance"))));
  const table = make("details", {}, make("summary", {}, say("review.chance_table")), make("table", {}, head, make("tbody", {}, ...rows)));
  return make("figure", {}, make("figcaption", {}, say("review.chart_title")), held, table);
}

function article({ step, to, words: played, advised_words: advised, gain, low, high, scene }, place) {
  const table = make("div", { class: "felt" }, make("div"));
  if (scene) drawScene(table.firstElementChild, scene);
  return make(
    "article",
    { "aria-label": say("review.choice", { n: place + 1 }) },
    make("h4", {}, make("span", { class: "number" }, String(place + 1)), " ", say("review.step", { step, choice: played })),
    make("p", {}, make("b", {}, say("review.advice", { name: analysis.by, choice: advised })), " ", say("review.gain", { gain: games(gain), low: games(low), high: games(high) })),
    table,
    ...(canGoBack() ? [againButton(to)] : []),
  );
}

const canGoBack = () => state.position.log.some(({ again }) => again);

function certainty() {
  return [
    say("review.worlds", { n: analysis.worlds, name: analysis.by }),
    say("review.interval"),
    say("review.model"),
  ].join(" ");
}

const words = (chance) => {
  const [mean, low, high] = chance.map(percent);
  return say("review.range", { mean, low, high });
};
const games = (share) => number(100 * share, 1);
