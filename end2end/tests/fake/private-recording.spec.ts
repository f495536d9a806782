// What the server learns of a recording: nothing. Tests that route requests have no cache, so this one does without.

import { expect, test } from "@playwright/test";
import { App } from "../../support/app.ts";
import { NewerBuild } from "../../support/newer.ts";

test.skip(({ browserName }) => browserName !== "chromium", "only Chromium has a microphone for tests");

test("who records asks the server for nothing", async ({ page, context, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  await context.grantPermissions(["microphone"], { origin: server.origin });
  const app = new App(page);
  await page.goto(`${server.origin}/?fake=instant`);
  await app.ready();
  await app.ask("Hello");
  const asked = () => server.asked.filter((path) => path.includes("/recorder."));
  await expect.poll(asked).toHaveLength(1);
  const before = server.asked.length;
  await app.recordButton.click();
  await expect(page.getByRole("timer")).not.toHaveText("0:00");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(app.tray).toContainText("Recording");
  expect(server.asked.slice(before)).toEqual([]);
  server.close();
});
