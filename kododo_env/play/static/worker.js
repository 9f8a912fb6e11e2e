// The worker in which the table is: takes a page's messages one after another.

import { openTable, reason } from "./python.js";

async function read(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

let opened; // a promise of the table, for which messages wait

async function take({ open, message }) {
  try {
    if (open) opened = openTable(read, open);
    const table = await opened;
    if (open) postMessage({ ready: true });
    if (!message) return;
    await table.hear(message, (said) => postMessage({ said }));
    postMessage({ kept: table.kept() });
  } catch (error) {
    postMessage({ wrong: reason(error) });
  }
}

onmessage = ({ data }) => take(data);
