// Who is let in, who is shown out, and what happens to the page meanwhile. Each test has a console of its own.
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, hydrated, open, signIn, SIGNED_OUT, test } from "../fixtures.ts";
import { serve } from "../served.ts";

const MIRA = "- {key: key-of-mira, role: operator, name: sre-mira}\n";
const ANA = "- {key: key-of-ana, role: viewer, name: ana}\n";

const ISSUE = {
  apiVersion: "platform.chatcli.io/v1alpha1",
  kind: "Issue",
  metadata: { name: "api-latency", namespace: "shop" },
  spec: {
    severity: "critical",
    source: "prometheus",
    resource: { kind: "Deployment", name: "api", namespace: "shop" },
    description: "p99 over 2 s",
    riskScore: 80,
  },
};

test.use({ storageState: SIGNED_OUT, expectedMessages: [/status of (401|403|404|429|503)/] });

test("a key that is removed ends the session wherever it is, and the page comes back to its place", async ({ page }) => {
  await using console = await serve({ keys: MIRA, objects: [ISSUE] });
  await open(page, `${console.url}/incidents?severity=critical`);
  await signIn(page, "key-of-mira");
  await hydrated(page);
  await console.setKeys(ANA, "key-of-mira", 401);

  await page.getByRole("link", { name: /^Overview/ }).first().click();
  await expect(page.getByLabel("API key")).toBeVisible();
  const kept = page.url();

  await signIn(page, "key-of-ana");
  await expect(page).toHaveURL(kept);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("what was typed stays when the key was not judged", async ({ page }) => {
  await using console = await serve({ keys: MIRA, args: ["--rate-limit-host", "1"] });
  await open(page, `${console.url}/incidents`);
  const key = page.getByLabel("API key");
  const submit = page.getByRole("button", { name: "Sign in" });
  await key.fill("key-of-mirra");
  await submit.click();
  await expect(page.getByRole("alert")).toContainText("not known");
  await submit.click();
  await expect(page.getByRole("alert")).toContainText("Too many attempts");
  await expect(key).toHaveValue("key-of-mirra");
  await page.route("**/api/v1/session", (route) => route.fulfill({ status: 503, body: "" }));
  await submit.click();
  await expect(page.getByRole("alert")).toContainText("could not check the key");
  await expect(key).toHaveValue("key-of-mirra");
});

test("nothing outlives the browser unless it was asked for", async ({ page, context }) => {
  await using console = await serve({ keys: MIRA });
  const session = async () => (await context.cookies()).find(({ name }) => name === "opsdeck_session");
  await open(page, console.url);
  await signIn(page, "key-of-mira");
  expect((await session())?.expires).toBe(-1);
  await context.clearCookies();
  await open(page, console.url);
  await page.getByLabel("Stay signed in for 30 days").check();
  await signIn(page, "key-of-mira");
  expect((await session())?.expires).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
});

test("a key that upstream's page left behind is exchanged once and forgotten", async ({ page }) => {
  await using console = await serve({ keys: MIRA });
  await open(page, console.url);
  await page.evaluate(() => localStorage.setItem("chatcli_api_key", "key-of-mira"));
  await page.reload();
  await expect(page.getByLabel("API key")).toBeHidden();
  expect(await page.evaluate(() => localStorage.getItem("chatcli_api_key"))).toBeNull();
});

test("another origin writes nothing, though the browser sends the cookie along", async ({ page, context }) => {
  await using console = await serve({ keys: MIRA, objects: [ISSUE] });
  await open(page, console.url);
  await signIn(page, "key-of-mira");

  // Another port of the same host is another origin of the same site: the cookie travels.
  const write = `${console.url}/api/v1/incidents/api-latency/acknowledge?namespace=shop`;
  const attacker = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html");
    answer.end(`<form method="post" action="${write}"><button>Win a prize</button></form>`);
  }).listen(0, "127.0.0.1");
  await once(attacker, "listening");
  const lure = await context.newPage();
  await lure.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);

  const submitted = lure.waitForResponse(write);
  await lure.getByRole("button").click();
  const request = (await submitted).request();
  expect((await request.allHeaders())["cookie"]).toContain("opsdeck_session=");
  expect((await submitted).status()).toBe(403);
  await lure.goBack();
  // The answer is kept from the script by its Cross-Origin-Resource-Policy, so that it cannot even tell what it was.
  const sent = lure.evaluate((address) => fetch(address, { method: "POST", mode: "no-cors", credentials: "include" }), write);
  await expect(sent).rejects.toThrow("Failed to fetch");
  attacker.close();

  const answer = await page.request.get(`${console.url}/api/v1/incidents/api-latency?namespace=shop`);
  expect((await answer.json()).spec.acknowledged).toBeNull();
});

test("in dev mode every page says that everybody is admin", async ({ page }) => {
  process.env["CHATCLI_OPERATOR_DEV_MODE"] = "true";
  await using console = await serve({ keys: "[]", objects: [ISSUE] });
  delete process.env["CHATCLI_OPERATOR_DEV_MODE"];
  for (const path of ["/", "/incidents", "/incidents/shop/api-latency", "/approvals", "/instances", "/no-such-page"]) {
    await page.goto(`${console.url}${path}`);
    await expect(page.getByText("everybody who can reach this page acts as admin")).toBeVisible();
  }
});
