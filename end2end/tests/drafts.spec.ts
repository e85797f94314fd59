// What was typed into a form and not sent is never lost: not to others who decide meanwhile, not to an answer that refuses, not to a session that ends.
import { expect, hydrated, signIn, SIGNED_OUT, test } from "../fixtures.ts";
import { act, APPROVAL, enter, fold, incident, INCIDENT, KEYS, OBJECTS, OTHER, other, outcome, plan, POST_MORTEM, request } from "../deciding.ts";
import { serve } from "../served.ts";
import type { Page } from "@playwright/test";

const WITHOUT_MIRA = "\n- {key: key-of-tomasz, role: admin, name: sre-tomasz}\n";

test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of (401|404|409|422|503)|preloaded using link preload/] });

const notSent = (page: Page, what: string) => page.getByRole("heading", { name: `Not sent: ${what}` });
const field = (page: Page, name: string) => page.getByRole("main").getByLabel(name).locator("visible=true");

test("a request that others decide says so, and the reason stays to be copied", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Reject").click();
  await field(page, "Reason").fill("not before <the> sale");
  expect(await console.post("key-of-tomasz", "/approvals/restart-api/reject", { approver: "Tomasz" })).toBe(200);
  await expect(outcome(page)).toContainText(/^Not sent\. It was rejected by Tomasz, at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/);
  await expect(outcome(page)).toBeFocused();
  await expect(notSent(page, "your rejection")).toBeVisible();
  await expect(field(page, "Reason")).toHaveValue("not before <the> sale");
  await expect(field(page, "Reason")).not.toBeEditable();
  await expect(page.locator(".acts form")).toHaveCount(0);

  await page.reload();
  await hydrated(page);
  await expect(field(page, "Reason")).toHaveValue("not before <the> sale");
  await page.getByRole("link", { name: "Dismiss" }).click();
  await expect(notSent(page, "your rejection")).toBeHidden();
  await expect(outcome(page)).toBeEmpty();
  await page.reload();
  await hydrated(page);
  await expect(notSent(page, "your rejection")).toBeHidden();
});

test("what was told to be not sent ends with the visit", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled back");
  expect(await console.post("key-of-tomasz", "/incidents/api-latency/resolve")).toBe(200);
  await expect(outcome(page)).toContainText("Not sent. It was resolved by sre-tomasz, at ");
  await expect(field(page, "Resolution")).toHaveValue("Rolled back");
  await page.getByRole("link", { name: "Approvals" }).first().click();
  await expect(page).toHaveURL(`${console.url}/approvals`);
  await page.goBack();
  await expect(page.getByRole("main")).toContainText("is well again");
  await expect(notSent(page, "your resolution")).toBeHidden();
});

test("notes on a post-mortem outlive the one who closes it", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + POST_MORTEM);
  await fold(page, "Close").click();
  await field(page, "Notes").fill("add an alert");
  expect(await console.post("key-of-tomasz", "/postmortems/api-review/close?namespace=shop", { reviewer: "Tomasz" })).toBe(200);
  await expect(outcome(page)).toContainText("Not sent. It was closed by Tomasz, at ");
  await expect(notSent(page, "your closing notes")).toBeVisible();
  await expect(field(page, "Notes")).toHaveValue("add an alert");
});

for (const [status, message] of [
  [409, "somebody else has changed it"],
  [422, "reason is too long"],
  [503, "the store is away"],
] as const)
  test(`an answer of ${status} leaves the draft in its form, to be sent again`, async ({ page }) => {
    await using console = await serve({ keys: KEYS, objects: OBJECTS });
    await enter(page, console.url + APPROVAL);
    await fold(page, "Reject").click();
    await field(page, "Reason").fill("not before the sale");
    await page.route("**/reject?*", (route) => route.fulfill({ status, json: { message } }));
    await act(page, "Reject the request").click();
    await expect(outcome(page)).toContainText("Not done. ");
    await expect(field(page, "Reason")).toHaveValue("not before the sale");
    await page.unroute("**/reject?*");
    await act(page, "Reject the request").click();
    await expect(outcome(page)).toHaveText("Your rejection is recorded.");
    await expect(page.getByRole("main")).toContainText("“not before the sale”");
  });

test("an answer that comes late leaves the form of another request as it is", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: [...OBJECTS, other] });
  await enter(page, console.url + OTHER);
  await page.getByRole("link", { name: "Approvals" }).first().click();
  await page.getByRole("main").locator(`a[href="${APPROVAL}"]`).first().click();
  await expect(page).toHaveURL(console.url + APPROVAL);
  await fold(page, "Reject").click();
  await field(page, "Reason").fill("not before the sale");
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/reject?*", async (route) => {
    await released;
    await route.continue();
  });
  await act(page, "Reject the request").click();
  await page.evaluate(() => history.go(-2));
  await expect(page).toHaveURL(console.url + OTHER);
  await expect(field(page, "Reason")).toHaveCount(0);
  await fold(page, "Reject").click();
  await field(page, "Reason").fill("wait for the restart");
  const answered = page.waitForResponse("**/reject?*");
  const asked = page.waitForResponse(`**/approvals/restart-web?*`);
  release();
  await answered;
  await asked;
  await expect(act(page, "Reject the request")).not.toHaveAttribute("aria-disabled");
  await expect(field(page, "Reason")).toHaveValue("wait for the restart");
  await expect(field(page, "Reason")).toBeFocused();
});

