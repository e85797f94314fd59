// What every test starts from: a browser that is signed in, a console that stays silent, and objects found by the API.
import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type BrowserContextOptions, type Page } from "@playwright/test";

export { expect };

export const KEY = { admin: "preview", operator: "preview-operator", viewer: "preview-viewer" };
export const SIGNED_OUT = { cookies: [], origins: [] };
export const PHONE = { width: 390, height: 844 };

type Item = Record<string, any> & { namespace: string; name: string };

/** Asks the API as a person with curl would. */
export type Ask = {
  /** Every item of a list. */
  list: (path: string) => Promise<Item[]>;
  /** One object. */
  one: (path: string) => Promise<Record<string, any>>;
};

type Test = {
  /** Messages of the browser's console that the test expects; any other fails it. */
  expectedMessages: RegExp[];
  silentConsole: void;
  ask: Ask;
};
type Worker = { session: Exclude<BrowserContextOptions["storageState"], string> };

export const test = base.extend<Test, Worker>({
  expectedMessages: [[], { option: true }],

  // A page that does not hydrate as it was rendered, a script that the policy blocks, a missing file: all of it is said here first.
  silentConsole: [
    async ({ page, expectedMessages }, use) => {
      const messages: string[] = [];
      page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => messages.push(`uncaught: ${error.message}`));
      await use();
      expect(messages.filter((message) => !expectedMessages.some((expected) => expected.test(message)))).toEqual([]);
    },
    { auto: true },
  ],

  session: [
    async ({ browser }, use, worker) => {
      const { baseURL } = worker.project.use;
      const page = await browser.newPage({ baseURL });
      await page.goto("/");
      await signIn(page, KEY.admin);
      const session = await page.context().storageState();
      await page.close();
      await use(session);
    },
    { scope: "worker" },
  ],

  storageState: ({ session }, use) => use(session),

  ask: async ({ playwright, baseURL }, use) => {
    const api = await playwright.request.newContext({ baseURL, extraHTTPHeaders: { "X-API-Key": KEY.viewer }, storageState: SIGNED_OUT });
    const get = async (path: string) => {
      const answer = await api.get(`/api/v1/${path}`);
      expect(answer.ok(), `GET ${path}: ${answer.status()}`).toBe(true);
      return answer.json();
    };
    await use({
      list: async (path) => (await get(`${path}${path.includes("?") ? "&" : "?"}pageSize=100`)).items,
      one: async (path) => (await get(path)).spec,
    });
    await api.dispose();
  },
});

/** Fills in the form that stands on every page as long as nobody is signed in. */
export async function signIn(page: Page, key: string) {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByLabel("API key")).toBeHidden();
}

/** Opens a page and waits until its script has taken over. */
export async function open(page: Page, address: string) {
  await page.goto(address);
  await hydrated(page);
}

export async function hydrated(page: Page) {
  await page.locator("html[data-hydrated]").waitFor({ state: "attached" });
}

/** What hinders somebody: axe's serious and critical findings, on the whole page or within some parts of it. */
export async function barriers(page: Page, within: string[] = ["html"]): Promise<string[]> {
  const axe = within.reduce((axe, part) => axe.include(part), new AxeBuilder({ page }));
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}: ${node.failureSummary}`));
}

/** Every page of the console with an object of the sample on it, and texts that only its data can have brought. */
export async function pages(ask: Ask): Promise<{ name: string; address: string; says: string[] }[]> {
  const incidents = await ask.list("incidents?chaos=false&snoozed=false");
  const approvals = await ask.list("approvals");
  const pending = approvals.filter(({ state }) => state === "Pending");
  const instances = await ask.list("instances");
  const incident = named(incidents, "payout-worker-memory-");
  const instance = named(instances, "chatcli-eu");
  const names = (items: Item[]) => items.map(({ name }) => name);
  return [
    { name: "overview", address: "/", says: pending.map(({ policy }) => policy ?? "") },
    { name: "incidents", address: "/incidents", says: names(incidents) },
    { name: "incident", address: address("incidents", incident), says: [incident["description"]] },
    { name: "approvals", address: "/approvals", says: approvals.map(({ issue }) => issue?.name ?? "") },
    { name: "approval", address: address("approvals", pending[0]!), says: [pending[0]!["rule"]] },
    { name: "instances", address: "/instances", says: names(instances) },
    { name: "instance", address: address("instances", instance), says: [unmet(instance).message] },
  ];
}

export function unmet(instance: Item): Record<string, string> {
  return instance["conditions"].find(({ status }: { status: string }) => status !== "True");
}

/** The link that stands in the page itself, not in the frame around it. */
export function linkTo(page: Page, address: string) {
  return page.getByRole("main").locator(`a[href="${address}"]`).first();
}

/** The rows of the page's table, without its head. */
export function rows(page: Page) {
  return page.getByRole("row").filter({ has: page.getByRole("cell") });
}

export function named(items: Item[], start: string): Item {
  const found = items.find(({ name }) => name.startsWith(start));
  expect(found, `an object whose name starts with ${start}`).toBeDefined();
  return found!;
}

export function address(list: string, { namespace, name }: Item): string {
  return `/${list}/${namespace}/${name}`;
}
