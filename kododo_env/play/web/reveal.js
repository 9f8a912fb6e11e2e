// The reveal of a step: cards are laid and turn over, then each stage of the evaluation happens where it belongs.

import { make } from "./dom.js";
import { moveCards, placesOf } from "./flight.js";
import { stacked } from "./layout.js";
import { sentence, stagesOf } from "./log.js";
import { durations } from "./pace.js";
import { drawScene } from "./table.js";

const POP = [{ scale: 1.08 }, {}];
const still = matchMedia("(prefers-reduced-motion: reduce)");

let current = null; // the reveal on display: the timer of its next stage, and what to do at its end

// Reveal a step whose events lead from one scene to another, and call `end`, which is to show the result.
// `own` is the page's own seat, or null; `tell` is called with the stages and the index of the current one.
export function reveal({ element, own, before, after, events, you, tell, end }) {
  skip();
  const stages = stagesOf(events);
  const times = durations(stages.length);
  if (!times.laying || !events.length) return end();
  current = { end };
  const show = (index) => {
    if (index === stages.length) return skip();
    const places = placesOf(element);
    const marks = marksOf(element);
    drawScene(element, sceneAt(before, after, stages, index), { own });
    tell(stages, index);
    if (index && !stacked.matches) explain(stages[index], element, you);
    if (!still.matches) {
      moveCards(element, places, stages[index], times.laying);
      pop(element, marks, times.following);
    }
    current.timer = setTimeout(() => show(index + 1), index ? times.following : times.laying);
  };
  show(0);
}

// Show the result of the current reveal at once.
export function skip() {
  if (!current) return;
  const { timer, end } = current;
  clearTimeout(timer);
  current = null;
  end();
}

for (const event of ["pointerdown", "keydown"]) document.addEventListener(event, skip);

// --- scenes -----------------------------------------------------------------------------------

// The scene at a stage: what later stages bring about is as it was before the step.
export function sceneAt(before, after, stages, index) {
  const firstStage = (matches) => stages.findIndex((events) => events.some(matches));
  const scoringRule = after.middle.find(({ lit }) => lit)?.stage;
  const scoring = scoringRule ? firstStage(({ rule }) => rule === scoringRule) : stages.length - 1;
  const isScored = index > 0 && index >= scoring;
  const isNext = isNextRound(before, after);
  const cardsMove = index >= firstStage(({ cards }) => cards);
  const seats = after.seats.map((seat) => {
    const earlier = before.seats.find((otherSeat) => otherSeat.seat === seat.seat);
    const laying = firstStage((event) => event.cards && isOwn(event, seat));
    const blocks = seat.blocks.map((block) => {
      const { label } = (!isNext && earlier.blocks.find(({ zone }) => zone === block.zone)) || block;
      return { ...(isScored ? block : unlit(block)), label };
    });
    return { ...seat, ...pointsAt(seat, earlier, stages, index), tag: earlier.tag, blocks: index < laying ? earlier.blocks : blocks };
  });
  const middle = after.middle.map((block) => {
    const earlier = before.middle.find(({ kind, zone, name }) => kind === block.kind && zone === block.zone && name === block.name);
    if (block.kind !== "meter") return cardsMove ? emptied(earlier, block) : earlier;
    const isReached = index > 0 && index >= firstStage(({ rule }) => rule === block.stage);
    const uncounted = isNext ? 0 : earlier.count;
    return isReached ? block : { ...block, lit: false, mark: "", count: index ? block.count : uncounted };
  });
  return { seats, middle: middle.filter(Boolean), faces: { ...before.faces, ...after.faces } };
}

const isOwn = ({ seats }, { seat }) => seats?.length === 1 && seats[0] === seat;

// The points at a seat grow with each event that brings some, if these add up to what the seat gains.
function pointsAt(seat, earlier, stages, index) {
  const pointsOf = (events) => events.filter((event) => isOwn(event, seat)).reduce((sum, { points = 0 }) => sum + points, 0);
  const isExplained = pointsOf(stages.flat()) === seat.gained;
  const gained = isExplained ? pointsOf(stages.slice(0, index + 1).flat()) : 0;
  const { note } = gained ? seat : earlier;
  return { gained, note, points: earlier.points + gained };
}

const unlit = (block) => (block.kind === "cards" ? { ...block, cards: block.cards.map((card) => ({ ...card, lit: false, faded: false })) } : block);

// A row of the middle after its cards have been dealt, and before the next ones are.
function emptied(earlier, later) {
  if (earlier?.kind !== "cards" || JSON.stringify(earlier.cards) === JSON.stringify(later.cards)) return earlier;
  return { ...earlier, cards: earlier.cards.map(() => ({ face: "slot" })) };
}

// Whether cards on the table have been cleared away.
function isNextRound(before, after) {
  const laid = ({ seats }) => seats.map(({ blocks }) => blocks.find(({ zone }) => zone === "table")?.cards ?? []);
  const later = laid(after);
  return laid(before).some((cards, seat) => cards.some(({ face }, place) => face !== "slot" && face !== later[seat][place]?.face));
}

// --- what catches the eye ---------------------------------------------------------------------

const marksOf = (element) => [...element.querySelectorAll(".meter, .points")];

// Let what has changed pop up.
function pop(element, before, time) {
  marksOf(element).forEach((mark, place) => {
    if (mark.outerHTML !== before[place]?.outerHTML) mark.animate(POP, time / 2);
  });
}

// Put each sentence of a stage where it happens: at a seat, or in the middle.
function explain(events, element, you) {
  for (const event of events) {
    const place = element.querySelector(event.seats?.length ? `.seat[data-seat="${event.seats[0]}"] > .head` : ".middle");
    place?.append(make("span", { class: "bubble", "aria-hidden": "true" }, sentence(event, you)));
  }
}