test("what is typed while a form is being sent was not sent, and stays", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Reject").click();
  await field(page, "Reason").fill("not before the sale");
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/reject?*", async (route) => {
    await released;
    await route.continue();
  });
  await act(page, "Reject the request").click();
  await expect(outcome(page)).toHaveText("Being sent…");
  await field(page, "Reason").pressSequentially(", ask Ana");
  release();
  await expect(outcome(page)).toContainText("Your rejection is recorded.");
  await expect(page.getByRole("main")).toContainText("“not before the sale”");
  await expect(notSent(page, "your rejection")).toBeVisible();
  await expect(field(page, "Reason")).toHaveValue("not before the sale, ask Ana");
});

test("a form that is being sent keeps no other one from it", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  let asked = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/resolve?*", async (route) => {
    asked += 1;
    await released;
    await route.continue();
  });
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled back");
  await act(page, "Resolve incident").dblclick();
  await expect(outcome(page)).toHaveText("Being sent…");
  await page.keyboard.press("Escape");
  await act(page, "Acknowledge").click();
  await expect(act(page, "Undo acknowledge")).toBeVisible();
  await expect(outcome(page)).toHaveText("Being sent…");
  release();
  await expect(outcome(page)).toHaveText("Resolved.");
  expect(asked).toBe(1);
});

test("a success elsewhere takes neither a refusal nor the focus away", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/acknowledge?*", async (route) => {
    await released;
    await route.continue();
  });
  await page.route("**/resolve?*", (route) => route.fulfill({ status: 503, json: { message: "the store is away" } }));
  await act(page, "Acknowledge").click();
  await expect(outcome(page)).toHaveText("Being sent…");
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled back");
  await act(page, "Resolve incident").click();
  await expect(outcome(page)).toContainText("Not done. The store is away.");
  await field(page, "Resolution").focus();
  release();
  await expect(act(page, "Undo acknowledge")).toBeVisible();
  await expect(outcome(page)).toContainText("Not done. The store is away.");
  await expect(field(page, "Resolution")).toBeFocused();
});

test("what is typed before the script has come is newer than the draft", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Snooze").click();
  await page.getByLabel("8 hours").check();
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled back");
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/app.js", async (route) => {
    await released;
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled forward");
  release();
  await hydrated(page);
  await expect(page.locator("input[value='8h']")).toBeChecked();
  await expect(page.locator("textarea[name=resolution]")).toHaveValue("Rolled forward");
  await page.reload();
  await hydrated(page);
  await expect(page.locator("input[value='8h']")).toBeChecked();
  await expect(page.locator("textarea[name=resolution]")).toHaveValue("Rolled forward");
});

test("a draft that comes back under another plan says so, until it is read anew", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  const changed = page.getByText("What would be done has changed since you opened this.").locator("visible=true");
  await fold(page, "Approve as sre-mira").click();
  await field(page, "Reason").fill("five is fine");
  await page.goto(`${console.url}/approvals`);
  console.store([plan("50"), request("50")]);
  await page.goto(console.url + APPROVAL);
  await hydrated(page);
  await expect(field(page, "Reason")).toHaveValue("five is fine");
  await expect(changed).toBeVisible();
  await act(page, "Approve 2 actions").click();
  await expect(outcome(page)).toContainText("What would be done has changed since you read it, and nothing was recorded.");
  await expect(act(page, "Approve 2 actions")).toBeHidden();

  await page.reload();
  await hydrated(page);
  await expect(changed).toBeVisible();
  await fold(page, "Approve as sre-mira").click();
  await expect(changed).toBeHidden();
  await fold(page, "Approve as sre-mira").click();
  await expect(field(page, "Reason")).toHaveValue("five is fine");
  await expect(changed).toBeHidden();
  await page.reload();
  await hydrated(page);
  await expect(field(page, "Reason")).toHaveValue("five is fine");
  await expect(changed).toBeHidden();
  await act(page, "Approve 2 actions").click();
  await expect(outcome(page)).toHaveText("Your approval is recorded.");
});

test("the drafts of a tab are fifty, and the oldest makes room", async ({ page }) => {
  test.slow();
  const incidents = Array.from({ length: 26 }, (_, index) => incident(`queue-${index}`));
  await using console = await serve({ keys: KEYS, objects: incidents });
  await enter(page, `${console.url}/incidents/shop/queue-0`);
  for (const index of incidents.keys()) {
    await page.goto(`${console.url}/incidents/shop/queue-${index}`);
    await hydrated(page);
    await fold(page, "Resolve").click();
    await field(page, "Resolution").fill(`Rolled back ${index}`);
    await fold(page, "Snooze").click();
    await page.getByLabel("8 hours").check();
  }
  const held = async (index: number, resolution: string) => {
    await page.goto(`${console.url}/incidents/shop/queue-${index}`);
    await hydrated(page);
    await expect(page.locator("textarea[name=resolution]")).toHaveValue(resolution);
  };
  await held(25, "Rolled back 25");
  await held(1, "Rolled back 1");
  await held(0, "");
});

