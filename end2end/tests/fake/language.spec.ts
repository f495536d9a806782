import type { Page } from "@playwright/test";
import { CORE } from "../../support/firefox.ts";
import { expect, test } from "../../support/watch.ts";

test.use({ locale: "de-DE" });

/** What a model or a person has said. */
const OTHERS =
  "code, pre, kbd, script, noscript, .fake-note, .log .says, .bubble, [lang]:not(html), .questions";

/** All that a person reads or hears on the page, but for what is within `without`. */
const words = (page: Page, without = `${OTHERS}, .fold-body`) =>
  page.evaluate((without) => {
    const said = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      const own = parent?.closest(without);
      if (!own && node.textContent?.trim()) said.push(node.textContent.trim());
    }
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [aria-valuetext]"))
      for (const name of ["aria-label", "title", "placeholder", "aria-valuetext"])
        if (element.getAttribute(name) && !element.closest(".fake-note")) said.push(element.getAttribute(name) ?? "");
    return said;
  }, without);

test("the server answers in the browser's language, and the page keeps it", { tag: CORE }, async ({ page }) => {
  const response = await page.goto("/?fake=instant");
  const html = (await response?.text()) ?? "";
  expect(html).toContain('<html lang="de"');
  expect(html).toContain("Mit Gemma 4 in diesem Tab chatten");
  await expect(page.getByText("Simulierte Engine")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.getByRole("heading", { name: "Mit Gemma 4 in diesem Tab chatten" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^gemma4:e2b ?5,1 Mrd\./ })).toContainText("7,2 GB");
});

