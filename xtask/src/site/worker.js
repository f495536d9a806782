import init, { start } from "./{{script}}";

{{ahead}}
/** Takes a lock that all tabs share. Gives what lets it go, or null where another tab has it. */
self.takeLock = (name) =>
  new Promise((resolve, reject) => {
    const hold = (lock) => (lock ? new Promise((release) => resolve(release)) : resolve(null));
    navigator.locks.request(name, { ifAvailable: true }, hold).catch(reject);
  });

/** Resolves once nobody holds a lock. */
self.waitForLock = (name) => navigator.locks.request(name, () => {});

// Messages that come before the engine is compiled are kept for it.
const early = [];
self.onmessage = (event) => early.push(event);

try {
  await init({ module_or_path: new URL("./{{wasm}}", import.meta.url) });
  start(early);
} catch (cause) {
  self.postMessage({ error: String(cause) });
}
