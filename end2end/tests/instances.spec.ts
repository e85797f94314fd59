// Whether an Instance serves, and if not, which condition failed first.
import { address, expect, linkTo, named, open, test } from "../fixtures.ts";

test("an Instance opens from the list and explains its five conditions", async ({ page, ask }) => {
  const instance = named(await ask.list("instances"), "chatcli-batch");
  await open(page, "/instances");
  await linkTo(page, address("instances", instance)).click();
  await expect(page).toHaveURL(address("instances", instance));
  const main = page.getByRole("main");
  expect(instance["conditions"]).toHaveLength(5);
  for (const { message } of instance["conditions"]) if (message) await expect(main).toContainText(message);
});
