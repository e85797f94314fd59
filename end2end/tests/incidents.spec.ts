// Finding an incident, and everything that is known about it.
import { address, expect, hydrated, linkTo, named, open, rows, test } from "../fixtures.ts";

test("a filter finds an incident, its page opens, and Back brings the filtered list", async ({ page, ask }) => {
  const critical = await ask.list("incidents?severity=critical");
  const wanted = named(critical, "node-local-dns-");
  await open(page, "/incidents");
  const filters = page.getByRole("group", { name: "Filters" });
  await filters.getByText(/^Severity/).click();
  await filters.getByRole("link", { name: "Critical" }).click();
  await expect(page).toHaveURL("/incidents?severity=critical");
  await expect(rows(page)).toHaveCount(critical.length);

  await linkTo(page, address("incidents", wanted)).click();
  await expect(page).toHaveURL(address("incidents", wanted));
  await expect(page.getByRole("main")).toContainText(wanted["description"]);

  await page.goBack();
  await expect(page).toHaveURL("/incidents?severity=critical");
  await expect(filters).toContainText("Severity Critical");
  await expect(rows(page)).toHaveCount(critical.length);
});

test("words narrow the list, and the address can be shared", async ({ page, ask, context }) => {
  const found = await ask.list("incidents?q=payout");
  await open(page, "/incidents");
  await page.getByRole("searchbox", { name: "Search incidents" }).fill("payout");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/q=payout/);
  const shared = await context.newPage();
  await shared.goto(page.url());
  await hydrated(shared);
  for (const { name } of found) await expect(shared.getByRole("main")).toContainText(name);
});

test("an incident's page tells its plans, every action of them, and one timeline", async ({ page, ask }) => {
  const incident = named(await ask.list("incidents?namespace=edge"), "edge-proxy-certificate-");
  const plans = await ask.list(`remediations?namespace=${incident.namespace}&issue=${incident.name}`);
  expect(plans).toHaveLength(2);
  await open(page, address("incidents", incident));
  const main = page.getByRole("main");
  for (const plan of plans)
    for (const action of plan["actions"] ?? [])
      for (const value of Object.values(action.params ?? {})) await expect(main).toContainText(String(value));
  await expect(page.getByRole("heading", { name: "Timeline" })).toBeVisible();
});
