// A picture split into parts, as large as possible with all of them visible.

import { make } from "./dom.js";
import { stacked } from "./layout.js";

const WIDTH = 900; // of a whole picture
const GAP = 6; // between parts, as in page.css
const EDGE = 3; // around each
const LARGEST = 1.5;
const SMALLEST = 0.34;
const LEAST = 9.2; // pixels: the smallest font size
const READABLE = 0.6; // below this scale one's own cards may overlap the table's lower end
// Heights of panels; REST: without a panel.
const REPLAY = 250;
const PANEL = 216;
const FOLDED = 70;
const REST = 16;

const laid = new Map(); // by element: its parts and the viewer's seat

// Split the picture in an element into parts: with all hands, one's "own", or none if it is shown beside.
export function cut(element, { viewer, hands }) {
  const svg = element.firstElementChild;
  const stays = (hand) => hands && hand.querySelector("rect") && (hands !== "own" || Number(hand.closest(".part").dataset.seat) === viewer);
  for (const hand of svg.querySelectorAll(".hand")) if (!stays(hand)) takeAway(hand);
  const boxes = [...svg.querySelectorAll(".part")].map((part) => ({ part, box: part.getBBox() }));
  const parts = boxes.filter(({ box }) => box.width > 0).map(({ part, box }) => alone(svg, part, box));
  laid.set(element, { parts, viewer });
  if (parts.length) arrange(element);
}

// Close the gap of a hand: everything below moves up, and its tray shrinks by as much.
function takeAway(hand) {
  const height = Number(hand.dataset.height);
  const below = document.createElementNS(hand.namespaceURI, "g");
  below.setAttribute("transform", `translate(0 ${-height})`);
  while (hand.nextSibling) below.append(hand.nextSibling);
  const tray = hand.closest(".part").querySelector("rect");
  tray.setAttribute("height", Number(tray.getAttribute("height")) - height);
  hand.replaceWith(below);
}

function alone(svg, part, box) {
  const element = svg.cloneNode(false);
  const width = box.width + 2 * EDGE;
  const height = box.height + 2 * EDGE;
  element.setAttribute("viewBox", [box.x - EDGE, box.y - EDGE, width, height].join(" "));
  for (const name of ["width", "height", "aria-label"]) element.removeAttribute(name);
  element.append(part);
  return { element, width, height, y: box.y, seat: part.dataset.seat === undefined ? null : Number(part.dataset.seat) };
}

// Set the order and the size of the parts.
function arrange(element) {
  const { parts, viewer } = laid.get(element);
  const width = element.clientWidth - 2 * GAP;
  const sized = (parts) => {
    const middle = ofMiddle(parts.filter(({ seat }) => seat === null), width);
    const scales = (scale) => (part) => (part.seat === null ? middle : scale);
    const groups = inGroups(parts, viewer);
    const scale = best(groups, width, scales, element.closest("main")?.offsetTop ?? 0, viewer);
    return { groups, scale, scaleOf: scales(scale) };
  };
  const all = sized(parts);
  const fewer = sized(parts.slice(1));
  // The first part repeats the page's header.
  const { groups, scaleOf } = all.scale < READABLE && fewer.scale > all.scale ? fewer : all;
  for (const part of parts) part.element.style.width = `${fitted(part, scaleOf, width)}px`;
  element.replaceChildren(...groups.map((group) => make("div", { class: "parts" }, ...group.map(({ element }) => element))));
  for (const part of parts) enlarge(part, fitted(part, scaleOf, width) / part.width);
}

