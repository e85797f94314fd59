// One incident, the plan for it and the request to run it, and the people who decide.
import { hydrated, open, signIn } from "./fixtures.ts";
import type { Page } from "@playwright/test";

export const KEYS = `
- {key: key-of-mira, role: operator, name: sre-mira}
- {key: key-of-tomasz, role: admin, name: sre-tomasz}
- {key: key-of-ana, role: viewer, name: ana}
`;
export const INCIDENT = "/incidents/shop/api-latency";
export const APPROVAL = "/approvals/shop/restart-api";
export const OTHER = "/approvals/shop/restart-web";
export const POST_MORTEM = "/postmortems/shop/api-review";

function object(kind: string, name: string, spec: object): object {
  return { apiVersion: "platform.chatcli.io/v1alpha1", kind, metadata: { name, namespace: "shop" }, spec };
}

const resource = { kind: "Deployment", name: "api", namespace: "shop" };
export const incident = (name: string, risk = 80) =>
  object("Issue", name, { severity: "critical", source: "prometheus", resource, description: "p99 over 2 s", riskScore: risk });
const actions = (replicas: string) => [
  { type: "RestartDeployment", params: {} },
  { type: "ScaleDeployment", params: { replicas } },
];
export const plan = (replicas: string) =>
  object("RemediationPlan", "api-plan", { issueRef: { name: "api-latency" }, attempt: 1, strategy: `scale to ${replicas}`, actions: actions(replicas) });
export const request = (replicas: string, name = "restart-api") =>
  object("ApprovalRequest", name, {
    issueRef: { name: "api-latency" },
    remediationPlanRef: "api-plan",
    policyRef: "production",
    ruleName: "any",
    requestedActions: actions(replicas),
    requester: "operator",
    timeoutMinutes: 60,
    requiredApprovers: 2,
  });
const postMortem = object("PostMortem", "api-review", { issueRef: { name: "api-latency" }, resource, severity: "critical" });
/** Another request about the same incident. */
export const other = request("5", "restart-web");
export const OBJECTS = [incident("api-latency"), plan("5"), request("5"), postMortem];

export async function enter(page: Page, address: string, key = "key-of-mira") {
  await open(page, address);
  await signIn(page, key);
  await hydrated(page);
}

export const outcome = (page: Page) => page.getByRole("main").getByRole("status").first();
export const act = (page: Page, name: string | RegExp) => page.getByRole("main").getByRole("button", { name, exact: true });
export const fold = (page: Page, name: string) => page.locator(".act > summary").filter({ hasText: name });
