// Screenshots of every page into shots/, to be looked at.
import { open, pages, PHONE, SIGNED_OUT, test } from "../fixtures.ts";

const DESKTOP = { width: 1360, height: 860 };
const TABLET = { width: 820, height: 1180 };
const FOLDER = "../shots";
const README = "../docs/screenshot.png";

for (const [size, viewport] of Object.entries({ desktop: DESKTOP, tablet: TABLET, phone: PHONE })) {
  for (const theme of ["light", "dark"]) {
    test.describe(`${size}, ${theme}`, () => {
      test.use({ viewport, colorScheme: theme === "dark" ? "dark" : "light", deviceScaleFactor: size === "phone" ? 2 : 1 });

      test("every page", async ({ page, ask }) => {
        for (const { name, address } of await pages(ask)) {
          await open(page, address);
          await page.screenshot({ path: `${FOLDER}/${name}-${size}-${theme}.png`, fullPage: true });
          if (name === "overview" && size === "desktop" && theme === "light") await page.screenshot({ path: README });
        }
      });

      test.describe(() => {
        test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of 401/] });

        test("sign-in", async ({ page }) => {
          await open(page, "/");
          await page.screenshot({ path: `${FOLDER}/sign-in-${size}-${theme}.png`, fullPage: true });
        });
      });
    });
  }
}