test.describe("an address without a page", () => {
  test.use({ expectedError: /status of 404/ });

  test("is told in the browser's language", async ({ page }) => {
    const missing = await page.goto("/no/such/page");
    expect(missing?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Seite nicht gefunden" })).toBeVisible();
  });
});

test("another language is shown at once, and nothing is lost", async ({ page }) => {
  await page.goto("/?fake=instant");
  await expect(page.getByText("Simulierte Engine")).toBeVisible();
  await page.getByRole("button", { name: /^pebble/ }).click();
  const model = page.getByRole("button", { name: /^(Modell|Model): pebble/ });
  await expect(model).toHaveAccessibleName(/Geladen/);
  await page.getByRole("textbox", { name: "Nachricht", exact: true }).fill("Noch nicht gesendet");
  await page.getByRole("link", { name: "Einstellungen" }).click();
  await expect(page).toHaveTitle("Einstellungen · gemtab");
  await page.evaluate(() => Object.assign(window, { same: true }));
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const choice = page.getByRole("combobox", { name: /^(Sprache|Language)$/ });
  await choice.selectOption("English");
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await expect(page).toHaveTitle("Settings · gemtab");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(choice).toBeFocused();
  await page.getByRole("link", { name: "gemtab" }).first().click();
  await expect(page.getByRole("textbox", { name: "Message", exact: true })).toHaveValue("Noch nicht gesendet");
  await expect(model).toHaveAccessibleName(/Loaded/);
  expect(await page.evaluate(() => "same" in window)).toBe(true);
  expect(requests.filter((url) => url.startsWith("http"))).toEqual([]);

  await page.reload();
  await expect(page.getByText("Simulated engine")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Chat with Gemma 4 in this tab" })).toBeVisible();
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(choice).toHaveValue("en");
  await choice.selectOption("Match browser");
  await expect(page.getByRole("heading", { name: "Einstellungen", level: 1 })).toBeVisible();
  await expect(choice).toHaveValue("");
});

test("numbers are written as in German", async ({ page }) => {
  await page.goto("/?fake=instant");
  await page.getByRole("button", { name: /^pebble/ }).click();
  await page.getByRole("textbox", { name: "Nachricht", exact: true }).fill("Hello");
  await page.getByRole("button", { name: "Senden", exact: true }).click();
  await expect(page.getByText(/^\d+ von \d\.\d{3} Token des Kontexts belegt$/)).toBeAttached();
});

/** What is the same in both languages. */
const SAME = [
  ...["gemtab", "gemma4", "gemma4:e2b", "subgroups", "timestamp-query"],
  ...["Training", "Loss", "Prompt", "Prompt 1", "Name", "Alpha", "Dropout", "Warm-up", "Queries", "Keys", "Values"],
  ...["Engine", "Kernels", "Kernel", "Dispatches"],
];

test("fine-tuning and diagnostics say in German what they say in English", async ({ page }) => {
  const go = (path: string) => page.locator(`.rail a[href^="${path}"]`).click();
  await page.setViewportSize({ width: 1280, height: 1000 });
  await page.goto("/?fake=instant");
  await page.getByRole("button", { name: /^gemma4:e2b ?5/ }).click();
  await expect(page.getByRole("button", { name: /^Modell: gemma4:e2b/ })).toHaveAccessibleName(/Geladen/);
  await go("/diagnostics");
  await page.getByRole("button", { name: "Kernels testen" }).click();
  await expect(page.getByText(/^4 Kernels/).or(page.getByText(/: 4 Kernels/))).toBeVisible();
  await page.getByRole("button", { name: "Geschwindigkeit messen" }).click();
  await expect(page.getByText(/^78,4 /)).toBeVisible();
  await page.getByRole("button", { name: "Kernels messen" }).click();
  await expect(page.getByText("sampling_top_k_1")).toBeVisible();
  await go("/tune");
  await page.getByRole("textbox", { name: "Prompt 1" }).fill("?");
  await page.keyboard.press("Tab");
  await page.keyboard.type("!");
  await page.getByText("Erweiterte Einstellungen").click();
  await page.getByRole("button", { name: "Training starten" }).click();
  await expect(page.locator("#tune-status")).toContainText("abgeschlossen");

  const said: Record<string, Set<string>> = {};
  // Words that the page shows only if it cannot start, and what belongs to the model and the device.
  const without = `${OTHERS}, [hidden], .boot-note, .token, mark, .pairs dd, td, tbody th`;
  for (const language of ["de", "en"]) {
    await go("/settings");
    await page.locator("#language").selectOption(language);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await go("/tune");
    await expect(page.locator("#tune-status")).toBeVisible();
    const found = await words(page, without);
    await go("/diagnostics");
    await expect(page.getByText("maxBufferSize")).toBeVisible();
    said[language] = new Set([...found, ...(await words(page, without))]);
  }
  expect(said.de?.size).toBeGreaterThan(100);
  const same = [...(said.de ?? [])].filter((text) => said.en?.has(text) && /\p{L}{2}/u.test(text));
  expect(same.filter((text) => !SAME.includes(text))).toEqual([]);
});
test("what the server says of its models is in German", { tag: "@thorough" }, async ({ page }) => {
  await page.route("**/api/pull", (route) => route.fulfill({ json: { offered: false, free: null, pull: null } }));
  await page.goto("/?fake=instant");
  await expect(page.getByText("Die Modelldatei fehlt. Führen Sie im Terminal aus: ollama pull gemma4:e2b-q8")).toBeVisible();
  await page.goto("/?fake=instant,empty");
  await expect(page.getByRole("listitem").filter({ hasText: "/usr/share/ollama" })).toHaveText(/\(nicht gefunden\)$/);
});

test("what goes wrong with conversations is said in German", { tag: "@thorough" }, async ({ page }) => {
  await page.goto("/?fake=instant,demo");
  await expect(page.getByText("Simulierte Engine")).toBeVisible();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Unterhaltungen ordnen" }).click();
  await page.getByRole("menuitem", { name: "Importieren …" }).click();
  await (await chooser).setFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{ oops }") });
  await expect(
    page.getByText("Es wurde nichts importiert. Die Datei ist kein gültiges JSON: In Zeile 1, Spalte 3 steckt ein Fehler.").first(),
  ).toBeVisible();
});

test("page and engine are of different versions", { tag: "@thorough" }, async ({ page }) => {
  for (const [word, sentence] of [
    ["version", "Die Seite ist veraltet. Laden Sie neu, um sie zu aktualisieren."],
    ["old-version", "Die Engine ist veraltet. Laden Sie neu, um sie zu aktualisieren."],
  ] as const) {
    await page.goto(`/?fake=instant,demo,${word}`);
    const alert = page.getByRole("alert");
    await expect(alert).toContainText(sentence);
    await expect(alert.getByRole("button")).toHaveText("Neu laden");
  }
});
