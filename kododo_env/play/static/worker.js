// The worker in which the table is: takes a page's messages one after another.

import { openTable, readSite, reason } from "./python.js";

const HERE = new URL(".", import.meta.url).href;

async function read(name) {
  const answer = await fetch(HERE + name);
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

// Tells the page which part has been loaded of all that a table fetches, Pyodide's own files among it.
function count(loads) {
  const fetched = Object.keys(loads).filter((name) => !name.endsWith("js")); // scripts are imported
  const whole = fetched.reduce((sum, name) => sum + loads[name], 0);
  const load = globalThis.fetch;
  let loaded = 0;
  globalThis.fetch = async (...asked) => {
    const answer = await load(...asked);
    if (!answer.ok || !(answer.url.replace(HERE, "") in loads)) return answer;
    const counted = new TransformStream({
      transform(chunk, onward) {
        loaded += chunk.length;
        postMessage({ loaded: loaded / whole });
        onward.enqueue(chunk);
      },
    });
    return new Response(answer.body.pipeThrough(counted), answer);
  };
}

async function open(asked) {
  const site = await readSite(read);
  count(site.loads);
  return openTable(read, site, asked);
}

let opened; // a promise of the table, for which messages wait

async function take({ open: asked, message }) {
  try {
    if (asked) opened = open(asked);
    const table = await opened;
    if (asked) postMessage({ ready: true });
    if (!message) return;
    await table.hear(message, (said) => postMessage({ said }));
    postMessage({ kept: table.kept() });
  } catch (error) {
    postMessage({ wrong: reason(error) });
  }
}

onmessage = ({ data }) => take(data);
