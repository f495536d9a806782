// What a service worker keeps of the page: it opens without the server, and a newer build is told.

import { expect, type Page, test } from "@playwright/test";
import { App } from "../../support/app.ts";
import { text } from "../../support/documents.ts";
import { NewerBuild } from "../../support/newer.ts";

// A context that was offline would stay so for the next test.
test.use({ serviceWorkers: "allow", reuseContext: false });
test.skip(({ browserName }) => browserName !== "chromium", "others do not show what a service worker does");

/** Waits until everything is kept. */
async function kept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  // It opens pages from the moment on that it controls this one.
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
}

test("without the server every page opens, in the language that was chosen", async ({ page, context, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  const { origin } = server;
  await page.goto(origin);
  await kept(page);
  server.close();
  await context.setOffline(true);
  for (const [path, title] of [
    ["/models", "Models"],
    ["/tune", "Fine-tune"],
    ["/settings", "Settings"],
    ["/diagnostics", "Diagnostics"],
  ]) {
    const kept = await page.goto(`${origin}${path}`);
    // What protects a page is kept with it.
    expect(kept?.headers()["x-dns-prefetch-control"]).toBe("off");
    expect(kept?.headers()["content-security-policy"]).toContain("default-src 'none'");
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-boot", "done");
  }
  await page.goto(`${origin}/models`);
  await expect(page.getByText("The server can’t be reached. Models saved in this browser still work.")).toBeVisible();
  await context.addCookies([{ name: "language", value: "de", url: origin }]);
  await page.goto(origin);
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goto(`${origin}/c/0123456789abcdef0123456789abcdef`);
  await expect(page.locator("html")).toHaveAttribute("data-boot", "done");
});

test("a list of models for which there is no room is shown all the same", async ({ page, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  server.prelude = `const put = Cache.prototype.put;
    Cache.prototype.put = function (request, response) {
      if (String(request.url ?? request).endsWith("/api/models")) throw new DOMException("full", "QuotaExceededError");
      return put.call(this, request, response);
    };
  `;
  await page.goto(server.origin);
  await kept(page);
  const listed = await page.evaluate(async () => {
    const answer = await fetch("/api/models");
    return { ok: answer.ok, kept: answer.headers.has("gemtab-kept") };
  });
  expect(listed).toEqual({ ok: true, kept: false });
  await page.goto(`${server.origin}/models`);
  await expect(page.getByRole("listitem").filter({ hasText: /pebble/ }).first()).toBeVisible();
  await expect(page.getByText(/The server can’t be reached/)).toHaveCount(0);
  server.close();
});

test("one list of models is kept, whatever it is asked for with", async ({ page, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  await page.goto(server.origin);
  await kept(page);
  const ask = (address: string) =>
    page.evaluate(async (address) => {
      const list = await fetch(address);
      return { kept: list.headers.has("gemtab-kept"), text: await list.text() };
    }, address);
  for (const query of ["?one", "?two=2", "#three"]) {
    expect((await ask(`/api/models${query}`)).kept).toBe(false);
  }
  server.close();
  const answer = await ask("/api/models?four");
  expect(answer.kept).toBe(true);
  expect(answer.text).toContain("pebble");
  const lists = await page.evaluate(async () => (await (await caches.open("lists")).keys()).map(({ url }) => url));
  expect(lists).toEqual([`${server.origin}/api/models`]);
});

test("a page is told of a newer build, and reloads into it", async ({ page, context, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  await page.goto(server.origin);
  await kept(page);
  server.isNew = true;
  const boot = (page: Page) => page.locator("script[type=module]").first().getAttribute("src");
  expect(await boot(page)).not.toContain("boot.new.");
  // Browsers look for a newer build when a page opens.
  const other = await context.newPage();
  await other.goto(server.origin);
  expect(await boot(other)).toContain("boot.new.");
  const notices = (page: Page) => page.getByRole("region", { name: "Notifications" });
  await expect(notices(page)).toContainText("There’s a new version of gemtab.");
  await expect(notices(other)).toHaveCount(0);
  await notices(page).getByRole("button", { name: "Reload" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-boot", "done");
  await expect.poll(() => boot(page)).toContain("boot.new.");
  server.close();
});

test("the readers of documents and schemas are fetched when they are needed, and kept for when there is no server", async ({ page, context, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  const app = new App(page);
  const asked = () => server.asked.filter((path) => /\/pkg\/(documents|constraints)/.test(path));
  await page.goto(`${server.origin}/?fake=instant`);
  await app.ready();
  await kept(page);
  expect(asked()).toEqual([]);
  await app.attach(text("lease.md", "# Rent\n\nThe rent is 900 euros.\n\n# Notice\n\nThe notice period is three months.\n"));
  await expect(app.tray).toContainText("7 lines");
  const stored = (part: string) =>
    page.evaluate(async (part) => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().filter(({ url }) => url.includes(`/pkg/${part}.`) || url.includes(`/pkg/${part}-`)).length;
    }, part);
  await expect.poll(() => stored("documents")).toBe(3);
  expect(await stored("constraints")).toBe(0);
  await app.openDrawer();
  await app.drawer.getByRole("switch", { name: "Calculator" }).check();
  await expect.poll(() => stored("constraints")).toBe(2);
  await page.keyboard.press("Escape");
  const before = server.asked.length;
  const answer = await app.ask("What is the notice period?");
  await expect(answer.getByRole("button", { name: /Open lease.md/ })).toBeVisible();
  expect(server.asked.slice(before), "a question asks the server for nothing").toEqual([]);
  server.close();
  await context.setOffline(true);
  await page.reload();
  await app.ready();
  await app.attach(text("other.txt", "Read offline."));
  await expect(app.tray).toContainText("1 line");
});

test("a preview of what the model has coded runs without the server", async ({ page, context, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  const app = new App(page);
  await page.goto(`${server.origin}/?fake=instant`);
  await app.ready();
  await kept(page);
  server.close();
  await context.setOffline(true);
  await app.ask("A web page");
  await app.answers.getByRole("button", { name: "Preview" }).click();
  const program = page.frameLocator("dialog iframe").frameLocator("iframe");
  await expect(program.getByRole("heading")).toHaveText("Counter 1");
});
