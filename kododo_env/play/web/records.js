// Records of games as files: to be saved, and to be opened.

import { at, make } from "./dom.js";

// Give a record to the person as a file.
export function save(text, game) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = make("a", { href: address, download: `${game}-${now()}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The time by the person's own clock, as a file can be named by it: 2026-05-17-201507.
function now() {
  const here = new Date(Date.now() - 60_000 * new Date().getTimezoneOffset());
  return here.toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "");
}

// Have the person open a file; `read` is told its text.
export function onOpen(read) {
  const file = at("open-file");
  at("open").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) read(await chosen.text());
  });
}
