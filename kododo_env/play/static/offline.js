// A service worker that caches the files of one build of the site, so that it works offline and never mixes
// two builds. A new build gets a worker and a cache of its own, which replace these once no page of the
// old build is open any more.

const BUILD = ""; // the build's name, which build.py writes here
const UNNAMED = "card games"; // the cache of all builds before they had names
const HERE = new URL(".", location.href).href;
const openCache = () => caches.open(`${HERE} ${BUILD}`);
const nameOf = (request) => request.url.replace(/[?#].*/, "").replace(HERE, "") || "index.html";
let digests; // a promise of the SHA-256 of each file of the build

addEventListener("install", (event) => event.waitUntil(keepPage()));
addEventListener("activate", (event) => event.waitUntil(Promise.all([clients.claim(), emptyOthers()])));
addEventListener("message", () => skipWaiting());
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});

// All files but the large ones of a table, which are fetched when they are needed.
async function keepPage() {
  const { page } = await (await fetch("site.json", { cache: "reload" })).json();
  const requests = ["site.json", ...page].map((name) => load(new Request(name, { cache: "reload" })));
  for (const { ok, url } of await Promise.all(requests)) if (!ok) throw new Error(`${url} is of another build`);
}

async function emptyOthers() {
  for (const name of await caches.keys()) {
    if (name === UNNAMED || (name.startsWith(`${HERE} `) && !name.endsWith(BUILD))) await caches.delete(name);
  }
}

async function answer(request) {
  if (request.mode === "navigate" && registration.waiting && (await clients.matchAll()).length < 2) {
    registration.waiting.postMessage("take over"); // the only page is being reloaded
    return new Response("", { headers: { Refresh: "0" } });
  }
  return (await (await openCache()).match(HERE + nameOf(request))) ?? load(request);
}

// Fetch a file of this build; the status of a file of another build is 409.
async function load(request) {
  const response = await fetch(request);
  if (!response.ok) return response;
  const name = nameOf(request);
  const content = await response.clone().arrayBuffer();
  if (!(await isOfThisBuild(name, content))) return new Response("", { status: 409 });
  await (await openCache()).put(HERE + name, response.clone()).catch(() => {}); // storage is full
  return response;
}

async function isOfThisBuild(name, content) {
  if (name === "site.json") return (await digestOf(content)).startsWith(BUILD);
  digests ??= readDigests();
  const expected = (await digests)[name]; // files that were added to the folder later have none
  return expected === undefined || expected === (await digestOf(content));
}

async function readDigests() {
  return (await (await answer(new Request("site.json"))).json()).digests;
}

async function digestOf(content) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
