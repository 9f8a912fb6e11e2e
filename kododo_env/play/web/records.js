// Saving and opening records of games as files.

import { at, make } from "./dom.js";

// Download a record as a file.
export function save(text, game) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = make("a", { href: address, download: `${game}-${localTime()}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The local time for file names: 2026-05-17-201507.
function localTime() {
  const local = new Date(Date.now() - 60_000 * new Date().getTimezoneOffset());
  return local.toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "");
}

// Let the person open a file; `read` is called with its text.
export function onOpen(read) {
  const file = at("open-file");
  at("open").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) read(await chosen.text());
  });
}
