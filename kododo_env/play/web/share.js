// Sharing a finished deal: one's own result beside a bot's in the same seat and that of the person who sent
// the deal, and the URL or command with which another person can play it.

import { at, make } from "./dom.js";
import { addressOf } from "./host.js";
import { plural, say } from "./say.js";
import { change, state } from "./state.js";

const CLAIM = /^#result=(-?\d{1,6}),(\d{1,3})$/;

let current = null;

// A player's rank: behind those with a larger share of the victory, or an equal share and more points.
export function placeOf(seat, results) {
  const better = ({ won, score }) => won > results[seat].won || (won === results[seat].won && score > results[seat].score);
  return 1 + results.filter(better).length;
}

export function showShare({ position, par, asked }) {
  if (par && par.step !== position?.step) return void change({ par: null });
  if (!position?.over || !position.deal) return;
  at("share").hidden = !position.counts; // games with repeated choices do not count
  at("share-par").setAttribute("aria-disabled", asked);
  if (current === position && at("share-results").dataset.par === String(Boolean(par))) return;
  current = position;
  const rows = [result(say("share.you"), position.players, position.you)];
  if (par) {
    const results = par.scores.map((score, seat) => ({ score, won: par.won[seat] }));
    rows.push(result(say("share.bot", { name: par.by }), results, position.you));
  }
  const claim = claimed(position);
  if (claim) rows.push(row(say("share.sender"), claim.score, claim.place));
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
  return make("tr", {}, make("th", { scope: "row" }, name), points, make("td", {}, say("share.place", { place })));
}

function words({ players, you, deal }, par) {
  const { score } = players[you];
  const place = placeOf(you, players);
  const bot = par ? say("share.bot_result", { name: par.by, score: par.scores[you] }) : "";
  const points = plural(score, "game.points");
  const result = say("share.result", { points, place: say(`share.rank.${place}`, {}, String(place)), all: players.length });
  // People sit side by side; the seat in a URL is the first person's.
  const first = players.findIndex(({ person }, seat) => person && !players.at(seat - 1).person);
  const address = addressOf(deal.seed, Math.max(0, first));
  const how = say("share.address", { address: address ? `${address}#result=${score},${place}` : deal.command });
  return [result, bot, how].filter(Boolean).join(" ");
}

// The result claimed by the sender of the URL, if this is the same deal. It cannot be verified.
function claimed({ deal, players }) {
  const [, score, place] = CLAIM.exec(location.hash) ?? [];
  const sameDeal = new URLSearchParams(location.search).get("seed") === String(deal.seed);
  return sameDeal && place >= 1 && place <= players.length ? { score: Number(score), place: Number(place) } : null;
}

// Ways to share the text, and the message on success. Over plain http only the second is available.
const WAYS = [
  [(text) => navigator.clipboard.writeText(text), () => say("share.copied")],
  [() => document.execCommand("copy") || Promise.reject(), () => say("share.copied")], // the text is selected
  [(text) => navigator.share({ text }), () => say("share.success")],
];

async function copy() {
  at("share-text").select();
  for (const [take, done] of WAYS) {
    try {
      await take(at("share-text").value);
      at("share-copy").textContent = done();
      return;
    } catch {
      // try the next one
    }
  }
  at("share-copy").textContent = say("share.keys");
}

at("share").addEventListener("click", () => {
  at("share-copy").textContent = say("share.copy");
  at("share-dialog").showModal();
});
at("share-copy").addEventListener("click", copy);

if (CLAIM.test(location.hash)) {
  at("notice-words").textContent = say("share.notice");
  at("notice").hidden = false;
}
