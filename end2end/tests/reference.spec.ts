// The page about the API: for anybody, with or without a script, and in nobody's way.
import { barriers, expect, PHONE, SIGNED_OUT, test } from "../fixtures.ts";

test.use({ storageState: SIGNED_OUT });

for (const theme of ["light", "dark"]) {
  test(`nothing stands in anybody's way, ${theme}`, async ({ page }) => {
    await page.goto(`/docs/api?theme=${theme}`);
    // One of each: hundreds of the same would take minutes.
    expect(await barriers(page, ["header", "nav", "#list_incidents", "#approve_approval", "#schema-VoteBody"])).toEqual([]);
  });
}

test("a link leads to an operation, and from there to what it takes", async ({ page }) => {
  await page.goto("/docs/api");
  await page.getByRole("navigation").getByRole("link", { name: "Vote for it" }).click();
  const operation = page.locator("#approve_approval");
  await expect(operation).toBeInViewport();
  await expect(operation).toContainText("Role: operator");
  await operation.getByRole("link", { name: "VoteBody" }).click();
  await expect(page.locator("#schema-VoteBody")).toBeInViewport();
});

test.describe("on a phone without JavaScript", () => {
  test.use({ viewport: PHONE, javaScriptEnabled: false });

  test("it is styled and does not scroll sideways", async ({ page }) => {
    const sheets: number[] = [];
    page.on("response", (answer) => {
      if (answer.url().endsWith(".css")) sheets.push(answer.status());
    });
    await page.goto("/docs/api");
    expect(sheets).toEqual([200, 200]);
    const box = await page.locator("#list_incidents").boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(PHONE.width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("REST API");
  });
});
