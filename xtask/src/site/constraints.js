/** Fetches what constrains answers. */
self.loadConstraints = async () => {
  const constraints = await import("./{{constraints-script}}");
  await constraints.default({ module_or_path: new URL("./{{constraints-wasm}}", import.meta.url) });
  return constraints;
};
