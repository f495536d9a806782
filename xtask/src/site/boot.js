import init, { hydrate } from "./{{script}}";

// The tables in which hydration looks for what the server has computed. Leptos writes them by inline scripts, which the
// content security policy forbids; the server computes nothing for the page, so they are always empty.
Object.assign(globalThis, { __RESOLVED_RESOURCES: [], __SERIALIZED_ERRORS: [], __INCOMPLETE_CHUNKS: [] });

await init({ module_or_path: new URL("./{{wasm}}", import.meta.url) });
hydrate();
