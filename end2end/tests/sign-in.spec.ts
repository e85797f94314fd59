// The form that stands in for every page until somebody has signed in.
import { expect, KEY, open, signIn, SIGNED_OUT, test } from "../fixtures.ts";

// The browser itself notes each page and request that was answered with 401.
test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of 401/] });

test("a key opens the page that was asked for", async ({ page }) => {
  const answer = await page.goto("/incidents?severity=critical");
  expect(answer?.status()).toBe(401);
  await signIn(page, KEY.viewer);
  await expect(page).toHaveURL("/incidents?severity=critical");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/incidents/i);
});

test("a wrong key is refused in words, and the page stays where it is", async ({ page }) => {
  await open(page, "/approvals");
  await page.getByLabel("API key").fill("no-such-key");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page).toHaveURL("/approvals");
  await signIn(page, KEY.operator);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/approvals/i);
});

test("who signs out is out", async ({ page }) => {
  await open(page, "/");
  await signIn(page, KEY.admin);
  await page.getByLabel("account and theme").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByLabel("API key")).toBeVisible();
  await page.goto("/incidents");
  await expect(page.getByLabel("API key")).toBeVisible();
});

test("the key itself stays nowhere in the browser", async ({ page, context }) => {
  await page.goto("/");
  await signIn(page, KEY.admin);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie }));
  expect(stored).not.toContain(KEY.admin);
  expect(await context.cookies()).toContainEqual(expect.objectContaining({ httpOnly: true, sameSite: "Lax" }));
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a key opens the page that was asked for", async ({ page }) => {
    await page.goto("/instances?ready=true");
    await signIn(page, KEY.viewer);
    await expect(page).toHaveURL("/instances?ready=true");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/instances/i);
  });

  test("a wrong key is refused in words", async ({ page }) => {
    await page.goto("/");
    await page.getByLabel("API key").fill("no-such-key");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
  });
});