// Enlarge words, and tags with them, that would be too small; those that would then overlap others are hidden,
// since the page repeats them beside the picture. Words on cards stay as they are.
function enlarge({ element }, scale) {
  const all = element.getBoundingClientRect();
  for (const text of element.querySelectorAll("text")) {
    const size = Number(text.getAttribute("font-size"));
    if (!size || (text.closest("[transform]") && !text.hasAttribute("transform"))) continue;
    const badge = text.closest(".badge");
    const times = Math.max(1, LEAST / (size * scale));
    if (badge) badge.style.transform = times > 1 ? `scale(${times})` : "";
    else text.style.fontSize = times > 1 ? `${size * times}px` : "";
    text.style.visibility = text.style.translate = "";
    const fits = all.width / text.getBoundingClientRect().width;
    if (times > 1 && fits < 1) text.style.fontSize = `${size * times * fits}px`;
    const box = text.getBoundingClientRect();
    text.style.translate = `${(Math.max(0, all.left - box.left) - Math.max(0, box.right - all.right)) / scale}px`;
  }
  const words = [...element.querySelectorAll("text[text-anchor=end]:not([font-weight])")];
  const obstacles = [...element.querySelectorAll("text:not([text-anchor]), .badge")];
  for (const note of words) note.style.visibility = obstacles.some((element) => apart(element, note) < 0) ? "hidden" : "";
}

// The distance to the nearest element on the left of a text.
function apart(left, right) {
  const [first, second] = [left, right].map((element) => element.getBoundingClientRect());
  return first.top < second.bottom && second.top < first.bottom ? second.left - first.right : 0;
}

// Order the parts around the table; or the middle first and oneself last, beside one's own cards.
function inGroups(parts, viewer) {
  const middle = parts.filter(({ seat }) => seat === null);
  const seats = parts.filter(({ seat }) => seat !== null);
  const isAbove = ({ y }) => y < Math.min(...middle.map((part) => part.y));
  if (!stacked.matches) return [seats.filter(isAbove), middle, seats.filter((part) => !isAbove(part))].map(inOrder);
  return [middle, [...seats.filter(({ seat }) => seat !== viewer), ...seats.filter(({ seat }) => seat === viewer)]];
}

const inOrder = (parts) => parts.map((part) => [part.element.viewBox.baseVal.x, part]).sort(([first], [second]) => first - second).map(([, part]) => part);

// The scale of the middle part: in one line if it is readable, else in several.
function ofMiddle(parts, width) {
  const line = Math.min(inLine(parts, width), Math.max(width / WIDTH, 0.7));
  return line >= READABLE ? line : Math.min(0.7, width / 480);
}

const inLine = (parts, width) => (width - GAP * (parts.length - 1)) / parts.reduce((sum, part) => sum + part.width, 0);

// The largest scale of the seats at which everything is visible.
function best(groups, width, scales, top, viewer) {
  const largest = (room) => {
    for (let scale = LARGEST; scale > SMALLEST; scale -= 0.01) {
      const heights = groups.map((group) => flow(group, scales(scale), width));
      if (heights.reduce((sum, height) => sum + height + GAP, GAP) <= room) return scale;
    }
    return SMALLEST;
  };
  const room = document.documentElement.clientHeight - top;
  if (stacked.matches) {
    if (viewer === null) return largest(room - REPLAY);
    const beside = largest(room - PANEL);
    return beside >= READABLE ? beside : largest(room - FOLDED);
  }
  // Around the table if that makes them only slightly smaller.
  const free = largest(room - REST);
  const rows = groups.filter((group) => group.some(({ seat }) => seat !== null));
  const around = Math.min(...rows.map((row) => inLine(row, width)));
  return around >= 0.6 * free ? Math.min(around, free) : free;
}

// The height of parts in wrapped lines.
function flow(group, scales, width) {
  let offset = 0;
  let line = 0;
  let above = 0;
  for (const part of group) {
    const wide = fitted(part, scales, width);
    if (offset + wide > width) {
      above += line + GAP;
      offset = line = 0;
    }
    offset += wide + GAP;
    line = Math.max(line, (part.height * wide) / part.width);
  }
  return above + line;
}

const fitted = (part, scales, width) => Math.floor(Math.min(width, part.width * scales(part)));

window.addEventListener("resize", () => [...laid.keys()].filter((element) => element.clientWidth && laid.get(element).parts.length).forEach(arrange));
