/* Keeps the pages at hand, so that they open without a server and say so; what happens at the table is never kept. */

const NAME = "barpoint-1";
const PAGES = ["/", "/tv", "/overlay", "/report"];

self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const kept = event.request.method === "GET" && url.origin === location.origin
    && (PAGES.includes(url.pathname) || url.pathname.startsWith("/static/"));
  if (kept) event.respondWith(freshOrKept(event.request, url));
});

async function freshOrKept(request, url) {
  const cache = await caches.open(NAME);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(url.pathname, response.clone());
    return response;
  } catch (error) {
    const found = await cache.match(url.pathname);
    if (found) return found;
    throw error;
  }
}
