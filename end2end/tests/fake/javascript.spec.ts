// The tool JavaScript: what it computes and draws, how it fails, and how it is ended. `escapes.spec.ts` has what it must not do.

import { faults } from "../../support/axe.ts";
import { card, code, switchOn } from "../../support/tools.ts";
import { expect, test } from "../../support/watch.ts";

const SALES = `
  const sales = [3, 5.5, 4];
  console.log("sum", sales.reduce((a, b) => a + b), { of: sales });
  chart({ type: "bar", title: "Sales", x: ["Jan", "Feb", "Mar"], series: [{ name: "2025", values: sales }, { name: "2026", values: [4, -1, 0] }] });
  chart({ type: "pie", title: "Shares", x: ["Cats", "Dogs"], series: [{ values: [3, 1] }] });
  chart({ type: "line", x: [1, 2, 3], series: [{ name: "a", values: sales }] });
  chart({ type: "scatter", title: "Points", x: [0.5, 2, 7], series: [{ name: "b", values: sales }] });
  sales.length * 7`;

test.describe("JavaScript", () => {
  test("computes and draws charts, which stay with the conversation", async ({ app, page }) => {
    await app.openChat("instant,demo");
    await app.openDrawer();
    await expect(app.drawer.getByRole("switch", { name: "JavaScript" })).not.toBeChecked();
    await page.keyboard.press("Escape");
    await switchOn(app, "JavaScript");
    await app.send(code(SALES));
    await expect(app.answers).toHaveCount(2);
    await app.answered();
    const [calls, goesOn] = [app.answers.first(), app.answers.last()];
    await expect(goesOn).toContainText('"result":"21"');
    await expect(goesOn).toContainText('"charts":"4 shown to the user"');
    await expect(goesOn).toContainText("sum 12.5");
    await expect(card(calls, 0)).toContainText("Done");
    await card(calls, 0).getByText("JavaScript").click();
    await expect(card(calls, 0).getByRole("group", { name: "Result" })).toHaveText("21");
    await expect(card(calls, 0).getByRole("group", { name: "Console" })).toHaveText('sum 12.5 {"of":[3,5.5,4]}');

    const drawn = async () => {
      for (const name of ["Bar chart: Sales", "Pie chart: Shares", "Line chart: Untitled", "Scatter chart: Points"]) {
        await expect(calls.getByRole("img", { name })).toBeVisible();
      }
      const charts = calls.getByRole("region", { name: "Tools used" }).getByRole("figure");
      await expect(charts.first().getByRole("listitem")).toHaveText(["2025", "2026"]);
      await expect(charts.nth(1).getByRole("listitem")).toHaveText(["Cats: 3 (75.0%)", "Dogs: 1 (25.0%)"]);
      await charts.first().getByText("Show data").click();
      await expect(charts.first().getByRole("row")).toHaveText(["20252026", "Jan34", "Feb5.5-1", "Mar40"]);
    };
    await drawn();
    expect(await faults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await faults(page, { colours: true })).toEqual([]);
    await app.written();
    await app.reload();
    await drawn();
  });

  test("says in words what went wrong, to the model as well", async ({ app }) => {
    await app.openChat("instant,demo");
    await switchOn(app, "JavaScript");
    const programs = ["const = 3", "nothing.at(0)", "await Promise.reject(new RangeError('too far'))", 'chart({ type: "cake", series: [] })'];
    await app.send(code(...programs, "return await Promise.resolve(6 * 7)"));
    await expect(app.answers).toHaveCount(2);
    await app.answered();
    const calls = app.answers.first();
    const sentences = [
      /^The code failed: “SyntaxError: .*”\.$/,
      "The code failed: “ReferenceError: nothing is not defined”.",
      "The code failed: “RangeError: too far”.",
      "The chart’s data isn’t valid.",
    ];
    for (const [place, sentence] of sentences.entries()) {
      await expect(card(calls, place)).toContainText("Failed");
      await card(calls, place).getByText("JavaScript").click();
      await expect(card(calls, place).getByText(sentence)).toBeVisible();
    }
    await expect(card(calls, 4)).toContainText("Done");
    const said = app.answers.last();
    for (const words of ["ReferenceError: nothing is not defined", "form: { type:", '"result":"42"']) {
      await expect(said).toContainText(words);
    }
  });

  test("is ended by Stop, and after its time", async ({ app }) => {
    await app.openChat("instant,demo");
    await switchOn(app, "JavaScript");
    await app.send(code("for (;;) {}", "1 + 1"));
    const calls = app.answers.first();
    await expect(card(calls, 0)).toContainText("Running");
    await expect(calls.getByRole("button", { name: "Run and continue" })).toHaveCount(0);
    await app.stopButton.click();
    await expect(card(calls, 0)).toContainText("Not run");
    await expect(app.stopButton).toHaveCount(0);
    await expect(app.answers).toHaveCount(1);

    await calls.getByRole("button", { name: "Run and continue" }).click();
    await expect(card(calls, 0)).toContainText("Running");
    // The page does not notice.
    await app.composer.fill("Meanwhile");
    await expect(app.composer).toHaveValue("Meanwhile");
    await app.composer.fill("");
    await expect(card(calls, 0)).toContainText("Failed", { timeout: 60_000 });
    await expect(card(calls, 1)).toContainText("Done");
    await card(calls, 0).getByText("JavaScript").click();
    await expect(card(calls, 0).getByText("The code ran for more than 10 seconds and was stopped.")).toBeVisible();
    await expect(app.answers.last()).toContainText("time-limit");
  });
});

test.describe("in German", () => {
  test.use({ locale: "de-DE" });

  test("JavaScript has words of its own", async ({ page }) => {
    await page.goto("/?fake=instant,demo");
    await expect(page.getByText("Simulierte Engine")).toBeVisible();
    await page.getByRole("button", { name: "Einstellungen der Unterhaltung" }).click();
    await page.getByRole("switch", { name: "JavaScript" }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Nachricht", exact: true }).fill(code(SALES, "x"));
    await page.keyboard.press("Enter");
    await expect(page.getByRole("img", { name: "Balkendiagramm: Sales" })).toBeVisible();
    await expect(page.getByText("Daten anzeigen").first()).toBeVisible();
    await expect(page.getByText("Der Code ist fehlgeschlagen: „ReferenceError: x is not defined“.")).toBeAttached();
  });
});
