// A chart of a probability after each step as a line, with its interval as a band.

import { percent, say } from "./say.js";

const SVG = "http://www.w3.org/2000/svg";
// Pixels: total height and margins.
const HEIGHT = 220;
const LEFT = 46;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 40;

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// `chances` has mean, low and high after the deal and after each step; `choices` are marked before their step.
export function chart(chances, choices, width) {
  const last = chances.length - 1;
  const x = (step) => LEFT + (step / last) * (width - LEFT - RIGHT);
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const path = (points) => `M${points.map(([step, share]) => `${x(step).toFixed(1)} ${y(share).toFixed(1)}`).join("L")}`;
  const [means, lows, highs] = [0, 1, 2].map((bound) => chances.map((chance, step) => [step, chance[bound]]));
  const text = (words, attributes) => draw("text", attributes, words);
  const across = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    draw("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share) }),
    text(percent(share), { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }),
  ]);
  const every = Math.ceil(last / Math.max(2, Math.floor((width - LEFT) / 60)));
  const below = chances.map((_, step) => step).filter((step) => step % every === 0)
    .map((step) => text(String(step), { x: x(step), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }));
  const marks = choices.flatMap(({ step }, place) => [
    draw("circle", { class: "mark", cx: x(step - 1), cy: y(chances[step - 1][0]), r: 9 }),
    text(String(place + 1), { class: "mark", x: x(step - 1), y: y(chances[step - 1][0]) + 4, "text-anchor": "middle" }),
  ]);
  return draw(
    "svg",
    { width, height: HEIGHT, role: "img", "aria-label": spoken(chances) },
    ...across,
    ...below,
    text(say("review.chart_axis"), { x: (LEFT + width) / 2, y: HEIGHT - 6, "text-anchor": "middle" }),
    draw("path", { class: "band", d: `${path([...lows, ...highs.reverse()])}Z` }),
    draw("path", { class: "line", d: path(means) }),
    ...marks,
  );
}

function spoken(chances) {
  const means = chances.map(([mean]) => mean);
  const [first, last, highest, lowest] = [means[0], means.at(-1), Math.max(...means), Math.min(...means)].map(percent);
  return say("review.chart_text", { first, last, most: highest, least: lowest });
}
