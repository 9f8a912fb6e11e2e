// A service worker that caches the page and all files of a table, so that it can be reloaded
// offline.

const open = () => caches.open("card games");
const key = (request) => request.url.replace(/[?#].*/, "");

addEventListener("install", (event) => event.waitUntil(keepPage()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event));
});

// The page's own files were loaded before this worker started.
async function keepPage() {
  skipWaiting();
  const { page } = await (await fetch("site.json")).json();
  await (await open()).addAll(["./", ...page]);
}

// The network comes first, so that an updated page is shown at once.
async function answer({ request }) {
  const cache = await open();
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(key(request), response.clone()).catch(() => {}); // storage is full
    return response;
  } catch (error) {
    const cached = await cache.match(key(request));
    if (cached) return cached;
    throw error;
  }
}
