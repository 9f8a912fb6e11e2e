// The score sheet of a finished game: the players by rank, with their points by round or by line.

import { at, differs, make } from "./dom.js";
import { language, say } from "./say.js";

export function showSheet({ position }) {
  if (!position || !differs("sheet", position.sheet, position.players, language)) return;
  const { sheet, players, you } = position;
  at("sheet").hidden = !sheet;
  if (!sheet) return;
  const { ranks, rows, tie_breaks: tieBreaks } = sheet;
  const scores = players.map(({ score }) => score);
  const seats = players.map((_, seat) => seat).sort((first, second) => ranks[first] - ranks[second]);
  const line = ({ name, numbers }, kind = "") => {
    const cells = seats.map((seat) => make("td", { class: seat === you ? "you" : "" }, String(numbers[seat])));
    return make("tr", { class: kind }, make("th", { scope: "row" }, name), ...cells);
  };
  const heads = seats.map((seat) => {
    const rank = make("b", {}, say(`share.rank.${ranks[seat]}`));
    return make("th", { scope: "col", class: seat === you ? "you" : "", title: players[seat].called }, rank, make("span", {}, players[seat].called));
  });
  const total = line({ name: say("sheet.total"), numbers: scores }, "total");
  const isTied = new Set(scores).size < scores.length;
  const ties = isTied ? tieBreaks.map(({ name, numbers }) => line({ name: say("sheet.tie_break", { name }), numbers })) : [];
  const body = [...rows.map((row) => line(row)), total, ...ties];
  at("sheet-rows").replaceChildren(make("tr", {}, make("td"), ...heads), ...body);
}
