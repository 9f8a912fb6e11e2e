// A service worker: keeps the page and all that a table has loaded, for a reader who loads it again
// without a network.

const open = () => caches.open("card games");
const key = (request) => request.url.replace(/[?#].*/, "");

addEventListener("install", (event) => event.waitUntil(keepPage()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event));
});

// The page's own files were loaded before this worker was there.
async function keepPage() {
  skipWaiting();
  const { page } = await (await fetch("site.json")).json();
  await (await open()).addAll(["./", ...page]);
}

// The network comes first, so that a page that was changed is seen at once.
async function answer({ request }) {
  const kept = await open();
  try {
    const found = await fetch(request);
    if (found.ok) await kept.put(key(request), found.clone()).catch(() => {}); // there is no room for it
    return found;
  } catch (error) {
    const before = await kept.match(key(request));
    if (before) return before;
    throw error;
  }
}
