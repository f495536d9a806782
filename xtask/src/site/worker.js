import init, { start } from "./{{script}}";

{{ahead}}
{{constraints}}
// Messages that come before the engine is compiled are kept for it.
const early = [];
self.onmessage = (event) => early.push(event);

try {
  await init({ module_or_path: new URL("./{{wasm}}", import.meta.url) });
  start(early);
} catch (cause) {
  self.postMessage({ error: String(cause) });
}
