// Cards that move from one place of the table to another.

import { at, make } from "./dom.js";

const seatOf = (element) => element.closest(".seat")?.dataset.seat;

// The cards on the screen and where they are. Face-down choices in one's own hand have no face.
export function placesOf(element) {
  const cards = [...element.querySelectorAll(".card:not([data-face=slot])")].filter((card) => card.checkVisibility({ visibilityProperty: true }));
  return cards.map((card) => ({
    card,
    seat: seatOf(card),
    zone: at("hand")?.contains(card) ? "hand" : card.closest("[data-zone]")?.dataset.zone,
    row: card.closest(".grid") ? null : [...card.parentNode.children].indexOf(card),
    face: card.matches(".down") ? "down" : card.dataset.face,
    box: card.getBoundingClientRect(),
  }));
}

// After a stage has been drawn: let new cards fly from where they were, won cards to the points, and passed cards from hand to hand.
export function moveCards(element, before, events, time) {
  const after = placesOf(element);
  const removed = before.filter((place) => place.face === "down" || !after.some((later) => isSame(place, later)));
  const added = after.filter((place) => place.zone !== "hand" && !before.some((earlier) => isSame(earlier, place)));
  for (const place of added) {
    const source = sourceOf(place, removed) ?? before.find(({ seat, zone }) => seat === place.seat && zone === "hand");
    if (!source) continue;
    removed.splice(removed.indexOf(source), removed.includes(source) ? 1 : 0);
    fly(place.card, source.box, time, isHidden(source) && !isHidden(place));
  }
  for (const { seats = [], cards, points } of events) {
    const receiver = element.querySelector(`.seat[data-seat="${seats.at(-1)}"]`);
    if (points) for (const card of receiver?.querySelectorAll("[data-zone=table] .lit") ?? []) flyTo(receiver.querySelector(".points"), card, time);
    if (!cards || seats.length !== 2 || added.length) continue;
    const own = receiver.querySelector("#hand");
    const passed = removed.find(({ seat }) => seat === String(seats[0])) ?? before.find(({ seat, zone }) => seat === String(seats[0]) && zone === "hand");
    if (passed) flyTo(own ?? receiver.querySelector("[data-zone=hand]"), passed.card, time);
  }
}

const isSame = (place, otherPlace) => ["seat", "zone", "row", "face"].every((name) => place[name] === otherPlace[name]);
const isHidden = ({ face }) => face === "down" || face === "back";

// Where a new card comes from: the same card, or one face down, at the same seat or in the middle.
function sourceOf({ seat, face }, removed) {
  const near = removed.filter((place) => place.seat === seat || !place.seat);
  return near.find((place) => place.face === face) ?? near.find(isHidden);
}

// Let a card fly from a box to its own place, where it turns over if it was face down.
function fly(card, source, time, turns) {
  const target = card.getBoundingClientRect();
  const start = { transform: `translate(${source.x - target.x}px, ${source.y - target.y}px) scale(${source.width / target.width})`, transformOrigin: "0 0", zIndex: 2 };
  card.animate([start, { transform: "none", transformOrigin: "0 0", zIndex: 2 }], { duration: time * 0.55, easing: "ease-in-out" });
  if (!turns) return;
  const cover = make("span", { class: "cover" });
  card.append(cover);
  const turning = { delay: time * 0.55, duration: time * 0.3, fill: "forwards" };
  card.animate([{ scale: "1 1" }, { scale: "0 1" }, { scale: "1 1" }], turning);
  cover.animate([{ opacity: 1 }, { opacity: 1, offset: 0.5 }, { opacity: 0, offset: 0.5 }, { opacity: 0 }], turning).onfinish = () => cover.remove();
}

// Let a copy of a card fly to an element.
function flyTo(element, card, time) {
  const source = card.getBoundingClientRect();
  const target = element.getBoundingClientRect();
  const copy = card.cloneNode(true);
  copy.removeAttribute("data-key");
  copy.classList.add("flying");
  Object.assign(copy.style, { left: `${source.x}px`, top: `${source.y}px`, width: `${source.width}px`, height: `${source.height}px` });
  document.body.append(copy);
  const across = target.x + target.width / 2 - source.x - source.width / 2;
  const down = target.y + target.height / 2 - source.y - source.height / 2;
  copy.animate([{}, { transform: `translate(${across}px, ${down}px) scale(0.3)`, opacity: 0.3 }], { duration: time * 0.6, easing: "ease-in" }).onfinish = () => copy.remove();
}
