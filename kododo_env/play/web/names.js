// Display names of the players instead of player_0, player_1, ...

import { make } from "./dom.js";
import { say } from "./say.js";

const PLAYER = /player_(\d+)( {2,})?/g; // with the padding of a column in text tables
const AS_THEY_ARE = new Set(["picture", "player", "lines", "name", "command"]); // handled separately, or not shown
const LONGEST = 8; // letters that fit into a picture

// A text with the names of a position's players.
export function named(words, players) {
  return words.replace(PLAYER, (seat, number, gap = "") => {
    const name = players?.[number]?.called;
    return name === undefined ? seat : gap ? `${name} `.padEnd(seat.length) : name;
  });
}

// A message with the names in all its texts.
export function withNames(message, players = message.players) {
  if (typeof message === "string") return named(message, players);
  if (Array.isArray(message)) return message.map((each) => withNames(each, players));
  if (message === null || typeof message !== "object") return message;
  const told = ([name, value]) => [name, AS_THEY_ARE.has(name) ? value : withNames(value, players)];
  return Object.fromEntries(Object.entries(message).map(told));
}

// Write the names into a picture; longer ones than player_0 are truncated.
export function nameIn(svg, players) {
  const short = players?.map(({ called }) => ({ called: called.length > LONGEST ? `${called.slice(0, LONGEST - 1)}…` : called }));
  for (const text of svg.querySelectorAll("text")) if (text.textContent.includes("player_")) text.textContent = named(text.textContent, short);
}

// What is emphasised in a sentence: players, and points at its end.
const POINTS = () => `(?:${say("game.points.one")}|${say("game.points.many", { n: "\\d+" })})$`;
export const endsInPoints = (line) => new RegExp(`: ${POINTS()}`).test(line);

// A sentence with emphasised players, especially oneself, and points.
export function sentence(words, you, players) {
  const parts = words.split(new RegExp(`(player_\\d+|${POINTS()})`)).map((part, place) => {
    if (place % 2 === 0) return part;
    if (!part.startsWith("player_")) return make("b", { class: "gain" }, part);
    const name = named(part, players);
    return make("b", {}, part === `player_${you}` ? say("page.self", { name }) : name);
  });
  return make("span", {}, ...parts);
}
