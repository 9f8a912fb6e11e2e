// A click on the head of a column of the leaderboard sorts its table, the largest first, then the
// other way round.

"use strict";

const number = (row, column) => {
  const text = row.cells[column].textContent.trim().replaceAll(",", "").replace("−", "-");
  return text === "–" ? -Infinity : parseFloat(text);
};

const compare = (one, other, column) => {
  const numbers = [number(one, column), number(other, column)];
  return numbers.some(Number.isNaN)
    ? other.cells[column].textContent.localeCompare(one.cells[column].textContent)
    : numbers[1] - numbers[0];
};

for (const table of document.querySelectorAll("section#leaderboard table")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.style.cursor = "pointer";
    head.addEventListener("click", () => {
      const sign = head.dataset.sorted === "down" ? -1 : 1;
      head.dataset.sorted = sign === 1 ? "down" : "up";
      const rows = [...table.tBodies[0].rows];
      table.tBodies[0].append(...rows.sort((a, b) => sign * compare(a, b, column)));
    });
  });
}
