// What a person does before the page lives is kept for it: hydration would undo what was typed, and buttons do nothing yet.
const root = document.documentElement;
const pressed = [];
const early = new AbortController();
const press = ({ target }) => pressed.push(target.closest?.("button"));
addEventListener("click", press, { capture: true, signal: early.signal });

try {
  const { default: init, hydrate } = await import("./{{script}}");

  // The tables in which hydration looks for what the server has computed. Leptos writes them by inline scripts, which the
  // content security policy forbids; the server computes nothing for the page, so they are always empty.
  Object.assign(globalThis, { __RESOLVED_RESOURCES: [], __SERIALIZED_ERRORS: [], __INCOMPLETE_CHUNKS: [] });

  await init({ module_or_path: new URL("./{{wasm}}", import.meta.url) });
  const fields = [...document.querySelectorAll("input, textarea")];
  const typed = fields.filter((field) => field.value !== field.defaultValue).map((field) => [field, field.value]);
  early.abort();
  hydrate();
  root.dataset.boot = "done";
  for (const [field, value] of typed) {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  // The page's first effects go before.
  setTimeout(() => pressed.forEach((button) => button?.isConnected && button.click()));
} catch (cause) {
  root.dataset.boot = "failed";
  console.error(cause);
}
