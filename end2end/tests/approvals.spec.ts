// An approval is a review: what will happen, why, and how long there is to decide.
import { address, expect, linkTo, open, test } from "../fixtures.ts";

test("an approval opens from the list and shows every action with every parameter", async ({ page, ask }) => {
  const pending = await ask.list("approvals?state=Pending");
  expect(pending).toHaveLength(2);
  await open(page, "/approvals?state=Pending");
  for (const approval of pending) {
    await linkTo(page, address("approvals", approval)).click();
    await expect(page).toHaveURL(address("approvals", approval));
    const { actions } = await ask.one(`approvals/${approval.name}?namespace=${approval.namespace}`);
    expect(actions.length).toBeGreaterThan(0);
    const shown = page.getByRole("main");
    for (const { params } of actions)
      for (const [name, value] of Object.entries(params)) {
        await expect(shown).toContainText(name);
        await expect(shown).toContainText(String(value));
      }
    await page.goBack();
  }
});

test("time runs out before the eyes of who decides", async ({ page, ask }) => {
  const [approval] = await ask.list("approvals?state=Pending");
  await open(page, address("approvals", approval!));
  const left = page.getByRole("timer").first();
  const before = await left.textContent();
  await expect(left).not.toHaveText(before!);
});
