// What holds for every page alike, whatever it shows.
import { barriers, expect, open, pages, PHONE, test } from "../fixtures.ts";

// Each goes through thirty pages.
test.describe.configure({ timeout: 240_000 });

for (const theme of ["light", "dark"]) {
  test(`nothing stands in anybody's way, ${theme}`, async ({ page, ask }) => {
    for (const { name, address } of await pages(ask)) {
      await open(page, `${address}${address.includes("?") ? "&" : "?"}theme=${theme}`);
      expect.soft(await barriers(page), name).toEqual([]);
    }
  });
}

test("every page hydrates as it was rendered", async ({ page, ask }) => {
  for (const { address, says } of await pages(ask)) {
    await open(page, address);
    await expect(page.getByRole("main")).toContainText(says[0]!);
  }
});

test("every page can be reached by its link and says its name", async ({ page, ask }) => {
  const titles = new Set<string>();
  const all = await pages(ask);
  for (const { address } of all) {
    await open(page, address);
    titles.add(await page.title());
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  }
  expect(titles.size, [...titles].join(", ")).toBe(all.length);
});

test("no page scrolls sideways, however wide the window", async ({ page, ask }) => {
  for (const { name, address } of await pages(ask)) {
    await open(page, address);
    for (const width of [768, 820, 901, 1024, 1101]) {
      await page.setViewportSize({ width, height: 900 });
      const needed = await page.evaluate(() => document.documentElement.scrollWidth);
      expect.soft(needed, `${name} at ${width}`).toBeLessThanOrEqual(width);
    }
  }
});

test.describe("on a phone", () => {
  test.use({ viewport: PHONE, hasTouch: true, isMobile: true });

  test("no page scrolls sideways", async ({ page, ask }) => {
    for (const { name, address } of await pages(ask)) {
      await open(page, address);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect.soft(width, name).toBeLessThanOrEqual(PHONE.width);
    }
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("every page shows its rows", async ({ page, ask }) => {
    for (const { name, address, says } of await pages(ask)) {
      const answer = await page.goto(address);
      expect.soft(answer?.status(), name).toBe(200);
      for (const text of says) await expect.soft(page.getByRole("main"), name).toContainText(text);
    }
  });
});
