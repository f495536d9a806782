import type { Locator } from "@playwright/test";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("an answer", () => {

  test("comes token by token, and Stop and Esc keep what was written and typed", { tag: CORE }, async ({ app, page }) => {
    await test.step("comes token by token, and Stop keeps what was written", async () => {
      await app.openChat("usual,demo");
      await app.send("A long answer");
      const answer = app.answers.first();
      await expect(answer).toContainText("Part 1");
      // The context fills meanwhile.
      await expect(page.getByText(/^[1-9]\d* of \S+ tokens of context used$/)).toBeAttached();
      await expect(answer).toHaveAttribute("aria-busy", "true");
      await expect(app.sendButton).toBeHidden();
      await expect(answer).toContainText("Part 2");
      await app.stopButton.click();
      await expect(answer).toHaveAttribute("aria-busy", "false");
      await expect(answer).toContainText("Stopped.");
      await expect(answer).toContainText("Part 2");
      await expect(answer).not.toContainText("Part 12");
      await app.kept('"finish":"Cancelled"');
      await page.reload();
      await expect(answer).toContainText("Part 2");
      await expect(answer).toContainText("Stopped.");
    });
    await test.step("is stopped by Esc, and what was typed meanwhile stays", async () => {
      await app.startConversation();
      await app.send("A long answer");
      await expect(app.answers.first()).toContainText("Part 1");
      const hint = app.page.locator("#composer-hint");
      await expect(hint).toBeEmpty();
      await app.composer.fill("Next question");
      await expect(hint).toHaveText("Your message will be sent after this answer.");
      await app.composer.press("Escape");
      await expect(app.answers.first()).toContainText("Stopped.");
      await expect(app.composer).toHaveValue("Next question");
      await app.composer.press("Enter");
      await app.pace(0);
      await app.answered();
      await expect(app.answers).toHaveCount(2);
    });
  });

  test("tells how many guesses were right, if tokens are guessed", async ({ app, page }) => {
    await app.open("instant,demo", "/settings");
    // This model has no drafter.
    const guessing = page.getByRole("group", { name: "Speculative decoding" });
    await expect(guessing.getByRole("radio", { name: "When the model has a drafter" })).toBeChecked();
    await guessing.getByRole("radio", { name: "Always" }).check();
    await app.rail.getByRole("link", { name: "gemtab" }).click();
    await app.ask("Hello");
    await app.openDrawer();
    await expect(app.drawer.getByText("Drafted tokens accepted")).toBeVisible();
    await expect(app.drawer.getByText(/^\d+ of \d+ tokens$/)).toBeVisible();
  });

  test("is followed unless the reader scrolled up, and Jump to latest leads back", async ({ app, page }) => {
    await page.setViewportSize({ width: 1280, height: 480 });
    await app.openChat("instant,demo");
    await app.ask("Show me everything");
    const log = page.getByRole("region", { name: "Conversation" });
    const fromEnd = () => log.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(60);
    await log.evaluate((it) => it.scrollTo({ top: 0 }));
    const latest = page.getByRole("button", { name: "Jump to latest" });
    await expect(latest).toBeVisible();
    await latest.click();
    await expect.poll(fromEnd).toBeLessThan(60);
    await expect(latest).toBeHidden();
  });
  test("is said in whole sentences, drawn as Markdown, and tells its figures", { tag: CORE }, async ({ app, page }) => {
    await test.step("is said in whole sentences", async () => {
      await app.openChat();
      await page.evaluate(() => {
        const region = document.querySelector("[role=status][aria-live=polite]");
        const said: string[] = [];
        Object.assign(window, { said });
        new MutationObserver(() => said.push(region?.textContent ?? "")).observe(region as Node, {
          childList: true,
          characterData: true,
          subtree: true,
        });
      });
      await app.ask("Hello");
      const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
      await expect.poll(async () => (await said()).join(" ")).toContain("The circle is about twice as wide.");
      for (const words of (await said()).map((it) => it.trim())) {
        expect(words, "a whole sentence").toMatch(/^$|[.…:]$/);
      }
    });
    await test.step("is drawn as Markdown: list, code, table and formulas", async () => {
      await app.startConversation();
      const answer = await app.ask("Show me everything");

      await expect(answer.getByRole("listitem").first()).toHaveText("Read the header of the file.");
      await expect(answer.getByRole("listitem").first().getByRole("strong")).toHaveText("Read");

      const code = answer.getByRole("figure");
      await expect(code).toContainText("Rust");
      await expect(code.locator(".tok-keyword").filter({ hasText: /^fn$/ })).toBeVisible();
      await expect(code.locator(".tok-comment")).toContainText("Sum of the squares");
      await app.allowClipboard();
      await code.getByRole("button", { name: "Copy" }).click();
      await expect(code.getByRole("button", { name: "Copied" })).toBeVisible();
      const copied = await app.clipboard();
      expect(copied ?? "(1..=n).map(|k| k * k).sum()\n").toContain("(1..=n).map(|k| k * k).sum()\n");

      await expect(answer.getByRole("columnheader", { name: "Distance (AU)" })).toHaveCSS("text-align", "right");
      await expect(answer.getByRole("row", { name: "Venus 0.72 225" })).toBeVisible();

      const formula = answer.locator("math[display=block]");
      await expect(formula.locator("msqrt mfrac")).toHaveCount(1);
      await expect(answer.locator("math:not([display=block])").first()).toBeVisible();
      await expect(answer.getByText("$$")).toHaveCount(0);
    });
    await test.step("tells its figures, here and above", async () => {
      await app.startConversation();
      const answer = await app.ask("Show me everything");
      const figures = answer.getByRole("button", { name: /\d tok\/s · \d\.\d s/ });
      const more = answer.getByText(/\d+ tokens, the first after /);
      await figures.click();
      await expect(more).toBeVisible();
      // How long all of it took, and how long its first token.
      const seconds = async (of: Locator) => Number((await of.textContent())?.match(/(\d+\.\d) s/)?.[1]);
      expect(await seconds(figures)).toBeGreaterThan(await seconds(more));
      await page.keyboard.press("Escape");
      await expect(answer.getByText(/\d+ tokens, the first after /)).toBeHidden();
      await expect(page.getByText(/^\d+ of 8.192 tokens of context used$/)).toBeAttached();
      await app.openDrawer();
      await expect(app.drawer).toContainText("Last answer");
      await expect(app.drawer.getByText(/tok\/s/)).toBeVisible();
    });
  });

});

