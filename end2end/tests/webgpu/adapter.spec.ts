import { expect, test } from "@playwright/test";

test("the page has a WebGPU adapter", async ({ page }) => {
  await page.goto("/");
  const adapter = await page.evaluate(async () => {
    const found = await navigator.gpu?.requestAdapter();
    return found && { buffers: found.limits.maxStorageBuffersPerShaderStage, secure: isSecureContext };
  });
  expect(adapter).toMatchObject({ secure: true });
  // The engine's kernels bind up to this many.
  expect(adapter?.buffers).toBeGreaterThanOrEqual(8);
});
