// What the server learns of a recording, and of questions about a document: nothing. Tests that route requests have no cache, so this one does without.

import { expect, test } from "@playwright/test";
import { App } from "../../support/app.ts";
import { text } from "../../support/documents.ts";
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

test("a second question about a document asks the server for nothing", async ({ page, baseURL }) => {
  const server = await NewerBuild.before(baseURL ?? "");
  const app = new App(page);
  await page.goto(`${server.origin}/?fake=instant`);
  await app.ready();
  await app.attach(text("lease.md", "# Rent\n\nThe rent is 900 euros.\n\n# Notice\n\nThree months.\n"));
  await expect(app.tray).toContainText("7 lines");
  await app.ask("How much is the rent?");
  const before = server.asked.length;
  const answer = await app.ask("What is the notice period?");
  await expect(answer).not.toHaveText("");
  expect(server.asked.slice(before)).toEqual([]);
  server.close();
});
