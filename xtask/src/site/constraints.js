/** Fetches grammar support. */
self.loadConstraints = async () => {
  const constraints = await import("./{{constraints-script}}");
  await constraints.default({ module_or_path: new URL("./{{constraints-wasm}}", import.meta.url) });
  return constraints;
};
