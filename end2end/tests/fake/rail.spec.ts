import { expect, test } from "../../support/watch.ts";

const width = async (rail: import("@playwright/test").Locator) => (await rail.boundingBox())?.width;

test("the rail's edge is moved, and the rail folded, by pointer and keys; both stay", async ({ app, page }) => {
  await test.step("the rail's edge is moved by pointer and keys, within limits, and stays where it is", async () => {
    await app.openChat();
    const edge = app.rail.getByRole("separator", { name: "Width of the sidebar" });
    await expect(edge).toHaveAttribute("aria-valuenow", "264");
    await edge.focus();
    await edge.press("ArrowRight");
    await expect(edge).toHaveAttribute("aria-valuenow", "280");
    await edge.press("End");
    await edge.press("ArrowRight");
    await expect.poll(() => width(app.rail)).toBe(360);
    const box = await edge.boundingBox();
    if (!box) throw new Error("the edge isn't there");
    await page.mouse.move(box.x + box.width / 2, 300);
    await page.mouse.down();
    await page.mouse.move(300, 310);
    await page.mouse.move(40, 320);
    await page.mouse.up();
    await expect.poll(() => width(app.rail)).toBe(240);
    await app.openChat();
    await expect.poll(() => width(app.rail)).toBe(240);
  });
  await test.step("the rail is folded and shown by a button and a key, and stays so", async () => {
    await app.rail.getByRole("button", { name: "Hide sidebar" }).click();
    await expect(app.rail).toBeHidden();
    const show = page.getByRole("button", { name: "Conversations and pages" });
    await expect(show).toBeFocused();
    await app.open("instant", "/settings");
    await expect(app.rail).toBeHidden();
    await show.click();
    await expect(app.rail).toBeVisible();
    await expect(app.rail.getByRole("button", { name: "Hide sidebar" })).toBeFocused();
    await page.keyboard.press("Control+b");
    await expect(app.rail).toBeHidden();
    await page.keyboard.press("Control+b");
    await expect(app.rail).toBeVisible();
  });
});
