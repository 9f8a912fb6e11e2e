// A deal that is over: one's own result beside a bot's in the same seat and that of the person who sent
// the deal, and the address or the command by which another person plays it.

import { at, make } from "./dom.js";
import { addressOf } from "./host.js";
import { plural, say } from "./say.js";
import { change, state } from "./state.js";

const CLAIM = /^#result=(-?\d{1,6}),(\d{1,3})$/;

let shown = null;

// Somebody's place among all: behind those who have a larger share of the victory, or as much and more points.
export function placeOf(seat, results) {
  const better = ({ won, score }) => won > results[seat].won || (won === results[seat].won && score > results[seat].score);
  return 1 + results.filter(better).length;
}

export function showShare({ position, par, asked }) {
  if (par && par.step !== position?.step) return void change({ par: null });
  if (!position?.over || !position.deal) return;
  at("share").hidden = !position.counts; // choices that were tried again are no result
  at("share-par").setAttribute("aria-disabled", asked);
  if (shown === position && at("share-results").dataset.par === String(Boolean(par))) return;
  shown = position;
  const rows = [result(say("you"), position.players, position.you)];
  if (par) {
    const results = par.scores.map((score, seat) => ({ score, won: par.won[seat] }));
    rows.push(result(say("{name} in your seat", { name: par.by }), results, position.you));
  }
  const claim = claimed(position);
  if (claim) rows.push(row(say("the person who sent you this deal, as they say"), claim.score, claim.place));
  at("share-results").replaceChildren(...rows);
  at("share-results").dataset.par = Boolean(par);
  at("share-par").hidden = Boolean(par) || !position.hints;
  at("share-text").value = words(position, par);
}

function result(name, results, seat) {
  return row(name, results[seat].score, placeOf(seat, results));
}

function row(name, score, place) {
  const points = make("td", { class: "points" }, make("b", {}, String(score)));
  return make("tr", {}, make("th", { scope: "row" }, name), points, make("td", {}, say("place {place}", { place })));
}

function words({ players, you, deal }, par) {
  const { score } = players[you];
  const place = placeOf(you, players);
  const bot = par ? say("{name} makes {score} of the same cards.", { name: par.by, score: par.scores[you] }) : "";
  const points = plural(score, "1 point", "{n} points");
  const mine = say("I made {points} and was in place {place} of {all}.", { points, place, all: players.length });
  // People sit side by side; the seat in an address is the first one's.
  const first = players.findIndex(({ person }, seat) => person && !players.at(seat - 1).person);
  const address = addressOf(deal.seed, Math.max(0, first));
  const how = say("Play the same deal: {address}", { address: address ? `${address}#result=${score},${place}` : deal.command });
  return [mine, bot, how].filter(Boolean).join(" ");
}

// What the person says who sent the address, if this is the deal that they sent. It cannot be proved.
function claimed({ deal, players }) {
  const [, score, place] = CLAIM.exec(location.hash) ?? [];
  const theirs = new URLSearchParams(location.search).get("seed") === String(deal.seed);
  return theirs && place >= 1 && place <= players.length ? { score: Number(score), place: Number(place) } : null;
}

// Ways to take the text along, and what is said when one has worked. Over plain http a browser has only the second.
const WAYS = [
  [(text) => navigator.clipboard.writeText(text), () => say("Copied")],
  [() => document.execCommand("copy") || Promise.reject(), () => say("Copied")], // the text is selected
  [(text) => navigator.share({ text }), () => say("Shared")],
];

async function copy() {
  at("share-text").select();
  for (const [take, done] of WAYS) {
    try {
      await take(at("share-text").value);
      at("share-copy").textContent = done();
      return;
    } catch {
      // the next one may work
    }
  }
  at("share-copy").textContent = say("Press Ctrl-C");
}

at("share").addEventListener("click", () => {
  at("share-copy").textContent = say("Copy");
  at("share-dialog").showModal();
});
at("share-copy").addEventListener("click", copy);

if (CLAIM.test(location.hash)) {
  at("notice-words").textContent = say("Somebody sent you this deal. When it is over, your result stands beside theirs: Compare and share.");
  at("notice").hidden = false;
}
