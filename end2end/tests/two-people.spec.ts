// One browser, two people: nobody decides in the name of another, and nothing is called done on the word of somebody else's server.
import { expect, signIn, SIGNED_OUT, test } from "../fixtures.ts";
import { act, APPROVAL, enter, fold, KEYS, OBJECTS, outcome } from "../deciding.ts";
import { serve, type Served } from "../served.ts";
import type { Page } from "@playwright/test";

test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of (401|403)|preloaded using link preload/] });

/** As the form in another tab does it: all tabs share the cookies. */
async function signInElsewhere(page: Page, console: Served, key: string) {
  const headers = { "X-API-Key": key, Origin: console.url, "Sec-Fetch-Site": "same-origin" };
  const answer = await page.context().request.post(`${console.url}/api/v1/session`, { headers, data: {} });
  expect(answer.ok()).toBe(true);
}

async function votes(console: Served): Promise<unknown[]> {
  const answer = await fetch(`${console.url}/api/v1/approvals/restart-api?namespace=shop`, { headers: { "X-API-Key": "key-of-ana" } });
  return (await answer.json()).spec.votes;
}

test("a page that was opened for one person casts no vote of another", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await signInElsewhere(page, console, "key-of-tomasz");
  await fold(page, "Approve as sre-mira").click();
  await act(page, "Approve 2 actions").click();
  await expect(outcome(page)).toContainText("Not done. Somebody else has signed in since this page was opened");
  expect(await votes(console)).toEqual([]);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a form of one person's page casts no vote of another, and says where it went", async ({ page }) => {
    await using console = await serve({ keys: KEYS, objects: OBJECTS });
    await page.goto(console.url + APPROVAL);
    await signIn(page, "key-of-mira");
    await signInElsewhere(page, console, "key-of-tomasz");
    await fold(page, "Approve as sre-mira").click();
    await act(page, "Approve 2 actions").click();
    await expect(outcome(page)).toContainText("Not done. Somebody else has signed in since this page was opened");
    await expect(outcome(page)).toBeInViewport();
    expect(await votes(console)).toEqual([]);
    // The page that says so is of who is signed in now.
    await act(page, "Approve 2 actions").click();
    await expect(outcome(page)).toHaveText("Your approval is recorded.");
    expect(await votes(console)).toMatchObject([{ approver: expect.stringContaining("sre-tomasz") }]);
  });
});

test("a page notices who is signed in by now", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  const hers = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  await signInElsewhere(page, console, "key-of-tomasz");
  // Her session ends, and its stream with it; the next is opened by whoever is signed in then.
  const headers = { Cookie: hers, Origin: console.url, "Sec-Fetch-Site": "same-origin" };
  expect((await fetch(`${console.url}/api/v1/session`, { method: "DELETE", headers })).ok).toBe(true);
  await expect(fold(page, "Approve as sre-tomasz")).toBeVisible({ timeout: 20_000 });
});

test("what a proxy says is no word of the server", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await page.route("**/reject?*", (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Sign in</h1>" }));
  await fold(page, "Reject").click();
  await page.getByRole("main").getByLabel("Reason").locator("visible=true").fill("not now");
  await act(page, "Reject the request").click();
  await expect(outcome(page)).toContainText("it may have been done after all");
  await expect(page.getByRole("main").getByLabel("Reason").locator("visible=true")).toHaveValue("not now");
});
