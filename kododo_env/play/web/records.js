// Records of games as files: to be saved, and to be opened.

import { at, make } from "./dom.js";

// Give a record to the person as a file.
export function save(text, game) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const day = new Date().toISOString().slice(0, 10);
  const link = make("a", { href: address, download: `${game}-${day}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
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
