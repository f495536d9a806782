import { expect, test } from "../../support/watch.ts";

const file = (name: string) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from("adapter") });

test.describe("adapters", () => {
  test("that do not fit are refused, others opened in the drawer, scaled and switched in a running conversation", async ({ app }) => {
    await app.openChat();
    await app.ask("Hello");
    await expect(app.answers.last()).toContainText("A red circle");
    await expect(app.answers.last()).not.toContainText("Spoken with");
    await app.openDrawer();
    const files = app.drawer.getByLabel("Adapter files");

    await test.step("what does not fit is refused with the reason", async () => {
      await files.setInputFiles(file("other.gguf"));
      await expect(app.drawer.getByText("This adapter was made for another model.")).toBeVisible();
      // Also to whom the screen is read.
      await expect(app.page.getByRole("status").filter({ hasText: "This adapter was made for another model." })).toHaveCount(1);
      await files.setInputFiles(file("adapter_model.safetensors"));
      await expect(app.drawer.getByText("Choose both together.")).toBeVisible();
      await expect(app.drawer.getByRole("slider")).toHaveCount(0);
    });

    await files.setInputFiles(file("pirate.gguf"));
    await expect(app.drawer.getByText("rank 8 · 35 layers")).toBeVisible();
    await app.ask("Hello again");
    await expect(app.answers.last()).toContainText(/Spoken with file:pirate\.gguf:7:\d+ at 1\./);

    await app.drawer.getByRole("slider", { name: "Strength of pirate" }).fill("0.5");
    await app.ask("And again");
    await expect(app.answers.last()).toContainText("at 0.5.");

    // The two files of PEFT together; both adapters count.
    await files.setInputFiles([file("adapter_config.json"), file("adapter_model.safetensors")]);
    await expect(app.drawer.getByRole("slider")).toHaveCount(2);
    await app.ask("With both");
    await expect(app.answers.last()).toContainText("pirate");
    await expect(app.answers.last()).toContainText("adapter_model.safetensors");

    await app.drawer.getByRole("button", { name: "Remove pirate" }).click();
    await app.drawer.getByRole("switch", { name: "On", exact: true }).click();
    await app.ask("With none");
    await expect(app.answers.last()).toContainText("A red circle");
    await expect(app.answers.last()).not.toContainText("Spoken with");
  });

  test("are there again after a reload, as they were set", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    await app.openDrawer();
    const files = app.drawer.getByLabel("Adapter files");
    await files.setInputFiles(file("pirate.gguf"));
    await app.drawer.getByRole("slider", { name: "Strength of pirate" }).fill("0.5");
    await files.setInputFiles([file("adapter_config.json"), file("adapter_model.safetensors")]);
    await expect(app.drawer.getByRole("slider")).toHaveCount(2);
    await app.kept('"scale":0.5');
    await app.kept("adapter_model.safetensors");
    await page.reload();
    await expect(app.questions).toHaveCount(1);
    await app.ask("Hello again");
    await expect(app.answers.last()).toContainText(/Spoken with file:pirate\.gguf:7:\d+ at 0\.5\./);
    await expect(app.answers.last()).toContainText("adapter_model.safetensors");
    // What was removed stays away.
    await app.openDrawer();
    await app.drawer.getByRole("button", { name: "Remove pirate" }).click();
    await expect(app.drawer.getByRole("slider")).toHaveCount(1);
    await expect.poll(() => app.inStore('"scale":0.5')).toBe(false);
    await page.reload();
    await expect(app.questions).toHaveCount(2);
    await app.ask("Once more");
    await expect(app.answers.last()).not.toContainText("pirate");
    await expect(app.answers.last()).toContainText("adapter_model.safetensors");
  });

  test("are chosen beside the message, and compared side by side", async ({ app, page }) => {
    await app.openChat();
    await app.ask("Hello");
    const choice = page.getByRole("combobox", { name: "Adapter" });
    await app.openDrawer();
    await expect(choice).toHaveCount(0);
    await app.drawer.getByLabel("Adapter files").setInputFiles(file("pirate.gguf"));
    await expect(choice).toHaveValue(/^file:pirate\.gguf:7:\d+$/);
    await choice.selectOption("none");
    await app.ask("Plainly");
    await expect(app.answers.last()).toContainText("A red circle");
    await expect(app.answers.last()).not.toContainText("Spoken with");
    await choice.selectOption({ label: "pirate" });
    await app.ask("As a pirate");
    await expect(app.answers.last()).toContainText("Spoken with");

    const answers = await app.answers.count();
    await app.drawer.getByRole("button", { name: "Compare with and without" }).click();
    const dialog = page.getByRole("dialog", { name: "With and without the adapter" });
    await expect(dialog.getByRole("region", { name: "With", exact: true })).toContainText("Spoken with");
    const without = dialog.getByRole("region", { name: "Without" });
    await expect(without).toContainText("A red circle");
    await expect(without).not.toContainText("Spoken with");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    // The conversation stays as it is.
    await expect(app.answers).toHaveCount(answers);

    // There is nothing to compare before the first message.
    await app.startConversation();
    await expect(app.drawer.getByRole("button", { name: "Compare with and without" })).toBeDisabled();
    await expect(app.drawer.getByText("Send a message first, then compare its answers.")).toBeVisible();
  });

  test("a comparison that fails is said", async ({ app, page }) => {
    await app.openChat("instant,fail");
    await app.ask("Hello");
    await app.openDrawer();
    await app.drawer.getByLabel("Adapter files").setInputFiles(file("pirate.gguf"));
    await app.drawer.getByRole("button", { name: "Compare with and without" }).click();
    const dialog = page.getByRole("dialog", { name: "With and without the adapter" });
    const why = dialog.getByRole("group", { name: "Something went wrong" }).locator("p").first();
    await expect(dialog.getByRole("status")).toHaveText(await why.innerText());
  });
});
