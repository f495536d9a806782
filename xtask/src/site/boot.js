const root = document.documentElement;
// Without this, the page says that its first script has not come: `style/boot.css`.
root.dataset.live = "";

// Input before hydration is kept: hydration would undo what was typed and chosen, and buttons do nothing yet.
const pressed = [];
const changed = new Set();
const early = new AbortController();
const until = { capture: true, signal: early.signal };
addEventListener("click", ({ target }) => pressed.push(target.closest?.("button")), until);
addEventListener("change", ({ target }) => changed.add(target), until);
const isSwitch = ({ type }) => type === "checkbox" || type === "radio";
const isTyped = (field) => changed.has(field) || (field.value !== field.defaultValue && !isSwitch(field));

// The words of each language.
const languages = {{texts}};
const texts = async (tag) => {
  const answer = await fetch(new URL(languages[tag], import.meta.url));
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.text();
};

try {
  const shown = root.lang in languages ? root.lang : "en";
  const [{ default: init, add_texts, needs_later, load_later, hydrate }, own] = await Promise.all([
    import("./{{script}}"),
    texts(shown),
  ]);

  // The tables in which hydration looks for what the server has computed. Leptos writes them by inline scripts, which the
  // content security policy forbids; the server computes nothing for the page, so they are always empty.
  Object.assign(globalThis, { __RESOLVED_RESOURCES: [], __SERIALIZED_ERRORS: [], __INCOMPLETE_CHUNKS: [] });

  await init({ module_or_path: new URL("./{{wasm}}", import.meta.url) });
  add_texts(shown, own);
  if (needs_later(location.pathname)) await load_later();
  const fields = [...document.querySelectorAll("input, textarea"), ...changed];
  const typed = new Map(fields.filter(isTyped).map((field) => [field, isSwitch(field) ? field.checked : field.value]));
  early.abort();
  hydrate();
  root.dataset.boot = "done";
  for (const [field, value] of typed) {
    if (isSwitch(field)) {
      if (field.checked !== value) field.click();
      continue;
    }
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    if (changed.has(field)) field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  // The page's first effects go before.
  setTimeout(() => pressed.forEach((button) => button?.isConnected && button.click()));
  // Now, so that choosing another language later asks for nothing. One that does not come is shown after a reload.
  // The same goes for what the first page does not need; what does not come is asked for again where it is wanted.
  load_later().catch(() => {});
  const others = Object.keys(languages).filter((tag) => tag !== shown);
  others.forEach((tag) => texts(tag).then((all) => add_texts(tag, all), () => {}));
  // So does the font of formulas: the first answer may have one.
  document.fonts.load("1em 'STIX Two Math'").catch(() => {});
  // What hears a microphone, too: that somebody records is not for the server to know.
  const { content: recorder } = document.querySelector('meta[name="gemtab-recorder"]') ?? {};
  if (recorder) fetch(recorder).then((answer) => answer.text()).catch(() => {});
  // The page opens without the server from now on, where the browser allows that: a secure context, and room for it.
  const worker = navigator.serviceWorker;
  const here = new URL(import.meta.url).pathname;
  worker?.addEventListener("message", ({ data }) => data.boot !== here && dispatchEvent(new Event("newbuild")));
  worker?.register("/sw.js").catch(() => {});
  for (const needed of ["documents", "constraints"]) {
    addEventListener(needed, () => worker?.ready.then(({ active }) => active?.postMessage({ needed })));
  }
} catch (cause) {
  root.dataset.boot = "failed";
  console.error(cause);
}
