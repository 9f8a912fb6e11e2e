// The worker that runs the table: handles the page's messages one after another.

import { openTable, readSite, reason } from "./python.js";

const HERE = new URL(".", import.meta.url).href;
const OFFLINE = 0; // stands for the status of a response that did not come
const OTHER_BUILD = 409; // from the service worker: a newer version of the page was published

async function read(name) {
  const answer = await fetch(HERE + name).catch(() => ({ status: OFFLINE }));
  if ([OFFLINE, OTHER_BUILD].includes(answer.status)) throw Object.assign(new Error(), { status: answer.status });
  if (!answer.ok) throw new Error(`cannot load ${name} (status ${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

// Report to the page the loaded share of all files, including Pyodide's own.
function count(loads) {
  const fetched = Object.keys(loads).filter((name) => !name.endsWith("js")); // scripts are imported instead
  const whole = fetched.reduce((sum, name) => sum + loads[name], 0);
  const load = globalThis.fetch;
  let loaded = 0;
  globalThis.fetch = async (...request) => {
    const answer = await load(...request);
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

async function open(settings) {
  const site = await readSite(read);
  count(site.loads);
  return openTable(read, site, settings);
}

let opened; // a promise of the table, which messages await

async function take({ open: settings, message }) {
  try {
    if (settings) opened = open(settings);
    const table = await opened;
    if (settings) postMessage({ ready: true });
    if (!message) return;
    await table.hear(message, (response) => postMessage({ response }));
    postMessage({ saved: table.saved() });
  } catch (error) {
    postMessage({ wrong: reason(error), status: error.status });
  }
}

onmessage = ({ data }) => take(data);
