// The report of figures: as the API tells them, of the time and the namespace that the address names, and without a script.
import { barriers, expect, open, PHONE, test } from "../fixtures.ts";
import type { Page } from "@playwright/test";

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const figure = (page: Page, name: string, label: string) =>
  section(page, name).locator("dt").filter({ hasText: new RegExp(`^${label}$`) }).locator("+ dd");

test("the figures are those of the API, and lead to what they count", async ({ page, ask }) => {
  const summary = await ask.one("analytics/summary");
  await page.goto("/analytics");
  await expect(figure(page, "In short", "Incidents")).toHaveText(String(summary["totalIssues"]));
  const compliance = await ask.one("analytics/compliance");
  await expect(figure(page, "Promises kept", "Requests to approve")).toHaveText(String(compliance["ApprovalMetrics"]["TotalRequests"]));
  const resources = await ask.list("analytics/top-resources");
  await expect(section(page, "What breaks most").locator("tbody tr")).toHaveCount(resources.length);
  expect(await page.locator("script[src], script[type=module], link[rel=modulepreload]").count()).toBe(0);
  await figure(page, "In short", "Contained").getByRole("link").click();
  await expect(page).toHaveURL(/\/incidents\?.*state=Contained/);
  await expect(page.getByRole("main")).toContainText(`${summary["containedIssues"]} `);
});

test("it is reached from any page, and left again", async ({ page }) => {
  await open(page, "/slos");
  await page.getByRole("link", { name: "Analytics" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Analytics");
  await page.getByRole("link", { name: "Audit" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Audit");
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Analytics");
});

test("a time, a namespace and a bucket are an address", async ({ page, ask }) => {
  await page.goto("/analytics");
  await page.getByRole("link", { name: "24 hours" }).click();
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\dT/);
  const from = new URL(page.url()).searchParams.get("from");
  const day = await ask.one(`analytics/summary?from=${from}`);
  await expect(figure(page, "In short", "Incidents")).toHaveText(String(day["totalIssues"]));
  await expect(page.getByText("since ")).toBeVisible();

  await page.goto("/analytics");
  await page.locator("summary").filter({ hasText: "Namespace" }).click();
  await page.getByRole("textbox", { name: "Namespace" }).fill("shop");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(/namespace=shop/);
  const [all, shop] = [await ask.one("analytics/summary"), await ask.one("analytics/summary?namespace=shop")];
  expect(shop["totalIssues"]).toBeLessThan(all["totalIssues"]);
  await expect(figure(page, "In short", "Incidents")).toHaveText(String(shop["totalIssues"]));

  const weeks = await ask.list("analytics/trends?groupBy=week");
  await page.goto("/analytics?groupBy=week");
  await section(page, "Arrivals").getByText("As a table").click();
  await expect(section(page, "Arrivals").locator("tbody tr td").first()).toHaveText(weeks.at(-1)!["date"]);
});

test("nothing stands in anybody's way", async ({ page }) => {
  for (const theme of ["light", "dark"]) {
    await page.goto(`/analytics?theme=${theme}`);
    expect(await barriers(page)).toEqual([]);
  }
});

test("it does not scroll sideways on a phone", async ({ page }) => {
  for (const width of [PHONE.width, 768, 1024]) {
    await page.setViewportSize({ width, height: PHONE.height });
    await page.goto("/analytics");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
