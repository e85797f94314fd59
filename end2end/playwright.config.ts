// Runs against the real binary: it serves the calm preview on a free port and is stopped afterwards.
import { defineConfig } from "@playwright/test";
import { BIN, freePort } from "./served.ts";

// Workers read this file too and inherit the environment: the first reader chooses for all.
const port = (process.env["OPSDECK_TEST_PORT"] ??= await freePort());
const baseURL = `http://127.0.0.1:${port}`;

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
    command: `"${BIN}" preview --calm --listen 127.0.0.1:${port} --rate-limit-key 100000`,
    url: `${baseURL}/readyz`,
    timeout: 30_000,
    stderr: "pipe",
  },
});
