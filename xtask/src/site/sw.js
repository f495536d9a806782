// Opens the page when the server can't be reached. It keeps one build: every page in every language, and all files that
// they load. All other requests go to the server.
const boot = "{{boot}}";
const site = "site-{{version}}";
const files = new Set({{files}});
/** Files that are kept once they were needed, and from then on by every build: for each part that may need them. */
const whenNeeded = {{needed}};
const pages = {{pages}};
const languages = {{languages}};
/** The last list of models, in a cache that outlives this build. */
const lists = "lists";
/** Its address, under which it is kept whatever query it was asked for with: else each query would be kept. */
const LIST = "/api/models";

/** How long the server may take for a page before the kept one is shown, in milliseconds. */
const PATIENCE = 5_000;

addEventListener("install", (event) => event.waitUntil(keep(event)));
addEventListener("activate", (event) => event.waitUntil(begin()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const page = request.mode === "navigate" && pageOf(pathname);
  if (page) event.respondWith(open(event, page));
  else if (files.has(pathname) || Object.values(whenNeeded).flat().includes(pathname)) event.respondWith(file(request));
  else if (pathname === LIST) event.respondWith(list(event, request));
});
// The page names a part once it has used it.
addEventListener("message", (event) => {
  const part = event.data?.needed;
  if (part in whenNeeded) event.waitUntil(keepNeeded([part]));
});

/** Keeps this build, and tells open pages about it. */
async function keep(event) {
  const cache = await caches.open(site);
  const document = async (page, language) => {
    const response = await fetch(page, {
      // A cookie would decide on the language.
      credentials: "omit",
      cache: "no-cache",
      headers: { "accept-language": language },
    });
    const text = await response.clone().text();
    if (!response.ok || !text.includes(boot)) throw new Error(`${page} is of another build: ${response.status}`);
    await cache.put(keyOf(page, language), response);
  };
  await Promise.all([
    cache.addAll([...files]),
    wereNeeded().then(keepNeeded),
    list(event, LIST),
    ...pages.flatMap((page) => languages.map((language) => document(page, language))),
  ]);
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  windows.forEach((window) => window.postMessage({ boot }));
}

/** Keeps the files of these parts, unless they are kept. */
async function keepNeeded(parts) {
  const cache = await caches.open(site);
  const kept = (await cache.keys()).map(({ url }) => new URL(url).pathname);
  await cache.addAll(parts.flatMap((part) => whenNeeded[part]).filter((file) => !kept.includes(file)));
}

/** The parts whose files an earlier build has kept. */
async function wereNeeded() {
  const earlier = (await caches.keys()).filter((name) => name.startsWith("site-") && name !== site);
  const kept = await Promise.all(earlier.map(async (name) => (await caches.open(name)).keys()));
  const paths = kept.flat().map(({ url }) => new URL(url).pathname);
  return Object.keys(whenNeeded).filter((part) => paths.some((path) => path.startsWith(`/pkg/${part}`)));
}

/** Runs when no page of an earlier build is open any more. */
async function begin() {
  const old = (await caches.keys()).filter((name) => name.startsWith("site-") && name !== site);
  await Promise.all(old.map((name) => caches.delete(name)));
  await registration.navigationPreload?.enable();
  await clients.claim();
}

/** The kept page for a path: all conversations have one. */
function pageOf(path) {
  const plain = path.length > 1 ? path.replace(/\/$/, "") : path;
  return pages.find((page) => page === plain || (page.startsWith("/c/") && plain.startsWith("/c/")));
}

function keyOf(page, language) {
  return `${page}?language=${language}`;
}

async function languageNow() {
  const chosen = (await self.cookieStore?.get("language"))?.value;
  const wanted = [chosen, ...navigator.languages.map((tag) => tag.split("-")[0])];
  return wanted.find((tag) => languages.includes(tag)) ?? "en";
}

async function open(event, page) {
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  const fetched = (async () => (await event.preloadResponse) ?? (await fetch(event.request)))();
  // Undefined if it takes too long or the server can't be reached. A proxy in front of it answers with a status of 5xx.
  const answer = await Promise.race([fetched, late]).catch(() => undefined);
  if (answer && answer.status < 500) return answer;
  const kept = await caches.match(keyOf(page, await languageNow()), { cacheName: site });
  return kept ?? fetched;
}

async function file(request) {
  const kept = await caches.match(new URL(request.url).pathname, { cacheName: site });
  return kept ?? fetch(request);
}

/** The list of models. When the server can't be reached, the last one, marked as such. */
async function list(event, request) {
  try {
    const response = await fetch(request);
    if (response.ok) event.waitUntil(remember(response.clone()));
    if (response.status < 500) return response;
  } catch {}
  const kept = await caches.match(LIST, { cacheName: lists }).catch(() => undefined);
  if (!kept) return Response.error();
  const headers = new Headers(kept.headers);
  headers.set("gemtab-kept", "1");
  return new Response(kept.body, { headers });
}

/** Without room for it, the last list stays. */
async function remember(response) {
  try {
    const cache = await caches.open(lists);
    await cache.put(LIST, response);
  } catch {}
}
