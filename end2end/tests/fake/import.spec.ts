// Exports of other programs.

import { importFile } from "../../support/archive.ts";
import { expect, test } from "../../support/watch.ts";

const said = (id: string, parent: string | null, role: string, parts: unknown[]) => ({
  [id]: { id, parent, message: { id, author: { role }, create_time: 1_700_000_000, content: { content_type: "text", parts } } },
});

const CHATGPT = JSON.stringify([
  {
    id: "x",
    title: "Tea",
    create_time: 1_700_000_000,
    update_time: 1_700_000_000,
    current_node: "b",
    mapping: {
      ...said("s", null, "system", ["You are kind."]),
      ...said("a", "s", "user", [{ content_type: "image_asset_pointer", asset_pointer: "x" }, "How long does tea steep?"]),
      ...said("b", "a", "assistant", ["Three minutes."]),
      ...said("c", "a", "assistant", ["Five minutes."]),
    },
  },
  { nothing: "known" },
]);

test("exports of ChatGPT, Claude, Open WebUI and LM Studio are read, and other files refused with a reason", async ({ app, page }) => {
  await test.step("other files are refused with a reason", async () => {
    await app.openChat();
    const notice = page.getByRole("region", { name: "Notifications" });
    await importFile(app, { text: "PK\u0003\u0004" });
    await expect(notice).toContainText("This is a ZIP file.");
    await importFile(app, { text: JSON.stringify({ messages: [{ role: "user", content: "q" }] }) });
    await expect(notice).toContainText("isn’t an export from gemtab, ChatGPT, Claude, Open WebUI or LM Studio");
    await importFile(app, { text: '[{"mapping":' });
    await expect(notice).toContainText("The file is incomplete");
    await expect(page.getByText("Your conversations will appear here.")).toBeVisible();
  });
  await test.step("an export of ChatGPT comes as a tree, and what was left out is said", async () => {
    await importFile(app, { text: CHATGPT });
    const notice = page.getByRole("region", { name: "Notifications" });
    await expect(notice).toContainText("1 conversation imported.");
    await expect(notice).toContainText("1 attachment was left out");
    await expect(notice).toContainText("1 hidden instruction was left out.");
    await expect(notice).toContainText("1 entry of an unknown kind was left out.");
    await app.conversation("Tea").click();
    await expect(app.answers).toContainText(["Three minutes."]);
    await app.answers.first().getByRole("button", { name: /^(Previous|Next)/, disabled: false }).click();
    await expect(app.answers).toContainText(["Five minutes."]);
    // Once more brings nothing new.
    await importFile(app, { text: CHATGPT });
    await expect(notice).toContainText("already");
    await expect(app.conversation("Tea")).toHaveCount(1);
  });
  await test.step("exports of Claude, Open WebUI and LM Studio are read", async () => {
    const q = (text: string) => [{ type: "text", text }];
    const files = [
      [{ uuid: "x", name: "Of Claude", chat_messages: [{ sender: "human", text: "q" }, { sender: "assistant", text: "a" }] }],
      [{ id: "1", title: "Of Open WebUI", chat: { history: { messages: { a: { id: "a", parentId: null, role: "user", content: "q" } } } } }],
      { name: "Of LM Studio", messages: [{ versions: [{ role: "user", content: q("q") }], currentlySelected: 0 }] },
    ];
    for (const file of files) {
      await importFile(app, { text: JSON.stringify(file) });
    }
    for (const title of ["Of Claude", "Of Open WebUI", "Of LM Studio"]) {
      await expect(app.conversation(title)).toBeVisible();
    }
  });
});