test("long code is folded, and its lines can be wrapped", async ({ app }) => {
  await app.openChat();
  const lines = Array.from({ length: 30 }, (_, at) => `line_${at + 1} = "${"long ".repeat(40)}"`);
  await app.ask(`\`\`\`python\n${lines.join("\n")}\n\`\`\``);
  const code = app.questions.last().getByRole("figure");
  const body = code.locator(".code-body");
  const height = () => body.evaluate((body) => body.clientHeight);
  // What is out of sight isn't laid out.
  const isCut = () =>
    body.evaluate((body) => {
      body.scrollIntoView({ block: "nearest" });
      return body.scrollHeight > body.clientHeight + 1;
    });
  await app.questions.last().getByRole("button", { name: "Show more" }).click();
  await expect.poll(isCut).toBe(true);
  const folded = await height();
  await code.getByRole("button", { name: "Show all 30 lines" }).click();
  await expect.poll(isCut).toBe(false);
  await expect.poll(height).toBeGreaterThan(folded);
  // Its language and its buttons stay in sight while it is scrolled.
  await body.evaluate((body) => body.scrollIntoView({ block: "end" }));
  await expect(code.getByText(/^python$/i)).toBeInViewport();
  const wrap = code.getByRole("button", { name: "Wrap lines" });
  const isWide = () => body.evaluate((body) => body.scrollWidth > body.clientWidth + 1);
  await expect.poll(isWide).toBe(true);
  await wrap.click();
  await expect(wrap).toHaveAttribute("aria-pressed", "true");
  await expect.poll(isWide).toBe(false);
  await code.getByRole("button", { name: "Show less" }).click();
  await expect.poll(isCut).toBe(true);
});
