// What people do to incidents, requests and Instances from their pages. Each test has a console of its own.
import { expect, signIn, SIGNED_OUT, test } from "../fixtures.ts";
import { act, APPROVAL, enter, fold, INCIDENT, KEYS, OBJECTS, outcome, plan, request } from "../deciding.ts";
import { serve } from "../served.ts";

test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of (400|401|409|413|503)|preloaded using link preload/] });

test("an incident is acknowledged where it stands, and the focus stays", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await act(page, "Acknowledge").click();
  await expect(outcome(page)).toHaveText("Acknowledged.");
  await expect(act(page, "Undo acknowledge")).toBeFocused();
  await expect(page.getByRole("main")).toContainText("by sre-mira");
  await act(page, "Undo acknowledge").click();
  await expect(outcome(page)).toHaveText("No longer acknowledged.");
  await expect(page).toHaveURL(console.url + INCIDENT);
});

test("a snooze is as long as was chosen or typed, and can be ended", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Snooze").click();
  const other = page.getByLabel("or for as long as you write");
  await other.fill("tomorrow");
  await act(page, "Snooze incident").click();
  await expect(outcome(page)).toContainText("Not done. Invalid duration");
  await expect(other).toHaveValue("tomorrow");
  await other.fill("");
  await page.getByLabel("4 hours").check();
  await act(page, "Snooze incident").click();
  await expect(outcome(page)).toHaveText("Snoozed.");
  await expect(page.getByRole("main")).toContainText(/for (4 h|3 h 59 m)/);
  await act(page, "End snooze").click();
  await expect(outcome(page)).toHaveText("No longer snoozed.");
  await expect(act(page, "End snooze")).toBeHidden();
});

test("resolving says what it does, and is done once however often it is pressed", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  let asked = 0;
  let release = () => {};
  const answer = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/resolve?*", async (route) => {
    asked += 1;
    await answer;
    await route.continue();
  });
  await expect(act(page, "Resolve incident")).toBeHidden();
  await fold(page, "Resolve").click();
  await expect(page.getByText("Ends the incident on Deployment api in shop in your name.")).toBeVisible();
  await page.getByLabel("Resolution").fill("Rolled back by hand");
  await act(page, "Resolve incident").dblclick();
  await expect(act(page, "Resolve incident")).toHaveAttribute("aria-disabled", "true");
  release();
  await expect(outcome(page)).toHaveText("Resolved.");
  await expect(outcome(page)).toBeFocused();
  await expect(page.getByRole("main")).toContainText("Rolled back by hand");
  await expect(fold(page, "Resolve")).toBeHidden();
  expect(asked).toBe(1);
});

test("a draft outlives what happens meanwhile", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Resolve").click();
  const draft = page.getByLabel("Resolution");
  await draft.fill("Half a sent");
  expect(await console.post("key-of-tomasz", "/incidents/api-latency/acknowledge")).toBe(200);
  expect(await console.post("key-of-tomasz", "/incidents/api-latency/snooze", { duration: "1h" })).toBe(200);
  await expect(act(page, "End snooze")).toBeVisible();
  await expect(page.getByRole("main")).toContainText("by sre-tomasz");
  await expect(draft).toBeFocused();
  await page.keyboard.type("ence");
  await expect(draft).toHaveValue("Half a sentence");

  await fold(page, "Snooze anew").click();
  await page.getByLabel("8 hours").check();
  expect(await console.post("key-of-tomasz", "/incidents/api-latency/unacknowledge")).toBe(200);
  await expect(act(page, "Acknowledge")).toBeVisible();
  await expect(page.getByLabel("8 hours")).toBeChecked();
});

test("two people approve, and the second vote decides", async ({ page, browser }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Approve as sre-mira").click();
  await expect(page.getByText("1 approval by other people must follow before anything runs.")).toBeVisible();
  await page.getByLabel("Reason").first().fill("seen it last week");
  await act(page, "Approve 2 actions").click();
  await expect(outcome(page)).toHaveText("Your approval is recorded.");
  await expect(page.getByText("You have approved already.")).toBeVisible();
  await expect(fold(page, "Reject")).toBeHidden();

  const context = await browser.newContext({ storageState: SIGNED_OUT });
  const second = await context.newPage();
  await enter(second, console.url + APPROVAL, "key-of-tomasz");
  await fold(second, "Approve as sre-tomasz").click();
  await expect(second.getByText("It is the last one needed: the plan runs at once.")).toBeVisible();
  await act(second, "Approve 2 actions").click();
  await expect(second.getByText("The plan may run.")).toBeVisible();
  await expect(page.getByText("The plan may run.")).toBeVisible();
  await context.close();
});

