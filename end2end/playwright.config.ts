// Runs against the real binary: it serves the calm preview on a free port and is stopped afterwards.
import { defineConfig } from "@playwright/test";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

// Workers read this file too and inherit the environment: the first reader chooses for all.
const port = (process.env["OPSDECK_TEST_PORT"] ??= await freePort());
const baseURL = `http://127.0.0.1:${port}`;
const bin = process.env["OPSDECK_BIN"] ?? "../target/debug/opsdeck";

export default defineConfig({
  outputDir: "test-results",
  // A test that passes at the second try has found something.
  retries: 0,
  forbidOnly: !!process.env["CI"],
  fullyParallel: true,
  workers: 2,
  timeout: 30_000,
  reporter: [["list"]],
  use: {
    baseURL,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1360, height: 860 },
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  projects: [
    { name: "tests", testDir: "tests" },
    { name: "shots", testDir: "shots", testMatch: "*.shots.ts" },
  ],
  webServer: {
    command: `"${bin}" preview --calm --listen 127.0.0.1:${port}`,
    url: `${baseURL}/readyz`,
    timeout: 30_000,
    stderr: "pipe",
  },
});
