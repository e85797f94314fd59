// A page that is open: it shows what changes while it changes, and says so when it cannot know.
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import type { Page } from "@playwright/test";
import { expect, open, signIn, SIGNED_OUT, test } from "../fixtures.ts";
import { serve, type Served } from "../served.ts";

const KEYS = "- {key: mira, role: admin, name: sre-mira}\n- {key: bot, role: operator, name: bot}\n";

function incident(name: string, riskScore: number, created = "2026-11-30T08:00:00Z") {
  return {
    apiVersion: "platform.chatcli.io/v1alpha1",
    kind: "Issue",
    metadata: { name, namespace: "shop", creationTimestamp: created },
    spec: { severity: "high", source: "watcher", description: "out of memory", riskScore, resource: { kind: "Deployment", name: "checkout", namespace: "shop" } },
    status: { state: "Detected", detectedAt: created },
  };
}

/** Another person, with curl. */
async function act(served: Served, path: string, body?: object) {
  const answer = await fetch(`${served.url}/api/v1${path}`, { method: "POST", headers: { "X-API-Key": "bot" }, body: JSON.stringify(body ?? {}) });
  expect(answer.status, await answer.text()).toBe(200);
}

/** A way to the server that can be cut. */
async function road(to: string) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(new URL(to).port), "127.0.0.1");
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => { sockets.delete(socket); other.destroy(); });
      socket.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => { isCut = true; sockets.forEach((socket) => socket.destroy()); },
    mend: () => { isCut = false; },
    [Symbol.dispose]: () => { sockets.forEach((socket) => socket.destroy()); server.close(); },
  };
}

/** The mark of a page that hears of every change. */
const live = (page: Page) => page.getByRole("status").filter({ hasText: /^Live/ });

// Each begins signed out, which the browser tells as a failure.
test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of 401/] });

test.describe("an open page", () => {
  test("shows what another person does, without being loaded again", async ({ page }) => {
    await using served = await serve({ keys: KEYS, objects: [incident("checkout-oom", 70), incident("cart-latency", 40)] });
    await page.goto(`${served.url}/incidents`);
    await signIn(page, "mira");
    await expect(live(page)).toBeVisible();
    await page.evaluate(() => Object.assign(window, { loadedOnce: true }));

    await act(served, "/incidents/checkout-oom/acknowledge");
    const row = page.getByRole("row").filter({ hasText: "checkout-oom" });
    await expect(row).toContainText("Seen by bot", { timeout: 2_000 });

    // What leaves the list, and the totals, come with the next round of questions.
    await act(served, "/incidents/cart-latency/snooze", { duration: "1h" });
    await expect(page.getByRole("row").filter({ hasText: "cart-latency" })).toHaveCount(0);
    expect(await page.evaluate(() => "loadedOnce" in window)).toBe(true);
  });

  test("keeps the focus on the link that had it when rows move", async ({ page }) => {
    await using served = await serve({ keys: KEYS, objects: [incident("checkout-oom", 70), incident("cart-latency", 40)] });
    await page.goto(`${served.url}/incidents?sort=-riskScore`);
    await signIn(page, "mira");
    await expect(live(page)).toBeVisible();
    const link = page.getByRole("link", { name: "cart-latency" });
    await link.focus();
    await act(served, "/incidents/checkout-oom/snooze", { duration: "1h" });
    await expect(page.getByRole("row").filter({ hasText: "checkout-oom" })).toHaveCount(0);
    await expect(link).toBeFocused();
  });

  test.describe("on a road that breaks", () => {
    test.use({ expectedMessages: [/ERR_|Failed to load resource/] });

    test("says since when nothing is known, and is true again afterwards", async ({ page }) => {
      await using served = await serve({ keys: KEYS, objects: [incident("checkout-oom", 70)] });
      using way = await road(served.url);
      await page.goto(`${way.url}/incidents/shop/checkout-oom`);
      await signIn(page, "mira");
      await expect(live(page)).toBeVisible();

      way.cut();
      await expect(page.getByRole("status").filter({ hasText: "Not live since" })).toBeVisible();
      await act(served, "/incidents/checkout-oom/acknowledge");
      await expect(page.getByText("Seen by bot")).toHaveCount(0);

      way.mend();
      await expect(live(page)).toBeVisible({ timeout: 40_000 });
      await expect(page.getByText(/bot/).first()).toBeVisible();
    });
  });

  test("shows the form when its key is gone", async ({ page }) => {
    await using served = await serve({ keys: KEYS, objects: [incident("checkout-oom", 70)] });
    await page.goto(`${served.url}/incidents`);
    await signIn(page, "mira");
    await expect(live(page)).toBeVisible();
    await served.setKeys("- {key: bot, role: operator, name: bot}\n", "mira", 401);
    await expect(page.getByLabel("API key")).toBeVisible({ timeout: 15_000 });
  });

  test.describe("of the sample", () => {
    test("becomes live", async ({ page }) => {
      await open(page, "/");
      await signIn(page, "preview");
      await expect(live(page)).toBeVisible();
    });
  });
});
