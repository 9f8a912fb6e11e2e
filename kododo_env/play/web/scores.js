// The players at the table and their scores.

import { at, make } from "./dom.js";
import { say } from "./say.js";

let current = null;

export function showScores({ position }) {
  if (!position || position === current) return;
  current = position;
  const highest = Math.max(...position.players.map((player) => player.score));
  at("scores").replaceChildren(...position.players.map((player, seat) => row(position, player, seat, highest)));
}

function row({ you, waiting_for: waiting, ask_for_new: asks, over }, player, seat, highest) {
  const notes = [];
  if (waiting.includes(seat) && seat !== you) notes.push(say("page.choice_missing"));
  if (asks.includes(seat)) notes.push(say("page.new_game_wish"));
  const name = make("span", { class: "name" }, seat === you ? say("page.self", { name: player.called }) : player.called);
  const details = make("small", {}, [player.person && seat === you ? "" : player.name, ...notes].filter(Boolean).join(", "));
  const gained = player.gained ? make("span", { class: "gained" }, signed(player.gained)) : "";
  const marked = over ? player.won > 0 : player.score === highest && highest > 0; // a tie-break may have decided
  const word = over ? say("page.victory") : say("page.lead");
  const points = make("td", { class: "points" }, gained, " ", make("b", {}, String(player.score)));
  const mark = make("td", { class: "mark" }, marked ? make("span", { role: "img", "aria-label": word, title: word }, "★") : "");
  return make("tr", { class: seat === you ? "you" : "" }, mark, make("th", { scope: "row" }, name, details), points);
}

export const signed = (number) => (number > 0 ? `+${number}` : `−${-number}`);
