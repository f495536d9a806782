// A link in an answer. A browser may look its host up before anybody follows it, and the host's name could tell what a model has
// read. Playwright's usual options keep a browser from doing so, hence this starts one as people do.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium, expect, test, type Page } from "@playwright/test";

test.skip(({ browserName }) => browserName !== "chromium", "only Chromium says what it looks up");

/** Moves the pointer over a link to a host of this name. */
async function point(page: Page, host: string): Promise<void> {
  await page.evaluate((host) => {
    const link = document.createElement("a");
    Object.assign(link, { id: "link", href: `http://${host}.example/`, textContent: "a link", rel: "noopener noreferrer" });
    (document.querySelector("main") ?? document.body).prepend(link);
  }, host);
  await page.hover("#link");
}

test("is looked up by nobody before it is followed", async ({ baseURL, launchOptions }, info) => {
  const log = info.outputPath("net.json");
  const profile = info.outputPath("profile");
  const options = ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--remote-debugging-port=0"];
  const program = launchOptions.executablePath ?? chromium.executablePath();
  const browser = spawn(program, [...options, `--user-data-dir=${profile}`, `--log-net-log=${log}`, "about:blank"], {
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => browser.on("exit", resolve));
  const port = () => readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n")[0];
  await expect(() => expect(port()).toMatch(/\d/)).toPass();
  const connection = await chromium.connectOverCDP(`http://127.0.0.1:${port()}`);
  const page = await (connection.contexts()[0] ?? (await connection.newContext())).newPage();
  await page.goto(baseURL ?? "");
  await point(page, "secret-of-the-model");

  // Anywhere else it is looked up: then this browser would have done so here, too.
  const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<main>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  await point(page, "known-to-be-looked-up");
  const looked = (host: string) => readFileSync(log, "utf8").includes(`${host}.example`);
  await expect.poll(() => looked("known-to-be-looked-up")).toBe(true);
  const session = await connection.newBrowserCDPSession();
  await session.send("Browser.close").catch(() => {});
  await ended;
  other.close();
  expect(looked("secret-of-the-model")).toBe(false);
});
