// Whatever a cluster holds is shown as text: markup, scripts, links that would run, characters that reorder a line.
import { expect, open, signIn, SIGNED_OUT, test } from "../fixtures.ts";
import { serve, type Served } from "../served.ts";

const MARKUP = `<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script><b>bold</b>`;
const LINK = "javascript:window.pwned=1";
/** Right-to-left override: what follows would be read backwards. */
const OVERRIDE = "scale to \u202e0001\u202c replicas";
const HOSTILE = `${MARKUP} ${LINK} ${OVERRIDE} \${7*7} {{7*7}} \u2028`;

const api = "platform.chatcli.io/v1alpha1";
const resource = { kind: "Deployment", name: MARKUP, namespace: "shop" };
const meta = (name: string) => ({ name, namespace: "shop", annotations: { note: HOSTILE }, labels: { app: "x" } });
const OBJECTS: object[] = [
  {
    apiVersion: api,
    kind: "Issue",
    metadata: meta("hostile"),
    spec: { severity: "critical", source: "prometheus", signalType: MARKUP, resource, description: HOSTILE, riskScore: 80 },
    status: { state: "Contained", requiresHumanAction: true, requiredAction: HOSTILE, resolution: HOSTILE, remediationAttempts: 1, maxRemediationAttempts: 3 },
  },
  {
    apiVersion: api,
    kind: "AIInsight",
    metadata: meta("hostile-insight"),
    spec: { issueRef: { name: "hostile" }, provider: MARKUP, model: LINK },
    status: { analysis: HOSTILE, confidence: 0.5, recommendations: [HOSTILE, LINK], suggestedActions: [{ name: MARKUP, action: "Custom", description: HOSTILE, params: { [MARKUP]: HOSTILE } }] },
  },
  {
    apiVersion: api,
    kind: "RemediationPlan",
    metadata: meta("hostile-plan"),
    spec: { issueRef: { name: "hostile" }, attempt: 1, strategy: HOSTILE, actions: [{ type: "Custom", params: { command: HOSTILE } }] },
    status: { state: "Failed", result: HOSTILE },
  },
  {
    apiVersion: api,
    kind: "ApprovalRequest",
    metadata: meta("hostile-approval"),
    spec: {
      issueRef: { name: "hostile" },
      remediationPlanRef: "hostile-plan",
      policyRef: "p",
      ruleName: HOSTILE,
      blastRadius: { affectedPods: 1, affectedServices: 1, affectedNamespaces: [MARKUP], riskLevel: "high", description: HOSTILE },
      requestedActions: [{ type: "Custom", params: { command: HOSTILE } }],
      evidence: { aiAnalysis: HOSTILE, aiConfidence: 0.5, historicalSuccessRate: 0.5, previousAttempts: 1, preflightSnapshot: HOSTILE },
      requester: HOSTILE,
      requiredApprovers: 1,
      timeoutMinutes: 30,
    },
    status: { state: "Pending" },
  },
  {
    apiVersion: api,
    kind: "Instance",
    metadata: meta("hostile-instance"),
    spec: { provider: MARKUP, model: HOSTILE },
    status: { ready: false, conditions: [{ type: "ConfigValid", status: "False", reason: "Hostile", message: HOSTILE, lastTransitionTime: "2026-01-01T00:00:00Z" }] },
  },
];

const stored = (kind: string, name: string, spec: object, status?: object) => ({ apiVersion: api, kind, metadata: meta(name), spec, status });
OBJECTS.push(
  stored("ServiceLevelObjective", "hostile-slo", { serviceName: HOSTILE, indicator: { type: MARKUP, metricSource: "issues" }, target: { percentage: 99.9, window: HOSTILE } }),
  stored("Runbook", "hostile-runbook", {
    description: HOSTILE,
    trigger: { signalType: MARKUP, severity: "high", resourceKind: MARKUP },
    steps: [{ name: HOSTILE, action: MARKUP, description: HOSTILE, params: { [OVERRIDE]: HOSTILE } }],
  }),
  stored(
    "PostMortem",
    "hostile-pm",
    { issueRef: { name: MARKUP }, resource, severity: "high" },
    {
      state: MARKUP,
      summary: HOSTILE,
      rootCause: HOSTILE,
      lessonsLearned: [HOSTILE],
      timeline: [{ timestamp: "2026-01-01T00:00:00Z", type: MARKUP, detail: HOSTILE }],
      actionsExecuted: [{ action: MARKUP, params: { [OVERRIDE]: HOSTILE }, result: "failed", detail: HOSTILE, timestamp: "2026-01-01T00:00:00Z" }],
    },
  ),
  stored("ClusterRegistration", "hostile-cluster", { displayName: HOSTILE, region: MARKUP, environment: "prod", tier: "critical", kubeconfigSecretRef: { name: "x" } }, { connected: true, kubernetesVersion: HOSTILE }),
  stored("ApprovalPolicy", "hostile-policy", { enabled: true, rules: [{ name: HOSTILE, mode: "manual", match: { namespaces: [MARKUP, OVERRIDE] } }] }),
  stored("AuditEvent", "hostile-event", {
    eventType: MARKUP,
    severity: "info",
    actor: { type: "user", name: HOSTILE },
    resource: { kind: MARKUP, name: HOSTILE, namespace: LINK },
    details: { note: HOSTILE },
    correlationId: HOSTILE,
    timestamp: "2026-01-01T00:00:00Z",
  }),
);

const PAGES = ["/", "/incidents", "/incidents/shop/hostile", "/approvals", "/approvals/shop/hostile-approval", "/instances", "/instances/shop/hostile-instance"].concat(
  ["/slos", "/slos/shop/hostile-slo", "/insights", "/insights/shop/hostile-insight", "/remediations", "/remediations/shop/hostile-plan"],
  ["/runbooks", "/runbooks/shop/hostile-runbook", "/postmortems", "/postmortems/shop/hostile-pm", "/clusters", "/clusters/shop/hostile-cluster"],
  ["/policies", "/policies/shop/hostile-policy", "/audit", "/audit/shop/hostile-event"],
);

test.use({ storageState: SIGNED_OUT });

let served: Served | undefined;
test.beforeAll(async () => {
  served = await serve({ keys: "- {key: k, role: admin, name: '</script><script>window.pwned=1</script>'}\n", objects: OBJECTS });
});
test.afterAll(() => served?.[Symbol.asyncDispose]());

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "hydrated" : "as it arrives", () => {
    test.use({ javaScriptEnabled });

    for (const path of PAGES) {
      test(`${path} shows it as text`, async ({ page }) => {
        if (javaScriptEnabled) await open(page, served!.url);
        else await page.goto(served!.url);
        await signIn(page, "k");
        if (javaScriptEnabled) await open(page, served!.url + path);
        else await page.goto(served!.url + path);
        const html = await page.locator("body").innerHTML();
        expect(html).not.toMatch(/<img[^>]+onerror/);
        expect(html).not.toContain("<b>bold</b>");
        expect(await page.locator('[href^="javascript:" i], [src^="javascript:" i]').count()).toBe(0);
        expect(await page.locator("body").innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        if (javaScriptEnabled) expect(await page.evaluate(() => "pwned" in window)).toBe(false);
        if (path.includes("hostile")) await expect(page.locator("main")).toContainText("<b>bold</b>");
      });
    }
  });
}
