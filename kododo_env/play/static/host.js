// Connects to a table in a worker of this page. It has the same `connect`
// and `addressOf` as the module for a server, which it replaces.

import { say } from "./say.js";

const KEPT = `kododo-table ${location.pathname}${location.search}`;
const FAILURES = { 0: "page.not_loaded", 409: "page.new_version" }; // by the status of the worker's request
let alone = false; // whether no other tab uses this table
let over = false; // whether its game is over

export function connect({ hear, online, offline }) {
  let worker;
  const send = (message) => worker?.postMessage({ message });
  const bar = loadingBar();
  const take = ({ data: { loaded, ready, response, saved, wrong, status } }) => {
    if (loaded) bar.value = loaded;
    const failed = wrong !== undefined;
    if (ready || failed) bar.remove();
    if (ready) {
      online();
      send({ type: "look" });
    }
    if (response) hear(response);
    if (response?.type === "position") ({ over } = response);
    if (saved) keep(saved);
    if (failed) offline(say(FAILURES[status] ?? "page.wrong_table", { wrong }), true);
  };
  setTimeout(() => offline(say("page.loading"), false));
  Promise.all([keepFiles().catch(() => {}), lock().catch(() => {})]).then(() => {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.onmessage = take;
    worker.onerror = () => take({ data: navigator.onLine ? { wrong: say("page.no_worker") } : { wrong: "", status: 0 } });
    worker.postMessage({ open: { ...settings(), saved: load() } });
  });
  return { send };
}

// Shown above the page's status; full while Python starts.
function loadingBar() {
  const bar = document.createElement("progress");
  bar.id = "loading";
  bar.setAttribute("aria-label", say("page.progress"));
  bar.value = 0;
  document.getElementById("status").before(bar);
  return bar;
}

// Registered before anything is loaded: the service worker caches all files, so that the page can be
// reloaded offline. Browsers allow none over plain http; then nothing is cached.
async function keepFiles() {
  const { active, installing } = await navigator.serviceWorker.register("offline.js");
  if (active || !installing) return; // a new build waits until the page is reloaded
  await new Promise((done) => {
    installing.onstatechange = () => ["activated", "redundant"].includes(installing.state) && done();
  });
}

function settings() {
  const parameters = new URLSearchParams(location.search);
  const all = (name) => parameters.getAll(name).filter(Boolean);
  const number = (name) => (/^\d+$/.test(parameters.get(name)) ? Number(parameters.get(name)) : parameters.get(name)); // the table rejects other words
  const rotate = parameters.get("seat") === "rotate";
  const options = { names: parameters.getAll("name"), rules: all("rules"), rotate, lesson: parameters.has("lesson"), by_link: byLink() };
  if (parameters.get("seat") && !rotate) options.seat = number("seat");
  for (const name of ["people", "seed"]) if (parameters.get(name)) options[name] = number(name);
  return { game: parameters.get("game") ?? "kododo", players: parameters.get("players") ? number("players") : 4, opponents: all("opponents"), options };
}

// The URL of a deal, in which another person gets the same seat.
export function addressOf(seed, seat) {
  const address = new URL(location.href);
  if (address.searchParams.get("seat") === "rotate") address.searchParams.set("seat", seat);
  address.searchParams.set("seed", seed);
  for (const name of ["lesson", "name"]) address.searchParams.delete(name);
  address.hash = "";
  return address.href;
}

// Whether a link led here, rather than a reload. Then its URL counts even if a game is saved.
const byLink = () => performance.getEntriesByType("navigation")[0]?.type === "navigate";

// Saved in the tab's own storage, so that a reloaded page resumes its game; and in that of all
// tabs, so that the next tab resumes the game of a closed one.
function load() {
  try {
    const ofTab = alone && byLink() ? "" : sessionStorage.getItem(KEPT);
    return ofTab || (alone && localStorage.getItem(KEPT)) || undefined;
  } catch {
    return undefined; // storage is unavailable
  }
}

function keep(text) {
  try {
    sessionStorage.setItem(KEPT, text);
    if (alone && over) localStorage.removeItem(KEPT); // a new tab starts a new game
    else if (alone) localStorage.setItem(KEPT, text);
  } catch {
    // then the game lasts for this page only
  }
}

// The tab holds the lock until it is closed; another tab at the same table has its own game.
function lock() {
  return new Promise((done, fail) => {
    const request = navigator.locks.request(KEPT, { ifAvailable: true }, (held) => {
      alone = Boolean(held);
      done();
      return new Promise(() => {});
    });
    request.catch(fail); // storage is unavailable
  });
}
