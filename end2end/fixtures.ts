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
    async ({ page, expectedMessages, javaScriptEnabled }, use) => {
      const messages: string[] = [];
      page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => messages.push(`uncaught: ${error.message}`));
      await use();
      // What is fetched ahead for the script is of no use without one, and a page that stays open for long is told so.
      const expected = javaScriptEnabled ? expectedMessages : [...expectedMessages, /preloaded using link preload but not used/];
      expect(messages.filter((message) => !expected.some((one) => one.test(message)))).toEqual([]);
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
  const [slos, insights, plans, runbooks, postMortems, clusters, events] = await Promise.all(
    ["slos", "aiinsights", "remediations", "runbooks", "postmortems", "clusters", "audit"].map((list) => ask.list(list)),
  );
  const [approvalPolicies, notifications, ladders, slas] = await Promise.all(
    ["approval", "notification", "escalation", "sla"].map((kind) => ask.list(`policies/${kind}`)),
  );
  const slo = named(slos!, "storefront-availability");
  const insight = insights!.find(({ analysis, recommendations }) => analysis && recommendations)!;
  const plan = plans!.find(({ state }) => state === "Failed")!;
  const runbook = runbooks!.find(({ steps }) => steps.length > 1)!;
  const postMortem = postMortems!.find(({ lessonsLearned }) => lessonsLearned)!;
  const cluster = named(clusters!, "prod-eu-central");
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
    { name: "slos", address: "/slos", says: names(slos!) },
    { name: "slo", address: address("slos", slo), says: [slo["service"]] },
    { name: "insights", address: "/insights", says: names(insights!) },
    { name: "insight", address: address("insights", insight), says: [insight["recommendations"][0]] },
    { name: "remediations", address: "/remediations", says: names(plans!) },
    { name: "remediation", address: address("remediations", plan), says: [plan["result"]] },
    { name: "runbooks", address: "/runbooks", says: names(runbooks!) },
    { name: "runbook", address: address("runbooks", runbook), says: runbook["steps"].map(({ name }: Item) => name) },
    { name: "post-mortems", address: "/postmortems", says: names(postMortems!) },
    { name: "post-mortem", address: address("postmortems", postMortem), says: [postMortem["rootCause"], ...postMortem["lessonsLearned"]] },
    { name: "clusters", address: "/clusters", says: names(clusters!) },
    { name: "cluster", address: address("clusters", cluster), says: [cluster["displayName"], cluster["version"]] },
    { name: "audit", address: "/audit", says: names(events!.slice(0, 50)) },
    { name: "event", address: address("audit", events![0]!), says: [events![0]!["resourceName"]] },
    { name: "approval-policies", address: "/policies", says: names(approvalPolicies!) },
    { name: "approval-policy", address: address("policies", approvalPolicies![0]!), says: ruleNames(approvalPolicies![0]!) },
    { name: "notification-policies", address: "/policies?kind=notification", says: names(notifications!) },
    { name: "notification-policy", address: `${address("policies", notifications![0]!)}?kind=notification`, says: ruleNames(notifications![0]!) },
    { name: "escalation-policies", address: "/policies?kind=escalation", says: names(ladders!) },
    { name: "escalation-policy", address: `${address("policies", ladders![0]!)}?kind=escalation`, says: ladders![0]!["spec"].levels.map(({ name }: Item) => name) },
    { name: "slas", address: "/policies?kind=sla", says: names(slas!) },
    { name: "sla", address: `${address("policies", slas![0]!)}?kind=sla`, says: [slas![0]!["spec"].resolutionTime] },
  ];
}

function ruleNames(policy: Item): string[] {
  return policy["spec"].rules.map(({ name }: Item) => name);
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
