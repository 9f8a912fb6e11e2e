// Speaks to a table that is in a worker of this page. It has the same `connect` as the module
// and `addressOf` as the module that speaks to a server, in whose place it is put.

import { say } from "./say.js";

const KEPT = `kododo-table ${location.pathname}${location.search}`;
let alone = false; // whether no other tab has this table
let over = false; // whether its game is

export function connect({ hear, online, offline }) {
  let worker;
  const send = (message) => worker?.postMessage({ message });
  const bar = loadingBar();
  const take = ({ data: { loaded, ready, said, kept, wrong } }) => {
    if (loaded) bar.value = loaded;
    if (ready || wrong) bar.remove();
    if (ready) {
      online();
      send({ type: "look" });
    }
    if (said) hear(said);
    if (said?.type === "position") ({ over } = said);
    if (kept) keep(kept);
    if (wrong) offline(say("This table cannot be played at: {wrong}", { wrong }), true);
  };
  setTimeout(() => offline(say("Loading Python, numpy and the rules …"), false));
  Promise.all([keepFiles().catch(() => {}), lock().catch(() => {})]).then(() => {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.onmessage = take;
    worker.onerror = () => take({ data: { wrong: say("its worker could not be started") } });
    worker.postMessage({ open: { ...settings(), kept: load() } });
  });
  return { send };
}

// Above what the page says meanwhile. Full, it stands while Python starts.
function loadingBar() {
  const bar = document.createElement("progress");
  bar.id = "loading";
  bar.setAttribute("aria-label", say("loaded"));
  bar.value = 0;
  document.getElementById("status").before(bar);
  return bar;
}

// Before anything is loaded: a service worker keeps what passes through it, for a reader who loads the
// page again without a network. Browsers allow none on an insecure address; then nothing is kept.
async function keepFiles() {
  const { installing } = await navigator.serviceWorker.register("offline.js");
  if (!installing) return;
  await new Promise((done) => {
    installing.onstatechange = () => ["activated", "redundant"].includes(installing.state) && done();
  });
}

function settings() {
  const given = new URLSearchParams(location.search);
  const all = (name) => given.getAll(name).filter(Boolean);
  const number = (name) => (/^\d+$/.test(given.get(name)) ? Number(given.get(name)) : given.get(name)); // a word is none, and the table says so
  const rotate = given.get("seat") === "rotate";
  const more = { names: given.getAll("name"), rules: all("rules"), rotate, lesson: given.has("lesson"), by_link: byLink() };
  if (given.get("seat") && !rotate) more.seat = number("seat");
  for (const name of ["people", "seed"]) if (given.get(name)) more[name] = number(name);
  return { game: given.get("game") ?? "kododo", players: given.get("players") ? number("players") : 4, opponents: all("opponents"), more };
}

// The address of a deal, in which another person has the same seat.
export function addressOf(seed, seat) {
  const address = new URL(location.href);
  if (address.searchParams.get("seat") === "rotate") address.searchParams.set("seat", seat);
  address.searchParams.set("seed", seed);
  for (const name of ["lesson", "name"]) address.searchParams.delete(name);
  address.hash = "";
  return address.href;
}

// Whether a link has led here, and the page was not loaded again. Then its address counts even if a game is kept.
const byLink = () => performance.getEntriesByType("navigation")[0]?.type === "navigate";

// In the tab's own storage, so that a page that is loaded again goes on with its game; and in that of all
// tabs, so that a game whose tab was closed goes on in the next one.
function load() {
  try {
    const own = alone && byLink() ? "" : sessionStorage.getItem(KEPT);
    return own || (alone && localStorage.getItem(KEPT)) || undefined;
  } catch {
    return undefined; // storage is shut
  }
}

function keep(text) {
  try {
    sessionStorage.setItem(KEPT, text);
    if (alone && over) localStorage.removeItem(KEPT); // a new tab begins a new game
    else if (alone) localStorage.setItem(KEPT, text);
  } catch {
    // then the game is for this page only
  }
}

// The tab holds the lock until it is closed; another one at the same table has a game of its own.
function lock() {
  return new Promise((done, fail) => {
    const request = navigator.locks.request(KEPT, { ifAvailable: true }, (held) => {
      alone = Boolean(held);
      done();
      return new Promise(() => {});
    });
    request.catch(fail); // storage is shut
  });
}
