// The lists that are made from a description: filters, order and pages live in the address, rows open in place.
import { expect, linkTo, open, rows, test } from "../fixtures.ts";

test("the audit is narrowed by type, severity and time, and says how to get out", async ({ page, ask }) => {
  const failed = await ask.list("audit?type=remediation_failed");
  await open(page, "/audit");
  await page.getByText("Type any").click();
  await page.getByRole("link", { name: "Remediation failed" }).click();
  await expect(page).toHaveURL("/audit?type=remediation_failed");
  await expect(rows(page)).toHaveCount(failed.length);
  await expect(page.getByRole("main")).toContainText(`${failed.length} match`);

  await page.getByText("Severity any").click();
  await page.getByRole("link", { name: "Critical" }).click();
  await expect(page.getByRole("main")).toContainText("Nothing matches these filters.");
  await page.goBack();
  await expect(rows(page)).toHaveCount(failed.length);

  await page.getByRole("link", { name: "Clear all" }).click();
  await expect(page).toHaveURL("/audit");

  const { timestamp } = failed[0]!;
  await page.goto(`/audit?from=${timestamp}&to=${timestamp}`);
  const then = await ask.list(`audit?from=${timestamp}&to=${timestamp}`);
  await expect(rows(page)).toHaveCount(then.length);
  await page.goto("/audit?from=yesterday");
  await expect(page.getByRole("main")).toContainText("“yesterday” filters nothing");
});

test("the audit has pages, and its newest event stands first", async ({ page, ask }) => {
  const events = await ask.list("audit");
  await open(page, "/audit?pageSize=10");
  await expect(rows(page)).toHaveCount(10);
  await expect(page.getByRole("main")).toContainText(events[0]!.name);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/audit?pageSize=10&page=2");
  await expect(page.getByRole("main")).toContainText(events[10]!.name);
  await page.getByRole("link", { name: "Previous" }).click();
  await expect(page).toHaveURL("/audit?pageSize=10");
});

test("a row of the audit opens where it stands and leads to its object", async ({ page, ask }) => {
  const events = await ask.list("audit?type=approval_approved");
  const event = events[0]!;
  await open(page, "/audit?type=approval_approved");
  const row = rows(page).first();
  await expect(row.getByText(event.name)).toBeHidden();
  await row.locator("summary").click();
  await expect(row.getByText(event.name)).toBeVisible();

  // It stays open, and with its row, when the list is asked for again.
  await page.getByRole("link", { name: "Refresh" }).click();
  await expect(row.getByText(event.name)).toBeVisible();
  await expect(rows(page).nth(1).locator("dl")).toBeHidden();

  await row.getByRole("link", { name: event["resourceName"], exact: true }).click();
  await expect(page).toHaveURL(`/approvals/${event["resourceNamespace"]}/${event["resourceName"]}`);
});

test("each kind of policy has a tab with its count, and an object that leads back to it", async ({ page, ask }) => {
  await open(page, "/policies");
  for (const [kind, label] of Object.entries({ notification: "Notification", escalation: "Escalation", sla: "SLA" })) {
    const policies = await ask.list(`policies/${kind}`);
    const tab = page.getByRole("group", { name: "Kind" }).getByRole("link", { name: `${label} ${policies.length}` });
    await tab.click();
    await expect(page).toHaveURL(`/policies?kind=${kind}`);
    await expect(tab).toHaveAttribute("aria-current", "true");
    await expect(tab).toBeFocused();
    await expect(rows(page)).toHaveCount(policies.length);
    const { namespace, name } = policies[0]!;
    await linkTo(page, `/policies/${namespace}/${name}?kind=${kind}`).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    await page.getByRole("main").getByRole("link", { name: "Policies" }).click();
    await expect(page).toHaveURL(`/policies?kind=${kind}`);
  }
});

test("an order is part of the address, and one that the API does not know has a way back", async ({ page, ask }) => {
  await open(page, "/remediations");
  await page.getByRole("link", { name: "Attempt" }).click();
  await expect(page).toHaveURL("/remediations?sort=-attempt");
  const most = Math.max(...(await ask.list("remediations")).map(({ attempt }) => attempt));
  await expect(rows(page).first()).toContainText(`${most}`);
  await page.getByRole("main").getByRole("link", { name: "Use the default order" }).click();
  await expect(page).toHaveURL("/remediations");
});

test("an incident leads to its plans, insights and post-mortem", async ({ page, ask }) => {
  const postMortem = (await ask.list("postmortems"))[0]!;
  const { namespace, issueRef } = postMortem;
  const plan = (await ask.list(`remediations?issue=${issueRef}`))[0]!;
  const insight = (await ask.list(`aiinsights?issue=${issueRef}`))[0]!;
  for (const [list, { name }] of Object.entries({ postmortems: postMortem, remediations: plan, insights: insight })) {
    await open(page, `/incidents/${namespace}/${issueRef}`);
    await linkTo(page, `/${list}/${namespace}/${name}`).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  }
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("the other pages fold out of the bar, and in again once one is chosen", async ({ page }) => {
    await open(page, "/");
    const more = page.getByText("More", { exact: true });
    await more.click();
    await page.getByRole("link", { name: "Runbooks" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Runbooks");
    await expect(page.getByRole("navigation", { name: "Pages" }).first().getByRole("link", { name: "Runbooks" })).toBeHidden();
    await more.click();
    await page.getByRole("link", { name: "Audit" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Audit");
  });
});
