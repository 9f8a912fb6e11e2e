// Speaks to a table that is in a worker of this page. It has the same `connect` as the module
// that speaks to a server, in whose place it is put.

const KEPT = `kododo-table ${location.pathname}${location.search}`;

export function connect({ hear, online, offline }) {
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  const send = (message) => worker.postMessage({ message });

  worker.onmessage = ({ data: { ready, said, kept, wrong } }) => {
    if (ready) {
      online();
      send({ type: "look" });
    }
    if (said) hear(said);
    if (kept) keep(kept);
    if (wrong) offline(`This table cannot be played at: ${wrong}`, true);
  };
  worker.onerror = () => offline("The worker in which the table is could not be started.", true);
  worker.postMessage({ open: { ...settings(), kept: load() } });
  setTimeout(() => offline("Loading Python, numpy and the rules. It takes some seconds.", false));
  return { send };
}

function settings() {
  const given = new URLSearchParams(location.search);
  const opponents = given.getAll("opponents").filter(Boolean);
  return { game: given.get("game") ?? "kododo", players: Number(given.get("players") ?? 4), opponents };
}

// In the tab's own storage, so that a page that is loaded again goes on with its game.
function load() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null; // storage is shut
  }
}

function keep(text) {
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // then the game is for this page only
  }
}
