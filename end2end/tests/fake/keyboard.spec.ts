import { closeByEscAndThen, reopenBeforeCloseEvent } from "../../support/dialog.ts";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

test.describe("the keyboard", () => {
  test("Ctrl+K goes anywhere, acts on the conversation, and Esc gives the focus back", async ({ app, page }) => {
    await test.step("Ctrl+K goes anywhere, and Esc gives the focus back", async () => {
      await app.openChat();
      await app.ask("Hello");
      await app.composer.focus();
      await page.keyboard.press("Control+k");
      const field = app.palette.getByRole("combobox", { name: "Search and commands" });
      await expect(field).toBeFocused();
      const selected = app.palette.getByRole("option", { selected: true });
      await expect(selected).toContainText("New conversation");
      await page.keyboard.press("ArrowDown");
      await expect(selected).toContainText("New temporary conversation");
      await page.keyboard.press("ArrowDown");
      await expect(selected).toContainText("Choose a model");
      await page.keyboard.press("Escape");
      await expect(app.palette).toBeHidden();
      await expect(app.composer).toBeFocused();

      await page.keyboard.press("Control+k");
      await field.fill("diag");
      await expect(app.palette.getByRole("option")).toHaveCount(1);
      await page.keyboard.press("Enter");
      await expect(page.getByRole("heading", { name: "Diagnostics", level: 1 })).toBeVisible();

      await page.keyboard.press("Control+k");
      await field.fill("hello");
      await page.keyboard.press("Enter");
      await expect(app.questions).toHaveText(/Hello/);

      await page.keyboard.press("Control+k");
      await field.fill("nothing like it");
      await expect(app.palette).toContainText("No matches");
    });
    await test.step("the palette acts on the conversation", async () => {
      await page.keyboard.press("Escape");
      await expect(app.palette).toBeHidden();
      const choose = async (words: string, name: string) => {
        await page.keyboard.press("Control+k");
        await app.palette.getByRole("combobox").fill(words);
        await expect(app.palette.getByRole("option", { selected: true })).toContainText(name);
        await page.keyboard.press("Enter");
        await expect(app.palette).toBeHidden();
      };
      await choose("regen", "Regenerate");
      await expect(await app.answered()).toContainText("There is more than one way");
      await choose("think", "Think before answering");
      await expect(page.getByRole("button", { name: "Think", exact: true })).toHaveAttribute("aria-pressed", "true");
      await choose("think", "Answer without thinking");
      await expect(page.getByRole("button", { name: "Think", exact: true })).toHaveAttribute("aria-pressed", "false");
      const chooser = page.waitForEvent("filechooser");
      await choose("attach", "Attach files");
      await chooser;
      const download = page.waitForEvent("download");
      await choose("markdown", "Export this conversation as Markdown");
      await download;
    });
  });

  test("Ctrl+K reopens the palette before its close event, / goes to the message, Enter sends or makes a line", async ({ app, page }) => {
    await test.step("Ctrl+K, pressed twice, reopens the palette before its close event", async () => {
      await app.openChat();
      await page.keyboard.press("Control+k");
      const field = app.palette.getByRole("combobox");
      await expect(field).toBeFocused();
      const press = await page.evaluateHandle(() => () => {
        window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
      });
      await reopenBeforeCloseEvent(app.palette, press);
      await expect(field).toBeFocused();
    });
    await test.step("Ctrl+K after Esc does, too", async () => {
      await page.keyboard.press("Escape");
      await expect(app.palette).toBeHidden();
      await page.keyboard.press("Control+k");
      const field = app.palette.getByRole("combobox");
      await expect(field).toBeFocused();
      await closeByEscAndThen(app.palette, () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true })));
      await expect(field).toBeFocused();
    });
    await test.step("/ goes to the message field, and is a letter in it", async () => {
      await page.keyboard.press("Escape");
      await expect(app.palette).toBeHidden();
      await page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" }).click();
      await page.keyboard.press("/");
      await expect(app.composer).toBeFocused();
      await expect(app.composer).toHaveValue("");
      await page.keyboard.press("/");
      await expect(app.composer).toHaveValue("/");
    });
    await test.step("Enter sends or makes a line, as chosen", async () => {
      await app.composer.fill("One");
      await app.composer.press("Shift+Enter");
      await app.composer.pressSequentially("Two");
      await expect(app.composer).toHaveValue("One\nTwo");
      await app.composer.fill("");
      await app.rail.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("radio", { name: /^Ctrl\+Enter/ }).check();
      await app.rail.getByRole("link", { name: "gemtab" }).click();
      await app.composer.fill("One");
      await app.composer.press("Enter");
      await app.composer.pressSequentially("Two");
      await expect(app.composer).toHaveValue("One\nTwo");
      await app.composer.press("Control+Enter");
      await expect(app.questions).toHaveText(/One\nTwo/);
    });
  });

  test("Tab follows the eye, and the skip link leads to the conversation", async ({ app, page, browserName }) => {
    test.skip(browserName === "webkit", "Safari's Tab passes links by unless a person sets it otherwise");
    await app.openChat("instant,demo");
    await app.ask("Hello");
    await app.reload();
    await app.ready();
    await expect(app.questions).toHaveCount(1);
    const focused = () =>
      page.evaluate(() => {
        const it = document.activeElement;
        return it?.getAttribute("aria-label") ?? it?.textContent?.trim() ?? "";
      });
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to main content");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
    await page.keyboard.press("Tab");
    expect(await focused()).toMatch(/^Model: pebble/);
    const seen = [];
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press("Tab");
      const name = await focused();
      seen.push(name);
      if (name === "Message") {
        break;
      }
    }
    const expected = ["Conversation settings", "Conversation", "Edit and resend", "Regenerate", "Message"];
    expect(seen.filter((name) => expected.includes(name))).toEqual(expected);
    const rail = [];
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.getByRole("link", { name: "gemtab" }).focus();
    for (let step = 0; step < 9; step += 1) {
      rail.push(await focused());
      await page.keyboard.press("Tab");
    }
    expect(rail).toEqual([
      "gemtab", "Hide sidebar", "New", "Search conversations", "Organize conversations", "Hello", "Actions for Hello",
      "Models", "Fine-tune",
    ]);
  });

  test("a dialog keeps the focus and gives it back", { tag: CORE }, async ({ app, page }) => {
    await app.openChat();
    await app.model.focus();
    await page.keyboard.press("Enter");
    const picker = page.getByRole("dialog", { name: "Choose a model" });
    await expect(picker).toBeVisible();
    // It begins at the model that is selected.
    await expect(picker.locator(":focus")).toHaveText(/^gemma4:e/);
    // The fields behind the buttons that open files are no controls of their own.
    const fields = page.locator("input[type=file]");
    await expect(fields).not.toHaveCount(0);
    await expect(fields.filter({ visible: true })).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(picker).toBeHidden();
    await expect(app.model).toBeFocused();
    const menu = page.getByRole("button", { name: "Organize conversations" });
    await menu.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: "New temporary conversation" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menuitem", { name: "New temporary conversation" })).toBeHidden();
    await expect(menu).toBeFocused();
  });
});