test("who was too late learns who decided, and keeps what they wrote", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Reject").click();
  await page.getByLabel("Reason").last().fill("not before the sale");
  // The page does not hear of it in time.
  await page.route("**/reject?*", async (route) => {
    await console.post("key-of-tomasz", "/approvals/restart-api/reject", { approver: "Tomasz" });
    await route.continue();
  });
  await act(page, "Reject the request").click();
  await expect(outcome(page)).toContainText("Not done. It is decided already by Tomasz, at ");
  await expect(page.getByRole("heading", { name: "Not sent: your rejection" })).toBeVisible();
  await expect(page.getByLabel("Reason")).toHaveValue("not before the sale");
  await expect(page.getByText("The plan does not run.")).toBeVisible();
});

test("nobody approves what they have not read", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  await fold(page, "Approve as sre-mira").click();
  const reason = page.getByLabel("Reason").first();
  await reason.fill("five is fine");
  console.store([plan("50"), request("50")]);
  await expect(page.getByText("What would be done has changed since you opened this.").first()).toBeVisible();
  await act(page, "Approve 2 actions").click();
  await expect(outcome(page)).toContainText("What would be done has changed since you read it, and nothing was recorded.");
  await expect(act(page, "Approve 2 actions")).toBeHidden();
  await fold(page, "Approve as sre-mira").click();
  await expect(reason).toHaveValue("five is fine");
  await act(page, "Approve 2 actions").click();
  await expect(outcome(page)).toHaveText("Your approval is recorded.");
});

test("the keyboard is enough", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + APPROVAL);
  const reject = fold(page, "Reject");
  await reject.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Your name").last()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(act(page, "Reject the request")).toBeHidden();
  await expect(reject).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("no");
  await page.keyboard.press("Tab");
  await expect(act(page, "Reject the request")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(outcome(page)).toHaveText("Your rejection is recorded.");
  await expect(outcome(page)).toBeFocused();
});

test("who may not act is told who may", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT, "key-of-ana");
  await expect(page.getByText("Operators and admins may acknowledge, snooze and resolve.")).toBeVisible();
  await expect(page.locator(".acts form")).toHaveCount(0);
});

test("an answer that does not come leaves the form as it is", async ({ page }) => {
  await using console = await serve({ keys: KEYS, objects: OBJECTS });
  await enter(page, console.url + INCIDENT);
  await fold(page, "Resolve").click();
  await page.getByLabel("Resolution").fill("Rolled back");
  await page.route("**/resolve?*", (route) => route.fulfill({ status: 503, json: { message: "the store is away" } }));
  await act(page, "Resolve incident").click();
  await expect(outcome(page)).toContainText("Not done. The store is away.");
  await expect(page.getByLabel("Resolution")).toHaveValue("Rolled back");
  await page.unroute("**/resolve?*");
  await act(page, "Resolve incident").click();
  await expect(outcome(page)).toHaveText("Resolved.");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("everything is done by forms, and said once", async ({ page }) => {
    await using console = await serve({ keys: KEYS, objects: OBJECTS });
    await page.goto(console.url + INCIDENT);
    await signIn(page, "key-of-mira");
    await act(page, "Acknowledge").click();
    await expect(outcome(page)).toHaveText("Acknowledged.");
    await expect(page).toHaveURL(`${console.url}${INCIDENT}#outcome-incidents-api-latency`);
    await expect(outcome(page)).toBeInViewport();
    await page.reload();
    await expect(outcome(page)).toBeEmpty();

    await fold(page, "Snooze").click();
    const other = page.getByLabel("or for as long as you write");
    await other.fill("soon");
    await act(page, "Snooze incident").click();
    await expect(outcome(page)).toContainText("Not done. Invalid duration");
    await expect(other).toHaveValue("soon");
    await other.fill("1h30m");
    await act(page, "Snooze incident").click();
    await expect(outcome(page)).toHaveText("Snoozed.");

    await fold(page, "Resolve").click();
    await page.getByLabel("Resolution").fill("a".repeat(300_000));
    await act(page, "Resolve incident").click();
    await expect(outcome(page)).toContainText("Not done. ");
    await expect(page.getByLabel("Resolution")).toHaveValue("a".repeat(300_000));

    await page.goto(console.url + APPROVAL);
    await expect(act(page, "Approve 2 actions")).toBeHidden();
    await fold(page, "Approve as sre-mira").click();
    await act(page, "Approve 2 actions").click();
    await expect(outcome(page)).toHaveText("Your approval is recorded.");
    await expect(page.getByText("You have approved already.")).toBeVisible();
  });
});
