import { writeFileSync } from "node:fs";
import { expect, test } from "../../support/watch.ts";

test.describe("the first visit", () => {
  test("lists the models, those that fit first, and asks before one is loaded that probably won’t", async ({ app, page }) => {
    await test.step("lists the models with size, abilities and a verdict, those that fit first", async () => {
      await page.route("**/api/pull", (route) => route.fulfill({ json: { offered: false, free: null, pull: null } }));
      await app.openChat();
      await expect(page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" })).toBeVisible();
      await expect(page.getByText("What you write stays in this browser.")).toBeVisible();
      const row = (name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) });
      await expect(row("gemma4:e2b ?5.1B")).toContainText("7.2 GB");
      await expect(row("gemma4:e2b ?5.1B")).toContainText("text, images, audio, thinking");
      await expect(row("gemma4:e2b ?5.1B")).toContainText("Fits");
      await expect(row("gemma4:31b")).toContainText("Too large by 2.2 GB");
      await expect(row("gemma4:e2b-q8")).toBeDisabled();
      await expect(row("gemma4:e2b-q8")).toContainText("The model file is missing. Run: ollama pull gemma4:e2b-q8");
      await expect(page.getByRole("listitem").getByRole("button")).toHaveText([
        /^gemma4:e4bRecommended/,
        /^gemma4:e2b(?!-)/,
        /^pebble/,
        /^gemma4:31b/,
        /^gemma4:e2b-q8/,
      ]);
    });
    await test.step("asks before a model is loaded that probably won't fit", async () => {
      await expect(page.getByText("Too large by 2.2 GB")).toBeVisible();
      await page.getByRole("button", { name: /^gemma4:31b/ }).click();
      const question = page.getByRole("dialog", { name: "This model probably won’t fit" });
      await expect(question).toContainText("gemma4:31b needs about 2.2 GB more graphics memory");
      await question.getByRole("button", { name: "Not now" }).click();
      await expect(question).toBeHidden();
      await expect(app.model).toHaveAccessibleName(/\(Not loaded\)\./);
      await page.getByRole("button", { name: /^gemma4:31b/ }).click();
      await question.getByRole("button", { name: "Load anyway" }).click();
      await expect(app.model).toHaveAccessibleName("Model: gemma4:31b (Loaded). Choose another.");
    });
  });

  test("says which models are no use without a graphics card", { tag: "@thorough" }, async ({ app, page }) => {
    await app.openChat("instant,software");
    const row = (name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) });
    await expect(row("gemma4:e4b")).toContainText("Too slow here: there’s no graphics card.");
    await expect(row("gemma4:e4b")).not.toContainText("Recommended");
    await expect(row("pebble")).toContainText("Fits");
    await expect(page.getByRole("listitem").getByRole("button").first()).toHaveText(/^pebble/);
  });

  test("keeps the order of the list while it is pointed at", async ({ app, page }) => {
    // Looking at the models takes so long that the pointer is there before.
    await app.open("slow");
    const third = page.getByRole("listitem").getByRole("button").nth(2);
    await page.getByRole("button", { name: /^gemma4:31b/ }).hover();
    await expect(third).toContainText("Too large by 2.2 GB");
    await expect(page.getByRole("button", { name: /^pebble/ })).toContainText("Fits");
    await expect(third).toHaveText(/^gemma4:31b/);
    await page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" }).hover();
    await expect(third).toHaveText(/^pebble/);
  });

  test("offers to begin with what the model can do", async ({ app, page }) => {
    await app.openChat();
    await page.getByRole("button", { name: /^gemma4:e2b ?5/ }).click();
    await expect(app.model).toHaveAccessibleName("Model: gemma4:e2b (Loaded). Choose another.");
    await page.getByRole("button", { name: "Write some code" }).click();
    await expect(app.composer).toBeFocused();
    await expect(app.composer).toHaveValue(/^Write a Python function/);
    await page.getByRole("button", { name: "Solve a puzzle" }).click();
    await expect(page.getByRole("button", { name: "Think", exact: true })).toHaveAttribute("aria-pressed", "true");
    // What is written already stays.
    await expect(app.composer).toHaveValue(/^Write a Python function/);
    await app.composer.fill("");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Describe an image" }).click();
    await chooser;
    await expect(app.composer).toHaveValue("What’s in this image?");
  });

  test("starts the demo with one press, and says that it is a demo", async ({ app, page }) => {
    await app.openChat("instant,demo");
    await page.getByRole("button", { name: /^pebble/ }).click();
    await expect(page.getByText("This is a tiny demo model.")).toBeVisible();
    await expect(app.composer).toBeFocused();
    await page.getByRole("button", { name: "What is 7 times 8?" }).click();
    await expect(await app.answered()).toContainText("A red circle");
  });

  test("says where it looked when the server has no model", async ({ app, page }) => {
    await app.open("instant,empty");
    await expect(page.getByText("The server found no models. It looked in:")).toBeVisible();
    await expect(page.getByText("~/.ollama/models", { exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: "Open a file…" })).toBeVisible();
    await app.composer.fill("Hello");
    await expect(app.sendButton).toBeDisabled();
    await expect(page.getByText("Choose a model before you send.")).toBeVisible();
  });

  test("opens a file of one’s own by picker, and one that is dropped anywhere", async ({ app, page }, info) => {
    await test.step("opens a file of one's own by picker", async () => {
      await app.openChat();
      const file = info.outputPath("mine.gguf");
      writeFileSync(file, "GGUF");
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Open a file…" }).click();
      await (await chooser).setFiles(file);
      await expect(page.getByRole("button", { name: "Model: mine.gguf (Loaded)." })).toBeVisible();
      await expect(await app.ask("Hello")).toContainText("A red circle");
    });
    await test.step("opens a model that is dropped anywhere, and says so of what is nothing to it", async () => {
      await app.startConversation();
      const drop = async (name: string) => {
        const data = await page.evaluateHandle((name) => {
          const data = new DataTransfer();
          data.items.add(new File(["GGUF\0\0\0"], name));
          return data;
        }, name);
        await page.dispatchEvent("body", "dragover", { dataTransfer: data });
        await expect(page.getByText("Drop files or a model here")).toBeVisible();
        await page.dispatchEvent("body", "drop", { dataTransfer: data });
        await expect(page.getByText("Drop files or a model here")).toBeHidden();
      };
      await drop("notes.bin");
      await expect(page.getByText(/notes.bin: Only images, audio, video, text, PDF, Word and EPUB files can be attached/).first()).toBeVisible();
      await drop("dropped.gguf");
      await expect(page.getByRole("button", { name: "Model: dropped.gguf (Loaded)." })).toBeVisible();
    });
  });
});

test.describe("a server that does not answer", () => {
  test.use({ expectedError: /Failed to load resource/ });

  test("is asked again on request", async ({ app }) => {
    await app.open("instant,offline");
    await expect(app.failure).toContainText("You can still open a model file.");
    await expect(app.failure.getByRole("button", { name: "Try again" })).toBeVisible();
  });
});

test.describe("an address that nothing is at", () => {
  test.use({ expectedError: /status of 404/ });

  test("says so and leads back", async ({ app, page, request }) => {
    for (const path of ["/nowhere", "/c/not-an-id"]) {
      expect((await request.get(path)).status()).toBe(404);
      await app.open("instant", path);
      await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
      await page.getByRole("main").getByRole("link", { name: "New conversation" }).click();
      await expect(page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" })).toBeVisible();
    }
  });
});