test("a page that cannot be asked again gives the draft back when it can", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Reject").click();
  await field(page, "Reason").fill("not before the sale");
  const asked = "**/api/v1/approvals/restart-api?*";
  const refresh = page.getByRole("link", { name: "Refresh" });
  await page.route(asked, (route) => route.fulfill({ status: 503, json: { message: "the store is away" } }));
  await refresh.click();
  await expect(page.getByText("Refresh failed")).toBeVisible();
  await expect(field(page, "Reason")).toHaveValue("not before the sale");
  await page.unroute(asked);

  await page.route(asked, (route) => route.fulfill({ status: 404, json: { message: "not found" } }));
  await refresh.click();
  await expect(page.getByRole("alert")).toContainText("Could not show this request");
  await expect(notSent(page, "your rejection")).toBeVisible();
  await expect(field(page, "Reason")).toHaveValue("not before the sale");
  await page.unroute(asked);
  await refresh.click();
  await expect(act(page, "Reject the request")).toBeVisible();
  await expect(field(page, "Reason")).toHaveValue("not before the sale");
});

test("who signs in again finds the draft where it was, and sends it", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Reject").click();
  await field(page, "Reason").fill("not before the sale");
  await console.setKeys(WITHOUT_MIRA, "key-of-mira", 401);
  await act(page, "Reject the request").click();
  await expect(outcome(page)).toContainText("The session has ended. What you typed is kept.");
  await expect(field(page, "Reason")).toHaveValue("not before the sale");
  await page.getByRole("link", { name: "Sign in again" }).click();
  await expect(page.getByText("What you had written and not sent is kept in this tab.")).toBeVisible();
  await console.setKeys(KEYS, "key-of-mira", 200);
  await signIn(page, "key-of-mira");
  await expect(page).toHaveURL(console.url + APPROVAL);
  await expect(field(page, "Reason")).toHaveValue("not before the sale");
  await act(page, "Reject the request").click();
  await expect(outcome(page)).toHaveText("Your rejection is recorded.");
  await expect(page.getByRole("main")).toContainText("“not before the sale”");
});

test("a draft is shown to nobody else, and ends with signing out", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled back");
  await page.context().clearCookies();
  await page.goto(console.url + INCIDENT);
  await signIn(page, "key-of-tomasz");
  await hydrated(page);
  await fold(page, "Resolve").click();
  await expect(field(page, "Resolution")).toHaveValue("");

  await page.context().clearCookies();
  await page.goto(console.url + INCIDENT);
  await signIn(page, "key-of-mira");
  await expect(field(page, "Resolution")).toHaveValue("Rolled back");
  await page.keyboard.press("Escape");
  await page.locator(".menu.who > summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(console.url + INCIDENT);
  await signIn(page, "key-of-mira");
  await hydrated(page);
  await fold(page, "Resolve").click();
  await expect(field(page, "Resolution")).toHaveValue("");
});

test("a draft comes back with its page", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Snooze").click();
  await page.getByLabel("8 hours").check();
  await fold(page, "Resolve").click();
  await field(page, "Resolution").fill("Rolled back");
  await page.reload();
  await hydrated(page);
  await expect(page.locator("textarea[name=resolution]")).toHaveValue("Rolled back");
  await expect(page.locator("input[value='8h']")).toBeChecked();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a session that has ended shows what was typed, to be copied", async ({ page }) => {
    await using console = await serve({ keys: KEYS, objects: OBJECTS });
    await page.goto(console.url + APPROVAL);
    await signIn(page, "key-of-mira");
    await fold(page, "Reject").click();
    await field(page, "Reason").fill("</textarea><b>not</b> before the sale");
    await page.context().clearCookies();
    await act(page, "Reject the request").click();
    await expect(page.getByRole("heading", { name: "Not sent: the session has ended" })).toBeVisible();
    await expect(field(page, "Reason")).toHaveValue("</textarea><b>not</b> before the sale");
    await expect(page.locator(".unsent b")).toHaveCount(0);
    await signIn(page, "key-of-mira");
    await expect(page).toHaveURL(console.url + APPROVAL);
  });

  test("a request that others have decided says so, and shows what was typed", async ({ page }) => {
    await using console = await serve({ keys: KEYS, objects: OBJECTS });
    await page.goto(console.url + APPROVAL);
    await signIn(page, "key-of-mira");
    await fold(page, "Reject").click();
    await field(page, "Reason").fill("not before the sale");
    expect(await console.post("key-of-tomasz", "/approvals/restart-api/reject", { approver: "Tomasz" })).toBe(200);
    await act(page, "Reject the request").click();
    await expect(outcome(page)).toContainText("Not done. It is decided already by Tomasz, at ");
    await expect(field(page, "Reason")).toHaveValue("not before the sale");
    await page.getByRole("link", { name: "Dismiss" }).click();
    await expect(notSent(page, "your rejection")).toBeHidden();
  });
});
