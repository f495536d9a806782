// Fifty losses of the device while two tabs are answered. It takes minutes: with GEMTAB_LONG.

import { expect, test } from "@playwright/test";
import { drawn, EngineApp } from "../../support/engine.ts";
import { ANSWER, LOAD } from "../../support/patience.ts";

const COUNT = "Count from 1 to 20.";
const LOSSES = 50;

test.skip(!process.env["GEMTAB_LONG"], "takes minutes");
test.setTimeout(LOAD + LOSSES * 60_000);

test("no answer is lost when the device is, fifty times", async ({ browser }) => {
  const first = await EngineApp.start(browser);
  await first.page.goto("/");
  await first.loadDemo();
  const second = await first.another();
  await second.page.goto("/");
  await second.loaded("pebble");
  await first.beGreedy();
  const whole = await drawn(await first.ask(COUNT));
  expect(whole).toContain("18, 19, 20");
  let losses = 0;
  let answers = 0;
  while (losses < LOSSES) {
    for (const app of [first, second]) {
      // A loss costs as much as the last one: in one conversation each would compute a longer prompt again.
      await app.startConversation();
      await app.beGreedy();
    }
    await first.send(COUNT);
    await second.send(COUNT);
    for (const app of [first, second]) {
      const answer = app.answers.last();
      for (const reached of ["3, 4", "9, 10", "15, 16"]) {
        await expect(answer).toContainText(reached, { timeout: ANSWER });
        if ((await answer.getAttribute("aria-busy")) === "true") {
          await first.tell("lose-device");
          losses += 1;
        }
      }
      expect(await drawn(await app.answered())).toBe(whole);
      answers += 1;
      console.log(`${losses} losses, ${answers} answers`);
    }
  }
  await first.page.context().close();
});
